// Multi-head latent attention in its absorbed form, in a ragged batch: one new token of each of
// two sequences, with 24 and 9 keys. Queries go into the space of the latents and outputs back, so
// that the cache holds one latent of 32 + 16 features per position, for all heads. Weights are
// scaled in blocks, and activations are quantized for them.

!cache = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 48, capacity = 32, bf16 latents>
!row = !llm.block_scaled<f8E4M3FN, [32], f32>
!block = !llm.block_scaled<f8E4M3FN, [32, 32], f32>

func.func @latent_attention_decode(%q_nope: tensor<2x4x16xbf16>, %q_pe: tensor<2x1x4x16xbf16>,
                                   %latent: tensor<2x1x1x32xbf16>, %k_pe: tensor<2x1x1x16xbf16>) -> tensor<2x64xbf16> {
  %q_rope = llm.rope "self_attn.q_rope" %q_pe at [23, 8] theta 1.0e4 : tensor<2x1x4x16xbf16>
  %k_rope = llm.rope "self_attn.k_rope" %k_pe at [23, 8] theta 1.0e4 : tensor<2x1x1x16xbf16>
  %z = tensor.concat dim(3) %latent, %k_rope
     : (tensor<2x1x1x32xbf16>, tensor<2x1x1x16xbf16>) -> tensor<2x1x1x48xbf16>
  %c0 = llm.kv_cache "self_attn" : !cache
  %c1 = llm.kv_write "self_attn.kv_write" %c0, %z at [23, 8] : !cache, tensor<2x1x1x48xbf16>
  %latents = llm.kv_read %c1 rows [0, 0] to [24, 9] : !cache

  %wk = llm.weight "self_attn.kv_b_proj.k" : tensor<4x16x32x!block>
  %absorbed = llm.batch_matmul "self_attn.q_absorb" %q_nope, %wk : tensor<2x4x16xbf16>, tensor<4x16x32x!block>
  %q_latent = tensor.expand_shape %absorbed [[0, 1], [2], [3]] output_shape [2, 1, 4, 32]
     : tensor<2x4x32xbf16> into tensor<2x1x4x32xbf16>
  %q = tensor.concat dim(3) %q_latent, %q_rope
     : (tensor<2x1x4x32xbf16>, tensor<2x1x4x16xbf16>) -> tensor<2x1x4x48xbf16>
  %a = llm.mla_attn "self_attn.attn" %q, %latents value_dim 32 mask causal lengths [24, 9] scale 0.176777
     : tensor<2x1x4x48xbf16>, tensor<2x24x1x48xbf16>
  %rows = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x1x4x32xbf16> into tensor<2x4x32xbf16>
  %wv = llm.weight "self_attn.kv_b_proj.v" : tensor<4x16x32x!block>
  %v = llm.batch_matmul "self_attn.v_absorb" %rows, %wv transpose_rhs : tensor<2x4x32xbf16>, tensor<4x16x32x!block>

  %heads = tensor.collapse_shape %v [[0], [1, 2]] : tensor<2x4x16xbf16> into tensor<2x64xbf16>
  %x = llm.quantize "self_attn.o_proj.quantize" %heads to !row : tensor<2x64xbf16>
  %wo = llm.weight "self_attn.o_proj.weight" : tensor<64x64x!block>
  %o = llm.matmul "self_attn.o_proj" %x, %wo transpose_rhs to bf16 : tensor<2x64x!row>, tensor<64x64x!block>
  return %o : tensor<2x64xbf16>
}
