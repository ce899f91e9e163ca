// RUN: llm-opt %s --llm-tile | FileCheck %s

// The work of every op, and the bytes of its operands and results. All of it fits the
// engine's memory, so that each element moves once: `traffic` is the size of the buffers.

// m = 4, n = 16, k = 8: 4 x 16 x 8 = 512 MACs; the bias is no work, only bytes. Bytes: lhs
// 4 x 8 x 2, rhs 8 x 16 x 2, bias 16 x 4, out 4 x 16 x 2 (the type of lhs).
// CHECK-LABEL: func @matmul
// CHECK: work = {mac = 512}, traffic = {dram = {bias = 64, lhs = 64, out = 128, rhs = 256}}
// CHECK: work = {mac = 512}, traffic = {dram = {lhs = 64, out = 128, rhs = 256}}
func.func @matmul(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %wt: tensor<16x8xbf16>, %b: tensor<16xf32>) {
  %0 = llm.matmul %x, %w bias %b : tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xf32>
  %1 = llm.matmul %x, %wt transpose_rhs : tensor<4x8xbf16>, tensor<16x8xbf16>
  return
}

// 2 rows of 8: 2 + 2 operations per element, one reciprocal root per row. Bytes: x and out
// 2 x 8 x 2, weight 8 x 4.
// CHECK-LABEL: func @rmsnorm
// CHECK: work = {alu = 64, special = 2}, traffic = {dram = {out = 32, weight = 32, x = 32}}
func.func @rmsnorm(%x: tensor<2x8xbf16>, %w: tensor<8xf32>) {
  %0 = llm.rmsnorm %x, %w epsilon 1.0e-5 : tensor<2x8xbf16>, tensor<8xf32>
  return
}

// 2 tokens, 4 heads of 8: a sine or cosine for each of 2 x 8 angles, which the heads share,
// and 3 operations for each of 64 elements.
// CHECK-LABEL: func @rope
// CHECK: work = {alu = 192, special = 16}, traffic = {dram = {out = 128, x = 128}}
func.func @rope(%x: tensor<1x2x4x8xf16>) {
  %0 = llm.rope %x at 3 theta 1.0e4 : tensor<1x2x4x8xf16>
  return
}

// Per element of 32: a sum 1, a product 1, swiglu 2 special and 3 others; silu 2 special
// and 2, gelu 1 and 4, gelu_tanh 1 and 8, relu a comparison, relu2 a comparison and 1.
// CHECK-LABEL: func @elementwise
// CHECK: work = {alu = 32}, traffic = {dram = {lhs = 128, out = 128, rhs = 128}}
// CHECK: work = {alu = 32}, traffic = {dram = {lhs = 128, out = 128, rhs = 128}}
// CHECK: work = {alu = 96, special = 64}, traffic = {dram = {lhs = 128, out = 128, rhs = 128}}
// CHECK: work = {alu = 64, special = 64}, traffic = {dram = {out = 128, x = 128}}
// CHECK: work = {alu = 128, special = 32}
// CHECK: work = {alu = 256, special = 32}
// CHECK: work = {compare = 32}
// CHECK: work = {alu = 32, compare = 32}
func.func @elementwise(%x: tensor<4x8xf32>) {
  %0 = llm.add %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %1 = llm.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %2 = llm.swiglu %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %3 = llm.activation silu %x : tensor<4x8xf32>
  %4 = llm.activation gelu %x : tensor<4x8xf32>
  %5 = llm.activation gelu_tanh %x : tensor<4x8xf32>
  %6 = llm.activation relu %x : tensor<4x8xf32>
  %7 = llm.activation relu2 %x : tensor<4x8xf32>
  return
}

// 3 queries and 5 keys: under a causal mask they see 3 + 4 + 5 = 12 keys, times 4 heads 48
// scores; without one 60. Per score: a comparison, a subtraction, an exponential and its
// sum, a product; per row of 12 a reciprocal. Scores that are not seen are not moved.
// CHECK-LABEL: func @softmax
// CHECK: work = {alu = 144, compare = 48, special = 60}, traffic = {dram = {out = 192, x = 192}}
// CHECK: work = {alu = 180, compare = 60, special = 72}, traffic = {dram = {out = 240, x = 240}}
func.func @softmax(%x: tensor<1x4x3x5xf32>) {
  %0 = llm.softmax %x mask causal : tensor<1x4x3x5xf32>
  %1 = llm.softmax %x mask full : tensor<1x4x3x5xf32>
  return
}

// The same pairs, head_dim 8, 2 KV heads. Fused: 48 x 8 MACs for scores and again for the
// output; per score a comparison, two operations and an exponential; one product for
// each of 3 x 4 x 8 outputs. The scores do not move. In pieces they do, visible ones only:
// 48 x 2 bytes.
// CHECK-LABEL: func @attention
// CHECK: llm.gqa_attn
// CHECK-SAME: work = {alu = 192, compare = 48, mac = 768, special = 48}, traffic = {dram = {keys = 160, out = 192, query = 192, values = 160}}
// CHECK: llm.qk
// CHECK-SAME: work = {mac = 384}, traffic = {dram = {keys = 160, out = 96, query = 192}}
// CHECK: llm.pv
// CHECK-SAME: work = {mac = 384}, traffic = {dram = {out = 192, probabilities = 96, values = 160}}
// CHECK: llm.gqa_attn
// CHECK-SAME: work = {alu = 216, compare = 60, mac = 960, special = 60}
func.func @attention(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8xbf16>, %p: tensor<1x4x3x5xbf16>) {
  %0 = llm.gqa_attn %q, %k, %k mask causal scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
  %1 = llm.qk %q, %k mask causal scale 1.0 : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>
  %2 = llm.pv %p, %k mask causal : tensor<1x4x3x5xbf16>, tensor<1x5x2x8xbf16>
  %3 = llm.gqa_attn %q, %k, %k mask full scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
  return
}

// A write moves its operands and as many rows of the cache, in the cache's element type:
// 2 x 8 elements of 4 bytes become 2 x 8 of 1. There is no arithmetic.
// CHECK-LABEL: func @kv_write
// CHECK: work = {}, traffic = {dram = {cached_keys = 16, cached_values = 16, keys = 64, values = 64}}
func.func @kv_write(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f8E4M3FN>,
                    %k: tensor<1x1x2x8xf32>) {
  %0 = llm.kv_write %c, %k, %k at 3
     : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f8E4M3FN>,
       tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  return
}

// Bytes are whole: three values of 4 bits take 2.
// CHECK-LABEL: func @storage
// CHECK: traffic = {dram = {lhs = 2, out = 2, rhs = 2}}
func.func @storage(%x: tensor<3xi4>) {
  %0 = llm.add %x, %x : tensor<3xi4>, tensor<3xi4>
  return
}
