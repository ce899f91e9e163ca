// Every pass on nothing, twice, and in the wrong order.
// RUN: rm -rf %t && split-file %s %t

// RUN: llm-opt %t/empty.mlir | %one-line > %t/nothing.mlir

// On `module {}`: nothing to do is no error, and nothing crashes on an attribute of a
// dialect that nobody loaded.
// RUN: llm-opt %t/empty.mlir --llm-target --verify-roundtrip -o %t/out
// RUN: llm-opt %t/empty.mlir --llm-decompose-attention | %one-line | diff %t/nothing.mlir -
// RUN: llm-opt %t/empty.mlir --llm-fuse-projections | %one-line | diff %t/nothing.mlir -
// RUN: llm-opt %t/empty.mlir --llm-tile --verify-roundtrip -o %t/out
// RUN: llm-opt %t/empty.mlir --llm-tile=strategy=theoretical --verify-roundtrip -o %t/out
// RUN: llm-opt %t/empty.mlir --llm-cost --verify-roundtrip -o %t/out
// RUN: llm-opt %t/empty.mlir --llm-verify-cost | %one-line | diff %t/nothing.mlir -
// RUN: llm-opt %t/empty.mlir --llm-schedule --verify-roundtrip -o %t/out
// RUN: llm-opt %t/empty.mlir --llm-verify-schedule | %one-line | diff %t/nothing.mlir -
// RUN: llm-opt %t/empty.mlir --llm-tile --llm-cost --llm-verify-cost --llm-schedule --llm-verify-schedule -o %t/out

// Twice is once: the second run of each pass changes nothing.
// RUN: llm-translate --import-hf-config %examples/qwen3-8b.json --layers=2 | %one-line > %t/0.mlir
// RUN: llm-opt %t/0.mlir --llm-target=name=npu | %one-line > %t/1.mlir
// RUN: llm-opt %t/1.mlir --llm-target=name=npu | %one-line | diff %t/1.mlir -
// RUN: llm-opt %t/1.mlir --llm-target=engines=4 | %one-line | diff %t/1.mlir -
// RUN: llm-opt %t/1.mlir --llm-decompose-attention | %one-line > %t/2.mlir
// RUN: llm-opt %t/2.mlir --llm-decompose-attention | %one-line | diff %t/2.mlir -
// RUN: llm-opt %t/2.mlir --llm-fuse-projections | %one-line > %t/3.mlir
// RUN: llm-opt %t/3.mlir --llm-fuse-projections | %one-line | diff %t/3.mlir -
// RUN: llm-opt %t/3.mlir --llm-tile | %one-line > %t/4.mlir
// RUN: llm-opt %t/4.mlir --llm-tile | %one-line | diff %t/4.mlir -
// RUN: llm-opt %t/4.mlir --llm-cost | %one-line | diff %t/4.mlir -
// RUN: llm-opt %t/4.mlir --llm-cost --llm-cost | %one-line | diff %t/4.mlir -
// RUN: llm-opt %t/4.mlir --llm-verify-cost --llm-verify-cost | %one-line | diff %t/4.mlir -
// RUN: llm-opt %t/4.mlir "--llm-schedule=granularity=op prefetch=false" | %one-line > %t/5.mlir
// RUN: llm-opt %t/5.mlir "--llm-schedule=granularity=op prefetch=false" | %one-line | diff %t/5.mlir -
// RUN: llm-opt %t/5.mlir --llm-verify-schedule --llm-verify-schedule | %one-line | diff %t/5.mlir -
// RUN: llm-opt %t/3.mlir --llm-tile=strategy=theoretical | %one-line > %t/6.mlir
// RUN: llm-opt %t/6.mlir --llm-tile=strategy=theoretical | %one-line | diff %t/6.mlir -

// The order of the two rewrites does not matter to what is left.
// RUN: llm-opt %t/1.mlir --llm-fuse-projections --llm-decompose-attention | %one-line | diff %t/3.mlir -

// Tiles and costs anew drop slots and schedule, which no longer hold.
// RUN: llm-opt %t/5.mlir --llm-tile | %one-line | diff %t/4.mlir -
// RUN: llm-opt %t/5.mlir --llm-cost | %one-line | diff %t/4.mlir -

// Cost and schedule want tiles and costs, and say which pass gives them.
// RUN: not llm-opt %t/1.mlir --llm-cost 2>&1 | FileCheck %s --check-prefix=COST
// COST: error: 'llm.rmsnorm' op has no tile; run --llm-tile first
// RUN: not llm-opt %t/1.mlir --llm-schedule 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: error: 'llm.rmsnorm' op has no tile; run --llm-tile first
// RUN: not llm-opt %t/0.mlir --llm-schedule --llm-tile 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: sed 's/llm.cost = .*">, llm.tile/llm.tile/' %t/4.mlir > %t/nocost.mlir
// RUN: not llm-opt %t/nocost.mlir --llm-schedule 2>&1 | FileCheck %s --check-prefix=NOCOST
// NOCOST: error: 'llm.rmsnorm' op has no cost; run --llm-tile or --llm-cost first
// RUN: llm-opt %t/nocost.mlir --llm-cost "--llm-schedule=granularity=op prefetch=false" | %one-line | diff %t/5.mlir -

// Verifiers want what they verify.
// RUN: not llm-opt %t/4.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: error: {{.*}}has no schedule; run --llm-schedule first
// RUN: not llm-opt %t/0.mlir --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=VERIFY0
// RUN: not llm-opt %t/0.mlir --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=VERIFY0
// VERIFY0: error: {{.*}}has no target; run --llm-target or --llm-tile first

// A pass between tile and schedule that makes new ops: these have no tile; one between
// schedule and its verifier: these have no cost either.
// RUN: llm-opt %t/1.mlir --llm-tile | %one-line > %t/fused.mlir
// RUN: not llm-opt %t/fused.mlir --llm-decompose-attention --llm-schedule 2>&1 | FileCheck %s --check-prefix=NEWOP
// NEWOP: error: 'llm.qk' op has no tile; run --llm-tile first
// RUN: not llm-opt %t/fused.mlir --llm-schedule --llm-fuse-projections --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=NEWMATMUL
// NEWMATMUL: error: 'llm.matmul' op has no tile; run --llm-tile first

// What changed since its cost was computed is stale, in schedule and in its verifier: the
// op, its tile, the target.
// RUN: sed 's/mask causal/mask full/' %t/fused.mlir > %t/stale.mlir
// RUN: not llm-opt %t/stale.mlir --llm-schedule 2>&1 | FileCheck %s --check-prefix=STALE
// RUN: sed 's/buffers = {keys = 1/buffers = {keys = 2/' %t/fused.mlir > %t/stale.mlir
// RUN: not llm-opt %t/stale.mlir --llm-schedule 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: error: 'llm.gqa_attn' op has a stale cost: the op, its tile or the target changed since it was computed; run --llm-cost (or --llm-tile for new tiles)
// RUN: not llm-opt %t/fused.mlir --llm-target=name=h100-sxm --llm-schedule 2>&1 | FileCheck %s --check-prefix=STALEFIRST
// RUN: not llm-opt %t/5.mlir --llm-target=name=h100-sxm --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=STALEFIRST
// STALEFIRST: error: 'llm.rmsnorm' op has a stale cost
// The number of engines is no part of a cost, and tiles of one machine may not fit another.
// RUN: llm-opt %t/fused.mlir --llm-target=engines=2 --llm-schedule --llm-verify-schedule -o %t/out
// RUN: not llm-opt %t/fused.mlir --llm-target=name=h100-sxm --llm-cost 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: 'llm.rmsnorm' op needs a tile with two levels, for memory 'l2' and 'unit' of engine 'gpu'

// Several functions, of which each has its own schedule.
// RUN: llm-opt %t/two.mlir --llm-tile --llm-schedule --llm-verify-schedule | %one-line | FileCheck %t/two.mlir

//--- empty.mlir
module {
}

//--- two.mlir
// CHECK: func.func @one({{.*}} attributes {llm.schedule = #llm.schedule<policy = "list"
// CHECK: func.func @two({{.*}} attributes {llm.schedule = #llm.schedule<policy = "list"
func.func @one(%x: tensor<4xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>
  return
}
func.func @two(%x: tensor<4xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>
  return
}
