// RUN: llm-opt %s -split-input-file --llm-shard="tp=2 sp" | FileCheck %s --check-prefix=SHARD
// RUN: llm-opt %s -split-input-file --llm-shard="tp=2 sp" --llm-partition --verify-roundtrip | FileCheck %s
// RUN: not llm-opt %s -split-input-file --llm-shard="ep=2 sp" 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --llm-shard: option 'sp' cuts rows of tokens over the chips of 'tp', which must be 2 or more

// What reads the sum is cut along its rows, and so is what reads that. The next product has columns of all rows.
// SHARD: llm.grid = #llm.grid<tp_sp = 2>
// SHARD-LABEL: func.func @between(
// SHARD: llm.matmul "down_proj" {{.*}}llm.shard = #llm.shard<{k = [tp_sp]}>
// SHARD: llm.add "residual" {{.*}}llm.shard = #llm.shard<{d0 = [tp_sp]}>
// SHARD: llm.rmsnorm "norm" {{.*}}llm.shard = #llm.shard<{d0 = [tp_sp]}>
// SHARD: llm.matmul "q_proj" {{.*}}llm.shard = #llm.shard<{n = [tp_sp]}>
// CHECK-LABEL: func.func @between(
// CHECK: %[[SUMMAND:.*]] = llm.matmul "down_proj" {{.*}} : tensor<4x8xf32>, tensor<8x8xf32>
// CHECK: %[[SUM:.*]] = llm.reduce_scatter "down_proj.reduce_scatter" sum %[[SUMMAND]] over [tp_sp] dim 0 : tensor<4x8xf32> -> tensor<2x8xf32>
// CHECK: %[[MINE:.*]] = llm.take_piece %arg0 over [tp_sp] dim 0 : tensor<4x8xf32> -> tensor<2x8xf32>
// CHECK: llm.add "residual" %[[MINE]], %[[SUM]] : tensor<2x8xf32>, tensor<2x8xf32>
// CHECK: %[[NORM:.*]] = llm.rmsnorm "norm"
// CHECK: %[[ALL:.*]] = llm.all_gather "norm.all_gather" %[[NORM]] over [tp_sp] dim 0 : tensor<2x8xf32> -> tensor<4x8xf32>
// CHECK: llm.matmul "q_proj" %[[ALL]]
func.func @between(%x: tensor<4x8xf32>, %h: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %up = llm.weight "up" : tensor<16x8xf32>
  %down = llm.weight "down" : tensor<8x16xf32>
  %scale = llm.weight "scale" : tensor<8xf32>
  %q = llm.weight "q" : tensor<8x8xf32>
  %a = llm.matmul "up_proj" %h, %up transpose_rhs : tensor<4x8xf32>, tensor<16x8xf32>
  %b = llm.matmul "down_proj" %a, %down transpose_rhs : tensor<4x16xf32>, tensor<8x16xf32>
  %c = llm.add "residual" %x, %b : tensor<4x8xf32>, tensor<4x8xf32>
  %d = llm.rmsnorm "norm" %c, %scale epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  %e = llm.matmul "q_proj" %d, %q transpose_rhs : tensor<4x8xf32>, tensor<8x8xf32>
  return %e : tensor<4x8xf32>
}

// -----

// Two chips do not divide three tokens.
// CHECK-LABEL: func.func @odd(
// CHECK: llm.all_reduce "down_proj.all_reduce" sum %{{.*}} over [tp_sp] : tensor<3x8xf32>
// CHECK: llm.rmsnorm "norm" {{.*}} : tensor<3x8xf32>
func.func @odd(%h: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %up = llm.weight "up" : tensor<16x8xf32>
  %down = llm.weight "down" : tensor<8x16xf32>
  %scale = llm.weight "scale" : tensor<8xf32>
  %a = llm.matmul "up_proj" %h, %up transpose_rhs : tensor<3x8xf32>, tensor<16x8xf32>
  %b = llm.matmul "down_proj" %a, %down transpose_rhs : tensor<3x16xf32>, tensor<8x16xf32>
  %d = llm.rmsnorm "norm" %b, %scale epsilon 1.0e-5 : tensor<3x8xf32>, tensor<8xf32>
  return %d : tensor<3x8xf32>
}

// -----

// Columns of a table become rows of what a loop carries.
// CHECK-LABEL: func.func @carried(
// CHECK: llm.all_to_all "embed.all_to_all" %{{.*}} over [tp_sp] from 0 to 1 : tensor<4x4xf32> -> tensor<2x8xf32>
// CHECK: scf.for {{.*}} -> (tensor<2x8xf32>)
// CHECK: llm.all_gather {{.*}} over [tp_sp] dim 0 : tensor<2x8xf32> -> tensor<4x8xf32>
// CHECK: llm.reduce_scatter "layers.{}.down_proj.reduce_scatter"
// CHECK: scf.yield %{{.*}} : tensor<2x8xf32>
func.func @carried(%tokens: tensor<4xi32>) -> tensor<4x8xf32> attributes {llm.program = #llm.program<"toy", prefill, batch = 1, seq = 4, kv_len = 4, layers = 2 of 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %table = llm.weight "table" : tensor<32x8xf32>
  %x = llm.embedding "embed" %tokens, %table : tensor<4xi32>, tensor<32x8xf32>
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> tensor<4x8xf32> {
    %up = llm.weight "layers.{}.up"[%i] : tensor<16x8xf32>
    %down = llm.weight "layers.{}.down"[%i] : tensor<8x16xf32>
    %a = llm.matmul "layers.{}.up_proj" %h, %up transpose_rhs : tensor<4x8xf32>, tensor<16x8xf32>
    %b = llm.matmul "layers.{}.down_proj" %a, %down transpose_rhs : tensor<4x16xf32>, tensor<8x16xf32>
    %c = llm.add "layers.{}.residual" %h, %b : tensor<4x8xf32>, tensor<4x8xf32>
    scf.yield %c : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}
