"""Layers of families that differ from others in a few sizes, for derive_models.py: from their config.json, and what
their modeling code in Hugging Face transformers computes.

Dense ones with norms elsewhere, experts by other names, Mamba-2 beside attention or in its place, short convolutions.
"""
from __future__ import annotations

from derive_layers import Config, Layer, gated_mlp, gqa
from derive_recurrent import NO_FFN, NO_PAIRS, build, mamba

DENSE = {"cohere2", "ernie4_5", "exaone4", "hunyuan_v1_dense", "olmo2", "olmo3", "seed_oss", "smollm3"}
EXPERTS = {"ernie4_5_moe", "glm4_moe", "step3p5"}
STATES = {"bamba", "falcon_h1", "granitemoehybrid", "lfm2", "lfm2_moe", "mamba2"}
FAMILIES = DENSE | EXPERTS | STATES
TIED = {"cohere2", "ernie4_5", "ernie4_5_moe", "lfm2", "lfm2_moe", "smollm3"}  # where the config does not say it


def layer(c: Config, index: int) -> Layer:
    kind = c["model_type"]
    if kind in STATES:
        return {"falcon_h1": falcon, "granitemoehybrid": granite, "bamba": bamba, "mamba2": mamba_alone}.get(kind, lfm2)(c, index)
    attention = heads(c, index)
    ffn = experts(c, index) if kind in EXPERTS else None
    ffn = ffn or {"matrices": gated_mlp(c, c["intermediate_size"]), "vectors": mlp_biases(c)}
    norms = 1 if kind == "cohere2" else 2
    return windowed(c, index, build(c, norms, attention, ffn))


def mlp_biases(c: Config) -> int:
    has = c.get("mlp_bias") or (c["model_type"].startswith("ernie") and c.get("use_bias"))
    return 2 * c["intermediate_size"] + c["hidden_size"] if has else 0


def slides(c: Config, index: int) -> bool:
    """Whether the layer sees a window."""
    kind, types = c["model_type"], c.get("layer_types")
    if kind not in {"cohere2", "exaone4", "olmo3", "step3p5"} or not c.get("sliding_window"):
        return False
    if types:
        return types[index] == "sliding_attention"
    if kind == "step3p5":
        return index % 2 == 0
    pattern = c.get("sliding_window_pattern") or c.get("layer_switch") or 4
    if isinstance(pattern, str):
        return pattern[index % len(pattern)] == "L"
    return (index + 1) % pattern != 0


def windowed(c: Config, index: int, layer: Layer) -> Layer:
    return Layer(**layer.__dict__ | {"window": c["sliding_window"] if slides(c, index) else None})


def heads(c: Config, index: int) -> dict[str, int]:
    """Grouped-query attention, with what a family has beside it: biases, norms of heads or of all, gates of heads."""
    kind, hidden = c["model_type"], c["hidden_size"]
    n, kv = c["num_attention_heads"], c.get("num_key_value_heads") or c.get("num_attention_groups") or c["num_attention_heads"]
    if kind == "step3p5" and slides(c, index):
        n = c.get("attention_other_setting", {}).get("num_attention_heads", n)
        kv = c.get("attention_other_setting", {}).get("num_attention_groups", kv)
    d = c.get("head_dim") or hidden // n
    vectors = 0
    if c.get("attention_bias", kind == "seed_oss") or (kind.startswith("ernie") and c.get("use_bias")):
        vectors += (n + 2 * kv) * d
        if kind not in {"glm4_moe", "seed_oss"}:  # of o_proj
            vectors += hidden
    if kind == "seed_oss" and c.get("attention_out_bias"):
        vectors += hidden
    if kind in {"olmo2", "olmo3"}:
        vectors += (n + kv) * d
    if kind in {"exaone4", "hunyuan_v1_dense", "step3p5"} or (kind == "glm4_moe" and c.get("use_qk_norm")):
        vectors += 2 * d
    gates = hidden * n if c.get("use_head_wise_attn_gate") else 0
    return NO_PAIRS | {"matrices": hidden * (2 * n + 2 * kv) * d + gates, "vectors": vectors, "kv_elements": 2 * kv * d,
                       "pair_macs": 2 * n * d, "absorbed_pair_macs": 2 * n * d}


def experts(c: Config, index: int) -> dict[str, int] | None:
    """Of a layer with experts; else None. A bias is added to scores where experts are selected."""
    kind, hidden = c["model_type"], c["hidden_size"]
    if kind == "glm4_moe":
        if index < c["first_k_dense_replace"]:
            return None
        count, chosen = c["n_routed_experts"], c["num_experts_per_tok"]
        shared = c["n_shared_experts"] * c["moe_intermediate_size"]
    elif kind == "ernie4_5_moe":
        last = c.get("moe_layer_end_index", -1) % c["num_hidden_layers"]
        if not c["moe_layer_start_index"] <= index <= last or (index + 1) % c["moe_layer_interval"]:
            return None
        count, chosen = c["moe_num_experts"], c["moe_k"]
        shared = c["moe_num_shared_experts"] * c["moe_intermediate_size"]
    else:
        if str(index) not in c["moe_layers_enum"].split(","):
            return None
        count, chosen, shared = c["moe_num_experts"], c["moe_top_k"], c["share_expert_dim"]
    return {"matrices": hidden * count + gated_mlp(c, shared), "vectors": count,
            "expert_matrices": gated_mlp(c, c["moe_intermediate_size"]), "experts": count, "selected": chosen}


def mamba_of(c: Config, is_normed: bool = True) -> dict[str, int]:
    """derive_recurrent.mamba by the names that later families gave its fields."""
    names = {"mamba_num_heads": ("mamba_n_heads", "num_heads"), "n_groups": ("mamba_n_groups", "n_groups"),
             "ssm_state_size": ("mamba_d_state", "state_size"), "conv_kernel": ("mamba_d_conv", "conv_kernel"),
             "chunk_size": ("mamba_chunk_size", "chunk_size"), "use_conv_bias": ("mamba_conv_bias", "use_conv_bias")}
    own = {name: next(c[other] for other in others if other in c) for name, others in names.items()}
    inner = c.get("mamba_d_ssm") or c.get("mamba_expand", c.get("expand", 2)) * c["hidden_size"]
    facts = mamba(own | {"hidden_size": c["hidden_size"], "mamba_head_dim": inner // own["mamba_num_heads"]})
    return facts | {"vectors": facts["vectors"] - (0 if is_normed else inner)}


def plain_heads(c: Config) -> dict[str, int]:
    return gqa(c | {"head_dim": c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"], "model_type": "llama"})


def falcon(c: Config, index: int) -> Layer:
    """Attention and Mamba-2 read one norm."""
    attention, state = plain_heads(c), mamba_of(c, c.get("mamba_rms_norm", False))
    both = attention | state | {key: attention[key] + state[key] for key in ("matrices", "vectors")}
    return build(c, 2, both, {"matrices": gated_mlp(c, c["intermediate_size"])})


def granite(c: Config, index: int) -> Layer:
    types = c.get("layer_types") or c.get("layers_block_type") or ["mamba"] * c["num_hidden_layers"]
    mixer = plain_heads(c) if types[index] == "attention" else mamba_of(c)
    ffn = {"matrices": gated_mlp(c, c["shared_intermediate_size"])}
    count = c["num_local_experts"]
    if count:
        ffn = {"matrices": ffn["matrices"] + c["hidden_size"] * count, "experts": count, "selected": c["num_experts_per_tok"],
               "expert_matrices": gated_mlp(c, c["intermediate_size"])}
    return build(c, 2, mixer, ffn)


def bamba(c: Config, index: int) -> Layer:
    mixer = plain_heads(c) if index in c["attn_layer_indices"] else mamba_of(c)
    return build(c, 2, mixer, {"matrices": gated_mlp(c, c["intermediate_size"])})


def mamba_alone(c: Config, index: int) -> Layer:
    return build(c, 1, mamba_of(c), dict(NO_FFN))


def lfm2(c: Config, index: int) -> Layer:
    """A convolution of K taps between two gates: a matrix to three vectors, one back."""
    hidden, attends = c["hidden_size"], c.get("full_attn_idxs")
    types = c.get("layer_types")
    if types[index] == "full_attention" if types else index in attends:
        plain, d = plain_heads(c), c.get("head_dim") or hidden // c["num_attention_heads"]
        mixer = plain | {"vectors": plain["vectors"] + 2 * d}  # norms of queries and keys
    else:
        taps, bias = c["conv_L_cache"], bool(c.get("conv_bias"))
        mixer = {"matrices": 4 * hidden * hidden, "vectors": taps * hidden + bias * 5 * hidden,
                 "state_elements": (taps - 1) * hidden, "step_macs": taps * hidden, "tokens_macs": taps * hidden}
    if c["model_type"] == "lfm2_moe" and index >= c["num_dense_layers"]:
        count = c["num_experts"]
        ffn = {"matrices": hidden * count, "vectors": count if c.get("use_expert_bias", True) else 0, "experts": count,
               "selected": c["num_experts_per_tok"], "expert_matrices": gated_mlp(c, c["moe_intermediate_size"])}
    else:
        ffn = {"matrices": gated_mlp(c, lfm2_width(c))}
    return build(c, 2, mixer, ffn)


def lfm2_width(c: Config) -> int:
    width = c.get("block_ff_dim") or c["intermediate_size"]
    if c["model_type"] == "lfm2_moe" or not c.get("block_auto_adjust_ff_dim", True):
        return width
    step = c.get("block_multiple_of", 256)
    return -(-int(c.get("block_ffn_dim_multiplier", 1.0) * int(2 * width / 3)) // step) * step
