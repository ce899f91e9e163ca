// The second of two stages, without the first.
module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @model_stage1(%x: tensor<2x8xf32>) -> tensor<2x8xf32> attributes {llm.stage = #llm.stage<1 of 2, microbatches = 1>} {
    %0 = llm.add "work" %x, %x : tensor<2x8xf32>, tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
