// One attention layer with a gated product in the form in which torch-mlir lowers it to
// linalg on tensors (f16, 2 heads of 16, 8 tokens, hidden size 32): a weight that is
// transposed first, views, batched products with a unit fill below them, a softmax of
// generics (maximum with its index, exponential of the difference, sum, quotient), slices.
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#keep3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @attention(%x: tensor<8x32xf16>, %qkv_weight: tensor<96x32xf16>, %up: tensor<32x32xf16>) -> tensor<8x32xf16> {
    %zero = arith.constant 0.000000e+00 : f16
    %lowest = arith.constant 0xFC00 : f16
    %c0_i64 = arith.constant 0 : i64
    %half = arith.constant 2.500000e-01 : f16
    // q, k, v = x W^T
    %0 = tensor.empty() : tensor<32x96xf16>
    %transposed = linalg.transpose ins(%qkv_weight : tensor<96x32xf16>) outs(%0 : tensor<32x96xf16>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<8x96xf16>
    %2 = linalg.fill ins(%zero : f16) outs(%1 : tensor<8x96xf16>) -> tensor<8x96xf16>
    %qkv = linalg.matmul ins(%x, %transposed : tensor<8x32xf16>, tensor<32x96xf16>) outs(%2 : tensor<8x96xf16>) -> tensor<8x96xf16>
    %q2 = tensor.extract_slice %qkv[0, 0] [8, 32] [1, 1] : tensor<8x96xf16> to tensor<8x32xf16>
    %k2 = tensor.extract_slice %qkv[0, 32] [8, 32] [1, 1] : tensor<8x96xf16> to tensor<8x32xf16>
    %v2 = tensor.extract_slice %qkv[0, 64] [8, 32] [1, 1] : tensor<8x96xf16> to tensor<8x32xf16>
    %q3 = tensor.expand_shape %q2 [[0], [1, 2]] output_shape [8, 2, 16] : tensor<8x32xf16> into tensor<8x2x16xf16>
    %k3 = tensor.expand_shape %k2 [[0], [1, 2]] output_shape [8, 2, 16] : tensor<8x32xf16> into tensor<8x2x16xf16>
    %v3 = tensor.expand_shape %v2 [[0], [1, 2]] output_shape [8, 2, 16] : tensor<8x32xf16> into tensor<8x2x16xf16>
    %3 = tensor.empty() : tensor<2x8x16xf16>
    %q = linalg.transpose ins(%q3 : tensor<8x2x16xf16>) outs(%3 : tensor<2x8x16xf16>) permutation = [1, 0, 2]
    %4 = tensor.empty() : tensor<2x16x8xf16>
    %k = linalg.transpose ins(%k3 : tensor<8x2x16xf16>) outs(%4 : tensor<2x16x8xf16>) permutation = [1, 2, 0]
    %v = linalg.transpose ins(%v3 : tensor<8x2x16xf16>) outs(%3 : tensor<2x8x16xf16>) permutation = [1, 0, 2]
    // scores = q k^T
    %5 = tensor.empty() : tensor<2x8x8xf16>
    %6 = linalg.fill ins(%zero : f16) outs(%5 : tensor<2x8x8xf16>) -> tensor<2x8x8xf16>
    %scores = linalg.batch_matmul ins(%q, %k : tensor<2x8x16xf16>, tensor<2x16x8xf16>) outs(%6 : tensor<2x8x8xf16>) -> tensor<2x8x8xf16>
    %scaled = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores : tensor<2x8x8xf16>) outs(%5 : tensor<2x8x8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %s = arith.mulf %in, %half : f16
      linalg.yield %s : f16
    } -> tensor<2x8x8xf16>
    // softmax
    %7 = tensor.empty() : tensor<2x8xi64>
    %8 = linalg.fill ins(%c0_i64 : i64) outs(%7 : tensor<2x8xi64>) -> tensor<2x8xi64>
    %9 = tensor.empty() : tensor<2x8xf16>
    %10 = linalg.fill ins(%lowest : f16) outs(%9 : tensor<2x8xf16>) -> tensor<2x8xf16>
    %max:2 = linalg.generic {indexing_maps = [#id3, #row3, #row3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scaled : tensor<2x8x8xf16>) outs(%10, %8 : tensor<2x8xf16>, tensor<2x8xi64>) {
    ^bb0(%in: f16, %out: f16, %out_index: i64):
      %i = linalg.index 2 : index
      %i64 = arith.index_cast %i : index to i64
      %m = arith.maximumf %in, %out : f16
      %greater = arith.cmpf ogt, %in, %out : f16
      %index = arith.select %greater, %i64, %out_index : i64
      linalg.yield %m, %index : f16, i64
    } -> (tensor<2x8xf16>, tensor<2x8xi64>)
    %max_column = tensor.expand_shape %max#0 [[0], [1, 2]] output_shape [2, 8, 1] : tensor<2x8xf16> into tensor<2x8x1xf16>
    %shifted = linalg.generic {indexing_maps = [#id3, #keep3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scaled, %max_column : tensor<2x8x8xf16>, tensor<2x8x1xf16>) outs(%5 : tensor<2x8x8xf16>) {
    ^bb0(%in: f16, %in_max: f16, %out: f16):
      %d = arith.subf %in, %in_max : f16
      linalg.yield %d : f16
    } -> tensor<2x8x8xf16>
    %exp = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%shifted : tensor<2x8x8xf16>) outs(%5 : tensor<2x8x8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %e = math.exp %in : f16
      linalg.yield %e : f16
    } -> tensor<2x8x8xf16>
    %11 = linalg.fill ins(%zero : f16) outs(%9 : tensor<2x8xf16>) -> tensor<2x8xf16>
    %12 = tensor.expand_shape %11 [[0], [1, 2]] output_shape [2, 8, 1] : tensor<2x8xf16> into tensor<2x8x1xf16>
    %sum = linalg.generic {indexing_maps = [#id3, #keep3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%exp : tensor<2x8x8xf16>) outs(%12 : tensor<2x8x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %a = arith.addf %in, %out : f16
      linalg.yield %a : f16
    } -> tensor<2x8x1xf16>
    %p = linalg.generic {indexing_maps = [#id3, #keep3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%exp, %sum : tensor<2x8x8xf16>, tensor<2x8x1xf16>) outs(%5 : tensor<2x8x8xf16>) {
    ^bb0(%in: f16, %in_sum: f16, %out: f16):
      %d = arith.divf %in, %in_sum : f16
      linalg.yield %d : f16
    } -> tensor<2x8x8xf16>
    // out = p v, heads side by side again, up-projected onto the input
    %13 = linalg.fill ins(%zero : f16) outs(%3 : tensor<2x8x16xf16>) -> tensor<2x8x16xf16>
    %pv = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf16>, tensor<2x8x16xf16>) outs(%13 : tensor<2x8x16xf16>) -> tensor<2x8x16xf16>
    %14 = tensor.empty() : tensor<8x2x16xf16>
    %heads = linalg.transpose ins(%pv : tensor<2x8x16xf16>) outs(%14 : tensor<8x2x16xf16>) permutation = [1, 0, 2]
    %joined = tensor.collapse_shape %heads [[0], [1, 2]] : tensor<8x2x16xf16> into tensor<8x32xf16>
    %out = linalg.matmul ins(%joined, %up : tensor<8x32xf16>, tensor<32x32xf16>) outs(%x : tensor<8x32xf16>) -> tensor<8x32xf16>
    return %out : tensor<8x32xf16>
  }
}
