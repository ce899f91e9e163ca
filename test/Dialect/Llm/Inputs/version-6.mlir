module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @own(%arg0: tensor<4x16xf32>, %arg1: tensor<4x2xi32>, %arg2: tensor<4x2xf32>) -> tensor<4x16xf32> {
    %w = llm.weight "w" {llm.piece = #llm.shard<{d0 = [ep] of [2, 2]}>} : tensor<2x16x16xf32>
    %dispatch = llm.moe_dispatch "dispatch" %arg0, %arg1 own [ep] rows 5 : tensor<4x16xf32>, tensor<4x2xi32>
    %up = llm.grouped_matmul "up" %dispatch, %w experts %arg1 transpose_rhs rows_per_expert [2, 3] top_k 2 own [ep] : tensor<5x16xf32>, tensor<2x16x16xf32> experts tensor<4x2xi32>
    %combine = llm.moe_combine "combine" %up, %arg1, %arg2 own [ep] : tensor<5x16xf32>, tensor<4x2xi32>, tensor<4x2xf32>
    %all_reduce = llm.all_reduce "all_reduce" sum %combine over [ep] : tensor<4x16xf32>
    return %all_reduce : tensor<4x16xf32>
  }
}

