// RUN: llm-opt %s --llm-tile | %one-line | FileCheck %s

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

// A product of 4 x 8 by 8, by 4 x 1 and by one: 32 operations each; of the right operand as many
// elements move as there are.
// CHECK-LABEL: func @broadcast
// CHECK: work = {alu = 32}, traffic = {dram = {lhs = 128, out = 128, rhs = 32}}
// CHECK: work = {alu = 32}, traffic = {dram = {lhs = 128, out = 128, rhs = 16}}
// CHECK: work = {alu = 32}, traffic = {dram = {lhs = 128, out = 128, rhs = 4}}
func.func @broadcast(%x: tensor<4x8xf32>, %row: tensor<8xf32>, %each: tensor<4x1xf32>, %one: tensor<1xf32>) {
  %0 = llm.mul %x, %row : tensor<4x8xf32>, tensor<8xf32>
  %1 = llm.mul %x, %each : tensor<4x8xf32>, tensor<4x1xf32>
  %2 = llm.mul %x, %one : tensor<4x8xf32>, tensor<1xf32>
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
// CHECK: work = {alu = 900, compare = 600, special = 300}, traffic = {dram = {logits = 600, out = 12, random = 12}}
func.func @sample(%x: tensor<3x100xbf16>, %r: tensor<3xf32>) {
  %0 = llm.sample greedy %x : tensor<3x100xbf16>
  %1 = llm.sample categorical %x : tensor<3x100xbf16>
  %2 = llm.sample categorical %x by %r : tensor<3x100xbf16>, tensor<3xf32>
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
// With scales of experts one operation more for each of 4 x 2 shares, and 4 x 2 bytes.
// CHECK: work = {alu = 72, compare = 48, special = 16}, traffic = {dram = {expert_scales = 8, experts = 32, logits = 32, shares = 16}}
func.func @route(%l: tensor<4x4xbf16>, %b: tensor<4xf32>, %c: tensor<4xbf16>) {
  %s, %e = llm.moe_route softmax %l top_k 2 normalize : tensor<4x4xbf16>
  %s1, %e1 = llm.moe_route sigmoid %l bias %b top_k 2 groups 2 top_groups 1 normalize scale 2.5 : tensor<4x4xbf16>, tensor<4xf32>
  %s2, %e2 = llm.moe_route topk_softmax %l top_k 2 : tensor<4x4xbf16>
  %s3, %e3 = llm.moe_route softmax %l expert_scales %c top_k 2 normalize : tensor<4x4xbf16> expert_scales tensor<4xbf16>
  return
}

// The rows of 3 experts of 4: their weights of 16 x 8 x 2 bytes and biases of 16 x 4 move, the
// fourth's do not. 8 rows x 16 x 8 MACs. A dispatch reads each token's 8 x 2 bytes and writes
// them twice; a combination reads two rows of 16 for each, 2 operations per element. Which experts
// a token takes costs a product nothing.
// CHECK-LABEL: func @experts
// CHECK: llm.moe_dispatch
// CHECK-SAME: work = {}, traffic = {dram = {experts = 32, out = 128, x = 64}}
// CHECK: llm.grouped_matmul
// CHECK-SAME: work = {mac = 1024}, traffic = {dram = {bias = 192, lhs = 128, out = 256, rhs = 768}}
// CHECK: llm.moe_combine
// CHECK-SAME: work = {alu = 256}, traffic = {dram = {experts = 32, out = 128, shares = 16, x = 256}}
func.func @experts(%x: tensor<4x8xbf16>, %e: tensor<4x2xi32>, %s: tensor<4x2xbf16>, %w: tensor<4x16x8xbf16>, %c: tensor<4x16xf32>) {
  %r = llm.moe_dispatch %x, %e : tensor<4x8xbf16>, tensor<4x2xi32>
  %u = llm.grouped_matmul %r, %w bias %c experts %e transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2
     : tensor<8x8xbf16>, tensor<4x16x8xbf16>, tensor<4x16xf32> experts tensor<4x2xi32>
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

// The 48 scores of above, of 4 heads over one latent of 8 features, of which 6 are the value: 48
// x 8 and 48 x 6 MACs; one product for each of 3 x 4 x 6 outputs. A latent of 8 x 2 bytes is
// read once. With keys and values of 2 KV heads, and values of 6 features, the work is the same.
// CHECK-LABEL: func @latents
// CHECK: llm.mla_attn
// CHECK-SAME: work = {alu = 168, compare = 48, mac = 672, special = 48}, traffic = {dram = {latents = 80, out = 144, query = 192}}
// CHECK: llm.gqa_attn
// CHECK-SAME: work = {alu = 168, compare = 48, mac = 672, special = 48}, traffic = {dram = {keys = 160, out = 144, query = 192, values = 120}}
func.func @latents(%q: tensor<1x3x4x8xbf16>, %z: tensor<1x5x1x8xbf16>, %k: tensor<1x5x2x8xbf16>, %v: tensor<1x5x2x6xbf16>) {
  %0 = llm.mla_attn %q, %z value_dim 6 mask causal scale 1.0 : tensor<1x3x4x8xbf16>, tensor<1x5x1x8xbf16>
  %1 = llm.gqa_attn %q, %k, %v mask causal scale 1.0 : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x6xbf16>
  return
}

// 5 x 8 values of 2 bytes, read once and written for each of 4 heads; in f32 twice as much.
// CHECK-LABEL: func @repeat_kv
// CHECK: work = {}, traffic = {dram = {out = 320, x = 80}}
// CHECK: work = {}, traffic = {dram = {out = 640, x = 80}}
func.func @repeat_kv(%x: tensor<1x5x1x8xbf16>) {
  %0 = llm.repeat_kv %x heads 4 : tensor<1x5x1x8xbf16>
  %1 = llm.repeat_kv %x heads 4 to f32 : tensor<1x5x1x8xbf16>
  return
}

// 2 tokens, 4 heads, n = 6, k = 3: 2 x 4 x 6 x 3 MACs. Bytes: lhs 2 x 4 x 3 x 2, rhs 4 x 3 x 6 of
// 2 or 1, out 2 x 4 x 6 of 2 or 4.
// CHECK-LABEL: func @batch_matmul
// CHECK: work = {mac = 144}, traffic = {dram = {lhs = 48, out = 96, rhs = 144}}
// CHECK: work = {mac = 144}, traffic = {dram = {lhs = 48, out = 192, rhs = 72}}
func.func @batch_matmul(%x: tensor<2x4x3xbf16>, %w: tensor<4x3x6xbf16>, %wt: tensor<4x6x3xi8>) {
  %0 = llm.batch_matmul %x, %w : tensor<2x4x3xbf16>, tensor<4x3x6xbf16>
  %1 = llm.batch_matmul %x, %wt transpose_rhs to f32 : tensor<2x4x3xbf16>, tensor<4x6x3xi8>
  return
}

// A norm of 2 rows of 8 without a weight: 2 + 1 operations per element, and no bytes of it.
// swiglu with a limit: per element of 16 3 comparisons and 2 operations more; with a clamp 3
// comparisons; with caps 2 special and 4 operations.
// CHECK-LABEL: func @variants
// CHECK: work = {alu = 48, special = 2}, traffic = {dram = {out = 32, x = 32}}
// CHECK: work = {alu = 80, compare = 48, special = 32}, traffic = {dram = {lhs = 32, out = 32, rhs = 32}}
// CHECK: work = {alu = 48, compare = 48, special = 32}
// CHECK: work = {alu = 112, special = 64}
func.func @variants(%x: tensor<2x8xbf16>) {
  %0 = llm.rmsnorm %x epsilon 1.0e-5 : tensor<2x8xbf16>
  %1 = llm.swiglu %x, %x limit 7.0 : tensor<2x8xbf16>, tensor<2x8xbf16>
  %2 = llm.swiglu %x, %x clamp 7.0 : tensor<2x8xbf16>, tensor<2x8xbf16>
  %3 = llm.swiglu %x, %x caps 4.0, 25.0 : tensor<2x8xbf16>, tensor<2x8xbf16>
  return
}

// 2 sequences of 3 tokens, 4 heads of 8, 192 elements: a factor for each of 3 positions, and for
// each of 2 x 3 where the sequences begin at positions of their own: a logarithm and 5
// operations; a product per element. The same of rope's 3 x 8 or 2 x 3 x 8 angles.
// CHECK-LABEL: func @positions
// CHECK: work = {alu = 207, special = 3}, traffic = {dram = {out = 384, x = 384}}
// CHECK: work = {alu = 222, special = 6}, traffic = {dram = {out = 384, x = 384}}
// CHECK: work = {alu = 576, special = 24}
// CHECK: work = {alu = 576, special = 48}
func.func @positions(%x: tensor<2x3x4x8xbf16>) {
  %0 = llm.position_scale %x at 5 step 8192 slope 0.1 : tensor<2x3x4x8xbf16>
  %1 = llm.position_scale %x at [5, 1] step 8192 slope 0.1 : tensor<2x3x4x8xbf16>
  %2 = llm.rope %x at 5 theta 1.0e4 : tensor<2x3x4x8xbf16>
  %3 = llm.rope %x at [5, 1] theta 1.0e4 : tensor<2x3x4x8xbf16>
  return
}

// 4 x 64 values of 2 bytes become as many of 1, with a scale of 4 bytes for each 32 of them; or
// with one in all, known before: nothing is compared; or without any.
// CHECK-LABEL: func @quantize
// CHECK: work = {alu = 512, compare = 256}, traffic = {dram = {out = 288, x = 512}}
// CHECK: work = {alu = 512}, traffic = {dram = {out = 260, x = 512}}
// CHECK: work = {alu = 512}, traffic = {dram = {out = 256, x = 512}}
func.func @quantize(%x: tensor<4x64xbf16>) {
  %0 = llm.quantize %x to !llm.block_scaled<f8E4M3FN, [32], f32> : tensor<4x64xbf16>
  %1 = llm.quantize %x static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<4x64xbf16>
  %2 = llm.quantize %x to i8 : tensor<4x64xbf16>
  return
}

// topk_sigmoid: per logit of 16 2 comparisons to select, per selected one of 8 an operation and 2
// special. softmax, with groups but without a bias: a comparison for the maximum, one for the
// groups, 2 to select; 3 operations and 1 special.
// CHECK-LABEL: func @route_variants
// CHECK: work = {alu = 8, compare = 32, special = 16}
// CHECK: work = {alu = 48, compare = 64, special = 16}
func.func @route_variants(%l: tensor<4x4xbf16>) {
  %s, %e = llm.moe_route topk_sigmoid %l top_k 2 : tensor<4x4xbf16>
  %s1, %e1 = llm.moe_route softmax %l top_k 2 groups 2 top_groups 1 : tensor<4x4xbf16>
  return
}

// With shares a dispatch multiplies each of 4 x 2 x 8 elements that it writes, and reads 4 x 2 x 2
// bytes more; without them a combination adds each of 4 x 2 x 16 elements, no more.
// CHECK-LABEL: func @expert_variants
// CHECK: llm.moe_dispatch
// CHECK-SAME: work = {alu = 64}, traffic = {dram = {experts = 32, out = 128, shares = 16, x = 64}}
// CHECK: llm.moe_combine
// CHECK-SAME: work = {alu = 128}, traffic = {dram = {experts = 32, out = 128, x = 256}}
func.func @expert_variants(%x: tensor<4x8xbf16>, %e: tensor<4x2xi32>, %s: tensor<4x2xbf16>, %y: tensor<8x16xbf16>) {
  %r = llm.moe_dispatch %x, %e shares %s : tensor<4x8xbf16>, tensor<4x2xi32>, tensor<4x2xbf16>
  %c = llm.moe_combine %y, %e : tensor<8x16xbf16>, tensor<4x2xi32>
  return
}

// 2 sequences of 2 queries, 4 heads, with 5 and 3 keys of 2 KV heads. Causal, they see 4 + 5 and
// 2 + 3 keys, 14 pairs and 56 scores; a window of 2 leaves 4 pairs of each, of keys 2 to 4 and
// 0 to 2; a chunk of 4, with the first keys at 0 and 3, those of positions 0 to 3 and 4 (4 + 1
// pairs), and of 4 and 5 (1 + 2); without order each sees all of its own, 10 + 6 pairs. A key
// or value takes 2 x 8 x 2 bytes, a pair 4 x 2 x 8 MACs. Work per score and output as above.
// CHECK-LABEL: func @ragged
// CHECK: work = {alu = 240, compare = 56, mac = 896, special = 56}, traffic = {dram = {keys = 256, out = 256, query = 256, values = 256}}
// CHECK: work = {alu = 192, compare = 32, mac = 512, special = 32}, traffic = {dram = {keys = 192, out = 256, query = 256, values = 192}}
// CHECK: work = {alu = 192, compare = 32, mac = 512, special = 32}, traffic = {dram = {keys = 224, out = 256, query = 256, values = 224}}
// CHECK: work = {alu = 256, compare = 64, mac = 1024, special = 64}, traffic = {dram = {keys = 256, out = 256, query = 256, values = 256}}
func.func @ragged(%q: tensor<2x2x4x8xbf16>, %k: tensor<2x5x2x8xbf16>) {
  %0 = llm.gqa_attn %q, %k, %k mask causal lengths [5, 3] scale 1.0
     : tensor<2x2x4x8xbf16>, tensor<2x5x2x8xbf16>, tensor<2x5x2x8xbf16>
  %1 = llm.gqa_attn %q, %k, %k mask causal window 2 lengths [5, 3] scale 1.0
     : tensor<2x2x4x8xbf16>, tensor<2x5x2x8xbf16>, tensor<2x5x2x8xbf16>
  %2 = llm.gqa_attn %q, %k, %k mask causal chunk 4 from [0, 3] lengths [5, 3] scale 1.0
     : tensor<2x2x4x8xbf16>, tensor<2x5x2x8xbf16>, tensor<2x5x2x8xbf16>
  %3 = llm.gqa_attn %q, %k, %k mask full lengths [5, 3] scale 1.0
     : tensor<2x2x4x8xbf16>, tensor<2x5x2x8xbf16>, tensor<2x5x2x8xbf16>
  return
}

// The same 56 scores in pieces: 56 x 8 MACs twice; per score a comparison, 2 + 1 operations and an
// exponential, per row of 2 x 4 x 2 a reciprocal. Scores of keys that a sequence does not have
// are not moved. With one latent of 8 features for all heads, and 6 of them the value: 56 x (8 +
// 6) MACs, 8 latents.
// CHECK-LABEL: func @ragged_pieces
// CHECK: work = {mac = 448}, traffic = {dram = {keys = 256, out = 112, query = 256}}
// CHECK: work = {alu = 168, compare = 56, special = 72}, traffic = {dram = {out = 112, x = 112}}
// CHECK: work = {mac = 448}, traffic = {dram = {out = 256, probabilities = 112, values = 256}}
// CHECK: work = {alu = 208, compare = 56, mac = 784, special = 56}, traffic = {dram = {latents = 128, out = 192, query = 256}}
func.func @ragged_pieces(%q: tensor<2x2x4x8xbf16>, %k: tensor<2x5x2x8xbf16>, %z: tensor<2x5x1x8xbf16>) {
  %0 = llm.qk %q, %k mask causal lengths [5, 3] scale 1.0 : tensor<2x2x4x8xbf16>, tensor<2x5x2x8xbf16>
  %1 = llm.softmax %0 mask causal lengths [5, 3] : tensor<2x4x2x5xbf16>
  %2 = llm.pv %1, %k mask causal lengths [5, 3] : tensor<2x4x2x5xbf16>, tensor<2x5x2x8xbf16>
  %3 = llm.mla_attn %q, %z value_dim 6 mask causal lengths [5, 3] scale 1.0 : tensor<2x2x4x8xbf16>, tensor<2x5x1x8xbf16>
  return
}

// Latents are written alone: 8 elements of 4 bytes become 8 of 2. A cache with a scale for each
// row of 8 writes 4 bytes more for each of 2 heads, a paged one of several sequences no more than
// its rows.
// CHECK-LABEL: func @kv_write_variants
// CHECK: work = {}, traffic = {dram = {cached_keys = 16, keys = 32}}
// CHECK: work = {}, traffic = {dram = {cached_keys = 24, cached_values = 24, keys = 64, values = 64}}
// CHECK: work = {}, traffic = {dram = {cached_keys = 64, cached_values = 64, keys = 128, values = 128}}
func.func @kv_write_variants(%c: !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>,
    %d: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, !llm.block_scaled<f8E4M3FN, [?], f32>>,
    %e: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, bf16, page_size = 2>,
    %z: tensor<1x1x1x8xf32>, %k: tensor<1x1x2x8xf32>, %l: tensor<2x1x2x8xf32>) {
  %0 = llm.kv_write %c, %z at 3
     : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>, tensor<1x1x1x8xf32>
  %1 = llm.kv_write %d, %k, %k at 3
     : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, !llm.block_scaled<f8E4M3FN, [?], f32>>,
       tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  %2 = llm.kv_write %e, %l, %l at [3, 1]
     : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, bf16, page_size = 2>,
       tensor<2x1x2x8xf32>, tensor<2x1x2x8xf32>
  return
}

// Scales move with their values. MXFP4, 64 x 64: 2048 bytes and 64 x 2 scales; a row of it 34.
// NVFP4 of 4 experts: 4 x (2048 + 256 + 4) bytes, of which 3 experts have 3 quarters. FP8 keys, 2
// KV heads with a scale each: 2 x (8 + 4) bytes a position.
// CHECK-LABEL: func @scales
// CHECK: llm.matmul
// CHECK-SAME: traffic = {dram = {lhs = 272, out = 512, rhs = 2176}}
// CHECK: llm.embedding
// CHECK-SAME: traffic = {dram = {out = 384, table = 102, tokens = 12}}
// CHECK: llm.moe_dispatch
// CHECK-SAME: traffic = {dram = {experts = 32, out = 544, x = 272}}
// CHECK: llm.grouped_matmul
// CHECK-SAME: work = {mac = 32768}, traffic = {dram = {lhs = 544, out = 1024, rhs = 6924}}
// CHECK: llm.gqa_attn
// CHECK-SAME: traffic = {dram = {keys = 120, out = 192, query = 192, values = 120}}
func.func @scales(%x: tensor<4x64x!llm.block_scaled<f8E4M3FN, [?], f32>>,
    %w: tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>, %t: tensor<3xi32>, %e: tensor<4x2xi32>,
    %v: tensor<4x64x64x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>,
    %q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8x!llm.block_scaled<f8E4M3FN, [?], f32>>) {
  %0 = llm.matmul %x, %w transpose_rhs to bf16
     : tensor<4x64x!llm.block_scaled<f8E4M3FN, [?], f32>>, tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  %1 = llm.embedding %t, %w to bf16 : tensor<3xi32>, tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  %2 = llm.moe_dispatch %x, %e : tensor<4x64x!llm.block_scaled<f8E4M3FN, [?], f32>>, tensor<4x2xi32>
  %3 = llm.grouped_matmul %2, %v rows_per_expert [3, 0, 4, 1] top_k 2 to bf16
     : tensor<8x64x!llm.block_scaled<f8E4M3FN, [?], f32>>,
       tensor<4x64x64x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
  %4 = llm.gqa_attn %q, %k, %k mask causal scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8x!llm.block_scaled<f8E4M3FN, [?], f32>>,
       tensor<1x5x2x8x!llm.block_scaled<f8E4M3FN, [?], f32>>
  return
}

// Products run in the wider type of the values, 64 x 64 x 256 = 2^20 of them: in f8E4M3FN 8192 a
// cycle, with an operand in bf16 4096.
// CHECK-LABEL: func @scaled_rates
// CHECK: compute_cycles = 128,
// CHECK: compute_cycles = 256,
func.func @scaled_rates(%x: tensor<64x256x!llm.block_scaled<f8E4M3FN, [128], f32>>, %y: tensor<64x256xbf16>,
    %w: tensor<64x256x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %0 = llm.matmul %x, %w transpose_rhs to bf16
     : tensor<64x256x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<64x256x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %1 = llm.matmul %y, %w transpose_rhs : tensor<64x256xbf16>, tensor<64x256x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

// 2 rows of 8: 3 + 4 operations per element, one reciprocal root per row. Bytes: x and out 2 x
// 8 x 2, weight and bias 8 x 4. Without a bias, an operation per element and its bytes are less.
// CHECK-LABEL: func @layernorm
// CHECK: work = {alu = 112, special = 2}, traffic = {dram = {bias = 32, out = 32, weight = 32, x = 32}}
// CHECK: work = {alu = 96, special = 2}, traffic = {dram = {out = 32, weight = 32, x = 32}}
func.func @layernorm(%x: tensor<2x8xbf16>, %w: tensor<8xf32>) {
  %0 = llm.layernorm %x, %w, %w epsilon 1.0e-5 : tensor<2x8xbf16>, tensor<8xf32>, tensor<8xf32>
  %1 = llm.layernorm %x, %w epsilon 1.0e-5 : tensor<2x8xbf16>, tensor<8xf32>
  return
}

// Of 5 keys 2 queries see 4 and 5, 9 pairs: 9 x 3 heads x 4 features are 108 MACs. With weights
// a comparison and two operations for each of 27, and 4 comparisons for each of 9 sums. Without,
// a comparison of each of 27 with the best of its block, and 4 for each of 2 x 3 rows and 3 blocks.
// CHECK-LABEL: func @select
// CHECK: work = {alu = 54, compare = 63, mac = 108}, traffic = {dram = {keys = 40, out = 16, query = 48, weights = 12}}
// CHECK: work = {compare = 99, mac = 108}, traffic = {dram = {keys = 40, out = 48, query = 48}}
func.func @select(%q: tensor<1x2x3x4xbf16>, %k: tensor<1x5x1x4xbf16>, %w: tensor<1x2x3xbf16>) {
  %0 = llm.select_keys %q, %k weights %w mask causal scale 1.0 top 2
     : tensor<1x2x3x4xbf16>, tensor<1x5x1x4xbf16>, tensor<1x2x3xbf16>
  %1 = llm.select_keys %q, %k mask causal scale 1.0 top 2 block 2 local 1 : tensor<1x2x3x4xbf16>, tensor<1x5x1x4xbf16>
  return
}

// A query sees the keys of its slots: 2 each, so 4 pairs for 4 heads and 8 features, twice, are 256
// MACs; of scores 16, each with 1 comparison, 2 operations and an exponential; 64 quotients. Each
// query reads keys of its own: 4 x 2 KV heads x 8 x 2 bytes. Blocks of 4 reach over all 5 keys, of
// which the queries see 4 and 5: 576 MACs, 36 scores, and 2 of 2 numbers each. No more than the 5
// keys are read: 5 x 2 x 8 x 2 bytes. Of latents 3 slots, 6 pairs: 6 x 4 x (8 + 6) MACs, 24 scores,
// and 5 that are stored: 5 x 8 x 2 bytes.
// CHECK-LABEL: func @selected
// CHECK: work = {alu = 96, compare = 16, mac = 256, special = 16}, traffic = {dram = {keys = 128, out = 128, query = 128, selected = 32, values = 128}}
// CHECK: work = {alu = 136, compare = 36, mac = 576, special = 36}, traffic = {dram = {keys = 160, out = 128, query = 128, selected = 32, values = 160}}
// CHECK: work = {alu = 96, compare = 24, mac = 336, special = 24}, traffic = {dram = {latents = 80, out = 96, query = 128, selected = 24}}
func.func @selected(%q: tensor<1x2x4x8xbf16>, %k: tensor<1x5x2x8xbf16>, %z: tensor<1x5x1x8xbf16>,
    %s: tensor<1x2x2x2xi32>, %one: tensor<1x2x1x3xi32>) {
  %0 = llm.gqa_attn %q, %k, %k selected %s mask causal scale 1.0
     : tensor<1x2x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16> selected tensor<1x2x2x2xi32>
  %1 = llm.gqa_attn %q, %k, %k selected %s block 4 mask causal scale 1.0
     : tensor<1x2x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16> selected tensor<1x2x2x2xi32>
  %2 = llm.mla_attn %q, %z value_dim 6 selected %one mask causal scale 1.0
     : tensor<1x2x4x8xbf16>, tensor<1x5x1x8xbf16> selected tensor<1x2x1x3xi32>
  return
}
