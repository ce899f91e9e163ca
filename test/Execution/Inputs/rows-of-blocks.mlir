// Rows 1 to 3 of a weight, which begin and end inside of its blocks of two rows; a view of them with
// another shape; and rows of two weights.
func.func @program(%x: tensor<5x8xf32>) -> tensor<5x10xf32> {
  %w = llm.weight "w" : tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %some = tensor.extract_slice %w[1, 0] [3, 8] [1, 1] : tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>> to tensor<3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %more = tensor.expand_shape %w [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>> into tensor<2x3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %last = tensor.extract_slice %more[1, 0, 0] [1, 3, 8] [1, 1, 1] : tensor<2x3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>> to tensor<1x3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %flat = tensor.collapse_shape %last [[0, 1], [2]] : tensor<1x3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>> into tensor<3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %y = llm.matmul %x, %some transpose_rhs : tensor<5x8xf32>, tensor<3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %z = llm.matmul %x, %flat transpose_rhs : tensor<5x8xf32>, tensor<3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %both = tensor.concat dim(0) %flat, %w : (tensor<3x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>, tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>) -> tensor<9x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %u = llm.matmul %x, %both transpose_rhs : tensor<5x8xf32>, tensor<9x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %fourth = tensor.extract_slice %u[0, 3] [5, 4] [1, 1] : tensor<5x9xf32> to tensor<5x4xf32>
  %all = tensor.concat dim(1) %y, %z, %fourth : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x4xf32>) -> tensor<5x10xf32>
  return %all : tensor<5x10xf32>
}
