// RUN: llm-opt %s -split-input-file -verify-diagnostics

// size-C1: a size without a name.
func.func @unnamed() {
  // expected-error @+1 {{'llm.size' op needs a name}}
  %0 = llm.size ""
  return
}

// -----

// sized-C1: one size for two dimensions.
func.func @dimensions(%x: tensor<?x?xf32>) {
  %0 = llm.size "batch"
  // expected-error @+1 {{'llm.sized' op has 1 sizes for 2 open dimensions of 'tensor<?x?xf32>'}}
  %1 = llm.sized %x[%0] : tensor<?x?xf32>
  return
}

// -----

// kv_cache-C6: a capacity that nothing says.
func.func @capacity() {
  %0 = llm.size "batch"
  // expected-error @+1 {{'llm.kv_cache' op has 1 sizes for 2 that its type leaves open}}
  %1 = llm.kv_cache "cache" sizes(%0) : !llm.kv_cache<batch = ?, kv_heads = 2, head_dim = 8, capacity = ?, f32>
  return
}

// -----

// kv_cache-C1: heads are never open.
// expected-error @+2 {{expected integer value}}
// expected-error @+1 {{failed to parse Llm_KvCacheType parameter 'kvHeads'}}
func.func private @heads(!llm.kv_cache<batch = 1, kv_heads = ?, head_dim = 8, capacity = 4, f32>)

// -----

// kv_read-C2, in the generic form: an open position without a value.
func.func @rows(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>) {
  // expected-error @+2 {{'llm.kv_read' op has 1 open positions for 0 values}}
  // expected-error @+1 {{'llm.kv_read' op failed to infer returned types}}
  %0:2 = "llm.kv_read"(%c) <{begin = array<i64: -9223372036854775808>, end = array<i64: 4>, operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>) -> (tensor<1x?x2x8xf32>, tensor<1x?x2x8xf32>)
  return
}

// -----

// rope-C2, in the generic form: a value without an open position.
func.func @rope(%x: tensor<1x1x2x8xf32>) {
  %0 = llm.size "position"
  // expected-error @+2 {{'llm.rope' op has 0 open positions for 1 values}}
  // expected-error @+1 {{'llm.rope' op failed to infer returned types}}
  %1 = "llm.rope"(%x, %0) <{begin = array<i64: 4>, theta = 1.0e4 : f64}> : (tensor<1x1x2x8xf32>, index) -> tensor<1x1x2x8xf32>
  return
}

// -----

// grouped_matmul-C8: rows that are known are listed.
func.func @rows_known(%x: tensor<4x8xf32>, %w: tensor<4x8x8xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op the 4 rows of lhs are known: list those of each expert}}
  %0 = llm.grouped_matmul %x, %w rows_per_expert uniform top_k 2 : tensor<4x8xf32>, tensor<4x8x8xf32>
  return
}

// -----

// A routing that is none.
func.func @routing(%x: tensor<?x8xf32>, %w: tensor<4x8x8xf32>) {
  // expected-error @+1 {{expected a list of rows, 'uniform', 'balanced' or 'zipf'}}
  %0 = llm.grouped_matmul %x, %w rows_per_expert random top_k 2 : tensor<?x8xf32>, tensor<4x8x8xf32>
  return
}

// -----

// program-C5: a length in a list that is open.
// expected-error @+1 {{a kv_len in a list cannot be open}}
func.func private @lengths() attributes {llm.program = #llm.program<"hand", decode, batch = 2, seq = 1, kv_len = [-9223372036854775808, 5], layers = 1 of 1>}

// -----

// block_scaled-C3: values of no bits.
// expected-error @+1 {{values are of a float or signless integer type, got 'i0'}}
func.func private @no_bits(tensor<4x4x!llm.block_scaled<i0, [3], f32>>)
