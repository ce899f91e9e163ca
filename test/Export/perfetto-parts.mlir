// RUN: llm-opt %s "--llm-export-perfetto=file=%t.json" \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: %python %integration/check_trace.py %t.json %t.report.json

// An op in parts has one slice for each, with the cost of that part: "a" is two equal parts
// on the two cores, "b" one of 20 and one of 15 cycles, and "c" is whole. Each slice gets
// one arrow from each op that it waits for, from the part that ends last (of equals the
// first): a[0] to both of b, b[0] to c. The weight of b[0] is fetched ahead on the DMA
// queue, which gives a slice and an arrow of its own. Events come in the order of time; tracks
// are layers[0], core[0], core[1] and dma[0], 5 to 8.

// CHECK:      "name":"a","cat":"op","pid":3,"tid":6,{{.*}}"part":0,
// CHECK-NEXT: {"ph":"s","name":"dependence","cat":"dependence","id":1,"pid":3,"tid":6,
// CHECK-NEXT: {"ph":"s","name":"dependence","cat":"dependence","id":2,"pid":3,"tid":6,
// CHECK-NEXT: "name":"a","cat":"op","pid":3,"tid":7,{{.*}}"part":1,
// CHECK-NEXT: "name":"prefetch rhs of b","cat":"prefetch","pid":4,"tid":8,{{.*}}"prefetch":"rhs","bytes":{"dram":256}}
// CHECK-NEXT: {"ph":"s","name":"prefetch","cat":"prefetch","id":1,"pid":4,"tid":8,
// CHECK:      "name":"b",{{.*}}"tid":6,{{.*}}"work":{"mac":192},"bytes":{"dram":448},{{.*}}"fetched_bytes":{"dram":256},
// CHECK-NEXT: {"ph":"f","name":"dependence","cat":"dependence","bp":"e","id":1,"pid":3,"tid":6,
// CHECK-NEXT: {"ph":"f","name":"prefetch","cat":"prefetch","bp":"e","id":1,"pid":3,"tid":6,
// CHECK-NEXT: {"ph":"s","name":"dependence","cat":"dependence","id":3,"pid":3,"tid":6,
// CHECK-NEXT: "name":"b",{{.*}}"tid":7,{{.*}}"work":{"mac":64},"bytes":{"dram":320}
// CHECK-NEXT: {"ph":"f","name":"dependence","cat":"dependence","bp":"e","id":2,"pid":3,"tid":7,
// CHECK:      "name":"c",

// The report sums over parts (192 + 64 MACs, 20 + 15 cycles) and lists the fetch with its
// slot; the table says where the parts are.
// RUN: FileCheck %s --check-prefix=REPORT < %t.report.json
// REPORT:      "name": "b",
// REPORT:      "macs": 256,
// REPORT:      "cycles": 35,
// REPORT-NEXT: "scheduled_cycles": 35,
// REPORT:      "engine": "dma[0]",
// REPORT-NEXT: "start_cycle": 0,
// REPORT-NEXT: "end_cycle": 8,
// REPORT:      "buffer": "rhs"
// RUN: llm-opt %s --llm-export-report=file=- -o %t.mlir | FileCheck %s --check-prefix=TABLE
// TABLE:      {{^}}a 1 core[0..1] 0.020 0.040
// TABLE-NEXT: {{^}}b 1 core[0..1] 0.040 0.070

#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#a = #llm.cost<engine = "core", parts = [<count = 2, work = {alu = 16},
  traffic = {dram = {lhs = 64, rhs = 64, out = 64}}, working_set_bytes = 192,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 1,
  bound = compute>], stamp = "by hand">
#b = #llm.cost<engine = "core", parts = [<count = 1, work = {mac = 192},
  traffic = {dram = {lhs = 96, rhs = 256, out = 96}}, working_set_bytes = 448,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 20, memory_cycles = 3,
  bound = compute>, <count = 1, work = {mac = 64},
  traffic = {dram = {lhs = 32, rhs = 256, out = 32}}, working_set_bytes = 320,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 15, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
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
  func.func @parts(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 40,
        lower_bound_cycles = 40, bounds = {}, roofline_cycles = 40>} {
    %w = llm.weight "b.weight" : tensor<8x8xf32>
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #a,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 96} count = 2 index_stride = 1>]>}
      : tensor<4x8xf32>, tensor<4x8xf32>
    %b = llm.matmul "b" %a, %w {llm.tile = #tile, llm.cost = #b,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 10,
        end_cycle = 30, lanes = {dram = 48} prefetches = [<"rhs", engine = "dma"[0],
          start_cycle = 0, end_cycle = 8, lanes = {dram = 160}>]>,
        <part = 1, engine = "core"[1], start_cycle = 10, end_cycle = 25,
          lanes = {dram = 107}>]>} : tensor<4x8xf32>, tensor<8x8xf32>
    %c = llm.add "c" %b, %b {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[1], start_cycle = 30,
        end_cycle = 40, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %c : tensor<4x8xf32>
  }
}
