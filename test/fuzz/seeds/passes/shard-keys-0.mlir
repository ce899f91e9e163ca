// target=h100-sxm shard=keys partition tile schedule verify-schedule
!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 16, capacity = 32, f32>
func.func @decode(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %wq = llm.weight "q" : tensor<128x64xf32>
  %wk = llm.weight "k" : tensor<32x64xf32>
  %wo = llm.weight "o" : tensor<64x128xf32>
  %q = llm.matmul "q_proj" %x, %wq transpose_rhs : tensor<1x64xf32>, tensor<128x64xf32>
  %k = llm.matmul "k_proj" %x, %wk transpose_rhs : tensor<1x64xf32>, tensor<32x64xf32>
  %q4 = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [1, 1, 8, 16] : tensor<1x128xf32> into tensor<1x1x8x16xf32>
  %k4 = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 1, 2, 16] : tensor<1x32xf32> into tensor<1x1x2x16xf32>
  %c0 = llm.kv_cache "c" : !cache
  %c1 = llm.kv_write "write" %c0, %k4, %k4 at 31 : !cache, tensor<1x1x2x16xf32>, tensor<1x1x2x16xf32>
  %keys, %values = llm.kv_read %c1 rows 0 to 32 : !cache
  %a4 = llm.gqa_attn "attn" %q4, %keys, %values mask causal scale 0.25 : tensor<1x1x8x16xf32>, tensor<1x32x2x16xf32>, tensor<1x32x2x16xf32>
  %a = tensor.collapse_shape %a4 [[0, 1], [2, 3]] : tensor<1x1x8x16xf32> into tensor<1x128xf32>
  %o = llm.matmul "o_proj" %a, %wo transpose_rhs : tensor<1x128xf32>, tensor<64x128xf32>
  return %o : tensor<1x64xf32>
}
