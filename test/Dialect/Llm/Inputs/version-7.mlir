module attributes {llm.grid = #llm.grid<tp = 2, cp = 2>} {
  func.func @decode(%arg0: tensor<1x1x4x8xbf16>, %arg1: tensor<1x1x2x8xbf16>, %arg2: tensor<1x1x1x8xbf16>) -> (tensor<1x1x2x8xbf16>, tensor<1x1x4xf32>) {
    %kv_cache = llm.kv_cache "c" {llm.piece = #llm.shard<{capacity = [cp] of 8 x 2}>} : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 8, bf16>
    %write = llm.kv_write "write" %kv_cache, %arg1, %arg1 at 15 own [cp] : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 8, bf16>, tensor<1x1x2x8xbf16>, tensor<1x1x2x8xbf16>
    %keys, %values = llm.kv_read %write rows 0 to 8 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 8, bf16>
    %attn, %lse = llm.gqa_attn "attn" %arg0, %keys, %values mask causal scale 0.35 return_lse : tensor<1x1x4x8xbf16>, tensor<1x8x2x8xbf16>, tensor<1x8x2x8xbf16>
    %0 = llm.all_to_all %attn over [cp] from 2 to 1 : tensor<1x1x4x8xbf16> -> tensor<1x2x2x8xbf16>
    %1 = llm.all_to_all %lse over [cp] from 2 to 1 : tensor<1x1x4xf32> -> tensor<1x2x2xf32>
    %join = llm.join_attn "join" %0, %1 parts 2 : tensor<1x2x2x8xbf16>, tensor<1x2x2xf32>
    %whole = llm.gqa_attn "whole" %arg0, %keys, %values mask causal scale 0.35 : tensor<1x1x4x8xbf16>, tensor<1x8x2x8xbf16>, tensor<1x8x2x8xbf16>
    %kv_cache_0 = llm.kv_cache "d" : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 8, bf16 latents>
    %plain = llm.kv_write "plain" %kv_cache_0, %arg2 at 7 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 8, bf16 latents>, tensor<1x1x1x8xbf16>
    %latents = llm.kv_read %plain rows 0 to 8 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 8, bf16 latents>
    %latent, %lse_1 = llm.mla_attn "latent" %arg0, %latents value_dim 6 mask causal scale 0.35 return_lse : tensor<1x1x4x8xbf16>, tensor<1x8x1x8xbf16>
    return %join, %lse_1 : tensor<1x1x2x8xbf16>, tensor<1x1x4xf32>
  }
}

