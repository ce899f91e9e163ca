// shard=ep partition tile
module {
  func.func @experts(%x: tensor<4x16xf32>, %e: tensor<4x2xi32>, %s: tensor<4x2xf32>) -> tensor<4x16xf32> {
    %rows = llm.moe_dispatch "dispatch" %x, %e : tensor<4x16xf32>, tensor<4x2xi32>
    %w = llm.weight "w" : tensor<8x16x16xf32>
    %u = llm.grouped_matmul "up" %rows, %w experts %e transpose_rhs rows_per_expert [2, 2, 1, 1, 1, 1, 0, 0] top_k 2 : tensor<8x16xf32>, tensor<8x16x16xf32> experts tensor<4x2xi32>
    %c = llm.moe_combine "combine" %u, %e, %s : tensor<8x16xf32>, tensor<4x2xi32>, tensor<4x2xf32>
    %v = llm.weight "v" : tensor<16x16xf32>
    %p = llm.matmul "out" %c, %v transpose_rhs : tensor<4x16xf32>, tensor<16x16xf32>
    return %p : tensor<4x16xf32>
  }
}
