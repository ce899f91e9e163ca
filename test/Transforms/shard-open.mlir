// RUN: llm-opt %s --llm-shard=tp=2 --llm-partition | FileCheck %s
// RUN: llm-opt %s --llm-shard=tp=2 --llm-partition --llm-bind-shapes=sizes=seq=3,kv_len=8 --canonicalize | FileCheck %s --check-prefix=BOUND
// RUN: llm-opt %s "--llm-shard=tp=2 sp" --llm-partition | FileCheck %s

// How many tokens there are is open: heads and columns are cut, rows and positions are not. Asking for an open size needs no exchange,
// and a slice that drops zeros has as many rows as there are.
// CHECK-LABEL: func.func @open(
// BOUND-LABEL: func.func @open(
func.func @open(%x: tensor<?x16xf32>) -> tensor<?x17xf32> attributes {llm.program = #llm.program<"m", decode, batch = 1, seq = ?, kv_len = ?, layers = 1 of 2>} {
  %seq = llm.size "seq"
  %kv_len = llm.size "kv_len"
  %first = arith.subi %kv_len, %seq : index
  %h = llm.sized %x[%seq] : tensor<?x16xf32>
  // CHECK: llm.matmul "qkv" %{{.*}} : tensor<?x16xf32>, tensor<16x16xf32>
  %w = llm.weight "qkv.weight" : tensor<32x16xf32>
  %qkv = llm.matmul "qkv" %h, %w transpose_rhs : tensor<?x16xf32>, tensor<32x16xf32>
  // CHECK: tensor.dim %{{.*}} : tensor<?x16xf32>
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [%{{.*}}, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %qkv, %c0 : tensor<?x32xf32>
  %q = tensor.extract_slice %qkv[0, 0] [%rows, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %k = tensor.extract_slice %qkv[0, 16] [%rows, 8] [1, 1] : tensor<?x32xf32> to tensor<?x8xf32>
  %v = tensor.extract_slice %qkv[0, 24] [%rows, 8] [1, 1] : tensor<?x32xf32> to tensor<?x8xf32>
  // CHECK: tensor.expand_shape %{{.*}} output_shape [1, %{{.*}}, 2, 4] : tensor<?x8xf32> into tensor<1x?x2x4xf32>
  %qs = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [1, %seq, 4, 4] : tensor<?x16xf32> into tensor<1x?x4x4xf32>
  %ks = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, %seq, 2, 4] : tensor<?x8xf32> into tensor<1x?x2x4xf32>
  %vs = tensor.expand_shape %v [[0, 1], [2, 3]] output_shape [1, %seq, 2, 4] : tensor<?x8xf32> into tensor<1x?x2x4xf32>
  // CHECK: llm.kv_cache "c" sizes(%{{.*}}) {llm.piece = #llm.shard<{kv_heads = [tp{{(_sp)?}}]}>} : <batch = 1, kv_heads = 1, head_dim = 4, capacity = ?, f32>
  %cache = llm.kv_cache "c" sizes(%kv_len) : <batch = 1, kv_heads = 2, head_dim = 4, capacity = ?, f32>
  %new = llm.kv_write %cache, %ks, %vs at %first : <batch = 1, kv_heads = 2, head_dim = 4, capacity = ?, f32>, tensor<1x?x2x4xf32>, tensor<1x?x2x4xf32>
  %keys, %values = llm.kv_read %new rows 0 to %kv_len : <batch = 1, kv_heads = 2, head_dim = 4, capacity = ?, f32>
  // CHECK: llm.gqa_attn %{{.*}} : tensor<1x?x2x4xf32>, tensor<1x?x1x4xf32>, tensor<1x?x1x4xf32>
  // BOUND: llm.gqa_attn %{{.*}} : tensor<1x3x2x4xf32>, tensor<1x8x1x4xf32>, tensor<1x8x1x4xf32>
  %a = llm.gqa_attn %qs, %keys, %values mask causal scale 0.5 : tensor<1x?x4x4xf32>, tensor<1x?x2x4xf32>, tensor<1x?x2x4xf32>
  %as = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<1x?x4x4xf32> into tensor<?x16xf32>
  // CHECK: llm.matmul "o" %{{.*}} : tensor<?x8xf32>, tensor<16x8xf32>
  // CHECK: llm.all_reduce "o.all_reduce" sum %{{.*}} over [tp{{(_sp)?}}] : tensor<?x16xf32>
  // BOUND: llm.all_reduce "o.all_reduce" sum %{{.*}} over [tp] : tensor<3x16xf32>
  %wo = llm.weight "o.weight" : tensor<16x16xf32>
  %o = llm.matmul "o" %as, %wo transpose_rhs : tensor<?x16xf32>, tensor<16x16xf32>
  // CHECK: llm.matmul "head" %{{.*}} : tensor<?x16xf32>, tensor<9x16xf32>
  // CHECK: llm.all_gather "head.all_gather" %{{.*}} over [tp{{(_sp)?}}] dim 1 : tensor<?x9xf32> -> tensor<?x18xf32>
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [%{{.*}}, 17] [1, 1] : tensor<?x18xf32> to tensor<?x17xf32>
  // BOUND: llm.all_gather "head.all_gather" %{{.*}} over [tp] dim 1 : tensor<3x9xf32> -> tensor<3x18xf32>
  // BOUND: tensor.extract_slice %{{.*}}[0, 0] [3, 17] [1, 1] : tensor<3x18xf32> to tensor<3x17xf32>
  %wh = llm.weight "head.weight" : tensor<17x16xf32>
  %y = llm.matmul "head" %o, %wh transpose_rhs : tensor<?x16xf32>, tensor<17x16xf32>
  return %y : tensor<?x17xf32>
}
