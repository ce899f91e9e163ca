"""Small models of the shapes of real ones: what a config of test/models becomes."""
import json
from pathlib import Path

MODELS = Path(__file__).resolve().parents[1] / "models"
DENSE = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "vocab_size": 40,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "torch_dtype": "float32"}
SPARSE = DENSE | {"num_experts_per_tok": 2}
LATENT = {key: value for key, value in SPARSE.items() if key != "head_dim"} | {
    "num_key_value_heads": 4, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 6,
    "first_k_dense_replace": 1, "n_routed_experts": 8, "moe_intermediate_size": 16, "quantization_config": None}
INDEXED = {"q_lora_rank": 12, "index_n_heads": 6, "index_head_dim": 8, "index_topk": 4}
EXPERTS = {"num_experts": 6, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 24}
# Of three layers two have a state; two value heads share a key head.
GATED_DELTA = SPARSE | {"num_hidden_layers": 3, "full_attention_interval": 3, "linear_conv_kernel_dim": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
                        "linear_key_head_dim": 8, "linear_value_head_dim": 6, "partial_rotary_factor": 0.5}
QWEN35 = {key: value for key, value in GATED_DELTA.items() if key != "partial_rotary_factor"} | {"layer_types": ["linear_attention", "linear_attention", "full_attention"], "rope_parameters": {
    "rope_type": "default", "rope_theta": 10000000, "partial_rotary_factor": 0.5}}
MAMBA = SPARSE | {"num_hidden_layers": 5, "hybrid_override_pattern": "ME*-M", "mamba_num_heads": 4, "mamba_head_dim": 6,
                  "n_groups": 2, "ssm_state_size": 8, "chunk_size": 4, "n_routed_experts": 6, "moe_intermediate_size": 16,
                  "moe_shared_expert_intermediate_size": 24}
KIMI_DELTA = {"num_hidden_layers": 4, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 6,
              "num_key_value_heads": 4, "num_experts": 6, "num_experts_per_token": 2, "moe_intermediate_size": 16}
KDA = {"full_attn_layers": [3], "kda_layers": [1, 2, 4], "head_dim": 8, "num_heads": 4, "short_conv_kernel_size": 4}
SLIDING = ["sliding_attention", "full_attention"]
CHUNKED = {"num_hidden_layers": 4, "attention_chunk_size": 4, "num_local_experts": 4, "intermediate_size_mlp": 40,
           "num_experts_per_tok": 1, "floor_scale": 4, "attn_scale": 0.1, "attn_temperature_tuning": True}
FAMILIES = {
    "llama": ("meta-llama--Llama-3.2-1B", DENSE),
    "mistral": ("mistralai--Mistral-7B-v0.1", DENSE | {"sliding_window": 4}),
    "qwen2": ("Qwen--Qwen2.5-0.5B", DENSE),
    "qwen3": ("Qwen--Qwen3-0.6B", DENSE),
    "gemma2": ("google--gemma-2-2b", DENSE | {"sliding_window": 4, "attn_logit_softcapping": 2.0}),
    "gemma3": ("google--gemma-3-27b-pt", DENSE | {
        "sliding_window": 4, "sliding_window_pattern": 2, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}),
    "gemma4": ("google--gemma-4-26B-A4B", DENSE | {
        "dtype": "float32", "sliding_window": 4, "layer_types": SLIDING, "global_head_dim": 16, "num_global_key_value_heads": 1,
        "num_experts": 6, "top_k_experts": 2, "moe_intermediate_size": 16}),
    "phi3": ("microsoft--Phi-3-mini-4k-instruct", DENSE | {
        "sliding_window": None, "original_max_position_embeddings": 8, "max_position_embeddings": 32,
        "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 2.0, 3.0, 4.0]}}),
    "mixtral": ("mistralai--Mixtral-8x7B-v0.1", SPARSE | {"num_local_experts": 6}),
    "mimo_v2_flash": ("XiaomiMiMo--MiMo-V2-Flash", SPARSE | {
        "head_dim": 12, "v_head_dim": 8, "swa_head_dim": 12, "swa_v_head_dim": 6, "swa_num_attention_heads": 4,
        "swa_num_key_value_heads": 1, "partial_rotary_factor": 0.34, "hybrid_layer_pattern": [0, 1], "moe_layer_freq": [0, 1],
        "sliding_window": 4, "sliding_window_size": 4, "attention_chunk_size": 4, "n_routed_experts": 6,
        "moe_intermediate_size": 16, "quantization_config": None}),
    "minimax_m2": ("MiniMaxAI--MiniMax-M2", SPARSE | {"num_local_experts": 6, "intermediate_size": 16, "rotary_dim": 4}),
    "minimax_m3": ("MiniMaxAI--MiniMax-M3", SPARSE | {
        "num_hidden_layers": 3, "num_local_experts": 6, "intermediate_size": 16, "moe_intermediate_size": 16,
        "dense_intermediate_size": 48, "shared_intermediate_size": 24, "rotary_dim": 4, "partial_rotary_factor": 0.5,
        "swiglu_limit": 1.0, "moe_layer_freq": [0, 1, 1], "first_k_dense_replace": 1, "sparse_attention_config": {
            "sparse_attention_freq": [0, 1, 1], "sparse_block_size": 2, "sparse_index_dim": 8, "sparse_init_block": 0,
            "sparse_local_block": 1, "sparse_num_index_heads": 2, "sparse_score_type": "max", "sparse_topk_blocks": 2,
            "use_sparse_attention": True}}),
    "qwen3_moe": ("Qwen--Qwen3-30B-A3B", SPARSE | {"num_experts": 6, "moe_intermediate_size": 16}),
    # A square down_proj, as in gpt-oss itself: its sizes do not say how it lies.
    "gpt_oss": ("openai--gpt-oss-20b", SPARSE | {
        "intermediate_size": 32, "num_local_experts": 6, "experts_per_token": 2, "swiglu_limit": 1.0, "quantization_config": None,
        "sliding_window": 4, "layer_types": SLIDING}),
    "llama4": ("meta-llama--Llama-4-Scout-17B-16E-Instruct", DENSE | CHUNKED),
    "deepseek_v2": ("deepseek-ai--DeepSeek-V2", LATENT | {
        "n_group": 4, "topk_group": 2, "q_lora_rank": 12, "num_experts_per_tok": 3}),
    "deepseek_v3": ("deepseek-ai--DeepSeek-V3", LATENT | {
        "n_group": 4, "topk_group": 2, "q_lora_rank": 12, "num_experts_per_tok": 3}),
    "deepseek_v32": ("deepseek-ai--DeepSeek-V3.2", LATENT | INDEXED | {
        "n_group": 4, "topk_group": 2, "num_experts_per_tok": 3}),
    # Of five layers the first, the third and the last select; the others share.
    "glm_moe_dsa": ("zai-org--GLM-5-FP8", LATENT | INDEXED | {
        "num_hidden_layers": 5, "qk_head_dim": 12, "index_topk": 8, "index_topk_freq": 2, "index_skip_topk_offset": 1}),
    "kimi_k2": ("moonshotai--Kimi-K2-Instruct", LATENT | {"n_group": 1, "topk_group": 1, "q_lora_rank": 12}),
    "qwen3_next": ("Qwen--Qwen3-Next-80B-A3B-Instruct", GATED_DELTA | EXPERTS),
    "qwen3_5_text": ("Qwen--Qwen3.5-35B-A3B", QWEN35 | {
        "model_type": "qwen3_5_text", "absent": ["num_experts", "num_experts_per_tok", "moe_intermediate_size",
                                                 "shared_expert_intermediate_size", "mlp_only_layers"]}),
    "qwen3_5_moe": ("Qwen--Qwen3.5-35B-A3B", QWEN35 | EXPERTS),
    "nemotron_h": ("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", MAMBA),
    "nemotron_h_latent": ("nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8", MAMBA | {"moe_latent_size": 12}),
    "kimi_linear": ("moonshotai--Kimi-Linear-48B-A3B-Instruct", DENSE | KIMI_DELTA | {"linear_attn_config": KDA}),
    # Its gates are as those of Kimi-K3.
    "kimi_linear_bounded": ("moonshotai--Kimi-Linear-48B-A3B-Instruct", DENSE | KIMI_DELTA | {
        "linear_attn_config": KDA | {"gate_lower_bound": -5.0, "use_full_rank_gate": True}}),
    # Blocks of two layers, the last of which is not full; caps where activations bend.
    "kimi_k3": ("moonshotai--Kimi-K3", DENSE | KIMI_DELTA | {
        "num_hidden_layers": 5, "q_lora_rank": 12, "attn_res_block_size": 2, "routed_expert_hidden_size": 12, "quantization_config": None,
        "activation_situ_beta": 1.0, "activation_situ_linear_beta": 2.0, "linear_attn_config": KDA | {
            "kda_layers": [1, 2, 4], "full_attn_layers": [3, 5], "gate_lower_bound": -5.0, "use_full_rank_gate": True}}),
}


def with_odd_sizes(changes):
    """Two chips divide neither the tokens of the vocabulary nor the features between products."""
    return {name: size + 1 if name == "vocab_size" or "intermediate_size" in name else size for name, size in changes.items()}


def make_config(model, changes):
    config = json.loads((MODELS / f"{model}.json").read_text())
    inner = config.get("text_config", config)
    inner.pop("dtype", None)  # Newer configs call it so.
    inner.update(changes)
    for name in changes.get("absent", []):
        inner.pop(name, None)
    inner.pop("absent", None)
    if "kv_lora_rank" in inner:
        inner.pop("head_dim", None)
    return config


def write_config(folder, family, changes=None, areOdd=False):
    """Writes the small model of a family into `folder`/config.json, and returns the file."""
    model, own = FAMILIES[family]
    config = folder / "config.json"
    config.write_text(json.dumps(make_config(model, (with_odd_sizes(own) if areOdd else own) | (changes or {}))))
    return config
