// RUN: llm-opt %s -split-input-file --llm-shard="tp=4 cp=2" | FileCheck %s --check-prefix=SHARD
// RUN: llm-opt %s -split-input-file --llm-shard="tp=4 cp=2" --llm-partition | FileCheck %s
// RUN: llm-opt %s -split-input-file --llm-shard="tp=4 cp=2" --llm-partition --llm-target=name=h100-sxm --llm-tile --llm-schedule --llm-verify-cost --llm-verify-schedule -o /dev/null

// Chips that would have copies of a KV head share its keys: of two, one has the even positions, the other the odd ones.

// SHARD: llm.grid = #llm.grid<tp = 2, tp_cp = 2>
// CHECK: llm.grid = #llm.grid<tp = 2, tp_cp = 2>
!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 16, capacity = 32, f32>
// SHARD-LABEL: @decode
// CHECK-LABEL: @decode
func.func @decode(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %wq = llm.weight "q" : tensor<128x64xf32>
  %wk = llm.weight "k" : tensor<32x64xf32>
  %wo = llm.weight "o" : tensor<64x128xf32>
  %q = llm.matmul "q_proj" %x, %wq transpose_rhs : tensor<1x64xf32>, tensor<128x64xf32>
  %k = llm.matmul "k_proj" %x, %wk transpose_rhs : tensor<1x64xf32>, tensor<32x64xf32>
  %q4 = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [1, 1, 8, 16] : tensor<1x128xf32> into tensor<1x1x8x16xf32>
  %k4 = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 1, 2, 16] : tensor<1x32xf32> into tensor<1x1x2x16xf32>
  // A chip has 2 of 8 query heads, and gets those of the other chip with the same KV head.
  // CHECK: %[[Q:.*]] = llm.all_gather "q_proj.all_gather" %{{.*}} over [tp_cp] dim 2 : tensor<1x1x2x16xf32> -> tensor<1x1x4x16xf32>
  // CHECK: llm.kv_cache "c" {llm.piece = #llm.shard<{capacity = [tp_cp] of 16 x 2, kv_heads = [tp]}>} : <batch = 1, kv_heads = 1, head_dim = 16, capacity = 16, f32>
  %c0 = llm.kv_cache "c" : !cache
  // SHARD: llm.kv_write "write" {{.*}} {llm.shard = #llm.shard<{h = [tp], positions = [tp_cp]}>}
  // CHECK: %[[C:.*]] = llm.kv_write "write" %{{.*}}, %{{.*}}, %{{.*}} at 31 own [tp_cp]
  %c1 = llm.kv_write "write" %c0, %k4, %k4 at 31 : !cache, tensor<1x1x2x16xf32>, tensor<1x1x2x16xf32>
  // CHECK: %[[K:.*]], %[[V:.*]] = llm.kv_read %[[C]] rows 0 to 16
  %keys, %values = llm.kv_read %c1 rows 0 to 32 : !cache
  // SHARD: llm.gqa_attn "attn" {{.*}} {llm.shard = #llm.shard<{h = [tp], t = [tp_cp]}>}
  // CHECK: %[[A:.*]], %[[L:.*]] = llm.gqa_attn "attn" %[[Q]], %[[K]], %[[V]] mask causal scale 0.25 return_lse : tensor<1x1x4x16xf32>, tensor<1x16x1x16xf32>, tensor<1x16x1x16xf32>
  // CHECK-DAG: %[[AA:.*]] = llm.all_to_all "attn.all_to_all" %[[A]] over [tp_cp] from 2 to 1 : tensor<1x1x4x16xf32> -> tensor<1x2x2x16xf32>
  // CHECK-DAG: %[[LL:.*]] = llm.all_to_all "attn.1.all_to_all" %[[L]] over [tp_cp] from 2 to 1 : tensor<1x1x4xf32> -> tensor<1x2x2xf32>
  // CHECK: %[[J:.*]] = llm.join_attn "attn.join" %[[AA]], %[[LL]] parts 2 : tensor<1x2x2x16xf32>, tensor<1x2x2xf32>
  %a4 = llm.gqa_attn "attn" %q4, %keys, %values mask causal scale 0.25 : tensor<1x1x8x16xf32>, tensor<1x32x2x16xf32>, tensor<1x32x2x16xf32>
  // CHECK: tensor.collapse_shape %[[J]]
  %a = tensor.collapse_shape %a4 [[0, 1], [2, 3]] : tensor<1x1x8x16xf32> into tensor<1x128xf32>
  // CHECK: llm.matmul "o_proj" {{.*}} : tensor<1x32xf32>, tensor<64x32xf32>
  // CHECK: llm.all_reduce "o_proj.all_reduce" sum {{.*}} over [tp, tp_cp]
  %o = llm.matmul "o_proj" %a, %wo transpose_rhs : tensor<1x128xf32>, tensor<64x128xf32>
  return %o : tensor<1x64xf32>
}

// -----

// Of latents there is one head, so that the chips of tp that have copies are all of them: two of four share keys here. Sinks are added
// by the chip that joins, each to its own heads. A prompt reads what it has written where that is.

// SHARD: llm.grid = #llm.grid<tp = 2, tp_cp = 2>
!latents = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 8, capacity = 8, f32 latents>
!wide = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 8, capacity = 8, f32>
// CHECK-LABEL: @latents
func.func @latents(%q: tensor<2x1x8x8xf32>, %z: tensor<2x1x1x8xf32>) -> tensor<2x1x8x6xf32> {
  // CHECK: llm.kv_cache "c" {llm.piece = #llm.shard<{capacity = [tp_cp] of [2, 2, 2, 2]}>}
  %c0 = llm.kv_cache "c" : !latents
  // CHECK: llm.kv_write %{{.*}}, %{{.*}} at [7, 3] own [tp_cp]
  %c1 = llm.kv_write %c0, %z at [7, 3] : !latents, tensor<2x1x1x8xf32>
  // CHECK: llm.kv_read %{{.*}} rows [0, 0] to [4, 2]
  %zs = llm.kv_read %c1 rows [0, 0] to [8, 4] : !latents
  // CHECK: llm.mla_attn {{.*}} value_dim 6 mask causal lengths [4, 2] scale 0.3 return_lse : tensor<2x1x8x8xf32>, tensor<2x4x1x8xf32>
  %a = llm.mla_attn %q, %zs value_dim 6 mask causal lengths [8, 4] scale 0.3 : tensor<2x1x8x8xf32>, tensor<2x8x1x8xf32>
  return %a : tensor<2x1x8x6xf32>
}

// CHECK-LABEL: @sinks
func.func @sinks(%q: tensor<2x1x8x8xf32>, %k: tensor<2x1x1x8xf32>) -> tensor<2x1x8x8xf32> {
  %c0 = llm.kv_cache "c" : !wide
  %c1 = llm.kv_write %c0, %k, %k at 7 : !wide, tensor<2x1x1x8xf32>, tensor<2x1x1x8xf32>
  %keys, %values = llm.kv_read %c1 rows 0 to 8 : !wide
  %s = llm.weight "sinks" : tensor<8xf32>
  // CHECK: llm.gqa_attn {{.*}} mask full scale 0.3 soft_cap 50.0 return_lse
  // CHECK: %[[S:.*]] = llm.take_piece %{{.*}} over [tp_cp] dim 0
  // CHECK: llm.join_attn %{{.*}}, %{{.*}} sinks %[[S]] parts 2
  %a = llm.gqa_attn %q, %keys, %values sinks %s mask full scale 0.3 soft_cap 50.0 : tensor<2x1x8x8xf32>, tensor<2x8x1x8xf32>, tensor<2x8x1x8xf32>, tensor<8xf32>
  return %a : tensor<2x1x8x8xf32>
}

// CHECK-LABEL: @prompt
func.func @prompt(%q: tensor<2x4x8x8xf32>, %z: tensor<2x4x1x8xf32>) -> tensor<2x4x8x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  // CHECK: llm.kv_write %{{.*}}, %arg1 at 0 own [tp_cp]
  %c1 = llm.kv_write %c0, %z at 0 : !latents, tensor<2x4x1x8xf32>
  // CHECK-NOT: llm.kv_read
  %zs = llm.kv_read %c1 rows 0 to 4 : !latents
  // CHECK: llm.mla_attn %{{.*}}, %arg1 value_dim 6 mask causal scale
  // CHECK-NOT: llm.join_attn
  %a = llm.mla_attn %q, %zs value_dim 6 mask causal scale 0.3 : tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>
  return %a : tensor<2x4x8x6xf32>
}
