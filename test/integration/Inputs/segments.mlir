// As in test/Transforms/shard.mlir, which says how it is cut.
func.func @segments(%x: tensor<3x32xf32>, %y: tensor<3x128xf32>) -> (tensor<3x32xf32>, tensor<3x64xf32>) {
  %w = llm.weight "w" : tensor<128x32xf32>
  %p = llm.matmul "gate_up" %x, %w transpose_rhs : tensor<3x32xf32>, tensor<128x32xf32>
  %s = llm.add "shifted" %p, %y : tensor<3x128xf32>, tensor<3x128xf32>
  %a = tensor.extract_slice %s[0, 0] [3, 64] [1, 1] : tensor<3x128xf32> to tensor<3x64xf32>
  %bc = tensor.extract_slice %s[0, 64] [3, 64] [1, 1] : tensor<3x128xf32> to tensor<3x64xf32>
  %t = llm.mul "twice" %bc, %bc : tensor<3x64xf32>, tensor<3x64xf32>
  %b = tensor.extract_slice %t[0, 0] [3, 32] [1, 1] : tensor<3x64xf32> to tensor<3x32xf32>
  %c = tensor.extract_slice %t[0, 32] [3, 32] [1, 1] : tensor<3x64xf32> to tensor<3x32xf32>
  %bc2 = llm.swiglu "act" %b, %c : tensor<3x32xf32>, tensor<3x32xf32>
  %wd = llm.weight "wd" : tensor<32x64xf32>
  %d = llm.matmul "down" %a, %wd transpose_rhs : tensor<3x64xf32>, tensor<32x64xf32>
  %we = llm.weight "we" : tensor<32x32xf32>
  %e = llm.matmul "out" %bc2, %we transpose_rhs : tensor<3x32xf32>, tensor<32x32xf32>
  %sum = llm.add "sum" %d, %e : tensor<3x32xf32>, tensor<3x32xf32>
  return %sum, %t : tensor<3x32xf32>, tensor<3x64xf32>
}
