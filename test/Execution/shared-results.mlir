// RUN: llm-run %s --output=%t.npy
// RUN: llm-run %s --optimize=false --check-against=%t.npy | FileCheck %s
// CHECK: agrees
// A value that is given twice, and a view of it, lie in one place, which is freed once.
func.func @program(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<2x3xf32>) {
  %y = llm.add %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, 2, 3] : tensor<2x3xf32> into tensor<1x2x3xf32>
  return %y, %z, %y : tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<2x3xf32>
}
