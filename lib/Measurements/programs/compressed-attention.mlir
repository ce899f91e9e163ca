// Attention over tokens and compressed entries (DeepSeek-V4-Flash, 2026): modules with entries of 4 tokens and an indexer (csa), and
// of 128 tokens (hca), without the norm before them: projections, compressors and their entries, caches of 8 bits, attention, and the
// grouped projection behind it. Each op has operands of its own, because only times count. What writes an entry is there at each
// step, as kernels run whether a window is closed or not. Kernels get the numbers of all entries that a query reads, also where none
// are selected. Positions are 128 more, which is a whole number of windows. The attention of hca alone stands behind the modules.

//! dsv4_csa_context_module gemm_dtype=bf16 kv_dtype=fp8
//! dsv4_csa_generation_module gemm_dtype=bf16 kv_dtype=fp8
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x4096xbf16>,
    %a2: tensor<1536x4096xbf16>,
    %a3: tensor<$(batch * q_len_tokens)x1024xbf16>,
    %a4: tensor<1024xbf16>,
    %a5: tensor<$(batch * q_len_tokens)x512xbf16>,
    %a6: tensor<512xbf16>,
    %a7: tensor<$(heads_per_rank * 512)x1024xbf16>,
    %a8: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a9: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x512xbf16>,
    %a11: tensor<2048x4096xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x1024xbf16>,
    %a13: tensor<4x1024xf32>,
    %a14: tensor<$(batch)x$(q_len_tokens ceildiv 4)x512xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x64xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x512xbf16>,
    %a17: tensor<512x4096xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x256xbf16>,
    %a19: tensor<4x256xf32>,
    %a20: tensor<$(batch)x$(q_len_tokens ceildiv 4)x128xbf16>,
    %a21: tensor<128xbf16>,
    %a22: tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x128xbf16>,
    %a23: tensor<8192x1024xbf16>,
    %a24: tensor<64x4096xbf16>,
    %a25: tensor<$(batch)x$(q_len_tokens)x64x64xbf16>,
    %a26: tensor<$(batch)x$(q_len_tokens)x64x128xbf16>,
    %a27: tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %a28: tensor<$(batch)x$(q_len_tokens)x64xbf16>,
    %a29: tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>,
    %a30: tensor<$(heads_per_rank)xf32>,
    %a31: tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x512xf8E4M3FN>,
    %a32: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>,
    %a33: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>,
    %a34: tensor<$(heads_per_rank ceildiv 8)x1024x4096xbf16>,
    %a35: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>,
    %a36: tensor<4096x$(heads_per_rank ceildiv 8 * 1024)xbf16>) {
  %qkv_a = llm.matmul "qkv_a" %a1, %a2 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<1536x4096xbf16>
  %q_norm = llm.rmsnorm "q_norm" %a3, %a4 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1024xbf16>, tensor<1024xbf16>
  %kv_norm = llm.rmsnorm "kv_norm" %a5, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b = llm.matmul "q_b" %a3, %a7 transpose_rhs : tensor<$(batch * q_len_tokens)x1024xbf16>, tensor<$(heads_per_rank * 512)x1024xbf16>
  %q_head_norm = llm.rmsnorm "q_head_norm" %a8 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>
  %rope = llm.rope "rope" %a9 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a10 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x512xbf16>
  %compressor = llm.matmul "compressor" %a1, %a11 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<2048x4096xbf16>
  %compressor_state = llm.state "compressor.state" : <batch = $(batch), 2x8x1024xbf16>
  llm.compress "compressor_pool" %a12, %a12 bias %a13 from %compressor_state at $(kv_len_tokens - q_len_tokens + 128) : tensor<$(batch)x$(q_len_tokens)x1024xbf16>, tensor<$(batch)x$(q_len_tokens)x1024xbf16>, tensor<4x1024xf32>, !llm.state<batch = $(batch), 2x8x1024xbf16>
  %compressor_norm = llm.rmsnorm "compressor_norm" %a14, %a6 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens ceildiv 4)x512xbf16>, tensor<512xbf16>
  %compressor_rope = llm.rope "compressor_rope" %a15 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x64xbf16>
  %compressor_write_cache = llm.kv_cache "compressor_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 4), f8E4M3FN latents>
  %compressor_write = llm.kv_write "compressor_write" %compressor_write_cache, %a16 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 4), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x512xbf16>
  %index_compressor = llm.matmul "index_compressor" %a1, %a17 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<512x4096xbf16>
  %index_compressor_state = llm.state "index_compressor.state" : <batch = $(batch), 2x8x256xbf16>
  llm.compress "index_compressor_pool" %a18, %a18 bias %a19 from %index_compressor_state at $(kv_len_tokens - q_len_tokens + 128) : tensor<$(batch)x$(q_len_tokens)x256xbf16>, tensor<$(batch)x$(q_len_tokens)x256xbf16>, tensor<4x256xf32>, !llm.state<batch = $(batch), 2x8x256xbf16>
  %index_compressor_norm = llm.rmsnorm "index_compressor_norm" %a20, %a21 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens ceildiv 4)x128xbf16>, tensor<128xbf16>
  %index_compressor_rope = llm.rope "index_compressor_rope" %a15 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x64xbf16>
  %index_compressor_write_cache = llm.kv_cache "index_compressor_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens ceildiv 4), !llm.block_scaled<f8E4M3FN, [128], f32> latents>
  %index_compressor_write = llm.kv_write "index_compressor_write" %index_compressor_write_cache, %a22 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens ceildiv 4), !llm.block_scaled<f8E4M3FN, [128], f32> latents>, tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x128xbf16>
  %index_q = llm.matmul "index_q" %a3, %a23 transpose_rhs : tensor<$(batch * q_len_tokens)x1024xbf16>, tensor<8192x1024xbf16>
  %index_weights = llm.matmul "index_weights" %a1, %a24 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<64x4096xbf16>
  %index_rope = llm.rope "index_rope" %a25 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens)x64x64xbf16>
  %index_queries_q = llm.quantize "index_queries.quantize" %a26 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch)x$(q_len_tokens)x64x128xbf16>
  %select = llm.select_keys "select" %index_queries_q, %a27 weights %a28 mask causal stride 4 lengths $(batch of 4 * (kv_len_tokens ceildiv 4)) scale 0.0110485 top 512 : tensor<$(batch)x$(q_len_tokens)x64x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x64xbf16>
  %attn = llm.compressed_attn "attn" %a8, %a29 sinks %a30 mask causal window 128 entries %a31 sees causal stride 4 lengths $(batch of 4 * (kv_len_tokens ceildiv 4)) selected %select scale 0.0441942 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>, tensor<$(heads_per_rank)xf32> entries tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x512xf8E4M3FN> selected tensor<$(batch)x$(q_len_tokens)x1x512xi32>
  %o_rope = llm.rope "o_rope" %a32 at 0 theta 160000.0 interleaved inverse : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>
  %o_a = llm.batch_matmul "o_a" %a33, %a34 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>, tensor<$(heads_per_rank ceildiv 8)x1024x4096xbf16>
  %o_b = llm.matmul "o_b" %a35, %a36 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>, tensor<4096x$(heads_per_rank ceildiv 8 * 1024)xbf16>
  return
}

//! dsv4_csa_context_module gemm_dtype=fp8_block128 kv_dtype=fp8
//! dsv4_csa_generation_module gemm_dtype=fp8_block128 kv_dtype=fp8
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x4096xbf16>,
    %a2: tensor<1536x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a3: tensor<$(batch * q_len_tokens)x1024xbf16>,
    %a4: tensor<1024xbf16>,
    %a5: tensor<$(batch * q_len_tokens)x512xbf16>,
    %a6: tensor<512xbf16>,
    %a7: tensor<$(heads_per_rank * 512)x1024x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a8: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a9: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x512xbf16>,
    %a11: tensor<2048x4096xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x1024xbf16>,
    %a13: tensor<4x1024xf32>,
    %a14: tensor<$(batch)x$(q_len_tokens ceildiv 4)x512xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x64xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x512xbf16>,
    %a17: tensor<512x4096xbf16>,
    %a18: tensor<$(batch)x$(q_len_tokens)x256xbf16>,
    %a19: tensor<4x256xf32>,
    %a20: tensor<$(batch)x$(q_len_tokens ceildiv 4)x128xbf16>,
    %a21: tensor<128xbf16>,
    %a22: tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x128xbf16>,
    %a23: tensor<8192x1024x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a24: tensor<64x4096xbf16>,
    %a25: tensor<$(batch)x$(q_len_tokens)x64x64xbf16>,
    %a26: tensor<$(batch)x$(q_len_tokens)x64x128xbf16>,
    %a27: tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %a28: tensor<$(batch)x$(q_len_tokens)x64xbf16>,
    %a29: tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>,
    %a30: tensor<$(heads_per_rank)xf32>,
    %a31: tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x512xf8E4M3FN>,
    %a32: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>,
    %a33: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>,
    %a34: tensor<$(heads_per_rank ceildiv 8)x1024x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a35: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>,
    %a36: tensor<4096x$(heads_per_rank ceildiv 8 * 1024)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_a_q = llm.quantize "qkv_a.quantize" %a1 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x4096xbf16>
  %qkv_a = llm.matmul "qkv_a" %qkv_a_q, %a2 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x4096x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<1536x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_norm = llm.rmsnorm "q_norm" %a3, %a4 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1024xbf16>, tensor<1024xbf16>
  %kv_norm = llm.rmsnorm "kv_norm" %a5, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b_q = llm.quantize "q_b.quantize" %a3 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x1024xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %a7 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x1024x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 512)x1024x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_head_norm = llm.rmsnorm "q_head_norm" %a8 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>
  %rope = llm.rope "rope" %a9 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a10 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x512xbf16>
  %compressor = llm.matmul "compressor" %a1, %a11 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<2048x4096xbf16>
  %compressor_state = llm.state "compressor.state" : <batch = $(batch), 2x8x1024xbf16>
  llm.compress "compressor_pool" %a12, %a12 bias %a13 from %compressor_state at $(kv_len_tokens - q_len_tokens + 128) : tensor<$(batch)x$(q_len_tokens)x1024xbf16>, tensor<$(batch)x$(q_len_tokens)x1024xbf16>, tensor<4x1024xf32>, !llm.state<batch = $(batch), 2x8x1024xbf16>
  %compressor_norm = llm.rmsnorm "compressor_norm" %a14, %a6 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens ceildiv 4)x512xbf16>, tensor<512xbf16>
  %compressor_rope = llm.rope "compressor_rope" %a15 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x64xbf16>
  %compressor_write_cache = llm.kv_cache "compressor_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 4), f8E4M3FN latents>
  %compressor_write = llm.kv_write "compressor_write" %compressor_write_cache, %a16 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 4), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x512xbf16>
  %index_compressor = llm.matmul "index_compressor" %a1, %a17 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<512x4096xbf16>
  %index_compressor_state = llm.state "index_compressor.state" : <batch = $(batch), 2x8x256xbf16>
  llm.compress "index_compressor_pool" %a18, %a18 bias %a19 from %index_compressor_state at $(kv_len_tokens - q_len_tokens + 128) : tensor<$(batch)x$(q_len_tokens)x256xbf16>, tensor<$(batch)x$(q_len_tokens)x256xbf16>, tensor<4x256xf32>, !llm.state<batch = $(batch), 2x8x256xbf16>
  %index_compressor_norm = llm.rmsnorm "index_compressor_norm" %a20, %a21 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens ceildiv 4)x128xbf16>, tensor<128xbf16>
  %index_compressor_rope = llm.rope "index_compressor_rope" %a15 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x64xbf16>
  %index_compressor_write_cache = llm.kv_cache "index_compressor_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens ceildiv 4), !llm.block_scaled<f8E4M3FN, [128], f32> latents>
  %index_compressor_write = llm.kv_write "index_compressor_write" %index_compressor_write_cache, %a22 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 128, capacity = $(kv_len_tokens ceildiv 4), !llm.block_scaled<f8E4M3FN, [128], f32> latents>, tensor<$(batch)x$(q_len_tokens ceildiv 4)x1x128xbf16>
  %index_q = llm.matmul "index_q" %q_b_q, %a23 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x1024x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<8192x1024x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %index_weights = llm.matmul "index_weights" %a1, %a24 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<64x4096xbf16>
  %index_rope = llm.rope "index_rope" %a25 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens)x64x64xbf16>
  %index_queries_q = llm.quantize "index_queries.quantize" %a26 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch)x$(q_len_tokens)x64x128xbf16>
  %select = llm.select_keys "select" %index_queries_q, %a27 weights %a28 mask causal stride 4 lengths $(batch of 4 * (kv_len_tokens ceildiv 4)) scale 0.0110485 top 512 : tensor<$(batch)x$(q_len_tokens)x64x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x64xbf16>
  %attn = llm.compressed_attn "attn" %a8, %a29 sinks %a30 mask causal window 128 entries %a31 sees causal stride 4 lengths $(batch of 4 * (kv_len_tokens ceildiv 4)) selected %select scale 0.0441942 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>, tensor<$(heads_per_rank)xf32> entries tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x512xf8E4M3FN> selected tensor<$(batch)x$(q_len_tokens)x1x512xi32>
  %o_rope = llm.rope "o_rope" %a32 at 0 theta 160000.0 interleaved inverse : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>
  %o_a = llm.batch_matmul "o_a" %a33, %a34 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>, tensor<$(heads_per_rank ceildiv 8)x1024x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %o_b_q = llm.quantize "o_b.quantize" %a35 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>
  %o_b = llm.matmul "o_b" %o_b_q, %a36 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<4096x$(heads_per_rank ceildiv 8 * 1024)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

//! dsv4_hca_context_module gemm_dtype=bf16 kv_dtype=fp8
//! dsv4_hca_generation_module gemm_dtype=bf16 kv_dtype=fp8
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x4096xbf16>,
    %a2: tensor<1536x4096xbf16>,
    %a3: tensor<$(batch * q_len_tokens)x1024xbf16>,
    %a4: tensor<1024xbf16>,
    %a5: tensor<$(batch * q_len_tokens)x512xbf16>,
    %a6: tensor<512xbf16>,
    %a7: tensor<$(heads_per_rank * 512)x1024xbf16>,
    %a8: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a9: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x512xbf16>,
    %a11: tensor<1024x4096xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x512xbf16>,
    %a13: tensor<128x512xf32>,
    %a14: tensor<$(batch)x$(q_len_tokens ceildiv 128)x512xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x64xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x512xbf16>,
    %a17: tensor<$(batch)x$(q_len_tokens)x1x$(kv_len_tokens ceildiv 128)xi32>,
    %a18: tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>,
    %a19: tensor<$(heads_per_rank)xf32>,
    %a20: tensor<$(batch)x$(kv_len_tokens ceildiv 128)x1x512xf8E4M3FN>,
    %a21: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>,
    %a22: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>,
    %a23: tensor<$(heads_per_rank ceildiv 8)x1024x4096xbf16>,
    %a24: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>,
    %a25: tensor<4096x$(heads_per_rank ceildiv 8 * 1024)xbf16>) {
  %qkv_a = llm.matmul "qkv_a" %a1, %a2 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<1536x4096xbf16>
  %q_norm = llm.rmsnorm "q_norm" %a3, %a4 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1024xbf16>, tensor<1024xbf16>
  %kv_norm = llm.rmsnorm "kv_norm" %a5, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b = llm.matmul "q_b" %a3, %a7 transpose_rhs : tensor<$(batch * q_len_tokens)x1024xbf16>, tensor<$(heads_per_rank * 512)x1024xbf16>
  %q_head_norm = llm.rmsnorm "q_head_norm" %a8 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>
  %rope = llm.rope "rope" %a9 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a10 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x512xbf16>
  %compressor = llm.matmul "compressor" %a1, %a11 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<1024x4096xbf16>
  %compressor_state = llm.state "compressor.state" : <batch = $(batch), 2x128x512xbf16>
  llm.compress "compressor_pool" %a12, %a12 bias %a13 from %compressor_state at $(kv_len_tokens - q_len_tokens + 128) : tensor<$(batch)x$(q_len_tokens)x512xbf16>, tensor<$(batch)x$(q_len_tokens)x512xbf16>, tensor<128x512xf32>, !llm.state<batch = $(batch), 2x128x512xbf16>
  %compressor_norm = llm.rmsnorm "compressor_norm" %a14, %a6 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens ceildiv 128)x512xbf16>, tensor<512xbf16>
  %compressor_rope = llm.rope "compressor_rope" %a15 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x64xbf16>
  %compressor_write_cache = llm.kv_cache "compressor_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 128), f8E4M3FN latents>
  %compressor_write = llm.kv_write "compressor_write" %compressor_write_cache, %a16 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 128), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x512xbf16>
  %attn = llm.compressed_attn "attn" %a8, %a18 sinks %a19 mask causal window 128 entries %a20 sees causal stride 128 lengths $(batch of 128 * (kv_len_tokens ceildiv 128)) selected %a17 scale 0.0441942 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>, tensor<$(heads_per_rank)xf32> entries tensor<$(batch)x$(kv_len_tokens ceildiv 128)x1x512xf8E4M3FN> selected tensor<$(batch)x$(q_len_tokens)x1x$(kv_len_tokens ceildiv 128)xi32>
  %o_rope = llm.rope "o_rope" %a21 at 0 theta 160000.0 interleaved inverse : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>
  %o_a = llm.batch_matmul "o_a" %a22, %a23 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>, tensor<$(heads_per_rank ceildiv 8)x1024x4096xbf16>
  %o_b = llm.matmul "o_b" %a24, %a25 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>, tensor<4096x$(heads_per_rank ceildiv 8 * 1024)xbf16>
  return
}

//! dsv4_hca_context_module gemm_dtype=fp8_block128 kv_dtype=fp8
//! dsv4_hca_generation_module gemm_dtype=fp8_block128 kv_dtype=fp8
func.func @row(
    %a1: tensor<$(batch * q_len_tokens)x4096xbf16>,
    %a2: tensor<1536x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a3: tensor<$(batch * q_len_tokens)x1024xbf16>,
    %a4: tensor<1024xbf16>,
    %a5: tensor<$(batch * q_len_tokens)x512xbf16>,
    %a6: tensor<512xbf16>,
    %a7: tensor<$(heads_per_rank * 512)x1024x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a8: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a9: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>,
    %a10: tensor<$(batch)x$(q_len_tokens)x1x512xbf16>,
    %a11: tensor<1024x4096xbf16>,
    %a12: tensor<$(batch)x$(q_len_tokens)x512xbf16>,
    %a13: tensor<128x512xf32>,
    %a14: tensor<$(batch)x$(q_len_tokens ceildiv 128)x512xbf16>,
    %a15: tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x64xbf16>,
    %a16: tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x512xbf16>,
    %a17: tensor<$(batch)x$(q_len_tokens)x1x$(kv_len_tokens ceildiv 128)xi32>,
    %a18: tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>,
    %a19: tensor<$(heads_per_rank)xf32>,
    %a20: tensor<$(batch)x$(kv_len_tokens ceildiv 128)x1x512xf8E4M3FN>,
    %a21: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>,
    %a22: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>,
    %a23: tensor<$(heads_per_rank ceildiv 8)x1024x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>,
    %a24: tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>,
    %a25: tensor<4096x$(heads_per_rank ceildiv 8 * 1024)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>) {
  %qkv_a_q = llm.quantize "qkv_a.quantize" %a1 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x4096xbf16>
  %qkv_a = llm.matmul "qkv_a" %qkv_a_q, %a2 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x4096x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<1536x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_norm = llm.rmsnorm "q_norm" %a3, %a4 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x1024xbf16>, tensor<1024xbf16>
  %kv_norm = llm.rmsnorm "kv_norm" %a5, %a6 epsilon 1.0e-6 : tensor<$(batch * q_len_tokens)x512xbf16>, tensor<512xbf16>
  %q_b_q = llm.quantize "q_b.quantize" %a3 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x1024xbf16>
  %q_b = llm.matmul "q_b" %q_b_q, %a7 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x1024x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(heads_per_rank * 512)x1024x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %q_head_norm = llm.rmsnorm "q_head_norm" %a8 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>
  %rope = llm.rope "rope" %a9 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank + 1)x64xbf16>
  %kv_write_cache = llm.kv_cache "kv_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>
  %kv_write = llm.kv_write "kv_write" %kv_write_cache, %a10 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens)x1x512xbf16>
  %compressor = llm.matmul "compressor" %a1, %a11 transpose_rhs : tensor<$(batch * q_len_tokens)x4096xbf16>, tensor<1024x4096xbf16>
  %compressor_state = llm.state "compressor.state" : <batch = $(batch), 2x128x512xbf16>
  llm.compress "compressor_pool" %a12, %a12 bias %a13 from %compressor_state at $(kv_len_tokens - q_len_tokens + 128) : tensor<$(batch)x$(q_len_tokens)x512xbf16>, tensor<$(batch)x$(q_len_tokens)x512xbf16>, tensor<128x512xf32>, !llm.state<batch = $(batch), 2x128x512xbf16>
  %compressor_norm = llm.rmsnorm "compressor_norm" %a14, %a6 epsilon 1.0e-6 : tensor<$(batch)x$(q_len_tokens ceildiv 128)x512xbf16>, tensor<512xbf16>
  %compressor_rope = llm.rope "compressor_rope" %a15 at 0 theta 160000.0 interleaved : tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x64xbf16>
  %compressor_write_cache = llm.kv_cache "compressor_write.cache" : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 128), f8E4M3FN latents>
  %compressor_write = llm.kv_write "compressor_write" %compressor_write_cache, %a16 at 0 : <batch = $(batch), kv_heads = 1, head_dim = 512, capacity = $(kv_len_tokens ceildiv 128), f8E4M3FN latents>, tensor<$(batch)x$(q_len_tokens ceildiv 128)x1x512xbf16>
  %attn = llm.compressed_attn "attn" %a8, %a18 sinks %a19 mask causal window 128 entries %a20 sees causal stride 128 lengths $(batch of 128 * (kv_len_tokens ceildiv 128)) selected %a17 scale 0.0441942 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>, tensor<$(heads_per_rank)xf32> entries tensor<$(batch)x$(kv_len_tokens ceildiv 128)x1x512xf8E4M3FN> selected tensor<$(batch)x$(q_len_tokens)x1x$(kv_len_tokens ceildiv 128)xi32>
  %o_rope = llm.rope "o_rope" %a21 at 0 theta 160000.0 interleaved inverse : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x64xbf16>
  %o_a = llm.batch_matmul "o_a" %a22, %a23 transpose_rhs : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8)x4096xbf16>, tensor<$(heads_per_rank ceildiv 8)x1024x4096x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  %o_b_q = llm.quantize "o_b.quantize" %a24 to !llm.block_scaled<f8E4M3FN, [128], f32> : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)xbf16>
  %o_b = llm.matmul "o_b" %o_b_q, %a25 transpose_rhs to bf16 : tensor<$(batch * q_len_tokens)x$(heads_per_rank ceildiv 8 * 1024)x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<4096x$(heads_per_rank ceildiv 8 * 1024)x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>
  return
}

//! dsv4_hca_attn_module kv_dtype=fp8
func.func @row(
    %a1: tensor<$(batch)x$(q_len_tokens)x1x$(kv_len_tokens ceildiv 128)xi32>,
    %a2: tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>,
    %a3: tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>,
    %a4: tensor<$(heads_per_rank)xf32>,
    %a5: tensor<$(batch)x$(kv_len_tokens ceildiv 128)x1x512xf8E4M3FN>) {
  %attn = llm.compressed_attn "attn" %a2, %a3 sinks %a4 mask causal window 128 entries %a5 sees causal stride 128 lengths $(batch of 128 * (kv_len_tokens ceildiv 128)) selected %a1 scale 0.0441942 : tensor<$(batch)x$(q_len_tokens)x$(heads_per_rank)x512xbf16>, tensor<$(batch)x$(q_len_tokens + 127)x1x512xf8E4M3FN>, tensor<$(heads_per_rank)xf32> entries tensor<$(batch)x$(kv_len_tokens ceildiv 128)x1x512xf8E4M3FN> selected tensor<$(batch)x$(q_len_tokens)x1x$(kv_len_tokens ceildiv 128)xi32>
  return
}
