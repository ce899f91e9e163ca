// RUN: llm-opt %s -split-input-file --llm-shard=tp=4 | FileCheck %s --check-prefix=SHARD
// RUN: llm-opt %s -split-input-file --llm-shard=tp=4 --llm-partition --verify-roundtrip | FileCheck %s
// One chip is the program as it is.
// RUN: llm-opt %s -split-input-file -o %t.before
// RUN: llm-opt %s -split-input-file --llm-shard=tp=1 --llm-partition -o %t.after
// RUN: diff %t.before %t.after
// So does a grid of one chip that was there before.
// RUN: llm-opt %S/Inputs/one-chip.mlir --llm-shard --llm-partition | FileCheck %s --check-prefix=ONE
// ONE: llm.grid = #llm.grid<tp = 1>
// ONE-NOT: llm.shard
// ONE-NOT: llm.all_reduce

// A pair of products: columns of the first, the reduction of the second (Megatron-LM). The bias of the second is added by
// one chip.
// SHARD: module attributes {llm.grid = #llm.grid<tp = 4>}
// SHARD: llm.matmul "up" {{.*}}llm.shard = #llm.shard<{n = [tp]}>
// SHARD: llm.activation "act" {{.*}}llm.shard = #llm.shard<{d1 = [tp]}>
// SHARD: llm.matmul "down" {{.*}}llm.shard = #llm.shard<{k = [tp]}>
// CHECK-LABEL: @pair
// CHECK: llm.weight "wu" {llm.piece = #llm.shard<{d0 = [tp]}>} : tensor<16x32xf32>
// CHECK: llm.activation "act" silu {{.*}} : tensor<3x16xf32>
// CHECK-DAG: llm.weight "wd" {llm.piece = #llm.shard<{d1 = [tp]}>} : tensor<32x16xf32>
// CHECK-DAG: llm.weight "bd" {llm.piece = #llm.shard<{summand = [tp]}>} : tensor<32xf32>
// CHECK: %[[SUMMAND:.*]] = llm.matmul "down"
// CHECK-NEXT: %[[SUM:.*]] = llm.all_reduce "down.all_reduce" sum %[[SUMMAND]] over [tp] : tensor<3x32xf32>
// CHECK: return %[[SUM]]
func.func @pair(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %wu = llm.weight "wu" : tensor<64x32xf32>
  %u = llm.matmul "up" %x, %wu transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %a = llm.activation "act" silu %u : tensor<3x64xf32>
  %wd = llm.weight "wd" : tensor<32x64xf32>
  %bd = llm.weight "bd" : tensor<32xf32>
  %d = llm.matmul "down" %a, %wd bias %bd transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  return %d : tensor<3x32xf32>
}

// -----

// A norm needs all of its row, so that what is in front of it stays whole. The result of the last product leaves the
// program: it is gathered.
// CHECK-LABEL: @row
// CHECK: llm.weight "wn" : tensor<64x32xf32>
// CHECK: llm.weight "wh" {llm.piece = #llm.shard<{d0 = [tp]}>} : tensor<20x64xf32>
// CHECK: %[[PIECE:.*]] = llm.matmul "head"
// CHECK-NEXT: %[[WHOLE:.*]] = llm.all_gather "head.all_gather" %[[PIECE]] over [tp] dim 1 : tensor<3x20xf32> -> tensor<3x80xf32>
// CHECK: return %[[WHOLE]]
func.func @row(%x: tensor<3x32xf32>) -> tensor<3x80xf32> {
  %wn = llm.weight "wn" : tensor<64x32xf32>
  %a = llm.matmul "latent" %x, %wn transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %n = llm.rmsnorm "norm" %a epsilon 1.0e-5 : tensor<3x64xf32>
  %wh = llm.weight "wh" : tensor<80x64xf32>
  %h = llm.matmul "head" %n, %wh transpose_rhs : tensor<3x64xf32>, tensor<80x64xf32>
  return %h : tensor<3x80xf32>
}

// -----

// Two KV heads on four chips: two chips have a copy of each, and the four queries of a KV head are shared by them.
// SHARD: llm.grid = #llm.grid<tp = 2, tp_copies = 2>
// SHARD: llm.matmul "q" {{.*}}{n = [tp, tp_copies]}
// SHARD: llm.matmul "k" {{.*}}{n = [tp]}
// SHARD: llm.gqa_attn {{.*}}{g = [tp_copies], h = [tp]}
// CHECK-LABEL: @heads
// CHECK: llm.weight "wk" {llm.piece = #llm.shard<{d0 = [tp]}>} : tensor<4x32xf32>
// CHECK: llm.kv_cache "c" {llm.piece = #llm.shard<{kv_heads = [tp]}>} : <batch = 1, kv_heads = 1, head_dim = 4, capacity = 9, f32>
// CHECK: llm.gqa_attn "attn" {{.*}} : tensor<1x3x2x4xf32>, tensor<1x9x1x4xf32>, tensor<1x9x1x4xf32>
// CHECK: llm.weight "wo" {llm.piece = #llm.shard<{d1 = [tp, tp_copies]}>} : tensor<32x8xf32>
// CHECK: llm.all_reduce "o.all_reduce" sum {{.*}} over [tp, tp_copies]
func.func @heads(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %wq = llm.weight "wq" : tensor<32x32xf32>
  %q = llm.matmul "q" %x, %wq transpose_rhs : tensor<3x32xf32>, tensor<32x32xf32>
  %wk = llm.weight "wk" : tensor<8x32xf32>
  %k = llm.matmul "k" %x, %wk transpose_rhs : tensor<3x32xf32>, tensor<8x32xf32>
  %qh = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [1, 3, 8, 4] : tensor<3x32xf32> into tensor<1x3x8x4xf32>
  %kh = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<3x8xf32> into tensor<1x3x2x4xf32>
  %c0 = llm.kv_cache "c" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %c1 = llm.kv_write "write" %c0, %kh, %kh at 6 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 9, f32>, tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>
  %keys, %values = llm.kv_read %c1 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %a = llm.gqa_attn "attn" %qh, %keys, %values mask causal scale 0.5 : tensor<1x3x8x4xf32>, tensor<1x9x2x4xf32>, tensor<1x9x2x4xf32>
  %rows = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<1x3x8x4xf32> into tensor<3x32xf32>
  %wo = llm.weight "wo" : tensor<32x32xf32>
  %o = llm.matmul "o" %rows, %wo transpose_rhs : tensor<3x32xf32>, tensor<32x32xf32>
  return %o : tensor<3x32xf32>
}

// -----

// A sum of two products is summed up once, behind it.
// CHECK-LABEL: @once
// CHECK: llm.matmul "a"
// CHECK-NEXT: llm.weight
// CHECK: llm.matmul "b"
// CHECK-NEXT: llm.add "sum"
// CHECK-NEXT: llm.all_reduce "sum.all_reduce"
func.func @once(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %w = llm.weight "w" : tensor<64x32xf32>
  %u = llm.matmul "u" %x, %w transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %wa = llm.weight "wa" : tensor<32x64xf32>
  %a = llm.matmul "a" %u, %wa transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>
  %wb = llm.weight "wb" : tensor<32x64xf32>
  %b = llm.matmul "b" %u, %wb transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>
  %s = llm.add "sum" %a, %b : tensor<3x32xf32>, tensor<3x32xf32>
  return %s : tensor<3x32xf32>
}

// -----

// Blocks of scales are not cut: of 2 x 32 columns, four chips would have half a block each. With as many zeros behind, each has one.
// CHECK-LABEL: @blocks
// CHECK: llm.weight "w" {llm.piece = #llm.shard<{d0 = [tp]}>, llm.unpadded = array<i64: 64, 32>} : tensor<32x32x
func.func @blocks(%x: tensor<3x32xf32>) -> tensor<3x64xf32> {
  %w = llm.weight "w" : tensor<64x32x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
  %u = llm.matmul "u" %x, %w transpose_rhs : tensor<3x32xf32>, tensor<64x32x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
  return %u : tensor<3x64xf32>
}

// -----

// A token is quantized with one scale for its row. Each chip has a scale of its own piece, as serving stacks do; blocks of
// 16 columns have the scales that they have anyway.
// CHECK-LABEL: @scales
// CHECK: llm.matmul "up"
// CHECK-NEXT: llm.quantize "rows" {{.*}} : tensor<3x16xf32>
// CHECK: llm.matmul "down" {{.*}} : tensor<3x16x!llm.block_scaled<f8E4M3FN, [?], f32>>, tensor<32x16xf32>
// CHECK-NEXT: llm.all_reduce "down.all_reduce"
// CHECK: llm.quantize "blocks" {{.*}} : tensor<3x16xf32>
// CHECK: llm.all_reduce "last.all_reduce"
func.func @scales(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %wu = llm.weight "wu" : tensor<64x32xf32>
  %u = llm.matmul "up" %x, %wu transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %q = llm.quantize "rows" %u to !llm.block_scaled<f8E4M3FN, [?], f32> : tensor<3x64xf32>
  %wd = llm.weight "wd" : tensor<32x64xf32>
  %d = llm.matmul "down" %q, %wd transpose_rhs to f32 : tensor<3x64x!llm.block_scaled<f8E4M3FN, [?], f32>>, tensor<32x64xf32>
  %wv = llm.weight "wv" : tensor<64x32xf32>
  %v = llm.matmul "next" %d, %wv transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %p = llm.quantize "blocks" %v to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<3x64xf32>
  %wl = llm.weight "wl" : tensor<32x64xf32>
  %l = llm.matmul "last" %p, %wl transpose_rhs to f32 : tensor<3x64x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x64xf32>
  return %l : tensor<3x32xf32>
}

// -----

// Gate and up lie side by side in one weight. Each is cut for itself: a chip has a piece of each, and its slices begin where
// these do. What is added to them whole is taken in pieces of the same kind.
// SHARD: llm.matmul "gate_up" {{.*}}llm.shard = #llm.shard<{n = [tp] of [64, 32, 32]}>
// SHARD: llm.add "shifted" {{.*}}llm.shard = #llm.shard<{d1 = [tp] of [64, 32, 32]}>
// SHARD: llm.mul "twice" {{.*}}llm.shard = #llm.shard<{d1 = [tp] of [32, 32]}>
// CHECK-LABEL: @segments
// CHECK: llm.weight "w" {llm.piece = #llm.shard<{d0 = [tp] of [64, 32, 32]}>} : tensor<32x32xf32>
// CHECK: %[[P:.*]] = llm.matmul "gate_up" {{.*}} : tensor<3x32xf32>, tensor<32x32xf32>
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %[[Y:.*]][0, 0] [3, 64] [1, 1]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %[[Y]][0, 64] [3, 32] [1, 1]
// CHECK-DAG: %[[C:.*]] = tensor.extract_slice %[[Y]][0, 96] [3, 32] [1, 1]
// CHECK-DAG: %[[AP:.*]] = llm.take_piece %[[A]] over [tp] dim 1 : tensor<3x64xf32> -> tensor<3x16xf32>
// CHECK-DAG: %[[BP:.*]] = llm.take_piece %[[B]] over [tp] dim 1 : tensor<3x32xf32> -> tensor<3x8xf32>
// CHECK-DAG: %[[CP:.*]] = llm.take_piece %[[C]] over [tp] dim 1 : tensor<3x32xf32> -> tensor<3x8xf32>
// CHECK: %[[OWN:.*]] = tensor.concat dim(1) %[[AP]], %[[BP]], %[[CP]]
// CHECK: %[[S:.*]] = llm.add "shifted" %[[P]], %[[OWN]]
// CHECK: tensor.extract_slice %[[S]][0, 0] [3, 16] [1, 1]
// CHECK: tensor.extract_slice %[[S]][0, 16] [3, 16] [1, 1]
// What is returned is gathered, chip behind chip, and put into the order of the segments.
// CHECK: %[[G:.*]] = llm.all_gather
// CHECK-SAME: tensor<3x16xf32> -> tensor<3x64xf32>
// CHECK-DAG: tensor.extract_slice %[[G]][0, 0] [3, 8] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[G]][0, 16] [3, 8] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[G]][0, 56] [3, 8] [1, 1]
// CHECK: tensor.concat dim(1)
func.func @segments(%x: tensor<3x32xf32>, %y: tensor<3x128xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>) {
  %w = llm.weight "w" : tensor<128x32xf32>
  %p = llm.matmul "gate_up" %x, %w transpose_rhs : tensor<3x32xf32>, tensor<128x32xf32>
  %s = llm.add "shifted" %p, %y : tensor<3x128xf32>, tensor<3x128xf32>
  %a = tensor.extract_slice %s[0, 0] [3, 64] [1, 1] : tensor<3x128xf32> to tensor<3x64xf32>
  %bc = tensor.extract_slice %s[0, 64] [3, 64] [1, 1] : tensor<3x128xf32> to tensor<3x64xf32>
  %t = llm.mul "twice" %bc, %bc : tensor<3x64xf32>, tensor<3x64xf32>
  %b = tensor.extract_slice %t[0, 0] [3, 32] [1, 1] : tensor<3x64xf32> to tensor<3x32xf32>
  %c = tensor.extract_slice %t[0, 32] [3, 32] [1, 1] : tensor<3x64xf32> to tensor<3x32xf32>
  %bc2 = llm.swiglu "act" %b, %c : tensor<3x32xf32>, tensor<3x32xf32>
  %wd = llm.weight "wd" : tensor<32x64xf32>
  %d = llm.matmul "down" %a, %wd transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>
  %we = llm.weight "we" : tensor<32x32xf32>
  %e = llm.matmul "out" %bc2, %we transpose_rhs : tensor<3x32xf32>, tensor<32x32xf32>
  %sum = llm.add "sum" %d, %e : tensor<3x32xf32>, tensor<3x32xf32>
  return %sum, %t : tensor<3x32xf32>, tensor<3x64xf32>
}
