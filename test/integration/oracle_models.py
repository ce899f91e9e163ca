#!/usr/bin/env python3
"""A float64 NumPy oracle of decoder-only language models.

It is written from the papers and from the reference implementations in Hugging Face transformers (4.57), for clarity
and not for speed.  Where the two differ it follows transformers and says so.  Everything is float64: it never rounds
where a reference implementation rounds to bfloat16 or float32 (router logits, Gemma's embedding normaliser, angles).

Letters in shapes: n new tokens, m tokens in all, H query heads, K key/value heads, d head size, E experts, k chosen.

    python3 oracle_models.py --self-test
"""

import json
import math
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

# --- Configurations ---------------------------------------------------------------------------------------------------

WRAPPERS = {"llama4": "llama4_text", "gemma3": "gemma3_text", "qwen3_vl_moe": "qwen3_vl_moe_text"}  # They nest a text_config.
ALIASES = {"mimo": "qwen2", "qwen3_vl_moe_text": "qwen3_moe"}  # The same decoder under another name.
GEMMA, MLA = {"gemma2", "gemma3_text"}, {"deepseek_v2", "deepseek_v3", "kimi_k2"}
ABSENT = {"nemotron-nas"}  # Families of ../models that are not here: layers differ in shape.
COMMON_DEFAULTS = dict(
    head_dim=None, num_key_value_heads=None, hidden_act="silu", rms_norm_eps=1e-6, rope_theta=1e4, rope_scaling=None,
    max_position_embeddings=None, tie_word_embeddings=False, attention_bias=False, mlp_bias=False, sliding_window=None,
    partial_rotary_factor=1.0, attn_logit_softcapping=None, final_logit_softcapping=None)
QWEN_WINDOW = dict(use_sliding_window=False, sliding_window=4096, max_window_layers=28)
GPT_OSS_YARN = dict(rope_type="yarn", factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
                    original_max_position_embeddings=4096)
DEEPSEEK_V3_DEFAULTS = dict(
    q_lora_rank=1536, first_k_dense_replace=3, moe_layer_freq=1, n_shared_experts=1, n_group=8, topk_group=4,
    norm_topk_prob=True, routed_scaling_factor=2.5)
FAMILY_DEFAULTS = {  # What a transformers config class takes for a field that config.json leaves out.
    "llama": {},
    "mistral": dict(sliding_window=4096),
    "qwen2": QWEN_WINDOW,
    "qwen3": dict(QWEN_WINDOW, head_dim=128),
    "qwen3_moe": dict(QWEN_WINDOW, norm_topk_prob=False, decoder_sparse_step=1, mlp_only_layers=[]),
    "gemma2": dict(head_dim=256, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=256, sliding_window=4096,
                   attn_logit_softcapping=50.0, final_logit_softcapping=30.0, tie_word_embeddings=True),
    "gemma3_text": dict(head_dim=256, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=256,
                        sliding_window=4096, sliding_window_pattern=6, rope_theta=1e6, rope_local_base_freq=1e4,
                        tie_word_embeddings=True),
    "phi3": dict(rms_norm_eps=1e-5, original_max_position_embeddings=4096, max_position_embeddings=4096),
    "mixtral": dict(rms_norm_eps=1e-5, rope_theta=1e6),
    "mimo_v2_flash": dict(rope_theta=5e6, layernorm_epsilon=1e-5, n_group=1, topk_group=1, norm_topk_prob=True,
                          swa_rope_theta=1e4, attention_value_scale=None),
    "minimax_m2": dict(head_dim=128, rope_theta=5e6, rotary_dim=None, use_qk_norm=True),
    "gpt_oss": dict(head_dim=64, rms_norm_eps=1e-5, rope_theta=150000.0, rope_scaling=GPT_OSS_YARN, sliding_window=128,
                    max_position_embeddings=131072, attention_bias=True, swiglu_limit=7.0),
    "llama4_text": dict(head_dim=128, rms_norm_eps=1e-5, rope_theta=5e5, attention_chunk_size=8192, use_qk_norm=True,
                        no_rope_layer_interval=4, interleave_moe_layer_step=1, num_experts_per_tok=1,
                        attn_temperature_tuning=True, floor_scale=8192, attn_scale=0.1),
    "deepseek_v2": dict(q_lora_rank=1536, first_k_dense_replace=0, moe_layer_freq=1, n_shared_experts=2,
                        topk_method="greedy", norm_topk_prob=False, routed_scaling_factor=1.0),
    "deepseek_v3": DEEPSEEK_V3_DEFAULTS,
    "kimi_k2": DEEPSEEK_V3_DEFAULTS,  # Kimi K2 ships DeepSeek-V3's code under its own name.
}


def resolve(config):
    """The decoder's flat config with the defaults of its family filled in.  Raises ValueError for unknown families."""
    outer = config["model_type"]
    if config.get("text_config") and outer not in WRAPPERS:
        raise ValueError(f"unknown model_type with a text_config: {outer!r}")
    inner = {"model_type": outer, **(config.get("text_config") or config)}
    family = WRAPPERS.get(inner["model_type"], inner["model_type"])
    family = ALIASES.get(family, family)
    if family not in FAMILY_DEFAULTS:
        raise ValueError(f"unknown model_type: {family!r}")
    if "rope_parameters" in inner:
        raise ValueError("rope_parameters is a field of transformers 5; this oracle reads rope_theta and rope_scaling")
    c = {**COMMON_DEFAULTS, **FAMILY_DEFAULTS[family], **inner, "model_type": family}
    c["rms_norm_eps"] = c.get("layernorm_epsilon", c["rms_norm_eps"])
    c["num_key_value_heads"] = c["num_key_value_heads"] or c["num_attention_heads"]
    if family not in MLA:
        c["head_dim"] = c["head_dim"] or c["hidden_size"] // c["num_attention_heads"]
    return c


class Layer(NamedTuple):
    """What sets one decoder layer apart: its attention's kind, whether it has rope, whether its MLP has experts."""
    attention: str
    rope: bool
    moe: bool


def layer_plan(c):
    """One Layer per decoder layer of the resolved config."""
    count = c["num_hidden_layers"]
    interval = c.get("no_rope_layer_interval")
    rope = c.get("no_rope_layers") or [not interval or (i + 1) % interval != 0 for i in range(count)]  # 1 means rope.
    if c["model_type"] == "mimo_v2_flash":
        kinds = ["sliding_attention" if mark else "full_attention" for mark in c["hybrid_layer_pattern"]]
        return [Layer(kinds[i], True, bool(c["moe_layer_freq"][i])) for i in range(count)]
    kinds = c.get("layer_types") or [default_layer_type(c, i, rope[i]) for i in range(count)]
    unknown = set(kinds) - {"full_attention", "sliding_attention", "chunked_attention"}
    if unknown:
        raise ValueError(f"unknown layer_types: {sorted(unknown)}")
    return [Layer(kinds[i], bool(rope[i]), is_moe_layer(c, i)) for i in range(count)]


def default_layer_type(c, i, rope):
    """The attention kind of layer i where the config has no layer_types."""
    family, window = c["model_type"], c["sliding_window"]
    if family == "llama4_text":
        return "chunked_attention" if rope else "full_attention"
    if family in ("gemma2", "gpt_oss"):
        sliding = i % 2 == 0
    elif family == "gemma3_text":
        sliding = (i + 1) % c["sliding_window_pattern"] != 0
    elif family in ("qwen2", "qwen3"):
        sliding = c["use_sliding_window"] and window is not None and i >= c["max_window_layers"]
    elif family == "qwen3_moe":  # Qwen3MoeModel windows every layer and reads no max_window_layers.
        sliding = c["use_sliding_window"] and window is not None
    else:
        sliding = family in ("mistral", "mixtral", "phi3") and window is not None
    return "sliding_attention" if sliding else "full_attention"


def is_moe_layer(c, i):
    """Whether the MLP of layer i is a mixture of experts."""
    family = c["model_type"]
    if family == "qwen3_moe":
        return i not in (c["mlp_only_layers"] or []) and (i + 1) % c["decoder_sparse_step"] == 0
    if family == "llama4_text":
        step = c["interleave_moe_layer_step"]
        return i in c["moe_layers"] if c.get("moe_layers") is not None else (i + 1) % step == 0
    if family in MLA:
        return bool(c.get("n_routed_experts")) and i >= c["first_k_dense_replace"] and i % c["moe_layer_freq"] == 0
    return family in ("mixtral", "gpt_oss", "minimax_m2")


def expert_count(c):
    """The number of routed experts, whose field has three names."""
    return next(c[key] for key in ("num_local_experts", "num_experts", "n_routed_experts") if key in c)


# --- Weights ----------------------------------------------------------------------------------------------------------

def weight_shapes(config):
    """Names and shapes of the tensors of a Hugging Face checkpoint of this config; a Linear weight is [out, in]."""
    c = resolve(config)
    hidden, vocab = c["hidden_size"], c["vocab_size"]
    shapes = {"model.embed_tokens.weight": (vocab, hidden), "model.norm.weight": (hidden,)}
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (vocab, hidden)
    norms = ["input_layernorm", "post_attention_layernorm"]
    if c["model_type"] in GEMMA:
        norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
    for i, layer in enumerate(layer_plan(c)):
        parts = {f"{name}.weight": (hidden,) for name in norms}
        parts |= prefixed("self_attn.", mla_shapes(c) if c["model_type"] in MLA else attention_shapes(of_layer(c, layer)))
        parts |= prefixed(mlp_name(c) + ".", moe_shapes(c) if layer.moe else mlp_shapes(c, dense_intermediate(c)))
        shapes |= prefixed(f"model.layers.{i}.", parts)
    return shapes


def of_layer(c, layer):
    """The config as a layer sees it: MiMo-V2's with a window have heads, sizes, base and sinks of their own."""
    if c["model_type"] != "mimo_v2_flash":
        return c
    if layer.attention == "full_attention":
        return c | {"has_sinks": c["add_full_attention_sink_bias"]}
    own = {key: c["swa_" + key] for key in ("num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim", "rope_theta")}
    return c | own | {"has_sinks": c["add_swa_attention_sink_bias"]}


def prefixed(prefix, shapes):
    return {prefix + name: shape for name, shape in shapes.items()}


def linear_shapes(name, out, inputs, bias=False):
    return {f"{name}.weight": (out, inputs)} | ({f"{name}.bias": (out,)} if bias else {})


def mlp_name(c):
    return {"mixtral": "block_sparse_moe", "minimax_m2": "block_sparse_moe", "llama4_text": "feed_forward"}.get(c["model_type"], "mlp")


def router_name(c):
    return "router" if c["model_type"] in ("gpt_oss", "llama4_text") else "gate"


def expert_projections(c):
    """The names of one expert's gate, up and down projections."""
    return ("w1", "w3", "w2") if c["model_type"] in ("mixtral", "minimax_m2") else ("gate_proj", "up_proj", "down_proj")


def dense_intermediate(c):
    return c["intermediate_size_mlp"] if c["model_type"] == "llama4_text" else c["intermediate_size"]


def attention_shapes(c):
    """Tensors of grouped-query attention: q, k, v, o projections, query/key norms and sinks."""
    hidden, d, family = c["hidden_size"], c["head_dim"], c["model_type"]
    q, kv = c["num_attention_heads"] * d, c["num_key_value_heads"] * d
    if family == "mimo_v2_flash":
        values, out = c["num_key_value_heads"] * c["v_head_dim"], c["num_attention_heads"] * c["v_head_dim"]
        shapes = linear_shapes("q_proj", q, hidden) | linear_shapes("k_proj", kv, hidden)
        shapes |= linear_shapes("v_proj", values, hidden) | linear_shapes("o_proj", hidden, out)
        return shapes | ({"attention_sink_bias": (c["num_attention_heads"],)} if c["has_sinks"] else {})
    biased = c["attention_bias"] and family in ("llama", "qwen3", "qwen3_moe", "gpt_oss", "llama4_text", *GEMMA)
    if family == "phi3":
        shapes = linear_shapes("qkv_proj", q + 2 * kv, hidden)
    else:
        qkv_biased = biased or family == "qwen2"
        shapes = linear_shapes("q_proj", q, hidden, qkv_biased) | linear_shapes("k_proj", kv, hidden, qkv_biased)
        shapes |= linear_shapes("v_proj", kv, hidden, qkv_biased)
    shapes |= linear_shapes("o_proj", hidden, q, biased)
    if family in ("qwen3", "qwen3_moe", "gemma3_text"):
        shapes |= {"q_norm.weight": (d,), "k_norm.weight": (d,)}
    if family == "minimax_m2":  # Over all heads together.
        shapes |= {"q_norm.weight": (q,), "k_norm.weight": (kv,)}
    if family == "gpt_oss":
        shapes["sinks"] = (c["num_attention_heads"],)
    return shapes


def mla_shapes(c):
    """Tensors of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434)."""
    hidden, heads, bias = c["hidden_size"], c["num_attention_heads"], c["attention_bias"]
    nope, rope, rank, q_rank = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["kv_lora_rank"], c["q_lora_rank"]
    if q_rank:
        shapes = linear_shapes("q_a_proj", q_rank, hidden, bias) | {"q_a_layernorm.weight": (q_rank,)}
        shapes |= linear_shapes("q_b_proj", heads * (nope + rope), q_rank)
    else:
        shapes = linear_shapes("q_proj", heads * (nope + rope), hidden)
    shapes |= linear_shapes("kv_a_proj_with_mqa", rank + rope, hidden, bias) | {"kv_a_layernorm.weight": (rank,)}
    shapes |= linear_shapes("kv_b_proj", heads * (nope + c["v_head_dim"]), rank)
    return shapes | linear_shapes("o_proj", hidden, heads * c["v_head_dim"], bias)


def mlp_shapes(c, inter, names=("gate_proj", "up_proj", "down_proj")):
    """Tensors of one gated MLP with `inter` intermediate channels."""
    hidden, bias = c["hidden_size"], c["mlp_bias"] and c["model_type"] == "llama"
    if c["model_type"] == "phi3":
        return linear_shapes("gate_up_proj", 2 * inter, hidden) | linear_shapes("down_proj", hidden, inter)
    gate, up, down = names
    shapes = linear_shapes(gate, inter, hidden, bias) | linear_shapes(up, inter, hidden, bias)
    return shapes | linear_shapes(down, hidden, inter, bias)


def moe_shapes(c):
    """Tensors of a mixture of experts: router, routed experts and shared experts."""
    family, hidden, experts = c["model_type"], c["hidden_size"], expert_count(c)
    inter = c.get("moe_intermediate_size", c["intermediate_size"])
    shapes = linear_shapes(router_name(c), experts, hidden, bias=family == "gpt_oss")
    if family in ("gpt_oss", "llama4_text"):  # Experts in one tensor, laid out [E, in, out].
        shapes |= {"experts.gate_up_proj": (experts, hidden, 2 * inter), "experts.down_proj": (experts, inter, hidden)}
        if family == "gpt_oss":
            return shapes | {"experts.gate_up_proj_bias": (experts, 2 * inter),
                             "experts.down_proj_bias": (experts, hidden)}
        return shapes | prefixed("shared_expert.", mlp_shapes(c, inter))
    for e in range(experts):
        shapes |= prefixed(f"experts.{e}.", mlp_shapes(c, inter, expert_projections(c)))
    if family in ("deepseek_v3", "kimi_k2", "mimo_v2_flash"):
        shapes["gate.e_score_correction_bias"] = (experts,)
    if family == "minimax_m2":
        shapes["e_score_correction_bias"] = (experts,)
    if c.get("n_shared_experts"):
        shapes |= prefixed("shared_experts.", mlp_shapes(c, inter * c["n_shared_experts"]))
    return shapes


# --- Norms, activations, rope -----------------------------------------------------------------------------------------

def linear(x, weight, bias=None):
    """x [..., in] times weight [out, in] transposed, plus bias [out] (torch.nn.Linear)."""
    return x @ weight.T if bias is None else x @ weight.T + bias


def rms_norm(x, weight=None, eps=1e-6):
    """RMSNorm over the last axis (LlamaRMSNorm).  Without a weight it is Llama4TextL2Norm: a mean square, no sum."""
    normed = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)
    return normed if weight is None else normed * weight


def gemma_rms_norm(x, weight, eps=1e-6):
    """RMSNorm whose stored weight is an offset from one (Gemma2RMSNorm, Gemma3RMSNorm)."""
    return rms_norm(x, 1.0 + weight, eps)


def sigmoid(x):
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def softmax(x):
    """Softmax over the last axis; entries of -inf get 0."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def activation(name, x):
    """The hidden activation of that name in transformers' ACT2FN."""
    if name in ("silu", "swish"):
        return x * sigmoid(x)
    if name in ("gelu_pytorch_tanh", "gelu_new"):
        return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x ** 3)))
    raise ValueError(f"unknown activation: {name!r}")


def gpt_oss_swiglu(gate, up, alpha=1.702, limit=7.0):
    """The clamped SwiGLU of gpt-oss (GptOssExperts): gate is clamped from above only, and one is added to up."""
    gate, up = np.minimum(gate, limit), np.clip(up, -limit, limit)
    return (up + 1.0) * gate * sigmoid(alpha * gate)


def soft_cap(x, cap):
    """cap * tanh(x / cap) (Gemma 2); no cap where cap is None."""
    return x if cap is None else cap * np.tanh(x / cap)


def rope_type(scaling, family=None):
    """The normalised type name of a rope_scaling dict."""
    kind = "default" if not scaling else scaling.get("rope_type") or scaling.get("type") or "default"
    if kind == "su" or (family == "phi3" and kind == "yarn"):  # Phi3Config renames both.
        return "longrope"
    return kind


def rope_frequencies(dim, theta, scaling=None, max_position=None, original_max_position=None, total_length=0,
                     family=None):
    """Inverse frequencies [dim/2] and the attention factor of cos and sin, for every rope_scaling type known here.

    original_max_position is the config's own field (Phi-3); total_length is what longrope picks its factors by.
    """
    kind, inv = rope_type(scaling, family), theta ** (-np.arange(0, dim, 2, dtype=np.float64) / dim)
    if kind == "default":
        return inv, 1.0
    if kind == "linear":  # Position interpolation, arXiv 2306.15595.
        return inv / scaling["factor"], 1.0
    if kind == "llama3":
        return rope_llama3(inv, scaling), 1.0
    if kind == "yarn":
        return rope_yarn(inv, theta, scaling, max_position), yarn_attention_factor(scaling)
    if kind == "longrope":
        original = original_max_position or scaling.get("original_max_position_embeddings") or max_position
        factors = np.asarray(scaling["long_factor" if total_length > original else "short_factor"], np.float64)
        if factors.shape != inv.shape:
            raise ValueError(f"longrope has {factors.size} factors for {inv.size} frequencies")
        return inv / factors, longrope_attention_factor(scaling, max_position, original)
    raise ValueError(f"unknown rope_scaling type: {kind!r}")


def rope_llama3(inv, scaling):
    """Llama 3.1's scaling (_compute_llama3_parameters): long wavelengths are divided by factor, middle ones blended."""
    low, high, factor = scaling["low_freq_factor"], scaling["high_freq_factor"], scaling["factor"]
    turns = scaling["original_max_position_embeddings"] * inv / (2.0 * math.pi)  # Original context over wavelength.
    if low == high:  # Llama 4 Scout has no middle band.
        return np.where(turns < low, inv / factor, inv)
    keep = np.clip((turns - low) / (high - low), 0.0, 1.0)
    return keep * inv + (1.0 - keep) * inv / factor


def rope_yarn(inv, theta, scaling, max_position=None):
    """YaRN's blend by parts (arXiv 2309.00071, _compute_yarn_parameters); truncate rounds the bounds of the ramp."""
    dim, factor = 2 * len(inv), scaling["factor"]
    original = scaling.get("original_max_position_embeddings") or max_position

    def dim_of(rotations):
        return dim * math.log(original / (rotations * 2.0 * math.pi)) / (2.0 * math.log(theta))

    low, high = dim_of(scaling.get("beta_fast") or 32), dim_of(scaling.get("beta_slow") or 1)
    if scaling.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    high += 0.001 if low == high else 0.0
    interpolated = np.clip((np.arange(dim // 2) - low) / (high - low), 0.0, 1.0)
    return interpolated * inv / factor + (1.0 - interpolated) * inv


def yarn_mscale(factor, mscale=1.0):
    """YaRN's attention scaling 0.1 * mscale * ln(factor) + 1, and 1 where nothing is extended."""
    return 1.0 if factor <= 1.0 else 0.1 * mscale * math.log(factor) + 1.0


def yarn_attention_factor(scaling):
    """The factor on cos and sin: explicit, or DeepSeek's ratio of mscales, or YaRN's own value."""
    factor, mscale, all_dim = scaling["factor"], scaling.get("mscale"), scaling.get("mscale_all_dim")
    if scaling.get("attention_factor") is not None:
        return float(scaling["attention_factor"])
    if mscale and all_dim:
        return yarn_mscale(factor, mscale) / yarn_mscale(factor, all_dim)
    return yarn_mscale(factor)


def longrope_attention_factor(scaling, max_position, original):
    """The factor on cos and sin of LongRoPE (arXiv 2402.13753, _compute_longrope_parameters)."""
    if scaling.get("attention_factor") is not None:
        return float(scaling["attention_factor"])
    factor = scaling["factor"] if max_position in (None, original) and "factor" in scaling else max_position / original
    return 1.0 if factor <= 1.0 else math.sqrt(1.0 + math.log(factor) / math.log(original))


def rope_angles(positions, inv_freq, attention_factor=1.0):
    """cos and sin [n, dim/2] of positions [n], both multiplied by the attention factor."""
    angles = np.asarray(positions, np.float64)[:, None] * inv_freq[None, :]
    return np.cos(angles) * attention_factor, np.sin(angles) * attention_factor


def apply_rope_half(x, cos, sin):
    """Rotates the pairs (i, i + r/2) of the first r channels of x [n, heads, d]; the rest pass (rotate_half)."""
    half = cos.shape[-1]
    a, b, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
    cos, sin = cos[:, None, :], sin[:, None, :]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin, rest], axis=-1)


def apply_rope_interleaved(x, cos, sin):
    """Rotates the pairs (2i, 2i + 1) of the first r channels of x [n, heads, d] in place of order (Llama 4, DeepSeek).

    DeepseekV3 de-interleaves as it rotates; queries and keys alike, so that the scores are the same.
    """
    out, r = x.copy(), 2 * cos.shape[-1]
    a, b = x[..., 0:r:2], x[..., 1:r:2]
    cos, sin = cos[:, None, :], sin[:, None, :]
    out[..., 0:r:2], out[..., 1:r:2] = a * cos - b * sin, b * cos + a * sin
    return out


# --- Attention --------------------------------------------------------------------------------------------------------

def attention_mask(query_positions, key_positions, window=None, chunk=None):
    """Boolean [n, m], True where a query sees a key.  A window of w is the token itself and the w - 1 before it."""
    q, k = np.asarray(query_positions)[:, None], np.asarray(key_positions)[None, :]
    mask = k <= q
    if window is not None:
        mask = mask & (q - k < window)
    if chunk is not None:  # Llama 4: fixed chunks from position 0.
        mask = mask & (q // chunk == k // chunk)
    return mask


def attention(q, k, v, mask, scale, softcap=None, sinks=None):
    """Grouped-query attention: q [n, H, d], k [m, K, d], v [m, K, dv], mask [n, m] to [n, H, dv].

    Query head h reads key/value head h // (H/K).  softcap is Gemma 2's; sinks [H] are gpt-oss's logits of no value.
    """
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = soft_cap(np.einsum("nhd,mhd->hnm", q, k) * scale, softcap)
    scores = np.where(mask[None], scores, -np.inf)
    if sinks is not None:
        column = np.broadcast_to(sinks[:, None, None], scores.shape[:2] + (1,))
        scores = np.concatenate([scores, column], axis=-1)
    return np.einsum("hnm,mhd->nhd", softmax(scores)[..., :k.shape[0]], v)


def attention_temperature(positions, floor_scale, attn_scale):
    """The factor [n] on the queries of Llama 4's layers without rope (arXiv 2501.19399, Llama4TextAttention)."""
    return np.log(np.floor((np.asarray(positions, np.float64) + 1.0) / floor_scale) + 1.0) * attn_scale + 1.0


def deepseek_softmax_scale(qk_head_dim, scaling=None):
    """DeepSeek's softmax scale: yarn's mscale_all_dim corrects it twice, for queries and keys (DeepseekV3Attention).

    DeepSeek's own code does so for V2 as well; so does this oracle.
    """
    all_dim = scaling.get("mscale_all_dim") if scaling else None
    return qk_head_dim ** -0.5 * (yarn_mscale(scaling["factor"], all_dim) ** 2 if all_dim else 1.0)


def mla_expanded(q_nope, q_rope, latent, k_rope, kv_b, mask, scale):
    """Latent attention as the paper's training form: keys and values of every head are made of the latent.

    q_nope [n, H, dn], q_rope [n, H, dr], latent [m, r], k_rope [m, dr], kv_b [H * (dn + dv), r] to [n, H, dv].
    """
    heads, nope = q_nope.shape[1:]
    kv = linear(latent, kv_b).reshape(len(latent), heads, -1)
    shared = np.broadcast_to(k_rope[:, None, :], (len(latent), heads, k_rope.shape[-1]))
    k = np.concatenate([kv[..., :nope], shared], axis=-1)
    return attention(np.concatenate([q_nope, q_rope], axis=-1), k, kv[..., nope:], mask, scale)


def mla_absorbed(q_nope, q_rope, latent, k_rope, kv_b, mask, scale):
    """The same with kv_b absorbed into queries and outputs, so that it is multi-query attention on the latent."""
    heads, nope = q_nope.shape[1:]
    kv_b = kv_b.reshape(heads, -1, latent.shape[-1])
    q = np.concatenate([np.einsum("nhd,hdr->nhr", q_nope, kv_b[:, :nope]), q_rope], axis=-1)
    k = np.concatenate([latent, k_rope], axis=-1)[:, None, :]
    return np.einsum("nhr,hvr->nhv", attention(q, k, latent[:, None, :], mask, scale), kv_b[:, nope:])


# --- Routers: logits [n, E] to experts [n, k], their weights [n, k] and the margin [n] of the closest choice ----------

def top_k(scores, k):
    """Indices [n, k] of the greatest scores, greatest first, the lower index at a tie; and the margin to the next."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=-1)
    margin = ranked[:, k - 1] - ranked[:, k] if k < scores.shape[-1] else np.full(len(scores), np.inf)
    return order[:, :k], margin


def route_softmax_of_top_k(logits, k):
    """Softmax over the chosen logits (Mixtral, arXiv 2401.04088; GptOssTopKRouter, whose logits are biased)."""
    experts, margin = top_k(logits, k)
    return experts, softmax(np.take_along_axis(logits, experts, axis=-1)), margin


def route_qwen3(logits, k, norm_topk_prob):
    """Softmax over all experts, then the top k, made to sum to one if so configured (Qwen3MoeSparseMoeBlock)."""
    probs = softmax(logits)
    experts, margin = top_k(probs, k)
    weights = np.take_along_axis(probs, experts, axis=-1)
    return experts, weights / weights.sum(axis=-1, keepdims=True) if norm_topk_prob else weights, margin


def route_llama4(logits, k):
    """The sigmoid of the chosen logits (Llama4Router); it scales the expert's input."""
    experts, margin = top_k(logits, k)
    return experts, sigmoid(np.take_along_axis(logits, experts, axis=-1)), margin


def keep_groups(scores, group_scores, topk_group):
    """scores [n, E] with those outside the best topk_group of groups set to 0, and the margin of that choice.

    Zero and not -inf is what transformers writes; the two differ only where a corrected score is below 0.
    """
    chosen, margin = top_k(group_scores, topk_group)
    kept = np.zeros(group_scores.shape, bool)
    np.put_along_axis(kept, chosen, True, axis=-1)
    return np.where(np.repeat(kept, scores.shape[-1] // kept.shape[-1], axis=-1), scores, 0.0), margin


def route_deepseek_v2(logits, k, method="greedy", n_group=None, topk_group=None, norm_topk_prob=False, scale=1.0):
    """DeepseekV2MoEGate: softmax; the groups are ranked by their best expert.

    DeepSeek's own code divides by the sum in place of scaling if norm_topk_prob; no published V2 does.
    """
    probs = choice = softmax(logits)
    if method == "group_limited_greedy":
        choice, group_margin = keep_groups(probs, probs.reshape(len(probs), n_group, probs.shape[-1] // n_group).max(axis=-1), topk_group)
    elif method == "greedy":
        group_margin = np.inf
    else:
        raise ValueError(f"unknown topk_method of DeepSeek-V2: {method!r}")
    experts, margin = top_k(choice, k)
    weights = np.take_along_axis(probs, experts, axis=-1)
    if norm_topk_prob and k > 1:
        return experts, weights / (weights.sum(axis=-1, keepdims=True) + 1e-20), np.minimum(margin, group_margin)
    return experts, weights * scale, np.minimum(margin, group_margin)


def route_deepseek_v3(logits, bias, k, n_group=1, topk_group=1, norm_topk_prob=True, scale=1.0):
    """DeepseekV3TopkRouter (noaux_tc): sigmoid scores; the bias [E] takes part in the choice alone.

    The groups are ranked by the sum of their two best corrected scores.
    """
    scores = sigmoid(logits)
    corrected = scores + bias
    best_two = np.sort(corrected.reshape(len(scores), n_group, scores.shape[-1] // n_group), axis=-1)[..., -2:].sum(axis=-1)
    choice, group_margin = keep_groups(corrected, best_two, topk_group)
    experts, margin = top_k(choice, k)
    weights = np.take_along_axis(scores, experts, axis=-1)
    if norm_topk_prob:
        weights = weights / (weights.sum(axis=-1, keepdims=True) + 1e-20)
    return experts, weights * scale, np.minimum(margin, group_margin)


def route(c, logits, bias=None):
    """The router of the resolved config's family."""
    family, k = c["model_type"], c["num_experts_per_tok"]
    if family in ("mixtral", "gpt_oss"):
        return route_softmax_of_top_k(logits, k)
    if family == "qwen3_moe":
        return route_qwen3(logits, k, c["norm_topk_prob"])
    if family == "llama4_text":
        return route_llama4(logits, k)
    if family == "deepseek_v2":
        return route_deepseek_v2(logits, k, c["topk_method"], c.get("n_group"), c.get("topk_group"),
                                 c["norm_topk_prob"], c["routed_scaling_factor"])
    if family == "minimax_m2":  # MiniMaxM2TopKRouter: as DeepSeek-V3's without groups and scale.
        return route_deepseek_v3(logits, bias, k)
    return route_deepseek_v3(logits, bias, k, c["n_group"], c["topk_group"], c["norm_topk_prob"],
                             c.get("routed_scaling_factor") or 1.0)


# --- The model --------------------------------------------------------------------------------------------------------

class Model:
    """A decoder of one of the families above.  A cache is one sequence's {"tokens": [...], "layers": [(k, v), ...]}."""

    def __init__(self, config, weights, mla="expanded"):
        """weights are the tensors of weight_shapes(config); others, as of multi-token prediction, are unused."""
        if mla not in ("expanded", "absorbed"):
            raise ValueError(f"unknown form of latent attention: {mla!r}")
        self.c, self.mla = resolve(config), {"expanded": mla_expanded, "absorbed": mla_absorbed}[mla]
        self.layers, self.family = layer_plan(self.c), self.c["model_type"]
        self.w = {}
        for name, shape in weight_shapes(config).items():
            if name not in weights or tuple(weights[name].shape) != shape:
                raise ValueError(f"{name}: expected shape {shape}, got {getattr(weights.get(name), 'shape', None)}")
            self.w[name] = np.asarray(weights[name], np.float64)

    def forward(self, new_tokens, caches=None, trace=None):
        """Logits [n_i, vocab] of every sequence's new tokens and the caches grown by them; old caches stay as they are.

        trace, if given, gets a list per name such as "layers.0.attn_out", with one array [n_i, ...] per sequence.
        """
        caches = caches or [{"tokens": [], "layers": [None] * len(self.layers)} for _ in new_tokens]
        results = [self.forward_one(list(new), cache, trace) for new, cache in zip(new_tokens, caches, strict=True)]
        return [logits for logits, _ in results], [cache for _, cache in results]

    def forward_one(self, new, cache, trace):
        """One sequence of forward.  Where longrope changes its factors all is computed anew, as in Phi3ForCausalLM."""
        def note(name, value):
            if trace is not None:
                trace.setdefault(name, []).append(value)

        tokens = cache["tokens"] + new
        old = len(cache["tokens"])
        if old and any(np.any(a != b) for a, b in zip(self.frequencies(old)[0], self.frequencies(len(tokens))[0])):
            logits, cache = self.forward_one(tokens, {"tokens": [], "layers": [None] * len(self.layers)}, trace)
            return logits[old:], cache
        positions, layers = np.arange(old, len(tokens)), []
        x = note_as(note, "embed", self.embed(np.asarray(new, int)))
        for i, layer in enumerate(self.layers):
            x, kv = self.decoder_layer(i, layer, x, positions, cache["layers"][i], note)
            layers.append(kv)
        x = note_as(note, "final_norm", self.norm("model.norm", x))
        head = self.w.get("lm_head.weight", self.w["model.embed_tokens.weight"])
        logits = note_as(note, "logits", soft_cap(linear(x, head), self.c["final_logit_softcapping"]))
        return logits, {"tokens": tokens, "layers": layers}

    def embed(self, tokens):
        """Embeddings [n, hidden].  Gemma's factor sqrt(hidden), which transformers rounds to bfloat16, is exact here."""
        x = self.w["model.embed_tokens.weight"][tokens]
        return x * math.sqrt(self.c["hidden_size"]) if self.family in GEMMA else x

    def norm(self, name, x, eps=None):
        norm = gemma_rms_norm if self.family in GEMMA else rms_norm
        return norm(x, self.w[name + ".weight"], self.c["rms_norm_eps"] if eps is None else eps)

    def linear(self, name, x):
        return linear(x, self.w[name + ".weight"], self.w.get(name + ".bias"))

    def decoder_layer(self, i, layer, x, positions, cache, note):
        """One decoder layer on x [n, hidden]; Gemma norms each branch's output too ("sandwich")."""
        p, t, gemma = f"model.layers.{i}.", f"layers.{i}.", self.family in GEMMA
        h = note_as(note, t + "attn_in", self.norm(p + "input_layernorm", x))
        attend = self.latent_attention if self.family in MLA else self.attention
        attend = self.mimo_v2_attention if self.family == "mimo_v2_flash" else attend
        h, kv = attend(p + "self_attn.", layer, h, positions, cache, lambda name, value: note(t + name, value))
        note(t + "attn_out", h)
        x = x + (self.norm(p + "post_attention_layernorm", h) if gemma else h)
        h = self.norm(p + ("pre_feedforward_layernorm" if gemma else "post_attention_layernorm"), x)
        note(t + "mlp_in", h)
        block = p + mlp_name(self.c) + "."
        h = self.moe(block, h, lambda name, value: note(t + name, value)) if layer.moe else self.mlp(block, h)
        note(t + "mlp_out", h)
        return note_as(note, t + "out", x + (self.norm(p + "post_feedforward_layernorm", h) if gemma else h)), kv

    def frequencies(self, total_length, local=False):
        """rope_frequencies of this config; Gemma 3's sliding layers have a base of their own and no scaling."""
        c = self.c
        if local and self.family == "gemma3_text":
            return rope_frequencies(c["head_dim"], c["rope_local_base_freq"])
        dim = c["qk_rope_head_dim"] if self.family in MLA else int(c["head_dim"] * c["partial_rotary_factor"])
        dim = c.get("rotary_dim") or dim
        return rope_frequencies(dim, c["rope_theta"], c["rope_scaling"], c["max_position_embeddings"],
                                c.get("original_max_position_embeddings"), total_length, self.family)

    def mask(self, layer, positions):
        """attention_mask of the new positions over all up to the last of them."""
        window = self.c["sliding_window"] if layer.attention == "sliding_attention" else None
        chunk = self.c["attention_chunk_size"] if layer.attention == "chunked_attention" else None
        return attention_mask(positions, np.arange(positions[-1] + 1 if len(positions) else 0), window, chunk)

    def project_qkv(self, p, x):
        """q [n, H, d], k and v [n, K, d] of x; Phi-3's are one projection's rows in that order."""
        d, q_width = self.c["head_dim"], self.c["num_attention_heads"] * self.c["head_dim"]
        if self.family == "phi3":
            kv_width = self.c["num_key_value_heads"] * d
            q, k, v = np.split(self.linear(p + "qkv_proj", x), [q_width, q_width + kv_width], axis=-1)
        else:
            q, k, v = (self.linear(p + name, x) for name in ("q_proj", "k_proj", "v_proj"))
        if self.family == "minimax_m2" and self.c["use_qk_norm"]:
            q, k = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k)
        return tuple(y.reshape(len(x), y.shape[-1] // d, d) for y in (q, k, v))

    def attention(self, p, layer, x, positions, cache, note):
        """Self-attention on x [n, hidden]; the cache is (k [m, K, d] after rope, v [m, K, d])."""
        c, llama4 = self.c, self.family == "llama4_text"
        q, k, v = self.project_qkv(p, x)
        if p + "q_norm.weight" in self.w and self.family != "minimax_m2":
            q, k = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k)
        if layer.rope:
            angles = rope_angles(positions, *self.frequencies(len(positions) + (len(cache[0]) if cache else 0),
                                                              layer.attention == "sliding_attention"))
            rotate = apply_rope_interleaved if llama4 else apply_rope_half
            q, k = rotate(q, *angles), rotate(k, *angles)
        if llama4 and layer.rope and c["use_qk_norm"]:
            q, k = rms_norm(q, eps=c["rms_norm_eps"]), rms_norm(k, eps=c["rms_norm_eps"])
        if llama4 and not layer.rope and c["attn_temperature_tuning"]:
            q = q * attention_temperature(positions, c["floor_scale"], c["attn_scale"])[:, None, None]
        for name, value in (("q", q), ("k", k), ("v", v)):
            note(name, value)
        k, v = grown(cache, k, v)
        scale = (c["query_pre_attn_scalar"] if self.family in GEMMA else c["head_dim"]) ** -0.5
        out = attention(q, k, v, self.mask(layer, positions), scale, c["attn_logit_softcapping"],
                        self.w.get(p + "sinks")) if len(x) else q
        return self.linear(p + "o_proj", out.reshape(len(x), math.prod(out.shape[1:]))), (k, v)

    def mimo_v2_attention(self, p, layer, x, positions, cache, note):
        """Values are scaled, and narrower than keys, of which the first features turn (MiMoV2Attention)."""
        c, n = of_layer(self.c, layer), len(x)
        heads, kv, d, value = (c[key] for key in ("num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim"))
        q, k = self.linear(p + "q_proj", x).reshape(n, heads, d), self.linear(p + "k_proj", x).reshape(n, kv, d)
        v = self.linear(p + "v_proj", x).reshape(n, kv, value) * (c["attention_value_scale"] or 1.0)
        angles = rope_angles(positions, *rope_frequencies(int(d * c["partial_rotary_factor"]), c["rope_theta"]))
        q, k = apply_rope_half(q, *angles), apply_rope_half(k, *angles)
        for name, value_of in (("q", q), ("k", k), ("v", v)):
            note(name, value_of)
        k, v = grown(cache, k, v)
        out = attention(q, k, v, self.mask(layer, positions), d ** -0.5, None,
                        self.w.get(p + "attention_sink_bias")) if n else np.zeros((0, heads, value))
        return self.linear(p + "o_proj", out.reshape(n, heads * value)), (k, v)

    def latent_attention(self, p, layer, x, positions, cache, note):
        """Multi-head latent attention; the cache is (latent [m, r] after its norm, k_rope [m, dr] after rope)."""
        c, n = self.c, len(x)
        nope, rank, total = c["qk_nope_head_dim"], c["kv_lora_rank"], n + (len(cache[0]) if cache else 0)
        if c["q_lora_rank"]:  # transformers gives these two norms their class's eps of 1e-6 and not the config's.
            q = self.linear(p + "q_b_proj", self.norm(p + "q_a_layernorm", self.linear(p + "q_a_proj", x), 1e-6))
        else:
            q = self.linear(p + "q_proj", x)
        q = q.reshape(n, c["num_attention_heads"], q.shape[-1] // c["num_attention_heads"])
        compressed = self.linear(p + "kv_a_proj_with_mqa", x)
        latent = self.norm(p + "kv_a_layernorm", compressed[:, :rank], 1e-6)
        rotate = apply_rope_interleaved if c.get("rope_interleave", True) else apply_rope_half
        angles = rope_angles(positions, *self.frequencies(total))
        q_rope, k_rope = rotate(q[..., nope:], *angles), rotate(compressed[:, None, rank:], *angles)[:, 0]
        for name, value in (("q_nope", q[..., :nope]), ("q_rope", q_rope), ("latent", latent), ("k_rope", k_rope)):
            note(name, value)
        latent, k_rope = grown(cache, latent, k_rope)
        scale = deepseek_softmax_scale(nope + c["qk_rope_head_dim"], c["rope_scaling"])
        out = self.mla(q[..., :nope], q_rope, latent, k_rope, self.w[p + "kv_b_proj.weight"],
                       self.mask(layer, positions), scale) if n else np.zeros((0, self.w[p + "o_proj.weight"].shape[1]))
        return self.linear(p + "o_proj", out.reshape(n, math.prod(out.shape[1:]))), (latent, k_rope)

    def mlp(self, p, x, names=("gate_proj", "up_proj", "down_proj")):
        """A gated MLP: down(activation(gate(x)) * up(x))."""
        if self.family == "phi3":
            gate, up = np.split(self.linear(p + "gate_up_proj", x), 2, axis=-1)
        else:
            gate, up = self.linear(p + names[0], x), self.linear(p + names[1], x)
        act = self.c.get("hidden_activation") or self.c["hidden_act"]
        return self.linear(p + names[2], activation(act, gate) * up)

    def expert(self, p, e, x):
        """Routed expert e on x [rows, hidden]."""
        if self.family not in ("gpt_oss", "llama4_text"):
            return self.mlp(f"{p}experts.{e}.", x, expert_projections(self.c))
        gate_up, down = (self.w[f"{p}experts.{name}"][e] for name in ("gate_up_proj", "down_proj"))
        if self.family == "llama4_text":  # Gate and up are the halves of the columns.
            gate, up = np.split(x @ gate_up, 2, axis=-1)
            return (activation(self.c["hidden_act"], gate) * up) @ down
        gate_up = x @ gate_up + self.w[p + "experts.gate_up_proj_bias"][e]  # Gate and up columns alternate.
        hidden = gpt_oss_swiglu(gate_up[:, 0::2], gate_up[:, 1::2], limit=self.c["swiglu_limit"])
        return hidden @ down + self.w[p + "experts.down_proj_bias"][e]

    def moe(self, p, x, note):
        """A mixture of experts on x [n, hidden], with its shared experts if any."""
        logits, bias = self.linear(p + router_name(self.c), x), self.w.get(
            p + ("" if self.family == "minimax_m2" else "gate.") + "e_score_correction_bias")
        experts, weights, margin = route(self.c, logits, bias)
        for name, value in (("router_logits", logits), ("experts", experts), ("expert_weights", weights)):
            note(name, value)
        note("router_margin", margin)
        out = np.zeros_like(x)
        for e in np.unique(experts):
            rows, slots = np.nonzero(experts == e)
            scale = weights[rows, slots][:, None]
            if self.family == "llama4_text":
                out[rows] += self.expert(p, e, x[rows] * scale)
            else:
                out[rows] += self.expert(p, e, x[rows]) * scale
        for name in ("shared_expert.", "shared_experts."):
            if p + name + "down_proj.weight" in self.w:
                out = out + self.mlp(p + name, x)
        return out


def note_as(note, name, value):
    note(name, value)
    return value


def grown(cache, *new):
    """The cached arrays, each with its new rows behind it."""
    return tuple(new) if cache is None else tuple(np.concatenate(pair) for pair in zip(cache, new))


def greedy(model, prompt, steps):
    """The `steps` token ids that follow the prompt, each the one of the greatest logit, the lower id at a tie."""
    new, caches, chosen = list(prompt), None, []
    for _ in range(steps):
        logits, caches = model.forward([new], caches)
        new = [int(np.argmax(logits[0][-1]))]
        chosen += new
    return chosen


# --- Small configs and random weights ---------------------------------------------------------------------------------

TINY_SIZES = dict(
    num_hidden_layers=4, hidden_size=64, intermediate_size=96, intermediate_size_mlp=128, moe_intermediate_size=32,
    vocab_size=96, num_attention_heads=4, q_lora_rank=40, kv_lora_rank=24, qk_nope_head_dim=16, qk_rope_head_dim=8,
    first_k_dense_replace=1, sliding_window=5, attention_chunk_size=5, sliding_window_pattern=3, max_window_layers=2,
    floor_scale=3, attn_logit_softcapping=1.5, final_logit_softcapping=2.0)


def tiny(config):
    """A config of the same meaning with small sizes, whose windows, chunks, caps and rope scalings bite in 12 tokens.

    Fields that config.json left to its class's defaults are written out.  Quantisation is dropped.
    """
    c, inner = resolve(config), config.get("text_config") or config
    t = {key: value for key, value in c.items() if value is not None or key in inner}
    t.pop("quantization_config", None)
    t |= {key: size for key, size in TINY_SIZES.items() if c.get(key)}
    heads = c["num_attention_heads"]
    t["num_key_value_heads"] = 4 if c["num_key_value_heads"] == heads else min(c["num_key_value_heads"], 2)
    if c["model_type"] in MLA:
        t["v_head_dim"] = 16 if c["v_head_dim"] == c["qk_nope_head_dim"] else 12
    else:
        q_width = heads * c["head_dim"]
        t["head_dim"] = 16 if q_width == c["hidden_size"] else 32 if q_width > c["hidden_size"] else 8
        if t["head_dim"] == 16 and "head_dim" not in inner and "head_dim" not in FAMILY_DEFAULTS[c["model_type"]]:
            del t["head_dim"]
    if c.get("query_pre_attn_scalar"):
        t["query_pre_attn_scalar"] = max(1, round(c["query_pre_attn_scalar"] * t.get("head_dim", 16) / c["head_dim"]))
    shrink_experts(t, c)
    shrink_rope(t, c)
    for key in ("layer_types", "no_rope_layers"):
        if c.get(key):
            t[key] = first_of_each(c[key], 4)
    for key in ("mlp_only_layers", "moe_layers"):
        if c.get(key):
            t[key] = [i for i in c[key] if i < 4]
    return {**config, "text_config": t} if config.get("text_config") else t


def first_of_each(kinds, count):
    """The first `count` of the list, their last replaced by the first of a kind that is not among them."""
    missing = [kind for kind in dict.fromkeys(kinds) if kind not in kinds[:count]]
    return list(kinds[:count - len(missing)]) + missing


def shrink_experts(t, c):
    """8 experts, or 16 in 4 groups; at most 3 are chosen."""
    grouped = (c.get("n_group") or 1) > 1
    for key in ("num_local_experts", "num_experts", "n_routed_experts"):
        if c.get(key):
            t[key] = 16 if grouped else min(c[key], 8)
    for key in ("num_experts_per_tok", "experts_per_token"):
        if c.get(key):
            t[key] = min(c[key], 3)
    if grouped:
        t.update(n_group=4, topk_group=2)


def shrink_rope(t, c):
    """Pretrained contexts of 64 positions, or 8 for longrope, which then changes its factors within 12 tokens."""
    scaling = dict(c["rope_scaling"] or {})
    if c.get("rotary_dim"):
        t["rotary_dim"] = t["head_dim"] // 2
    if rope_type(scaling, c["model_type"]) == "longrope":
        original = c.get("original_max_position_embeddings") or scaling["original_max_position_embeddings"]
        t["max_position_embeddings"] = round(8 * c["max_position_embeddings"] / original)
        (t if c.get("original_max_position_embeddings") else scaling)["original_max_position_embeddings"] = 8
        pairs = int(t.get("head_dim", 16) * c["partial_rotary_factor"]) // 2
        for key in ("short_factor", "long_factor"):
            picks = np.linspace(0, len(scaling[key]) - 1, pairs).round().astype(int)
            scaling[key] = [scaling[key][i] for i in picks]
    elif "original_max_position_embeddings" in scaling:
        scaling["original_max_position_embeddings"] = 64
        t["max_position_embeddings"] = round(64 * scaling["factor"])
    if scaling:
        t["rope_scaling"] = scaling


def random_weights(config, seed):
    """Random float64 tensors for weight_shapes(config); each depends on its name, its shape and the seed alone."""
    c, weights = resolve(config), {}
    for name, shape in weight_shapes(config).items():
        z = np.random.default_rng([seed, zlib.crc32(name.encode())]).standard_normal(shape)
        weights[name] = random_tensor(c, name, z)
    return weights


def random_tensor(c, name, z):
    """Standard normals z scaled to suit the tensor of that name."""
    if "norm" in name:
        return (0.0 if c["model_type"] in GEMMA else 1.0) + 0.2 * z
    if name.endswith("e_score_correction_bias"):
        return 0.1 * abs(z)  # Not below zero, so that zero and -inf mask a group alike (see keep_groups).
    if name.endswith("sinks"):
        return z
    if z.ndim == 1 or name.endswith("_bias"):
        return 0.3 * z
    if name == "model.embed_tokens.weight" and c["model_type"] not in GEMMA:
        return 0.3 * z
    gain = 4.0 if c["model_type"] == "gpt_oss" and name.endswith("gate_up_proj") else 1.0  # So that the clamp bites.
    return gain * z / math.sqrt(z.shape[1])  # The fan-in of [out, in] and of [E, in, out] alike.


# --- Self-test --------------------------------------------------------------------------------------------------------

YARN = dict(type="yarn", beta_fast=32, beta_slow=1, factor=40, mscale=0.707, mscale_all_dim=0.707,
            original_max_position_embeddings=4096)
KIMI_YARN = dict(YARN, beta_fast=1.0, factor=32.0, mscale=1.0, mscale_all_dim=1.0)
PHI_LONGROPE = dict(type="longrope", short_factor=[1.0 + i / 48 for i in range(48)],
                    long_factor=[1.0 + i for i in range(48)])
VARIANTS = [  # Published settings that the stored configs leave out, and fields that no stored config sets.
    ("google--gemma-3-27b-pt", dict(rope_scaling=dict(rope_type="linear", factor=8.0), rope_theta=1e6)),
    ("microsoft--Phi-3-mini-4k-instruct", dict(rope_scaling=PHI_LONGROPE, max_position_embeddings=131072)),
    ("microsoft--Phi-3-mini-4k-instruct", dict(partial_rotary_factor=0.75)),
    ("deepseek-ai--DeepSeek-V2", dict(rope_scaling=YARN)),
    ("deepseek-ai--DeepSeek-V2", dict(norm_topk_prob=True, q_lora_rank=None)),
    ("deepseek-ai--DeepSeek-V3", dict(attention_bias=True, v_head_dim=64)),
    ("moonshotai--Kimi-K2-Instruct", dict(rope_scaling=KIMI_YARN, rope_theta=50000.0)),
    ("Qwen--Qwen2.5-7B", dict(use_sliding_window=True)),
    ("Qwen--Qwen3-8B", dict(attention_bias=True)),
    ("Qwen--Qwen3-30B-A3B", dict(decoder_sparse_step=2, mlp_only_layers=[3])),
    ("Qwen--Qwen3-30B-A3B", dict(use_sliding_window=True, sliding_window=4096)),
    ("meta-llama--Llama-3.2-1B", dict(attention_bias=True, mlp_bias=True)),
    ("meta-llama--Llama-4-Scout-17B-16E-Instruct", dict(num_experts_per_tok=2, no_rope_layers=[1, 0, 1, 1] * 12)),
    ("openai--gpt-oss-20b", dict(layer_types=["full_attention"] * 12 + ["sliding_attention"] * 12)),
]
KNOCK_OUTS = dict(  # Fields that must change the logits of a tiny model when set to this.
    sliding_window=None, attention_chunk_size=None, attn_logit_softcapping=None, final_logit_softcapping=None,
    rope_scaling=None, attn_temperature_tuning=False, use_qk_norm=False, norm_topk_prob=False, routed_scaling_factor=1.0,
    query_pre_attn_scalar=3, rope_local_base_freq=1e6, no_rope_layer_interval=0, topk_group=4, swiglu_limit=1e9)
PUBLISHED_COUNTS = {  # Parameters; Llama 4 without its vision part.
    "meta-llama--Llama-2-7b-hf": 6738415616, "meta-llama--Meta-Llama-3.1-8B": 8030261248,
    "mistralai--Mixtral-8x7B-v0.1": 46702792704, "Qwen--Qwen2.5-7B": 7615616512, "Qwen--Qwen3-30B-A3B": 30532122624,
    "google--gemma-2-2b": 2614341888, "google--gemma-3-1b-pt": 999885952,
    "microsoft--Phi-3-mini-4k-instruct": 3821079552, "openai--gpt-oss-20b": 20914757184,
    "deepseek-ai--DeepSeek-V2-Lite": 15706484224, "deepseek-ai--DeepSeek-V3": 671026419200,
    "meta-llama--Llama-4-Scout-17B-16E-Instruct": 107769861120, "moonshotai--Kimi-K2-Instruct": 1026408232448}


def check(what, holds):
    if not holds:
        raise AssertionError(what)


def check_near(what, a, b, tolerance=1e-10):
    check(f"{what}: {a} against {b}", np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=tolerance, atol=tolerance))


def check_raises(what, call):
    try:
        call()
    except ValueError as error:
        return check(f"the error names {what}: {error}", what in str(error))
    raise AssertionError(f"no ValueError for {what}")


def test_rope():
    """Rope scalings against second formulas and hand-computed values, and rotations against complex numbers."""
    s = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
             original_max_position_embeddings=8192)
    plain, scaled = rope_frequencies(128, 5e5)[0], rope_frequencies(128, 5e5, s)[0]
    for f, g in zip(plain, scaled):  # By wavelengths: below 2048 kept, above 8192 divided by 8, blended between.
        wavelength = 2.0 * math.pi / f
        smooth = (8192 / wavelength - 1.0) / 3.0
        middle = (1.0 - smooth) * f / 8.0 + smooth * f
        check_near("llama3", g, f if wavelength < 2048 else f / 8.0 if wavelength > 8192 else middle)
    scout = rope_frequencies(128, 5e5, dict(s, factor=16.0, high_freq_factor=1.0))[0]
    check_near("Llama 4 Scout", scout, np.where(2.0 * math.pi / plain > 8192, plain / 16.0, plain))
    inv, factor = rope_frequencies(64, 150000.0, GPT_OSS_YARN)
    check_near("gpt-oss factor", factor, 1.3465735902799727)  # 1 + ln(32) / 10 = 1 + 0.5 ln 2.
    base = 150000.0 ** (-np.arange(32) / 32)
    low, high = (32 * math.log(4096 / (2 * math.pi * turns)) / math.log(150000.0) for turns in (32, 1))
    ramp = [min(max((i - low) / (high - low), 0.0), 1.0) for i in range(32)]
    check_near("gpt-oss yarn", inv, [f * (1 - r) + f / 32 * r for f, r in zip(base, ramp)])
    check_near("DeepSeek's factor", rope_frequencies(64, 1e4, YARN)[1], 1.0)
    check_near("DeepSeek's scale", deepseek_softmax_scale(192, dict(YARN, mscale_all_dim=1.0)) * math.sqrt(192),
               (1.0 + 0.1 * math.log(40.0)) ** 2)
    check_near("Phi-3 factor", rope_frequencies(96, 1e4, PHI_LONGROPE, 131072, 4096)[1], 1.1902380714238083)
    for total, key in ((4096, "short_factor"), (4097, "long_factor")):
        inv = rope_frequencies(96, 1e4, dict(PHI_LONGROPE, type="su"), 131072, 4096, total)[0]
        check_near("longrope " + key, inv, [1e4 ** (-i / 48) / f for i, f in enumerate(PHI_LONGROPE[key])])
    check_near("linear", rope_frequencies(8, 1e6, dict(rope_type="linear", factor=8.0))[0][0], 0.125)
    check_raises("'dynamic'", lambda: rope_frequencies(8, 1e4, dict(rope_type="dynamic", factor=2.0)))
    x, positions = np.random.default_rng(0).standard_normal((5, 3, 10)), np.arange(7, 12)
    inv = rope_frequencies(8, 1e4)[0]
    turned = (x[..., 0:8:2] + 1j * x[..., 1:8:2]) * np.exp(1j * positions[:, None] * inv)[:, None, :]
    expected = np.concatenate([np.stack([turned.real, turned.imag], -1).reshape(5, 3, 8), x[..., 8:]], -1)
    angles, order = rope_angles(positions, inv), [0, 2, 4, 6, 1, 3, 5, 7, 8, 9]
    check_near("interleaved", apply_rope_interleaved(x, *angles), expected)
    check_near("halves", apply_rope_half(x[..., order], *angles), expected[..., order])


def test_attention():
    """attention against loops over scalars, masks and temperatures against values by hand."""
    rng = np.random.default_rng(1)
    q, k, v, sinks = (rng.standard_normal(shape) for shape in ((3, 4, 6), (8, 2, 6), (8, 2, 5), (4,)))
    mask = attention_mask(np.arange(5, 8), np.arange(8), window=3)
    check("window", mask.astype(int).tolist() == [[0, 0, 0, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1, 1, 0],
                                                  [0, 0, 0, 0, 0, 1, 1, 1]])
    chunked = attention_mask([3, 4], np.arange(6), chunk=4).astype(int).tolist()
    check("chunk", chunked == [[1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 0]])
    out = attention(q, k, v, mask, 0.4, softcap=1.5, sinks=sinks)
    for i in range(3):
        for h in range(4):
            seen = range(3 + i, 6 + i)
            e = [math.exp(1.5 * math.tanh(0.4 * sum(q[i, h] * k[j, h // 2]) / 1.5)) for j in seen]
            expected = sum(w * v[j, h // 2] for w, j in zip(e, seen)) / (sum(e) + math.exp(sinks[h]))
            check_near("attention", out[i, h], expected)
    check_near("temperature", attention_temperature([0, 8190, 8191, 16383], 8192, 0.1),
               [1.0, 1.0, 1.0 + 0.1 * math.log(2.0), 1.0 + 0.1 * math.log(3.0)])


def test_norms_and_routers():
    """Norms, the clamped SwiGLU and every router on small numbers worked by hand."""
    check_near("rms_norm", rms_norm(np.array([3.0, 4.0]), np.array([1.0, 2.0]), 0.0), [3 / 12.5 ** 0.5, 8 / 12.5 ** 0.5])
    check_near("gemma", gemma_rms_norm(np.array([3.0, 4.0]), np.array([0.0, 1.0]), 0.0), [3 / 12.5 ** 0.5, 8 / 12.5 ** 0.5])
    glu = gpt_oss_swiglu(np.array([9.0, -9.0, 1.0]), np.array([-8.0, 9.0, 2.0]))
    check_near("gpt-oss swiglu", glu, [-42 / (1 + math.exp(-11.914)), -72 / (1 + math.exp(15.318)),
                                       3 / (1 + math.exp(-1.702))])
    logits = np.log(np.array([[1.0, 4.0, 2.0, 3.0]]))  # Softmax gives tenths, sigmoid x / (1 + x).
    for what, result, experts, weights in (
            ("Mixtral", route_softmax_of_top_k(logits, 2), [1, 3], [4 / 7, 3 / 7]),
            ("Qwen3", route_qwen3(logits, 2, False), [1, 3], [0.4, 0.3]),
            ("Qwen3 normed", route_qwen3(logits, 2, True), [1, 3], [4 / 7, 3 / 7]),
            ("Llama 4", route_llama4(logits, 1), [1], [0.8]),
            ("V2", route_deepseek_v2(logits, 2, scale=16.0), [1, 3], [6.4, 4.8]),
            ("V2 groups", route_deepseek_v2(logits, 2, "group_limited_greedy", 2, 1, False, 1.0), [1, 0], [0.4, 0.1]),
            ("V3", route_deepseek_v3(logits, np.array([0.0, 0.0, 0.2, 0.0]), 2, 1, 1, True, 2.5),
             [2, 1], [2.5 * 10 / 22, 2.5 * 12 / 22]),  # 2/3 and 4/5; 2/3 + 0.2 is the greatest.
            ("V3 groups", route_deepseek_v3(logits, np.zeros(4), 2, 2, 1, False, 1.0), [3, 2], [3 / 4, 2 / 3])):
        check(f"{what}: experts {result[0]}", result[0].tolist() == [experts])
        check_near(what, result[1], [weights])
    check_near("margin", route_qwen3(logits, 2, False)[2], [0.1])


def test_model(t):
    """Cached against uncached, ragged against alone, absorbed against expanded, and nothing in config or weights idle."""
    weights, rng = random_weights(t, 0), np.random.default_rng(2)
    prompts, cuts = [rng.integers(0, 96, n).tolist() for n in (12, 3, 9, 10)], (7, 2, 0, 10)
    model, trace = Model(t, weights), {}
    alone = [model.forward([prompt], trace=trace)[0][0] for prompt in prompts]
    margins = [m.min() for name, values in trace.items() if name.endswith("router_margin") for m in values]
    check("no ties of the routers", min(margins, default=1.0) > 1e-7)
    first, caches = model.forward([prompt[:cut] for prompt, cut in zip(prompts, cuts)])
    second, _ = model.forward([prompt[cut:] for prompt, cut in zip(prompts, cuts)], caches)
    again, _ = model.forward([prompt[cut:] for prompt, cut in zip(prompts, cuts)], caches)
    scaling = resolve(t)["rope_scaling"]
    for a, b, c, expected, cut in zip(first, second, again, alone, cuts):
        longrope = rope_type(scaling) == "longrope" and cut <= 8 < len(expected)  # The prompt alone has short factors.
        check_near("cached and ragged", b if longrope else np.concatenate([a, b]), expected[cut if longrope else 0:])
        check_near("caches are left alone", b, c)
    last, tokens = prompts[1], greedy(model, prompts[1], 6)
    for token in tokens:
        check("greedy", token == int(np.argmax(model.forward([last])[0][0][-1])))
        last = last + [token]
    if model.family in MLA:
        check_near("absorbed", Model(t, weights, "absorbed").forward(prompts[:1])[0][0], alone[0])

    def moved(config, tensors):
        return abs(Model(config, tensors).forward(prompts[:1])[0][0] - alone[0]).max()
    return knock_out_fields(t, weights, moved) + redraw_tensors(t, weights, moved)


def knock_out_fields(t, weights, moved):
    """Every field of KNOCK_OUTS that acts in this config moves the logits when it is taken away; returns how many."""
    inner, count = t.get("text_config") or t, 0
    c = resolve(t)
    idle = {"sliding_window"} if all(layer.attention != "sliding_attention" for layer in layer_plan(c)) else set()
    idle |= {"no_rope_layer_interval"} if c.get("no_rope_layers") else set()
    idle |= {"topk_group"} if (c.get("n_group") or 1) == 1 or c.get("topk_method") == "greedy" else set()
    idle |= {"routed_scaling_factor"} if c["model_type"] == "deepseek_v2" and c["norm_topk_prob"] else set()
    idle |= {"rope_scaling"} if rope_type(c["rope_scaling"]) == "default" else set()  # That of images.
    idle |= {"attention_chunk_size"} if all(layer.attention != "chunked_attention" for layer in layer_plan(c)) else set()
    for key, value in KNOCK_OUTS.items():
        if inner.get(key) and inner[key] != value and key not in idle:
            changed = {**inner, key: value}
            distance = moved({**t, "text_config": changed} if "text_config" in t else changed, weights)
            check(f"{key} acts on the logits: {distance}", distance > 1e-3)
            count += 1
    return count


def redraw_tensors(t, weights, moved):
    """Every kind of tensor moves the logits when all of its kind are drawn anew; returns how many kinds there are."""
    other = random_weights(t, 1)
    kinds = {name: "".join(ch for ch in name if not ch.isdigit()) for name in weights}
    for kind in set(kinds.values()):
        distance = moved(t, {name: (other if kinds[name] == kind else weights)[name] for name in weights})
        check(f"{kind} acts on the logits: {distance}", distance > 1e-3)
    return len(set(kinds.values()))


def self_test():
    """Runs all tests on tiny forms of the configs in ../models and prints a line per model."""
    test_rope(), test_attention(), test_norms_and_routers()
    check_raises("'gpt2'", lambda: resolve({"model_type": "gpt2"}))
    folder = Path(__file__).resolve().parents[1] / "models"
    configs = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    configs = {name: config for name, config in configs.items() if config["model_type"] not in ABSENT}
    for name, count in PUBLISHED_COUNTS.items():
        check(f"parameters of {name}", sum(math.prod(s) for s in weight_shapes(configs[name]).values()) == count)
    cases = [(name, {}) for name in configs] + VARIANTS
    for name, changes in cases:
        config = configs[name]
        config = {**config, "text_config": {**config["text_config"], **changes}} if "text_config" in config else {
            **config, **changes}
        acting = test_model(tiny(config))
        print(f"ok {name}{' with ' + ', '.join(changes) if changes else ''}: {acting} fields and tensors act")
    families = {resolve(config)["model_type"] for config in configs.values()}
    check(f"no config of {set(FAMILY_DEFAULTS) - families}", families == set(FAMILY_DEFAULTS))
    print(f"self-test passed: {len(cases)} configs of {len(families)} families")


if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"]:
        sys.exit(__doc__)
    self_test()
