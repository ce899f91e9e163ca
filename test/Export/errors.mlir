// RUN: rm -rf %t && split-file %s %t

// A function that was never scheduled.
// RUN: not llm-opt %t/schedule.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/schedule.mlir
// RUN: not llm-opt %t/schedule.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/schedule.mlir

// An op that a later pass made.
// RUN: not llm-opt %t/slots.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/slots.mlir
// RUN: not llm-opt %t/slots.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/slots.mlir

// An op without a cost: a trace can do without, a report cannot.
// RUN: not llm-opt %t/cost.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/cost.mlir

// A cost for one part and slots for two.
// RUN: not llm-opt %t/parts.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/parts.mlir
// RUN: not llm-opt %t/parts.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/parts.mlir

// A schedule for more engines than the target has.
// RUN: not llm-opt %t/engine.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/engine.mlir
// RUN: not llm-opt %t/engine.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/engine.mlir

// More lanes than the memory is cut into.
// RUN: not llm-opt %t/lanes.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/lanes.mlir
// RUN: not llm-opt %t/lanes.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/lanes.mlir

// A loop without a period in the schedule.
// RUN: not llm-opt %t/periods.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/periods.mlir
// RUN: not llm-opt %t/periods.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/periods.mlir

// A loop that was changed after it was scheduled.
// RUN: not llm-opt %t/trips.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/trips.mlir
// RUN: not llm-opt %t/trips.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/trips.mlir

// A loop that ends later than 64 bits can say.
// RUN: not llm-opt %t/late.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/late.mlir
// RUN: not llm-opt %t/late.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/late.mlir

// No target on the module.
// RUN: not llm-opt %t/target.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/target.mlir
// RUN: not llm-opt %t/target.mlir --llm-export-report=file=%t/x -o %t/out 2>&1 | FileCheck %t/target.mlir

// A clock so slow that nanoseconds leave 64 bits; cycles can still be drawn.
// RUN: not llm-opt %t/slow.mlir --llm-export-perfetto=file=%t/x -o %t/out 2>&1 | FileCheck %t/slow.mlir
// RUN: llm-opt %t/slow.mlir "--llm-export-perfetto=file=%t/y time=cycles" -o %t/out

// After all these errors no file was written.
// RUN: not ls %t/x

// A path that cannot be written: the message names the option, the path and the reason.
// RUN: not llm-opt %t/good.mlir --llm-export-perfetto=file=%t/no/such.json -o %t/out 2>&1 | FileCheck %s --check-prefix=PATH -DPASS=perfetto
// RUN: not llm-opt %t/good.mlir --llm-export-report=file=%t/no/such.json -o %t/out 2>&1 | FileCheck %s --check-prefix=PATH -DPASS=report
// PATH: error: --llm-export-[[PASS]]=file=...: cannot write '{{.*}}/no/such.json': No such file or directory

// Unknown values and options.
// RUN: not llm-opt %t/good.mlir --llm-export-perfetto=time=hours 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: error: --llm-export-perfetto: option 'time' must be ns or cycles, got 'hours'
// RUN: not llm-opt %t/good.mlir --llm-export-report=format=xml 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error: --llm-export-report: option 'format' must be auto, table, json or csv, got 'xml'
// RUN: not llm-opt %t/good.mlir --llm-export-perfetto=path=x 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: --llm-export-perfetto: there is no option 'path'

// A module without functions: a warning, no target needed, no file.
// RUN: llm-opt %t/empty.mlir --llm-export-report -o %t/out 2>&1 | FileCheck %t/empty.mlir

//--- schedule.mlir
// CHECK: schedule.mlir:{{[0-9]+}}:{{[0-9]+}}: error: function 'f' has no schedule ('llm.schedule'): run --llm-schedule first
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
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
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost, llm.slots = #slots} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- slots.mlir
// CHECK: slots.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.add' op has no slots ('llm.slots'): run --llm-schedule after the pass that made it
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
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
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {llm.schedule = #schedule} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- cost.mlir
// CHECK: cost.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.add' op has no cost ('llm.cost'): run --llm-tile first
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
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
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {llm.schedule = #schedule} {
    %a = llm.add "a" %x, %x {llm.slots = #slots} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- parts.mlir
// CHECK: parts.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.add' op has slots for 2 parts, but its cost has another number of them: run --llm-schedule again
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
#two = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {} count = 2>]>
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
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {llm.schedule = #schedule} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost, llm.slots = #two} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- engine.mlir
// CHECK: engine.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.add' op has a slot on engine 'core[2]', which target 'toy' does not have: run --llm-schedule again
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
#far = #llm.slots<[<part = 0, engine = "core"[2], start_cycle = 0, end_cycle = 10,
  lanes = {}>]>
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
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {llm.schedule = #schedule} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost, llm.slots = #far} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- lanes.mlir
// CHECK: lanes.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.add' op has a slot with 1001 lanes of 'dram', which target 'toy' does not have: run --llm-schedule again
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
#wide = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 1001}>]>
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
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {llm.schedule = #schedule} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost, llm.slots = #wide} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- periods.mlir
// CHECK: periods.mlir:{{[0-9]+}}:{{[0-9]+}}: error: function 'f' has 1 loops, but its schedule has 0 loop periods: run --llm-schedule again
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
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
  func.func @f(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 10,
        lower_bound_cycles = 10, bounds = {}, roofline_cycles = 3>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<4x8xf32>) {
      %a = llm.add "a.{}" %h, %h {llm.tile = #tile, llm.cost = #cost, llm.slots = #slots} : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %a : tensor<4x8xf32>
    }
    return %r : tensor<4x8xf32>
  }
}

//--- trips.mlir
// CHECK: trips.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'scf.for' op runs 3 times, but its period in the schedule is for 2: run --llm-schedule again
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
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
  func.func @f(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 10,
        lower_bound_cycles = 10, bounds = {}, roofline_cycles = 3,
        loops = [<start_cycle = 0, period_cycles = 10, trips = 2>]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<4x8xf32>) {
      %a = llm.add "a.{}" %h, %h {llm.tile = #tile, llm.cost = #cost, llm.slots = #slots} : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %a : tensor<4x8xf32>
    }
    return %r : tensor<4x8xf32>
  }
}

//--- late.mlir
// CHECK: late.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'scf.for' op ends after more than 2^61 cycles
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
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
  func.func @f(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> attributes {
      llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 10,
        lower_bound_cycles = 10, bounds = {}, roofline_cycles = 3,
        loops = [<start_cycle = 0, period_cycles = 1000000000000000000, trips = 3>]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<4x8xf32>) {
      %a = llm.add "a.{}" %h, %h {llm.tile = #tile, llm.cost = #cost, llm.slots = #slots} : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %a : tensor<4x8xf32>
    }
    return %r : tensor<4x8xf32>
  }
}

//--- good.mlir
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 10,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 10, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
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
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {llm.schedule = #schedule} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost, llm.slots = #slots} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- slow.mlir
// CHECK: slow.mlir:{{[0-9]+}}:{{[0-9]+}}: error: the schedule ends after more than 2^61 nanoseconds, too late for a trace: draw cycles, --llm-export-perfetto=time=cycles
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {alu = 32},
  traffic = {dram = {lhs = 128, rhs = 128, out = 128}}, working_set_bytes = 384,
  overhead_cycles = 0, serial_cycles = 0, compute_cycles = 10, memory_cycles = 2,
  bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 3000000000,
  lanes = {dram = 192}>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 3000000000, lower_bound_cycles = 10,
  bounds = {}, roofline_cycles = 3>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "toy" = #dlti.target_device_spec<
      "clock_hz" = 1 : i64,
      "engines" = #dlti.map<
        "core" = #dlti.map<"kinds" = ["matrix", "vector"], "count" = 2 : i64,
          "units" = 1 : i64, "macs_per_cycle_per_unit" = #dlti.map<"f32" = 9 : i64>,
          "overhead_cycles" = 0 : i64>,
        "dma" = #dlti.map<"kinds" = ["memory"], "count" = 1 : i64, "units" = 1 : i64,
          "overhead_cycles" = 0 : i64>>,
      "memories" = #dlti.map<"dram" = #dlti.map<
        "bytes_per_second" = 100000000000 : i64, "lanes" = 1000 : i64>>>>} {
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {llm.schedule = #schedule} {
    %a = llm.add "a" %x, %x {llm.tile = #tile, llm.cost = #cost, llm.slots = #slots} : tensor<4x8xf32>, tensor<4x8xf32>
    return %a : tensor<4x8xf32>
  }
}

//--- target.mlir
// CHECK: target.mlir:{{[0-9]+}}:{{[0-9]+}}: error: the module has no target: no 'dlti.target_system_spec'; run --llm-target first
module {
  func.func @f() attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 0,
      lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>} {
    return
  }
}

//--- empty.mlir
// CHECK: warning: the module has no function with a body: there is nothing to report
module {}
