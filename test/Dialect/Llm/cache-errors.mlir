// RUN: llm-opt %s -split-input-file -verify-diagnostics

// weight-C1: a weight without a name.
func.func @weight_unnamed() {
  // expected-error @+1 {{'llm.weight' op needs a name}}
  %0 = llm.weight "" : tensor<4x4xf32>
  return
}

// -----

// weight-C2: a place for an index that is not given.
func.func @weight_without_index() {
  // expected-error @+1 {{'llm.weight' op name "layers.{}.weight" has 1 places '{}' for 0 indices}}
  %0 = llm.weight "layers.{}.weight" : tensor<4x4xf32>
  return
}

// -----

// weight-C2: an index without a place.
func.func @weight_without_place(%i: index) {
  // expected-error @+1 {{'llm.weight' op name "layers.{}.weight" has 1 places '{}' for 2 indices}}
  %0 = llm.weight "layers.{}.weight"[%i, %i] : tensor<4x4xf32>
  return
}

// -----

// kv_cache-C1: a cache for no sequence.
// expected-error @+1 {{'batch' must be in [1, 2^61), got 0}}
func.func private @batch(!llm.kv_cache<batch = 0, kv_heads = 2, head_dim = 8, capacity = 4, f32>)

// -----

// kv_cache-C1: a cache without heads.
// expected-error @+1 {{'kv_heads' must be in [1, 2^61), got -2}}
func.func private @heads(!llm.kv_cache<batch = 1, kv_heads = -2, head_dim = 8, capacity = 4, f32>)

// -----

// kv_cache-C1: heads of no elements.
// expected-error @+1 {{'head_dim' must be in [1, 2^61), got 0}}
func.func private @head_dim(!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 0, capacity = 4, f32>)

// -----

// kv_cache-C1: room for more positions than the compiler counts, 2^61 - 1.
// expected-error @+1 {{'capacity' must be in [1, 2^61), got 2305843009213693952}}
func.func private @capacity(!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 2305843009213693952, f32>)

// -----

// kv_cache-C2: a page below 0.
// expected-error @+1 {{'page_size' must be in [0, capacity 4], got -1}}
func.func private @page(!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32, page_size = -1>)

// -----

// kv_cache-C2: a page larger than the cache.
// expected-error @+1 {{'page_size' must be in [0, capacity 4], got 5}}
func.func private @large_page(!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32, page_size = 5>)

// -----

// kv_cache-C3: a cache of tensors.
// expected-error @+1 {{element type must be a float or signless integer type, got 'tensor<4xf32>'}}
func.func private @elements(!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, tensor<4xf32>>)

// -----

// kv_cache-C3: a cache of integers with a sign.
// expected-error @+1 {{element type must be a float or signless integer type, got 'si8'}}
func.func private @signed(!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, si8>)

// -----

// kv_cache-C3: a cache of caches.
// expected-error @+1 {{element type must be a float or signless integer type, got '!llm.kv_cache}}
func.func private @nested(!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>>)

// -----

// kv_cache-C4: a cache without a name.
func.func @cache_unnamed() {
  // expected-error @+1 {{'llm.kv_cache' op needs a name}}
  %0 = llm.kv_cache "" : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_cache-C5: an index without a place.
func.func @cache_without_place(%i: index) {
  // expected-error @+1 {{'llm.kv_cache' op name "attn" has 0 places '{}' for 1 indices}}
  %0 = llm.kv_cache "attn"[%i] : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_read-C1: a range without rows.
func.func @read_nothing(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>) {
  // expected-error @+1 {{'llm.kv_read' op rows 2 to 2 must be a non-empty range within the capacity 4}}
  %k, %v = llm.kv_read %c rows 2 to 2 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_read-C1: a row before the first.
func.func @read_before(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>) {
  // expected-error @+1 {{'llm.kv_read' op the first position must not be negative}}
  %k, %v = llm.kv_read %c rows -1 to 2 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_read-C1: a row after the last.
func.func @read_after(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>) {
  // expected-error @+1 {{'llm.kv_read' op rows 0 to 5 must be a non-empty range within the capacity 4}}
  %k, %v = llm.kv_read %c rows 0 to 5 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_write-C1: keys and values of two types.
func.func @write_values(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>,
                        %k: tensor<1x1x2x8xf32>, %v: tensor<1x1x2x8xbf16>) {
  // expected-error @+1 {{'llm.kv_write' op keys and values must have one type, got 'tensor<1x1x2x8xf32>' and 'tensor<1x1x2x8xbf16>'}}
  %0 = llm.kv_write %c, %k, %v at 0 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<1x1x2x8xf32>, tensor<1x1x2x8xbf16>
  return
}

// -----

// kv_write-C2: keys of two sequences into a cache of one.
func.func @write_batch(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>,
                       %k: tensor<2x1x2x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op keys 'tensor<2x1x2x8xf32>' must be [batch, seq, kv_heads, head_dim] of the cache}}
  %0 = llm.kv_write %c, %k, %k at 0 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<2x1x2x8xf32>, tensor<2x1x2x8xf32>
  return
}

// -----

// kv_write-C2: heads and sequence in the wrong order.
func.func @write_heads(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>,
                       %k: tensor<1x2x1x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op keys 'tensor<1x2x1x8xf32>' must be [batch, seq, kv_heads, head_dim] of the cache}}
  %0 = llm.kv_write %c, %k, %k at 0 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>
  return
}

// -----

// kv_write-C2: heads of another size.
func.func @write_head_dim(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>,
                          %k: tensor<1x1x2x16xf32>) {
  // expected-error @+1 {{'llm.kv_write' op keys 'tensor<1x1x2x16xf32>' must be [batch, seq, kv_heads, head_dim] of the cache}}
  %0 = llm.kv_write %c, %k, %k at 0 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<1x1x2x16xf32>, tensor<1x1x2x16xf32>
  return
}

// -----

// kv_write-C3: two positions from the last one on.
func.func @write_after(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>,
                       %k: tensor<1x2x2x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op positions from 3 on, 2 of them, must lie within the capacity 4}}
  %0 = llm.kv_write %c, %k, %k at 3 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>
  return
}

// -----

// kv_write-C4: a position before the first.
func.func @write_before(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>,
                        %k: tensor<1x2x2x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op the first position must not be negative}}
  %0 = llm.kv_write %c, %k, %k at -1 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>
  return
}

// -----

// kv_read-C1: an empty range of one of two sequences.
func.func @read_empty(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>) {
  // expected-error @+1 {{'llm.kv_read' op rows 3 to 3 must be a non-empty range within the capacity 4}}
  %k, %v = llm.kv_read %c rows [0, 3] to [2, 3] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_read-C2: three ranges for two sequences.
func.func @read_three(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>) {
  // expected-error @+1 {{'llm.kv_read' op has 3 positions for 2 sequences}}
  %k, %v = llm.kv_read %c rows [0, 0, 0] to [2, 3, 4] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_read-C2: one begin and two ends.
func.func @read_ends(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>) {
  // expected-error @+1 {{'llm.kv_read' op has 1 and 2 positions for 2 sequences}}
  %k, %v = llm.kv_read %c rows 0 to [2, 3] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>
  return
}

// -----

// kv_write-C1: keys without values, into a cache of both.
func.func @write_keys(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>, %k: tensor<2x2x2x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op writes keys without values into a cache of both}}
  %0 = llm.kv_write %c, %k at 0 : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<2x2x2x8xf32>
  return
}

// -----

// kv_write-C1: values into a cache that has none.
func.func @write_latents(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32 latents>, %k: tensor<2x2x2x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op writes keys and values into a cache of latents, which has none}}
  %0 = llm.kv_write %c, %k, %k at 0 : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32 latents>, tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>
  return
}

// -----

// kv_write-C3: the second sequence has room for one position only.
func.func @write_room(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>, %k: tensor<2x2x2x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op positions from 3 on, 2 of them, must lie within the capacity 4}}
  %0 = llm.kv_write %c, %k, %k at [2, 3] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>
  return
}

// -----

// kv_write-C4: three positions for two sequences.
func.func @write_positions(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>, %k: tensor<2x2x2x8xf32>) {
  // expected-error @+1 {{'llm.kv_write' op has 3 positions for 2 sequences}}
  %0 = llm.kv_write %c, %k, %k at [0, 1, 2] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 4, f32>, tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>
  return
}
