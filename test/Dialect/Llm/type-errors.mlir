// RUN: llm-opt %s -split-input-file -verify-diagnostics

// type-C1: a tensor without a rank is no operand.
func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'llm.add' op operand #0 must be ranked tensor of floating-point or signless integer values, but got 'tensor<*xf32>'}}
  %0 = "llm.add"(%x, %x) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// type-C1: elements are floats or signless integers, not indices.
func.func @index_elements(%x: tensor<4xindex>) {
  // expected-error @+1 {{'llm.activation' op operand #0 must be ranked tensor of floating-point or signless integer values, but got 'tensor<4xindex>'}}
  %0 = llm.activation silu %x : tensor<4xindex>
  return
}

// -----

// type-C1: nor integers with a sign.
func.func @signed_elements() {
  // expected-error @+1 {{'llm.weight' op result #0 must be ranked tensor of floating-point or signless integer or block-scaled values, but got 'tensor<4xsi8>'}}
  %0 = llm.weight "w" : tensor<4xsi8>
  return
}

// -----

// type-C2: a matmul takes matrices; the batch is part of the rows.
func.func @matmul_rank(%x: tensor<1x4x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{'llm.matmul' op operand #0 must be rank-2 tensor of float, integer or block-scaled values, but got 'tensor<1x4x8xf32>'}}
  %0 = "llm.matmul"(%x, %w) : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// type-C2: attention takes [batch, queries, heads, head_dim].
func.func @attention_rank(%q: tensor<3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.qk' op operand #0 must be rank-4 tensor of float or integer values, but got 'tensor<3x4x8xf32>'}}
  %0 = "llm.qk"(%q, %k) <{mask = #llm<mask full>, scale = 1.0 : f64}>
     : (tensor<3x4x8xf32>, tensor<1x5x2x8xf32>) -> tensor<1x4x3x5xf32>
  return
}

// -----

// type-C2: the bias of an activation is a vector.
func.func @bias_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.activation' op operand #1 must be rank-1 tensor of float or integer values, but got 'tensor<4x8xf32>'}}
  %0 = "llm.activation"(%x, %x) <{kind = #llm<activation_kind silu>}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// type-C3: a result type that does not follow from the operands.
func.func @inferred(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error @+2 {{'llm.matmul' op inferred type(s) 'tensor<4x16xf32>' are incompatible with return type(s) of operation 'tensor<4x16xbf16>'}}
  // expected-error @+1 {{'llm.matmul' op failed to infer returned types}}
  %0 = "llm.matmul"(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xbf16>
  return
}

// -----

// type-C3: a cache after a write is the cache before it.
func.func @inferred_cache(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>,
                          %k: tensor<1x1x2x8xf32>) {
  // expected-error @+2 {{'llm.kv_write' op inferred type(s) '!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>' are incompatible with return type(s) of operation '!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 5, f32>'}}
  // expected-error @+1 {{'llm.kv_write' op failed to infer returned types}}
  %0 = "llm.kv_write"(%c, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, begin = array<i64: 0>}>
     : (!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<1x1x2x8xf32>,
        tensor<1x1x2x8xf32>) -> !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 5, f32>
  return
}

// -----

// type-C2: the custom syntax infers result types before the operands are checked, and says
// so for a rank that is too low ...
func.func @parsed_scalars(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.matmul' op needs an operand of rank 2, got 'tensor<f32>'}}
  %0 = llm.matmul %x, %x : tensor<f32>, tensor<f32>
  return
}

// -----

// type-C2: ... and for one that is too high.
func.func @parsed_cube(%x: tensor<1x4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error @+1 {{'llm.matmul' op needs an operand of rank 2, got 'tensor<1x4x8xf32>'}}
  %0 = llm.matmul %x, %w : tensor<1x4x8xf32>, tensor<8x16xf32>
  return
}

// -----

// type-C2: the same for rope.
func.func @parsed_rope(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.rope' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.rope %x at 0 theta 1.0 : tensor<f32>
  return
}

// -----

// type-C2: the same for softmax.
func.func @parsed_softmax(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.softmax' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.softmax %x mask full : tensor<f32>
  return
}

// -----

// type-C2: the same for qk.
func.func @parsed_qk(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.qk' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.qk %x, %x mask full scale 1.0 : tensor<f32>, tensor<f32>
  return
}

// -----

// type-C2: the same for pv.
func.func @parsed_pv(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.pv' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.pv %x, %x mask full : tensor<f32>, tensor<f32>
  return
}

// -----

// type-C2: the same for gqa_attn.
func.func @parsed_gqa_attn(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.gqa_attn' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.gqa_attn %x, %x, %x mask full scale 1.0 : tensor<f32>, tensor<f32>, tensor<f32>
  return
}

// -----

// type-C2: the same for activation.
func.func @parsed_activation(%x: tensor<4xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'llm.activation' op needs an operand of rank 1, got 'tensor<f32>'}}
  %0 = llm.activation silu %x bias %b : tensor<4xf32>, tensor<f32>
  return
}

// -----

// type-C2: the same for kv_write.
func.func @parsed_kv_write(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, %x: tensor<f32>) {
  // expected-error @+1 {{'llm.kv_write' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.kv_write %c, %x, %x at 0 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<f32>, tensor<f32>
  return
}

// -----

// type-C2: the same for mla_attn.
func.func @parsed_mla_attn(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.mla_attn' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.mla_attn %x, %x value_dim 3 mask full scale 1.0 : tensor<f32>, tensor<f32>
  return
}

// -----

// type-C2: the same for repeat_kv.
func.func @parsed_repeat_kv(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.repeat_kv' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.repeat_kv %x heads 3 : tensor<f32>
  return
}

// -----

// type-C2: the same for batch_matmul.
func.func @parsed_batch_matmul(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.batch_matmul' op needs an operand of rank 3, got 'tensor<f32>'}}
  %0 = llm.batch_matmul %x, %x : tensor<f32>, tensor<f32>
  return
}

// -----

// type-C2: the same for position_scale.
func.func @parsed_position_scale(%x: tensor<f32>) {
  // expected-error @+1 {{'llm.position_scale' op needs an operand of rank 4, got 'tensor<f32>'}}
  %0 = llm.position_scale %x at 0 step 1 slope 0.1 : tensor<f32>
  return
}

// -----

// type-C4: a sum of what is stored.
func.func @scaled_sum(%x: tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>) {
  // expected-error @+1 {{'llm.add' op operand #0 must be ranked tensor of floating-point or signless integer values, but got 'tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>'}}
  %0 = llm.add %x, %x : tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>
  return
}

// -----

// type-C4: a norm of it.
func.func @scaled_norm(%x: tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, %w: tensor<32xf32>) {
  // expected-error @+1 {{'llm.rmsnorm' op operand #0 must be ranked tensor of floating-point or signless integer values, but got 'tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>'}}
  %0 = llm.rmsnorm %x, %w epsilon 0.0 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<32xf32>
  return
}

// -----

// type-C4: a bias of it.
func.func @scaled_bias(%x: tensor<4x32xf32>, %w: tensor<32x32xf32>, %b: tensor<32x!llm.block_scaled<f8E4M3FN, [32], f32>>) {
  // expected-error @+1 {{'llm.matmul' op operand #2 must be rank-1 tensor of float or integer values, but got 'tensor<32x!llm.block_scaled<f8E4M3FN, [32], f32>>'}}
  %0 = llm.matmul %x, %w bias %b : tensor<4x32xf32>, tensor<32x32xf32>, tensor<32x!llm.block_scaled<f8E4M3FN, [32], f32>>
  return
}

// -----

// type-C4: queries of it.
func.func @scaled_query(%q: tensor<1x2x3x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, %k: tensor<1x5x3x32xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op operand #0 must be rank-4 tensor of float or integer values, but got 'tensor<1x2x3x32x!llm.block_scaled<f8E4M3FN, [32], f32>>'}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 1.0 : tensor<1x2x3x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<1x5x3x32xf32>, tensor<1x5x3x32xf32>
  return
}

// -----

// type-C4: a cache makes its scales itself: it takes plain keys.
func.func @scaled_keys(%c: !llm.kv_cache<batch = 1, kv_heads = 3, head_dim = 32, capacity = 4, f32>, %k: tensor<1x2x3x32x!llm.block_scaled<f8E4M3FN, [32], f32>>) {
  // expected-error @+1 {{'llm.kv_write' op operand #1 must be rank-4 tensor of float or integer values, but got 'tensor<1x2x3x32x!llm.block_scaled<f8E4M3FN, [32], f32>>'}}
  %0 = llm.kv_write %c, %k, %k at 0 : !llm.kv_cache<batch = 1, kv_heads = 3, head_dim = 32, capacity = 4, f32>, tensor<1x2x3x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<1x2x3x32x!llm.block_scaled<f8E4M3FN, [32], f32>>
  return
}

// -----

// type-C4: rows of experts are gathered as they are stored, and combined as they are computed.
func.func @scaled_rows(%x: tensor<8x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, %e: tensor<4x2xi32>) {
  // expected-error @+1 {{'llm.moe_combine' op operand #0 must be rank-2 tensor of float or integer values, but got 'tensor<8x32x!llm.block_scaled<f8E4M3FN, [32], f32>>'}}
  %0 = llm.moe_combine %x, %e : tensor<8x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<4x2xi32>
  return
}

// -----

// block_scaled-C1: a block without dimensions.
// expected-error @+1 {{a block needs at least one dimension}}
func.func private @f(tensor<4x!llm.block_scaled<i8, [], f32>>)

// -----

// block_scaled-C2: a block of nothing.
// expected-error @+1 {{a block is 1 or more in each dimension, or '?', got 0}}
func.func private @f(tensor<4x!llm.block_scaled<i8, [2, 0], f32>>)

// -----

// block_scaled-C2: a block larger than the compiler counts, of the second scale.
// expected-error @+1 {{a block is 1 or more in each dimension, or '?', got 2305843009213693952}}
func.func private @f(tensor<4x!llm.block_scaled<i8, [4], f32, [2305843009213693952], f16>>)

// -----

// block_scaled-C3: scales that are no numbers.
// expected-error @+1 {{a scale is a float or a signless integer, got 'index'}}
func.func private @f(tensor<4x!llm.block_scaled<i8, [4], index>>)

// -----

// block_scaled-C3: values that are no numbers.
// expected-error @+1 {{values are of a float or signless integer type, got 'si8'}}
func.func private @f(tensor<4x!llm.block_scaled<si8, [4], f32>>)

// -----

// block_scaled-C3: scales upon scales: one type lists them all.
// expected-error @+1 {{values are of a float or signless integer type, got '!llm.block_scaled<i8, [4], f32>'}}
func.func private @f(tensor<4x!llm.block_scaled<!llm.block_scaled<i8, [4], f32>, [4], f32>>)

// -----

// block_scaled-C4: no scale; the parser wants one already.
// expected-error @+1 {{expected ','}}
func.func private @f(tensor<4x!llm.block_scaled<i8>>)
