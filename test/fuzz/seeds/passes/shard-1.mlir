// target=h100-sxm shard=tp partition tile schedule
func.func @row(%x: tensor<3x32xf32>) -> tensor<3x80xf32> {
  %wn = llm.weight "wn" : tensor<64x32xf32>
  %a = llm.matmul "latent" %x, %wn transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %n = llm.rmsnorm "norm" %a epsilon 1.0e-5 : tensor<3x64xf32>
  %wh = llm.weight "wh" : tensor<80x64xf32>
  %h = llm.matmul "head" %n, %wh transpose_rhs : tensor<3x64xf32>, tensor<80x64xf32>
  return %h : tensor<3x80xf32>
}
