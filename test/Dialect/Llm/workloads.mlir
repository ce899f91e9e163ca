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

// Per element of 32: geglu 1 special and 9 operations; a factor 1; a cap 1 special and 2.
// CHECK-LABEL: func @gemma
// CHECK: work = {alu = 288, special = 32}, traffic = {dram = {lhs = 128, out = 128, rhs = 128}}
// CHECK: work = {alu = 32}, traffic = {dram = {out = 128, x = 128}}
// CHECK: work = {alu = 64, special = 32}, traffic = {dram = {out = 128, x = 128}}
func.func @gemma(%x: tensor<4x8xf32>) {
  %0 = llm.geglu %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %1 = llm.scale %x by 2.0 : tensor<4x8xf32>
  %2 = llm.soft_cap %x cap 30.0 : tensor<4x8xf32>
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

// A window of 2: each of 3 queries sees 2 keys, 24 scores of 4 heads; together they see
// keys 1 to 4, 4 x 2 x 8 x 2 bytes. A chunk of 4, with the first key at position 2: the
// queries at 4, 5 and 6 see 1, 2 and 3 keys of positions 4 to 6. Without sinks and cap as
// above: 24 x 2 + 96 operations.
// CHECK-LABEL: func @windows
// CHECK: work = {alu = 144, compare = 24, mac = 384, special = 24}, traffic = {dram = {keys = 128, out = 192, query = 192, values = 128}}
// CHECK: work = {alu = 144, compare = 24, mac = 384, special = 24}, traffic = {dram = {keys = 96, out = 192, query = 192, values = 96}}
func.func @windows(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8xbf16>) {
  %0 = llm.gqa_attn %q, %k, %k mask causal window 2 scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
  %1 = llm.gqa_attn %q, %k, %k mask causal chunk 4 from 2 scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
  return
}

// A cap adds 2 operations and 1 special to each of 24 scores, a sink a comparison, 2
// operations and 1 special to each of 12 rows, and 4 values of 4 bytes.
// CHECK-LABEL: func @sinks
// CHECK: llm.gqa_attn
// CHECK-SAME: work = {alu = 216, compare = 36, mac = 384, special = 60}, traffic = {dram = {keys = 128, out = 192, query = 192, sinks = 16, values = 128}}
// CHECK: llm.softmax
// CHECK-SAME: work = {alu = 144, compare = 36, special = 72}, traffic = {dram = {out = 96, sinks = 16, x = 96}}
func.func @sinks(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8xbf16>, %s: tensor<4xf32>, %x: tensor<1x4x3x5xf32>) {
  %0 = llm.gqa_attn %q, %k, %k sinks %s mask causal window 2 scale 1.0 soft_cap 50.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>, tensor<4xf32>
  %1 = llm.softmax %x sinks %s mask causal window 2 soft_cap 50.0 : tensor<1x4x3x5xf32>, tensor<4xf32>
  return
}

// 3 tokens of 4 bytes, and a row of 8 x 2 bytes for each, read and written: not the table.
// CHECK-LABEL: func @embedding
// CHECK: work = {}, traffic = {dram = {out = 48, table = 48, tokens = 12}}
func.func @embedding(%t: tensor<3xi32>, %w: tensor<1000x8xbf16>) {
  %0 = llm.embedding %t, %w : tensor<3xi32>, tensor<1000x8xbf16>
  return
}

// 3 rows of 100 logits: a comparison each; drawn, also 2 operations, an exponential and an
// addition, and a second comparison.
// CHECK-LABEL: func @sample
// CHECK: work = {compare = 300}, traffic = {dram = {logits = 600, out = 12}}
// CHECK: work = {alu = 900, compare = 600, special = 300}, traffic = {dram = {logits = 600, out = 12}}
func.func @sample(%x: tensor<3x100xbf16>) {
  %0 = llm.sample greedy %x : tensor<3x100xbf16>
  %1 = llm.sample categorical %x : tensor<3x100xbf16>
  return
}

// 4 tokens, 4 experts, 2 of them for each. Scores: per logit of 16, softmax 3 operations, a
// comparison and 1 special; sigmoid 1 and 2 special, and with a bias 1 more; 2 comparisons for
// groups, 2 to select. Shares: per selected one of 8, normalize 2 operations, scale 1, softmax
// of the selected 3 and 1 special.
// CHECK-LABEL: func @route
// CHECK: work = {alu = 64, compare = 48, special = 16}, traffic = {dram = {experts = 32, logits = 32, shares = 16}}
// CHECK: work = {alu = 56, compare = 64, special = 32}, traffic = {dram = {bias = 16, experts = 32, logits = 32, shares = 16}}
// CHECK: work = {alu = 24, compare = 32, special = 8}
func.func @route(%l: tensor<4x4xbf16>, %b: tensor<4xf32>) {
  %s, %e = llm.moe_route softmax %l top_k 2 normalize : tensor<4x4xbf16>
  %s1, %e1 = llm.moe_route sigmoid %l bias %b top_k 2 groups 2 top_groups 1 normalize scale 2.5 : tensor<4x4xbf16>, tensor<4xf32>
  %s2, %e2 = llm.moe_route topk_softmax %l top_k 2 : tensor<4x4xbf16>
  return
}

// The rows of 3 experts of 4: their weights of 16 x 8 x 2 bytes and biases of 16 x 4 move, the
// fourth's do not. 8 rows x 16 x 8 MACs. A dispatch reads each token's 8 x 2 bytes and writes
// them twice; a combination reads two rows of 16 for each, 2 operations per element.
// CHECK-LABEL: func @experts
// CHECK: llm.moe_dispatch
// CHECK-SAME: work = {}, traffic = {dram = {experts = 32, out = 128, x = 64}}
// CHECK: llm.grouped_matmul
// CHECK-SAME: work = {mac = 1024}, traffic = {dram = {bias = 192, lhs = 128, out = 256, rhs = 768}}
// CHECK: llm.moe_combine
// CHECK-SAME: work = {alu = 256}, traffic = {dram = {experts = 32, out = 128, shares = 16, x = 256}}
func.func @experts(%x: tensor<4x8xbf16>, %e: tensor<4x2xi32>, %s: tensor<4x2xbf16>, %w: tensor<4x16x8xbf16>, %c: tensor<4x16xf32>) {
  %r = llm.moe_dispatch %x, %e : tensor<4x8xbf16>, tensor<4x2xi32>
  %u = llm.grouped_matmul %r, %w bias %c transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2
     : tensor<8x8xbf16>, tensor<4x16x8xbf16>, tensor<4x16xf32>
  %y = llm.moe_combine %u, %e, %s : tensor<8x16xbf16>, tensor<4x2xi32>, tensor<4x2xbf16>
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
