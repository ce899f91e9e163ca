// RUN: llm-opt %s -split-input-file --llm-shard="tp=2 ep=2" | FileCheck %s --check-prefix=SHARD
// RUN: llm-opt %s -split-input-file --llm-shard="tp=2 ep=2" --llm-partition --verify-roundtrip | FileCheck %s
// RUN: llm-opt %s -split-input-file --llm-shard=ep=2 --llm-partition=expert-rows=all | FileCheck %s --check-prefix=ALL
// A grid of one chip is the program as it is.
// RUN: llm-opt %s -split-input-file -o %t.before
// RUN: llm-opt %s -split-input-file --llm-shard="tp=1 ep=1" --llm-partition -o %t.after
// RUN: diff %t.before %t.after
// RUN: llm-opt %s -split-input-file --llm-shard=ep=1 --llm-partition=expert-rows=all -o %t.after
// RUN: diff %t.before %t.after
// Over one axis after the other, it is the program over an axis of all of them.
// RUN: sed 's/^module {/module attributes {llm.grid = #llm.grid<ep = 2, ep_inner = 2>} {/' %S/Inputs/eight-experts.mlir > %t.two.mlir
// RUN: llm-opt %t.two.mlir --llm-shard --llm-partition | sed 's/ep, ep_inner/ep/; s/ep = 2, ep_inner = 2/ep = 4/' > %t.two.cut
// RUN: llm-opt %S/Inputs/eight-experts.mlir --llm-shard=ep=4 --llm-partition | diff %t.two.cut -
// Chips with 2 + 1 rows have most of the eight.
// RUN: FileCheck %s --check-prefix=FOUR < %t.two.cut
// FOUR: llm.grid = #llm.grid<ep = 4>
// FOUR: llm.moe_dispatch {{.*}} own [ep] rows 3
// FOUR: llm.piece = #llm.shard<{d0 = [ep] of [4, 4]}>
// FOUR: rows_per_expert [2, 1] top_k 2 own [ep]

// Two chips have the experts 0 and 2, two others 1 and 3. The first two have 3 + 4 rows, the others 0 + 1: the program has
// room for 7. Two chips share the columns of each expert. What is behind the experts is summed up once, over all four.
// SHARD: llm.grid = #llm.grid<ep = 2, tp = 2>
// SHARD: llm.moe_dispatch "dispatch" {{.*}}llm.shard = #llm.shard<{experts = [ep]}>
// SHARD: llm.grouped_matmul "up" {{.*}}llm.shard = #llm.shard<{experts = [ep], n = [tp]}>
// SHARD: llm.activation "act" {{.*}}llm.shard = #llm.shard<{d1 = [tp]}>
// SHARD: llm.grouped_matmul "down" {{.*}}llm.shard = #llm.shard<{experts = [ep], k = [tp]}>
// SHARD: llm.moe_combine "combine" {{.*}}llm.shard = #llm.shard<{experts = [ep]}>
// SHARD: llm.matmul "shared" {{.*}}llm.shard = #llm.shard<{n = [ep, tp]}>
// CHECK-LABEL: @experts
// CHECK-SAME: %[[X:.*]]: tensor<4x16xf32>, %[[E:.*]]: tensor<4x2xi32>
// CHECK: %[[ROWS:.*]] = llm.moe_dispatch "dispatch" %[[X]], %[[E]] own [ep] rows 7 : tensor<4x16xf32>, tensor<4x2xi32>
// CHECK: %[[WU:.*]] = llm.weight "wu" {llm.piece = #llm.shard<{d0 = [ep] of [2, 2], d1 = [tp]}>} : tensor<2x8x16xf32>
// CHECK: %[[UP:.*]] = llm.grouped_matmul "up" %[[ROWS]], %[[WU]] experts %[[E]] transpose_rhs rows_per_expert [3, 4] top_k 2 own [ep] : tensor<7x16xf32>, tensor<2x8x16xf32>
// CHECK: llm.activation "act" silu %[[UP]] : tensor<7x8xf32>
// CHECK-DAG: llm.weight "wd" {llm.piece = #llm.shard<{d0 = [ep] of [2, 2], d2 = [tp]}>} : tensor<2x16x8xf32>
// CHECK-DAG: llm.weight "bd" {llm.piece = #llm.shard<{d0 = [ep] of [2, 2], summand = [tp]}>} : tensor<2x16xf32>
// CHECK: llm.grouped_matmul "down" {{.*}} own [ep] : tensor<7x8xf32>
// CHECK-NEXT: %[[PART:.*]] = llm.moe_combine "combine" {{.*}} own [ep] : tensor<7x16xf32>
// CHECK-NOT: llm.all_reduce
// CHECK: llm.matmul "shared_down"
// CHECK-NEXT: %[[SUM:.*]] = llm.add "sum" %[[PART]]
// CHECK-NEXT: llm.all_reduce "sum.all_reduce" sum %[[SUM]] over [ep, tp]
// With room for any routing there are 4 tokens times 2 choices.
// ALL-LABEL: @experts
// ALL: llm.moe_dispatch {{.*}} own [ep] rows 8
// ALL: llm.grouped_matmul "up" {{.*}} rows_per_expert [4, 4] top_k 2 own [ep]
func.func @experts(%x: tensor<4x16xf32>, %e: tensor<4x2xi32>, %s: tensor<4x2xf32>) -> tensor<4x16xf32> {
  %rows = llm.moe_dispatch "dispatch" %x, %e : tensor<4x16xf32>, tensor<4x2xi32>
  %wu = llm.weight "wu" : tensor<4x16x16xf32>
  %u = llm.grouped_matmul "up" %rows, %wu experts %e transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 : tensor<8x16xf32>, tensor<4x16x16xf32> experts tensor<4x2xi32>
  %a = llm.activation "act" silu %u : tensor<8x16xf32>
  %wd = llm.weight "wd" : tensor<4x16x16xf32>
  %bd = llm.weight "bd" : tensor<4x16xf32>
  %d = llm.grouped_matmul "down" %a, %wd bias %bd experts %e transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 : tensor<8x16xf32>, tensor<4x16x16xf32>, tensor<4x16xf32> experts tensor<4x2xi32>
  %c = llm.moe_combine "combine" %d, %e, %s : tensor<8x16xf32>, tensor<4x2xi32>, tensor<4x2xf32>
  %ws = llm.weight "ws" : tensor<16x16xf32>
  %h = llm.matmul "shared" %x, %ws transpose_rhs : tensor<4x16xf32>, tensor<16x16xf32>
  %wt = llm.weight "wt" : tensor<16x16xf32>
  %t = llm.matmul "shared_down" %h, %wt transpose_rhs : tensor<4x16xf32>, tensor<16x16xf32>
  %sum = llm.add "sum" %c, %t : tensor<4x16xf32>, tensor<4x16xf32>
  return %sum : tensor<4x16xf32>
}

// -----

// Gate and up lie side by side, every second column: slices of rows have the rows of the chip. With two experts on two
// chips, each has one, and its weight is one interval.
// CHECK-LABEL: @sides
// CHECK: llm.weight "wu" {llm.piece = #llm.shard<{d0 = [ep], d1 = [tp]}>} : tensor<1x16x16xf32>
// CHECK: tensor.extract_slice {{.*}}[0, 0] [3, 8] [1, 2] : tensor<3x16xf32> to tensor<3x8xf32>
// CHECK: llm.moe_combine {{.*}} : tensor<3x16xf32>
func.func @sides(%x: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
  %rows = llm.moe_dispatch %x, %e : tensor<4x16xf32>, tensor<4x1xi32>
  %wu = llm.weight "wu" : tensor<2x32x16xf32>
  %u = llm.grouped_matmul %rows, %wu experts %e transpose_rhs rows_per_expert [1, 3] top_k 1 : tensor<4x16xf32>, tensor<2x32x16xf32> experts tensor<4x1xi32>
  %g = tensor.extract_slice %u[0, 0] [4, 16] [1, 2] : tensor<4x32xf32> to tensor<4x16xf32>
  %v = tensor.extract_slice %u[0, 1] [4, 16] [1, 2] : tensor<4x32xf32> to tensor<4x16xf32>
  %a = llm.swiglu %g, %v : tensor<4x16xf32>, tensor<4x16xf32>
  %wd = llm.weight "wd" : tensor<2x16x16xf32>
  %d = llm.grouped_matmul %a, %wd experts %e transpose_rhs rows_per_expert [1, 3] top_k 1 : tensor<4x16xf32>, tensor<2x16x16xf32> experts tensor<4x1xi32>
  %c = llm.moe_combine %d, %e : tensor<4x16xf32>, tensor<4x1xi32>
  return %c : tensor<4x16xf32>
}
