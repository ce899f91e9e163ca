// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-shard -o /dev/null

// Four chips do not divide the features of 3 heads, and two do. No zeros can stand behind them: a view divides them. The op with the larger
// weight is named, in all iterations of a loop: 3 x 6 x 16 elements are more than 6 x 16.
module attributes {llm.grid = #llm.grid<tp = 2, tp_copies = 2>} {
  func.func @heads(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x3x2xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<4x16xf32>) {
      %wu = llm.weight "layers.{}.up"[%i] : tensor<6x16xf32>
      // expected-warning @+1 {{'layers.{0..2}.up' is copied, and its weight is whole on several chips: the 4 chips along 'tp', 'tp_copies' do not divide the 6 iterations of its loop 'n' (and so are 1 more)}}
      %u = llm.matmul "layers.{0..2}.up" %h, %wu transpose_rhs : tensor<4x16xf32>, tensor<6x16xf32>
      %heads = tensor.expand_shape %u [[0], [1, 2]] output_shape [4, 3, 2] : tensor<4x6xf32> into tensor<4x3x2xf32>
      %rows = tensor.collapse_shape %heads [[0], [1, 2]] : tensor<4x3x2xf32> into tensor<4x6xf32>
      %wd = llm.weight "layers.{}.down"[%i] : tensor<16x6xf32>
      %d = llm.matmul "layers.{0..2}.down" %rows, %wd transpose_rhs : tensor<4x6xf32>, tensor<16x6xf32>
      scf.yield %d : tensor<4x16xf32>
    }
    %wh = llm.weight "head" : tensor<6x16xf32>
    %z = llm.matmul "head" %y, %wh transpose_rhs : tensor<4x16xf32>, tensor<6x16xf32>
    %shown = tensor.expand_shape %z [[0], [1, 2]] output_shape [4, 3, 2] : tensor<4x6xf32> into tensor<4x3x2xf32>
    return %y, %shown : tensor<4x16xf32>, tensor<4x3x2xf32>
  }
}

// -----

// Two heads of 32 features with a scale for each 32: four chips would have half a block each.
module attributes {llm.grid = #llm.grid<tp = 4>} {
  func.func @blocks(%x: tensor<4x64xbf16>) -> tensor<4x2x32xbf16> {
    %w = llm.weight "w" : tensor<64x64x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    // expected-warning @+1 {{is copied, and its weight is whole on several chips: the 4 chips along 'tp' cannot share its loop 'n', which cuts 'rhs' into pieces that cut through blocks of scales}}
    %y = llm.matmul %x, %w transpose_rhs to bf16 : tensor<4x64xbf16>, tensor<64x64x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    %heads = tensor.expand_shape %y [[0], [1, 2]] output_shape [4, 2, 32] : tensor<4x64xbf16> into tensor<4x2x32xbf16>
    return %heads : tensor<4x2x32xbf16>
  }
}

// -----

// No warning: a small weight beside a large one, and a product whose rows are needed whole.
module attributes {llm.grid = #llm.grid<tp = 4>} {
  func.func @small(%x: tensor<4x16xf32>, %g: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<4x3x2xf32>, tensor<4x64xf32>) {
    %wu = llm.weight "up" : tensor<64x16xf32>
    %u = llm.matmul "up" %x, %wu transpose_rhs : tensor<4x16xf32>, tensor<64x16xf32>
    %ws = llm.weight "small" : tensor<6x16xf32>
    %s = llm.matmul "small" %x, %ws transpose_rhs : tensor<4x16xf32>, tensor<6x16xf32>
    %heads = tensor.expand_shape %s [[0], [1, 2]] output_shape [4, 3, 2] : tensor<4x6xf32> into tensor<4x3x2xf32>
    %wn = llm.weight "normed" : tensor<64x16xf32>
    %n = llm.matmul "normed" %x, %wn transpose_rhs : tensor<4x16xf32>, tensor<64x16xf32>
    %norm = llm.rmsnorm "norm" %n, %g epsilon 1.0e-6 : tensor<4x64xf32>, tensor<64xf32>
    return %u, %heads, %norm : tensor<4x64xf32>, tensor<4x3x2xf32>, tensor<4x64xf32>
  }
}
