// shard partition
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @axis(%x: tensor<4x8xf32>) {
    %0 = llm.add %x, %x {llm.shard = #llm.shard<{d0 = [dp]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}
