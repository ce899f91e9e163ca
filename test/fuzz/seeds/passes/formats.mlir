// fuse tile schedule report=json
module {
  func.func @llama_decode(%arg0: tensor<1x32xbf16>) -> tensor<1x32xbf16> attributes {llm.program = #llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 512, layers = 1 of 2>} {
    %0 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<32xbf16>
    %1 = llm.rmsnorm "model.layers.0.input_layernorm" %arg0, %0 epsilon 9.9999999999999995E-7 : tensor<1x32xbf16>, tensor<32xbf16>
    %2 = llm.weight "model.layers.0.self_attn.q_proj.weight" : tensor<32x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %3 = llm.quantize "model.layers.0.self_attn.q_proj.quantize" %1 to !llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU> : tensor<1x32xbf16>
    %4 = llm.matmul "model.layers.0.self_attn.q_proj" %3, %2 transpose_rhs to bf16 : tensor<1x32x!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>>, tensor<32x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %5 = llm.weight "model.layers.0.self_attn.k_proj.weight" : tensor<16x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %6 = llm.matmul "model.layers.0.self_attn.k_proj" %3, %5 transpose_rhs to bf16 : tensor<1x32x!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>>, tensor<16x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %7 = llm.weight "model.layers.0.self_attn.v_proj.weight" : tensor<16x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %8 = llm.matmul "model.layers.0.self_attn.v_proj" %3, %7 transpose_rhs to bf16 : tensor<1x32x!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>>, tensor<16x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %expanded = tensor.expand_shape %4 [[0, 1], [2, 3]] output_shape [1, 1, 4, 8] : tensor<1x32xbf16> into tensor<1x1x4x8xbf16>
    %9 = llm.rope "model.layers.0.self_attn.q_rope" %expanded at 511 theta 1.000000e+04 : tensor<1x1x4x8xbf16>
    %expanded_0 = tensor.expand_shape %6 [[0, 1], [2, 3]] output_shape [1, 1, 2, 8] : tensor<1x16xbf16> into tensor<1x1x2x8xbf16>
    %10 = llm.rope "model.layers.0.self_attn.k_rope" %expanded_0 at 511 theta 1.000000e+04 : tensor<1x1x2x8xbf16>
    %expanded_1 = tensor.expand_shape %8 [[0, 1], [2, 3]] output_shape [1, 1, 2, 8] : tensor<1x16xbf16> into tensor<1x1x2x8xbf16>
    %11 = llm.kv_cache "model.layers.0.self_attn" : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 512, !llm.block_scaled<i8, [?], f32>>
    %12 = llm.kv_write "model.layers.0.self_attn.kv_write" %11, %10, %expanded_1 at 511 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 512, !llm.block_scaled<i8, [?], f32>>, tensor<1x1x2x8xbf16>, tensor<1x1x2x8xbf16>
    %keys, %values = llm.kv_read %12 rows 0 to 512 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 512, !llm.block_scaled<i8, [?], f32>>
    %13 = llm.gqa_attn "model.layers.0.self_attn.attn" %9, %keys, %values mask causal scale 0.35355339059327373 : tensor<1x1x4x8xbf16>, tensor<1x512x2x8x!llm.block_scaled<i8, [?], f32>>, tensor<1x512x2x8x!llm.block_scaled<i8, [?], f32>>
    %collapsed = tensor.collapse_shape %13 [[0, 1], [2, 3]] : tensor<1x1x4x8xbf16> into tensor<1x32xbf16>
    %14 = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<32x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %15 = llm.quantize "model.layers.0.self_attn.o_proj.quantize" %collapsed to !llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU> : tensor<1x32xbf16>
    %16 = llm.matmul "model.layers.0.self_attn.o_proj" %15, %14 transpose_rhs to bf16 : tensor<1x32x!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>>, tensor<32x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %17 = llm.add "model.layers.0.attn_residual" %arg0, %16 : tensor<1x32xbf16>, tensor<1x32xbf16>
    %18 = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<32xbf16>
    %19 = llm.rmsnorm "model.layers.0.post_attention_layernorm" %17, %18 epsilon 9.9999999999999995E-7 : tensor<1x32xbf16>, tensor<32xbf16>
    %20 = llm.weight "model.layers.0.mlp.gate_proj.weight" : tensor<64x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %21 = llm.quantize "model.layers.0.mlp.gate_proj.quantize" %19 to !llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU> : tensor<1x32xbf16>
    %22 = llm.matmul "model.layers.0.mlp.gate_proj" %21, %20 transpose_rhs to bf16 : tensor<1x32x!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>>, tensor<64x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %23 = llm.weight "model.layers.0.mlp.up_proj.weight" : tensor<64x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %24 = llm.matmul "model.layers.0.mlp.up_proj" %21, %23 transpose_rhs to bf16 : tensor<1x32x!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>>, tensor<64x32x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %25 = llm.swiglu "model.layers.0.mlp.swiglu" %22, %24 : tensor<1x64xbf16>, tensor<1x64xbf16>
    %26 = llm.weight "model.layers.0.mlp.down_proj.weight" : tensor<32x64x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %27 = llm.quantize "model.layers.0.mlp.down_proj.quantize" %25 to !llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU> : tensor<1x64xbf16>
    %28 = llm.matmul "model.layers.0.mlp.down_proj" %27, %26 transpose_rhs to bf16 : tensor<1x64x!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>>, tensor<32x64x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
    %29 = llm.add "model.layers.0.mlp_residual" %17, %28 : tensor<1x32xbf16>, tensor<1x32xbf16>
    return %29 : tensor<1x32xbf16>
  }
}
