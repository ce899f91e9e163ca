// target=h100-sxm shard=tp partition tile schedule
func.func @scales(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %wu = llm.weight "wu" : tensor<64x32xf32>
  %u = llm.matmul "up" %x, %wu transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %q = llm.quantize "rows" %u to !llm.block_scaled<f8E4M3FN, [?], f32> : tensor<3x64xf32>
  %wd = llm.weight "wd" : tensor<32x64xf32>
  %d = llm.matmul "down" %q, %wd transpose_rhs to f32 : tensor<3x64x!llm.block_scaled<f8E4M3FN, [?], f32>>, tensor<32x64xf32>
  %wv = llm.weight "wv" : tensor<64x32xf32>
  %v = llm.matmul "next" %d, %wv transpose_rhs : tensor<3x32xf32>, tensor<64x32xf32>
  %p = llm.quantize "blocks" %v to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<3x64xf32>
  %wl = llm.weight "wl" : tensor<32x64xf32>
  %l = llm.matmul "last" %p, %wl transpose_rhs to f32 : tensor<3x64x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x64xf32>
  return %l : tensor<3x32xf32>
}
