// RUN: llm-opt %s -split-input-file -verify-diagnostics

// gqa_attn-C1: keys and values of two lengths.
func.func @attn_values(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %v: tensor<1x6x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op keys 'tensor<1x5x2x8xf32>' and values 'tensor<1x6x2x8xf32>' must agree in batch, keys, KV heads and element type}}
  %0 = llm.gqa_attn %q, %k, %v mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x6x2x8xf32>
  return
}

// -----

// gqa_attn-C2: queries and keys of two batches.
func.func @attn_batch(%q: tensor<2x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op query 'tensor<2x3x4x8xf32>' and keys 'tensor<1x5x2x8xf32>' must agree in batch and head_dim}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 1.0 : tensor<2x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// gqa_attn-C2: queries and keys of two head sizes.
func.func @attn_head_dim(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x16xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op query 'tensor<1x3x4x8xf32>' and keys 'tensor<1x5x2x16xf32>' must agree in batch and head_dim}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x16xf32>, tensor<1x5x2x16xf32>
  return
}

// -----

// gqa_attn-C3: a scale of 0 makes all keys equal.
func.func @attn_scale(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op scale must be finite and positive}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 0.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// gqa_attn-C3: a scale without end.
func.func @attn_scale_infinite(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op scale must be finite and positive}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 0x7FF0000000000000 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// gqa_attn-C4: 4 heads cannot share 3 KV heads evenly.
func.func @attn_heads(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x3x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op 4 heads are not a multiple of 3 KV heads}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x3x8xf32>, tensor<1x5x3x8xf32>
  return
}

// -----

// gqa_attn-C4: no KV head serves any head.
func.func @attn_no_heads(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x0x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op 4 heads are not a multiple of 0 KV heads}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x0x8xf32>, tensor<1x5x0x8xf32>
  return
}

// -----

// gqa_attn-C5: the first of 6 queries would come before the first of 5 keys.
func.func @attn_mask(%q: tensor<1x6x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op a causal mask needs at least as many keys as queries, got 6 queries and 5 keys}}
  %0 = llm.gqa_attn %q, %k, %k mask causal scale 1.0 : tensor<1x6x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// A mask that is not known: the parser lists those that are.
func.func @mask(%q: tensor<1x6x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+2 {{failed to parse Llm_MaskAttr parameter 'kind'}}
  // expected-error @+1 {{custom op 'llm.qk' expected one of [causal, full] for which keys a query sees, got: window}}
  %0 = llm.qk %q, %k mask window scale 1.0 : tensor<1x6x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// qk-C1: queries and keys of two batches.
func.func @qk_batch(%q: tensor<2x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.qk' op query 'tensor<2x3x4x8xf32>' and keys 'tensor<1x5x2x8xf32>' must agree in batch and head_dim}}
  %0 = llm.qk %q, %k mask full scale 1.0 : tensor<2x3x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// qk-C2: the scale is below 0.
func.func @qk_scale(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.qk' op scale must be finite and positive}}
  %0 = llm.qk %q, %k mask full scale -1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// qk-C2: the scale is not a number.
func.func @qk_scale_nan(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.qk' op scale must be finite and positive}}
  %0 = llm.qk %q, %k mask full scale 0x7FF8000000000000 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// qk-C3: there are more KV heads than heads.
func.func @qk_heads(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x8x8xf32>) {
  // expected-error @+1 {{'llm.qk' op 4 heads are not a multiple of 8 KV heads}}
  %0 = llm.qk %q, %k mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x8x8xf32>
  return
}

// -----

// qk-C4: more queries than keys under a causal mask.
func.func @qk_mask(%q: tensor<1x6x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.qk' op a causal mask needs at least as many keys as queries, got 6 queries and 5 keys}}
  %0 = llm.qk %q, %k mask causal scale 1.0 : tensor<1x6x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// softmax-C1: more queries than keys under a causal mask.
func.func @softmax_mask(%x: tensor<1x4x6x5xf32>) {
  // expected-error @+1 {{'llm.softmax' op a causal mask needs at least as many keys as queries, got 6 queries and 5 keys}}
  %0 = llm.softmax %x mask causal : tensor<1x4x6x5xf32>
  return
}

// -----

// pv-C1: probabilities and values of two batches.
func.func @pv_batch(%p: tensor<2x4x3x5xf32>, %v: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.pv' op probabilities 'tensor<2x4x3x5xf32>' and values 'tensor<1x5x2x8xf32>' must agree in batch and keys}}
  %0 = llm.pv %p, %v mask full : tensor<2x4x3x5xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// pv-C1: probabilities of 5 keys and values of 6.
func.func @pv_keys(%p: tensor<1x4x3x5xf32>, %v: tensor<1x6x2x8xf32>) {
  // expected-error @+1 {{'llm.pv' op probabilities 'tensor<1x4x3x5xf32>' and values 'tensor<1x6x2x8xf32>' must agree in batch and keys}}
  %0 = llm.pv %p, %v mask full : tensor<1x4x3x5xf32>, tensor<1x6x2x8xf32>
  return
}

// -----

// pv-C2: 4 heads cannot share 3 KV heads evenly.
func.func @pv_heads(%p: tensor<1x4x3x5xf32>, %v: tensor<1x5x3x8xf32>) {
  // expected-error @+1 {{'llm.pv' op 4 heads are not a multiple of 3 KV heads}}
  %0 = llm.pv %p, %v mask full : tensor<1x4x3x5xf32>, tensor<1x5x3x8xf32>
  return
}

// -----

// pv-C3: more queries than keys under a causal mask.
func.func @pv_mask(%p: tensor<1x4x6x5xf32>, %v: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.pv' op a causal mask needs at least as many keys as queries, got 6 queries and 5 keys}}
  %0 = llm.pv %p, %v mask causal : tensor<1x4x6x5xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// gqa_attn-C6: a sink for each KV head, not for each head.
func.func @attn_sinks(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op sinks 'tensor<2xf32>' must be one for each of 4 heads}}
  %0 = llm.gqa_attn %q, %k, %k sinks %s mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>, tensor<2xf32>
  return
}

// -----

// gqa_attn-C7: a cap of nothing.
func.func @attn_cap(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op soft_cap must be finite and positive}}
  %0 = llm.gqa_attn %q, %k, %k mask full scale 1.0 soft_cap 0.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// softmax-C2: sinks for other heads.
func.func @softmax_sinks(%x: tensor<1x4x3x5xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{'llm.softmax' op sinks 'tensor<3xf32>' must be one for each of 4 heads}}
  %0 = llm.softmax %x sinks %s mask full : tensor<1x4x3x5xf32>, tensor<3xf32>
  return
}

// -----

// softmax-C3: a cap without end.
func.func @softmax_cap(%x: tensor<1x4x3x5xf32>) {
  // expected-error @+1 {{'llm.softmax' op soft_cap must be finite and positive}}
  %0 = llm.softmax %x mask full soft_cap 0x7FF0000000000000 : tensor<1x4x3x5xf32>
  return
}

// -----

// mask-C1: a window below nothing.
func.func @mask_window(%x: tensor<1x4x3x5xf32>) {
  // expected-error @+1 {{'window' must be in [0, 2^61), got -1}}
  %0 = llm.softmax %x mask causal window -1 : tensor<1x4x3x5xf32>
  return
}

// -----

// mask-C1: a first key before the first position.
func.func @mask_from(%x: tensor<1x4x3x5xf32>) {
  // expected-error @+1 {{'from' must be in [0, 2^61), got -1}}
  %0 = llm.softmax %x mask causal chunk 4 from -1 : tensor<1x4x3x5xf32>
  return
}

// -----

// mask-C2: a window without order.
func.func @mask_full_window(%x: tensor<1x4x3x5xf32>) {
  // expected-error @+1 {{a window or a chunk needs a causal mask}}
  %0 = llm.softmax %x mask full window 4 : tensor<1x4x3x5xf32>
  return
}

// -----

// mask-C3: both.
func.func @mask_both(%x: tensor<1x4x3x5xf32>) {
  // expected-error @+1 {{a mask has a window or a chunk, not both}}
  %0 = llm.softmax %x mask causal window 2 chunk 4 from 0 : tensor<1x4x3x5xf32>
  return
}

// -----

// mask-C4: the position of the first key matters to a chunk only.
func.func @mask_position(%x: tensor<1x4x3x5xf32>) {
  // expected-error @+1 {{the position of the first key matters to a chunk only}}
  %0 = llm.softmax %x mask causal window 2 from 3 : tensor<1x4x3x5xf32>
  return
}

// -----

// sample-C1: random numbers for nothing.
func.func @greedy(%x: tensor<3x10xf32>, %r: tensor<3xf32>) {
  // expected-error @+1 {{'llm.sample' op takes random numbers where it is 'categorical' only}}
  %0 = llm.sample greedy %x by %r : tensor<3x10xf32>, tensor<3xf32>
  return
}

// -----

// sample-C2: as many as there are rows.
func.func @randoms(%x: tensor<3x10xf32>, %r: tensor<2xf32>) {
  // expected-error @+1 {{'llm.sample' op random numbers are floats, one for each row of 'tensor<3x10xf32>', got 'tensor<2xf32>'}}
  %0 = llm.sample categorical %x by %r : tensor<3x10xf32>, tensor<2xf32>
  return
}

// -----

// embedding-C1: tokens that are no whole numbers.
func.func @tokens(%t: tensor<3xf32>, %w: tensor<10x8xf32>) {
  // expected-error @+1 {{'llm.embedding' op tokens are whole numbers, got 'tensor<3xf32>'}}
  %0 = llm.embedding %t, %w : tensor<3xf32>, tensor<10x8xf32>
  return
}

// -----

// gqa_attn-C1: keys and values of two types.
func.func @attn_value_type(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %v: tensor<1x5x2x8xbf16>) {
  // expected-error @+1 {{'llm.gqa_attn' op keys 'tensor<1x5x2x8xf32>' and values 'tensor<1x5x2x8xbf16>' must agree in batch, keys, KV heads and element type}}
  %0 = llm.gqa_attn %q, %k, %v mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xbf16>
  return
}

// -----

// gqa_attn-C1: values of other heads; another value_dim alone is none.
func.func @attn_value_heads(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %v: tensor<1x5x4x16xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op keys 'tensor<1x5x2x8xf32>' and values 'tensor<1x5x4x16xf32>' must agree in batch, keys, KV heads and element type}}
  %0 = llm.gqa_attn %q, %k, %v mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x4x16xf32>
  return
}

// -----

// gqa_attn-C8: one length for two sequences.
func.func @attn_lengths(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op the mask has 1 lengths for 2 sequences}}
  %0 = llm.gqa_attn %q, %k, %k mask causal lengths [5] scale 1.0 : tensor<2x3x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>
  return
}

// -----

// gqa_attn-C9: a sequence longer than its keys.
func.func @attn_long(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op a sequence of 6 keys does not lie within 5 keys}}
  %0 = llm.gqa_attn %q, %k, %k mask full lengths [5, 6] scale 1.0 : tensor<2x3x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>
  return
}

// -----

// gqa_attn-C9: a sequence whose first query would come before its first key.
func.func @attn_short(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x2x8xf32>) {
  // expected-error @+1 {{'llm.gqa_attn' op a sequence of 2 keys does not lie within 5 keys or has fewer keys than queries}}
  %0 = llm.gqa_attn %q, %k, %k mask causal lengths [5, 2] scale 1.0 : tensor<2x3x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>
  return
}

// -----

// mla_attn-C1: latents of another rank than the query.
func.func @mla_rank(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x1x6xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op query 'tensor<1x3x4x8xf32>' and keys 'tensor<1x5x1x6xf32>' must agree in batch and head_dim}}
  %0 = llm.mla_attn %q, %z value_dim 6 mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x1x6xf32>
  return
}

// -----

// mla_attn-C1: latents of another batch.
func.func @mla_batch(%q: tensor<2x3x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op query 'tensor<2x3x4x8xf32>' and keys 'tensor<1x5x1x8xf32>' must agree in batch and head_dim}}
  %0 = llm.mla_attn %q, %z value_dim 6 mask full scale 1.0 : tensor<2x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// mla_attn-C2: a scale of 0.
func.func @mla_scale(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op scale must be finite and positive}}
  %0 = llm.mla_attn %q, %z value_dim 6 mask full scale 0.0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// mla_attn-C3: latents of two heads.
func.func @mla_heads(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op latents 'tensor<1x5x2x8xf32>' must be of one head, and value_dim 6 features of them the values}}
  %0 = llm.mla_attn %q, %z value_dim 6 mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// mla_attn-C3: more values than features.
func.func @mla_value_dim(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op latents 'tensor<1x5x1x8xf32>' must be of one head, and value_dim 9 features of them the values}}
  %0 = llm.mla_attn %q, %z value_dim 9 mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// mla_attn-C3: no values.
func.func @mla_no_values(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op latents 'tensor<1x5x1x8xf32>' must be of one head, and value_dim 0 features of them the values}}
  %0 = llm.mla_attn %q, %z value_dim 0 mask full scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// mla_attn-C4: more queries than keys under a causal mask.
func.func @mla_mask(%q: tensor<1x6x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op a causal mask needs at least as many keys as queries, got 6 queries and 5 keys}}
  %0 = llm.mla_attn %q, %z value_dim 6 mask causal scale 1.0 : tensor<1x6x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// mla_attn-C5: three lengths for two sequences.
func.func @mla_lengths(%q: tensor<2x3x4x8xf32>, %z: tensor<2x5x1x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op the mask has 3 lengths for 2 sequences}}
  %0 = llm.mla_attn %q, %z value_dim 6 mask causal lengths [5, 4, 3] scale 1.0 : tensor<2x3x4x8xf32>, tensor<2x5x1x8xf32>
  return
}

// -----

// mla_attn-C6: a sequence longer than its latents.
func.func @mla_long(%q: tensor<2x3x4x8xf32>, %z: tensor<2x5x1x8xf32>) {
  // expected-error @+1 {{'llm.mla_attn' op a sequence of 6 keys does not lie within 5 keys}}
  %0 = llm.mla_attn %q, %z value_dim 6 mask causal lengths [6, 5] scale 1.0 : tensor<2x3x4x8xf32>, tensor<2x5x1x8xf32>
  return
}

// -----

// repeat_kv-C1: no head.
func.func @repeat_none(%x: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.repeat_kv' op heads must be positive, got 0}}
  %0 = llm.repeat_kv %x heads 0 : tensor<1x5x2x8xf32>
  return
}

// -----

// repeat_kv-C2: heads that do not share the KV heads evenly.
func.func @repeat_heads(%x: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.repeat_kv' op 3 heads are not a multiple of 2 KV heads}}
  %0 = llm.repeat_kv %x heads 3 : tensor<1x5x2x8xf32>
  return
}

// -----

// repeat_kv-C3: scaled values, repeated as they are.
func.func @repeat_scaled(%x: tensor<1x5x2x32x!llm.block_scaled<f8E4M3FN, [32], f32>>) {
  // expected-error @+1 {{'llm.repeat_kv' op cannot have a result of '!llm.block_scaled<f8E4M3FN, [32], f32>' elements: name a float or integer type with 'to'}}
  %0 = llm.repeat_kv %x heads 4 : tensor<1x5x2x32x!llm.block_scaled<f8E4M3FN, [32], f32>>
  return
}

// -----

// qk-C5: two lengths for one sequence.
func.func @qk_lengths(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.qk' op the mask has 2 lengths for 1 sequences}}
  %0 = llm.qk %q, %k mask full lengths [5, 4] scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// qk-C6: a sequence with fewer keys than queries.
func.func @qk_short(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.qk' op a sequence of 2 keys does not lie within 5 keys or has fewer keys than queries}}
  %0 = llm.qk %q, %k mask causal lengths [2] scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// softmax-C4: one length for two sequences.
func.func @softmax_lengths(%x: tensor<2x4x3x5xf32>) {
  // expected-error @+1 {{'llm.softmax' op the mask has 1 lengths for 2 sequences}}
  %0 = llm.softmax %x mask causal lengths [5] : tensor<2x4x3x5xf32>
  return
}

// -----

// softmax-C5: a sequence longer than its keys.
func.func @softmax_long(%x: tensor<2x4x3x5xf32>) {
  // expected-error @+1 {{'llm.softmax' op a sequence of 6 keys does not lie within 5 keys}}
  %0 = llm.softmax %x mask causal lengths [5, 6] : tensor<2x4x3x5xf32>
  return
}

// -----

// pv-C4: one length for two sequences.
func.func @pv_lengths(%p: tensor<2x4x3x5xf32>, %v: tensor<2x5x2x8xf32>) {
  // expected-error @+1 {{'llm.pv' op the mask has 1 lengths for 2 sequences}}
  %0 = llm.pv %p, %v mask causal lengths [5] : tensor<2x4x3x5xf32>, tensor<2x5x2x8xf32>
  return
}

// -----

// pv-C5: a sequence longer than its keys.
func.func @pv_long(%p: tensor<2x4x3x5xf32>, %v: tensor<2x5x2x8xf32>) {
  // expected-error @+1 {{'llm.pv' op a sequence of 6 keys does not lie within 5 keys}}
  %0 = llm.pv %p, %v mask full lengths [6, 1] : tensor<2x4x3x5xf32>, tensor<2x5x2x8xf32>
  return
}

// -----

// mask-C1: a first key of one of two sequences before the first position.
func.func @mask_from_each(%x: tensor<2x4x3x5xf32>) {
  // expected-error @+1 {{'from' must be in [0, 2^61), got -1}}
  %0 = llm.softmax %x mask causal chunk 4 from [2, -1] lengths [5, 5] : tensor<2x4x3x5xf32>
  return
}

// -----

// mask-C4: positions without a chunk.
func.func @mask_positions(%x: tensor<2x4x3x5xf32>) {
  // expected-error @+1 {{the position of the first key matters to a chunk only}}
  %0 = llm.softmax %x mask causal from [0, 3] lengths [5, 5] : tensor<2x4x3x5xf32>
  return
}

// -----

// mask-C5: a sequence without keys.
func.func @mask_length(%x: tensor<2x4x3x5xf32>) {
  // expected-error @+1 {{'length' must be in [1, 2^61), got 0}}
  %0 = llm.softmax %x mask full lengths [5, 0] : tensor<2x4x3x5xf32>
  return
}

// -----

// mask-C6: two positions for sequences of one length.
func.func @mask_uniform(%x: tensor<2x4x3x5xf32>) {
  // expected-error @+1 {{a mask has 2 positions of first keys for 0 sequences with a length}}
  %0 = llm.softmax %x mask causal chunk 4 from [2, 3] : tensor<2x4x3x5xf32>
  return
}

// -----

// mask-C6: two positions for three sequences.
func.func @mask_three(%x: tensor<3x4x3x5xf32>) {
  // expected-error @+1 {{a mask has 2 positions of first keys for 3 sequences with a length}}
  %0 = llm.softmax %x mask causal chunk 4 from [2, 3] lengths [5, 5, 4] : tensor<3x4x3x5xf32>
  return
}

// -----

// embedding-C2: rows of a scaled table as they are.
func.func @scaled_table(%t: tensor<3xi32>, %w: tensor<10x32x!llm.block_scaled<f8E4M3FN, [32], f32>>) {
  // expected-error @+1 {{'llm.embedding' op cannot have a result of '!llm.block_scaled<f8E4M3FN, [32], f32>' elements: name a float or integer type with 'to'}}
  %0 = llm.embedding %t, %w : tensor<3xi32>, tensor<10x32x!llm.block_scaled<f8E4M3FN, [32], f32>>
  return
}
