// target=h100-sxm shard=cp partition tile schedule verify-schedule
!latents = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 8, capacity = 8, f32 latents>
!wide = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 8, capacity = 8, f32>
func.func @latents(%q: tensor<2x1x8x8xf32>, %z: tensor<2x1x1x8xf32>) -> tensor<2x1x8x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at [7, 3] : !latents, tensor<2x1x1x8xf32>
  %zs = llm.kv_read %c1 rows [0, 0] to [8, 4] : !latents
  %a = llm.mla_attn %q, %zs value_dim 6 mask causal lengths [8, 4] scale 0.3 : tensor<2x1x8x8xf32>, tensor<2x8x1x8xf32>
  return %a : tensor<2x1x8x6xf32>
}

func.func @sinks(%q: tensor<2x1x8x8xf32>, %k: tensor<2x1x1x8xf32>) -> tensor<2x1x8x8xf32> {
  %c0 = llm.kv_cache "c" : !wide
  %c1 = llm.kv_write %c0, %k, %k at 7 : !wide, tensor<2x1x1x8xf32>, tensor<2x1x1x8xf32>
  %keys, %values = llm.kv_read %c1 rows 0 to 8 : !wide
  %s = llm.weight "sinks" : tensor<8xf32>
  %a = llm.gqa_attn %q, %keys, %values sinks %s mask full scale 0.3 soft_cap 50.0 : tensor<2x1x8x8xf32>, tensor<2x8x1x8xf32>, tensor<2x8x1x8xf32>, tensor<8xf32>
  return %a : tensor<2x1x8x8xf32>
}

func.func @prompt(%q: tensor<2x4x8x8xf32>, %z: tensor<2x4x1x8xf32>) -> tensor<2x4x8x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 0 : !latents, tensor<2x4x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 4 : !latents
  %a = llm.mla_attn %q, %zs value_dim 6 mask causal scale 0.3 : tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>
  return %a : tensor<2x4x8x6xf32>
}
