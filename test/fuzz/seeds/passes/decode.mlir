// fuse tile schedule verify-schedule report=json
!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 16, capacity = 32, bf16>

func.func @dense_block_decode(%x: tensor<1x64xbf16>) -> tensor<1x64xbf16> attributes {
    llm.program = #llm.program<"example", decode, batch = 1, seq = 1, kv_len = 32, layers = 1 of 1>} {
  %w0 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<64xbf16>
  %n0 = llm.rmsnorm "model.layers.0.input_layernorm" %x, %w0 epsilon 1.0e-5
      : tensor<1x64xbf16>, tensor<64xbf16>
  %wq = llm.weight "model.layers.0.self_attn.q_proj.weight" : tensor<64x64xbf16>
  %q = llm.matmul "model.layers.0.self_attn.q_proj" %n0, %wq transpose_rhs
     : tensor<1x64xbf16>, tensor<64x64xbf16>
  %wk = llm.weight "model.layers.0.self_attn.k_proj.weight" : tensor<32x64xbf16>
  %k = llm.matmul "model.layers.0.self_attn.k_proj" %n0, %wk transpose_rhs
     : tensor<1x64xbf16>, tensor<32x64xbf16>
  %wv = llm.weight "model.layers.0.self_attn.v_proj.weight" : tensor<32x64xbf16>
  %v = llm.matmul "model.layers.0.self_attn.v_proj" %n0, %wv transpose_rhs
     : tensor<1x64xbf16>, tensor<32x64xbf16>
  %q4 = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [1, 1, 4, 16]
      : tensor<1x64xbf16> into tensor<1x1x4x16xbf16>
  %k4 = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 1, 2, 16]
      : tensor<1x32xbf16> into tensor<1x1x2x16xbf16>
  %v4 = tensor.expand_shape %v [[0, 1], [2, 3]] output_shape [1, 1, 2, 16]
      : tensor<1x32xbf16> into tensor<1x1x2x16xbf16>
  %qr = llm.rope "model.layers.0.self_attn.q_rope" %q4 at 31 theta 5.0e5 : tensor<1x1x4x16xbf16>
  %kr = llm.rope "model.layers.0.self_attn.k_rope" %k4 at 31 theta 5.0e5 : tensor<1x1x2x16xbf16>
  %c0 = llm.kv_cache "model.layers.0.self_attn" : !cache
  %c1 = llm.kv_write "model.layers.0.self_attn.kv_write" %c0, %kr, %v4 at 31
      : !cache, tensor<1x1x2x16xbf16>, tensor<1x1x2x16xbf16>
  %keys, %values = llm.kv_read %c1 rows 0 to 32 : !cache
  %a4 = llm.gqa_attn "model.layers.0.self_attn.attn" %qr, %keys, %values mask causal scale 0.25
      : tensor<1x1x4x16xbf16>, tensor<1x32x2x16xbf16>, tensor<1x32x2x16xbf16>
  %a = tensor.collapse_shape %a4 [[0, 1], [2, 3]] : tensor<1x1x4x16xbf16> into tensor<1x64xbf16>
  %wo = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<64x64xbf16>
  %o = llm.matmul "model.layers.0.self_attn.o_proj" %a, %wo transpose_rhs
     : tensor<1x64xbf16>, tensor<64x64xbf16>
  %r = llm.add "model.layers.0.attn_residual" %x, %o : tensor<1x64xbf16>, tensor<1x64xbf16>

  %w1 = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<64xbf16>
  %n1 = llm.rmsnorm "model.layers.0.post_attention_layernorm" %r, %w1 epsilon 1.0e-5
      : tensor<1x64xbf16>, tensor<64xbf16>
  %wg = llm.weight "model.layers.0.mlp.gate_proj.weight" : tensor<128x64xbf16>
  %g = llm.matmul "model.layers.0.mlp.gate_proj" %n1, %wg transpose_rhs
     : tensor<1x64xbf16>, tensor<128x64xbf16>
  %wu = llm.weight "model.layers.0.mlp.up_proj.weight" : tensor<128x64xbf16>
  %u = llm.matmul "model.layers.0.mlp.up_proj" %n1, %wu transpose_rhs
     : tensor<1x64xbf16>, tensor<128x64xbf16>
  %h = llm.swiglu "model.layers.0.mlp.swiglu" %g, %u : tensor<1x128xbf16>, tensor<1x128xbf16>
  %wd = llm.weight "model.layers.0.mlp.down_proj.weight" : tensor<64x128xbf16>
  %d = llm.matmul "model.layers.0.mlp.down_proj" %h, %wd transpose_rhs
     : tensor<1x128xbf16>, tensor<64x128xbf16>
  %y = llm.add "model.layers.0.mlp_residual" %r, %d : tensor<1x64xbf16>, tensor<1x64xbf16>
  return %y : tensor<1x64xbf16>
}
