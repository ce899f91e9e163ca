module {
  func.func @experts(%arg0: tensor<4x8xbf16>, %arg1: tensor<8xf32>) -> (tensor<4x2xbf16>, tensor<4x2xbf16>) {
    %shares, %experts = llm.moe_route "biased" sigmoid %arg0 bias %arg1 top_k 2 groups 2 top_groups 1 normalize scale 2.5 : tensor<4x8xbf16>, tensor<8xf32>
    %shares_0, %experts_1 = llm.moe_route "plain" softmax %arg0 top_k 2 : tensor<4x8xbf16>
    return %shares, %shares_0 : tensor<4x2xbf16>, tensor<4x2xbf16>
  }
}

