// RUN: llm-opt %s --split-input-file --verify-diagnostics --llm-tile

// fused-C1: the body hands on another type than the result's.
func.func @types(%x: tensor<2x4xbf16>) {
  // expected-error @+1 {{'llm.fused' op must end with an llm.yield of values of the types of its results}}
  %y = llm.fused {
    %s = llm.add %x, %x : tensor<2x4xbf16>, tensor<2x4xbf16>
    llm.yield %s : tensor<2x4xbf16>
  } : tensor<2x4xf32>
  return
}

// -----

// fused-C2: a weight is a source, which stays outside.
func.func @source(%x: tensor<2x4xbf16>) {
  %y = llm.fused {
    // expected-error @+1 {{'llm.weight' op cannot stand in 'llm.fused': only ops that take time, and views of tensors, can}}
    %w = llm.weight "w" : tensor<2x4xbf16>
    %s = llm.add %x, %w : tensor<2x4xbf16>, tensor<2x4xbf16>
    llm.yield %s : tensor<2x4xbf16>
  } : tensor<2x4xbf16>
  return
}

// -----

// fused-C3: nothing in it takes time.
func.func @empty() {
  // expected-error @+1 {{'llm.fused' op needs an op that takes time}}
  llm.fused {
    llm.yield
  }
  return
}

// -----

// fused-C4: an op inside has a tile of its own.
func.func @decided(%x: tensor<2x4xbf16>) {
  %y = llm.fused {
    // expected-error @+1 {{'llm.add' op has 'llm.tile', but it is the 'llm.fused' around it that is tiled and scheduled}}
    %s = llm.add %x, %x {llm.tile = #llm.tile<theoretical>} : tensor<2x4xbf16>, tensor<2x4xbf16>
    llm.yield %s : tensor<2x4xbf16>
  } : tensor<2x4xbf16>
  return
}

// -----

// fused-C5: a value from outside is handed on.
func.func @outside(%x: tensor<2x4xbf16>) {
  %y:2 = llm.fused {
    %s = llm.add %x, %x : tensor<2x4xbf16>, tensor<2x4xbf16>
    // expected-error @+1 {{'llm.yield' op hands on what no op that takes time has computed here}}
    llm.yield %s, %x : tensor<2x4xbf16>, tensor<2x4xbf16>
  } : tensor<2x4xbf16>, tensor<2x4xbf16>
  return
}

// -----

// fused-C6: columns 0 to 1 of 5 are no one of equal pieces.
func.func @piece(%x: tensor<3x4xbf16>, %w: tensor<4x5xbf16>) {
  // expected-error @+1 {{'llm.fused' op 'activation' reads a piece of a value inside that is not one of equal pieces of 'tensor<3x5xbf16>'}}
  %y = llm.fused {
    %p = llm.matmul %x, %w : tensor<3x4xbf16>, tensor<4x5xbf16>
    %q = tensor.extract_slice %p[0, 0] [3, 2] [1, 1] : tensor<3x5xbf16> to tensor<3x2xbf16>
    %s = llm.activation silu %q : tensor<3x2xbf16>
    llm.yield %s : tensor<3x2xbf16>
  } : tensor<3x2xbf16>
  return
}

// -----

// fused-C6: of two halves one is read. A tile would need columns of both.
func.func @half(%x: tensor<3x4xbf16>, %w: tensor<4x6xbf16>) {
  // expected-error @+1 {{'llm.fused' op a piece of a value is read inside, others are not}}
  %y = llm.fused {
    %p = llm.matmul %x, %w : tensor<3x4xbf16>, tensor<4x6xbf16>
    %q = tensor.extract_slice %p[0, 3] [3, 3] [1, 1] : tensor<3x6xbf16> to tensor<3x3xbf16>
    %s = llm.activation silu %q : tensor<3x3xbf16>
    llm.yield %s : tensor<3x3xbf16>
  } : tensor<3x3xbf16>
  return
}

// -----

// fused-C6: 6 columns are not 4 columns and others.
func.func @digits(%x: tensor<4x6xbf16>) {
  // expected-error @+1 {{'llm.fused' op the loops of 'activation' over 'x' do not fit those that compute it}}
  %y = llm.fused {
    %p = llm.add %x, %x : tensor<4x6xbf16>, tensor<4x6xbf16>
    %c = tensor.collapse_shape %p [[0, 1]] : tensor<4x6xbf16> into tensor<24xbf16>
    %e = tensor.expand_shape %c [[0, 1]] output_shape [6, 4] : tensor<24xbf16> into tensor<6x4xbf16>
    %s = llm.activation silu %e : tensor<6x4xbf16>
    llm.yield %s : tensor<6x4xbf16>
  } : tensor<6x4xbf16>
  return
}

// -----

// fused-C6: a tensor times its transpose walks the rows of it with two loops.
func.func @twice(%x: tensor<4x6xbf16>) {
  // expected-error @+1 {{'llm.fused' op two loops of 'matmul' would be one}}
  %y = llm.fused {
    %p = llm.add %x, %x : tensor<4x6xbf16>, tensor<4x6xbf16>
    %s = llm.matmul %p, %p transpose_rhs : tensor<4x6xbf16>, tensor<4x6xbf16>
    llm.yield %s : tensor<4x4xbf16>
  } : tensor<4x4xbf16>
  return
}

// -----

// fused-C6: what is joined to something else is no box of it.
func.func @joined(%x: tensor<4x6xbf16>) {
  // expected-error @+1 {{'llm.fused' op 'activation' reads what 'tensor.concat' makes of a value inside}}
  %y = llm.fused {
    %p = llm.add %x, %x : tensor<4x6xbf16>, tensor<4x6xbf16>
    %c = tensor.concat dim(0) %p, %x : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<8x6xbf16>
    %s = llm.activation silu %c : tensor<8x6xbf16>
    llm.yield %s : tensor<8x6xbf16>
  } : tensor<8x6xbf16>
  return
}

// -----

// fused-C6: rows in the order of the experts; which ones a tile has is not known.
func.func @gathered(%x: tensor<2x8xbf16>, %e: tensor<2x2xi32>) {
  // expected-error @+1 {{'llm.fused' op the loops of 'moe_dispatch' do not say which elements of 'out' they touch}}
  %y = llm.fused {
    %d = llm.moe_dispatch %x, %e : tensor<2x8xbf16>, tensor<2x2xi32>
    %s = llm.activation silu %d : tensor<4x8xbf16>
    llm.yield %s : tensor<4x8xbf16>
  } : tensor<4x8xbf16>
  return
}

// -----

// fused-C6: where a token's rows go follows from the experts of all tokens, not of those in a
// tile.
func.func @routed(%l: tensor<2x4xbf16>, %x: tensor<2x8xbf16>) {
  // expected-error @+1 {{'llm.fused' op the loops of 'moe_dispatch' do not say which elements of 'experts' they touch}}
  %y = llm.fused {
    %shares, %e = llm.moe_route softmax %l top_k 2 : tensor<2x4xbf16>
    %d = llm.moe_dispatch %x, %e : tensor<2x8xbf16>, tensor<2x2xi32>
    llm.yield %d : tensor<4x8xbf16>
  } : tensor<4x8xbf16>
  return
}

// -----

// fused-C6: the state of a cache is in no buffer, so nothing says what of it the second write needs.
func.func @states(%k: tensor<1x1x1x4xbf16>) {
  %c = llm.kv_cache "c" : <batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, bf16>
  // expected-error @+1 {{'llm.fused' op 'kv_write' depends on a value inside that none of its buffers reads}}
  %y = llm.fused {
    %d = llm.kv_write %c, %k, %k at 0 : <batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, bf16>, tensor<1x1x1x4xbf16>, tensor<1x1x1x4xbf16>
    %e = llm.kv_write %d, %k, %k at 1 : <batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, bf16>, tensor<1x1x1x4xbf16>, tensor<1x1x1x4xbf16>
    llm.yield %e : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, bf16>
  } : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, bf16>
  return
}

// -----

// fused-C7: two products.
func.func @products(%x: tensor<4x4xbf16>) {
  // expected-error @+1 {{'llm.fused' op one kernel has one contraction, this one has several}}
  %y = llm.fused {
    %p = llm.matmul %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
    %s = llm.matmul %p, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
    llm.yield %s : tensor<4x4xbf16>
  } : tensor<4x4xbf16>
  return
}

// -----

// fused-C8: a norm needs whole rows of the product.
func.func @rows(%x: tensor<4x4xbf16>, %w: tensor<4xbf16>) {
  // expected-error @+1 {{'llm.fused' op loop 'n' of 'matmul' could no longer be cut}}
  %y = llm.fused {
    %p = llm.matmul %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
    %s = llm.rmsnorm %p, %w epsilon 1.0e-5 : tensor<4x4xbf16>, tensor<4xbf16>
    llm.yield %s : tensor<4x4xbf16>
  } : tensor<4x4xbf16>
  return
}

// -----

// fused-C8: the greatest of all logits is not known from some of them.
func.func @reduced(%x: tensor<4x4xbf16>) {
  // expected-error @+1 {{'llm.fused' op an op reduces over loop 'n' of 'matmul', of which a tile has only some}}
  %y = llm.fused {
    %p = llm.matmul %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
    %s = llm.sample greedy %p : tensor<4x4xbf16>
    llm.yield %s : tensor<4xi32>
  } : tensor<4xi32>
  return
}
