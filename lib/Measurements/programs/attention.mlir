// What serving frameworks run beside attention and the write of its cache.

// Keys and values of different lengths are written one by one (SGLang, memory_pool.py: `k_buffer[loc] = cache_k`), where others have
// one kernel for both. Each of these indexed writes takes about two kernels' time.
//! beside attention_prefill backend=sglang_0.5.14_fa3 head_dim=192 v_head_dim=128
//! beside attention_decode backend=sglang_0.5.14_fa3 head_dim=192 v_head_dim=128
func.func @row(%k: tensor<$(batch * q_len_tokens)x$(kv_heads * head_dim)xbf16>,
    %v: tensor<$(batch * q_len_tokens)x$(kv_heads * v_head_dim)xbf16>) {
  %keys = linalg.copy ins(%k : tensor<$(batch * q_len_tokens)x$(kv_heads * head_dim)xbf16>)
      outs(%k : tensor<$(batch * q_len_tokens)x$(kv_heads * head_dim)xbf16>) -> tensor<$(batch * q_len_tokens)x$(kv_heads * head_dim)xbf16>
  %values = linalg.copy ins(%v : tensor<$(batch * q_len_tokens)x$(kv_heads * v_head_dim)xbf16>)
      outs(%v : tensor<$(batch * q_len_tokens)x$(kv_heads * v_head_dim)xbf16>) -> tensor<$(batch * q_len_tokens)x$(kv_heads * v_head_dim)xbf16>
  return
}

// Queries become 8-bit, as their cache is, in a kernel of their own (vLLM: scaled_fp8_quant; SGLang: `q.to(kv_cache_dtype)`).
//! beside attention_prefill backend=vllm_0.24.0_flash_attn_fa3|sglang_0.5.14_fa3|sglang_0.5.14_trtllm_mha kv_dtype=fp8
//! beside attention_decode backend=vllm_0.24.0_flash_attn_fa3|sglang_0.5.14_fa3|sglang_0.5.14_trtllm_mha kv_dtype=fp8
func.func @row(%q: tensor<$(batch * q_len_tokens)x$(heads * head_dim)xbf16>,
    %narrow: tensor<$(batch * q_len_tokens)x$(heads * head_dim)xf8E4M3FN>) {
  %converted = linalg.generic {
      indexing_maps = [affine_map<(m, d) -> (m, d)>, affine_map<(m, d) -> (m, d)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<$(batch * q_len_tokens)x$(heads * head_dim)xbf16>)
      outs(%narrow : tensor<$(batch * q_len_tokens)x$(heads * head_dim)xf8E4M3FN>) {
    ^bb0(%a: bf16, %b: f8E4M3FN):
      %e = arith.truncf %a : bf16 to f8E4M3FN
      linalg.yield %e : f8E4M3FN
  } -> tensor<$(batch * q_len_tokens)x$(heads * head_dim)xf8E4M3FN>
  return
}

// TensorRT-LLM rotates queries and keys.
//! beside attention_prefill backend=trtllm_1.3.0rc20_torch_flow|trtllm_1.3.0rc20_torch_flow_flashinfer
//! beside attention_decode backend=trtllm_1.3.0rc20_torch_flow|trtllm_1.3.0rc20_torch_flow_flashinfer
func.func @row(%x: tensor<$(batch)x$(q_len_tokens)x$(heads + kv_heads)x$(head_dim)xbf16>) {
  %y = llm.rope "rope" %x at 0 theta 10000.0 : tensor<$(batch)x$(q_len_tokens)x$(heads + kv_heads)x$(head_dim)xbf16>
  return
}
