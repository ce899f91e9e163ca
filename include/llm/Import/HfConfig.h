//===- HfConfig.h - Models from Hugging Face's config.json ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of a config.json and what becomes of them. The left column names
// fields. The right one names the families that have them, and their defaults
// ("if absent") in the order of the fields. A field that is null counts as
// absent, as in Hugging Face's own reader. Numbers whose value is not read may
// be NaN, Infinity or -Infinity, as Python writes them.
//
//   text_config          if there is one, all fields are those in it, and the
//                        fields beside it are ignored (but quantization_config
//                        and tie_word_embeddings); a remark names vision_config
//                        and audio_config
//   model_type           "bamba", "cohere2", "deepseek_ref", "deepseek_v2",
//                        "deepseek_v3", "deepseek_v32", "deepseek_v4",
//                        "ernie4_5", "ernie4_5_moe", "exaone4", "falcon_h1",
//                        "gemma2", "gemma3_text", "gemma4_text", "glm4_moe",
//                        "glm_moe_dsa", "gpt_oss", "granitemoehybrid",
//                        "hunyuan_v1_dense", "kimi_k2", "kimi_linear", "lfm2",
//                        "lfm2_moe", "llama", "llama4_text", "mamba2", "mimo",
//                        "mimo_v2_flash", "minimax_m2", "minimax_m3",
//                        "minimax_m3_vl_text", "mistral", "mixtral",
//                        "nemotron_h", "nemotron-nas", "olmo2", "olmo3",
//                        "phi3", "qwen2", "qwen3", "qwen3_5_text",
//                        "qwen3_5_moe_text", "qwen3_moe", "qwen3_next",
//                        "qwen3_vl_text", "qwen3_vl_moe_text", "seed_oss",
//                        "smollm3" or "step3p5"
//   hidden_size, intermediate_size, num_attention_heads, num_hidden_layers
//                        required (nemotron-nas, deepseek_v4, mamba2: no
//                        intermediate_size; mamba2: no heads)
//   num_key_value_heads  num_attention_heads if absent; qwen3, gemma: required;
//                        mistral, mixtral, gpt_oss, llama4: 8
//   head_dim             hidden_size / num_attention_heads if absent; qwen3:
//                        required; that quotient is not what models have
//   layer_types, full_attention_interval, linear_num_value_heads,
//   linear_num_key_heads, linear_key_head_dim, linear_value_head_dim,
//   linear_conv_kernel_dim, attn_output_gate
//                        qwen3_next, qwen3_5: which layers keep a state, and
//                        its sizes
//   hybrid_override_pattern or layers_block_type, mamba_num_heads,
//   mamba_head_dim, n_groups, ssm_state_size, conv_kernel, chunk_size,
//   moe_latent_size      nemotron_h: what each layer is; num_hidden_layers may
//                        be absent
//   linear_attn_config {kda_layers, full_attn_layers, num_heads, head_dim,
//   short_conv_kernel_size, gate_lower_bound, use_full_rank_gate},
//   attn_res_block_size, routed_expert_hidden_size, mla_use_nope,
//   mla_use_output_gate  kimi_linear, with the fields of latent attention;
//                        numbers of layers begin at 1
//   mamba_ssm_dtype, mamba_ssm_cache_dtype
//                        states are float32
//   vocab_size           required by the whole model (--layers=all)
//   tie_word_embeddings  false if absent (gemma: true); true: the head uses
//                        the embedding
//   rms_norm_eps         1e-6 if absent (mixtral, phi3, gpt_oss, llama4: 1e-5)
//   rope_theta           10000 if absent (gemma3, mixtral: 1e6, gpt_oss:
//                        150000, llama4: 500000, minimax_m2, mimo_v2_flash:
//                        5e6); also inside rope_parameters
//   rope_scaling, rope_parameters
//                        the type must be a known one; the rest is dropped, as
//                        it changes the table of angles, not the work (see
//                        llm.rope)
//   attention_bias       llama, qwen3: false if absent; true: q, k, v and o
//                        have a bias. qwen2: q, k and v always have one
//   mlp_bias             llama: false if absent; true: gate, up, down have one
//   sliding_window       mistral, mixtral, phi3: in every layer, or in those of
//                        layer_types; mistral: 4096 if absent, none if null
//   use_sliding_window, max_window_layers, layer_types
//                        qwen2, qwen3, qwen3_moe: from which layer on (28 if
//                        absent), or which layers; then 4096 keys if absent
//   num_local_experts, num_experts_per_tok
//                        mixtral: required
//   num_experts, num_experts_per_tok, moe_intermediate_size
//                        qwen3_moe: required
//   query_pre_attn_scalar, sliding_window, sliding_window_pattern,
//   rope_local_base_freq
//                        gemma: 256, 4096, 6 (gemma3) and 10000 if absent
//   attn_logit_softcapping, final_logit_softcapping
//                        gemma2: 50 and 30 if absent, gemma3: none; null: none
//   global_head_dim, num_global_key_value_heads, attention_k_eq_v,
//   enable_moe_block, num_experts, top_k_experts, moe_intermediate_size,
//   sliding_window, layer_types
//                        gemma4: 512, num_key_value_heads (with
//                        attention_k_eq_v alone), false, false; required with
//                        experts; 512, every sixth layer and the last without a
//                        window. rope_parameters: required, an object for each
//                        kind of attention
//   hidden_size_per_layer_input, vocab_size_per_layer_input,
//   num_kv_shared_layers, use_double_wide_mlp
//                        gemma4: 256, 262144, 0 and false if absent: inputs of
//                        each layer beside the hidden states, and how many
//                        layers read the cache of another, by wider networks
//   mamba_n_heads, mamba_d_head, mamba_d_state, mamba_n_groups, mamba_d_conv,
//   mamba_chunk_size, mamba_expand, mamba_conv_bias, mamba_proj_bias
//                        falcon_h1, granitemoehybrid, bamba: 128, the share of
//                        a head in the inner size, 256, 1, 4, 256, 2, true and
//                        false if absent. mamba2 calls them num_heads,
//                        head_dim, state_size, n_groups, conv_kernel,
//                        chunk_size, expand, use_conv_bias and use_bias
//   mamba_d_ssm, mamba_rms_norm, mamba_norm_before_gate, *_multiplier(s)
//                        falcon_h1: the inner size, false, true, and factors, 1
//                        if absent
//   layer_types, shared_intermediate_size, num_local_experts,
//   position_embedding_type, attention_multiplier, embedding_multiplier,
//   logits_scaling, residual_multiplier
//                        granitemoehybrid: all "mamba", 1024, 8 (0: none),
//                        "nope", and 1 each if absent
//   attn_layer_indices   bamba: which layers attend; none if absent
//   conv_L_cache, conv_bias, full_attn_idxs or layer_types, block_ff_dim,
//   block_multiple_of, block_ffn_dim_multiplier, block_auto_adjust_ff_dim
//                        lfm2: 3, false, all, intermediate_size, 256, 1 and
//                        true if absent
//   num_dense_layers, num_experts, use_expert_bias
//                        lfm2_moe: 2, required, true
//   moe_num_experts, moe_k, moe_num_shared_experts, moe_layer_start_index,
//   moe_layer_end_index, moe_layer_interval
//                        ernie4_5_moe: the first two are required; 2, 1, -1
//                        (the last) and 1 if absent
//   num_attention_groups, attention_other_setting, use_head_wise_attn_gate,
//   moe_layers_enum, moe_num_experts, moe_top_k, share_expert_dim,
//   rope_theta, partial_rotary_factors, yarn_only_types
//                        step3p5: heads of layers with a window, gates of
//                        heads, layers with experts ("3,4,5"); rope_theta may
//                        be a list. A part whose field is absent is left out
//   layer_norm_eps, logit_scale, sliding_window_pattern
//                        cohere2: 1e-5, 0.0625 and 4 if absent
//   sliding_window_pattern
//                        exaone4: 4 if absent; a number, or letters L and G
//   no_rope_layers, no_rope_layer_interval
//                        smollm3: every fourth does not turn if absent
//   num_nextn_predict_layers, num_mtp_modules, mtp_num_hidden_layers
//                        how many modules predict further tokens, which a
//                        program has with --mtp alone
//   mlp_only_layers, decoder_sparse_step, norm_topk_prob
//                        qwen3_moe: none, 1 and false if absent
//   q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim
//                        deepseek, kimi: required, but the first
//   n_routed_experts, moe_intermediate_size, num_experts_per_tok
//                        deepseek, kimi: required where there are experts
//   n_shared_experts, first_k_dense_replace, moe_layer_freq
//                        deepseek, kimi: 0, 0 and 1 if absent
//   topk_method, scoring_func, norm_topk_prob, routed_scaling_factor, n_group,
//   topk_group           deepseek_v2: "greedy", "softmax", false, 1, 1 and 1 if
//                        absent; deepseek_v3, kimi: "noaux_tc", "sigmoid",
//                        true, 2.5, 8 and 4
//   partial_rotary_factor
//                        phi3, minimax_m2, mimo_v2_flash: the features of a
//                        head that turn; 1 if absent; also inside
//                        rope_parameters
//   v_head_dim, attention_value_scale, layernorm_epsilon, swa_*,
//   hybrid_layer_pattern, moe_layer_freq, add_full_attention_sink_bias,
//   add_swa_attention_sink_bias
//                        mimo_v2_flash: sizes, and the lists, are required; 1,
//                        1e-5 and no sinks if absent
//   rotary_dim, use_qk_norm, qk_norm_type, use_routing_bias
//                        minimax_m2: the factor's, true, "per_layer" (norms of
//                        all heads together) and true if absent
//                        minimax_m3: "per_head"
//   compress_ratios, compress_rope_theta, head_dim, sliding_window,
//   num_key_value_heads, o_groups, o_lora_rank, hc_mult, hc_sinkhorn_iters,
//   hc_eps, num_hash_layers, expert_dtype, swiglu_limit
//                        deepseek_v4, with q_lora_rank, qk_rope_head_dim,
//                        the fields of experts and index_*: required, a list
//                        with an entry for each layer (0, or tokens to an
//                        entry: of 4 an indexer selects); 160000, which
//                        layers with entries turn by, and rope_scaling with
//                        it; two required; 1; three required; 20, 1e-6, 0,
//                        "fp8" ("fp4": experts in 4 bits) and 10 if absent
//   index_n_heads, index_head_dim, index_topk
//                        deepseek_v32: 64, 128 and 2048 if absent; glm_moe_dsa:
//                        32, 128 and 2048
//   indexer_rope_interleave, indexer_types, index_topk_freq,
//   index_skip_topk_offset, mlp_layer_types, qk_head_dim
//                        glm_moe_dsa: true if absent; which layers have an
//                        indexer ("full") and which share a selection
//                        ("shared"), where no list says it by 1 and 2; the last
//                        two must agree with other fields
//   sparse_attention_config, moe_layer_freq, dense_intermediate_size,
//   shared_intermediate_size, routed_scaling_factor, use_gemma_norm,
//   swiglu_alpha, swiglu_limit
//                        minimax_m3: no indexers if absent; the next three are
//                        required; 2, true, 1.702 and 7 if absent
//   block_configs        nemotron-nas: required, an entry for each layer, with
//                        attention (no_op, replace_with_linear,
//                        n_heads_in_group) and ffn (no_op, replace_with_linear,
//                        ffn_mult)
//   swiglu_limit         gpt_oss: 7 if absent
//   intermediate_size_mlp, interleave_moe_layer_step, moe_layers,
//   no_rope_layers, no_rope_layer_interval, attention_chunk_size, use_qk_norm,
//   attn_temperature_tuning, floor_scale, attn_scale
//                        llama4: 16384, 1, none, none, 4, 8192, true, true,
//                        8192 and 0.1 if absent
//   quantization_config  formats of weights, activations and cache, by its
//                        quant_method (HfQuantization.cpp); without it those of
//                        'quantization' in hf_quant_config.json beside the
//                        file, as ModelOpt writes it
//   torch_dtype, dtype   bfloat16, float16, float32; bfloat16 if absent; if
//                        text_config has none, it is that beside text_config
//
// These are errors, because the layers that are built would not match:
//
//   hidden_act, hidden_activation
//                          other than "silu" (gemma: "gelu_pytorch_tanh",
//                          minimax_m3: "swigluoai")
//   sliding_window, use_sliding_window, layer_types
//                          llama: a window; qwen2, qwen3: a window of which
//                          nothing says whether it is in use
//   partial_rotary_factor  other than 1 in other families
//   use_bidirectional_attention
//                          gemma4: other than null or "vision"
//   num_key_value_heads, topk_method
//                          deepseek_v4: other than 1 and "noaux_tc"
//   attn_type_list, scoring_func, shared_intermediate_size, layernorm_*_beta
//                          minimax_m2: other than 1, "sigmoid", 0 and 1
//   attention_output_gate, swiglu_alpha, n_shared_experts, sparse_score_type,
//   sparse_disable_index_value
//                          minimax_m3: other than false, 1.702, 1, "max" and,
//                          of layers with an indexer, 1
//   swiglu_limits, swiglu_limits_shared, use_rope_layers
//                          step3p5: other than 0, 0 and []
//   attention_bias, mlp_bias
//                          true in a family that has none
//   is_encoder_decoder, add_cross_attention
//                          true
//   quantization, compression_config, pruned_heads
//                          anything
//
// Some fields are ignored, because the time of a model does not depend on them:
// the length that the model was made for (max_position_embeddings), training,
// tokens, generation, and bookkeeping. The list is in lib/Import/HfFields.cpp.
// It also has flags of parts that are absent if the flag is false (qkv_bias).
// Any other field is an error, because it may change the work.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_HFCONFIG_H
#define LLM_IMPORT_HFCONFIG_H

#include "llm/Files/LocatedJson.h"
#include "llm/Import/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm {

/// Returns the model that a config.json describes. Errors are located at the
/// field. If the config says no formats, a hf_quant_config.json beside the file
/// `path` says them, if there is one. A remark says which parts of the model
/// programs leave out. With `predictsFurther`, the modules that predict further
/// tokens are not left out.
FailureOr<ModelConfig> readHfConfig(const LocatedJson &config, StringRef path,
                                    bool predictsFurther = false);

/// Returns the program of a model from the text of its config.json.
/// `bufferName` is the file's name in diagnostics. Loads the dialects that the
/// program needs into `context`.
FailureOr<OwningOpRef<ModuleOp>> importHfConfig(StringRef text,
                                                StringRef bufferName,
                                                const ImportOptions &options,
                                                MLIRContext *context);

/// Does the same from a file.
FailureOr<OwningOpRef<ModuleOp>>
importHfConfigFile(StringRef path, const ImportOptions &options,
                   MLIRContext *context);

} // namespace mlir::llm

#endif // LLM_IMPORT_HFCONFIG_H
