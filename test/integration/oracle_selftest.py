"""Tests of oracle_models.py by itself: small models of all families, and numbers by hand.

    python3 oracle_selftest.py
"""

import json
import math
import zlib
from pathlib import Path

import numpy as np

from oracle_configs import (
    ABSENT, FAMILY_DEFAULTS, GEMMA, GPT_OSS_YARN, MLA, RECURRENT, VARIANTS as ELSEWHERE, layer_plan, resolve, weight_shapes)
from oracle_math import (
    apply_rope_half, apply_rope_interleaved, attention, attention_mask, attention_temperature,
    deepseek_softmax_scale, delta_rule, gemma_rms_norm, gpt_oss_swiglu, rms_norm, rope_angles, rope_frequencies, rope_type,
    route_deepseek_v2, route_deepseek_v3, route_llama4, route_qwen3, route_softmax_of_top_k, selective_scan,
    short_convolution)
from oracle_models import greedy
from oracle_recurrent import model_of
from run_tools import TRIES_ALL

# --- Small configs and random weights ---------------------------------------------------------------------------------

TINY_SIZES = dict(
    num_hidden_layers=4, hidden_size=64, intermediate_size=96, intermediate_size_mlp=128, moe_intermediate_size=32,
    vocab_size=96, num_attention_heads=4, q_lora_rank=40, kv_lora_rank=24, qk_nope_head_dim=16, qk_rope_head_dim=8,
    first_k_dense_replace=1, sliding_window=5, attention_chunk_size=5, sliding_window_pattern=3, max_window_layers=2,
    global_head_dim=32, floor_scale=3, attn_logit_softcapping=1.5, final_logit_softcapping=2.0)


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
    shrink_indexer(t, c)
    shrink_states(t, c)
    for key in ("layer_types", "no_rope_layers", "moe_layer_freq"):
        if isinstance(c.get(key), list):
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
    for key in ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts"):
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


def shrink_indexer(t, c):
    """Selections of fewer keys than 12 tokens have."""
    if c.get("index_topk"):
        t.update(index_topk=4, index_n_heads=6, index_head_dim=16)
    if c.get("sparse_attention_config"):
        sparse = c["sparse_attention_config"]
        t["sparse_attention_config"] = {**sparse, "sparse_attention_freq": first_of_each(sparse["sparse_attention_freq"], 4),
            "sparse_block_size": 2, "sparse_topk_blocks": 2, "sparse_index_dim": 16,
            "sparse_num_index_heads": t["num_key_value_heads"]}


def shrink_states(t, c):
    """Recurrent layers of few heads, which share keys where there are more of them."""
    sizes = dict(
        attn_res_block_size=2, routed_expert_hidden_size=40, linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=12,
        shared_expert_intermediate_size=24, mamba_num_heads=4, mamba_head_dim=12, n_groups=2, ssm_state_size=8,
        hybrid_override_pattern="M*E-", moe_latent_size=24, moe_shared_expert_intermediate_size=40)
    t |= {key: size for key, size in sizes.items() if c["model_type"] in RECURRENT and c.get(key)}
    if c.get("linear_attn_config"):
        t["linear_attn_config"] = {**c["linear_attn_config"], "num_heads": 4, "head_dim": 8,
                                   "kda_layers": [1, 2, 4], "full_attn_layers": [3]}


def random_weights(config, seed):
    """Random float64 tensors for weight_shapes(config); each depends on its name, its shape and the seed alone."""
    c, weights = resolve(config), {}
    for name, shape in weight_shapes(config).items():
        z = np.random.default_rng([seed, zlib.crc32(name.encode())]).standard_normal(shape)
        weights[name] = random_tensor(c, name, z)
    return weights


def random_tensor(c, name, z):
    """Standard normals z scaled to suit the tensor of that name."""
    if "index" in name and "norm" in name:  # It acts through what is selected alone: weights far apart select others.
        return z
    if "norm" in name:
        return (0.0 if c["model_type"] in GEMMA else 1.0) + 0.2 * z
    if name.endswith("e_score_correction_bias"):
        return 0.1 * abs(z)  # Not below zero, so that zero and -inf mask a group alike (see keep_groups).
    if name.endswith("sinks"):
        return z
    if name.endswith(("per_expert_scale", "layer_scalar")):
        return 1.0 + 0.2 * z
    if name.endswith("router.scale"):  # Undoes a division.
        return (1.0 + 0.2 * z) * math.sqrt(len(z))
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
KIMI_K3_GATES = dict(short_conv_kernel_size=4, gate_lower_bound=-5.0, use_full_rank_gate=True)
VARIANTS = [  # Published settings that the stored configs leave out, and fields that no stored config sets.
    ("google--gemma-3-27b-pt", dict(rope_scaling=dict(rope_type="linear", factor=8.0), rope_theta=1e6)),
    ("google--gemma-4-26B-A4B", dict(enable_moe_block=False, attention_k_eq_v=False)),
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
    ("Qwen--Qwen3.5-35B-A3B", dict(model_type="qwen3_5_text", num_experts=0, intermediate_size=9216)),
    ("Qwen--Qwen3-Next-80B-A3B-Instruct", dict(mlp_only_layers=[1])),
    ("moonshotai--Kimi-Linear-48B-A3B-Instruct", dict(linear_attn_config=KIMI_K3_GATES)),
    ("openai--gpt-oss-20b", dict(layer_types=["full_attention"] * 12 + ["sliding_attention"] * 12)),
]
KNOCK_OUTS = dict(  # Fields that must change the logits of a tiny model when set to this.
    sliding_window=None, attention_chunk_size=None, attn_logit_softcapping=None, final_logit_softcapping=None,
    rope_scaling=None, attn_temperature_tuning=False, use_qk_norm=False, norm_topk_prob=False, routed_scaling_factor=1.0,
    moe_renormalize=False,
    query_pre_attn_scalar=3, rope_local_base_freq=1e6, no_rope_layer_interval=0, topk_group=4, swiglu_limit=1e9)
PUBLISHED_COUNTS = {  # Parameters; Llama 4 without its vision part.
    "meta-llama--Llama-2-7b-hf": 6738415616, "meta-llama--Meta-Llama-3.1-8B": 8030261248,
    "mistralai--Mixtral-8x7B-v0.1": 46702792704, "Qwen--Qwen2.5-7B": 7615616512, "Qwen--Qwen3-30B-A3B": 30532122624,
    "google--gemma-2-2b": 2614341888, "google--gemma-3-1b-pt": 999885952, "google--gemma-4-26B-A4B": 25233141790,
    "microsoft--Phi-3-mini-4k-instruct": 3821079552, "openai--gpt-oss-20b": 20914757184,
    "deepseek-ai--DeepSeek-V2-Lite": 15706484224, "deepseek-ai--DeepSeek-V3": 671026419200,
    "Qwen--Qwen3.5-35B-A3B": 34660610688, "Qwen--Qwen3-Next-80B-A3B-Instruct": 79674391296,
    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 31577940288,
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 120668707840,
    "moonshotai--Kimi-Linear-48B-A3B-Instruct": 49122681728,
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
    check_near("proportional", rope_frequencies(8, 1e4, dict(rope_type="proportional", partial_rotary_factor=0.5))[0],
               [1.0, 0.1, 0.0, 0.0])
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


def test_states():
    """Recurrences against sums by hand: two tokens of one head, and a convolution that reads what was before."""
    out, last = short_convolution(np.array([[1.0], [2.0]]), np.array([[10.0, 1.0]]), np.array([0.5]), np.array([[3.0]]))
    check_near("convolution", out[:, 0], [31.5 / (1 + math.exp(-31.5)), 12.5 / (1 + math.exp(-12.5))])
    check_near("its state", last, [[2.0]])
    q, k, v = (np.array(rows)[:, None] for rows in ([[1.0, 2.0], [3.0, 1.0]], [[1.0, 0.0], [0.6, 0.8]], [[5.0], [7.0]]))
    beta, decay = np.array([[0.5], [1.0]]), np.log([[[0.25, 0.25]], [[0.5, 0.1]]])
    out, state = delta_rule(q, k, v, decay, beta, np.array([[[4.0], [8.0]]]))
    # [4, 8] decays to [1, 2]; 0.5 (5 - 1) is added to the first. [3, 2] decays to [1.5, 0.2], which says 1.06 of 7.
    check_near("delta rule", out[:, 0, 0], [7.0, 3 * (1.5 + 0.6 * 5.94) + 0.2 + 0.8 * 5.94])
    check_near("its state", state[0, :, 0], [1.5 + 0.6 * 5.94, 0.2 + 0.8 * 5.94])
    ones = np.ones((1, 1, 1))
    out, state = selective_scan(2 * ones, 3 * ones, 5 * ones, np.array([[0.5]]), np.log([0.25]), np.array([7.0]), 4 * ones)
    check_near("scan", [out[0, 0, 0], state[0, 0, 0]], [5 * (4 * 0.5 + 0.5 * 2 * 3) + 7 * 2, 5.0])  # 0.25 ** 0.5 is 0.5.


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
    model, trace = model_of(t, weights), {}
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
        check_near("absorbed", model_of(t, weights, mla="absorbed").forward(prompts[:1])[0][0], alone[0])

    def moved(config, tensors):
        return abs(model_of(config, tensors).forward(prompts[:1])[0][0] - alone[0]).max()
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
    idle |= {"use_qk_norm"} if c["model_type"] == "minimax_m3" else set()  # MiniMaxM3VLAttention has its norms always.
    idle |= {"moe_renormalize"} if c.get("latent_moe_use_norm") else set()  # What is behind it norms their sum.
    renamed = c["model_type"] == "kimi_linear"  # moe_renormalize.
    idle |= {"norm_topk_prob"} if renamed or not any(layer.moe for layer in layer_plan(c)) else set()
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
    """Runs all tests on tiny forms of the configs in ../models, or of a sample of these, and prints a line per model."""
    test_rope(), test_attention(), test_states(), test_norms_and_routers()
    check_raises("'gpt2'", lambda: resolve({"model_type": "gpt2"}))
    folder = Path(__file__).resolve().parents[1] / "models"
    configs = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    configs = {name: config for name, config in configs.items() if config["model_type"] not in ABSENT | ELSEWHERE
               and not config.get("text_config", {}).get("hidden_size_per_layer_input")}
    for name, count in PUBLISHED_COUNTS.items():
        check(f"parameters of {name}", sum(math.prod(s) for s in weight_shapes(configs[name]).values()) == count)
    cases, families, tested = [(name, {}) for name in configs] + VARIANTS, set(), 0
    for name, changes in cases:
        config = configs[name]
        config = {**config, "text_config": {**config["text_config"], **changes}} if "text_config" in config else {
            **config, **changes}
        family = resolve(config)["model_type"]
        if family in families and not changes and not TRIES_ALL:
            continue  # A sample: one of each family, and the variants.
        families.add(family)
        tested += 1
        acting = test_model(tiny(config))
        print(f"ok {name}{' with ' + ', '.join(changes) if changes else ''}: {acting} fields and tensors act")
    check(f"no config of {set(FAMILY_DEFAULTS) - families}", families == set(FAMILY_DEFAULTS))
    print(f"self-test passed: {tested} configs of {len(families)} families")


if __name__ == "__main__":
    self_test()
