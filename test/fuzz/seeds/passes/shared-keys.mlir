// target=h100-sxm tile verify-cost schedule verify-schedule report=json
!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, bf16>

module attributes {llm.grid = #llm.grid<tp = 2, cp = 2>} {
  func.func @partial(%q: tensor<1x2x4x8xbf16>, %k: tensor<1x5x2x8xbf16>, %z: tensor<1x5x1x8xbf16>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
    %0, %lse = llm.gqa_attn %q, %k, %k mask full scale 1.0 return_lse : tensor<1x2x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
    %1, %lse1 = llm.mla_attn %q, %z value_dim 6 mask full scale 1.0 return_lse : tensor<1x2x4x8xbf16>, tensor<1x5x1x8xbf16>
    return %lse, %lse1 : tensor<1x2x4xf32>, tensor<1x2x4xf32>
  }

  func.func @join(%x: tensor<1x4x3x8xbf16>, %lse: tensor<1x4x3xf32>, %s: tensor<3xf32>) -> tensor<1x2x3x8xbf16> {
    %0 = llm.join_attn "attn.join" %x, %lse parts 2 : tensor<1x4x3x8xbf16>, tensor<1x4x3xf32>
    %1 = llm.join_attn %x, %lse sinks %s parts 2 : tensor<1x4x3x8xbf16>, tensor<1x4x3xf32>, tensor<3xf32>
    return %0 : tensor<1x2x3x8xbf16>
  }

  func.func @write(%c: !cache, %one: tensor<1x1x2x8xf32>, %four: tensor<1x4x2x8xf32>) -> (!cache, tensor<1x4x2x8xbf16>) {
    %0 = llm.kv_write "one" %c, %one, %one at 7 own [cp] : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
    %1 = llm.kv_write "four" %0, %four, %four at 4 own [cp] : !cache, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>
    %keys, %values = llm.kv_read %1 rows 0 to 4 : !cache
    return %1, %keys : !cache, tensor<1x4x2x8xbf16>
  }
}
