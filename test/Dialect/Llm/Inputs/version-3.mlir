module {
  func.func @experts(%arg0: tensor<4x8xbf16>, %arg1: tensor<8xf32>) -> (tensor<4x2xbf16>, tensor<4x2xbf16>) {
    %shares, %experts = llm.moe_route "scaled" softmax %arg0 expert_scales %arg1 top_k 2 normalize : tensor<4x8xbf16> expert_scales tensor<8xf32>
    %shares_0, %experts_1 = llm.moe_route "biased" sigmoid %arg0 bias %arg1 expert_scales %arg1 top_k 2 : tensor<4x8xbf16>, tensor<8xf32> expert_scales tensor<8xf32>
    return %shares, %shares_0 : tensor<4x2xbf16>, tensor<4x2xbf16>
  }
  func.func @attention(%arg0: tensor<1x1x4x8xbf16>, %arg1: tensor<1x5x2x8xbf16>, %arg2: tensor<4xf32>, %arg3: tensor<1x1x1x2xi32>, %arg4: tensor<1x1x4x12xbf16>, %arg5: tensor<1x5x1x12xbf16>) -> tensor<1x1x4x8xbf16> {
    %selected = llm.gqa_attn "selected" %arg0, %arg1, %arg1 selected %arg3 mask causal scale 0.5 soft_cap 4.0 : tensor<1x1x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16> selected tensor<1x1x1x2xi32>
    %blocks = llm.gqa_attn "blocks" %selected, %arg1, %arg1 sinks %arg2 selected %arg3 block 2 mask causal scale 0.5 : tensor<1x1x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>, tensor<4xf32> selected tensor<1x1x1x2xi32>
    %latent = llm.mla_attn "latent" %arg4, %arg5 value_dim 8 selected %arg3 mask causal scale 0.25 : tensor<1x1x4x12xbf16>, tensor<1x5x1x12xbf16> selected tensor<1x1x1x2xi32>
    return %blocks : tensor<1x1x4x8xbf16>
  }
}

