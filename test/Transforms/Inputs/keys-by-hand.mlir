// What a person has written of keys that chips share.

module attributes {llm.grid = #llm.grid<cp = 2>} {
  // cut-C6: intervals, in which lengths would not be shared.
  func.func @segments(%q: tensor<1x1x8x8xf32>, %z: tensor<1x8x1x8xf32>) -> tensor<1x1x8x6xf32> {
    // expected-error @+1 {{'llm.mla_attn' op is cut along loop 't', whose iterations chips share in turns: expected no segments}}
    %a = llm.mla_attn %q, %z value_dim 6 mask causal scale 0.3 {llm.shard = #llm.shard<{t = [cp] of [4, 4]}>} : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32>
    return %a : tensor<1x1x8x6xf32>
  }
}

// -----

module attributes {llm.grid = #llm.grid<cp = 2>} {
  // cut-C6: five keys of a sequence on two chips.
  func.func @length(%q: tensor<1x1x8x8xf32>, %z: tensor<1x8x1x8xf32>) -> tensor<1x1x8x6xf32> {
    // expected-error @+1 {{'llm.mla_attn' op cannot be cut over chips: it has a sequence of 5 keys, which 2 chips do not divide}}
    %a = llm.mla_attn %q, %z value_dim 6 mask causal lengths [5] scale 0.3 {llm.shard = #llm.shard<{t = [cp]}>} : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32>
    return %a : tensor<1x1x8x6xf32>
  }
}

// -----

module attributes {llm.grid = #llm.grid<cp = 2>} {
  // cut-C2: queries that see different keys.
  func.func @queries(%q: tensor<1x2x8x8xf32>, %z: tensor<1x8x1x8xf32>) -> tensor<1x2x8x6xf32> {
    // expected-error @+1 {{'llm.mla_attn' op cannot be cut over chips: it has queries that see some of the keys only, so that results over parts of loop 't' cannot be joined}}
    %a = llm.mla_attn %q, %z value_dim 6 mask causal scale 0.3 {llm.shard = #llm.shard<{t = [cp]}>} : tensor<1x2x8x8xf32>, tensor<1x8x1x8xf32>
    return %a : tensor<1x2x8x6xf32>
  }
}

// -----

module attributes {llm.grid = #llm.grid<cp = 4>} {
  // cut-C3: six heads, of which four chips do not join as many.
  func.func @heads(%q: tensor<1x1x6x8xf32>, %z: tensor<1x8x1x8xf32>) -> tensor<1x1x6x6xf32> {
    // expected-error @+1 {{'llm.mla_attn' op cannot be cut over chips: it cuts 'out' into pieces of what is joined, of which chips do not have as much}}
    %a = llm.mla_attn %q, %z value_dim 6 mask full scale 0.3 {llm.shard = #llm.shard<{t = [cp]}>} : tensor<1x1x6x8xf32>, tensor<1x8x1x8xf32>
    return %a : tensor<1x1x6x6xf32>
  }
}

// -----

!latents = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 7, f32 latents>
module attributes {llm.grid = #llm.grid<cp = 2>} {
  // cut-C3: seven positions on two chips.
  func.func @positions(%c: !latents, %z: tensor<1x1x1x8xf32>) -> !latents {
    // expected-error @+1 {{'llm.kv_write' op cannot be cut over chips: it cuts 'cached_keys' into pieces of a cache that has a capacity that 2 chips do not divide}}
    %1 = llm.kv_write %c, %z at 5 {llm.shard = #llm.shard<{positions = [cp]}>} : !latents, tensor<1x1x1x8xf32>
    return %1 : !latents
  }
}

// -----

module attributes {llm.grid = #llm.grid<cp = 2>} {
  // cut-C1: `positions` is of writes.
  func.func @other(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // expected-error @+1 {{'llm.add' op is cut along loop 'positions', which it does not have}}
    %1 = llm.add %x, %x {llm.shard = #llm.shard<{positions = [cp]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
