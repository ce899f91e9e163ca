module {
  func.func @attention(%arg0: tensor<1x1x4x8xbf16>, %arg1: tensor<1x5x2x8xbf16>, %arg2: tensor<4xf32>, %arg3: tensor<1x1x4x12xbf16>, %arg4: tensor<1x5x1x12xbf16>) -> tensor<1x1x4x8xbf16> {
    %plain = llm.gqa_attn "plain" %arg0, %arg1, %arg1 mask causal scale 0.5 soft_cap 4.0 : tensor<1x1x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
    %sinks = llm.gqa_attn "sinks" %plain, %arg1, %arg1 sinks %arg2 mask causal scale 0.5 : tensor<1x1x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>, tensor<4xf32>
    %latent = llm.mla_attn "latent" %arg3, %arg4 value_dim 8 mask causal scale 0.25 : tensor<1x1x4x12xbf16>, tensor<1x5x1x12xbf16>
    return %sinks : tensor<1x1x4x8xbf16>
  }
}

