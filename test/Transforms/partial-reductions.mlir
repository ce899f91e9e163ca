// Reductions cut for several engines: each part writes partial results, a last one joins them.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/costs.mlir --llm-target=file=%t/toy.json --llm-cost --llm-verify-cost --verify-roundtrip | %one-line > %t/costed.mlir
// RUN: FileCheck %t/costs.mlir < %t/costed.mlir

// Both parts run at once, the joining one behind them: 5 + 96 and 5 + 168 cycles. One that starts
// a cycle early breaks S5, for the verifier and for queues.
// RUN: llm-opt %t/costed.mlir --llm-schedule --llm-verify-schedule | %one-line > %t/scheduled.mlir
// RUN: FileCheck %s --check-prefix=SLOTS < %t/scheduled.mlir
// SLOTS-LABEL: func.func @product
// SLOTS-SAME: makespan_cycles = 274
// SLOTS: llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 101, lanes = {dram = 512} count = 2 index_stride = 1>, <part = 2, engine = "core"[0], start_cycle = 101, end_cycle = 274, lanes = {dram = 512}>]>
// RUN: sed 's/<part = 2, engine = "core"\[0\], start_cycle = 101, end_cycle = 274/<part = 2, engine = "core"[0], start_cycle = 100, end_cycle = 273/' %t/scheduled.mlir > %t/early.mlir
// RUN: not llm-opt %t/early.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'llm.matmul' op S5: part 2 of 'k_proj' joins the results of the others and starts at cycle 100, expected not before the end of part 0 of 'k_proj' at cycle 101

// Reports and queues say which part joins the others; it has no box, and waits for them.
// RUN: cd %t && llm-opt scheduled.mlir "--llm-export-report=format=json file=-" -o /dev/null | FileCheck %s --check-prefix=REPORT
// REPORT: "last_part_combines": true
// RUN: llm-opt scheduled.mlir --llm-export-queues "--llm-export-report=format=json file=r.json" -o out.mlir
// RUN: FileCheck %s --check-prefix=QUEUES < queues.json
// QUEUES: {"name":"k_proj","op":"llm.matmul","parts":3,"last_part_combines":true,
// QUEUES: {"op":0,"part":0,"box":{"k":[0,2]},
// QUEUES: {"op":0,"part":2,"start_cycle":101,{{.*}}"waits_for":[{"op":0,"count":2}]}
// QUEUES: {"op":0,"part":1,"box":{"k":[2,4]},

// It stays one op: no loop has its last part.
// RUN: llm-opt scheduled.mlir --llm-materialize-tiles --remarks-filter=llm-materialize-tiles --remark-format=emitRemark -o loops.mlir 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: 'k_proj' stays whole: its parts are joined by one more, which no loop over them has
// RUN: not grep scf.forall loops.mlir

// tile-C11: an engine without the kind vector adds nothing up.
// RUN: llm-opt matrix.mlir --llm-target=name=npu-mxu-vpu --llm-cost -verify-diagnostics

// RUN: llm-opt choices.mlir --llm-target="name=npu engines=8" --llm-tile --llm-schedule --llm-verify-schedule | %one-line | FileCheck choices.mlir

// A backend that wants a loop for each op has none cut along a reduction: 4 parts of some heads
// each read all latents.
// RUN: llm-opt choices.mlir --llm-target="name=npu engines=8" --llm-tile --llm-schedule=split-reductions=false --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=PARALLEL
// PARALLEL-LABEL: func.func @decode
// PARALLEL: split = {h = 4}

//--- toy.json
{
  "name": "toy", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "private_memory": "sram", "count": 2,
                         "macs_per_cycle_per_unit": { "bf16": 4 }, "alu_per_cycle_per_unit": 2,
                         "special_per_cycle_per_unit": 1, "compare_per_cycle_per_unit": 1,
                         "overhead_cycles": 5, "port_bytes_per_second": { "dram": 1000 } } },
  "memories": { "sram": { "capacity_bytes": 512 }, "dram": { "bytes_per_second": 2000 } }
}

//--- costs.mlir
// Two halves of k: 4 x 2 of lhs and 2 x 4 of rhs, 16 bytes each, and 4 x 4 sums of 4 bytes: 96.
// 32 macs, 4 per cycle. The last part reads both halves' sums, 128 bytes, and the bias, 8, and
// writes 16 results of 2 bytes: 168. It adds 32 sums, 2 per cycle.
// CHECK-LABEL: func.func @product
// CHECK: parts = [<count = 2, work = {mac = 32}, traffic = {dram = {lhs = 16, out = 64, rhs = 16}}, working_set_bytes = 96, overhead_cycles = 5, serial_cycles = 0, compute_cycles = 8, memory_cycles = 96, bound = memory>,
// CHECK-SAME: <count = 1, work = {alu = 32}, traffic = {dram = {bias = 8, out = 32, partial_out = 128}}, working_set_bytes = 168, overhead_cycles = 5, serial_cycles = 0, compute_cycles = 16, memory_cycles = 168, bound = memory>]
func.func @product(%x: tensor<4x4xbf16>, %bias: tensor<4xbf16>) {
  %0 = llm.matmul "k_proj" %x, %x bias %bias {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {k = 4, m = 4, n = 4}, order = [m, n, k], buffers = {}>] split = {k = 2}>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xbf16>
  return
}

// One query of two heads over four keys of one head of 4 features, in two halves. A part: query
// 16 bytes, two keys and two values 16 each, 8 sums of 4 bytes, and of each head its greatest
// score and sum, 8 bytes each: 96. 16 macs for the scores and as many for the values, at 4 per
// cycle; 4 comparisons in 4 cycles; 8 alu in 4, beside 4 exponentials in 4: 16 cycles. Room for
// four scores of 4 bytes, too.
// The last part: 64 bytes of sums, 16 and 16 of greatest scores and sums, sinks 4, results 16. In
// cycles: 4 comparisons 4; 8 alu and 4 exponentials 4; two sinks, 2 comparisons, 4 alu, 2
// exponentials: 2; 16 alu 8; 8 alu 4.
// CHECK-LABEL: func.func @attention
// CHECK: parts = [<count = 2, work = {alu = 8, compare = 4, mac = 32, special = 4}, traffic = {dram = {keys = 16, max = 8, out = 32, query = 16, sum = 8, values = 16}}, working_set_bytes = 112, overhead_cycles = 5, serial_cycles = 0, compute_cycles = 16, memory_cycles = 96, bound = memory>,
// CHECK-SAME: <count = 1, work = {alu = 36, compare = 6, special = 6}, traffic = {dram = {out = 16, partial_max = 16, partial_out = 64, partial_sum = 16, sinks = 4}}, working_set_bytes = 116, overhead_cycles = 5, serial_cycles = 0, compute_cycles = 22, memory_cycles = 116, bound = memory>]
func.func @attention(%q: tensor<1x1x2x4xbf16>, %k: tensor<1x4x1x4xbf16>, %sinks: tensor<2xbf16>) {
  %0 = llm.gqa_attn "attn" %q, %k, %k sinks %sinks mask causal scale 0.5 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, d = 4, g = 2, h = 1, s = 1, t = 4}, order = [b, h, g, s, t, d], buffers = {}>] split = {t = 2}>}
    : tensor<1x1x2x4xbf16>, tensor<1x4x1x4xbf16>, tensor<1x4x1x4xbf16>, tensor<2xbf16>
  return
}

//--- matrix.mlir
func.func @matrix(%x: tensor<4x4xbf16>) {
  // expected-error@+1 {{has a split that cuts the reduction 'k', but engine 'mxu' cannot join the partial results: it is no vector engine}}
  %0 = llm.matmul %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {k = 4, m = 4, n = 4}, order = [m, n, k], buffers = {}>] split = {k = 2}>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

//--- choices.mlir
// 65536 latents of 1152 bytes, which DRAM moves at 400 bytes per cycle: 188744 cycles, if each is
// read once. In parts of some heads each reads all of them, so that those for 4 engines take four
// times as long. All heads together take 4096 x 585 = 2396160 cycles of arithmetic on one engine,
// 299520 on 8. So the keys are cut: the schedule is near that, and not near 754976.
// CHECK-LABEL: func.func @decode
// CHECK-SAME: makespan_cycles = 3
// CHECK: split = {{{.*}}t = {{[0-9]+}}}
func.func @decode(%q: tensor<1x1x128x576xbf16>, %latents: tensor<1x65536x1x576xbf16>) {
  %0 = llm.mla_attn "attn" %q, %latents value_dim 512 mask causal scale 0.1
    : tensor<1x1x128x576xbf16>, tensor<1x65536x1x576xbf16>
  return
}

// A product of many columns is cut along these, which costs nothing.
// CHECK-LABEL: func.func @project
// CHECK: split = {n = {{[0-9]+}}}
func.func @project(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xbf16>) {
  %0 = llm.matmul "proj" %x, %w : tensor<1x4096xbf16>, tensor<4096x4096xbf16>
  return
}

// An op that moves less than an eighth of the private memory, here 821248 of 8388608 bytes, has its
// few columns of weights read by each part of some rows: what that costs is too little.
// CHECK-LABEL: func.func @router
// CHECK: split = {m = {{[0-9]+}}}
func.func @router(%x: tensor<64x5120xbf16>, %w: tensor<5120x16xbf16>) {
  %0 = llm.matmul "router" %x, %w : tensor<64x5120xbf16>, tensor<5120x16xbf16>
  return
}
