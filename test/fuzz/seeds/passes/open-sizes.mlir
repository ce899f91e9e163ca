// bind tile schedule report=csv
module {
  func.func @mixtral_decode(%arg0: tensor<?x32xbf16>) -> tensor<?x32xbf16> attributes {llm.program = #llm.program<"mixtral", decode, batch = ?, seq = 1, kv_len = ?, layers = 1 of 2>} {
    %0 = llm.size "batch"
    %1 = llm.size "kv_len"
    %c1 = arith.constant 1 : index
    %2 = arith.subi %1, %c1 : index
    %c1_0 = arith.constant 1 : index
    %3 = llm.sized %arg0[%0] : tensor<?x32xbf16>
    %4 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<32xbf16>
    %5 = llm.rmsnorm "model.layers.0.input_layernorm" %3, %4 epsilon 9.9999999999999995E-7 : tensor<?x32xbf16>, tensor<32xbf16>
    %6 = llm.weight "model.layers.0.self_attn.q_proj.weight" : tensor<32x32xbf16>
    %7 = llm.matmul "model.layers.0.self_attn.q_proj" %5, %6 transpose_rhs : tensor<?x32xbf16>, tensor<32x32xbf16>
    %8 = llm.weight "model.layers.0.self_attn.k_proj.weight" : tensor<16x32xbf16>
    %9 = llm.matmul "model.layers.0.self_attn.k_proj" %5, %8 transpose_rhs : tensor<?x32xbf16>, tensor<16x32xbf16>
    %10 = llm.weight "model.layers.0.self_attn.v_proj.weight" : tensor<16x32xbf16>
    %11 = llm.matmul "model.layers.0.self_attn.v_proj" %5, %10 transpose_rhs : tensor<?x32xbf16>, tensor<16x32xbf16>
    %expanded = tensor.expand_shape %7 [[0, 1], [2, 3]] output_shape [%0, 1, 4, 8] : tensor<?x32xbf16> into tensor<?x1x4x8xbf16>
    %12 = llm.rope "model.layers.0.self_attn.q_rope" %expanded at %2 theta 1.000000e+04 : tensor<?x1x4x8xbf16>
    %expanded_1 = tensor.expand_shape %9 [[0, 1], [2, 3]] output_shape [%0, 1, 2, 8] : tensor<?x16xbf16> into tensor<?x1x2x8xbf16>
    %13 = llm.rope "model.layers.0.self_attn.k_rope" %expanded_1 at %2 theta 1.000000e+04 : tensor<?x1x2x8xbf16>
    %expanded_2 = tensor.expand_shape %11 [[0, 1], [2, 3]] output_shape [%0, 1, 2, 8] : tensor<?x16xbf16> into tensor<?x1x2x8xbf16>
    %14 = llm.kv_cache "model.layers.0.self_attn" sizes(%0, %1) : <batch = ?, kv_heads = 2, head_dim = 8, capacity = ?, bf16>
    %15 = llm.kv_write "model.layers.0.self_attn.kv_write" %14, %13, %expanded_2 at %2 : <batch = ?, kv_heads = 2, head_dim = 8, capacity = ?, bf16>, tensor<?x1x2x8xbf16>, tensor<?x1x2x8xbf16>
    %c3 = arith.constant 3 : index
    %16 = arith.subi %2, %c3 : index
    %c0 = arith.constant 0 : index
    %17 = arith.maxsi %c0, %16 : index
    %keys, %values = llm.kv_read %15 rows %17 to %1 : <batch = ?, kv_heads = 2, head_dim = 8, capacity = ?, bf16>
    %18 = llm.gqa_attn "model.layers.0.self_attn.attn" %12, %keys, %values mask causal window 4 scale 0.35355339059327373 : tensor<?x1x4x8xbf16>, tensor<?x?x2x8xbf16>, tensor<?x?x2x8xbf16>
    %collapsed = tensor.collapse_shape %18 [[0, 1], [2, 3]] : tensor<?x1x4x8xbf16> into tensor<?x32xbf16>
    %19 = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<32x32xbf16>
    %20 = llm.matmul "model.layers.0.self_attn.o_proj" %collapsed, %19 transpose_rhs : tensor<?x32xbf16>, tensor<32x32xbf16>
    %21 = llm.add "model.layers.0.attn_residual" %3, %20 : tensor<?x32xbf16>, tensor<?x32xbf16>
    %22 = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<32xbf16>
    %23 = llm.rmsnorm "model.layers.0.post_attention_layernorm" %21, %22 epsilon 9.9999999999999995E-7 : tensor<?x32xbf16>, tensor<32xbf16>
    %24 = llm.weight "model.layers.0.block_sparse_moe.gate.weight" : tensor<4x32xbf16>
    %25 = llm.matmul "model.layers.0.block_sparse_moe.gate" %23, %24 transpose_rhs : tensor<?x32xbf16>, tensor<4x32xbf16>
    %shares, %experts = llm.moe_route "model.layers.0.block_sparse_moe.route" softmax %25 top_k 2 normalize : tensor<?x4xbf16>
    %26 = llm.moe_dispatch "model.layers.0.block_sparse_moe.dispatch" %23, %experts : tensor<?x32xbf16>, tensor<?x2xi32>
    %27 = llm.weight "model.layers.0.block_sparse_moe.experts.gate_proj.weight" : tensor<4x32x32xbf16>
    %28 = llm.grouped_matmul "model.layers.0.block_sparse_moe.experts.gate_proj" %26, %27 experts %experts transpose_rhs rows_per_expert uniform top_k 2 : tensor<?x32xbf16>, tensor<4x32x32xbf16> experts tensor<?x2xi32>
    %29 = llm.weight "model.layers.0.block_sparse_moe.experts.up_proj.weight" : tensor<4x32x32xbf16>
    %30 = llm.grouped_matmul "model.layers.0.block_sparse_moe.experts.up_proj" %26, %29 experts %experts transpose_rhs rows_per_expert uniform top_k 2 : tensor<?x32xbf16>, tensor<4x32x32xbf16> experts tensor<?x2xi32>
    %31 = llm.swiglu "model.layers.0.block_sparse_moe.experts.swiglu" %28, %30 : tensor<?x32xbf16>, tensor<?x32xbf16>
    %32 = llm.weight "model.layers.0.block_sparse_moe.experts.down_proj.weight" : tensor<4x32x32xbf16>
    %33 = llm.grouped_matmul "model.layers.0.block_sparse_moe.experts.down_proj" %31, %32 experts %experts transpose_rhs rows_per_expert uniform top_k 2 : tensor<?x32xbf16>, tensor<4x32x32xbf16> experts tensor<?x2xi32>
    %34 = llm.moe_combine "model.layers.0.block_sparse_moe.combine" %33, %experts, %shares : tensor<?x32xbf16>, tensor<?x2xi32>, tensor<?x2xbf16>
    %35 = llm.add "model.layers.0.mlp_residual" %21, %34 : tensor<?x32xbf16>, tensor<?x32xbf16>
    return %35 : tensor<?x32xbf16>
  }
}
