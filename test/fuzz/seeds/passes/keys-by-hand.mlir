// shard partition
module attributes {llm.grid = #llm.grid<cp = 2>} {
  func.func @segments(%q: tensor<1x1x8x8xf32>, %z: tensor<1x8x1x8xf32>) -> tensor<1x1x8x6xf32> {
    %a = llm.mla_attn %q, %z value_dim 6 mask causal scale 0.3 {llm.shard = #llm.shard<{t = [cp] of [4, 4]}>} : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32>
    return %a : tensor<1x1x8x6xf32>
  }
}
