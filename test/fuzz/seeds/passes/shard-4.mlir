// target=h100-sxm shard=tp partition tile schedule
func.func @blocks(%x: tensor<3x32xf32>) -> tensor<3x64xf32> {
  %w = llm.weight "w" : tensor<64x32x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
  %u = llm.matmul "u" %x, %w transpose_rhs : tensor<3x32xf32>, tensor<64x32x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
  return %u : tensor<3x64xf32>
}
