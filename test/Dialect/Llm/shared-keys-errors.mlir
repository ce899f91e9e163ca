// RUN: llm-opt %s -split-input-file -verify-diagnostics

// join_attn-C1: log-sum-exps of other rows.
func.func @rows(%x: tensor<1x4x3x8xbf16>, %lse: tensor<1x2x3xf32>) {
  // expected-error @+1 {{'llm.join_attn' op lse 'tensor<1x2x3xf32>' must be one f32 for each row of x 'tensor<1x4x3x8xbf16>'}}
  %0 = llm.join_attn %x, %lse parts 2 : tensor<1x4x3x8xbf16>, tensor<1x2x3xf32>
  return
}

// -----

// join_attn-C1: rounded ones.
func.func @rounded(%x: tensor<1x4x3x8xbf16>, %lse: tensor<1x4x3xbf16>) {
  // expected-error @+1 {{'llm.join_attn' op lse 'tensor<1x4x3xbf16>' must be one f32 for each row of x}}
  %0 = llm.join_attn %x, %lse parts 2 : tensor<1x4x3x8xbf16>, tensor<1x4x3xbf16>
  return
}

// -----

// join_attn-C2: three parts of four rows.
func.func @parts(%x: tensor<1x4x3x8xbf16>, %lse: tensor<1x4x3xf32>) {
  // expected-error @+1 {{'llm.join_attn' op the 4 queries of x 'tensor<1x4x3x8xbf16>' are not those of 3 parts}}
  %0 = llm.join_attn %x, %lse parts 3 : tensor<1x4x3x8xbf16>, tensor<1x4x3xf32>
  return
}

// -----

// join_attn-C2: no part.
func.func @no_part(%x: tensor<1x4x3x8xbf16>, %lse: tensor<1x4x3xf32>) {
  // expected-error @+1 {{'llm.join_attn' op the 4 queries of x 'tensor<1x4x3x8xbf16>' are not those of 0 parts}}
  %0 = llm.join_attn %x, %lse parts 0 : tensor<1x4x3x8xbf16>, tensor<1x4x3xf32>
  return
}

// -----

// join_attn-C3: sinks of other heads.
func.func @sinks(%x: tensor<1x4x3x8xbf16>, %lse: tensor<1x4x3xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'llm.join_attn' op sinks 'tensor<4xf32>' must be one for each of 3 heads}}
  %0 = llm.join_attn %x, %lse sinks %s parts 2 : tensor<1x4x3x8xbf16>, tensor<1x4x3xf32>, tensor<4xf32>
  return
}

// -----

!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>

// collective-C1.
func.func @no_grid(%c: !cache, %z: tensor<1x1x1x8xbf16>) {
  // expected-error @+1 {{'llm.kv_write' op needs a grid on the module, such as llm.grid = #llm.grid<tp = 8>}}
  %0 = llm.kv_write %c, %z at 3 own [cp] : !cache, tensor<1x1x1x8xbf16>
  return
}

// -----

!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>
module attributes {llm.grid = #llm.grid<cp = 2>} {
  // kv_write-C5: another axis.
  func.func @axis(%c: !cache, %z: tensor<1x1x1x8xbf16>) {
    // expected-error @+1 {{'llm.kv_write' op shares positions over axis 'tp', which the grid #llm.grid<cp = 2> lacks}}
    %0 = llm.kv_write %c, %z at 3 own [tp] : !cache, tensor<1x1x1x8xbf16>
    return
  }
}

// -----

!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>
module attributes {llm.grid = #llm.grid<cp = 2>} {
  // kv_write-C3: position 8 of 2 x 4.
  func.func @capacity(%c: !cache, %z: tensor<1x1x1x8xbf16>) {
    // expected-error @+1 {{'llm.kv_write' op positions from 8 on, 1 of them, must lie within the capacity 8}}
    %0 = llm.kv_write %c, %z at 8 own [cp] : !cache, tensor<1x1x1x8xbf16>
    return
  }
}

// -----

!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>
module attributes {llm.grid = #llm.grid<cp = 2>} {
  // kv_write-C6: three rows.
  func.func @three(%c: !cache, %z: tensor<1x3x1x8xbf16>) {
    // expected-error @+1 {{'llm.kv_write' op writes rows of which 2 chips do not have as many: expected one, or a multiple of 2 from such a position on}}
    %0 = llm.kv_write %c, %z at 0 own [cp] : !cache, tensor<1x3x1x8xbf16>
    return
  }
}

// -----

!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>
module attributes {llm.grid = #llm.grid<cp = 2>} {
  // kv_write-C6: two rows from an odd position on.
  func.func @odd(%c: !cache, %z: tensor<1x2x1x8xbf16>) {
    // expected-error @+1 {{'llm.kv_write' op writes rows of which 2 chips do not have as many}}
    %0 = llm.kv_write %c, %z at 3 own [cp] : !cache, tensor<1x2x1x8xbf16>
    return
  }
}

// -----

!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16 latents>
module attributes {llm.grid = #llm.grid<cp = 2>} {
  // kv_write-C6: a position that is not known.
  func.func @open(%c: !cache, %z: tensor<1x1x1x8xbf16>, %p: index) {
    // expected-error @+1 {{'llm.kv_write' op writes rows of which 2 chips do not have as many}}
    %0 = llm.kv_write %c, %z at %p own [cp] : !cache, tensor<1x1x1x8xbf16>
    return
  }
}
