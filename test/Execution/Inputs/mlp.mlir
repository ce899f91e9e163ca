// A prompt of 8 tokens through an MLP, whose second product is a sum over chips where it is cut.
func.func @mlp(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %up = llm.weight "up" : tensor<64x32xf32>
  %gate = llm.weight "gate" : tensor<64x32xf32>
  %down = llm.weight "down" : tensor<32x64xf32>
  %a = llm.matmul "up_proj" %x, %up transpose_rhs : tensor<8x32xf32>, tensor<64x32xf32>
  %b = llm.matmul "gate_proj" %x, %gate transpose_rhs : tensor<8x32xf32>, tensor<64x32xf32>
  %h = llm.swiglu "swiglu" %b, %a : tensor<8x64xf32>, tensor<8x64xf32>
  %y = llm.matmul "down_proj" %h, %down transpose_rhs : tensor<8x64xf32>, tensor<32x64xf32>
  return %y : tensor<8x32xf32>
}
