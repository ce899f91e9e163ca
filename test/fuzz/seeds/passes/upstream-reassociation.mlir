// tile
func.func @f(%q: tensor<32x64xbf16>) {
  %0 = tensor.expand_shape %q [[0, 1], []] output_shape [2, 16, 4, 16] : tensor<32x64xbf16> into tensor<2x16x4x16xbf16>
  return
}
