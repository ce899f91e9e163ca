// Layers with a state: gated delta networks (gdn, Qwen3-Next), Kimi delta attention (kda, which has a decay for each channel)
// and Mamba-2. A row is a convolution, or linear attention, of gdn and kda with the norms of queries and keys. Prompts are cut
// into chunks, of gdn and kda of 64 tokens. Drafts that are verified are steps that follow each other.

//! gdn_conv1d phase=context
func.func @row(%x: tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w from %s activation silu
      : tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

//! gdn_conv1d phase=verify
func.func @row(%x: tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w from %s activation silu
      : tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

// What surrounds the kernel that goes through the chunks in flash-linear-attention (fla/ops/gated_delta_rule/chunk.py and kda/chunk.py):
// norms of queries and keys, sums of decays, products of keys within a chunk (64 numbers a token), their inverse, what each token brings
// (w and u), and outputs from the states of all chunks, which lie in memory. Only the traffic of these is there, as kernels that read and
// write as much. Their products are few beside those of linear_attn. For gated delta networks the kernel gives 32 of the 128 features of
// values to a block of threads, which goes through the chunks by itself, as a head would.
//! gdn_core phase=context backend=sglang_0.5.14_chunk_gated_delta_rule
func.func @row(%q: tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)x32xbf16>, %a: tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>,
    %b: tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>, %r: tensor<$(4 * v_heads_per_rank)xf32>,
    %wide: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x512xbf16>, %pair: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x256xbf16>, %keys: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x128xbf16>,
    %inner: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x64xf32>, %gates: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x1xf32>, %of_k: tensor<$(batch * seq_len_tokens * k_heads_per_rank)x128xbf16>) {
  %norm_q = llm.scale "norm_q" %of_k by 1.0 : tensor<$(batch * seq_len_tokens * k_heads_per_rank)x128xbf16>
  %norm_k = llm.scale "norm_k" %of_k by 1.0 : tensor<$(batch * seq_len_tokens * k_heads_per_rank)x128xbf16>
  %decays = llm.scale "decays" %gates by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x1xf32>
  %products = llm.scale "products" %keys by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x128xbf16>
  %inverse = llm.scale "inverse" %inner by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x64xf32>
  %brought = llm.scale "brought" %pair by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x256xbf16>
  %outputs = llm.scale "outputs" %wide by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x512xbf16>
  %s = llm.state "s" : !llm.state<batch = $(batch), $(4 * v_heads_per_rank)x$(head_k_dim)x32xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s chunk 64 qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)x32xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>, tensor<$(4 * v_heads_per_rank)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(4 * v_heads_per_rank)x$(head_k_dim)x32xf32>
  return
}

// TensorRT-LLM's kernel gives features of values to blocks of threads, too.
//! gdn_core phase=context backend=trtllm_1.3.0rc20_chunk_gated_delta_rule
func.func @row(%q: tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)x32xbf16>, %a: tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>,
    %b: tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>, %r: tensor<$(4 * v_heads_per_rank)xf32>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(4 * v_heads_per_rank)x$(head_k_dim)x32xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s chunk 64 qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)x32xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>, tensor<$(4 * v_heads_per_rank)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(4 * v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(4 * v_heads_per_rank)x$(head_k_dim)x32xf32>
  return
}

//! gdn_core phase=context
func.func @row(%q: tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>,
    %b: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s chunk 64 qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  return
}

// Which drafts are taken is known later, so that the state behind each token is written. That of the last one is in linear_attn. Of the
// others (4 bytes a number), half are read here and half written, which takes as long.
//! gdn_core phase=verify
func.func @row(%q: tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>,
    %b: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>,
    %states: tensor<$(batch * (seq_len_tokens - 1) * v_heads_per_rank)x$(head_k_dim * head_v_dim)xbf16>) {
  %kept = llm.scale "states" %states by 1.0 : tensor<$(batch * (seq_len_tokens - 1) * v_heads_per_rank)x$(head_k_dim * head_v_dim)xbf16>
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  return
}

//! gdn_conv1d phase=generation
func.func @row(%x: tensor<$(batch)x1x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w from %s activation silu
      : tensor<$(batch)x1x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

// TensorRT-LLM keeps the state in the type of the model (`mamba_ssm_cache_dtype` is "auto"): in 32 bits it would be read and written at
// 3.9 TB/s, more than the memory's rate.
//! gdn_core phase=generation backend=trtllm_1.3.0rc20_fused_recurrent_gated_delta_rule
func.func @row(%q: tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x1x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x1x$(v_heads_per_rank)xbf16>,
    %b: tensor<$(batch)x1x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xbf16>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x1x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x1x$(v_heads_per_rank)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x1x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xbf16>
  return
}

//! gdn_core phase=generation
func.func @row(%q: tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x1x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x1x$(v_heads_per_rank)xbf16>,
    %b: tensor<$(batch)x1x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x1x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x1x$(v_heads_per_rank)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x1x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  return
}

//! kda_conv1d phase=context
func.func @row(%x: tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w from %s activation silu
      : tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

//! kda_conv1d phase=verify
func.func @row(%x: tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w from %s activation silu
      : tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

//! kda_core phase=context backend=sglang_0.5.16_chunk_kda
func.func @row(%q: tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_k_dim)xbf16>,
    %b: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>,
    %wide: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x512xbf16>, %pair: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x256xbf16>, %keys: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x128xbf16>,
    %inner: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x64xf32>, %gates: tensor<$(batch * seq_len_tokens * v_heads_per_rank)x128xf32>, %of_k: tensor<$(batch * seq_len_tokens * k_heads_per_rank)x128xbf16>) {
  %norm_q = llm.scale "norm_q" %of_k by 1.0 : tensor<$(batch * seq_len_tokens * k_heads_per_rank)x128xbf16>
  %norm_k = llm.scale "norm_k" %of_k by 1.0 : tensor<$(batch * seq_len_tokens * k_heads_per_rank)x128xbf16>
  %decays = llm.scale "decays" %gates by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x128xf32>
  %products = llm.scale "products" %keys by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x128xbf16>
  %inverse = llm.scale "inverse" %inner by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x64xf32>
  %brought = llm.scale "brought" %pair by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x256xbf16>
  %outputs = llm.scale "outputs" %wide by 1.0 : tensor<$(batch * seq_len_tokens * v_heads_per_rank)x512xbf16>
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s chunk 64 qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  return
}

//! kda_core phase=context
func.func @row(%q: tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_k_dim)xbf16>,
    %b: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s chunk 64 qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  return
}

//! kda_core phase=verify
func.func @row(%q: tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_k_dim)xbf16>,
    %b: tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>,
    %states: tensor<$(batch * (seq_len_tokens - 1) * v_heads_per_rank)x$(head_k_dim * head_v_dim)xbf16>) {
  %kept = llm.scale "states" %states by 1.0 : tensor<$(batch * (seq_len_tokens - 1) * v_heads_per_rank)x$(head_k_dim * head_v_dim)xbf16>
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  return
}

//! kda_conv1d phase=generation
func.func @row(%x: tensor<$(batch)x1x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w from %s activation silu
      : tensor<$(batch)x1x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

//! kda_core phase=generation
func.func @row(%q: tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
    %v: tensor<$(batch)x1x$(v_heads_per_rank)x$(head_v_dim)xbf16>, %a: tensor<$(batch)x1x$(v_heads_per_rank)x$(head_k_dim)xbf16>,
    %b: tensor<$(batch)x1x$(v_heads_per_rank)xbf16>, %r: tensor<$(v_heads_per_rank)xf32>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s qk_norm 1.0e-6 scale 0.1
      : tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(batch)x1x$(k_heads_per_rank)x$(head_k_dim)xbf16>,
        tensor<$(batch)x1x$(v_heads_per_rank)x$(head_v_dim)xbf16>, tensor<$(batch)x1x$(v_heads_per_rank)x$(head_k_dim)xbf16>, tensor<$(v_heads_per_rank)xf32>,
        tensor<$(batch)x1x$(v_heads_per_rank)xbf16>,
        !llm.state<batch = $(batch), $(v_heads_per_rank)x$(head_k_dim)x$(head_v_dim)xf32>
  return
}

//! mamba2_conv1d phase=context
func.func @row(%x: tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>, %b: tensor<$(conv_channels)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w bias %b from %s activation silu
      : tensor<$(batch)x$(seq_len_tokens)x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>, tensor<$(conv_channels)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

//! mamba2_conv1d phase=generation
func.func @row(%x: tensor<$(batch)x1x$(conv_channels)xbf16>, %w: tensor<$(conv_channels)x$(d_conv)xbf16>, %b: tensor<$(conv_channels)xbf16>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  %y, %n = llm.conv1d %x, %w bias %b from %s activation silu
      : tensor<$(batch)x1x$(conv_channels)xbf16>, tensor<$(conv_channels)x$(d_conv)xbf16>, tensor<$(conv_channels)xbf16>,
        !llm.state<batch = $(batch), $(d_conv - 1)x$(conv_channels)xbf16>
  return
}

//! mamba2_scan phase=context
func.func @row(%x: tensor<$(batch)x$(seq_len_tokens)x$(heads)x$(head_dim)xbf16>, %c: tensor<$(batch)x$(seq_len_tokens)x$(groups)x$(d_state)xbf16>,
    %dt: tensor<$(batch)x$(seq_len_tokens)x$(heads)xbf16>, %r: tensor<$(heads)xf32>) {
  %s = llm.state "s" : !llm.state<batch = $(batch), $(heads)x$(d_state)x$(head_dim)xf32>
  %y, %n = llm.linear_attn additive %c, %c, %x decay %dt rate %r beta %dt skip %r from %s chunk $(chunk) scale 1.0
      : tensor<$(batch)x$(seq_len_tokens)x$(groups)x$(d_state)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(groups)x$(d_state)xbf16>,
        tensor<$(batch)x$(seq_len_tokens)x$(heads)x$(head_dim)xbf16>, tensor<$(batch)x$(seq_len_tokens)x$(heads)xbf16>, tensor<$(heads)xf32>,
        tensor<$(batch)x$(seq_len_tokens)x$(heads)xbf16>, tensor<$(heads)xf32>,
        !llm.state<batch = $(batch), $(heads)x$(d_state)x$(head_dim)xf32>
  return
}
