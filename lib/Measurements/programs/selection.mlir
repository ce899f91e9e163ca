// The two kernels that select keys, each alone: the scores of an indexer (DeepGEMM), and the best of them (SGLang). Which of them a
// library has is in its figures. Rows whose scores are all equal (`flat`) have no program: digits of a radix select that all keys
// share take it up to 30 times as long, and no indexer gives such scores.

// Where only the best are looked for, scores are there already, and keys stand for their number alone.

//! glm5_mqa_logits_module
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x32x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %keys: tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, %w: tensor<$(batch)x$(q_len_tokens)x32xbf16>) {
  %select = llm.select_keys "select" %q, %keys weights %w mask causal scale 0.015625 top 2048 : tensor<$(batch)x$(q_len_tokens)x32x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x32xbf16>
  return
}

//! dsv4_paged_mqa_logits_module
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x64x128x!llm.block_scaled<f8E4M3FN, [128], f32>>,
    %keys: tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, %w: tensor<$(batch)x$(q_len_tokens)x64xbf16>) {
  %select = llm.select_keys "select" %q, %keys weights %w mask causal stride 4 lengths $(batch of 4 * (kv_len_tokens ceildiv 4)) scale 0.0110485 top 512 : tensor<$(batch)x$(q_len_tokens)x64x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<$(batch)x$(q_len_tokens)x64xbf16>
  return
}

//! glm5_topk_module score_mode=top_last
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x1x1xf8E4M3FN>, %keys: tensor<$(batch)x$(kv_len_tokens)x1x1xf8E4M3FN>) {
  %select = llm.select_keys "select" %q, %keys mask causal scale 1.0 top 2048 : tensor<$(batch)x$(q_len_tokens)x1x1xf8E4M3FN>, tensor<$(batch)x$(kv_len_tokens)x1x1xf8E4M3FN>
  return
}

//! dsv4_csa_topk_calib score_mode=v1_top_last|v2_top_last
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x1x1xf8E4M3FN>, %keys: tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x1xf8E4M3FN>) {
  %select = llm.select_keys "select" %q, %keys mask causal stride 4 lengths $(batch of 4 * (kv_len_tokens ceildiv 4)) scale 1.0 top 512 : tensor<$(batch)x$(q_len_tokens)x1x1xf8E4M3FN>, tensor<$(batch)x$(kv_len_tokens ceildiv 4)x1x1xf8E4M3FN>
  return
}
