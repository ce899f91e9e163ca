// RUN: rm -rf %t && split-file %s %t

// Each preset lands on the module under its own name, with its figures in integers, and
// survives a round trip.
// RUN: llm-opt %t/empty.mlir --llm-target=name=npu --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=NPU
// NPU: "npu" = #dlti.target_device_spec<"description" = "{{.*}}all figures are invented
// NPU-SAME: "clock_hz" = 1000000000 : i64
// NPU-SAME: "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 4 : i64
// NPU-SAME: "bf16" = 4096 : i64
// NPU-SAME: "dma" = #dlti.map<"kinds" = ["memory"], "count" = 2 : i64
// RUN: llm-opt %t/empty.mlir --llm-target=name=nvl-ax --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=AX
// 36 MiB = 37,748,736 bytes; 342 GiB/s = 342 x 2^30 = 367,219,703,808 bytes per second.
// AX: "nvl-ax" =
// AX-SAME: "clock_hz" = 2500000000 : i64
// AX-SAME: "units" = 32 : i64
// AX-SAME: "bf16" = 2048 : i64
// AX-SAME: "capacity_bytes" = 37748736 : i64
// AX-SAME: "bytes_per_second" = 367219703808 : i64
// RUN: llm-opt %t/empty.mlir --llm-target=name=jgs --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=JGS
// 120 MiB = 125,829,120 bytes; 30 TiB/s = 30 x 2^40 = 32,985,348,833,280 bytes per second.
// JGS: "jgs" =
// JGS-SAME: "units" = 192 : i64
// JGS-SAME: "macs_per_cycle_per_unit" = #dlti.map<"f32" = 8192 : i64>
// JGS-SAME: "capacity_bytes" = 125829120 : i64
// JGS-SAME: "bytes_per_second" = 32985348833280 : i64
// RUN: llm-opt %t/empty.mlir --llm-target=name=a100-sxm --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=A100
// A100: "a100-sxm" =
// A100-SAME: "units" = 108 : i64
// RUN: llm-opt %t/empty.mlir --llm-target=name=h100-sxm --verify-roundtrip --mlir-print-local-scope | FileCheck %s --check-prefix=H100
// H100: "h100-sxm" =
// H100-SAME: "units" = 132 : i64

// Without name and file the default stands in on a module without a target, and a remark
// says that its figures are invented.
// RUN: llm-opt %t/empty.mlir --llm-target --remarks-filter-analyse=llm-target --remark-format=emitRemark \
// RUN:   2>&1 | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: remark: {{.*}}the module has no target: preset 'npu', whose figures are invented, stands in
// DEFAULT: "npu" =

// A module's own target is kept where nothing else is asked for; engines= changes the count
// of compute engines and nothing else.
// RUN: llm-opt %t/empty.mlir --llm-target=name=nvl-ax --llm-target --mlir-print-local-scope | FileCheck %s --check-prefix=AX
// RUN: llm-opt %t/empty.mlir --llm-target=name=npu "--llm-target=engines=7" --mlir-print-local-scope | FileCheck %s --check-prefix=SEVEN
// RUN: llm-opt %t/empty.mlir "--llm-target=name=npu engines=7" --mlir-print-local-scope | FileCheck %s --check-prefix=SEVEN
// SEVEN: "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 7 : i64
// SEVEN-SAME: "dma" = #dlti.map<"kinds" = ["memory"], "count" = 2 : i64
// SEVEN-SAME: "bytes_per_second" = 400000000000 : i64

// A second target replaces the first one: one machine at a time.
// RUN: llm-opt %t/empty.mlir --llm-target=name=npu --llm-target=name=jgs | FileCheck %s --check-prefix=REPLACED
// REPLACED-NOT: npu
// REPLACED: "jgs" =
// REPLACED-NOT: npu

// Four engines of a target whose engine is a whole chip: a warning says that these are no four chips, and
// what makes four chips.
// RUN: llm-opt %t/empty.mlir "--llm-target=name=nvl-ax engines=4" 2>&1 | FileCheck %s --check-prefix=CHIPS
// RUN: llm-opt %t/empty.mlir "--llm-pipeline=target=nvl-ax engines=4" 2>&1 | FileCheck %s --check-prefix=CHIPS
// RUN: llm-opt %t/empty.mlir --llm-target=name=nvl-ax --llm-schedule=engines=4 2>&1 | FileCheck %s --check-prefix=CHIPS
// CHIPS: warning: 4 x 'chip' (32 units each) share one 'dram', whose rate and capacity are those of one device: this is no machine of 4 chips; --llm-shard=tp=4 and --llm-partition, or tp=4 of --llm-pipeline, cut a program over chips
// RUN: llm-opt %t/empty.mlir "--llm-target=name=nvl-ax set=engines.chip.count=4" 2>&1 | FileCheck %s --check-prefix=SETCHIPS
// SETCHIPS: warning: --llm-target: option 'set': 4 x 'chip' (32 units each) share one 'dram', {{.*}}tp=4 of --llm-pipeline, cut a program over chips
// RUN: llm-opt %t/empty.mlir "--llm-target=name=npu set=engines.core.count=8" 2>&1 | FileCheck %s --check-prefix=NOCHIPS
// RUN: llm-opt %t/empty.mlir "--llm-target=name=npu engines=8" 2>&1 | FileCheck %s --check-prefix=NOCHIPS
// NOCHIPS-NOT: warning

// A JSON file of one's own.
// RUN: llm-opt %t/empty.mlir --llm-target=file=%t/chip.json --mlir-print-local-scope | FileCheck %s --check-prefix=JSON
// JSON: "mychip" = #dlti.target_device_spec<
// JSON-SAME: "clock_hz" = 1200000000 : i64
// JSON-SAME: "tile" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 3 : i64
// JSON-SAME: "i8" = 4096 : i64

// A CSV file, whose column names the device: 5e9 / (2 x 4 units x 1.5e9 / s) from the peak
// would be 0 and counts as 1; the rate per unit wins over it.
// RUN: llm-opt %t/empty.mlir "--llm-target=file=%t/chips.csv column=MyChip engines=2" --mlir-print-local-scope | FileCheck %s --check-prefix=CSV
// CSV: "MyChip" = #dlti.target_device_spec<
// CSV-SAME: "clock_hz" = 1500000000 : i64
// CSV-SAME: "count" = 2 : i64, "units" = 8 : i64
// CSV-SAME: "bf16" = 1024 : i64
// CSV-SAME: "capacity_bytes" = 8388608 : i64
// CSV-SAME: "bytes_per_second" = 400000000000 : i64

// Options that do not go together, or name what is not there: an error that names the
// option, and a failure.
// RUN: not llm-opt %t/empty.mlir --llm-target=name=nope 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --llm-target: no preset is called 'nope'{{.*}} (presets: npu, npu-mxu-vpu, nvl-ax, jgs, a100-sxm, a30, h100-sxm, h100-pcie, h100-nvl, h800-sxm, h200-sxm, b200-sxm, gb200, b300-sxm, gb300, l40s, l4, a40, a10, rtx4090, rtx5090, rtx-pro-6000, mi210, mi300x, mi325x, gaudi3, trainium2, tpu-v5e, tpu-v5p, tpu-v6e, host)
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu file=%t/chip.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: --llm-target: options 'name' and 'file' exclude each other
// RUN: not llm-opt %t/empty.mlir --llm-target=column=MyChip 2>&1 | FileCheck %s --check-prefix=COLUMN
// COLUMN: error: --llm-target: option 'column' needs 'file', a CSV file
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/chip.json column=MyChip" 2>&1 | FileCheck %s --check-prefix=NOTCSV
// NOTCSV: error: --llm-target: column= is for CSV files
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/nothing.json" 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: --llm-target: cannot read '{{.*}}nothing.json'
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/chips.csv column=Absent" 2>&1 | FileCheck %s --check-prefix=NOCOLUMN
// NOCOLUMN: chips.csv:1:{{[0-9]+}}: error: {{.*}}'Absent'
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/chips.csv" 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: error: {{.*}}column

// Errors in a file point into it.
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/typo.json" 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: typo.json:5:{{[0-9]+}}: error: {{.*}}macs_per_cycle
// RUN: not llm-opt %t/empty.mlir "--llm-target=file=%t/cut.json" 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: cut.json:{{[0-9]+}}:{{[0-9]+}}: error:

// Numbers of engines that cannot be.
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu engines=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: --llm-target: option 'engines': the number of compute engines must be between 1 and 1,048,576, got 0
// RUN: not llm-opt %t/empty.mlir "--llm-target=engines=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: --llm-target: option 'engines': {{.*}}got -1
// RUN: not llm-opt %t/empty.mlir "--llm-target=engines=x" 2>&1 | FileCheck %s --check-prefix=LETTER
// LETTER: error: --llm-target: option 'engines' must be a whole number above 0, or such numbers by name as in 'mxu:4,vpu:2', got 'x'
// RUN: not llm-opt %t/empty.mlir "--llm-target=engines=2.5" 2>&1 | FileCheck %s --check-prefix=FRACTION
// FRACTION: error: --llm-target: option 'engines' must be a whole number above 0, or such numbers by name as in 'mxu:4,vpu:2', got '2.5'
// RUN: not llm-opt %t/empty.mlir "--llm-target=engines=99999999999" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: --llm-target: option 'engines': {{.*}}got 99999999999
// RUN: not llm-opt %t/empty.mlir "--llm-target=engines=99999999999999999999" 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: --llm-target: option 'engines' must be a whole number above 0, or such numbers by name as in 'mxu:4,vpu:2', got '99999999999999999999'

// Numbers of engines by name, of any kind.
// RUN: llm-opt %t/empty.mlir "--llm-target=name=npu-mxu-vpu engines=mxu:8,dma:3" --mlir-print-local-scope | FileCheck %s --check-prefix=NAMED
// NAMED: "mxu" = #dlti.map<"kinds" = ["matrix"], "count" = 8 : i64
// NAMED-SAME: "vpu" = #dlti.map<"kinds" = ["vector"], "count" = 2 : i64
// NAMED-SAME: "dma" = #dlti.map<"kinds" = ["memory"], "count" = 3 : i64
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu-mxu-vpu engines=mxu:8,tpu:3" 2>&1 | FileCheck %s --check-prefix=NOSUCH
// NOSUCH: error: --llm-target: option 'engines': target 'npu-mxu-vpu' has no engines 'tpu'; did you mean 'vpu'? (engines: mxu, vpu, dma; --llm-list-targets shows other targets)
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu-mxu-vpu engines=mxu:8,vpu:2,mxu:4" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --llm-target: option 'engines' has two numbers of 'mxu', expected one
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu-mxu-vpu engines=8" 2>&1 | FileCheck %s --check-prefix=GROUPS
// GROUPS: error: --llm-target: option 'engines': target 'npu-mxu-vpu' has several groups of compute engines (mxu, vpu): name those to set the number of, as in 'mxu:8'
// RUN: not llm-opt %t/empty.mlir "--llm-target=name=npu-mxu-vpu engines=mxu:8,vpu:" 2>&1 | FileCheck %s --check-prefix=NONUMBER
// NONUMBER: error: --llm-target: option 'engines' must be a whole number above 0, or such numbers by name as in 'mxu:4,vpu:2', got 'vpu:'

// The same in --llm-schedule, on a module without ops.
// RUN: not llm-opt %t/empty.mlir "--llm-schedule=engines=0" 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: error: --llm-schedule: option 'engines': {{.*}}got 0

// A machine on a module within the module would be passed over, with one on the outer module
// and without: an error there, in every pass that asks for the target. On the outer one it is right.
// RUN: llm-opt %t/empty.mlir --llm-target=name=jgs | sed 's/^module/module @inner/; s/{$/{\n  func.func @f(%%x: tensor<4xf32>) { %%0 = llm.add %%x, %%x : tensor<4xf32>, tensor<4xf32> return }/' > %t/inner.mlir
// RUN: llm-opt %t/inner.mlir --llm-tile --llm-schedule | FileCheck %s --check-prefix=OUTER
// OUTER: "jgs" =
// OUTER: llm.slots =
// RUN: sed '/^module/s/^/module {\n/; $s/$/\n}/' %t/inner.mlir > %t/nested.mlir
// RUN: not llm-opt %t/nested.mlir --llm-target 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not llm-opt %t/nested.mlir --llm-tile 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not llm-opt %t/nested.mlir --llm-target=name=jgs --llm-tile 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not llm-opt %t/nested.mlir --llm-target=name=jgs --llm-export-report 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not llm-opt %t/nested.mlir --llm-target=name=jgs 2>&1 | FileCheck %s --check-prefix=INNER
// INNER: nested.mlir:{{[0-9]+}}:1: error: a module within the module has a target of its own, but one is taken for all functions; put it on the outer module

//--- empty.mlir
module {}

//--- chip.json
{
  "name": "mychip", "description": "an example", "clock_hz": 1.2e9,
  "engines": {
    "tile": {
      "kinds": ["matrix", "vector"], "count": 3, "private_memory": "sram",
      "macs_per_cycle_per_unit": { "bf16": 2048, "i8": 4096 }
    }
  },
  "memories": {
    "sram": { "capacity_bytes": 4194304 },
    "dram": { "capacity_bytes": 8e9, "bytes_per_second": 100e9 }
  }
}

//--- typo.json
{
  "name": "mychip", "clock_hz": 1000000000,
  "engines": {
    "tile": { "kinds": ["vector"], "private_memory": "sram",
      "macs_per_cycle": { "bf16": 2048 } }
  },
  "memories": {
    "sram": { "capacity_bytes": 4194304 }, "dram": { "bytes_per_second": 100 }
  }
}

//--- cut.json
{
  "name": "mychip",
  "engines": {

//--- chips.csv
field,MyChip,Other
units (cores),8,4
clock_hz,1.5e9,1.5e9
macs_per_cycle_per_unit_16bit,1024,
peak_dense_16bit_flops,5e9,5e9
memory_bytes_per_second,4e11,2e11
last_level_cache_bytes,8388608,4194304
