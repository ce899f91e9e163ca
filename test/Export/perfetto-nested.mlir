// RUN: llm-opt %s "--llm-export-perfetto=file=%t.json" \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: %python %integration/check_trace.py %t.json %t.report.json

// A loop in a loop: "outer" waits for what the inner loop gave last, "inner" for "outer" when
// its loop is entered and then for itself. A name shows the index of the innermost loop,
// which goes 10, 11 each time. By hand:
//
//   first 0-10; outer 10-20 and 60-70; inner 20-40, 40-60 and 70-90, 90-110; last 110-120
//
// in cycles of 2 ns; 1 + 1 + 2 + 2 + 1 = 7 arrows.

// CHECK-COUNT-7: {{^}}{"ph":"f"
// CHECK-NOT:     {{^}}{"ph":"f"

// The second time in the inner loop: cycle 70 is 140 ns. 40 ns from there:
// in doubles 0.14 + 0.04 is more than 0.18.
// RUN: FileCheck %s --check-prefix=SECOND < %t.json
// SECOND:      "name":"outer.1",{{.*}}"ts":0.120,"dur":0.020,{{.*}}"depends_on":["inner.11"]
// SECOND:      "name":"inner.10",{{.*}}"ts":0.140,"dur":0.039999999999999,{{.*}}"iteration":[1,0],{{.*}}"depends_on":["outer.1"]
// SECOND:      "name":"inner.11",{{.*}}"ts":0.180,"dur":0.040,{{.*}}"iteration":[1,1],{{.*}}"depends_on":["inner.10"]
// SECOND:      "name":"last",{{.*}}"ts":0.220,"dur":0.020,{{.*}}"depends_on":["inner.11"]

// A layer around the loops lies in a lane of its own beside what is within, and ends when it ends.
// RUN: sed -e 's/"first"/"h.0.first"/' -e 's/"last"/"h.0.last"/' %s > %t.around.mlir
// RUN: llm-opt %t.around.mlir "--llm-export-perfetto=file=%t.around.json" "--llm-export-perfetto=file=%t.around.pftrace format=pftrace" \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir
// RUN: %python %integration/check_trace.py %t.around.json %t.report.json
// RUN: %python %integration/check_pftrace.py %t.around.pftrace %t.around.json
// RUN: grep '"cat":"layer"' %t.around.json | FileCheck %s --check-prefix=AROUND
// AROUND:      "name":"h.0","cat":"layer","pid":2,"tid":[[#LANE:]],"ts":0.000,"dur":0.240,"args":{"start_cycle":0,"end_cycle":120,"ops":2}
// AROUND-NEXT: "name":"outer.0","cat":"layer","pid":2,"tid":[[#LANE+1]],"ts":0.020,"dur":0.020,
// AROUND-NEXT: "name":"inner.10","cat":"layer","pid":2,"tid":[[#LANE+1]],"ts":0.040,"dur":0.040,

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
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @nested(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 120,
        lower_bound_cycles = 120, bounds = {}, roofline_cycles = 120,
        loops = [<start_cycle = 10, period_cycles = 50, trips = 2>,
                 <start_cycle = 10, period_cycles = 20, trips = 2>]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c10 = arith.constant 10 : index
    %c12 = arith.constant 12 : index
    %a = llm.add "first" %x, %x {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    %b = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %a) -> (tensor<4x8xf32>) {
      %o = llm.add "outer.{}" %h, %h {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 10, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
      %p = scf.for %j = %c10 to %c12 step %c1 iter_args(%g = %o) -> (tensor<4x8xf32>) {
        %q = llm.add "inner.{}" %g, %g {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0,
        end_cycle = 20, lanes = {dram = 96}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
        scf.yield %q : tensor<4x8xf32>
      }
      scf.yield %p : tensor<4x8xf32>
    }
    %c = llm.add "last" %b, %b {llm.tile = #tile, llm.cost = #cost,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 110,
        end_cycle = 120, lanes = {dram = 192}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %c : tensor<4x8xf32>
  }
}
