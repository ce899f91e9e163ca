// Small schedules, by hand.
// RUN: rm -rf %t && split-file %s %t

// A port that takes the full rate: the two ops stream 960 bytes each at 1 byte per cycle.
// On two engines they take as long as one after the other: 1920 cycles, each with all lanes.
// RUN: llm-opt %t/two.mlir --llm-target=file=%t/full.json --llm-tile --llm-schedule=policy=earliest --llm-verify-schedule \
// RUN:   | %one-line | FileCheck %s --check-prefix=FULL
// RUN: llm-opt %t/two.mlir "--llm-target=file=%t/full.json engines=1" --llm-tile --llm-schedule=policy=earliest \
// RUN:   | %one-line | FileCheck %s --check-prefix=ONE
// FULL: makespan_cycles = 1920, lower_bound_cycles = 1920, bounds = {bytes_dram = 1920,
// FULL-SAME: roofline_cycles = 1920
// FULL: "a" {{.*}}start_cycle = 0, end_cycle = 960, lanes = {dram = 1024}
// FULL: "b" {{.*}}start_cycle = 960, end_cycle = 1920, lanes = {dram = 1024}
// ONE: makespan_cycles = 1920,

// Half the rate per port: each takes 1920 cycles in half the lanes, both at the same time:
// 1920 again. On one engine 3840, and no engine waits for lanes.
// RUN: llm-opt %t/two.mlir --llm-target=file=%t/half.json --llm-tile --llm-schedule=policy=earliest --llm-verify-schedule \
// RUN:   | %one-line | FileCheck %s --check-prefix=HALF
// RUN: llm-opt %t/two.mlir "--llm-target=file=%t/half.json engines=1" --llm-tile --llm-schedule=policy=earliest \
// RUN:   | %one-line | FileCheck %s --check-prefix=HALFONE
// HALF: makespan_cycles = 1920, lower_bound_cycles = 1920
// HALF: "a" {{.*}}engine = "core"[0], start_cycle = 0, end_cycle = 1920, lanes = {dram = 512}
// HALF: "b" {{.*}}engine = "core"[1], start_cycle = 0, end_cycle = 1920, lanes = {dram = 512}
// HALFONE: makespan_cycles = 3840,
// HALFONE: "a" {{.*}}engine = "core"[0], start_cycle = 0, end_cycle = 1920, lanes = {dram = 512}
// HALFONE: "b" {{.*}}engine = "core"[0], start_cycle = 1920, end_cycle = 3840

// Dependences go through views: a slice of "a" is read by "c" only, so that "b" may start
// with "a" and "c" may not.
// RUN: llm-opt %t/views.mlir --llm-target=file=%t/half.json --llm-tile --llm-schedule=policy=earliest --llm-verify-schedule \
// RUN:   | %one-line | FileCheck %s --check-prefix=VIEWS
// VIEWS: "a" {{.*}}start_cycle = 0, end_cycle = 192
// VIEWS: "b" {{.*}}start_cycle = 0, end_cycle = 192
// VIEWS: "c" {{.*}}start_cycle = 192, end_cycle = 288

// Loops: before, within and after are one stretch each, and a boundary is a barrier even
// where nothing depends. An add of 8 x 4 values of 2 bytes moves 192 bytes: 192 cycles in
// one of two full ports, 384 for two of them: the body. 192 + 5 x 384 + 192 = 2304. Inside,
// cycles count from the start of the iteration; names are those of the loop's index.
// RUN: llm-opt %t/loop.mlir --llm-target=file=%t/full.json --llm-tile --llm-schedule=policy=earliest --llm-verify-schedule \
// RUN:   | %one-line | FileCheck %s --check-prefix=LOOP
// LOOP: makespan_cycles = 2304, {{.*}}loops = [<start_cycle = 192, period_cycles = 384, trips = 5>]
// LOOP: "before" {{.*}}start_cycle = 0, end_cycle = 192
// LOOP: "first.{}" {{.*}}start_cycle = 0, end_cycle = 192
// LOOP: "second.{}" {{.*}}start_cycle = 192, end_cycle = 384
// LOOP: "after" {{.*}}start_cycle = 2112, end_cycle = 2304

// A loop in a loop, and an empty one: 3 x (192 + 2 x 192) = 1728.
// RUN: llm-opt %t/nested.mlir --llm-target=file=%t/full.json --llm-tile --llm-schedule=policy=earliest --llm-verify-schedule \
// RUN:   | %one-line | FileCheck %s --check-prefix=NESTED
// NESTED: makespan_cycles = 1728, {{.*}}loops = [<start_cycle = 0, period_cycles = 576, trips = 3>, <start_cycle = 192, period_cycles = 192, trips = 2>, <start_cycle = 1728, period_cycles = 0, trips = 7>]

// A function without ops takes no time, a declaration has no schedule.
// RUN: llm-opt %t/empty.mlir --llm-tile --llm-schedule --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=EMPTY
// EMPTY: func.func private @declared()
// EMPTY-NOT: llm.schedule
// EMPTY: func.func @nothing() attributes {llm.schedule = #llm.schedule<policy = "list", makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, roofline_cycles = 0>}

// Two groups have the kinds, at 1000 and 1 mac per cycle: the cost is for the first, and so
// both products of 10^6 macs run there, one after the other, while the other group is idle.
// The peak of both is 1001 macs per cycle: ceil(2 x 10^6 / 1001) = 1999.
// RUN: llm-opt %t/groups.mlir --llm-target=file=%t/groups.json --llm-tile --llm-schedule --llm-verify-schedule \
// RUN:   | %one-line | tee %t/scheduled.mlir | FileCheck %s --check-prefix=GROUPS
// GROUPS: makespan_cycles = 2000, lower_bound_cycles = 2000, bounds = {{{.*}}work_fast = 2000}, roofline_cycles = 1999
// GROUPS: "a" {{.*}}engine = "fast"[0], start_cycle = 0, end_cycle = 1000
// GROUPS: "b" {{.*}}engine = "fast"[0], start_cycle = 1000, end_cycle = 2000
// RUN: sed '/"b"/s/slots<\[<part = 0, engine = "fast"/slots<[<part = 0, engine = "slow"/' %t/scheduled.mlir > %t/moved.mlir
// RUN: not llm-opt %t/moved.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=MOVED
// MOVED: error: 'llm.matmul' op S4: 'b' is on slow[0], but its cycles are those of 'fast'

// Engines of one kind each: matmuls go to one, elementwise work to the other; fused
// attention takes both at once.
// RUN: llm-opt %t/kinds.mlir --llm-target=file=%t/split.json --llm-decompose-attention --llm-tile --llm-schedule=policy=earliest \
// RUN:   --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=KINDS
// KINDS: llm.matmul {{.*}}slots<[<part = 0, engine = "matrix"[0],
// KINDS: llm.add {{.*}}slots<[<part = 0, engine = "vector"[0],
// RUN: llm-opt %t/attention.mlir --llm-target=file=%t/split.json --llm-tile --llm-schedule --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=FUSED
// FUSED: llm.gqa_attn {{.*}}cost<engine = "matrix" with = [vector], {{.*}}slots<[<part = 0, engine = "matrix"[0] with = {vector = 0}, start_cycle = 0,

//--- two.mlir
func.func @two(%x: tensor<16x10xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<16x10xbf16>, tensor<16x10xbf16>
  %1 = llm.add "b" %x, %x : tensor<16x10xbf16>, tensor<16x10xbf16>
  return
}

//--- views.mlir
func.func @views(%x: tensor<4x4xbf16>, %y: tensor<2x4xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.add "b" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = tensor.extract_slice %0[0, 0] [2, 4] [1, 1] : tensor<4x4xbf16> to tensor<2x4xbf16>
  %3 = llm.add "c" %2, %y : tensor<2x4xbf16>, tensor<2x4xbf16>
  return
}

//--- loop.mlir
func.func @loop(%x: tensor<8x4xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = llm.add "before" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> tensor<8x4xbf16> {
    %1 = llm.add "first.{}" %a, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    %2 = llm.add "second.{}" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    scf.yield %2 : tensor<8x4xbf16>
  }
  %3 = llm.add "after" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
  return
}

//--- nested.mlir
func.func @nested(%x: tensor<8x4xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %0 = llm.add "outer" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    scf.for %j = %c0 to %c2 step %c1 {
      %1 = llm.add "inner" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    }
  }
  scf.for %i = %c0 to %c7 step %c1 {
  }
  return
}

//--- empty.mlir
func.func private @declared()
func.func @nothing() { return }

//--- groups.mlir
func.func @groups(%x: tensor<100x100xbf16>) {
  %0 = llm.matmul "a" %x, %x : tensor<100x100xbf16>, tensor<100x100xbf16>
  %1 = llm.matmul "b" %x, %x : tensor<100x100xbf16>, tensor<100x100xbf16>
  return
}

//--- groups.json
{
  "name": "groups", "clock_hz": 1000000000,
  "engines": {
    "fast": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "macs_per_cycle_per_unit": { "bf16": 1000 } },
    "slow": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "macs_per_cycle_per_unit": { "bf16": 1 } }
  },
  "memories": { "dram": { "bytes_per_second": 1000000000000 } }
}

//--- kinds.mlir
func.func @kinds(%x: tensor<4x4xbf16>) {
  %0 = llm.matmul "m" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.add "a" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

//--- attention.mlir
func.func @attention(%q: tensor<1x4x2x8xbf16>) {
  %0 = llm.gqa_attn "attn" %q, %q, %q mask causal scale 1.0
    : tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>
  return
}

//--- full.json
{
  "name": "full", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "count": 2, "private_memory": "sram",
                         "macs_per_cycle_per_unit": { "bf16": 64 } } },
  "memories": { "sram": { "capacity_bytes": 4096 }, "dram": { "bytes_per_second": 1000 } }
}

//--- half.json
{
  "name": "half", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "count": 2, "private_memory": "sram",
                         "macs_per_cycle_per_unit": { "bf16": 64 },
                         "port_bytes_per_second": { "dram": 500 } } },
  "memories": { "sram": { "capacity_bytes": 4096 }, "dram": { "bytes_per_second": 1000 } }
}

//--- split.json
{
  "name": "split", "clock_hz": 1000,
  "engines": {
    "matrix": { "kinds": ["matrix"], "private_memory": "sram",
                "macs_per_cycle_per_unit": { "bf16": 64 } },
    "vector": { "kinds": ["vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "compare_per_cycle_per_unit": 1000000, "private_memory": "sram" }
  },
  "memories": { "sram": { "capacity_bytes": 4096 }, "dram": { "bytes_per_second": 1000 } }
}
