// tile schedule=earliest report=json
!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 8, f32>

func.func @rows(%k: tensor<1x1x2x8xf32>, %q: tensor<1x1x4x8xf32>) {
  %c0 = llm.kv_cache "c" : !cache
  %c1 = llm.kv_write "row 3" %c0, %k, %k at 3 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  %c2 = llm.kv_write "row 5" %c1, %k, %k at 5 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>

  %k0, %v0 = llm.kv_read %c2 rows 6 to 8 : !cache
  %0 = llm.qk "untouched" %q, %k0 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x2x2x8xf32>

  %k1, %v1 = llm.kv_read %c2 rows 3 to 4 : !cache
  %1 = llm.qk "older" %q, %k1 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x1x2x8xf32>

  %k2, %v2 = llm.kv_read %c2 rows 4 to 8 : !cache
  %2 = llm.qk "newer" %q, %k2 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x4x2x8xf32>
  return
}
