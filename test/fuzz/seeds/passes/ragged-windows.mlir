// tile schedule report
module {
  func.func @gpt_oss_decode(%arg0: tensor<3x32xbf16>) -> tensor<3x32xbf16> attributes {llm.program = #llm.program<"gpt_oss", decode, batch = 3, seq = 1, kv_len = [9, 3, 20], layers = 2 of 4>} {
    %0 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<32xbf16>
    %1 = llm.rmsnorm "model.layers.0.input_layernorm" %arg0, %0 epsilon 9.9999999999999995E-7 : tensor<3x32xbf16>, tensor<32xbf16>
    %2 = llm.weight "model.layers.0.self_attn.q_proj.weight" : tensor<32x32xbf16>
    %3 = llm.weight "model.layers.0.self_attn.q_proj.bias" : tensor<32xbf16>
    %4 = llm.matmul "model.layers.0.self_attn.q_proj" %1, %2 bias %3 transpose_rhs : tensor<3x32xbf16>, tensor<32x32xbf16>, tensor<32xbf16>
    %5 = llm.weight "model.layers.0.self_attn.k_proj.weight" : tensor<16x32xbf16>
    %6 = llm.weight "model.layers.0.self_attn.k_proj.bias" : tensor<16xbf16>
    %7 = llm.matmul "model.layers.0.self_attn.k_proj" %1, %5 bias %6 transpose_rhs : tensor<3x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>
    %8 = llm.weight "model.layers.0.self_attn.v_proj.weight" : tensor<16x32xbf16>
    %9 = llm.weight "model.layers.0.self_attn.v_proj.bias" : tensor<16xbf16>
    %10 = llm.matmul "model.layers.0.self_attn.v_proj" %1, %8 bias %9 transpose_rhs : tensor<3x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>
    %expanded = tensor.expand_shape %4 [[0, 1], [2, 3]] output_shape [3, 1, 4, 8] : tensor<3x32xbf16> into tensor<3x1x4x8xbf16>
    %11 = llm.rope "model.layers.0.self_attn.q_rope" %expanded at [8, 2, 19] theta 1.500000e+05 : tensor<3x1x4x8xbf16>
    %expanded_0 = tensor.expand_shape %7 [[0, 1], [2, 3]] output_shape [3, 1, 2, 8] : tensor<3x16xbf16> into tensor<3x1x2x8xbf16>
    %12 = llm.rope "model.layers.0.self_attn.k_rope" %expanded_0 at [8, 2, 19] theta 1.500000e+05 : tensor<3x1x2x8xbf16>
    %expanded_1 = tensor.expand_shape %10 [[0, 1], [2, 3]] output_shape [3, 1, 2, 8] : tensor<3x16xbf16> into tensor<3x1x2x8xbf16>
    %13 = llm.kv_cache "model.layers.0.self_attn" : <batch = 3, kv_heads = 2, head_dim = 8, capacity = 20, bf16>
    %14 = llm.kv_write "model.layers.0.self_attn.kv_write" %13, %12, %expanded_1 at [8, 2, 19] : <batch = 3, kv_heads = 2, head_dim = 8, capacity = 20, bf16>, tensor<3x1x2x8xbf16>, tensor<3x1x2x8xbf16>
    %keys, %values = llm.kv_read %14 rows [5, 0, 16] to [9, 3, 20] : <batch = 3, kv_heads = 2, head_dim = 8, capacity = 20, bf16>
    %15 = llm.weight "model.layers.0.self_attn.sinks" : tensor<4xbf16>
    %16 = llm.gqa_attn "model.layers.0.self_attn.attn" %11, %keys, %values sinks %15 mask causal lengths [4, 3, 4] scale 0.35355339059327373 : tensor<3x1x4x8xbf16>, tensor<3x4x2x8xbf16>, tensor<3x4x2x8xbf16>, tensor<4xbf16>
    %collapsed = tensor.collapse_shape %16 [[0, 1], [2, 3]] : tensor<3x1x4x8xbf16> into tensor<3x32xbf16>
    %17 = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<32x32xbf16>
    %18 = llm.weight "model.layers.0.self_attn.o_proj.bias" : tensor<32xbf16>
    %19 = llm.matmul "model.layers.0.self_attn.o_proj" %collapsed, %17 bias %18 transpose_rhs : tensor<3x32xbf16>, tensor<32x32xbf16>, tensor<32xbf16>
    %20 = llm.add "model.layers.0.attn_residual" %arg0, %19 : tensor<3x32xbf16>, tensor<3x32xbf16>
    %21 = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<32xbf16>
    %22 = llm.rmsnorm "model.layers.0.post_attention_layernorm" %20, %21 epsilon 9.9999999999999995E-7 : tensor<3x32xbf16>, tensor<32xbf16>
    %23 = llm.weight "model.layers.0.mlp.router.weight" : tensor<4x32xbf16>
    %24 = llm.weight "model.layers.0.mlp.router.bias" : tensor<4xbf16>
    %25 = llm.matmul "model.layers.0.mlp.router" %22, %23 bias %24 transpose_rhs : tensor<3x32xbf16>, tensor<4x32xbf16>, tensor<4xbf16>
    %shares, %experts = llm.moe_route "model.layers.0.mlp.route" topk_softmax %25 top_k 2 : tensor<3x4xbf16>
    %26 = llm.moe_dispatch "model.layers.0.mlp.dispatch" %22, %experts : tensor<3x32xbf16>, tensor<3x2xi32>
    %27 = llm.weight "model.layers.0.mlp.experts.gate_up_proj" : tensor<4x64x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
    %28 = llm.weight "model.layers.0.mlp.experts.gate_up_proj_bias" : tensor<4x64xbf16>
    %29 = llm.grouped_matmul "model.layers.0.mlp.experts.gate_up_proj" %26, %27 bias %28 experts %experts transpose_rhs rows_per_expert [2, 2, 1, 1] top_k 2 : tensor<6x32xbf16>, tensor<4x64x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>, tensor<4x64xbf16> experts tensor<3x2xi32>
    %extracted_slice = tensor.extract_slice %29[0, 0] [6, 32] [1, 2] : tensor<6x64xbf16> to tensor<6x32xbf16>
    %extracted_slice_2 = tensor.extract_slice %29[0, 1] [6, 32] [1, 2] : tensor<6x64xbf16> to tensor<6x32xbf16>
    %30 = llm.swiglu "model.layers.0.mlp.experts.swiglu" %extracted_slice, %extracted_slice_2 limit 7.000000e+00 : tensor<6x32xbf16>, tensor<6x32xbf16>
    %31 = llm.weight "model.layers.0.mlp.experts.down_proj" : tensor<4x32x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
    %32 = llm.weight "model.layers.0.mlp.experts.down_proj_bias" : tensor<4x32xbf16>
    %33 = llm.grouped_matmul "model.layers.0.mlp.experts.down_proj" %30, %31 bias %32 experts %experts transpose_rhs rows_per_expert [2, 2, 1, 1] top_k 2 : tensor<6x32xbf16>, tensor<4x32x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>, tensor<4x32xbf16> experts tensor<3x2xi32>
    %34 = llm.moe_combine "model.layers.0.mlp.combine" %33, %experts, %shares : tensor<6x32xbf16>, tensor<3x2xi32>, tensor<3x2xbf16>
    %35 = llm.add "model.layers.0.mlp_residual" %20, %34 : tensor<3x32xbf16>, tensor<3x32xbf16>
    %36 = llm.weight "model.layers.1.input_layernorm.weight" : tensor<32xbf16>
    %37 = llm.rmsnorm "model.layers.1.input_layernorm" %35, %36 epsilon 9.9999999999999995E-7 : tensor<3x32xbf16>, tensor<32xbf16>
    %38 = llm.weight "model.layers.1.self_attn.q_proj.weight" : tensor<32x32xbf16>
    %39 = llm.weight "model.layers.1.self_attn.q_proj.bias" : tensor<32xbf16>
    %40 = llm.matmul "model.layers.1.self_attn.q_proj" %37, %38 bias %39 transpose_rhs : tensor<3x32xbf16>, tensor<32x32xbf16>, tensor<32xbf16>
    %41 = llm.weight "model.layers.1.self_attn.k_proj.weight" : tensor<16x32xbf16>
    %42 = llm.weight "model.layers.1.self_attn.k_proj.bias" : tensor<16xbf16>
    %43 = llm.matmul "model.layers.1.self_attn.k_proj" %37, %41 bias %42 transpose_rhs : tensor<3x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>
    %44 = llm.weight "model.layers.1.self_attn.v_proj.weight" : tensor<16x32xbf16>
    %45 = llm.weight "model.layers.1.self_attn.v_proj.bias" : tensor<16xbf16>
    %46 = llm.matmul "model.layers.1.self_attn.v_proj" %37, %44 bias %45 transpose_rhs : tensor<3x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>
    %expanded_3 = tensor.expand_shape %40 [[0, 1], [2, 3]] output_shape [3, 1, 4, 8] : tensor<3x32xbf16> into tensor<3x1x4x8xbf16>
    %47 = llm.rope "model.layers.1.self_attn.q_rope" %expanded_3 at [8, 2, 19] theta 1.500000e+05 : tensor<3x1x4x8xbf16>
    %expanded_4 = tensor.expand_shape %43 [[0, 1], [2, 3]] output_shape [3, 1, 2, 8] : tensor<3x16xbf16> into tensor<3x1x2x8xbf16>
    %48 = llm.rope "model.layers.1.self_attn.k_rope" %expanded_4 at [8, 2, 19] theta 1.500000e+05 : tensor<3x1x2x8xbf16>
    %expanded_5 = tensor.expand_shape %46 [[0, 1], [2, 3]] output_shape [3, 1, 2, 8] : tensor<3x16xbf16> into tensor<3x1x2x8xbf16>
    %49 = llm.kv_cache "model.layers.1.self_attn" : <batch = 3, kv_heads = 2, head_dim = 8, capacity = 20, bf16>
    %50 = llm.kv_write "model.layers.1.self_attn.kv_write" %49, %48, %expanded_5 at [8, 2, 19] : <batch = 3, kv_heads = 2, head_dim = 8, capacity = 20, bf16>, tensor<3x1x2x8xbf16>, tensor<3x1x2x8xbf16>
    %keys_6, %values_7 = llm.kv_read %50 rows [0, 0, 0] to [9, 3, 20] : <batch = 3, kv_heads = 2, head_dim = 8, capacity = 20, bf16>
    %51 = llm.weight "model.layers.1.self_attn.sinks" : tensor<4xbf16>
    %52 = llm.gqa_attn "model.layers.1.self_attn.attn" %47, %keys_6, %values_7 sinks %51 mask causal lengths [9, 3, 20] scale 0.35355339059327373 : tensor<3x1x4x8xbf16>, tensor<3x20x2x8xbf16>, tensor<3x20x2x8xbf16>, tensor<4xbf16>
    %collapsed_8 = tensor.collapse_shape %52 [[0, 1], [2, 3]] : tensor<3x1x4x8xbf16> into tensor<3x32xbf16>
    %53 = llm.weight "model.layers.1.self_attn.o_proj.weight" : tensor<32x32xbf16>
    %54 = llm.weight "model.layers.1.self_attn.o_proj.bias" : tensor<32xbf16>
    %55 = llm.matmul "model.layers.1.self_attn.o_proj" %collapsed_8, %53 bias %54 transpose_rhs : tensor<3x32xbf16>, tensor<32x32xbf16>, tensor<32xbf16>
    %56 = llm.add "model.layers.1.attn_residual" %35, %55 : tensor<3x32xbf16>, tensor<3x32xbf16>
    %57 = llm.weight "model.layers.1.post_attention_layernorm.weight" : tensor<32xbf16>
    %58 = llm.rmsnorm "model.layers.1.post_attention_layernorm" %56, %57 epsilon 9.9999999999999995E-7 : tensor<3x32xbf16>, tensor<32xbf16>
    %59 = llm.weight "model.layers.1.mlp.router.weight" : tensor<4x32xbf16>
    %60 = llm.weight "model.layers.1.mlp.router.bias" : tensor<4xbf16>
    %61 = llm.matmul "model.layers.1.mlp.router" %58, %59 bias %60 transpose_rhs : tensor<3x32xbf16>, tensor<4x32xbf16>, tensor<4xbf16>
    %shares_9, %experts_10 = llm.moe_route "model.layers.1.mlp.route" topk_softmax %61 top_k 2 : tensor<3x4xbf16>
    %62 = llm.moe_dispatch "model.layers.1.mlp.dispatch" %58, %experts_10 : tensor<3x32xbf16>, tensor<3x2xi32>
    %63 = llm.weight "model.layers.1.mlp.experts.gate_up_proj" : tensor<4x64x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
    %64 = llm.weight "model.layers.1.mlp.experts.gate_up_proj_bias" : tensor<4x64xbf16>
    %65 = llm.grouped_matmul "model.layers.1.mlp.experts.gate_up_proj" %62, %63 bias %64 experts %experts_10 transpose_rhs rows_per_expert [2, 2, 1, 1] top_k 2 : tensor<6x32xbf16>, tensor<4x64x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>, tensor<4x64xbf16> experts tensor<3x2xi32>
    %extracted_slice_11 = tensor.extract_slice %65[0, 0] [6, 32] [1, 2] : tensor<6x64xbf16> to tensor<6x32xbf16>
    %extracted_slice_12 = tensor.extract_slice %65[0, 1] [6, 32] [1, 2] : tensor<6x64xbf16> to tensor<6x32xbf16>
    %66 = llm.swiglu "model.layers.1.mlp.experts.swiglu" %extracted_slice_11, %extracted_slice_12 limit 7.000000e+00 : tensor<6x32xbf16>, tensor<6x32xbf16>
    %67 = llm.weight "model.layers.1.mlp.experts.down_proj" : tensor<4x32x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
    %68 = llm.weight "model.layers.1.mlp.experts.down_proj_bias" : tensor<4x32xbf16>
    %69 = llm.grouped_matmul "model.layers.1.mlp.experts.down_proj" %66, %67 bias %68 experts %experts_10 transpose_rhs rows_per_expert [2, 2, 1, 1] top_k 2 : tensor<6x32xbf16>, tensor<4x32x32x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>, tensor<4x32xbf16> experts tensor<3x2xi32>
    %70 = llm.moe_combine "model.layers.1.mlp.combine" %69, %experts_10, %shares_9 : tensor<6x32xbf16>, tensor<3x2xi32>, tensor<3x2xbf16>
    %71 = llm.add "model.layers.1.mlp_residual" %56, %70 : tensor<3x32xbf16>, tensor<3x32xbf16>
    return %71 : tensor<3x32xbf16>
  }
}
