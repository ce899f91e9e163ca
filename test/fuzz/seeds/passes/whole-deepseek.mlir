// decompose tile schedule report=json
module {
  func.func @deepseek_v3_decode(%arg0: tensor<2xi32>) -> tensor<2xi32> attributes {llm.program = #llm.program<"deepseek_v3", decode, batch = 2, seq = 1, kv_len = 7, layers = 3 of 3, whole_model>} {
    %0 = llm.weight "model.embed_tokens.weight" : tensor<16x32xbf16>
    %1 = llm.embedding "model.embed_tokens" %arg0, %0 : tensor<2xi32>, tensor<16x32xbf16>
    %2 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<32xbf16>
    %3 = llm.rmsnorm "model.layers.0.input_layernorm" %1, %2 epsilon 9.9999999999999995E-7 : tensor<2x32xbf16>, tensor<32xbf16>
    %4 = llm.weight "model.layers.0.self_attn.q_a_proj.weight" : tensor<8x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %5 = llm.quantize "model.layers.0.self_attn.q_a_proj.quantize" %3 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x32xbf16>
    %6 = llm.matmul "model.layers.0.self_attn.q_a_proj" %5, %4 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<8x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %7 = llm.weight "model.layers.0.self_attn.q_a_layernorm.weight" : tensor<8xbf16>
    %8 = llm.rmsnorm "model.layers.0.self_attn.q_a_layernorm" %6, %7 epsilon 9.9999999999999995E-7 : tensor<2x8xbf16>, tensor<8xbf16>
    %9 = llm.weight "model.layers.0.self_attn.q_b_proj.weight" : tensor<12x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %10 = llm.quantize "model.layers.0.self_attn.q_b_proj.quantize" %8 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x8xbf16>
    %11 = llm.matmul "model.layers.0.self_attn.q_b_proj" %10, %9 transpose_rhs to bf16 : tensor<2x8x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<12x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %12 = llm.weight "model.layers.0.self_attn.kv_a_proj_with_mqa.weight" : tensor<10x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %13 = llm.matmul "model.layers.0.self_attn.kv_a_proj_with_mqa" %5, %12 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<10x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %extracted_slice = tensor.extract_slice %13[0, 0] [2, 8] [1, 1] : tensor<2x10xbf16> to tensor<2x8xbf16>
    %14 = llm.weight "model.layers.0.self_attn.kv_a_layernorm.weight" : tensor<8xbf16>
    %15 = llm.rmsnorm "model.layers.0.self_attn.kv_a_layernorm" %extracted_slice, %14 epsilon 9.9999999999999995E-7 : tensor<2x8xbf16>, tensor<8xbf16>
    %extracted_slice_0 = tensor.extract_slice %13[0, 8] [2, 2] [1, 1] : tensor<2x10xbf16> to tensor<2x2xbf16>
    %expanded = tensor.expand_shape %11 [[0, 1], [2, 3]] output_shape [2, 1, 2, 6] : tensor<2x12xbf16> into tensor<2x1x2x6xbf16>
    %extracted_slice_1 = tensor.extract_slice %expanded[0, 0, 0, 0] [2, 1, 2, 4] [1, 1, 1, 1] : tensor<2x1x2x6xbf16> to tensor<2x1x2x4xbf16>
    %extracted_slice_2 = tensor.extract_slice %expanded[0, 0, 0, 4] [2, 1, 2, 2] [1, 1, 1, 1] : tensor<2x1x2x6xbf16> to tensor<2x1x2x2xbf16>
    %16 = llm.rope "model.layers.0.self_attn.q_rope" %extracted_slice_2 at 6 theta 1.000000e+04 : tensor<2x1x2x2xbf16>
    %expanded_3 = tensor.expand_shape %extracted_slice_0 [[0, 1], [2, 3]] output_shape [2, 1, 1, 2] : tensor<2x2xbf16> into tensor<2x1x1x2xbf16>
    %17 = llm.rope "model.layers.0.self_attn.k_rope" %expanded_3 at 6 theta 1.000000e+04 : tensor<2x1x1x2xbf16>
    %expanded_4 = tensor.expand_shape %15 [[0, 1], [2, 3]] output_shape [2, 1, 1, 8] : tensor<2x8xbf16> into tensor<2x1x1x8xbf16>
    %concat = tensor.concat dim(3) %expanded_4, %17 : (tensor<2x1x1x8xbf16>, tensor<2x1x1x2xbf16>) -> tensor<2x1x1x10xbf16>
    %18 = llm.kv_cache "model.layers.0.self_attn" : <batch = 2, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>
    %19 = llm.kv_write "model.layers.0.self_attn.kv_write" %18, %concat at 6 : <batch = 2, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>, tensor<2x1x1x10xbf16>
    %keys = llm.kv_read %19 rows 0 to 7 : <batch = 2, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>
    %20 = llm.weight "model.layers.0.self_attn.kv_b_proj.weight" : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %expanded_5 = tensor.expand_shape %20 [[0, 1], [2]] output_shape [2, 8, 8] : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> into tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %extracted_slice_6 = tensor.extract_slice %expanded_5[0, 0, 0] [2, 4, 8] [1, 1, 1] : tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> to tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %collapsed = tensor.collapse_shape %extracted_slice_1 [[0, 1], [2], [3]] : tensor<2x1x2x4xbf16> into tensor<2x2x4xbf16>
    %21 = llm.batch_matmul "model.layers.0.self_attn.q_absorb" %collapsed, %extracted_slice_6 : tensor<2x2x4xbf16>, tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %expanded_7 = tensor.expand_shape %21 [[0, 1], [2], [3]] output_shape [2, 1, 2, 8] : tensor<2x2x8xbf16> into tensor<2x1x2x8xbf16>
    %concat_8 = tensor.concat dim(3) %expanded_7, %16 : (tensor<2x1x2x8xbf16>, tensor<2x1x2x2xbf16>) -> tensor<2x1x2x10xbf16>
    %22 = llm.mla_attn "model.layers.0.self_attn.attn" %concat_8, %keys value_dim 8 mask causal scale 0.40824829046386307 : tensor<2x1x2x10xbf16>, tensor<2x7x1x10xbf16>
    %23 = llm.weight "model.layers.0.self_attn.kv_b_proj.weight" : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %expanded_9 = tensor.expand_shape %23 [[0, 1], [2]] output_shape [2, 8, 8] : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> into tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %extracted_slice_10 = tensor.extract_slice %expanded_9[0, 4, 0] [2, 4, 8] [1, 1, 1] : tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> to tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %collapsed_11 = tensor.collapse_shape %22 [[0, 1], [2], [3]] : tensor<2x1x2x8xbf16> into tensor<2x2x8xbf16>
    %24 = llm.batch_matmul "model.layers.0.self_attn.v_absorb" %collapsed_11, %extracted_slice_10 transpose_rhs : tensor<2x2x8xbf16>, tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %collapsed_12 = tensor.collapse_shape %24 [[0], [1, 2]] : tensor<2x2x4xbf16> into tensor<2x8xbf16>
    %25 = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<32x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %26 = llm.quantize "model.layers.0.self_attn.o_proj.quantize" %collapsed_12 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x8xbf16>
    %27 = llm.matmul "model.layers.0.self_attn.o_proj" %26, %25 transpose_rhs to bf16 : tensor<2x8x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %28 = llm.add "model.layers.0.attn_residual" %1, %27 : tensor<2x32xbf16>, tensor<2x32xbf16>
    %29 = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<32xbf16>
    %30 = llm.rmsnorm "model.layers.0.post_attention_layernorm" %28, %29 epsilon 9.9999999999999995E-7 : tensor<2x32xbf16>, tensor<32xbf16>
    %31 = llm.weight "model.layers.0.mlp.gate_proj.weight" : tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %32 = llm.quantize "model.layers.0.mlp.gate_proj.quantize" %30 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x32xbf16>
    %33 = llm.matmul "model.layers.0.mlp.gate_proj" %32, %31 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %34 = llm.weight "model.layers.0.mlp.up_proj.weight" : tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %35 = llm.matmul "model.layers.0.mlp.up_proj" %32, %34 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<64x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %36 = llm.swiglu "model.layers.0.mlp.swiglu" %33, %35 : tensor<2x64xbf16>, tensor<2x64xbf16>
    %37 = llm.weight "model.layers.0.mlp.down_proj.weight" : tensor<32x64x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %38 = llm.quantize "model.layers.0.mlp.down_proj.quantize" %36 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x64xbf16>
    %39 = llm.matmul "model.layers.0.mlp.down_proj" %38, %37 transpose_rhs to bf16 : tensor<2x64x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x64x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
    %40 = llm.add "model.layers.0.mlp_residual" %28, %39 : tensor<2x32xbf16>, tensor<2x32xbf16>
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c1_13 = arith.constant 1 : index
    %41 = scf.for %arg1 = %c1 to %c3 step %c1_13 iter_args(%arg2 = %40) -> (tensor<2x32xbf16>) {
      %47 = llm.weight "model.layers.{}.input_layernorm.weight"[%arg1] : tensor<32xbf16>
      %48 = llm.rmsnorm "model.layers.{1..2}.input_layernorm" %arg2, %47 epsilon 9.9999999999999995E-7 : tensor<2x32xbf16>, tensor<32xbf16>
      %49 = llm.weight "model.layers.{}.self_attn.q_a_proj.weight"[%arg1] : tensor<8x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %50 = llm.quantize "model.layers.{1..2}.self_attn.q_a_proj.quantize" %48 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x32xbf16>
      %51 = llm.matmul "model.layers.{1..2}.self_attn.q_a_proj" %50, %49 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<8x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %52 = llm.weight "model.layers.{}.self_attn.q_a_layernorm.weight"[%arg1] : tensor<8xbf16>
      %53 = llm.rmsnorm "model.layers.{1..2}.self_attn.q_a_layernorm" %51, %52 epsilon 9.9999999999999995E-7 : tensor<2x8xbf16>, tensor<8xbf16>
      %54 = llm.weight "model.layers.{}.self_attn.q_b_proj.weight"[%arg1] : tensor<12x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %55 = llm.quantize "model.layers.{1..2}.self_attn.q_b_proj.quantize" %53 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x8xbf16>
      %56 = llm.matmul "model.layers.{1..2}.self_attn.q_b_proj" %55, %54 transpose_rhs to bf16 : tensor<2x8x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<12x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %57 = llm.weight "model.layers.{}.self_attn.kv_a_proj_with_mqa.weight"[%arg1] : tensor<10x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %58 = llm.matmul "model.layers.{1..2}.self_attn.kv_a_proj_with_mqa" %50, %57 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<10x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %extracted_slice_14 = tensor.extract_slice %58[0, 0] [2, 8] [1, 1] : tensor<2x10xbf16> to tensor<2x8xbf16>
      %59 = llm.weight "model.layers.{}.self_attn.kv_a_layernorm.weight"[%arg1] : tensor<8xbf16>
      %60 = llm.rmsnorm "model.layers.{1..2}.self_attn.kv_a_layernorm" %extracted_slice_14, %59 epsilon 9.9999999999999995E-7 : tensor<2x8xbf16>, tensor<8xbf16>
      %extracted_slice_15 = tensor.extract_slice %58[0, 8] [2, 2] [1, 1] : tensor<2x10xbf16> to tensor<2x2xbf16>
      %expanded_16 = tensor.expand_shape %56 [[0, 1], [2, 3]] output_shape [2, 1, 2, 6] : tensor<2x12xbf16> into tensor<2x1x2x6xbf16>
      %extracted_slice_17 = tensor.extract_slice %expanded_16[0, 0, 0, 0] [2, 1, 2, 4] [1, 1, 1, 1] : tensor<2x1x2x6xbf16> to tensor<2x1x2x4xbf16>
      %extracted_slice_18 = tensor.extract_slice %expanded_16[0, 0, 0, 4] [2, 1, 2, 2] [1, 1, 1, 1] : tensor<2x1x2x6xbf16> to tensor<2x1x2x2xbf16>
      %61 = llm.rope "model.layers.{1..2}.self_attn.q_rope" %extracted_slice_18 at 6 theta 1.000000e+04 : tensor<2x1x2x2xbf16>
      %expanded_19 = tensor.expand_shape %extracted_slice_15 [[0, 1], [2, 3]] output_shape [2, 1, 1, 2] : tensor<2x2xbf16> into tensor<2x1x1x2xbf16>
      %62 = llm.rope "model.layers.{1..2}.self_attn.k_rope" %expanded_19 at 6 theta 1.000000e+04 : tensor<2x1x1x2xbf16>
      %expanded_20 = tensor.expand_shape %60 [[0, 1], [2, 3]] output_shape [2, 1, 1, 8] : tensor<2x8xbf16> into tensor<2x1x1x8xbf16>
      %concat_21 = tensor.concat dim(3) %expanded_20, %62 : (tensor<2x1x1x8xbf16>, tensor<2x1x1x2xbf16>) -> tensor<2x1x1x10xbf16>
      %63 = llm.kv_cache "model.layers.{}.self_attn"[%arg1] : <batch = 2, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>
      %64 = llm.kv_write "model.layers.{1..2}.self_attn.kv_write" %63, %concat_21 at 6 : <batch = 2, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>, tensor<2x1x1x10xbf16>
      %keys_22 = llm.kv_read %64 rows 0 to 7 : <batch = 2, kv_heads = 1, head_dim = 10, capacity = 7, bf16 latents>
      %65 = llm.weight "model.layers.{}.self_attn.kv_b_proj.weight"[%arg1] : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %expanded_23 = tensor.expand_shape %65 [[0, 1], [2]] output_shape [2, 8, 8] : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> into tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %extracted_slice_24 = tensor.extract_slice %expanded_23[0, 0, 0] [2, 4, 8] [1, 1, 1] : tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> to tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %collapsed_25 = tensor.collapse_shape %extracted_slice_17 [[0, 1], [2], [3]] : tensor<2x1x2x4xbf16> into tensor<2x2x4xbf16>
      %66 = llm.batch_matmul "model.layers.{1..2}.self_attn.q_absorb" %collapsed_25, %extracted_slice_24 : tensor<2x2x4xbf16>, tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %expanded_26 = tensor.expand_shape %66 [[0, 1], [2], [3]] output_shape [2, 1, 2, 8] : tensor<2x2x8xbf16> into tensor<2x1x2x8xbf16>
      %concat_27 = tensor.concat dim(3) %expanded_26, %61 : (tensor<2x1x2x8xbf16>, tensor<2x1x2x2xbf16>) -> tensor<2x1x2x10xbf16>
      %67 = llm.mla_attn "model.layers.{1..2}.self_attn.attn" %concat_27, %keys_22 value_dim 8 mask causal scale 0.40824829046386307 : tensor<2x1x2x10xbf16>, tensor<2x7x1x10xbf16>
      %68 = llm.weight "model.layers.{}.self_attn.kv_b_proj.weight"[%arg1] : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %expanded_28 = tensor.expand_shape %68 [[0, 1], [2]] output_shape [2, 8, 8] : tensor<16x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> into tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %extracted_slice_29 = tensor.extract_slice %expanded_28[0, 4, 0] [2, 4, 8] [1, 1, 1] : tensor<2x8x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> to tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %collapsed_30 = tensor.collapse_shape %67 [[0, 1], [2], [3]] : tensor<2x1x2x8xbf16> into tensor<2x2x8xbf16>
      %69 = llm.batch_matmul "model.layers.{1..2}.self_attn.v_absorb" %collapsed_30, %extracted_slice_29 transpose_rhs : tensor<2x2x8xbf16>, tensor<2x4x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %collapsed_31 = tensor.collapse_shape %69 [[0], [1, 2]] : tensor<2x2x4xbf16> into tensor<2x8xbf16>
      %70 = llm.weight "model.layers.{}.self_attn.o_proj.weight"[%arg1] : tensor<32x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %71 = llm.quantize "model.layers.{1..2}.self_attn.o_proj.quantize" %collapsed_31 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x8xbf16>
      %72 = llm.matmul "model.layers.{1..2}.self_attn.o_proj" %71, %70 transpose_rhs to bf16 : tensor<2x8x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x8x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %73 = llm.add "model.layers.{1..2}.attn_residual" %arg2, %72 : tensor<2x32xbf16>, tensor<2x32xbf16>
      %74 = llm.weight "model.layers.{}.post_attention_layernorm.weight"[%arg1] : tensor<32xbf16>
      %75 = llm.rmsnorm "model.layers.{1..2}.post_attention_layernorm" %73, %74 epsilon 9.9999999999999995E-7 : tensor<2x32xbf16>, tensor<32xbf16>
      %76 = llm.weight "model.layers.{}.mlp.gate.weight"[%arg1] : tensor<8x32xbf16>
      %77 = llm.matmul "model.layers.{1..2}.mlp.gate" %75, %76 transpose_rhs : tensor<2x32xbf16>, tensor<8x32xbf16>
      %78 = llm.weight "model.layers.{}.mlp.gate.e_score_correction_bias"[%arg1] : tensor<8xbf16>
      %shares, %experts = llm.moe_route "model.layers.{1..2}.mlp.route" sigmoid %77 bias %78 top_k 2 groups 2 top_groups 1 normalize scale 2.500000e+00 : tensor<2x8xbf16>, tensor<8xbf16>
      %79 = llm.quantize "model.layers.{1..2}.mlp.experts.gate_proj.quantize" %75 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x32xbf16>
      %80 = llm.moe_dispatch "model.layers.{1..2}.mlp.dispatch" %79, %experts : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<2x2xi32>
      %81 = llm.weight "model.layers.{}.mlp.experts.gate_proj.weight"[%arg1] : tensor<8x16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %82 = llm.grouped_matmul "model.layers.{1..2}.mlp.experts.gate_proj" %80, %81 experts %experts transpose_rhs rows_per_expert [1, 1, 1, 1, 0, 0, 0, 0] top_k 2 to bf16 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<8x16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> experts tensor<2x2xi32>
      %83 = llm.weight "model.layers.{}.mlp.experts.up_proj.weight"[%arg1] : tensor<8x16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %84 = llm.grouped_matmul "model.layers.{1..2}.mlp.experts.up_proj" %80, %83 experts %experts transpose_rhs rows_per_expert [1, 1, 1, 1, 0, 0, 0, 0] top_k 2 to bf16 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<8x16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> experts tensor<2x2xi32>
      %85 = llm.swiglu "model.layers.{1..2}.mlp.experts.swiglu" %82, %84 : tensor<4x16xbf16>, tensor<4x16xbf16>
      %86 = llm.quantize "model.layers.{1..2}.mlp.experts.down_proj.quantize" %85 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<4x16xbf16>
      %87 = llm.weight "model.layers.{}.mlp.experts.down_proj.weight"[%arg1] : tensor<8x32x16x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %88 = llm.grouped_matmul "model.layers.{1..2}.mlp.experts.down_proj" %86, %87 experts %experts transpose_rhs rows_per_expert [1, 1, 1, 1, 0, 0, 0, 0] top_k 2 to bf16 : tensor<4x16x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<8x32x16x!llm.block_scaled<f8E4M3FN, [16, 16], f32>> experts tensor<2x2xi32>
      %89 = llm.moe_combine "model.layers.{1..2}.mlp.combine" %88, %experts, %shares : tensor<4x32xbf16>, tensor<2x2xi32>, tensor<2x2xbf16>
      %90 = llm.weight "model.layers.{}.mlp.shared_experts.gate_proj.weight"[%arg1] : tensor<16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %91 = llm.matmul "model.layers.{1..2}.mlp.shared_experts.gate_proj" %79, %90 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %92 = llm.weight "model.layers.{}.mlp.shared_experts.up_proj.weight"[%arg1] : tensor<16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %93 = llm.matmul "model.layers.{1..2}.mlp.shared_experts.up_proj" %79, %92 transpose_rhs to bf16 : tensor<2x32x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<16x32x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %94 = llm.swiglu "model.layers.{1..2}.mlp.shared_experts.swiglu" %91, %93 : tensor<2x16xbf16>, tensor<2x16xbf16>
      %95 = llm.weight "model.layers.{}.mlp.shared_experts.down_proj.weight"[%arg1] : tensor<32x16x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %96 = llm.quantize "model.layers.{1..2}.mlp.shared_experts.down_proj.quantize" %94 to !llm.block_scaled<f8E4M3FN, [16], f32> : tensor<2x16xbf16>
      %97 = llm.matmul "model.layers.{1..2}.mlp.shared_experts.down_proj" %96, %95 transpose_rhs to bf16 : tensor<2x16x!llm.block_scaled<f8E4M3FN, [16], f32>>, tensor<32x16x!llm.block_scaled<f8E4M3FN, [16, 16], f32>>
      %98 = llm.add "model.layers.{1..2}.mlp.shared_add" %89, %97 : tensor<2x32xbf16>, tensor<2x32xbf16>
      %99 = llm.add "model.layers.{1..2}.mlp_residual" %73, %98 : tensor<2x32xbf16>, tensor<2x32xbf16>
      scf.yield %99 : tensor<2x32xbf16>
    }
    %42 = llm.weight "model.norm.weight" : tensor<32xbf16>
    %43 = llm.rmsnorm "model.norm" %41, %42 epsilon 9.9999999999999995E-7 : tensor<2x32xbf16>, tensor<32xbf16>
    %44 = llm.weight "lm_head.weight" : tensor<16x32xbf16>
    %45 = llm.matmul "lm_head" %43, %44 transpose_rhs : tensor<2x32xbf16>, tensor<16x32xbf16>
    %46 = llm.sample "sample" greedy %45 : tensor<2x16xbf16>
    return %46 : tensor<2xi32>
  }
}
