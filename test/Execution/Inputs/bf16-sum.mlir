// 256 and eight times 1, added up in bf16. 257 lies between two numbers of bf16, and rounds to the even one, 256.
func.func @sum() -> tensor<1xf32> {
  %ones = arith.constant dense<1.0> : tensor<1x8xbf16>
  %start = arith.constant dense<256.0> : tensor<1xbf16>
  %s = linalg.reduce ins(%ones : tensor<1x8xbf16>) outs(%start : tensor<1xbf16>) dimensions = [1] (%a: bf16, %b: bf16) {
    %c = arith.addf %b, %a : bf16
    linalg.yield %c : bf16
  }
  %f = tensor.empty() : tensor<1xf32>
  %wide = linalg.map ins(%s : tensor<1xbf16>) outs(%f : tensor<1xf32>) (%a: bf16, %o: f32) {
    %c = arith.extf %a : bf16 to f32
    linalg.yield %c : f32
  }
  return %wide : tensor<1xf32>
}
