// target=npu tile
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = llm.add "add" %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
