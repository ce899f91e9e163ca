// target=npu tile schedule verify-schedule report=json perfetto
module {
  func.func @qwen3_moe_decode(%arg0: tensor<1xi32>) -> tensor<1xi32> attributes {llm.program = #llm.program<"qwen3_moe", decode, batch = 1, seq = 1, kv_len = 4, layers = 4 of 4>} {
    %0 = llm.weight "model.embed_tokens.weight" : tensor<1000x64xbf16>
    %1 = llm.embedding "model.embed_tokens" %arg0, %0 : tensor<1xi32>, tensor<1000x64xbf16>
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %2 = scf.for %arg1 = %c0 to %c3 step %c1 iter_args(%arg2 = %1) -> (tensor<1x64xbf16>) {
      %42 = llm.weight "model.layers.{}.input_layernorm.weight"[%arg1] : tensor<64xbf16>
      %43 = llm.rmsnorm "model.layers.{0..2}.input_layernorm" %arg2, %42 epsilon 9.9999999999999995E-7 : tensor<1x64xbf16>, tensor<64xbf16>
      %44 = llm.weight "model.layers.{}.self_attn.q_proj.weight"[%arg1] : tensor<64x64xbf16>
      %45 = llm.matmul "model.layers.{0..2}.self_attn.q_proj" %43, %44 transpose_rhs : tensor<1x64xbf16>, tensor<64x64xbf16>
      %46 = llm.weight "model.layers.{}.self_attn.k_proj.weight"[%arg1] : tensor<32x64xbf16>
      %47 = llm.matmul "model.layers.{0..2}.self_attn.k_proj" %43, %46 transpose_rhs : tensor<1x64xbf16>, tensor<32x64xbf16>
      %48 = llm.weight "model.layers.{}.self_attn.v_proj.weight"[%arg1] : tensor<32x64xbf16>
      %49 = llm.matmul "model.layers.{0..2}.self_attn.v_proj" %43, %48 transpose_rhs : tensor<1x64xbf16>, tensor<32x64xbf16>
      %expanded_2 = tensor.expand_shape %45 [[0, 1], [2, 3]] output_shape [1, 1, 4, 16] : tensor<1x64xbf16> into tensor<1x1x4x16xbf16>
      %expanded_3 = tensor.expand_shape %47 [[0, 1], [2, 3]] output_shape [1, 1, 2, 16] : tensor<1x32xbf16> into tensor<1x1x2x16xbf16>
      %expanded_4 = tensor.expand_shape %49 [[0, 1], [2, 3]] output_shape [1, 1, 2, 16] : tensor<1x32xbf16> into tensor<1x1x2x16xbf16>
      %50 = llm.weight "model.layers.{}.self_attn.q_norm.weight"[%arg1] : tensor<16xbf16>
      %51 = llm.rmsnorm "model.layers.{0..2}.self_attn.q_norm" %expanded_2, %50 epsilon 9.9999999999999995E-7 : tensor<1x1x4x16xbf16>, tensor<16xbf16>
      %52 = llm.weight "model.layers.{}.self_attn.k_norm.weight"[%arg1] : tensor<16xbf16>
      %53 = llm.rmsnorm "model.layers.{0..2}.self_attn.k_norm" %expanded_3, %52 epsilon 9.9999999999999995E-7 : tensor<1x1x2x16xbf16>, tensor<16xbf16>
      %54 = llm.rope "model.layers.{0..2}.self_attn.q_rope" %51 at 3 theta 1.000000e+04 : tensor<1x1x4x16xbf16>
      %55 = llm.rope "model.layers.{0..2}.self_attn.k_rope" %53 at 3 theta 1.000000e+04 : tensor<1x1x2x16xbf16>
      %56 = llm.kv_cache "model.layers.{}.self_attn"[%arg1] : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 4, bf16>
      %57 = llm.kv_write "model.layers.{0..2}.self_attn.kv_write" %56, %55, %expanded_4 at 3 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 4, bf16>, tensor<1x1x2x16xbf16>, tensor<1x1x2x16xbf16>
      %keys_5, %values_6 = llm.kv_read %57 rows 0 to 4 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 4, bf16>
      %58 = llm.gqa_attn "model.layers.{0..2}.self_attn.attn" %54, %keys_5, %values_6 mask causal scale 2.500000e-01 : tensor<1x1x4x16xbf16>, tensor<1x4x2x16xbf16>, tensor<1x4x2x16xbf16>
      %collapsed_7 = tensor.collapse_shape %58 [[0, 1], [2, 3]] : tensor<1x1x4x16xbf16> into tensor<1x64xbf16>
      %59 = llm.weight "model.layers.{}.self_attn.o_proj.weight"[%arg1] : tensor<64x64xbf16>
      %60 = llm.matmul "model.layers.{0..2}.self_attn.o_proj" %collapsed_7, %59 transpose_rhs : tensor<1x64xbf16>, tensor<64x64xbf16>
      %61 = llm.add "model.layers.{0..2}.attn_residual" %arg2, %60 : tensor<1x64xbf16>, tensor<1x64xbf16>
      %62 = llm.weight "model.layers.{}.post_attention_layernorm.weight"[%arg1] : tensor<64xbf16>
      %63 = llm.rmsnorm "model.layers.{0..2}.post_attention_layernorm" %61, %62 epsilon 9.9999999999999995E-7 : tensor<1x64xbf16>, tensor<64xbf16>
      %64 = llm.weight "model.layers.{}.mlp.gate_proj.weight"[%arg1] : tensor<128x64xbf16>
      %65 = llm.matmul "model.layers.{0..2}.mlp.gate_proj" %63, %64 transpose_rhs : tensor<1x64xbf16>, tensor<128x64xbf16>
      %66 = llm.weight "model.layers.{}.mlp.up_proj.weight"[%arg1] : tensor<128x64xbf16>
      %67 = llm.matmul "model.layers.{0..2}.mlp.up_proj" %63, %66 transpose_rhs : tensor<1x64xbf16>, tensor<128x64xbf16>
      %68 = llm.swiglu "model.layers.{0..2}.mlp.swiglu" %65, %67 : tensor<1x128xbf16>, tensor<1x128xbf16>
      %69 = llm.weight "model.layers.{}.mlp.down_proj.weight"[%arg1] : tensor<64x128xbf16>
      %70 = llm.matmul "model.layers.{0..2}.mlp.down_proj" %68, %69 transpose_rhs : tensor<1x128xbf16>, tensor<64x128xbf16>
      %71 = llm.add "model.layers.{0..2}.mlp_residual" %61, %70 : tensor<1x64xbf16>, tensor<1x64xbf16>
      scf.yield %71 : tensor<1x64xbf16>
    }
    %3 = llm.weight "model.layers.3.input_layernorm.weight" : tensor<64xbf16>
    %4 = llm.rmsnorm "model.layers.3.input_layernorm" %2, %3 epsilon 9.9999999999999995E-7 : tensor<1x64xbf16>, tensor<64xbf16>
    %5 = llm.weight "model.layers.3.self_attn.q_proj.weight" : tensor<64x64xbf16>
    %6 = llm.matmul "model.layers.3.self_attn.q_proj" %4, %5 transpose_rhs : tensor<1x64xbf16>, tensor<64x64xbf16>
    %7 = llm.weight "model.layers.3.self_attn.k_proj.weight" : tensor<32x64xbf16>
    %8 = llm.matmul "model.layers.3.self_attn.k_proj" %4, %7 transpose_rhs : tensor<1x64xbf16>, tensor<32x64xbf16>
    %9 = llm.weight "model.layers.3.self_attn.v_proj.weight" : tensor<32x64xbf16>
    %10 = llm.matmul "model.layers.3.self_attn.v_proj" %4, %9 transpose_rhs : tensor<1x64xbf16>, tensor<32x64xbf16>
    %expanded = tensor.expand_shape %6 [[0, 1], [2, 3]] output_shape [1, 1, 4, 16] : tensor<1x64xbf16> into tensor<1x1x4x16xbf16>
    %expanded_0 = tensor.expand_shape %8 [[0, 1], [2, 3]] output_shape [1, 1, 2, 16] : tensor<1x32xbf16> into tensor<1x1x2x16xbf16>
    %expanded_1 = tensor.expand_shape %10 [[0, 1], [2, 3]] output_shape [1, 1, 2, 16] : tensor<1x32xbf16> into tensor<1x1x2x16xbf16>
    %11 = llm.weight "model.layers.3.self_attn.q_norm.weight" : tensor<16xbf16>
    %12 = llm.rmsnorm "model.layers.3.self_attn.q_norm" %expanded, %11 epsilon 9.9999999999999995E-7 : tensor<1x1x4x16xbf16>, tensor<16xbf16>
    %13 = llm.weight "model.layers.3.self_attn.k_norm.weight" : tensor<16xbf16>
    %14 = llm.rmsnorm "model.layers.3.self_attn.k_norm" %expanded_0, %13 epsilon 9.9999999999999995E-7 : tensor<1x1x2x16xbf16>, tensor<16xbf16>
    %15 = llm.rope "model.layers.3.self_attn.q_rope" %12 at 3 theta 1.000000e+04 : tensor<1x1x4x16xbf16>
    %16 = llm.rope "model.layers.3.self_attn.k_rope" %14 at 3 theta 1.000000e+04 : tensor<1x1x2x16xbf16>
    %17 = llm.kv_cache "model.layers.3.self_attn" : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 4, bf16>
    %18 = llm.kv_write "model.layers.3.self_attn.kv_write" %17, %16, %expanded_1 at 3 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 4, bf16>, tensor<1x1x2x16xbf16>, tensor<1x1x2x16xbf16>
    %keys, %values = llm.kv_read %18 rows 0 to 4 : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 4, bf16>
    %19 = llm.gqa_attn "model.layers.3.self_attn.attn" %15, %keys, %values mask causal scale 2.500000e-01 : tensor<1x1x4x16xbf16>, tensor<1x4x2x16xbf16>, tensor<1x4x2x16xbf16>
    %collapsed = tensor.collapse_shape %19 [[0, 1], [2, 3]] : tensor<1x1x4x16xbf16> into tensor<1x64xbf16>
    %20 = llm.weight "model.layers.3.self_attn.o_proj.weight" : tensor<64x64xbf16>
    %21 = llm.matmul "model.layers.3.self_attn.o_proj" %collapsed, %20 transpose_rhs : tensor<1x64xbf16>, tensor<64x64xbf16>
    %22 = llm.add "model.layers.3.attn_residual" %2, %21 : tensor<1x64xbf16>, tensor<1x64xbf16>
    %23 = llm.weight "model.layers.3.post_attention_layernorm.weight" : tensor<64xbf16>
    %24 = llm.rmsnorm "model.layers.3.post_attention_layernorm" %22, %23 epsilon 9.9999999999999995E-7 : tensor<1x64xbf16>, tensor<64xbf16>
    %25 = llm.weight "model.layers.3.mlp.gate.weight" : tensor<8x64xbf16>
    %26 = llm.matmul "model.layers.3.mlp.gate" %24, %25 transpose_rhs : tensor<1x64xbf16>, tensor<8x64xbf16>
    %shares, %experts = llm.moe_route "model.layers.3.mlp.route" softmax %26 top_k 2 : tensor<1x8xbf16>
    %27 = llm.moe_dispatch "model.layers.3.mlp.dispatch" %24, %experts : tensor<1x64xbf16>, tensor<1x2xi32>
    %28 = llm.weight "model.layers.3.mlp.experts.gate_proj.weight" : tensor<8x32x64xbf16>
    %29 = llm.grouped_matmul "model.layers.3.mlp.experts.gate_proj" %27, %28 experts %experts transpose_rhs rows_per_expert [1, 1, 0, 0, 0, 0, 0, 0] top_k 2 : tensor<2x64xbf16>, tensor<8x32x64xbf16> experts tensor<1x2xi32>
    %30 = llm.weight "model.layers.3.mlp.experts.up_proj.weight" : tensor<8x32x64xbf16>
    %31 = llm.grouped_matmul "model.layers.3.mlp.experts.up_proj" %27, %30 experts %experts transpose_rhs rows_per_expert [1, 1, 0, 0, 0, 0, 0, 0] top_k 2 : tensor<2x64xbf16>, tensor<8x32x64xbf16> experts tensor<1x2xi32>
    %32 = llm.swiglu "model.layers.3.mlp.experts.swiglu" %29, %31 : tensor<2x32xbf16>, tensor<2x32xbf16>
    %33 = llm.weight "model.layers.3.mlp.experts.down_proj.weight" : tensor<8x64x32xbf16>
    %34 = llm.grouped_matmul "model.layers.3.mlp.experts.down_proj" %32, %33 experts %experts transpose_rhs rows_per_expert [1, 1, 0, 0, 0, 0, 0, 0] top_k 2 : tensor<2x32xbf16>, tensor<8x64x32xbf16> experts tensor<1x2xi32>
    %35 = llm.moe_combine "model.layers.3.mlp.combine" %34, %experts, %shares : tensor<2x64xbf16>, tensor<1x2xi32>, tensor<1x2xbf16>
    %36 = llm.add "model.layers.3.mlp_residual" %22, %35 : tensor<1x64xbf16>, tensor<1x64xbf16>
    %37 = llm.weight "model.norm.weight" : tensor<64xbf16>
    %38 = llm.rmsnorm "model.norm" %36, %37 epsilon 9.9999999999999995E-7 : tensor<1x64xbf16>, tensor<64xbf16>
    %39 = llm.weight "lm_head.weight" : tensor<1000x64xbf16>
    %40 = llm.matmul "lm_head" %38, %39 transpose_rhs : tensor<1x64xbf16>, tensor<1000x64xbf16>
    %41 = llm.sample "sample" greedy %40 : tensor<1x1000xbf16>
    return %41 : tensor<1xi32>
  }
}
