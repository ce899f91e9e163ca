// Activations that are quantized in three loops over rows, and handed on by a kernel.
!row = !llm.block_scaled<f8E4M3FN, [?], f32>
func.func @program(%x: tensor<6x8xf32>, %w: tensor<5x8xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>) {
  %q = llm.quantize "q" %x to !row {llm.tile = #llm.tile<pinned split = {d0 = 3}>} : tensor<6x8xf32>
  %y = llm.matmul %q, %w transpose_rhs to f32 {llm.tile = #llm.tile<pinned>} : tensor<6x8x!row>, tensor<5x8xf32>
  %k = llm.fused attributes {llm.tile = #llm.tile<pinned split = {d0 = 2}>} {
    %s = llm.scale %x by 2.0 : tensor<6x8xf32>
    %r = llm.quantize %s to !row : tensor<6x8xf32>
    llm.yield %r : tensor<6x8x!row>
  } : tensor<6x8x!row>
  %z = llm.matmul %k, %w transpose_rhs to f32 {llm.tile = #llm.tile<pinned>} : tensor<6x8x!row>, tensor<5x8xf32>
  return %y, %z : tensor<6x5xf32>, tensor<6x5xf32>
}
