// As mlp.mlir, with 13 features between the products, which two chips do not divide.
func.func @mlp(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %up = llm.weight "up" : tensor<13x8xf32>
  %gate = llm.weight "gate" : tensor<13x8xf32>
  %down = llm.weight "down" : tensor<8x13xf32>
  %a = llm.matmul "up_proj" %x, %up transpose_rhs : tensor<8x8xf32>, tensor<13x8xf32>
  %b = llm.matmul "gate_proj" %x, %gate transpose_rhs : tensor<8x8xf32>, tensor<13x8xf32>
  %h = llm.swiglu "swiglu" %b, %a : tensor<8x13xf32>, tensor<8x13xf32>
  %y = llm.matmul "down_proj" %h, %down transpose_rhs : tensor<8x13xf32>, tensor<8x13xf32>
  return %y : tensor<8x8xf32>
}
