module {
  func.func @experts(%arg0: tensor<4x16xf32>, %arg1: tensor<4x2xi32>, %arg2: tensor<4x2xf32>) -> tensor<4x16xf32> {
    %w = llm.weight "w" : tensor<4x16x16xf32>
    %b = llm.weight "b" : tensor<4x16xf32>
    %dispatch = llm.moe_dispatch "dispatch" %arg0, %arg1 : tensor<4x16xf32>, tensor<4x2xi32>
    %scaled = llm.moe_dispatch "scaled" %arg0, %arg1 shares %arg2 : tensor<4x16xf32>, tensor<4x2xi32>, tensor<4x2xf32>
    %0 = llm.add %dispatch, %scaled : tensor<8x16xf32>, tensor<8x16xf32>
    %down = llm.grouped_matmul "down" %0, %w bias %b experts %arg1 transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 to f32 : tensor<8x16xf32>, tensor<4x16x16xf32>, tensor<4x16xf32> experts tensor<4x2xi32>
    %combine = llm.moe_combine "combine" %down, %arg1, %arg2 : tensor<8x16xf32>, tensor<4x2xi32>, tensor<4x2xf32>
    return %combine : tensor<4x16xf32>
  }
}

