// RUN: llm-opt %s -split-input-file -verify-diagnostics

// matmul-C1: the right operand has another k.
func.func @reduction(%x: tensor<4x8xf32>, %w: tensor<9x16xf32>) {
  // expected-error @+1 {{'llm.matmul' op reduction sizes differ: lhs 'tensor<4x8xf32>' has k = 8, rhs 'tensor<9x16xf32>' has k = 9; is 'transpose_rhs' missing?}}
  %0 = llm.matmul %x, %w : tensor<4x8xf32>, tensor<9x16xf32>
  return
}

// -----

// matmul-C1: with transpose_rhs, k is the second dimension of the right operand.
func.func @reduction_transposed(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) {
  // expected-error @+1 {{'llm.matmul' op reduction sizes differ: lhs 'tensor<4x8xf32>' has k = 8, rhs 'tensor<8x16xf32>' has k = 16}}
  %0 = llm.matmul %x, %w transpose_rhs : tensor<4x8xf32>, tensor<8x16xf32>
  return
}

// -----

// matmul-C2: the bias has m elements, not n.
func.func @bias(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'llm.matmul' op bias 'tensor<4xf32>' must have n = 16 elements}}
  %0 = llm.matmul %x, %w bias %b : tensor<4x8xf32>, tensor<8x16xf32>, tensor<4xf32>
  return
}

// -----

// matmul-C2: with transpose_rhs, n is the first dimension of the right operand.
func.func @bias_transposed(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{'llm.matmul' op bias 'tensor<8xf32>' must have n = 16 elements}}
  %0 = llm.matmul %x, %w bias %b transpose_rhs : tensor<4x8xf32>, tensor<16x8xf32>, tensor<8xf32>
  return
}

// -----

// matmul-C3: quantized rows whose product has no type.
func.func @scaled_lhs(%x: tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, %w: tensor<32x16xf32>) {
  // expected-error @+1 {{'llm.matmul' op cannot have a result of '!llm.block_scaled<f8E4M3FN, [32], f32>' elements: name a float or integer type with 'to'}}
  %0 = llm.matmul %x, %w : tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<32x16xf32>
  return
}

// -----

// matmul-C3: a result that is scaled in blocks.
func.func @scaled_result(%x: tensor<4x32xf32>, %w: tensor<32x16xf32>) {
  // expected-error @+1 {{'llm.matmul' op cannot have a result of '!llm.block_scaled<f8E4M3FN, [32], f32>' elements: name a float or integer type with 'to'}}
  %0 = llm.matmul %x, %w to !llm.block_scaled<f8E4M3FN, [32], f32> : tensor<4x32xf32>, tensor<32x16xf32>
  return
}

// -----

// matmul-C3: a result of indices.
func.func @index_result(%x: tensor<4x32xf32>, %w: tensor<32x16xf32>) {
  // expected-error @+1 {{'llm.matmul' op cannot have a result of 'index' elements: name a float or integer type with 'to'}}
  %0 = llm.matmul %x, %w to index : tensor<4x32xf32>, tensor<32x16xf32>
  return
}

// -----

// batch_matmul-C1: the right operand has another k.
func.func @batch_reduction(%x: tensor<3x4x8xf32>, %w: tensor<4x9x16xf32>) {
  // expected-error @+1 {{'llm.batch_matmul' op reduction sizes differ: lhs 'tensor<3x4x8xf32>' has k = 8, rhs 'tensor<4x9x16xf32>' has k = 9; is 'transpose_rhs' missing?}}
  %0 = llm.batch_matmul %x, %w : tensor<3x4x8xf32>, tensor<4x9x16xf32>
  return
}

// -----

// batch_matmul-C1: with transpose_rhs, k is the last dimension of the right operand.
func.func @batch_reduction_transposed(%x: tensor<3x4x8xf32>, %w: tensor<4x8x16xf32>) {
  // expected-error @+1 {{'llm.batch_matmul' op reduction sizes differ: lhs 'tensor<3x4x8xf32>' has k = 8, rhs 'tensor<4x8x16xf32>' has k = 16}}
  %0 = llm.batch_matmul %x, %w transpose_rhs : tensor<3x4x8xf32>, tensor<4x8x16xf32>
  return
}

// -----

// batch_matmul-C2: heads in the place of tokens.
func.func @batch_heads(%x: tensor<4x3x8xf32>, %w: tensor<4x8x16xf32>) {
  // expected-error @+1 {{'llm.batch_matmul' op lhs 'tensor<4x3x8xf32>' has 3 heads, rhs 'tensor<4x8x16xf32>' 4}}
  %0 = llm.batch_matmul %x, %w : tensor<4x3x8xf32>, tensor<4x8x16xf32>
  return
}

// -----

// batch_matmul-C3: quantized rows whose product has no type.
func.func @batch_scaled(%x: tensor<3x4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, %w: tensor<4x32x16xf32>) {
  // expected-error @+1 {{'llm.batch_matmul' op cannot have a result of '!llm.block_scaled<f8E4M3FN, [32], f32>' elements: name a float or integer type with 'to'}}
  %0 = llm.batch_matmul %x, %w : tensor<3x4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<4x32x16xf32>
  return
}
