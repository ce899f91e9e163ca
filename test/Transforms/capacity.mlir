// RUN: rm -rf %t && split-file %s %t

// What does not fit is scheduled, with a warning; it breaks rule S10, unless time alone is asked for. %x (64 bytes)
// is the caller's; while the sum runs, %a, %b and %c of 128 bytes each are there; the weight takes 8 x 16 x 4 = 512.
// RUN: llm-opt %t/chain.mlir --llm-target=file=%t/959.json --llm-tile --llm-schedule -o %t/tight.mlir 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: chain.mlir:1:1: warning: function 'chain' does not fit into 'dram' of target 'toy': it holds 960 bytes, and there are 959 (weights 512, KV caches 0, values alive at once 448, workspace 0)
// WARN-NOT: warning
// RUN: not llm-opt %t/tight.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=RULE10
// RULE10: error: function 'chain' S10: does not fit into 'dram' of target 'toy': it holds 960 bytes, and there are 959
// RULE10-SAME: With capacity=false this is not checked
// RUN: llm-opt %t/tight.mlir --llm-verify-schedule=capacity=false -o %t/out

// As much as there is fits, and of a target that does not say nothing is checked.
// RUN: sed 's/959/960/' %t/959.json > %t/960.json
// RUN: llm-opt %t/chain.mlir --llm-target=file=%t/960.json --llm-tile --llm-schedule --llm-verify-schedule -o %t/roomy.mlir 2>&1 | FileCheck %s --check-prefix=ROOMY
// ROOMY: 960.json:5:45: warning: 'memories.dram.capacity_bytes' is 960 bytes; chips have 1 MB to 1 EB
// ROOMY-NOT: {{warning|remark|error}}:
// RUN: sed 's/"capacity_bytes": 959, //' %t/959.json > %t/none.json
// RUN: llm-opt %t/chain.mlir --llm-target=file=%t/none.json --llm-tile --llm-schedule --llm-verify-schedule -o %t/none.mlir 2>&1 | count 0

// Reports say it first, and hold all figures; no new warning.
// RUN: llm-opt %t/tight.mlir --llm-export-report=file=- -o %t/out 2>&1 | FileCheck %s --check-prefix=TABLE --strict-whitespace
// TABLE-NOT: warning
// TABLE:      {{^}}DOES NOT FIT: function 'chain' does not fit into 'dram' of target 'toy': it holds 960 bytes, and{{$}}
// TABLE-NEXT: {{^}}  there are 959 (weights 512, KV caches 0, values alive at once 448, workspace 0); 2 chips would{{$}}
// TABLE-NEXT: {{^}}  hold it, if all of it is cut evenly; then the program's grid has 2 chips, and target 'toy' has no{{$}}
// TABLE-NEXT: {{^}}  links: write "links": {"ring": {"bytes_per_second_per_direction": 100e9, "devices": 2}} into its{{$}}
// TABLE-NEXT: {{^}}  file, or take a preset with links (llm-opt --llm-list-targets){{$}}
// TABLE-NEXT: {{^}}chain on toy{{$}}
// TABLE-NEXT: {{^}}fits      NO: 960 bytes of 959 bytes in dram, 1 bytes too many (weights 512 bytes, KV caches{{$}}
// TABLE-NEXT: {{^}}          0 bytes, values 448 bytes, workspace 0 bytes){{$}}
// RUN: llm-opt %t/tight.mlir "--llm-export-report=format=json file=-" -o %t/out | FileCheck %s --check-prefix=JSON
// JSON:      "problems": [
// JSON-NEXT:   "function 'chain' does not fit into 'dram' of target 'toy': it holds 960 bytes
// JSON:      "capacity": {
// JSON-NEXT:   "memory": "dram",
// JSON-NEXT:   "needed_bytes": 960,
// JSON-NEXT:   "weight_bytes": 512,
// JSON-NEXT:   "cache_bytes": 0,
// JSON-NEXT:   "state_bytes": 0,
// JSON-NEXT:   "value_bytes": 448,
// JSON-NEXT:   "workspace_bytes": 0,
// JSON-NEXT:   "capacity_bytes": 959,
// JSON-NEXT:   "fits": false,
// JSON-NEXT:   "problem": "function 'chain' does not fit
// RUN: llm-opt %t/roomy.mlir "--llm-export-report=format=json file=-" -o %t/out | FileCheck %s --check-prefix=FITS
// FITS: "problems": [],
// FITS: "fits": true
// RUN: llm-opt %t/none.mlir --llm-export-report=file=- -o %t/out | FileCheck %s --check-prefix=UNCHECKED
// UNCHECKED: {{^}}chain on toy{{$}}
// UNCHECKED: {{^}}fits not checked, dram has no capacity in the target: 960 bytes (weights
// RUN: llm-opt %t/none.mlir "--llm-export-report=format=json file=-" -o %t/out | FileCheck %s --check-prefix=UNCHECKEDJSON
// UNCHECKEDJSON: "workspace_bytes": 0
// UNCHECKEDJSON-NEXT: }
// UNCHECKEDJSON-NOT: "fits"

// States are there from start to end, one for each iteration that names it: 3 x 2 x 3 x 4 elements of 4 bytes are 288.
// RUN: llm-opt %t/states.mlir --llm-target=file=%t/959.json --llm-tile --llm-schedule "--llm-export-report=format=json file=%t/states.json" -o %t/out 2>&1 | FileCheck %s --check-prefix=STATES
// STATES: does not fit into 'dram' of target 'toy': it holds {{[0-9,]+}} bytes, and there are 959 (weights 192, KV caches 0, states 288, values alive at once
// RUN: FileCheck %s --check-prefix=STATESJSON < %t/states.json
// STATESJSON: "state_elements": 72,
// STATESJSON-NEXT: "state_bytes": 288,
// STATESJSON-NEXT: "kv_elements": 0,
// STATESJSON: "cache_bytes": 0,
// STATESJSON-NEXT: "state_bytes": 288,

//--- states.mlir
func.func @states(%x: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %layer = %c0 to %c3 step %c1 iter_args(%in = %x) -> tensor<2x7x4xf32> {
    %w = llm.weight "layers.{}.conv1d.weight"[%layer] : tensor<4x4xf32>
    %state = llm.state "layers.{}.conv1d"[%layer] : !llm.state<batch = 2, 3x4xf32>
    %out, %next = llm.conv1d "layers.{}.conv1d" %in, %w from %state : tensor<2x7x4xf32>, tensor<4x4xf32>, !llm.state<batch = 2, 3x4xf32>
    scf.yield %out : tensor<2x7x4xf32>
  }
  return %y : tensor<2x7x4xf32>
}
//--- chain.mlir
func.func @chain(%x: tensor<2x8xf32>) -> tensor<2x16xf32> {
  %w = llm.weight "w" : tensor<8x16xf32>
  %a = llm.matmul "a" %x, %w : tensor<2x8xf32>, tensor<8x16xf32>
  %b = llm.activation "b" silu %a : tensor<2x16xf32>
  %c = llm.add "c" %a, %b : tensor<2x16xf32>, tensor<2x16xf32>
  return %c : tensor<2x16xf32>
}
//--- 959.json
{
  "name": "toy",
  "engines": { "core": { "kinds": ["matrix", "vector"], "macs_per_cycle_per_unit": { "f32": 1 },
                         "alu_per_cycle_per_unit": 1, "special_per_cycle_per_unit": 1 } },
  "memories": { "dram": { "capacity_bytes": 959, "bytes_per_second": 1000000000 } }
}
