module attributes {llm.grid = #llm.grid<tp = 1>} {
  func.func @pair(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
    %w = llm.weight "w" : tensor<32x32xf32>
    %d = llm.matmul "down" %x, %w transpose_rhs {llm.shard = #llm.shard<{k = [tp]}>} : tensor<3x32xf32>, tensor<32x32xf32>
    return %d : tensor<3x32xf32>
  }
}
