// The same columns, of a product with the whole weight.
func.func @program(%x: tensor<5x8xf32>) -> tensor<5x10xf32> {
  %w = llm.weight "w" : tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %y = llm.matmul %x, %w transpose_rhs : tensor<5x8xf32>, tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 3], f32>>
  %0 = tensor.extract_slice %y[0, 1] [5, 3] [1, 1] : tensor<5x6xf32> to tensor<5x3xf32>
  %1 = tensor.extract_slice %y[0, 3] [5, 3] [1, 1] : tensor<5x6xf32> to tensor<5x3xf32>
  %2 = tensor.extract_slice %y[0, 0] [5, 4] [1, 1] : tensor<5x6xf32> to tensor<5x4xf32>
  %all = tensor.concat dim(1) %0, %1, %2 : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x4xf32>) -> tensor<5x10xf32>
  return %all : tensor<5x10xf32>
}
