// RUN: split-file %s %t
// RUN: llm-opt %t/all.mlir --verify-roundtrip | FileCheck %s --check-prefix=OPEN
// RUN: llm-opt %t/all.mlir --llm-bind-shapes=sizes=batch=4,kv_len=100 | FileCheck %s --check-prefix=BOUND
// RUN: llm-opt %t/row.mlir --llm-bind-shapes=sizes=seq=5 | FileCheck %s --check-prefix=ROW
// ROW: tensor.extract_slice %{{.+}}[0, 4, 0] [1, 1, 8] [1, 1, 1] : tensor<1x5x8xf32> to tensor<1x8xf32>
// ROW-NEXT: return %{{.+}} : tensor<1x8xf32>
// RUN: llm-opt %t/lengths.mlir --llm-bind-shapes=sizes=batch=3 | FileCheck %s --check-prefix=LENGTHS
// LENGTHS: mask causal lengths [2, 2, 2] entries %{{.+}} sees causal stride 4 lengths [11, 11, 11] scale
// RUN: llm-opt %t/all.mlir --llm-bind-shapes=sizes=batch=4 | FileCheck %s --check-prefix=PART

// Sizes have names; what depends on them is written with values.
// OPEN: kv_len = ?
// OPEN: %[[BATCH:.+]] = llm.size "batch"
// OPEN: llm.sized %{{.+}}[%[[BATCH]]] : tensor<?x64xbf16>
// OPEN: llm.kv_cache "cache" sizes(%[[BATCH]], %{{.+}}) : <batch = ?, kv_heads = 2, head_dim = 16, capacity = ?, bf16>
// OPEN: llm.kv_read %{{.+}} rows %{{.+}} to %{{.+}} :
// OPEN: rows_per_expert uniform top_k 2

// With values, arguments, views, caches, positions, loops and results follow; nothing is left of the
// sizes. The first of 7 keys of a window stands at 99 - 6 = 93; 4 tokens that select 2 of 4 experts
// meet 4 (1 - (1/2)^4) = 3.75, rounded 4, each with 2 rows.
// BOUND-LABEL: func.func @all(%arg0: tensor<4x64xbf16>) -> tensor<4x64xbf16>
// BOUND-SAME: batch = 4, seq = 1, kv_len = 100
// BOUND-NOT: llm.size
// BOUND: scf.for {{.*}} -> (tensor<4x64xbf16>)
// BOUND: tensor.expand_shape {{.*}} output_shape [4, 1, 4, 16] : tensor<4x64xbf16> into tensor<4x1x4x16xbf16>
// BOUND: llm.rope "q" {{.*}} at 99
// BOUND: llm.kv_cache "cache" : <batch = 4, kv_heads = 2, head_dim = 16, capacity = 100, bf16>
// BOUND: llm.kv_write "write" {{.*}} at 99 :
// BOUND: llm.kv_read %{{.+}} rows 93 to 100
// BOUND: llm.gqa_attn "attn" {{.*}} tensor<4x1x4x16xbf16>, tensor<4x7x2x16xbf16>, tensor<4x7x2x16xbf16>
// BOUND: llm.grouped_matmul "experts" {{.*}} rows_per_expert [2, 2, 2, 2] top_k 2 : tensor<8x64xbf16>

// Other sizes stay open, and can be bound later.
// PART: kv_len = ?
// PART: llm.size "kv_len"
// PART: llm.kv_cache "cache" sizes(%{{.+}}) : <batch = 4, kv_heads = 2, head_dim = 16, capacity = ?, bf16>
// RUN: llm-opt %t/all.mlir --llm-bind-shapes=sizes=batch=4 --llm-bind-shapes=sizes=kv_len=100 \
// RUN:   | FileCheck %s --check-prefix=BOUND

// Linalg follows, too: results have the shapes of what is written into.
// RUN: llm-opt %t/linalg.mlir --llm-bind-shapes=sizes=batch=8 | FileCheck %s --check-prefix=LINALG
// LINALG: func.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<8x4xf32>
// LINALG: tensor.empty() : tensor<8x4xf32>
// LINALG: linalg.matmul {{.*}} -> tensor<8x4xf32>

//--- linalg.mlir
func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %batch = llm.size "batch"
  %s = llm.sized %x[%batch] : tensor<?x4xf32>
  %e = tensor.empty(%batch) : tensor<?x4xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%s, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %m : tensor<?x4xf32>
}
//--- all.mlir
func.func @all(%arg0: tensor<?x64xbf16>) -> tensor<?x64xbf16> attributes {
    llm.program = #llm.program<"hand", decode, batch = ?, seq = 1, kv_len = ?, layers = 2 of 2>} {
  %batch = llm.size "batch"
  %kv_len = llm.size "kv_len"
  %x = llm.sized %arg0[%batch] : tensor<?x64xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %last = arith.subi %kv_len, %c1 : index
  %begin = arith.subi %last, %c6 : index
  %first = arith.maxsi %begin, %c0 : index
  %out = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> (tensor<?x64xbf16>) {
    %q = tensor.expand_shape %h [[0, 1], [2, 3]] output_shape [%batch, 1, 4, 16] : tensor<?x64xbf16> into tensor<?x1x4x16xbf16>
    %qr = llm.rope "q" %q at %last theta 1.0e4 : tensor<?x1x4x16xbf16>
    %half = tensor.extract_slice %h[0, 0] [%batch, 32] [1, 1] : tensor<?x64xbf16> to tensor<?x32xbf16>
    %k = tensor.expand_shape %half [[0, 1], [2, 3]] output_shape [%batch, 1, 2, 16] : tensor<?x32xbf16> into tensor<?x1x2x16xbf16>
    %c = llm.kv_cache "cache" sizes(%batch, %kv_len) : !llm.kv_cache<batch = ?, kv_heads = 2, head_dim = 16, capacity = ?, bf16>
    %w = llm.kv_write "write" %c, %k, %k at %last : !llm.kv_cache<batch = ?, kv_heads = 2, head_dim = 16, capacity = ?, bf16>, tensor<?x1x2x16xbf16>, tensor<?x1x2x16xbf16>
    %keys, %values = llm.kv_read %w rows %first to %kv_len : !llm.kv_cache<batch = ?, kv_heads = 2, head_dim = 16, capacity = ?, bf16>
    %a = llm.gqa_attn "attn" %qr, %keys, %values mask causal window 7 scale 0.25 : tensor<?x1x4x16xbf16>, tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>
    %rows = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<?x1x4x16xbf16> into tensor<?x64xbf16>
    %logits = llm.weight "router" : tensor<4x64xbf16>
    %scores = llm.matmul "route_in" %rows, %logits transpose_rhs : tensor<?x64xbf16>, tensor<4x64xbf16>
    %shares, %experts = llm.moe_route "route" softmax %scores top_k 2 : tensor<?x4xbf16>
    %sent = llm.moe_dispatch "dispatch" %rows, %experts : tensor<?x64xbf16>, tensor<?x2xi32>
    %we = llm.weight "experts" : tensor<4x64x64xbf16>
    %e = llm.grouped_matmul "experts" %sent, %we experts %experts transpose_rhs rows_per_expert uniform top_k 2 : tensor<?x64xbf16>, tensor<4x64x64xbf16> experts tensor<?x2xi32>
    %y = llm.moe_combine "combine" %e, %experts, %shares : tensor<?x64xbf16>, tensor<?x2xi32>, tensor<?x2xbf16>
    scf.yield %y : tensor<?x64xbf16>
  }
  return %out : tensor<?x64xbf16>
}

//--- row.mlir
// A slice may leave out dimensions of size 1.
func.func @row(%arg0: tensor<1x?x8xf32>) -> tensor<1x8xf32> {
  %seq = llm.size "seq"
  %x = llm.sized %arg0[%seq] : tensor<1x?x8xf32>
  %c1 = arith.constant 1 : index
  %last = arith.subi %seq, %c1 : index
  %row = tensor.extract_slice %x[0, %last, 0] [1, 1, 8] [1, 1, 1] : tensor<1x?x8xf32> to tensor<1x8xf32>
  return %row : tensor<1x8xf32>
}

//--- lengths.mlir
// One length of a mask stands for all sequences of an open batch.
func.func @lengths(%arg0: tensor<?x1x2x8xf32>, %arg1: tensor<?x3x1x8xf32>, %arg2: tensor<?x2x1x8xf32>) -> tensor<?x1x2x8xf32> {
  %batch = llm.size "batch"
  %q = llm.sized %arg0[%batch] : tensor<?x1x2x8xf32>
  %z = llm.sized %arg1[%batch] : tensor<?x3x1x8xf32>
  %c = llm.sized %arg2[%batch] : tensor<?x2x1x8xf32>
  %y = llm.compressed_attn %q, %z mask causal lengths [2] entries %c sees causal stride 4 lengths [11] scale 1.0 : tensor<?x1x2x8xf32>, tensor<?x3x1x8xf32> entries tensor<?x2x1x8xf32>
  return %y : tensor<?x1x2x8xf32>
}
