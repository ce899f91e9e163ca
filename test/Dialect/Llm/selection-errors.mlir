// RUN: llm-opt %s -split-input-file -verify-diagnostics

// select_keys-C1: index queries and keys of two sizes.
func.func @index_dim(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x16xf32>) {
  // expected-error @+1 {{'llm.select_keys' op query 'tensor<1x3x4x8xf32>' and keys 'tensor<1x5x1x16xf32>' must agree in batch and index_dim, and keys be of one head}}
  %0 = llm.select_keys %q, %k mask causal scale 1.0 top 2 : tensor<1x3x4x8xf32>, tensor<1x5x1x16xf32>
  return
}

// -----

// select_keys-C1: index keys of two heads.
func.func @key_heads(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op query 'tensor<1x3x4x8xf32>' and keys 'tensor<1x5x2x8xf32>' must agree in batch and index_dim, and keys be of one head}}
  %0 = llm.select_keys %q, %k mask causal scale 1.0 top 2 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// select_keys-C2: a scale of 0 makes all keys equal.
func.func @scale(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op scale must be finite and positive}}
  %0 = llm.select_keys %q, %k mask causal scale 0.0 top 2 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C3: 3 weights for 4 index heads.
func.func @weights(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>, %w: tensor<1x3x3xf32>) {
  // expected-error @+1 {{'llm.select_keys' op weights 'tensor<1x3x3xf32>' must be one for each index head of 'tensor<1x3x4x8xf32>'}}
  %0 = llm.select_keys %q, %k weights %w mask causal scale 1.0 top 2 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>, tensor<1x3x3xf32>
  return
}

// -----

// select_keys-C4: nothing is selected.
func.func @top(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op top must be in [1, 2147483647], got 0}}
  %0 = llm.select_keys %q, %k mask causal scale 1.0 top 0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C5: blocks of no keys.
func.func @block(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op block must be in [1, 2147483647], got 0}}
  %0 = llm.select_keys %q, %k mask causal scale 1.0 top 2 block 0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C6: more blocks in any case than there are slots.
func.func @forced(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op local and initial count blocks, of which 'top' 2 are selected, got 2 and 1}}
  %0 = llm.select_keys %q, %k mask causal scale 1.0 top 2 block 2 local 2 initial 1 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C6: local blocks where there are none.
func.func @no_blocks(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op local and initial count blocks, of which 'top' 2 are selected, got 1 and 0 without 'block'}}
  %0 = llm.select_keys %q, %k mask causal scale 1.0 top 2 local 1 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C7: the first queries come before the first key.
func.func @causal(%q: tensor<1x6x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op a causal mask needs at least as many keys as queries, got 6 queries and 5 keys}}
  %0 = llm.select_keys %q, %k mask causal scale 1.0 top 2 : tensor<1x6x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C8: two lengths for one sequence.
func.func @lengths(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op the mask has 2 lengths for 1 sequences}}
  %0 = llm.select_keys %q, %k mask causal lengths [5, 4] scale 1.0 top 2 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C9: a sequence longer than the keys.
func.func @length(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op a sequence of 6 keys does not lie within 5 keys or has fewer keys than queries}}
  %0 = llm.select_keys %q, %k mask causal lengths [6] scale 1.0 top 2 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// select_keys-C10: a window hides keys that might be the best.
func.func @window(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.select_keys' op keys are selected among all that come before: the mask must have no window and no chunk}}
  %0 = llm.select_keys %q, %k mask causal window 2 scale 1.0 top 2 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// gqa_attn-C10: 3 groups for 2 KV heads.
func.func @gqa_groups(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %s: tensor<1x3x3x2xi32>) {
  // expected-error @+1 {{'llm.gqa_attn' op selected 'tensor<1x3x3x2xi32>' must be i32 of the batch and queries of 'tensor<1x3x4x8xf32>', in 1 group or in 2, one for each KV head}}
  %0 = llm.gqa_attn %q, %k, %k selected %s mask causal scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32> selected tensor<1x3x3x2xi32>
  return
}

// -----

// gqa_attn-C10: numbers of 64 bits.
func.func @gqa_type(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %s: tensor<1x3x2x2xi64>) {
  // expected-error @+1 {{'llm.gqa_attn' op selected 'tensor<1x3x2x2xi64>' must be i32 of the batch and queries of}}
  %0 = llm.gqa_attn %q, %k, %k selected %s mask causal scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32> selected tensor<1x3x2x2xi64>
  return
}

// -----

// gqa_attn-C11: blocks of no keys.
func.func @gqa_block(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %s: tensor<1x3x2x2xi32>) {
  // expected-error @+1 {{'llm.gqa_attn' op block must be positive, and stands behind 'selected' only, got 0}}
  %0 = llm.gqa_attn %q, %k, %k selected %s block 0 mask causal scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32> selected tensor<1x3x2x2xi32>
  return
}

// -----

// gqa_attn-C12: a chunk beside a selection.
func.func @gqa_chunk(%q: tensor<1x3x4x8xf32>, %k: tensor<1x5x2x8xf32>, %s: tensor<1x3x2x2xi32>) {
  // expected-error @+1 {{'llm.gqa_attn' op keys are selected among all that come before: the mask must have no window and no chunk}}
  %0 = llm.gqa_attn %q, %k, %k selected %s mask causal chunk 4 scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32> selected tensor<1x3x2x2xi32>
  return
}

// -----

// mla_attn-C7: a selection of fewer queries.
func.func @mla_queries(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x1x8xf32>, %s: tensor<1x2x1x2xi32>) {
  // expected-error @+1 {{'llm.mla_attn' op selected 'tensor<1x2x1x2xi32>' must be i32 of the batch and queries of 'tensor<1x3x4x8xf32>', in 1 group}}
  %0 = llm.mla_attn %q, %z value_dim 6 selected %s mask causal scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32> selected tensor<1x2x1x2xi32>
  return
}

// -----

// mla_attn-C8: blocks of fewer than no keys.
func.func @mla_block(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x1x8xf32>, %s: tensor<1x3x1x2xi32>) {
  // expected-error @+1 {{'llm.mla_attn' op block must be positive, and stands behind 'selected' only, got -1}}
  %0 = llm.mla_attn %q, %z value_dim 6 selected %s block -1 mask causal scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32> selected tensor<1x3x1x2xi32>
  return
}

// -----

// mla_attn-C9: a window beside a selection.
func.func @mla_window(%q: tensor<1x3x4x8xf32>, %z: tensor<1x5x1x8xf32>, %s: tensor<1x3x1x2xi32>) {
  // expected-error @+1 {{'llm.mla_attn' op keys are selected among all that come before: the mask must have no window and no chunk}}
  %0 = llm.mla_attn %q, %z value_dim 6 selected %s mask causal window 3 scale 1.0 : tensor<1x3x4x8xf32>, tensor<1x5x1x8xf32> selected tensor<1x3x1x2xi32>
  return
}
