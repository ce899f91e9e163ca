// RUN: llm-opt %s -split-input-file --llm-shard="dp=2 tp=2" | FileCheck %s --check-prefix=SHARD
// RUN: llm-opt %s -split-input-file --llm-shard="dp=2 tp=2" --llm-partition --verify-roundtrip | FileCheck %s
// One chip is the program as it is.
// RUN: llm-opt %s -split-input-file -o %t.before
// RUN: llm-opt %s -split-input-file --llm-shard="dp=1 tp=1" --llm-partition -o %t.after
// RUN: diff %t.before %t.after

// Two chips have the first two sequences, two others the last two. Weights are cut over the two that share sequences. What
// a loop carries stays where it is: nothing is exchanged in it but the sums of products. The result is gathered.
// SHARD: llm.grid = #llm.grid<dp = 2, tp = 2>
// SHARD: llm.matmul "up" {{.*}}llm.shard = #llm.shard<{m = [dp], n = [tp]}>
// SHARD: llm.activation "act" {{.*}}llm.shard = #llm.shard<{d0 = [dp], d1 = [tp]}>
// SHARD: llm.matmul "down" {{.*}}llm.shard = #llm.shard<{k = [tp], m = [dp]}>
// SHARD: llm.add "sum" {{.*}}llm.shard = #llm.shard<{d0 = [dp]}>
// CHECK-LABEL: @layers
// CHECK-SAME: %[[X:.*]]: tensor<4x32xf32>
// CHECK: %[[OWN:.*]] = llm.take_piece %[[X]] over [dp] dim 0 : tensor<4x32xf32> -> tensor<2x32xf32>
// CHECK: %[[OUT:.*]] = scf.for {{.*}} iter_args(%[[H:.*]] = %[[OWN]]) -> (tensor<2x32xf32>)
// CHECK: llm.rmsnorm "norm" %[[H]] {{.*}} : tensor<2x32xf32>
// CHECK: llm.weight "wu" {llm.piece = #llm.shard<{d0 = [tp]}>} : tensor<32x32xf32>
// CHECK: llm.matmul "down"
// CHECK-NEXT: llm.all_reduce "down.all_reduce" sum %{{.*}} over [tp] : tensor<2x32xf32>
// CHECK-NOT: llm.all_gather
// CHECK: scf.yield %{{.*}} : tensor<2x32xf32>
// CHECK: %[[ALL:.*]] = llm.all_gather %[[OUT]] over [dp] dim 0 : tensor<2x32xf32> -> tensor<4x32xf32>
// CHECK: return %[[ALL]]
func.func @layers(%x: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {llm.program = #llm.program<"m", decode, batch = 4, seq = 1, kv_len = 8, layers = 2 of 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> (tensor<4x32xf32>) {
    %n = llm.rmsnorm "norm" %h epsilon 1.0e-5 : tensor<4x32xf32>
    %wu = llm.weight "wu" : tensor<64x32xf32>
    %u = llm.matmul "up" %n, %wu transpose_rhs : tensor<4x32xf32>, tensor<64x32xf32>
    %a = llm.activation "act" silu %u : tensor<4x64xf32>
    %wd = llm.weight "wd" : tensor<32x64xf32>
    %d = llm.matmul "down" %a, %wd transpose_rhs : tensor<4x64xf32>, tensor<32x64xf32>
    %s = llm.add "sum" %h, %d : tensor<4x32xf32>, tensor<4x32xf32>
    scf.yield %s : tensor<4x32xf32>
  }
  return %y : tensor<4x32xf32>
}

// -----

// Caches have the sequences of their chip, and of these the KV heads.
// CHECK-LABEL: @caches
// CHECK: llm.kv_cache "c" {llm.piece = #llm.shard<{batch = [dp], kv_heads = [tp]}>} : <batch = 2, kv_heads = 1, head_dim = 4, capacity = 9, f32>
// CHECK: llm.gqa_attn "attn" {{.*}} : tensor<2x1x1x4xf32>, tensor<2x9x1x4xf32>, tensor<2x9x1x4xf32>
func.func @caches(%x: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {llm.program = #llm.program<"m", decode, batch = 4, seq = 1, kv_len = 9, layers = 1 of 2>} {
  %wq = llm.weight "wq" : tensor<8x32xf32>
  %q = llm.matmul "q" %x, %wq transpose_rhs : tensor<4x32xf32>, tensor<8x32xf32>
  %wk = llm.weight "wk" : tensor<8x32xf32>
  %k = llm.matmul "k" %x, %wk transpose_rhs : tensor<4x32xf32>, tensor<8x32xf32>
  %qh = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [4, 1, 2, 4] : tensor<4x8xf32> into tensor<4x1x2x4xf32>
  %kh = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [4, 1, 2, 4] : tensor<4x8xf32> into tensor<4x1x2x4xf32>
  %c0 = llm.kv_cache "c" : <batch = 4, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %c1 = llm.kv_write "write" %c0, %kh, %kh at 8 : <batch = 4, kv_heads = 2, head_dim = 4, capacity = 9, f32>, tensor<4x1x2x4xf32>, tensor<4x1x2x4xf32>
  %keys, %values = llm.kv_read %c1 rows 0 to 9 : <batch = 4, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %a = llm.gqa_attn "attn" %qh, %keys, %values mask causal scale 0.5 : tensor<4x1x2x4xf32>, tensor<4x9x2x4xf32>, tensor<4x9x2x4xf32>
  %rows = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<4x1x2x4xf32> into tensor<4x8xf32>
  %wo = llm.weight "wo" : tensor<32x8xf32>
  %o = llm.matmul "o" %rows, %wo transpose_rhs : tensor<4x8xf32>, tensor<32x8xf32>
  return %o : tensor<4x32xf32>
}
