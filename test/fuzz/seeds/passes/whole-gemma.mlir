// decompose tile schedule=earliest verify-schedule report
module {
  func.func @gemma2_prefill(%arg0: tensor<9xi32>) -> tensor<1xi32> attributes {llm.program = #llm.program<"gemma2", prefill, batch = 1, seq = 9, kv_len = 9, layers = 4 of 4>} {
    %0 = llm.weight "model.embed_tokens.weight" : tensor<1000x64xbf16>
    %1 = llm.embedding "model.embed_tokens" %arg0, %0 : tensor<9xi32>, tensor<1000x64xbf16>
    %2 = llm.scale "model.embed_scale" %1 by 8.000000e+00 : tensor<9x64xbf16>
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %3 = scf.for %arg1 = %c0 to %c4 step %c2 iter_args(%arg2 = %2) -> (tensor<9x64xbf16>) {
      %10 = llm.weight "model.layers.{}.input_layernorm.weight"[%arg1] : tensor<64xbf16>
      %11 = llm.rmsnorm "model.layers.{0,2..2}.input_layernorm" %arg2, %10 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %12 = llm.weight "model.layers.{}.self_attn.q_proj.weight"[%arg1] : tensor<64x64xbf16>
      %13 = llm.matmul "model.layers.{0,2..2}.self_attn.q_proj" %11, %12 transpose_rhs : tensor<9x64xbf16>, tensor<64x64xbf16>
      %14 = llm.weight "model.layers.{}.self_attn.k_proj.weight"[%arg1] : tensor<32x64xbf16>
      %15 = llm.matmul "model.layers.{0,2..2}.self_attn.k_proj" %11, %14 transpose_rhs : tensor<9x64xbf16>, tensor<32x64xbf16>
      %16 = llm.weight "model.layers.{}.self_attn.v_proj.weight"[%arg1] : tensor<32x64xbf16>
      %17 = llm.matmul "model.layers.{0,2..2}.self_attn.v_proj" %11, %16 transpose_rhs : tensor<9x64xbf16>, tensor<32x64xbf16>
      %expanded = tensor.expand_shape %13 [[0, 1], [2, 3]] output_shape [1, 9, 4, 16] : tensor<9x64xbf16> into tensor<1x9x4x16xbf16>
      %expanded_0 = tensor.expand_shape %15 [[0, 1], [2, 3]] output_shape [1, 9, 2, 16] : tensor<9x32xbf16> into tensor<1x9x2x16xbf16>
      %expanded_1 = tensor.expand_shape %17 [[0, 1], [2, 3]] output_shape [1, 9, 2, 16] : tensor<9x32xbf16> into tensor<1x9x2x16xbf16>
      %18 = llm.rope "model.layers.{0,2..2}.self_attn.q_rope" %expanded at 0 theta 1.000000e+04 : tensor<1x9x4x16xbf16>
      %19 = llm.rope "model.layers.{0,2..2}.self_attn.k_rope" %expanded_0 at 0 theta 1.000000e+04 : tensor<1x9x2x16xbf16>
      %20 = llm.kv_cache "model.layers.{}.self_attn"[%arg1] : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 9, bf16>
      %21 = llm.kv_write "model.layers.{0,2..2}.self_attn.kv_write" %20, %19, %expanded_1 at 0 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 9, bf16>, tensor<1x9x2x16xbf16>, tensor<1x9x2x16xbf16>
      %keys, %values = llm.kv_read %21 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 9, bf16>
      %22 = llm.gqa_attn "model.layers.{0,2..2}.self_attn.attn" %18, %keys, %values mask causal window 8 scale 2.500000e-01 soft_cap 5.000000e+01 : tensor<1x9x4x16xbf16>, tensor<1x9x2x16xbf16>, tensor<1x9x2x16xbf16>
      %collapsed = tensor.collapse_shape %22 [[0, 1], [2, 3]] : tensor<1x9x4x16xbf16> into tensor<9x64xbf16>
      %23 = llm.weight "model.layers.{}.self_attn.o_proj.weight"[%arg1] : tensor<64x64xbf16>
      %24 = llm.matmul "model.layers.{0,2..2}.self_attn.o_proj" %collapsed, %23 transpose_rhs : tensor<9x64xbf16>, tensor<64x64xbf16>
      %25 = llm.weight "model.layers.{}.post_attention_layernorm.weight"[%arg1] : tensor<64xbf16>
      %26 = llm.rmsnorm "model.layers.{0,2..2}.post_attention_layernorm" %24, %25 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %27 = llm.add "model.layers.{0,2..2}.attn_residual" %arg2, %26 : tensor<9x64xbf16>, tensor<9x64xbf16>
      %28 = llm.weight "model.layers.{}.pre_feedforward_layernorm.weight"[%arg1] : tensor<64xbf16>
      %29 = llm.rmsnorm "model.layers.{0,2..2}.pre_feedforward_layernorm" %27, %28 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %30 = llm.weight "model.layers.{}.mlp.gate_proj.weight"[%arg1] : tensor<128x64xbf16>
      %31 = llm.matmul "model.layers.{0,2..2}.mlp.gate_proj" %29, %30 transpose_rhs : tensor<9x64xbf16>, tensor<128x64xbf16>
      %32 = llm.weight "model.layers.{}.mlp.up_proj.weight"[%arg1] : tensor<128x64xbf16>
      %33 = llm.matmul "model.layers.{0,2..2}.mlp.up_proj" %29, %32 transpose_rhs : tensor<9x64xbf16>, tensor<128x64xbf16>
      %34 = llm.geglu "model.layers.{0,2..2}.mlp.geglu" %31, %33 : tensor<9x128xbf16>, tensor<9x128xbf16>
      %35 = llm.weight "model.layers.{}.mlp.down_proj.weight"[%arg1] : tensor<64x128xbf16>
      %36 = llm.matmul "model.layers.{0,2..2}.mlp.down_proj" %34, %35 transpose_rhs : tensor<9x128xbf16>, tensor<64x128xbf16>
      %37 = llm.weight "model.layers.{}.post_feedforward_layernorm.weight"[%arg1] : tensor<64xbf16>
      %38 = llm.rmsnorm "model.layers.{0,2..2}.post_feedforward_layernorm" %36, %37 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %39 = llm.add "model.layers.{0,2..2}.mlp_residual" %27, %38 : tensor<9x64xbf16>, tensor<9x64xbf16>
      %c1 = arith.constant 1 : index
      %40 = arith.addi %arg1, %c1 : index
      %41 = llm.weight "model.layers.{}.input_layernorm.weight"[%40] : tensor<64xbf16>
      %42 = llm.rmsnorm "model.layers.{1,3..3}.input_layernorm" %39, %41 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %43 = llm.weight "model.layers.{}.self_attn.q_proj.weight"[%40] : tensor<64x64xbf16>
      %44 = llm.matmul "model.layers.{1,3..3}.self_attn.q_proj" %42, %43 transpose_rhs : tensor<9x64xbf16>, tensor<64x64xbf16>
      %45 = llm.weight "model.layers.{}.self_attn.k_proj.weight"[%40] : tensor<32x64xbf16>
      %46 = llm.matmul "model.layers.{1,3..3}.self_attn.k_proj" %42, %45 transpose_rhs : tensor<9x64xbf16>, tensor<32x64xbf16>
      %47 = llm.weight "model.layers.{}.self_attn.v_proj.weight"[%40] : tensor<32x64xbf16>
      %48 = llm.matmul "model.layers.{1,3..3}.self_attn.v_proj" %42, %47 transpose_rhs : tensor<9x64xbf16>, tensor<32x64xbf16>
      %expanded_2 = tensor.expand_shape %44 [[0, 1], [2, 3]] output_shape [1, 9, 4, 16] : tensor<9x64xbf16> into tensor<1x9x4x16xbf16>
      %expanded_3 = tensor.expand_shape %46 [[0, 1], [2, 3]] output_shape [1, 9, 2, 16] : tensor<9x32xbf16> into tensor<1x9x2x16xbf16>
      %expanded_4 = tensor.expand_shape %48 [[0, 1], [2, 3]] output_shape [1, 9, 2, 16] : tensor<9x32xbf16> into tensor<1x9x2x16xbf16>
      %49 = llm.rope "model.layers.{1,3..3}.self_attn.q_rope" %expanded_2 at 0 theta 1.000000e+04 : tensor<1x9x4x16xbf16>
      %50 = llm.rope "model.layers.{1,3..3}.self_attn.k_rope" %expanded_3 at 0 theta 1.000000e+04 : tensor<1x9x2x16xbf16>
      %51 = llm.kv_cache "model.layers.{}.self_attn"[%40] : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 9, bf16>
      %52 = llm.kv_write "model.layers.{1,3..3}.self_attn.kv_write" %51, %50, %expanded_4 at 0 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 9, bf16>, tensor<1x9x2x16xbf16>, tensor<1x9x2x16xbf16>
      %keys_5, %values_6 = llm.kv_read %52 rows 0 to 9 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 9, bf16>
      %53 = llm.gqa_attn "model.layers.{1,3..3}.self_attn.attn" %49, %keys_5, %values_6 mask causal scale 2.500000e-01 soft_cap 5.000000e+01 : tensor<1x9x4x16xbf16>, tensor<1x9x2x16xbf16>, tensor<1x9x2x16xbf16>
      %collapsed_7 = tensor.collapse_shape %53 [[0, 1], [2, 3]] : tensor<1x9x4x16xbf16> into tensor<9x64xbf16>
      %54 = llm.weight "model.layers.{}.self_attn.o_proj.weight"[%40] : tensor<64x64xbf16>
      %55 = llm.matmul "model.layers.{1,3..3}.self_attn.o_proj" %collapsed_7, %54 transpose_rhs : tensor<9x64xbf16>, tensor<64x64xbf16>
      %56 = llm.weight "model.layers.{}.post_attention_layernorm.weight"[%40] : tensor<64xbf16>
      %57 = llm.rmsnorm "model.layers.{1,3..3}.post_attention_layernorm" %55, %56 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %58 = llm.add "model.layers.{1,3..3}.attn_residual" %39, %57 : tensor<9x64xbf16>, tensor<9x64xbf16>
      %59 = llm.weight "model.layers.{}.pre_feedforward_layernorm.weight"[%40] : tensor<64xbf16>
      %60 = llm.rmsnorm "model.layers.{1,3..3}.pre_feedforward_layernorm" %58, %59 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %61 = llm.weight "model.layers.{}.mlp.gate_proj.weight"[%40] : tensor<128x64xbf16>
      %62 = llm.matmul "model.layers.{1,3..3}.mlp.gate_proj" %60, %61 transpose_rhs : tensor<9x64xbf16>, tensor<128x64xbf16>
      %63 = llm.weight "model.layers.{}.mlp.up_proj.weight"[%40] : tensor<128x64xbf16>
      %64 = llm.matmul "model.layers.{1,3..3}.mlp.up_proj" %60, %63 transpose_rhs : tensor<9x64xbf16>, tensor<128x64xbf16>
      %65 = llm.geglu "model.layers.{1,3..3}.mlp.geglu" %62, %64 : tensor<9x128xbf16>, tensor<9x128xbf16>
      %66 = llm.weight "model.layers.{}.mlp.down_proj.weight"[%40] : tensor<64x128xbf16>
      %67 = llm.matmul "model.layers.{1,3..3}.mlp.down_proj" %65, %66 transpose_rhs : tensor<9x128xbf16>, tensor<64x128xbf16>
      %68 = llm.weight "model.layers.{}.post_feedforward_layernorm.weight"[%40] : tensor<64xbf16>
      %69 = llm.rmsnorm "model.layers.{1,3..3}.post_feedforward_layernorm" %67, %68 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
      %70 = llm.add "model.layers.{1,3..3}.mlp_residual" %58, %69 : tensor<9x64xbf16>, tensor<9x64xbf16>
      scf.yield %70 : tensor<9x64xbf16>
    }
    %4 = llm.weight "model.norm.weight" : tensor<64xbf16>
    %5 = llm.rmsnorm "model.norm" %3, %4 epsilon 9.9999999999999995E-7 : tensor<9x64xbf16>, tensor<64xbf16>
    %extracted_slice = tensor.extract_slice %5[8, 0] [1, 64] [9, 1] : tensor<9x64xbf16> to tensor<1x64xbf16>
    %6 = llm.weight "model.embed_tokens.weight" : tensor<1000x64xbf16>
    %7 = llm.matmul "lm_head" %extracted_slice, %6 transpose_rhs : tensor<1x64xbf16>, tensor<1000x64xbf16>
    %8 = llm.soft_cap "lm_head.soft_cap" %7 cap 3.000000e+01 : tensor<1x1000xbf16>
    %9 = llm.sample "sample" greedy %8 : tensor<1x1000xbf16>
    return %9 : tensor<1xi32>
  }
}
