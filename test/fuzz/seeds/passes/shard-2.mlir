// target=h100-sxm shard=tp partition tile schedule
func.func @heads(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %wq = llm.weight "wq" : tensor<32x32xf32>
  %q = llm.matmul "q" %x, %wq transpose_rhs : tensor<3x32xf32>, tensor<32x32xf32>
  %wk = llm.weight "wk" : tensor<8x32xf32>
  %k = llm.matmul "k" %x, %wk transpose_rhs : tensor<3x32xf32>, tensor<8x32xf32>
  %qh = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [1, 3, 8, 4] : tensor<3x32xf32> into tensor<1x3x8x4xf32>
  %kh = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<3x8xf32> into tensor<1x3x2x4xf32>
  %c0 = llm.kv_cache "c" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %c1 = llm.kv_write "write" %c0, %kh, %kh at 6 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 9, f32>, tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>
  %keys, %values = llm.kv_read %c1 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %a = llm.gqa_attn "attn" %qh, %keys, %values mask causal scale 0.5 : tensor<1x3x8x4xf32>, tensor<1x9x2x4xf32>, tensor<1x9x2x4xf32>
  %rows = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<1x3x8x4xf32> into tensor<3x32xf32>
  %wo = llm.weight "wo" : tensor<32x32xf32>
  %o = llm.matmul "o" %rows, %wo transpose_rhs : tensor<3x32xf32>, tensor<32x32xf32>
  return %o : tensor<3x32xf32>
}
