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
