// Kernels of several ops: text, workload, costs. The default chip holds all of these whole, so
// that each buffer moves once.
// RUN: llm-opt %s --verify-roundtrip --llm-tile --llm-verify-cost --llm-schedule --llm-verify-schedule | %one-line | FileCheck %s
// RUN: llm-opt %s --canonicalize | %one-line | FileCheck %s --check-prefix=CANON

// A product and a residual. Work: 3 x 4 x 8 macs, 12 sums. Bytes: lhs 3 x 8 x 2, rhs 8 x 4 x 2,
// the other summand and the result 3 x 4 x 2 each; the product itself does not move.
// CHECK-LABEL: func.func @product_and_sum
// CHECK: llm.fused "o_proj+residual" attributes {
// CHECK-SAME: work = {alu = 12, mac = 96}, traffic = {dram = {add.lhs = 24, add.out = 24, matmul.lhs = 48, matmul.rhs = 64}}
// CHECK-SAME: sizes = {k = 8, m = 3, n = 4}
// CHECK-NOT: llm.cost
// CHECK: llm.yield
func.func @product_and_sum(%x: tensor<3x8xbf16>, %w: tensor<8x4xbf16>, %r: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  %y = llm.fused "o_proj+residual" {
    %o = llm.matmul "o_proj" %x, %w : tensor<3x8xbf16>, tensor<8x4xbf16>
    %s = llm.add "residual" %r, %o : tensor<3x4xbf16>, tensor<3x4xbf16>
    llm.yield %s : tensor<3x4xbf16>
  } : tensor<3x4xbf16>
  return %y : tensor<3x4xbf16>
}

// The room of a tile: the product lies where the sum will be and takes none; lhs 48, rhs 64, the
// summand 24, the result 24 bytes.
// CHECK-LABEL: func.func @room
// CHECK: working_set_bytes = 160
func.func @room(%x: tensor<3x8xbf16>, %w: tensor<8x4xbf16>, %r: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  %y = llm.fused {
    %o = llm.matmul %x, %w : tensor<3x8xbf16>, tensor<8x4xbf16>
    %s = llm.add %r, %o : tensor<3x4xbf16>, tensor<3x4xbf16>
    llm.yield %s : tensor<3x4xbf16>
  } : tensor<3x4xbf16>
  return %y : tensor<3x4xbf16>
}

// A sum that goes on to others and into a norm: it is written and not read again. Work: 8 sums,
// 2 + 2 operations per element of the norm, one root per row. Bytes: five tensors of 2 x 4 x 2
// less the reading of the sum, and the norm's weight.
// CHECK-LABEL: func.func @sum_and_norm
// CHECK: work = {alu = 40, special = 2}, traffic = {dram = {add.lhs = 16, add.out = 16, add.rhs = 16, rmsnorm.out = 16, rmsnorm.weight = 8}}
// CHECK-SAME: sizes = {d0 = 2, d1 = 4}
func.func @sum_and_norm(%x: tensor<2x4xbf16>, %y: tensor<2x4xbf16>, %w: tensor<4xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>) {
  %r:2 = llm.fused "residual+norm" {
    %s = llm.add "residual" %x, %y : tensor<2x4xbf16>, tensor<2x4xbf16>
    %n = llm.rmsnorm "norm" %s, %w epsilon 1.0e-5 : tensor<2x4xbf16>, tensor<4xbf16>
    llm.yield %s, %n : tensor<2x4xbf16>, tensor<2x4xbf16>
  } : tensor<2x4xbf16>, tensor<2x4xbf16>
  return %r#0, %r#1 : tensor<2x4xbf16>, tensor<2x4xbf16>
}

// Keys on their way into the cache: columns of the product are heads and features. Work: 2 x 8 x
// 4 macs; a sine or cosine for each of 2 x 4 positions and features; 3 operations for each of 16
// elements. Bytes: x 2 x 4 x 2, weight 8 x 4 x 2, values read and both written 16 x 2.
// Attention in the next op waits for the kernel, and the cache holds 2 x 2 x 2 x 4 elements.
// CHECK-LABEL: func.func @keys
// CHECK: llm.fused
// CHECK-SAME: work = {alu = 48, mac = 64, special = 8}, traffic = {dram = {kv_write.cached_keys = 32, kv_write.cached_values = 32, kv_write.values = 32, matmul.lhs = 16, matmul.rhs = 64}}
// CHECK-SAME: sizes = {d = 4, h = 2, k = 4, m = 2}
func.func @keys(%x: tensor<2x4xbf16>, %w: tensor<8x4xbf16>, %v: tensor<1x2x2x4xbf16>, %q: tensor<1x2x2x4xbf16>) -> tensor<1x2x2x4xbf16> {
  %c = llm.kv_cache "attn" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %d = llm.fused "k_proj+k_rope+kv_write" {
    %k = llm.matmul "k_proj" %x, %w transpose_rhs : tensor<2x4xbf16>, tensor<8x4xbf16>
    %e = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 2, 2, 4] : tensor<2x8xbf16> into tensor<1x2x2x4xbf16>
    %r = llm.rope "k_rope" %e at 0 theta 1.0e4 : tensor<1x2x2x4xbf16>
    %s = llm.kv_write "kv_write" %c, %r, %v at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>
    llm.yield %s : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  } : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %keys, %values = llm.kv_read %d rows 0 to 2 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %o = llm.gqa_attn "attn" %q, %keys, %values mask causal scale 0.5 : tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>
  return %o : tensor<1x2x2x4xbf16>
}

// A kernel of one op is that op.
// CANON-LABEL: func.func @one
// CANON-NEXT: %[[Y:.+]] = llm.add "one"
// CANON-NEXT: return %[[Y]]
func.func @one(%x: tensor<2x4xbf16>) -> tensor<2x4xbf16> {
  %y = llm.fused "kernel" {
    %s = llm.add "one" %x, %x : tensor<2x4xbf16>, tensor<2x4xbf16>
    llm.yield %s : tensor<2x4xbf16>
  } : tensor<2x4xbf16>
  return %y : tensor<2x4xbf16>
}

// Ops of other dialects: a product of linalg and what is added to it. Work: 2 x 3 x 4 macs and 6
// sums. Bytes: 2 x 4 x 4, 4 x 3 x 4, and 2 x 3 x 4 read and written.
// CHECK-LABEL: func.func @linalg
// CHECK: work = {alu = 6, mac = 24}, traffic = {dram = {add.in1 = 24, add.out0 = 24, matmul.in0 = 32, matmul.in1 = 48}}
func.func @linalg(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = llm.fused "product" {
    %p = linalg.matmul ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%i : tensor<2x3xf32>) -> tensor<2x3xf32>
    %s = linalg.add ins(%p, %r : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    llm.yield %s : tensor<2x3xf32>
  } : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Gate and up in turns, columns 2 i and 2 i + 1: a tile has both. Work: 2 x 6 x 4 macs; 2 special
// and 3 other operations for each of 6. Bytes: x 2 x 4 x 2, weight 4 x 6 x 2, result 2 x 3 x 2.
// CHECK-LABEL: func.func @turns
// CHECK: work = {alu = 18, mac = 48, special = 12}, traffic = {dram = {matmul.lhs = 16, matmul.rhs = 48, swiglu.out = 12}}
// CHECK-SAME: sizes = {d1 = 3, k = 4, m = 2, matmul.n.1 = 2}
func.func @turns(%x: tensor<2x4xbf16>, %w: tensor<4x6xbf16>) -> tensor<2x3xbf16> {
  %y = llm.fused {
    %p = llm.matmul %x, %w : tensor<2x4xbf16>, tensor<4x6xbf16>
    %g = tensor.extract_slice %p[0, 0] [2, 3] [1, 2] : tensor<2x6xbf16> to tensor<2x3xbf16>
    %u = tensor.extract_slice %p[0, 1] [2, 3] [1, 2] : tensor<2x6xbf16> to tensor<2x3xbf16>
    %s = llm.swiglu %g, %u : tensor<2x3xbf16>, tensor<2x3xbf16>
    llm.yield %s : tensor<2x3xbf16>
  } : tensor<2x3xbf16>
  return %y : tensor<2x3xbf16>
}
