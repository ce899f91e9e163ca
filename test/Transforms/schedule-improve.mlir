// Schedules that are improved, by hand.
// RUN: rm -rf %t && split-file %s %t

// An add of n values of 2 bytes moves 6 n bytes, at half a byte per cycle through the port
// of an engine: 360 cycles for 30 values, 240 for 20. Two of 360 and three of 240 cycles on
// two engines take 840 when the longest come first, and 720 when the equal ones share an
// engine, with not one cycle idle.
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op" \
// RUN:   | %one-line | FileCheck %s --check-prefix=LIST
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op improve=1000" \
// RUN:   --llm-verify-schedule | %one-line | tee %t/improved.mlir | FileCheck %s --check-prefix=IMPROVED
// LIST: policy = "list", makespan_cycles = 840, lower_bound_cycles = 720
// IMPROVED: policy = "list, improved 1000", makespan_cycles = 720, lower_bound_cycles = 720

// The same again, byte by byte, with nothing on standard error, which is no terminal here.
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op improve=1000 seed=1" \
// RUN:   -o %t/again.mlir 2>&1 | count 0
// RUN: %one-line < %t/again.mlir | cmp - %t/improved.mlir
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op improve=1000 seed=4294967295" \
// RUN:   --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=IMPROVED

// By the clock, which ends early at the lower bound, and says that it is no promise.
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op improve=600.5s" \
// RUN:   --remarks-filter-analyse=llm-schedule --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SECONDS
// SECONDS: five.mlir:1:{{.*}} remark: [Analysis] not-reproducible {{.*}}the search for the schedule of 'five' ended at a point in time: another run may give another schedule
// SECONDS: policy = "list, improved 600.5s", makespan_cycles = 720

// Two stretches of five ops share the evaluations: 4 iterations of 720 cycles, and 720
// behind them. Of one evaluation the first one has none.
// RUN: llm-opt %t/loop.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op improve=2000" \
// RUN:   --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=LOOP
// RUN: llm-opt %t/loop.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op improve=1" \
// RUN:   --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=ONE
// LOOP: policy = "list, improved 2000", makespan_cycles = 3600,
// LOOP-SAME: loops = [<start_cycle = 0, period_cycles = 720, trips = 4>]
// ONE: policy = "list, improved 1", makespan_cycles = {{[0-9]+}},
// ONE-SAME: loops = [<start_cycle = 0, period_cycles = 840, trips = 4>]

// RUN: not llm-opt %t/five.mlir --llm-tile --llm-schedule=improve=fast 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: not llm-opt %t/five.mlir --llm-tile --llm-schedule=improve=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not llm-opt %t/five.mlir --llm-tile --llm-schedule=improve=-2s 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not llm-opt %t/five.mlir --llm-tile --llm-schedule=improve=infs 2>&1 | FileCheck %s --check-prefix=INFINITE
// RUN: not llm-opt %t/five.mlir --llm-tile --llm-schedule=improve=99999999999999999999 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not llm-opt %t/five.mlir --llm-tile "--llm-schedule=improve=10 policy=exact" 2>&1 | FileCheck %s --check-prefix=EXACT
// FAST: five.mlir: error: --llm-schedule: option 'improve' must be a number of evaluations or of seconds above 0, such as '1000' or '10s', got 'fast'
// ZERO: error: --llm-schedule: option 'improve' must be {{.*}}, got '0'
// NEGATIVE: error: --llm-schedule: option 'improve' must be {{.*}}, got '-2s'
// INFINITE: error: --llm-schedule: option 'improve' must be {{.*}}, got 'infs'
// HUGE: error: --llm-schedule: option 'improve' must be {{.*}}, got '99999999999999999999'
// EXACT: error: --llm-schedule: option 'improve' starts from policy=list, got policy=exact

//--- five.mlir
func.func @five(%x: tensor<3x10xbf16>, %y: tensor<2x10xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
  %1 = llm.add "b" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
  %2 = llm.add "c" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  %3 = llm.add "d" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  %4 = llm.add "e" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  return
}

//--- loop.mlir
func.func @loop(%x: tensor<3x10xbf16>, %y: tensor<2x10xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = llm.add "a.{}" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
    %1 = llm.add "b.{}" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
    %2 = llm.add "c.{}" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
    %3 = llm.add "d.{}" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
    %4 = llm.add "e.{}" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  }
  %0 = llm.add "a" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
  %1 = llm.add "b" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
  %2 = llm.add "c" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  %3 = llm.add "d" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  %4 = llm.add "e" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  return
}

//--- half.json
{
  "name": "half", "clock_hz": 1e9,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "count": 2, "private_memory": "sram",
                         "macs_per_cycle_per_unit": { "bf16": 64 },
                         "port_bytes_per_second": { "dram": 500e6 } } },
  "memories": { "sram": { "capacity_bytes": 4096 }, "dram": { "bytes_per_second": 1e9 } }
}
