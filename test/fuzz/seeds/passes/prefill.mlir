// target=h100-sxm decompose tile schedule=2 report perfetto
!cache = !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 16, capacity = 64, bf16, page_size = 16>

func.func @dense_block_prefill(%x: tensor<32x64xbf16>) -> tensor<32x64xbf16> attributes {
    llm.program = #llm.program<"example", prefill, batch = 2, seq = 16, kv_len = 16, layers = 1 of 1>} {
  %w0 = llm.weight "model.layers.0.input_layernorm.weight" : tensor<64xbf16>
  %n0 = llm.rmsnorm "model.layers.0.input_layernorm" %x, %w0 epsilon 1.0e-5
      : tensor<32x64xbf16>, tensor<64xbf16>
  %wq = llm.weight "model.layers.0.self_attn.q_proj.weight" : tensor<64x64xbf16>
  %q = llm.matmul "model.layers.0.self_attn.q_proj" %n0, %wq transpose_rhs
     : tensor<32x64xbf16>, tensor<64x64xbf16>
  %wk = llm.weight "model.layers.0.self_attn.k_proj.weight" : tensor<32x64xbf16>
  %wv = llm.weight "model.layers.0.self_attn.v_proj.weight" : tensor<32x64xbf16>
  %wkv = tensor.concat dim(0) %wk, %wv
       : (tensor<32x64xbf16>, tensor<32x64xbf16>) -> tensor<64x64xbf16>
  %kv = llm.matmul "model.layers.0.self_attn.k_proj+v_proj" %n0, %wkv transpose_rhs
      : tensor<32x64xbf16>, tensor<64x64xbf16>
  %k = tensor.extract_slice %kv[0, 0] [32, 32] [1, 1] : tensor<32x64xbf16> to tensor<32x32xbf16>
  %v = tensor.extract_slice %kv[0, 32] [32, 32] [1, 1] : tensor<32x64xbf16> to tensor<32x32xbf16>
  %q4 = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [2, 16, 4, 16]
      : tensor<32x64xbf16> into tensor<2x16x4x16xbf16>
  %k4 = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [2, 16, 2, 16]
      : tensor<32x32xbf16> into tensor<2x16x2x16xbf16>
  %v4 = tensor.expand_shape %v [[0, 1], [2, 3]] output_shape [2, 16, 2, 16]
      : tensor<32x32xbf16> into tensor<2x16x2x16xbf16>
  %qr = llm.rope "model.layers.0.self_attn.q_rope" %q4 at 0 theta 1.0e4 : tensor<2x16x4x16xbf16>
  %kr = llm.rope "model.layers.0.self_attn.k_rope" %k4 at 0 theta 1.0e4 : tensor<2x16x2x16xbf16>
  %c0 = llm.kv_cache "model.layers.0.self_attn" : !cache
  %c1 = llm.kv_write "model.layers.0.self_attn.kv_write" %c0, %kr, %v4 at 0
      : !cache, tensor<2x16x2x16xbf16>, tensor<2x16x2x16xbf16>
  %keys, %values = llm.kv_read %c1 rows 0 to 16 : !cache
  %a4 = llm.gqa_attn "model.layers.0.self_attn.attn" %qr, %keys, %values mask causal scale 0.25
      : tensor<2x16x4x16xbf16>, tensor<2x16x2x16xbf16>, tensor<2x16x2x16xbf16>
  %a = tensor.collapse_shape %a4 [[0, 1], [2, 3]] : tensor<2x16x4x16xbf16> into tensor<32x64xbf16>
  %wo = llm.weight "model.layers.0.self_attn.o_proj.weight" : tensor<64x64xbf16>
  %o = llm.matmul "model.layers.0.self_attn.o_proj" %a, %wo transpose_rhs
     : tensor<32x64xbf16>, tensor<64x64xbf16>
  %r = llm.add "model.layers.0.attn_residual" %x, %o : tensor<32x64xbf16>, tensor<32x64xbf16>

  %wu = llm.weight "model.layers.0.mlp.up_proj.weight" : tensor<128x64xbf16>
  %bu = llm.weight "model.layers.0.mlp.up_proj.bias" : tensor<128xbf16>
  %u = llm.matmul "model.layers.0.mlp.up_proj" %r, %wu bias %bu transpose_rhs
     : tensor<32x64xbf16>, tensor<128x64xbf16>, tensor<128xbf16>
  %h = llm.activation "model.layers.0.mlp.act_fn" gelu_tanh %u : tensor<32x128xbf16>
  %wd = llm.weight "model.layers.0.mlp.down_proj.weight" : tensor<64x128xbf16>
  %bd = llm.weight "model.layers.0.mlp.down_proj.bias" : tensor<64xbf16>
  %d = llm.matmul "model.layers.0.mlp.down_proj" %h, %wd bias %bd transpose_rhs
     : tensor<32x128xbf16>, tensor<64x128xbf16>, tensor<64xbf16>
  %y = llm.add "model.layers.0.mlp_residual" %r, %d : tensor<32x64xbf16>, tensor<32x64xbf16>
  return %y : tensor<32x64xbf16>
}
