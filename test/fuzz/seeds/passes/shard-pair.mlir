// shard=tp partition
func.func @pair(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %wu = llm.weight "wu" : tensor<64x32xf32>
  %u = llm.matmul "up" %x, %wu transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %a = llm.activation "act" silu %u : tensor<3x64xf32>
  %wd = llm.weight "wd" : tensor<32x64xf32>
  %bd = llm.weight "bd" : tensor<32xf32>
  %d = llm.matmul "down" %a, %wd bias %bd transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>, tensor<32xf32>
  return %d : tensor<3x32xf32>
}
