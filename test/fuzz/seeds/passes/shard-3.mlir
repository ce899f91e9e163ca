// target=h100-sxm shard=tp partition tile schedule
func.func @once(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %w = llm.weight "w" : tensor<64x32xf32>
  %u = llm.matmul "u" %x, %w transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %wa = llm.weight "wa" : tensor<32x64xf32>
  %a = llm.matmul "a" %u, %wa transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>
  %wb = llm.weight "wb" : tensor<32x64xf32>
  %b = llm.matmul "b" %u, %wb transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>
  %s = llm.add "sum" %a, %b : tensor<3x32xf32>, tensor<3x32xf32>
  return %s : tensor<3x32xf32>
}
