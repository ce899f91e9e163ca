// RUN: llm-opt %s "--llm-export-perfetto=file=%t.json" --llm-export-perfetto=file=%t.pftrace \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARNING
// RUN: FileCheck %s < %t.json
// RUN: %python %integration/check_trace.py %t.json %t.report.json
// RUN: %python %integration/check_pftrace.py %t.pftrace %t.json

// At 2.5 GHz a cycle is 0.4 ns: slices of one cycle start at 0, 0.4, 0.8 and 1.2 ns, which
// round to 0, 0, 1 and 1, and the last ends at 1.6, so 2. Two of the four have no length;
// all keep their arrows, which the checker binds as a viewer does, and a warning says so.
// WARNING: warning: 2 slices of the trace are shorter than a nanosecond and have no width. To see them

// As complete events b and d would come before a and c, which lie where they start, and lose their
// arrows to them. So they begin, behind the arrows of what comes first, and end.
// CHECK:      {"ph":"X","name":"a",{{.*}}"ts":0.000,"dur":0.000,
// CHECK:      {"ph":"B","name":"b","cat":"op","pid":3,"tid":6,"ts":0.000,"args":{"op":"llm.add",
// CHECK-NEXT: {"ph":"f",{{.*}}"ts":0.000}
// CHECK-NEXT: {"ph":"s",{{.*}}"ts":0.000}
// CHECK:      {"ph":"E","name":"b","cat":"op","pid":3,"tid":6,"ts":0.001}
// CHECK:      {"ph":"X","name":"c",{{.*}}"ts":0.001,"dur":0.000,
// CHECK:      {"ph":"B","name":"d",{{.*}}"ts":0.001,"args":
// CHECK-NEXT: {"ph":"f",{{.*}}"ts":0.001}
// CHECK-NEXT: {"ph":"E","name":"d","cat":"op","pid":3,"tid":6,"ts":0.002}

// With `time=cycles` each cycle is drawn as 1 ns, and nothing collapses.
// RUN: llm-opt %s "--llm-export-perfetto=file=%t.cycles.json time=cycles" -o %t.mlir
// RUN: FileCheck %s --check-prefix=CYCLES < %t.cycles.json
// RUN: %python %integration/check_trace.py %t.cycles.json %t.report.json --time cycles
// CYCLES: "time":"cycles"
// CYCLES: "name":"d",{{.*}}"ts":0.003,"dur":0.001,

#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 2500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>,
        "dma" = #dlti.map<"kinds" = ["memory"], "count" = 1 : i64, "units" = 1 : i64,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @short(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 4,
        lower_bound_cycles = 4, bounds = {}, roofline_cycles = 4>} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 1, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %b = llm.add "b" %a, %a {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 1,
        end_cycle = 2, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %c = llm.add "c" %b, %b {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 2,
        end_cycle = 3, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %d = llm.add "d" %c, %c {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 3,
        end_cycle = 4, lanes = {dram = 0}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %d : tensor<4x8xf32>
  }
}
