// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: llm-opt %s --llm-export-report=file=table.txt "--llm-export-report=file=r.csv format=csv" \
// RUN:   "--llm-export-report=file=r.json format=json" --llm-export-perfetto=file=t.json -o out.mlir

// The common prefix goes, in each part of a fused name; what is not printable ASCII is
// escaped, and a long name loses its middle. Large numbers take larger units, and those take
// less room beside a long name: 2 x 10^9 cycles of 2 ns are 4 s; 10^15 operations in them are 250 TFLOP/s;
// 3 x 10^12 bytes are 750 GB/s.
// RUN: FileCheck %s --check-prefix=TABLE < table.txt
// TABLE:      {{^}}makespan 6,000,000,000 cycles 12,000.000 ms{{$}}
// TABLE:      Names without "model.layers.0.".
// TABLE:      {{^}}op count engine time share compute dram limit bound
// TABLE-NEXT: s % TFLOP/s GB/s %
// TABLE:      {{^}}q_proj+k_proj 1 core[0] 4.000 33.3 ##- 250.0 750.0 750.0 memory
// TABLE-NEXT: {{^}}a,"b"\0A\CE\B2 1 core[0] 4.000
// TABLE-NEXT: {{^}}xxx{{x+\.\.x+}} 1 core[0] 4.000
// TABLE:      {{^}}total 12.000 100.0 ######## 250.0 750.0

// The page has 100 columns.
// RUN: not grep -E "^.{101,}" table.txt

// CSV quotes what it must; a doubled quote stands for one.
// RUN: FileCheck %s --check-prefix=CSV < r.csv
// CSV: {{^}}names,toy,500000000,model.layers.0.q_proj+model.layers.0.k_proj,llm.add,model.layers.0,model.layers.0,4x8xf32 4x8xf32,4x8xf32,1,
// CSV: {{^}}names,toy,500000000,"model.layers.0.a,""b""
// CSV-NEXT: {{.+}}",llm.add,{{.*}},core[0],2000000000,

// Both JSON files hold the names as they are.
// RUN: %python %integration/check_trace.py t.json r.json | FileCheck %s --check-prefix=OK
// OK: ok: 3 slices, 2 arrows

#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {mac = 500000000000000},
  traffic = {dram = {lhs = 1000000000000, rhs = 1000000000000, out = 1000000000000}},
  working_set_bytes = 384, overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10,
  memory_cycles = 2000000000, bound = memory>], stamp = "by hand">
#tile = #llm.tile<pinned>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>,
        "dma" = #dlti.map<"kinds" = ["memory"], "count" = 1 : i64, "units" = 1 : i64,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @names(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 6000000000,
        lower_bound_cycles = 6000000000, bounds = {}, roofline_cycles = 6000000000>} {
    %a = llm.add "model.layers.0.q_proj+model.layers.0.k_proj"
      %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 2000000000, lanes = {dram = 750}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %b = llm.add "model.layers.0.a,\22b\22\0A\CE\B2"
      %a, %a {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 2000000000,
        end_cycle = 4000000000, lanes = {dram = 750}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %c = llm.add "model.layers.0.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      %b, %b {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 4000000000,
        end_cycle = 6000000000, lanes = {dram = 750}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %c : tensor<4x8xf32>
  }
}
