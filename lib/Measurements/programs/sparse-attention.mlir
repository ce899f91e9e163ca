// Sparse attention: modules of DeepSeek Sparse Attention (dsa: DeepSeek-V3.2 and GLM-5) and of MiniMax-M3 (msa), without the norm
// before them: projections, the indexer and its cache, the keys that it selects, and attention to these. Each op has operands of
// its own, because only times count. SGLang's rows of dsa leave out the projections to latents and the norms behind them.

//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=bf16 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x$(hidden)xbf16>,
    %a2: tensor<$(q_rank + 576)x$(hidden)xbf16>,
    %a3: tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>,
    %a4: tensor<$(q_rank)xbf16>,
    %a5: tensor<$(batch * q_len_tokens)x512xbf16>,
    %a6: tensor<512xbf16>,
    %a7: tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>,
    %a8: tensor<$(heads_per_rank * (nope + 64))x$(q_rank)xbf16>,
    %a9: tensor<128x$(hidden)xbf16>,
    %a10: tensor<$(batch * q_len_tokens)x128xbf16>,
    %a11: tensor<128xbf16>,
    %a12: tensor<$(index_heads * 128)x$(q_rank)xbf16>,
    %a13: tensor<$(index_heads)x$(hidden)xbf16>,
    %a14: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>,
    %a17: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>,
    %a19: tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %a20: tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>,
    %a21: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>,
    %a22: tensor<$(heads_per_rank)x$(nope)x512xbf16>,
    %a23: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %a24: tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)>,
    %a25: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a26: tensor<$(heads_per_rank)x512x$(value)xbf16>,
    %a27: tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>,
    %a28: tensor<$(hidden)x$(heads_per_rank * value)xbf16>) {
  %qkv_a = llm.matmul "qkv_a" %a1, %a2 transpose_rhs : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>, tensor<$(q_rank + 576)x$(hidden)xbf16>
  %q_norm = llm.rmsnorm "q_norm" %a3, %a4 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>, tensor<$(q_rank)xbf16>
  %kv_norm = llm.rmsnorm "kv_norm" %a5, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b = llm.matmul "q_b" %a7, %a8 transpose_rhs : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>, tensor<$(heads_per_rank * (nope + 64))x$(q_rank)xbf16>
  %index_k = llm.matmul "index_k" %a1, %a9 transpose_rhs : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>, tensor<128x$(hidden)xbf16>
  %index_k_norm = llm.layernorm "index_k_norm" %a10, %a11, %a11 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x128xbf16>, tensor<128xbf16>, tensor<128xbf16>
  %index_q = llm.matmul "index_q" %a7, %a12 transpose_rhs : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>, tensor<$(index_heads * 128)x$(q_rank)xbf16>
  %index_weights = llm.matmul "index_weights" %a1, %a13 transpose_rhs : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>, tensor<$(index_heads)x$(hidden)xbf16>
  %rope = llm.rope "rope" %a14 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a15 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %index_rope = llm.rope "index_rope" %a16 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>
  %index_write_cache = llm.kv_cache "index_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>
  %index_write = llm.kv_write "index_write" %index_write_cache, %a17 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>, tensor<$(batch)x$(q_len_tokens)x1x128xbf16>
  %index_queries_q = llm.quantize "index_queries.quantize" %a18 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>
  %select = llm.select_keys "select" %index_queries_q, %a19 weights %a20 mask causal scale 0.0110485 top 2048 : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>
  %q_absorb = llm.batch_matmul "q_absorb" %a21, %a22 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>, tensor<$(heads_per_rank)x$(nope)x512xbf16>
  %attn = llm.mla_attn "attn" %a23, %a24 value_dim 512 selected %select mask causal scale 0.0721688 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)> selected tensor<$(batch)x$(q_len_tokens)x1x2048xi32>
  %v_absorb = llm.batch_matmul "v_absorb" %a25, %a26 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x$(value)xbf16>
  %o = llm.matmul "o" %a27, %a28 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>, tensor<$(hidden)x$(heads_per_rank * value)xbf16>
  return
}

//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=bf16 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x$(hidden)xbf16>,
    %a2: tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>,
    %a3: tensor<$(heads_per_rank * (nope + 64))x$(q_rank)xbf16>,
    %a4: tensor<128x$(hidden)xbf16>,
    %a5: tensor<$(batch * q_len_tokens)x128xbf16>,
    %a6: tensor<128xbf16>,
    %a7: tensor<$(index_heads * 128)x$(q_rank)xbf16>,
    %a8: tensor<$(index_heads)x$(hidden)xbf16>,
    %a9: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %a11: tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a13: tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>,
    %a14: tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %a15: tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>,
    %a16: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>,
    %a17: tensor<$(heads_per_rank)x$(nope)x512xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %a19: tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)>,
    %a20: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a21: tensor<$(heads_per_rank)x512x$(value)xbf16>,
    %a22: tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>,
    %a23: tensor<$(hidden)x$(heads_per_rank * value)xbf16>) {
  %q_b = llm.matmul "q_b" %a2, %a3 transpose_rhs : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>, tensor<$(heads_per_rank * (nope + 64))x$(q_rank)xbf16>
  %index_k = llm.matmul "index_k" %a1, %a4 transpose_rhs : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>, tensor<128x$(hidden)xbf16>
  %index_k_norm = llm.layernorm "index_k_norm" %a5, %a6, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x128xbf16>, tensor<128xbf16>, tensor<128xbf16>
  %index_q = llm.matmul "index_q" %a2, %a7 transpose_rhs : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>, tensor<$(index_heads * 128)x$(q_rank)xbf16>
  %index_weights = llm.matmul "index_weights" %a1, %a8 transpose_rhs : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>, tensor<$(index_heads)x$(hidden)xbf16>
  %rope = llm.rope "rope" %a9 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a10 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %index_rope = llm.rope "index_rope" %a11 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>
  %index_write_cache = llm.kv_cache "index_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>
  %index_write = llm.kv_write "index_write" %index_write_cache, %a12 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>, tensor<$(batch)x$(q_len_tokens)x1x128xbf16>
  %index_queries_q = llm.quantize "index_queries.quantize" %a13 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>
  %select = llm.select_keys "select" %index_queries_q, %a14 weights %a15 mask causal scale 0.0110485 top 2048 : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>
  %q_absorb = llm.batch_matmul "q_absorb" %a16, %a17 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>, tensor<$(heads_per_rank)x$(nope)x512xbf16>
  %attn = llm.mla_attn "attn" %a18, %a19 value_dim 512 selected %select mask causal scale 0.0721688 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)> selected tensor<$(batch)x$(q_len_tokens)x1x2048xi32>
  %v_absorb = llm.batch_matmul "v_absorb" %a20, %a21 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x$(value)xbf16>
  %o = llm.matmul "o" %a22, %a23 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>, tensor<$(hidden)x$(heads_per_rank * value)xbf16>
  return
}

//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_context_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_generation_module backend=vllm_0.24.0_FLASHMLA_SPARSE gemm_dtype=fp8_block128 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x$(hidden)xbf16>,
    %a2: tensor<$(q_rank + 576)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a3: tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>,
    %a4: tensor<$(q_rank)xbf16>,
    %a5: tensor<$(batch * q_len_tokens)x512xbf16>,
    %a6: tensor<512xbf16>,
    %a7: tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>,
    %a8: tensor<$(heads_per_rank * (nope + 64))x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a9: tensor<128x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a10: tensor<$(batch * q_len_tokens)x128xbf16>,
    %a11: tensor<128xbf16>,
    %a12: tensor<$(index_heads * 128)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a13: tensor<$(index_heads)x$(hidden)xbf16>,
    %a14: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>,
    %a17: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>,
    %a19: tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %a20: tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>,
    %a21: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>,
    %a22: tensor<$(heads_per_rank)x$(nope)x512xbf16>,
    %a23: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %a24: tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)>,
    %a25: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a26: tensor<$(heads_per_rank)x512x$(value)xbf16>,
    %a27: tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>,
    %a28: tensor<$(hidden)x$(heads_per_rank * value)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_a_q = llm.quantize "qkv_a.quantize" %a1 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>
  %qkv_a = llm.matmul "qkv_a" %qkv_a_q, %a2 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(q_rank + 576)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_norm = llm.rmsnorm "q_norm" %a3, %a4 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>, tensor<$(q_rank)xbf16>
  %kv_norm = llm.rmsnorm "kv_norm" %a5, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b_q = llm.quantize "q_b.quantize" %a7 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %a8 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * (nope + 64))x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_k = llm.matmul "index_k" %qkv_a_q, %a9 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<128x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_k_norm = llm.layernorm "index_k_norm" %a10, %a11, %a11 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x128xbf16>, tensor<128xbf16>, tensor<128xbf16>
  %index_q = llm.matmul "index_q" %q_b_q, %a12 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(index_heads * 128)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_weights = llm.matmul "index_weights" %a1, %a13 transpose_rhs : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>, tensor<$(index_heads)x$(hidden)xbf16>
  %rope = llm.rope "rope" %a14 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a15 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %index_rope = llm.rope "index_rope" %a16 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>
  %index_write_cache = llm.kv_cache "index_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>
  %index_write = llm.kv_write "index_write" %index_write_cache, %a17 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>, tensor<$(batch)x$(q_len_tokens)x1x128xbf16>
  %index_queries_q = llm.quantize "index_queries.quantize" %a18 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>
  %select = llm.select_keys "select" %index_queries_q, %a19 weights %a20 mask causal scale 0.0110485 top 2048 : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>
  %q_absorb = llm.batch_matmul "q_absorb" %a21, %a22 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>, tensor<$(heads_per_rank)x$(nope)x512xbf16>
  %attn = llm.mla_attn "attn" %a23, %a24 value_dim 512 selected %select mask causal scale 0.0721688 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)> selected tensor<$(batch)x$(q_len_tokens)x1x2048xi32>
  %v_absorb = llm.batch_matmul "v_absorb" %a25, %a26 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x$(value)xbf16>
  %o_q = llm.quantize "o.quantize" %a27 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>
  %o = llm.matmul "o" %o_q, %a28 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(hidden)x$(heads_per_rank * value)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_context_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=bf16 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=bf16
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=bf16 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=bf16
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=fp8 model=zai-org/GLM-5|zai-org/GLM-5-FP8 with hidden=6144 q_rank=2048 nope=192 value=256 index_heads=32 cache=f8E4M3FN
//! dsa_generation_module backend=sglang_0.5.14_dsa_indexer_fa3|sglang_0.5.14_dsa_indexer_flashmla_kv|sglang_0.5.14_dsa_indexer_flashmla_sparse gemm_dtype=fp8_block128 kv_dtype=fp8 model=deepseek-ai/DeepSeek-V3.2 with hidden=7168 q_rank=1536 nope=128 value=128 index_heads=64 cache=f8E4M3FN
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x$(hidden)xbf16>,
    %a2: tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>,
    %a3: tensor<$(heads_per_rank * (nope + 64))x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a4: tensor<128x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a5: tensor<$(batch * q_len_tokens)x128xbf16>,
    %a6: tensor<128xbf16>,
    %a7: tensor<$(index_heads * 128)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a8: tensor<$(index_heads)x$(hidden)xbf16>,
    %a9: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x576xbf16>,
    %a11: tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a13: tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>,
    %a14: tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %a15: tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>,
    %a16: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>,
    %a17: tensor<$(heads_per_rank)x$(nope)x512xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>,
    %a19: tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)>,
    %a20: tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a21: tensor<$(heads_per_rank)x512x$(value)xbf16>,
    %a22: tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>,
    %a23: tensor<$(hidden)x$(heads_per_rank * value)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %q_b_q = llm.quantize "q_b.quantize" %a2 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(q_rank)xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %a3 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * (nope + 64))x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_k_q = llm.quantize "index_k.quantize" %a1 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>
  %index_k = llm.matmul "index_k" %index_k_q, %a4 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(hidden)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<128x$(hidden)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_k_norm = llm.layernorm "index_k_norm" %a5, %a6, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x128xbf16>, tensor<128xbf16>, tensor<128xbf16>
  %index_q = llm.matmul "index_q" %q_b_q, %a7 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(index_heads * 128)x$(q_rank)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_weights = llm.matmul "index_weights" %a1, %a8 transpose_rhs : tensor<$(batch * q_len_tokens)x$(hidden)xbf16>, tensor<$(index_heads)x$(hidden)xbf16>
  %rope = llm.rope "rope" %a9 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a10 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 576, capacity = $(kv_len_tokens), $(cache) latents>, tensor<$(batch)x$(q_len_tokens)x1x576xbf16>
  %index_rope = llm.rope "index_rope" %a11 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(index_heads + 1)x64xbf16>
  %index_write_cache = llm.kv_cache "index_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>
  %index_write = llm.kv_write "index_write" %index_write_cache, %a12 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), !llm.block_scaled<f8E4M3FN, [128], f32> latents>, tensor<$(batch)x$(q_len_tokens)x1x128xbf16>
  %index_queries_q = llm.quantize "index_queries.quantize" %a13 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128xbf16>
  %select = llm.select_keys "select" %index_queries_q, %a14 weights %a15 mask causal scale 0.0110485 top 2048 : tensor<$(batch)x$(q_len_tokens)x$(index_heads)x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x$(index_heads)xbf16>
  %q_absorb = llm.batch_matmul "q_absorb" %a16, %a17 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x$(nope)xbf16>, tensor<$(heads_per_rank)x$(nope)x512xbf16>
  %attn = llm.mla_attn "attn" %a18, %a19 value_dim 512 selected %select mask causal scale 0.0721688 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576x$(cache)> selected tensor<$(batch)x$(q_len_tokens)x1x2048xi32>
  %v_absorb = llm.batch_matmul "v_absorb" %a20, %a21 : tensor<$(batch * q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(heads_per_rank)x512x$(value)xbf16>
  %o_q = llm.quantize "o.quantize" %a22 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)xbf16>
  %o = llm.matmul "o" %o_q, %a23 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank * value)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(hidden)x$(heads_per_rank * value)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

//! msa_context_module gemm_dtype=bf16 kv_dtype=bf16 with cache=bf16
//! msa_context_module gemm_dtype=bf16 kv_dtype=fp8 with cache=f8E4M3FN
//! msa_generation_module gemm_dtype=bf16 kv_dtype=bf16 with cache=bf16
//! msa_generation_module gemm_dtype=bf16 kv_dtype=fp8 with cache=f8E4M3FN
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x6144xbf16>,
    %a2: tensor<$(heads_per_rank * 128 + (heads_per_rank ceildiv 16) * 256)x6144xbf16>,
    %a3: tensor<$((heads_per_rank ceildiv 16) * 128 + 128)x6144xbf16>,
    %a4: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %a5: tensor<128xbf16>,
    %a6: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a7: tensor<128xbf16>,
    %a8: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a9: tensor<128xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a11: tensor<128xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + heads_per_rank ceildiv 16)x64xbf16>,
    %a13: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16 + 1)x64xbf16>,
    %a14: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a17: tensor<$(batch)x$(kv_len_tokens)x1x128xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %a19: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)>,
    %a20: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)>,
    %a21: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %a22: tensor<6144x$(heads_per_rank * 128)xbf16>) {
  %qkv = llm.matmul "qkv" %a1, %a2 transpose_rhs : tensor<$(batch * q_len_tokens)x6144xbf16>, tensor<$(heads_per_rank * 128 + (heads_per_rank ceildiv 16) * 256)x6144xbf16>
  %index_qk = llm.matmul "index_qk" %a1, %a3 transpose_rhs : tensor<$(batch * q_len_tokens)x6144xbf16>, tensor<$((heads_per_rank ceildiv 16) * 128 + 128)x6144xbf16>
  %q_norm = llm.rmsnorm "q_norm" %a4, %a5 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<128xbf16>
  %k_norm = llm.rmsnorm "k_norm" %a6, %a7 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<128xbf16>
  %index_q_norm = llm.rmsnorm "index_q_norm" %a8, %a9 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<128xbf16>
  %index_k_norm = llm.rmsnorm "index_k_norm" %a10, %a11 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x1x128xbf16>, tensor<128xbf16>
  %rope = llm.rope "rope" %a12 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + heads_per_rank ceildiv 16)x64xbf16>
  %index_rope = llm.rope "index_rope" %a13 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16 + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = $(heads_per_rank ceildiv 16), head_dim = 128, capacity = $(kv_len_tokens), $(cache)>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a14, %a14 at 0 : <batch = $(batch), kv_heads = $(heads_per_rank ceildiv 16), head_dim = 128, capacity = $(kv_len_tokens), $(cache)>, tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>
  %index_write_cache = llm.kv_cache "index_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), bf16 latents>
  %index_write = llm.kv_write "index_write" %index_write_cache, %a15 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), bf16 latents>, tensor<$(batch)x$(q_len_tokens)x1x128xbf16>
  %select = llm.select_keys "select" %a16, %a17 mask causal scale 0.0883883 top 16 block 128 local 1 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x128xbf16>
  %attn = llm.gqa_attn "attn" %a18, %a19, %a20 selected %select block 128 mask causal scale 0.0883883 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)> selected tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x16xi32>
  %o = llm.matmul "o" %a21, %a22 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>, tensor<6144x$(heads_per_rank * 128)xbf16>
  return
}

//! msa_context_module gemm_dtype=fp8_block128 kv_dtype=bf16 with cache=bf16
//! msa_context_module gemm_dtype=fp8_block128 kv_dtype=fp8 with cache=f8E4M3FN
//! msa_generation_module gemm_dtype=fp8_block128 kv_dtype=bf16 with cache=bf16
//! msa_generation_module gemm_dtype=fp8_block128 kv_dtype=fp8 with cache=f8E4M3FN
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x6144xbf16>,
    %a2: tensor<$(heads_per_rank * 128 + (heads_per_rank ceildiv 16) * 256)x6144x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a3: tensor<$((heads_per_rank ceildiv 16) * 128 + 128)x6144xbf16>,
    %a4: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %a5: tensor<128xbf16>,
    %a6: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a7: tensor<128xbf16>,
    %a8: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a9: tensor<128xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a11: tensor<128xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + heads_per_rank ceildiv 16)x64xbf16>,
    %a13: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16 + 1)x64xbf16>,
    %a14: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens)x1x128xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>,
    %a17: tensor<$(batch)x$(kv_len_tokens)x1x128xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>,
    %a19: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)>,
    %a20: tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)>,
    %a21: tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>,
    %a22: tensor<6144x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_q = llm.quantize "qkv.quantize" %a1 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x6144xbf16>
  %qkv = llm.matmul "qkv" %qkv_q, %a2 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x6144x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 128 + (heads_per_rank ceildiv 16) * 256)x6144x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_qk = llm.matmul "index_qk" %a1, %a3 transpose_rhs : tensor<$(batch * q_len_tokens)x6144xbf16>, tensor<$((heads_per_rank ceildiv 16) * 128 + 128)x6144xbf16>
  %q_norm = llm.rmsnorm "q_norm" %a4, %a5 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<128xbf16>
  %k_norm = llm.rmsnorm "k_norm" %a6, %a7 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<128xbf16>
  %index_q_norm = llm.rmsnorm "index_q_norm" %a8, %a9 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<128xbf16>
  %index_k_norm = llm.rmsnorm "index_k_norm" %a10, %a11 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x1x128xbf16>, tensor<128xbf16>
  %rope = llm.rope "rope" %a12 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + heads_per_rank ceildiv 16)x64xbf16>
  %index_rope = llm.rope "index_rope" %a13 at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16 + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = $(heads_per_rank ceildiv 16), head_dim = 128, capacity = $(kv_len_tokens), $(cache)>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a14, %a14 at 0 : <batch = $(batch), kv_heads = $(heads_per_rank ceildiv 16), head_dim = 128, capacity = $(kv_len_tokens), $(cache)>, tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>
  %index_write_cache = llm.kv_cache "index_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), bf16 latents>
  %index_write = llm.kv_write "index_write" %index_write_cache, %a15 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens), bf16 latents>, tensor<$(batch)x$(q_len_tokens)x1x128xbf16>
  %select = llm.select_keys "select" %a16, %a17 mask causal scale 0.0883883 top 16 block 128 local 1 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x128xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x128xbf16>
  %attn = llm.gqa_attn "attn" %a18, %a19, %a20 selected %select block 128 mask causal scale 0.0883883 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x128xbf16>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)>, tensor<$(batch)x$(kv_len_tokens)x$(heads_per_rank ceildiv 16)x128x$(cache)> selected tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank ceildiv 16)x16xi32>
  %o_q = llm.quantize "o.quantize" %a21 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)xbf16>
  %o = llm.matmul "o" %o_q, %a22 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<6144x$(heads_per_rank * 128)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

// Attention to the keys that an indexer has selected, alone.

//! glm5_dsa_attn_module
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, %latents: tensor<$(batch)x$(kv_len_tokens)x1x576xbf16>,
    %selected: tensor<$(batch)x$(q_len_tokens)x1x2048xi32>) {
  %attn = llm.mla_attn "attn" %q, %latents value_dim 512 selected %selected mask causal scale 0.0625
      : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x576xbf16>, tensor<$(batch)x$(kv_len_tokens)x1x576xbf16> selected tensor<$(batch)x$(q_len_tokens)x1x2048xi32>
  return
}
