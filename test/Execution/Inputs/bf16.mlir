// What a program computes in bf16 itself, by ops that some CPUs lack: products, sums, exponentials, conversions.
func.func @f(%x: tensor<8x16xbf16>, %w: tensor<16x8xbf16>, %n: tensor<8x8xi32>, %r: tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8x8xbf16>) {
  %i = tensor.empty() : tensor<8x8xbf16>
  %zero = arith.constant 0.0 : bf16
  %z = linalg.fill ins(%zero : bf16) outs(%i : tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xbf16>, tensor<16x8xbf16>) outs(%z : tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %s = linalg.reduce ins(%y : tensor<8x8xbf16>) outs(%r : tensor<8xbf16>) dimensions = [1] (%a: bf16, %b: bf16) {
    %c = arith.addf %a, %b : bf16
    linalg.yield %c : bf16
  }
  %e = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]} ins(%y, %n : tensor<8x8xbf16>, tensor<8x8xi32>) outs(%i : tensor<8x8xbf16>) {
  ^bb0(%a: bf16, %k: i32, %o: bf16):
    %0 = math.exp %a : bf16
    %1 = math.tanh %0 : bf16
    %2 = arith.sitofp %k : i32 to bf16
    %3 = arith.maximumf %1, %2 : bf16
    linalg.yield %3 : bf16
  } -> tensor<8x8xbf16>
  return %s, %e : tensor<8xbf16>, tensor<8x8xbf16>
}
