func.func @exchanged(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %w = llm.weight "w" : tensor<6x4xf32>
  %y = llm.add %x, %w : tensor<6x4xf32>, tensor<6x4xf32>
  %z = llm.scale %y by 3.0 : tensor<6x4xf32>
  return %y, %z : tensor<6x4xf32>, tensor<6x4xf32>
}
