// tile
func.func @f(%x: tensor<3x4xi32>, %y: tensor<4x3xi32>) {
  %0 = linalg.transpose ins(%x : tensor<3x4xi32>) outs(%y : tensor<4x3xi32>) permutation = [1, 18446744073709551615]
  return
}
