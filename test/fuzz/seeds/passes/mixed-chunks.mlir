// target=h100-sxm tile schedule=earliest verify-schedule
module {
  func.func @llama4_text_mixed(%arg0: tensor<8x32xbf16>) -> tensor<8x32xbf16> attributes {llm.program = #llm.program<"llama4_text", mixed, batch = 2, seq = 1, kv_len = 12 and batch = 1, seq = 6, kv_len = 9, layers = 4 of 4>} {
    %0 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<32xbf16>
    %1 = llm.rmsnorm "model.layers.0.input_layernorm" %arg0, %0 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %2 = llm.weight "model.layers.0.self_attn.q_proj.weight" : tensor<32x32xbf16>
    %3 = llm.matmul "model.layers.0.self_attn.q_proj" %1, %2 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %4 = llm.weight "model.layers.0.self_attn.k_proj.weight" : tensor<16x32xbf16>
    %5 = llm.matmul "model.layers.0.self_attn.k_proj" %1, %4 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %6 = llm.weight "model.layers.0.self_attn.v_proj.weight" : tensor<16x32xbf16>
    %7 = llm.matmul "model.layers.0.self_attn.v_proj" %1, %6 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %extracted_slice = tensor.extract_slice %3[0, 0] [2, 32] [1, 1] : tensor<8x32xbf16> to tensor<2x32xbf16>
    %expanded = tensor.expand_shape %extracted_slice [[0, 1], [2, 3]] output_shape [2, 1, 4, 8] : tensor<2x32xbf16> into tensor<2x1x4x8xbf16>
    %8 = llm.rope "model.layers.0.self_attn.q_rope.decode" %expanded at 11 theta 5.000000e+05 : tensor<2x1x4x8xbf16>
    %9 = llm.rmsnorm "model.layers.0.self_attn.q_norm.decode" %8 epsilon 9.9999999999999995E-7 : tensor<2x1x4x8xbf16>
    %extracted_slice_0 = tensor.extract_slice %5[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_1 = tensor.expand_shape %extracted_slice_0 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %10 = llm.rope "model.layers.0.self_attn.k_rope.decode" %expanded_1 at 11 theta 5.000000e+05 : tensor<2x1x2x8xbf16>
    %11 = llm.rmsnorm "model.layers.0.self_attn.k_norm.decode" %10 epsilon 9.9999999999999995E-7 : tensor<2x1x2x8xbf16>
    %extracted_slice_2 = tensor.extract_slice %7[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_3 = tensor.expand_shape %extracted_slice_2 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %12 = llm.kv_cache "model.layers.0.self_attn.decode" : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %13 = llm.kv_write "model.layers.0.self_attn.kv_write.decode" %12, %11, %expanded_3 at 11 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>, tensor<2x1x2x8xbf16>, tensor<2x1x2x8xbf16>
    %keys, %values = llm.kv_read %13 rows 10 to 12 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %14 = llm.gqa_attn "model.layers.0.self_attn.attn.decode" %9, %keys, %values mask causal scale 0.35355339059327373 : tensor<2x1x4x8xbf16>, tensor<2x2x2x8xbf16>, tensor<2x2x2x8xbf16>
    %collapsed = tensor.collapse_shape %14 [[0, 1], [2, 3]] : tensor<2x1x4x8xbf16> into tensor<2x32xbf16>
    %extracted_slice_4 = tensor.extract_slice %3[2, 0] [6, 32] [1, 1] : tensor<8x32xbf16> to tensor<6x32xbf16>
    %expanded_5 = tensor.expand_shape %extracted_slice_4 [[0, 1], [2, 3]] output_shape [1, 6, 4, 8] : tensor<6x32xbf16> into tensor<1x6x4x8xbf16>
    %15 = llm.rope "model.layers.0.self_attn.q_rope.chunk" %expanded_5 at 3 theta 5.000000e+05 : tensor<1x6x4x8xbf16>
    %16 = llm.rmsnorm "model.layers.0.self_attn.q_norm.chunk" %15 epsilon 9.9999999999999995E-7 : tensor<1x6x4x8xbf16>
    %extracted_slice_6 = tensor.extract_slice %5[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_7 = tensor.expand_shape %extracted_slice_6 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %17 = llm.rope "model.layers.0.self_attn.k_rope.chunk" %expanded_7 at 3 theta 5.000000e+05 : tensor<1x6x2x8xbf16>
    %18 = llm.rmsnorm "model.layers.0.self_attn.k_norm.chunk" %17 epsilon 9.9999999999999995E-7 : tensor<1x6x2x8xbf16>
    %extracted_slice_8 = tensor.extract_slice %7[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_9 = tensor.expand_shape %extracted_slice_8 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %19 = llm.kv_cache "model.layers.0.self_attn.chunk" : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %20 = llm.kv_write "model.layers.0.self_attn.kv_write.chunk" %19, %18, %expanded_9 at 3 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>, tensor<1x6x2x8xbf16>, tensor<1x6x2x8xbf16>
    %keys_10, %values_11 = llm.kv_read %20 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %21 = llm.gqa_attn "model.layers.0.self_attn.attn.chunk" %16, %keys_10, %values_11 mask causal chunk 5 scale 0.35355339059327373 : tensor<1x6x4x8xbf16>, tensor<1x9x2x8xbf16>, tensor<1x9x2x8xbf16>
    %collapsed_12 = tensor.collapse_shape %21 [[0, 1], [2, 3]] : tensor<1x6x4x8xbf16> into tensor<6x32xbf16>
    %concat = tensor.concat dim(0) %collapsed, %collapsed_12 : (tensor<2x32xbf16>, tensor<6x32xbf16>) -> tensor<8x32xbf16>
    %22 = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<32x32xbf16>
    %23 = llm.matmul "model.layers.0.self_attn.o_proj" %concat, %22 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %24 = llm.add "model.layers.0.attn_residual" %arg0, %23 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %25 = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<32xbf16>
    %26 = llm.rmsnorm "model.layers.0.post_attention_layernorm" %24, %25 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %27 = llm.weight "model.layers.0.feed_forward.gate_proj.weight" : tensor<64x32xbf16>
    %28 = llm.matmul "model.layers.0.feed_forward.gate_proj" %26, %27 transpose_rhs : tensor<8x32xbf16>, tensor<64x32xbf16>
    %29 = llm.weight "model.layers.0.feed_forward.up_proj.weight" : tensor<64x32xbf16>
    %30 = llm.matmul "model.layers.0.feed_forward.up_proj" %26, %29 transpose_rhs : tensor<8x32xbf16>, tensor<64x32xbf16>
    %31 = llm.swiglu "model.layers.0.feed_forward.swiglu" %28, %30 : tensor<8x64xbf16>, tensor<8x64xbf16>
    %32 = llm.weight "model.layers.0.feed_forward.down_proj.weight" : tensor<32x64xbf16>
    %33 = llm.matmul "model.layers.0.feed_forward.down_proj" %31, %32 transpose_rhs : tensor<8x64xbf16>, tensor<32x64xbf16>
    %34 = llm.add "model.layers.0.mlp_residual" %24, %33 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %35 = llm.weight "model.layers.1.input_layernorm.weight" : tensor<32xbf16>
    %36 = llm.rmsnorm "model.layers.1.input_layernorm" %34, %35 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %37 = llm.weight "model.layers.1.self_attn.q_proj.weight" : tensor<32x32xbf16>
    %38 = llm.matmul "model.layers.1.self_attn.q_proj" %36, %37 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %39 = llm.weight "model.layers.1.self_attn.k_proj.weight" : tensor<16x32xbf16>
    %40 = llm.matmul "model.layers.1.self_attn.k_proj" %36, %39 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %41 = llm.weight "model.layers.1.self_attn.v_proj.weight" : tensor<16x32xbf16>
    %42 = llm.matmul "model.layers.1.self_attn.v_proj" %36, %41 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %extracted_slice_13 = tensor.extract_slice %38[0, 0] [2, 32] [1, 1] : tensor<8x32xbf16> to tensor<2x32xbf16>
    %expanded_14 = tensor.expand_shape %extracted_slice_13 [[0, 1], [2, 3]] output_shape [2, 1, 4, 8] : tensor<2x32xbf16> into tensor<2x1x4x8xbf16>
    %43 = llm.rope "model.layers.1.self_attn.q_rope.decode" %expanded_14 at 11 theta 5.000000e+05 : tensor<2x1x4x8xbf16>
    %44 = llm.rmsnorm "model.layers.1.self_attn.q_norm.decode" %43 epsilon 9.9999999999999995E-7 : tensor<2x1x4x8xbf16>
    %extracted_slice_15 = tensor.extract_slice %40[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_16 = tensor.expand_shape %extracted_slice_15 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %45 = llm.rope "model.layers.1.self_attn.k_rope.decode" %expanded_16 at 11 theta 5.000000e+05 : tensor<2x1x2x8xbf16>
    %46 = llm.rmsnorm "model.layers.1.self_attn.k_norm.decode" %45 epsilon 9.9999999999999995E-7 : tensor<2x1x2x8xbf16>
    %extracted_slice_17 = tensor.extract_slice %42[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_18 = tensor.expand_shape %extracted_slice_17 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %47 = llm.kv_cache "model.layers.1.self_attn.decode" : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %48 = llm.kv_write "model.layers.1.self_attn.kv_write.decode" %47, %46, %expanded_18 at 11 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>, tensor<2x1x2x8xbf16>, tensor<2x1x2x8xbf16>
    %keys_19, %values_20 = llm.kv_read %48 rows 10 to 12 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %49 = llm.gqa_attn "model.layers.1.self_attn.attn.decode" %44, %keys_19, %values_20 mask causal scale 0.35355339059327373 : tensor<2x1x4x8xbf16>, tensor<2x2x2x8xbf16>, tensor<2x2x2x8xbf16>
    %collapsed_21 = tensor.collapse_shape %49 [[0, 1], [2, 3]] : tensor<2x1x4x8xbf16> into tensor<2x32xbf16>
    %extracted_slice_22 = tensor.extract_slice %38[2, 0] [6, 32] [1, 1] : tensor<8x32xbf16> to tensor<6x32xbf16>
    %expanded_23 = tensor.expand_shape %extracted_slice_22 [[0, 1], [2, 3]] output_shape [1, 6, 4, 8] : tensor<6x32xbf16> into tensor<1x6x4x8xbf16>
    %50 = llm.rope "model.layers.1.self_attn.q_rope.chunk" %expanded_23 at 3 theta 5.000000e+05 : tensor<1x6x4x8xbf16>
    %51 = llm.rmsnorm "model.layers.1.self_attn.q_norm.chunk" %50 epsilon 9.9999999999999995E-7 : tensor<1x6x4x8xbf16>
    %extracted_slice_24 = tensor.extract_slice %40[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_25 = tensor.expand_shape %extracted_slice_24 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %52 = llm.rope "model.layers.1.self_attn.k_rope.chunk" %expanded_25 at 3 theta 5.000000e+05 : tensor<1x6x2x8xbf16>
    %53 = llm.rmsnorm "model.layers.1.self_attn.k_norm.chunk" %52 epsilon 9.9999999999999995E-7 : tensor<1x6x2x8xbf16>
    %extracted_slice_26 = tensor.extract_slice %42[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_27 = tensor.expand_shape %extracted_slice_26 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %54 = llm.kv_cache "model.layers.1.self_attn.chunk" : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %55 = llm.kv_write "model.layers.1.self_attn.kv_write.chunk" %54, %53, %expanded_27 at 3 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>, tensor<1x6x2x8xbf16>, tensor<1x6x2x8xbf16>
    %keys_28, %values_29 = llm.kv_read %55 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %56 = llm.gqa_attn "model.layers.1.self_attn.attn.chunk" %51, %keys_28, %values_29 mask causal chunk 5 scale 0.35355339059327373 : tensor<1x6x4x8xbf16>, tensor<1x9x2x8xbf16>, tensor<1x9x2x8xbf16>
    %collapsed_30 = tensor.collapse_shape %56 [[0, 1], [2, 3]] : tensor<1x6x4x8xbf16> into tensor<6x32xbf16>
    %concat_31 = tensor.concat dim(0) %collapsed_21, %collapsed_30 : (tensor<2x32xbf16>, tensor<6x32xbf16>) -> tensor<8x32xbf16>
    %57 = llm.weight "model.layers.1.self_attn.o_proj.weight" : tensor<32x32xbf16>
    %58 = llm.matmul "model.layers.1.self_attn.o_proj" %concat_31, %57 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %59 = llm.add "model.layers.1.attn_residual" %34, %58 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %60 = llm.weight "model.layers.1.post_attention_layernorm.weight" : tensor<32xbf16>
    %61 = llm.rmsnorm "model.layers.1.post_attention_layernorm" %59, %60 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %62 = llm.weight "model.layers.1.feed_forward.router.weight" : tensor<4x32xbf16>
    %63 = llm.matmul "model.layers.1.feed_forward.router" %61, %62 transpose_rhs : tensor<8x32xbf16>, tensor<4x32xbf16>
    %shares, %experts = llm.moe_route "model.layers.1.feed_forward.route" topk_sigmoid %63 top_k 1 : tensor<8x4xbf16>
    %64 = llm.moe_dispatch "model.layers.1.feed_forward.dispatch" %61, %experts shares %shares : tensor<8x32xbf16>, tensor<8x1xi32>, tensor<8x1xbf16>
    %65 = llm.weight "model.layers.1.feed_forward.experts.gate_up_proj" : tensor<4x32x64xbf16>
    %66 = llm.grouped_matmul "model.layers.1.feed_forward.experts.gate_up_proj" %64, %65 experts %experts rows_per_expert [2, 2, 2, 2] top_k 1 : tensor<8x32xbf16>, tensor<4x32x64xbf16> experts tensor<8x1xi32>
    %extracted_slice_32 = tensor.extract_slice %66[0, 0] [8, 32] [1, 1] : tensor<8x64xbf16> to tensor<8x32xbf16>
    %extracted_slice_33 = tensor.extract_slice %66[0, 32] [8, 32] [1, 1] : tensor<8x64xbf16> to tensor<8x32xbf16>
    %67 = llm.swiglu "model.layers.1.feed_forward.experts.swiglu" %extracted_slice_32, %extracted_slice_33 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %68 = llm.weight "model.layers.1.feed_forward.experts.down_proj" : tensor<4x32x32xbf16>
    %69 = llm.grouped_matmul "model.layers.1.feed_forward.experts.down_proj" %67, %68 experts %experts rows_per_expert [2, 2, 2, 2] top_k 1 : tensor<8x32xbf16>, tensor<4x32x32xbf16> experts tensor<8x1xi32>
    %70 = llm.moe_combine "model.layers.1.feed_forward.combine" %69, %experts : tensor<8x32xbf16>, tensor<8x1xi32>
    %71 = llm.weight "model.layers.1.feed_forward.shared_expert.gate_proj.weight" : tensor<32x32xbf16>
    %72 = llm.matmul "model.layers.1.feed_forward.shared_expert.gate_proj" %61, %71 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %73 = llm.weight "model.layers.1.feed_forward.shared_expert.up_proj.weight" : tensor<32x32xbf16>
    %74 = llm.matmul "model.layers.1.feed_forward.shared_expert.up_proj" %61, %73 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %75 = llm.swiglu "model.layers.1.feed_forward.shared_expert.swiglu" %72, %74 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %76 = llm.weight "model.layers.1.feed_forward.shared_expert.down_proj.weight" : tensor<32x32xbf16>
    %77 = llm.matmul "model.layers.1.feed_forward.shared_expert.down_proj" %75, %76 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %78 = llm.add "model.layers.1.feed_forward.shared_add" %70, %77 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %79 = llm.add "model.layers.1.mlp_residual" %59, %78 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %80 = llm.weight "model.layers.2.input_layernorm.weight" : tensor<32xbf16>
    %81 = llm.rmsnorm "model.layers.2.input_layernorm" %79, %80 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %82 = llm.weight "model.layers.2.self_attn.q_proj.weight" : tensor<32x32xbf16>
    %83 = llm.matmul "model.layers.2.self_attn.q_proj" %81, %82 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %84 = llm.weight "model.layers.2.self_attn.k_proj.weight" : tensor<16x32xbf16>
    %85 = llm.matmul "model.layers.2.self_attn.k_proj" %81, %84 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %86 = llm.weight "model.layers.2.self_attn.v_proj.weight" : tensor<16x32xbf16>
    %87 = llm.matmul "model.layers.2.self_attn.v_proj" %81, %86 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %extracted_slice_34 = tensor.extract_slice %83[0, 0] [2, 32] [1, 1] : tensor<8x32xbf16> to tensor<2x32xbf16>
    %expanded_35 = tensor.expand_shape %extracted_slice_34 [[0, 1], [2, 3]] output_shape [2, 1, 4, 8] : tensor<2x32xbf16> into tensor<2x1x4x8xbf16>
    %88 = llm.rope "model.layers.2.self_attn.q_rope.decode" %expanded_35 at 11 theta 5.000000e+05 : tensor<2x1x4x8xbf16>
    %89 = llm.rmsnorm "model.layers.2.self_attn.q_norm.decode" %88 epsilon 9.9999999999999995E-7 : tensor<2x1x4x8xbf16>
    %extracted_slice_36 = tensor.extract_slice %85[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_37 = tensor.expand_shape %extracted_slice_36 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %90 = llm.rope "model.layers.2.self_attn.k_rope.decode" %expanded_37 at 11 theta 5.000000e+05 : tensor<2x1x2x8xbf16>
    %91 = llm.rmsnorm "model.layers.2.self_attn.k_norm.decode" %90 epsilon 9.9999999999999995E-7 : tensor<2x1x2x8xbf16>
    %extracted_slice_38 = tensor.extract_slice %87[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_39 = tensor.expand_shape %extracted_slice_38 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %92 = llm.kv_cache "model.layers.2.self_attn.decode" : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %93 = llm.kv_write "model.layers.2.self_attn.kv_write.decode" %92, %91, %expanded_39 at 11 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>, tensor<2x1x2x8xbf16>, tensor<2x1x2x8xbf16>
    %keys_40, %values_41 = llm.kv_read %93 rows 10 to 12 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %94 = llm.gqa_attn "model.layers.2.self_attn.attn.decode" %89, %keys_40, %values_41 mask causal scale 0.35355339059327373 : tensor<2x1x4x8xbf16>, tensor<2x2x2x8xbf16>, tensor<2x2x2x8xbf16>
    %collapsed_42 = tensor.collapse_shape %94 [[0, 1], [2, 3]] : tensor<2x1x4x8xbf16> into tensor<2x32xbf16>
    %extracted_slice_43 = tensor.extract_slice %83[2, 0] [6, 32] [1, 1] : tensor<8x32xbf16> to tensor<6x32xbf16>
    %expanded_44 = tensor.expand_shape %extracted_slice_43 [[0, 1], [2, 3]] output_shape [1, 6, 4, 8] : tensor<6x32xbf16> into tensor<1x6x4x8xbf16>
    %95 = llm.rope "model.layers.2.self_attn.q_rope.chunk" %expanded_44 at 3 theta 5.000000e+05 : tensor<1x6x4x8xbf16>
    %96 = llm.rmsnorm "model.layers.2.self_attn.q_norm.chunk" %95 epsilon 9.9999999999999995E-7 : tensor<1x6x4x8xbf16>
    %extracted_slice_45 = tensor.extract_slice %85[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_46 = tensor.expand_shape %extracted_slice_45 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %97 = llm.rope "model.layers.2.self_attn.k_rope.chunk" %expanded_46 at 3 theta 5.000000e+05 : tensor<1x6x2x8xbf16>
    %98 = llm.rmsnorm "model.layers.2.self_attn.k_norm.chunk" %97 epsilon 9.9999999999999995E-7 : tensor<1x6x2x8xbf16>
    %extracted_slice_47 = tensor.extract_slice %87[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_48 = tensor.expand_shape %extracted_slice_47 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %99 = llm.kv_cache "model.layers.2.self_attn.chunk" : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %100 = llm.kv_write "model.layers.2.self_attn.kv_write.chunk" %99, %98, %expanded_48 at 3 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>, tensor<1x6x2x8xbf16>, tensor<1x6x2x8xbf16>
    %keys_49, %values_50 = llm.kv_read %100 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %101 = llm.gqa_attn "model.layers.2.self_attn.attn.chunk" %96, %keys_49, %values_50 mask causal chunk 5 scale 0.35355339059327373 : tensor<1x6x4x8xbf16>, tensor<1x9x2x8xbf16>, tensor<1x9x2x8xbf16>
    %collapsed_51 = tensor.collapse_shape %101 [[0, 1], [2, 3]] : tensor<1x6x4x8xbf16> into tensor<6x32xbf16>
    %concat_52 = tensor.concat dim(0) %collapsed_42, %collapsed_51 : (tensor<2x32xbf16>, tensor<6x32xbf16>) -> tensor<8x32xbf16>
    %102 = llm.weight "model.layers.2.self_attn.o_proj.weight" : tensor<32x32xbf16>
    %103 = llm.matmul "model.layers.2.self_attn.o_proj" %concat_52, %102 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %104 = llm.add "model.layers.2.attn_residual" %79, %103 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %105 = llm.weight "model.layers.2.post_attention_layernorm.weight" : tensor<32xbf16>
    %106 = llm.rmsnorm "model.layers.2.post_attention_layernorm" %104, %105 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %107 = llm.weight "model.layers.2.feed_forward.gate_proj.weight" : tensor<64x32xbf16>
    %108 = llm.matmul "model.layers.2.feed_forward.gate_proj" %106, %107 transpose_rhs : tensor<8x32xbf16>, tensor<64x32xbf16>
    %109 = llm.weight "model.layers.2.feed_forward.up_proj.weight" : tensor<64x32xbf16>
    %110 = llm.matmul "model.layers.2.feed_forward.up_proj" %106, %109 transpose_rhs : tensor<8x32xbf16>, tensor<64x32xbf16>
    %111 = llm.swiglu "model.layers.2.feed_forward.swiglu" %108, %110 : tensor<8x64xbf16>, tensor<8x64xbf16>
    %112 = llm.weight "model.layers.2.feed_forward.down_proj.weight" : tensor<32x64xbf16>
    %113 = llm.matmul "model.layers.2.feed_forward.down_proj" %111, %112 transpose_rhs : tensor<8x64xbf16>, tensor<32x64xbf16>
    %114 = llm.add "model.layers.2.mlp_residual" %104, %113 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %115 = llm.weight "model.layers.3.input_layernorm.weight" : tensor<32xbf16>
    %116 = llm.rmsnorm "model.layers.3.input_layernorm" %114, %115 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %117 = llm.weight "model.layers.3.self_attn.q_proj.weight" : tensor<32x32xbf16>
    %118 = llm.matmul "model.layers.3.self_attn.q_proj" %116, %117 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %119 = llm.weight "model.layers.3.self_attn.k_proj.weight" : tensor<16x32xbf16>
    %120 = llm.matmul "model.layers.3.self_attn.k_proj" %116, %119 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %121 = llm.weight "model.layers.3.self_attn.v_proj.weight" : tensor<16x32xbf16>
    %122 = llm.matmul "model.layers.3.self_attn.v_proj" %116, %121 transpose_rhs : tensor<8x32xbf16>, tensor<16x32xbf16>
    %extracted_slice_53 = tensor.extract_slice %118[0, 0] [2, 32] [1, 1] : tensor<8x32xbf16> to tensor<2x32xbf16>
    %expanded_54 = tensor.expand_shape %extracted_slice_53 [[0, 1], [2, 3]] output_shape [2, 1, 4, 8] : tensor<2x32xbf16> into tensor<2x1x4x8xbf16>
    %extracted_slice_55 = tensor.extract_slice %120[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_56 = tensor.expand_shape %extracted_slice_55 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %123 = llm.position_scale "model.layers.3.self_attn.q_temperature.decode" %expanded_54 at 11 step 8192 slope 1.000000e-01 : tensor<2x1x4x8xbf16>
    %extracted_slice_57 = tensor.extract_slice %122[0, 0] [2, 16] [1, 1] : tensor<8x16xbf16> to tensor<2x16xbf16>
    %expanded_58 = tensor.expand_shape %extracted_slice_57 [[0, 1], [2, 3]] output_shape [2, 1, 2, 8] : tensor<2x16xbf16> into tensor<2x1x2x8xbf16>
    %124 = llm.kv_cache "model.layers.3.self_attn.decode" : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %125 = llm.kv_write "model.layers.3.self_attn.kv_write.decode" %124, %expanded_56, %expanded_58 at 11 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>, tensor<2x1x2x8xbf16>, tensor<2x1x2x8xbf16>
    %keys_59, %values_60 = llm.kv_read %125 rows 0 to 12 : <batch = 2, kv_heads = 2, head_dim = 8, capacity = 12, bf16>
    %126 = llm.gqa_attn "model.layers.3.self_attn.attn.decode" %123, %keys_59, %values_60 mask causal scale 0.35355339059327373 : tensor<2x1x4x8xbf16>, tensor<2x12x2x8xbf16>, tensor<2x12x2x8xbf16>
    %collapsed_61 = tensor.collapse_shape %126 [[0, 1], [2, 3]] : tensor<2x1x4x8xbf16> into tensor<2x32xbf16>
    %extracted_slice_62 = tensor.extract_slice %118[2, 0] [6, 32] [1, 1] : tensor<8x32xbf16> to tensor<6x32xbf16>
    %expanded_63 = tensor.expand_shape %extracted_slice_62 [[0, 1], [2, 3]] output_shape [1, 6, 4, 8] : tensor<6x32xbf16> into tensor<1x6x4x8xbf16>
    %extracted_slice_64 = tensor.extract_slice %120[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_65 = tensor.expand_shape %extracted_slice_64 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %127 = llm.position_scale "model.layers.3.self_attn.q_temperature.chunk" %expanded_63 at 3 step 8192 slope 1.000000e-01 : tensor<1x6x4x8xbf16>
    %extracted_slice_66 = tensor.extract_slice %122[2, 0] [6, 16] [1, 1] : tensor<8x16xbf16> to tensor<6x16xbf16>
    %expanded_67 = tensor.expand_shape %extracted_slice_66 [[0, 1], [2, 3]] output_shape [1, 6, 2, 8] : tensor<6x16xbf16> into tensor<1x6x2x8xbf16>
    %128 = llm.kv_cache "model.layers.3.self_attn.chunk" : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %129 = llm.kv_write "model.layers.3.self_attn.kv_write.chunk" %128, %expanded_65, %expanded_67 at 3 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>, tensor<1x6x2x8xbf16>, tensor<1x6x2x8xbf16>
    %keys_68, %values_69 = llm.kv_read %129 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 9, bf16>
    %130 = llm.gqa_attn "model.layers.3.self_attn.attn.chunk" %127, %keys_68, %values_69 mask causal scale 0.35355339059327373 : tensor<1x6x4x8xbf16>, tensor<1x9x2x8xbf16>, tensor<1x9x2x8xbf16>
    %collapsed_70 = tensor.collapse_shape %130 [[0, 1], [2, 3]] : tensor<1x6x4x8xbf16> into tensor<6x32xbf16>
    %concat_71 = tensor.concat dim(0) %collapsed_61, %collapsed_70 : (tensor<2x32xbf16>, tensor<6x32xbf16>) -> tensor<8x32xbf16>
    %131 = llm.weight "model.layers.3.self_attn.o_proj.weight" : tensor<32x32xbf16>
    %132 = llm.matmul "model.layers.3.self_attn.o_proj" %concat_71, %131 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %133 = llm.add "model.layers.3.attn_residual" %114, %132 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %134 = llm.weight "model.layers.3.post_attention_layernorm.weight" : tensor<32xbf16>
    %135 = llm.rmsnorm "model.layers.3.post_attention_layernorm" %133, %134 epsilon 9.9999999999999995E-7 : tensor<8x32xbf16>, tensor<32xbf16>
    %136 = llm.weight "model.layers.3.feed_forward.router.weight" : tensor<4x32xbf16>
    %137 = llm.matmul "model.layers.3.feed_forward.router" %135, %136 transpose_rhs : tensor<8x32xbf16>, tensor<4x32xbf16>
    %shares_72, %experts_73 = llm.moe_route "model.layers.3.feed_forward.route" topk_sigmoid %137 top_k 1 : tensor<8x4xbf16>
    %138 = llm.moe_dispatch "model.layers.3.feed_forward.dispatch" %135, %experts_73 shares %shares_72 : tensor<8x32xbf16>, tensor<8x1xi32>, tensor<8x1xbf16>
    %139 = llm.weight "model.layers.3.feed_forward.experts.gate_up_proj" : tensor<4x32x64xbf16>
    %140 = llm.grouped_matmul "model.layers.3.feed_forward.experts.gate_up_proj" %138, %139 experts %experts_73 rows_per_expert [2, 2, 2, 2] top_k 1 : tensor<8x32xbf16>, tensor<4x32x64xbf16> experts tensor<8x1xi32>
    %extracted_slice_74 = tensor.extract_slice %140[0, 0] [8, 32] [1, 1] : tensor<8x64xbf16> to tensor<8x32xbf16>
    %extracted_slice_75 = tensor.extract_slice %140[0, 32] [8, 32] [1, 1] : tensor<8x64xbf16> to tensor<8x32xbf16>
    %141 = llm.swiglu "model.layers.3.feed_forward.experts.swiglu" %extracted_slice_74, %extracted_slice_75 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %142 = llm.weight "model.layers.3.feed_forward.experts.down_proj" : tensor<4x32x32xbf16>
    %143 = llm.grouped_matmul "model.layers.3.feed_forward.experts.down_proj" %141, %142 experts %experts_73 rows_per_expert [2, 2, 2, 2] top_k 1 : tensor<8x32xbf16>, tensor<4x32x32xbf16> experts tensor<8x1xi32>
    %144 = llm.moe_combine "model.layers.3.feed_forward.combine" %143, %experts_73 : tensor<8x32xbf16>, tensor<8x1xi32>
    %145 = llm.weight "model.layers.3.feed_forward.shared_expert.gate_proj.weight" : tensor<32x32xbf16>
    %146 = llm.matmul "model.layers.3.feed_forward.shared_expert.gate_proj" %135, %145 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %147 = llm.weight "model.layers.3.feed_forward.shared_expert.up_proj.weight" : tensor<32x32xbf16>
    %148 = llm.matmul "model.layers.3.feed_forward.shared_expert.up_proj" %135, %147 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %149 = llm.swiglu "model.layers.3.feed_forward.shared_expert.swiglu" %146, %148 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %150 = llm.weight "model.layers.3.feed_forward.shared_expert.down_proj.weight" : tensor<32x32xbf16>
    %151 = llm.matmul "model.layers.3.feed_forward.shared_expert.down_proj" %149, %150 transpose_rhs : tensor<8x32xbf16>, tensor<32x32xbf16>
    %152 = llm.add "model.layers.3.feed_forward.shared_add" %144, %151 : tensor<8x32xbf16>, tensor<8x32xbf16>
    %153 = llm.add "model.layers.3.mlp_residual" %133, %152 : tensor<8x32xbf16>, tensor<8x32xbf16>
    return %153 : tensor<8x32xbf16>
  }
}
