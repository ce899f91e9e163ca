// partition tile
module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @cache(%k: tensor<1x1x1x8xf32>) -> (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>) {
    %c = llm.kv_cache "cache" : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>
    %0 = llm.kv_write "write" %c, %k, %k at 3 {llm.stage = 0 : i64} : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>, tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>
    %1 = llm.kv_write "again" %c, %k, %k at 2 {llm.stage = 1 : i64} : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>, tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>
    %keys, %values = llm.kv_read %1 rows 0 to 4 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>
    return %keys, %values : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>
  }
}
