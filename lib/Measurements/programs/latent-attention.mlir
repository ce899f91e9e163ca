// Latent attention (MLA) with the sizes of DeepSeek-V3: absorbed products, attention alone, and whole modules without the norm
// before them. Each op has operands of its own, because only times count: they do not depend on what stands in a tensor.

//! mla_gen_pre dtype=bf16
//! mla_gen_post dtype=bf16
func.func @row(%x: tensor<$(tokens)x$(heads_per_rank)x$(k)xbf16>, %w: tensor<$(heads_per_rank)x$(k)x$(n)xbf16>) {
  %y = llm.batch_matmul %x, %w : tensor<$(tokens)x$(heads_per_rank)x$(k)xbf16>, tensor<$(heads_per_rank)x$(k)x$(n)xbf16>
  return
}

//! mla_gen_pre dtype=fp8
//! mla_gen_post dtype=fp8
func.func @row(%x: tensor<$(tokens)x$(heads_per_rank)x$(k)xbf16>, %w: tensor<$(heads_per_rank)x$(k)x$(n)x!llm.block_scaled<f8E4M3FN, [?, ?, ?], f32>>) {
  %q = llm.quantize "quantize" %x to !llm.block_scaled<f8E4M3FN, [?, ?, ?], f32> : tensor<$(tokens)x$(heads_per_rank)x$(k)xbf16>
  %y = llm.batch_matmul %q, %w to bf16 : tensor<$(tokens)x$(heads_per_rank)x$(k)x!llm.block_scaled<f8E4M3FN, [?, ?, ?], f32>>, tensor<$(heads_per_rank)x$(k)x$(n)x!llm.block_scaled<f8E4M3FN, [?, ?, ?], f32>>
  return
}

// SGLang's layer attends to the latents in prompts, too: 576 features of keys and 512 of values for each of the heads. It brings a
// cache of 8 bits into bf16 before (FlashAttentionBackend: `get_key_buffer(..).to(q.dtype)`), in prompts and in steps.
//! mla_context backend=sglang_0.5.14_flash_attention kv_dtype=bf16
//! mla_generation kv_dtype=bf16
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %c: tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>) {
  %y = llm.mla_attn %q, %c value_dim 512 mask causal scale 0.072
      : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>
  return
}

//! mla_context backend=sglang_0.5.14_flash_attention kv_dtype=fp8
//! mla_generation backend=sglang_0.5.14_flash_attention kv_dtype=fp8
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %c: tensor<$(batch * kv_len_tokens)x576xf8E4M3FN>,
    %wide: tensor<$(batch * kv_len_tokens)x576xbf16>,
    %k: tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>) {
  %converted = linalg.generic {
      indexing_maps = [affine_map<(m, d) -> (m, d)>, affine_map<(m, d) -> (m, d)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<$(batch * kv_len_tokens)x576xf8E4M3FN>) outs(%wide : tensor<$(batch * kv_len_tokens)x576xbf16>) {
    ^bb0(%a: f8E4M3FN, %b: bf16):
      %e = arith.extf %a : f8E4M3FN to bf16
      linalg.yield %e : bf16
  } -> tensor<$(batch * kv_len_tokens)x576xbf16>
  %y = llm.mla_attn %q, %k value_dim 512 mask causal scale 0.072
      : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>
  return
}

// With an 8-bit cache TensorRT-LLM makes keys and values of a prompt 8-bit before it attends to them.
//! mla_context kv_dtype=fp8
func.func @row(%pairs: tensor<$(batch * kv_len_tokens * heads_per_rank)x320xbf16>,
    %q: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>,
    %k: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
    %v: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>) {
  %narrow = llm.quantize "narrow" %pairs static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<$(batch * kv_len_tokens * heads_per_rank)x320xbf16>
  %y = llm.gqa_attn %q, %k, %v mask causal scale 0.072
      : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
        tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>
  return
}

//! mla_context
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>,
    %k: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
    %v: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>) {
  %y = llm.gqa_attn %q, %k, %v mask causal scale 0.072
      : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
        tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>
  return
}

//! mla_generation kv_dtype=fp8
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %c: tensor<$(batch)x$(kv_len_tokens)x1x576xf8E4M3FN>) {
  %y = llm.mla_attn %q, %c value_dim 512 mask causal scale 0.072
      : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xf8E4M3FN>
  return
}

//! mla_context_module gemm_dtype=bf16 kv_dtype=bf16
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168xbf16>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536xbf16>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %kv_b_w: tensor<$(heads_per_rank * 256)x512xbf16>,
    %q4: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>,
    %k4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
    %v4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)xbf16>) {
  %qkv_a = llm.matmul "qkv_a" %x, %qkv_a_w transpose_rhs : tensor<$(batch * q_len_tokens)x7168xbf16>, tensor<2112x7168xbf16>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b = llm.matmul "q_b" %q_c, %q_b_w transpose_rhs : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<$(heads_per_rank * 192)x1536xbf16>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %kv_b = llm.matmul "kv_b" %kv_c, %kv_b_w transpose_rhs : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<$(heads_per_rank * 256)x512xbf16>
  %attn = llm.gqa_attn "attn" %q4, %k4, %v4 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>
  %o = llm.matmul "o" %o4, %o_w transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>, tensor<7168x$(heads_per_rank * 128)xbf16>
  return
}

//! mla_context_module gemm_dtype=bf16 kv_dtype=fp8
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168xbf16>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536xbf16>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %kv_b_w: tensor<$(heads_per_rank * 256)x512xbf16>,
    %q4: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>,
    %k4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
    %v4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)xbf16>) {
  %qkv_a = llm.matmul "qkv_a" %x, %qkv_a_w transpose_rhs : tensor<$(batch * q_len_tokens)x7168xbf16>, tensor<2112x7168xbf16>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b = llm.matmul "q_b" %q_c, %q_b_w transpose_rhs : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<$(heads_per_rank * 192)x1536xbf16>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %kv_b = llm.matmul "kv_b" %kv_c, %kv_b_w transpose_rhs : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<$(heads_per_rank * 256)x512xbf16>
  %attn = llm.gqa_attn "attn" %q4, %k4, %v4 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>
  %o = llm.matmul "o" %o4, %o_w transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>, tensor<7168x$(heads_per_rank * 128)xbf16>
  return
}

//! mla_context_module gemm_dtype=fp8_block128 kv_dtype=bf16
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %kv_b_w: tensor<$(heads_per_rank * 256)x512x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %q4: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>,
    %k4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
    %v4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_a_q = llm.quantize "qkv_a.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x7168xbf16>
  %qkv_a = llm.matmul "qkv_a" %qkv_a_q, %qkv_a_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x7168x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b_q = llm.quantize "q_b.quantize" %q_c to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x1536xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %q_b_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x1536x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %kv_b_q = llm.quantize "kv_b.quantize" %kv_c to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x512xbf16>
  %kv_b = llm.matmul "kv_b" %kv_b_q, %kv_b_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x512x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 256)x512x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %attn = llm.gqa_attn "attn" %q4, %k4, %v4 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>
  %o_q = llm.quantize "o.quantize" %o4 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>
  %o = llm.matmul "o" %o_q, %o_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

//! mla_context_module gemm_dtype=fp8_block128 kv_dtype=fp8
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %kv_b_w: tensor<$(heads_per_rank * 256)x512x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %q4: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>,
    %k4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>,
    %v4: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_a_q = llm.quantize "qkv_a.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x7168xbf16>
  %qkv_a = llm.matmul "qkv_a" %qkv_a_q, %qkv_a_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x7168x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b_q = llm.quantize "q_b.quantize" %q_c to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x1536xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %q_b_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x1536x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %kv_b_q = llm.quantize "kv_b.quantize" %kv_c to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x512xbf16>
  %kv_b = llm.matmul "kv_b" %kv_b_q, %kv_b_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x512x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 256)x512x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %attn = llm.gqa_attn "attn" %q4, %k4, %v4 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x192xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank)x128xbf16>
  %o_q = llm.quantize "o.quantize" %o4 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>
  %o = llm.matmul "o" %o_q, %o_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

//! mla_generation_module gemm_dtype=bf16 kv_dtype=bf16
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168xbf16>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536xbf16>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %q3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %w_uk: tensor<$(heads_per_rank)x128x512xbf16>,
    %w_uv: tensor<$(heads_per_rank)x512x128xbf16>,
    %q5: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %c: tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>,
    %y3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)xbf16>) {
  %qkv_a = llm.matmul "qkv_a" %x, %qkv_a_w transpose_rhs : tensor<$(batch * q_len_tokens)x7168xbf16>, tensor<2112x7168xbf16>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b = llm.matmul "q_b" %q_c, %q_b_w transpose_rhs : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<$(heads_per_rank * 192)x1536xbf16>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %absorbed = llm.batch_matmul "q_absorb" %q3, %w_uk : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<$(heads_per_rank)x128x512xbf16>
  %attn = llm.mla_attn "attn" %q5, %c value_dim 512 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>
  %values = llm.batch_matmul "v_absorb" %y3, %w_uv : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x128xbf16>
  %o = llm.matmul "o" %o4, %o_w transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>, tensor<7168x$(heads_per_rank * 128)xbf16>
  return
}

//! mla_generation_module gemm_dtype=bf16 kv_dtype=fp8
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168xbf16>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536xbf16>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %q3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %w_uk: tensor<$(heads_per_rank)x128x512xbf16>,
    %w_uv: tensor<$(heads_per_rank)x512x128xbf16>,
    %q5: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %c: tensor<$(batch)x$(kv_len_tokens)x1x576xf8E4M3FN>,
    %y3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)xbf16>) {
  %qkv_a = llm.matmul "qkv_a" %x, %qkv_a_w transpose_rhs : tensor<$(batch * q_len_tokens)x7168xbf16>, tensor<2112x7168xbf16>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b = llm.matmul "q_b" %q_c, %q_b_w transpose_rhs : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<$(heads_per_rank * 192)x1536xbf16>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %absorbed = llm.batch_matmul "q_absorb" %q3, %w_uk : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<$(heads_per_rank)x128x512xbf16>
  %attn = llm.mla_attn "attn" %q5, %c value_dim 512 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xf8E4M3FN>
  %values = llm.batch_matmul "v_absorb" %y3, %w_uv : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x128xbf16>
  %o = llm.matmul "o" %o4, %o_w transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>, tensor<7168x$(heads_per_rank * 128)xbf16>
  return
}

//! mla_generation_module gemm_dtype=fp8_block128 kv_dtype=bf16
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %q3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %w_uk: tensor<$(heads_per_rank)x128x512xbf16>,
    %w_uv: tensor<$(heads_per_rank)x512x128xbf16>,
    %q5: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %c: tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>,
    %y3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_a_q = llm.quantize "qkv_a.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x7168xbf16>
  %qkv_a = llm.matmul "qkv_a" %qkv_a_q, %qkv_a_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x7168x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b_q = llm.quantize "q_b.quantize" %q_c to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x1536xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %q_b_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x1536x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), bf16 latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %absorbed = llm.batch_matmul "q_absorb" %q3, %w_uk : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<$(heads_per_rank)x128x512xbf16>
  %attn = llm.mla_attn "attn" %q5, %c value_dim 512 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>
  %values = llm.batch_matmul "v_absorb" %y3, %w_uv : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x128xbf16>
  %o_q = llm.quantize "o.quantize" %o4 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>
  %o = llm.matmul "o" %o_q, %o_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

//! mla_generation_module gemm_dtype=fp8_block128 kv_dtype=fp8
func.func @row(
    %x: tensor<$(batch * q_len_tokens)x7168xbf16>,
    %qkv_a_w: tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %q_norm: tensor<1536xbf16>,
    %kv_norm: tensor<512xbf16>,
    %q_b_w: tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %pe: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %new: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %q3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %w_uk: tensor<$(heads_per_rank)x128x512xbf16>,
    %w_uv: tensor<$(heads_per_rank)x512x128xbf16>,
    %q5: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %c: tensor<$(batch)x$(kv_len_tokens)x1x576xf8E4M3FN>,
    %y3: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %o4: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %o_w: tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_a_q = llm.quantize "qkv_a.quantize" %x to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x7168xbf16>
  %qkv_a = llm.matmul "qkv_a" %qkv_a_q, %qkv_a_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x7168x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<2112x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_a = tensor.extract_slice %qkv_a[0, 0] [$(batch * q_len_tokens), 1536] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x1536xbf16>
  %kv_a = tensor.extract_slice %qkv_a[0, 1536] [$(batch * q_len_tokens), 512] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x512xbf16>
  %k_pe = tensor.extract_slice %qkv_a[0, 2048] [$(batch * q_len_tokens), 64] [1, 1] : tensor<$(batch * q_len_tokens)x2112xbf16> to tensor<$(batch * q_len_tokens)x64xbf16>
  %q_c = llm.rmsnorm "q_norm" %q_a, %q_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1536xbf16>, tensor<1536xbf16>
  %kv_c = llm.rmsnorm "kv_norm" %kv_a, %kv_norm epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b_q = llm.quantize "q_b.quantize" %q_c to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x1536xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %q_b_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x1536x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 192)x1536x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %pe_r = llm.rope "rope" %pe at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %cache = llm.kv_cache "cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %written = llm.kv_write "kv_write" %cache, %new at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %absorbed = llm.batch_matmul "q_absorb" %q3, %w_uk : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<$(heads_per_rank)x128x512xbf16>
  %attn = llm.mla_attn "attn" %q5, %c value_dim 512 mask causal scale 0.072 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xf8E4M3FN>
  %values = llm.batch_matmul "v_absorb" %y3, %w_uv : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x128xbf16>
  %o_q = llm.quantize "o.quantize" %o4 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>
  %o = llm.matmul "o" %o_q, %o_w transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<7168x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}
