// RUN: llm-opt %s "--llm-export-perfetto=file=%t.json" \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir
// RUN: %python %integration/check_trace.py %t.json %t.report.json
// RUN: grep -e '"cat":"layer"' -e 'layers\[' %t.json | FileCheck %s

// Layers that overlap, and a loop whose body has two lanes, in cycles of 2 ns:
//
//   h.0  0-30 (a on core[0] 0-10, b on core[0] 20-30)
//   h.1  10-20, within h.0: the second lane
//   x    0-10, in no layer: the second lane up to then
//   h.2  30-40: the first lane again
//   in the loop, from 40 on, 20 each time: h.3 and h.5 0-20, h.4 and h.6 10-20
//   y    80-90
//
// h.4 is 20 ns long: in doubles 0.1 + 0.02 is more than 0.12, and 0.12 - 0.1 is 0.01999999999999999.
//
// CHECK:      "pid":2,"tid":4,"args":{"name":"layers[0]"}
// CHECK:      "pid":2,"tid":5,"args":{"name":"layers[1]"}
// CHECK-NOT:  layers[2]
// CHECK:      "name":"model.h.0","cat":"layer","pid":2,"tid":4,"ts":0.000,"dur":0.060,"args":{"start_cycle":0,"end_cycle":30,"ops":2}
// CHECK-NEXT: "name":"x","cat":"layer","pid":2,"tid":5,"ts":0.000,"dur":0.020,
// CHECK-NEXT: "name":"model.h.1","cat":"layer","pid":2,"tid":5,"ts":0.020,"dur":0.020,
// CHECK-NEXT: "name":"model.h.2","cat":"layer","pid":2,"tid":4,"ts":0.060,"dur":0.020,
// CHECK-NEXT: "name":"model.h.3","cat":"layer","pid":2,"tid":4,"ts":0.080,"dur":0.040,"args":{"iteration":[0],"start_cycle":40,"end_cycle":60,"ops":1}
// CHECK-NEXT: "name":"model.h.4","cat":"layer","pid":2,"tid":5,"ts":0.100,"dur":0.019999999999999,
// CHECK-NEXT: "name":"model.h.5","cat":"layer","pid":2,"tid":4,"ts":0.120,"dur":0.040,"args":{"iteration":[1],
// CHECK-NEXT: "name":"model.h.6","cat":"layer","pid":2,"tid":5,"ts":0.140,"dur":0.020,
// CHECK-NEXT: "name":"y","cat":"layer","pid":2,"tid":4,"ts":0.160,"dur":0.020,

#tile = #llm.tile<pinned>
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @layers(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 90,
        lower_bound_cycles = 90, bounds = {}, roofline_cycles = 90,
        loops = [<start_cycle = 40, period_cycles = 20, trips = 2>]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %a = llm.add "model.h.0.a" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %b = llm.add "model.h.0.b" %a, %a {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 20,
        end_cycle = 30, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %y = llm.add "x" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[1], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %c = llm.add "model.h.1.a" %a, %a {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[1], start_cycle = 10,
        end_cycle = 20, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %d = llm.add "model.h.2.a" %b, %c {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 30,
        end_cycle = 40, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %e = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %d) -> (tensor<4x8xf32>) {
      %p = llm.add "model.h.{3,5..5}.a" %h, %h {llm.tile = #tile, llm.cost = #cost,
        llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
          end_cycle = 20, lanes = {dram = 96}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
      %q = llm.add "model.h.{4,6..6}.a" %h, %h {llm.tile = #tile, llm.cost = #cost,
        llm.slots = #llm.slots<[<part = 0, engine = "core"[1], start_cycle = 10,
          end_cycle = 20, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %p : tensor<4x8xf32>
    }
    %f = llm.add "y" %e, %e {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 80,
        end_cycle = 90, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %f : tensor<4x8xf32>
  }
}
