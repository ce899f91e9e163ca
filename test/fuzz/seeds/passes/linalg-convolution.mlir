// tile schedule verify-schedule report=json
func.func @f(%x: tensor<1x9x9x4xf16>, %w: tensor<3x3x4x8xf16>, %y: tensor<6x5xf32>) -> tensor<1x7x7x8xf16> {
  %zero = arith.constant 0.0 : f16
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x7x8xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<1x7x7x8xf16>) -> tensor<1x7x7x8xf16>
  %p = tensor.pad %y low[1, 2] high[0, 3] {
  ^bb0(%a: index, %b: index):
    tensor.yield %z : f32
  } : tensor<6x5xf32> to tensor<7x10xf32>
  %s = tensor.insert_slice %y into %p[0, 1] [6, 5] [1, 1] : tensor<6x5xf32> into tensor<7x10xf32>
  %t = tensor.empty() : tensor<10x7xf32>
  %u = linalg.transpose ins(%s : tensor<7x10xf32>) outs(%t : tensor<10x7xf32>) permutation = [1, 0]
  %o = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x9x9x4xf16>, tensor<3x3x4x8xf16>) outs(%i : tensor<1x7x7x8xf16>) -> tensor<1x7x7x8xf16>
  return %o : tensor<1x7x7x8xf16>
}
