// RUN: llm-opt %s --llm-export-perfetto=file=%t.json --llm-export-perfetto=file=%t.pftrace \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: %python %integration/check_trace.py %t.json %t.report.json
// RUN: %python %integration/check_pftrace.py %t.pftrace %t.json

// A schedule that breaks a rule, drawn as it is. Cycles, of 2 ns:
//
//   core[0]   a 0-10        c 12-15
//                 b 5-20
//                    d 8-30
//   core[1]   e 0-10, and in it f 2-6
//
// b overlaps a, and d both: each is on a track of its own, with its own end, in both formats. c
// overlaps no one that is on core[0], and f lies in e. Tracks are layers[0], core[0], core[1] and
// dma[0], 5 to 8, and those two.

// CHECK-DAG: "name":"a","cat":"op","pid":3,"tid":6,"ts":0.000,"dur":0.020,
// CHECK-DAG: "name":"e","cat":"op","pid":3,"tid":7,"ts":0.000,"dur":0.020,
// CHECK-DAG: "name":"f","cat":"op","pid":3,"tid":7,"ts":0.004,"dur":0.008,
// CHECK-DAG: {"ph":"M","name":"thread_name","pid":3,"tid":9,"args":{"name":"core[0] overlap 1"}}
// CHECK-DAG: {"ph":"M","name":"thread_sort_index","pid":3,"tid":9,"args":{"sort_index":9}}
// CHECK-DAG: "name":"b","cat":"op","pid":3,"tid":9,"ts":0.010,"dur":0.030,
// CHECK-DAG: {"ph":"M","name":"thread_name","pid":3,"tid":10,"args":{"name":"core[0] overlap 2"}}
// CHECK-DAG: "name":"d","cat":"op","pid":3,"tid":10,"ts":0.016,"dur":0.044,
// CHECK-DAG: "name":"c","cat":"op","pid":3,"tid":6,"ts":0.024,"dur":0.006,

#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
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
        "bytes_per_second" = 1000000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @overlap(%x: tensor<4x8xf32>) attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 30,
        lower_bound_cycles = 10, bounds = {}, roofline_cycles = 10>} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %b = llm.add "b" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 5,
        end_cycle = 20, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %c = llm.add "c" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 12,
        end_cycle = 15, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %d = llm.add "d" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 8,
        end_cycle = 30, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %e = llm.add "e" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[1], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %f = llm.add "f" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[1], start_cycle = 2,
        end_cycle = 6, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}
