// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-shard=dp=2
// RUN: not llm-opt %S/shard-experts.mlir -split-input-file --llm-shard="dp=4 ep=2" 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: --llm-shard: option 'dp': the experts lie on the chips that share sequences, so that 'ep' must be a multiple of dp=4, got 2

// Nothing says what a sequence is.
// expected-error @+1 {{'func.func' op does not say how many sequences it has (llm.program), so that chips cannot share them}}
func.func @unknown(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %s = llm.add %x, %x : tensor<4x32xf32>, tensor<4x32xf32>
  return %s : tensor<4x32xf32>
}

// -----

// Two chips do not share three sequences.
// expected-error @+1 {{'func.func' op has 3 sequences, which cannot be shared equally by 2 chips or parts of a batch}}
func.func @divide(%x: tensor<3x32xf32>) -> tensor<3x32xf32> attributes {llm.program = #llm.program<"m", decode, batch = 3, seq = 1, kv_len = 8, layers = 1 of 2>} {
  %s = llm.add %x, %x : tensor<3x32xf32>, tensor<3x32xf32>
  return %s : tensor<3x32xf32>
}

// -----

// A prompt beside tokens.
// expected-error @+1 {{'func.func' op has several groups of sequences, which chips cannot share}}
func.func @groups(%x: tensor<6x32xf32>) -> tensor<6x32xf32> attributes {llm.program = #llm.program<"m", mixed, batch = 2, seq = 1, kv_len = 8 and batch = 2, seq = 2, kv_len = 8, layers = 1 of 2>} {
  %s = llm.add %x, %x : tensor<6x32xf32>, tensor<6x32xf32>
  return %s : tensor<6x32xf32>
}

// -----

// cut-C5: sequences at other positions.
func.func @positions(%x: tensor<2x8xf32>) -> tensor<2x8xf32> attributes {llm.program = #llm.program<"m", decode, batch = 2, seq = 1, kv_len = 8, layers = 1 of 2>} {
  %h = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [2, 1, 1, 8] : tensor<2x8xf32> into tensor<2x1x1x8xf32>
  // expected-error @+1 {{'llm.rope' op cannot be cut along loop 'b' over axis 'dp': the positions of the sequences differ, and are no operand}}
  %r = llm.rope %h at [7, 3] theta 1.0e4 : tensor<2x1x1x8xf32>
  %y = tensor.collapse_shape %r [[0, 1], [2, 3]] : tensor<2x1x1x8xf32> into tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
