// fuse tile schedule verify-schedule
module {
  func.func @deepseek_v3_prefill(%arg0: tensor<4x32xbf16>) -> tensor<4x32xbf16> attributes {llm.program = #llm.program<"deepseek_v3", prefill, batch = 1, seq = 4, kv_len = 7, layers = 1 of 3>} {
    %0 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<32xbf16>
    %1 = llm.rmsnorm "model.layers.0.input_layernorm" %arg0, %0 epsilon 9.9999999999999995E-7 : tensor<4x32xbf16>, tensor<32xbf16>
    %2 = llm.weight "model.layers.0.self_attn.q_a_proj.weight" : tensor<8x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %3 = llm.quantize "model.layers.0.self_attn.q_a_proj.quantize" %1 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<4x32xbf16>
    %4 = llm.matmul "model.layers.0.self_attn.q_a_proj" %3, %2 transpose_rhs to bf16 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<8x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %5 = llm.weight "model.layers.0.self_attn.q_a_layernorm.weight" : tensor<8xbf16>
    %6 = llm.rmsnorm "model.layers.0.self_attn.q_a_layernorm" %4, %5 epsilon 9.9999999999999995E-7 : tensor<4x8xbf16>, tensor<8xbf16>
    %7 = llm.weight "model.layers.0.self_attn.q_b_proj.weight" : tensor<12x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %8 = llm.quantize "model.layers.0.self_attn.q_b_proj.quantize" %6 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<4x8xbf16>
    %9 = llm.matmul "model.layers.0.self_attn.q_b_proj" %8, %7 transpose_rhs to bf16 : tensor<4x8x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<12x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %10 = llm.weight "model.layers.0.self_attn.kv_a_proj_with_mqa.weight" : tensor<10x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %11 = llm.matmul "model.layers.0.self_attn.kv_a_proj_with_mqa" %3, %10 transpose_rhs to bf16 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<10x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %extracted_slice = tensor.extract_slice %11[0, 0] [4, 8] [1, 1] : tensor<4x10xbf16> to tensor<4x8xbf16>
    %12 = llm.weight "model.layers.0.self_attn.kv_a_layernorm.weight" : tensor<8xbf16>
    %13 = llm.rmsnorm "model.layers.0.self_attn.kv_a_layernorm" %extracted_slice, %12 epsilon 9.9999999999999995E-7 : tensor<4x8xbf16>, tensor<8xbf16>
    %extracted_slice_0 = tensor.extract_slice %11[0, 8] [4, 2] [1, 1] : tensor<4x10xbf16> to tensor<4x2xbf16>
    %expanded = tensor.expand_shape %9 [[0, 1], [2, 3]] output_shape [1, 4, 2, 6] : tensor<4x12xbf16> into tensor<1x4x2x6xbf16>
    %extracted_slice_1 = tensor.extract_slice %expanded[0, 0, 0, 0] [1, 4, 2, 4] [1, 1, 1, 1] : tensor<1x4x2x6xbf16> to tensor<1x4x2x4xbf16>
    %extracted_slice_2 = tensor.extract_slice %expanded[0, 0, 0, 4] [1, 4, 2, 2] [1, 1, 1, 1] : tensor<1x4x2x6xbf16> to tensor<1x4x2x2xbf16>
    %14 = llm.rope "model.layers.0.self_attn.q_rope" %extracted_slice_2 at 3 theta 1.000000e+04 : tensor<1x4x2x2xbf16>
    %expanded_3 = tensor.expand_shape %extracted_slice_0 [[0, 1], [2, 3]] output_shape [1, 4, 1, 2] : tensor<4x2xbf16> into tensor<1x4x1x2xbf16>
    %15 = llm.rope "model.layers.0.self_attn.k_rope" %expanded_3 at 3 theta 1.000000e+04 : tensor<1x4x1x2xbf16>
    %expanded_4 = tensor.expand_shape %13 [[0, 1], [2, 3]] output_shape [1, 4, 1, 8] : tensor<4x8xbf16> into tensor<1x4x1x8xbf16>
    %concat = tensor.concat dim(3) %expanded_4, %15 : (tensor<1x4x1x8xbf16>, tensor<1x4x1x2xbf16>) -> tensor<1x4x1x10xbf16>
    %16 = llm.kv_cache "model.layers.0.self_attn" : <batch = 1, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>
    %17 = llm.kv_write "model.layers.0.self_attn.kv_write" %16, %concat at 3 : <batch = 1, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>, tensor<1x4x1x10xbf16>
    %keys = llm.kv_read %17 rows 0 to 7 : <batch = 1, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>
    %extracted_slice_5 = tensor.extract_slice %keys[0, 0, 0, 0] [1, 7, 1, 8] [1, 1, 1, 1] : tensor<1x7x1x10xbf16> to tensor<1x7x1x8xbf16>
    %collapsed = tensor.collapse_shape %extracted_slice_5 [[0, 1], [2], [3]] : tensor<1x7x1x8xbf16> into tensor<7x1x8xbf16>
    %collapsed_6 = tensor.collapse_shape %collapsed [[0], [1, 2]] : tensor<7x1x8xbf16> into tensor<7x8xbf16>
    %18 = llm.weight "model.layers.0.self_attn.kv_b_proj.weight" : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %19 = llm.quantize "model.layers.0.self_attn.kv_b_proj.quantize" %collapsed_6 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<7x8xbf16>
    %20 = llm.matmul "model.layers.0.self_attn.kv_b_proj" %19, %18 transpose_rhs to bf16 : tensor<7x8x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %expanded_7 = tensor.expand_shape %20 [[0, 1], [2, 3]] output_shape [1, 7, 2, 8] : tensor<7x16xbf16> into tensor<1x7x2x8xbf16>
    %extracted_slice_8 = tensor.extract_slice %keys[0, 0, 0, 8] [1, 7, 1, 2] [1, 1, 1, 1] : tensor<1x7x1x10xbf16> to tensor<1x7x1x2xbf16>
    %21 = llm.repeat_kv "model.layers.0.self_attn.k_rope_repeat" %extracted_slice_8 heads 2 : tensor<1x7x1x2xbf16>
    %extracted_slice_9 = tensor.extract_slice %expanded_7[0, 0, 0, 0] [1, 7, 2, 4] [1, 1, 1, 1] : tensor<1x7x2x8xbf16> to tensor<1x7x2x4xbf16>
    %concat_10 = tensor.concat dim(3) %extracted_slice_9, %21 : (tensor<1x7x2x4xbf16>, tensor<1x7x2x2xbf16>) -> tensor<1x7x2x6xbf16>
    %extracted_slice_11 = tensor.extract_slice %expanded_7[0, 0, 0, 4] [1, 7, 2, 4] [1, 1, 1, 1] : tensor<1x7x2x8xbf16> to tensor<1x7x2x4xbf16>
    %concat_12 = tensor.concat dim(3) %extracted_slice_1, %14 : (tensor<1x4x2x4xbf16>, tensor<1x4x2x2xbf16>) -> tensor<1x4x2x6xbf16>
    %22 = llm.gqa_attn "model.layers.0.self_attn.attn" %concat_12, %concat_10, %extracted_slice_11 mask causal scale 0.40824829046386307 : tensor<1x4x2x6xbf16>, tensor<1x7x2x6xbf16>, tensor<1x7x2x4xbf16>
    %collapsed_13 = tensor.collapse_shape %22 [[0, 1], [2, 3]] : tensor<1x4x2x4xbf16> into tensor<4x8xbf16>
    %23 = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<32x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %24 = llm.quantize "model.layers.0.self_attn.o_proj.quantize" %collapsed_13 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<4x8xbf16>
    %25 = llm.matmul "model.layers.0.self_attn.o_proj" %24, %23 transpose_rhs to bf16 : tensor<4x8x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %26 = llm.add "model.layers.0.attn_residual" %arg0, %25 : tensor<4x32xbf16>, tensor<4x32xbf16>
    %27 = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<32xbf16>
    %28 = llm.rmsnorm "model.layers.0.post_attention_layernorm" %26, %27 epsilon 9.9999999999999995E-7 : tensor<4x32xbf16>, tensor<32xbf16>
    %29 = llm.weight "model.layers.0.mlp.gate_proj.weight" : tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %30 = llm.quantize "model.layers.0.mlp.gate_proj.quantize" %28 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<4x32xbf16>
    %31 = llm.matmul "model.layers.0.mlp.gate_proj" %30, %29 transpose_rhs to bf16 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %32 = llm.weight "model.layers.0.mlp.up_proj.weight" : tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %33 = llm.matmul "model.layers.0.mlp.up_proj" %30, %32 transpose_rhs to bf16 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %34 = llm.swiglu "model.layers.0.mlp.swiglu" %31, %33 : tensor<4x64xbf16>, tensor<4x64xbf16>
    %35 = llm.weight "model.layers.0.mlp.down_proj.weight" : tensor<32x64x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %36 = llm.quantize "model.layers.0.mlp.down_proj.quantize" %34 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<4x64xbf16>
    %37 = llm.matmul "model.layers.0.mlp.down_proj" %36, %35 transpose_rhs to bf16 : tensor<4x64x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x64x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %38 = llm.add "model.layers.0.mlp_residual" %26, %37 : tensor<4x32xbf16>, tensor<4x32xbf16>
    return %38 : tensor<4x32xbf16>
  }
}
