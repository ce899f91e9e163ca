"""What the fields of a config.json mean to oracle_models.py: families, layers, and the shapes of weights."""

from typing import NamedTuple

from oracle_math import attention

# --- Configurations ---------------------------------------------------------------------------------------------------

WRAPPERS = {  # They nest a text_config.
    "llama4": "llama4_text", "gemma3": "gemma3_text", "gemma4": "gemma4_text", "qwen3_vl_moe": "qwen3_vl_moe_text",
    "qwen3_5": "qwen3_5_text", "qwen3_5_moe": "qwen3_5_moe_text", "kimi_k3": "kimi_linear"}
ALIASES = {"mimo": "qwen2", "qwen3_vl_moe_text": "qwen3_moe"}  # The same decoder under another name.
DSA = {"deepseek_v32", "glm_moe_dsa"}  # Lightning indexers beside latent attention.
GEMMA, MLA = {"gemma2", "gemma3_text"}, {"deepseek_v2", "deepseek_v3", "kimi_k2", "kimi_linear"} | DSA
QWEN_DELTA = {"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"}
RECURRENT = QWEN_DELTA | {"nemotron_h", "kimi_linear"}  # Layers with a state: oracle_recurrent.py.
SANDWICH = GEMMA | {"gemma4_text"}  # Norms behind each branch, too, and scaled embeddings.
ABSENT = {"nemotron-nas", "deepseek_v4"}  # Families of ../models that are not here; the last has oracle_v4.py.
VARIANTS = {"bamba", "cohere2", "ernie4_5_moe", "exaone4", "falcon_h1", "glm4_moe", "granitemoehybrid", "hunyuan_v1_dense",
            "lfm2", "lfm2_moe", "mamba2", "olmo2", "olmo3", "seed_oss", "smollm3", "step3p5"}  # oracle_variants.py has them.
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
QWEN_DELTA_DEFAULTS = dict(
    head_dim=256, partial_rotary_factor=0.25, full_attention_interval=4, linear_conv_kernel_dim=4, linear_key_head_dim=128,
    linear_value_head_dim=128, linear_num_key_heads=16, linear_num_value_heads=32, decoder_sparse_step=1, mlp_only_layers=[],
    norm_topk_prob=True)
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
    "gemma4_text": dict(head_dim=256, global_head_dim=512, num_global_key_value_heads=None, attention_k_eq_v=False,
                        hidden_activation="gelu_pytorch_tanh", sliding_window=512, tie_word_embeddings=True,
                        enable_moe_block=False, hidden_size_per_layer_input=256, num_kv_shared_layers=0),
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
    "deepseek_v32": dict(DEEPSEEK_V3_DEFAULTS, index_n_heads=64, index_head_dim=128, index_topk=2048),
    "glm_moe_dsa": dict(DEEPSEEK_V3_DEFAULTS, rms_norm_eps=1e-5, n_group=1, topk_group=1, index_n_heads=32, index_head_dim=128,
                        index_topk=2048, index_topk_freq=1, index_skip_topk_offset=2, indexer_types=None),
    "minimax_m3": dict(head_dim=128, rope_theta=5e6, rotary_dim=64, swiglu_limit=7.0, routed_scaling_factor=2.0),
    "kimi_k2": DEEPSEEK_V3_DEFAULTS,  # Kimi K2 ships DeepSeek-V3's code under its own name.
    "qwen3_next": QWEN_DELTA_DEFAULTS,
    "qwen3_5_text": QWEN_DELTA_DEFAULTS,
    "qwen3_5_moe_text": QWEN_DELTA_DEFAULTS,
    "nemotron_h": dict(layer_norm_epsilon=1e-5, mlp_hidden_act="relu2", n_group=1, topk_group=1, norm_topk_prob=True,
                       routed_scaling_factor=1.0, moe_latent_size=None, use_bias=False, use_conv_bias=True),
    "kimi_linear": dict(q_lora_rank=None, first_k_dense_replace=0, moe_layer_freq=1, moe_renormalize=True,
                        num_expert_group=1, topk_group=1, routed_scaling_factor=1.0),
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
    if inner.get("rope_parameters", {}).get("rope_type") == "default":
        inner = {**inner, **inner["rope_parameters"], "rope_scaling": None}
    elif "rope_parameters" in inner and family != "gemma4_text":
        raise ValueError("rope_parameters is a field of transformers 5; this oracle reads rope_theta and rope_scaling")
    c = {**COMMON_DEFAULTS, **FAMILY_DEFAULTS[family], **inner, "model_type": family}
    c["rms_norm_eps"] = c.get("layer_norm_epsilon", c.get("layernorm_epsilon", c["rms_norm_eps"]))
    if family == "kimi_linear":  # Fields that DeepSeek-V3's code has under other names.
        c |= {"num_experts_per_tok": c["num_experts_per_token"], "n_group": c["num_expert_group"],
              "norm_topk_prob": c["moe_renormalize"], "n_shared_experts": c["num_shared_experts"]}
    c["num_key_value_heads"] = c["num_key_value_heads"] or c["num_attention_heads"]
    if family == "gemma4_text" and (c["hidden_size_per_layer_input"] or c["num_kv_shared_layers"]):
        raise ValueError("per-layer embeddings and shared caches of Gemma 4 are not here")
    if family not in MLA:
        c["head_dim"] = c["head_dim"] or c["hidden_size"] // c["num_attention_heads"]
    return c


class Layer(NamedTuple):
    """What sets one decoder layer apart: its attention's kind, whether it has rope, whether its MLP has experts.

    A layer of Nemotron-H is one mixer: its kind is a letter of the pattern.
    """
    attention: str
    rope: bool
    moe: bool
    indexer: str | None = None  # "full", or "shared": the keys are those that the layer before selected.


def layer_plan(c):
    """One Layer per decoder layer of the resolved config."""
    count = c["num_hidden_layers"]
    interval = c.get("no_rope_layer_interval")
    rope = c.get("no_rope_layers") or [not interval or (i + 1) % interval != 0 for i in range(count)]  # 1 means rope.
    if c["model_type"] == "mimo_v2_flash":
        kinds = ["sliding_attention" if mark else "full_attention" for mark in c["hybrid_layer_pattern"]]
        return [Layer(kinds[i], True, bool(c["moe_layer_freq"][i])) for i in range(count)]
    if c["model_type"] == "minimax_m3":
        sparse = c["sparse_attention_config"]
        return [Layer("full_attention", True, bool(c["moe_layer_freq"][i]), "full" if sparse["sparse_attention_freq"][i] else None)
                for i in range(count)]
    if c["model_type"] in DSA:
        return [Layer("full_attention", True, is_moe_layer(c, i), indexer_type(c, i)) for i in range(count)]
    if c["model_type"] in RECURRENT:
        return recurrent_plan(c, count)
    kinds = c.get("layer_types") or [default_layer_type(c, i, rope[i]) for i in range(count)]
    unknown = set(kinds) - {"full_attention", "sliding_attention", "chunked_attention"}
    if unknown:
        raise ValueError(f"unknown layer_types: {sorted(unknown)}")
    return [Layer(kinds[i], bool(rope[i]), is_moe_layer(c, i)) for i in range(count)]


def recurrent_plan(c, count):
    if c["model_type"] == "nemotron_h":
        letters = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}
        pattern = c.get("hybrid_override_pattern") or [letters[kind] for kind in c["layers_block_type"]]
        return [Layer(letter, False, letter == "E") for letter in pattern]
    if c["model_type"] == "kimi_linear":  # Its lists count from one.
        kinds = ["linear_attention" if i + 1 in c["linear_attn_config"]["kda_layers"] else "full_attention" for i in range(count)]
        return [Layer(kinds[i], False, is_moe_layer(c, i)) for i in range(count)]
    interval = c["full_attention_interval"]
    kinds = c.get("layer_types") or ["linear_attention" if (i + 1) % interval else "full_attention" for i in range(count)]
    return [Layer(kinds[i], True, is_moe_layer(c, i)) for i in range(count)]


def default_layer_type(c, i, rope):
    """The attention kind of layer i where the config has no layer_types."""
    family, window = c["model_type"], c["sliding_window"]
    if family == "llama4_text":
        return "chunked_attention" if rope else "full_attention"
    if family in ("gemma2", "gpt_oss"):
        sliding = i % 2 == 0
    elif family == "gemma4_text":
        sliding = (i + 1) % 6 != 0 and i + 1 != c["num_hidden_layers"]
    elif family == "gemma3_text":
        sliding = (i + 1) % c["sliding_window_pattern"] != 0
    elif family in ("qwen2", "qwen3"):
        sliding = c["use_sliding_window"] and window is not None and i >= c["max_window_layers"]
    elif family == "qwen3_moe":  # Qwen3MoeModel windows every layer and reads no max_window_layers.
        sliding = c["use_sliding_window"] and window is not None
    else:
        sliding = family in ("mistral", "mixtral", "phi3") and window is not None
    return "sliding_attention" if sliding else "full_attention"


def indexer_type(c, i):
    """Whether layer i of DeepSeek-V3.2 or GLM-5 has an indexer of its own (GlmMoeDsaConfig)."""
    if c["model_type"] == "deepseek_v32":
        return "full"
    if c["indexer_types"]:
        return c["indexer_types"][i]
    return "shared" if max(i - c["index_skip_topk_offset"] + 1, 0) % c["index_topk_freq"] else "full"


def is_moe_layer(c, i):
    """Whether the MLP of layer i is a mixture of experts."""
    family = c["model_type"]
    if family in ("qwen3_moe", *QWEN_DELTA):
        sparse = family == "qwen3_moe" or c.get("num_experts", 0) > 0
        return sparse and i not in (c["mlp_only_layers"] or []) and (i + 1) % c["decoder_sparse_step"] == 0
    if family == "llama4_text":
        step = c["interleave_moe_layer_step"]
        return i in c["moe_layers"] if c.get("moe_layers") is not None else (i + 1) % step == 0
    if family in MLA:
        return bool(c.get("n_routed_experts") or c.get("num_experts")) and i >= c["first_k_dense_replace"] and i % c["moe_layer_freq"] == 0
    return family in ("mixtral", "gpt_oss", "minimax_m2") or bool(c.get("enable_moe_block"))


def expert_count(c):
    """The number of routed experts, whose field has three names."""
    return next(c[key] for key in ("num_local_experts", "num_experts", "n_routed_experts") if key in c)


# --- Weights ----------------------------------------------------------------------------------------------------------

def weight_shapes(config):
    """Names and shapes of the tensors of a Hugging Face checkpoint of this config; a Linear weight is [out, in]."""
    c = resolve(config)
    if c["model_type"] == "nemotron_h":
        return nemotron_h_shapes(c)
    hidden, vocab = c["hidden_size"], c["vocab_size"]
    shapes = {"model.embed_tokens.weight": (vocab, hidden), "model.norm.weight": (hidden,)}
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (vocab, hidden)
    norms = ["input_layernorm", "post_attention_layernorm"]
    if c["model_type"] in SANDWICH:
        norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
    for i, layer in enumerate(layer_plan(c)):
        parts = {f"{name}.weight": (hidden,) for name in norms}
        parts |= delta_shapes(c) if layer.attention == "linear_attention" else prefixed(
            "self_attn.", mla_shapes(c) if c["model_type"] in MLA else attention_shapes(of_layer(c, layer)))
        if c.get("attn_res_block_size"):
            parts |= residual_shapes("self_attention_res", hidden) | residual_shapes("mlp_res", hidden)
        if c["model_type"] == "gemma4_text":
            parts |= gemma4_shapes(c, layer)
        else:
            parts |= prefixed("self_attn.", indexer_shapes(c) if layer.indexer == "full" else {})
            parts |= prefixed(mlp_name(c, layer) + ".", moe_shapes(c) if layer.moe else mlp_shapes(c, dense_intermediate(c)))
        shapes |= prefixed(f"model.layers.{i}.", parts)
    if c.get("attn_res_block_size"):
        shapes |= prefixed("model.", residual_shapes("output_attn_res", hidden))
    return shapes


def residual_shapes(name, hidden):
    """What mixes the sums of blocks of layers (Kimi-K3's attention residuals)."""
    return {f"{name}_norm.weight": (hidden,), f"{name}_proj.weight": (1, hidden)}


def of_layer(c, layer):
    """The config as a layer sees it: MiMo-V2's with a window have heads, sizes, base and sinks of their own; Gemma 4's
    without one have heads and sizes."""
    if c["model_type"] == "gemma4_text" and layer.attention == "full_attention":
        kv = c["num_global_key_value_heads"] if c["attention_k_eq_v"] else None
        return c | {"head_dim": c["global_head_dim"], "num_key_value_heads": kv or c["num_key_value_heads"],
                    "has_values": not c["attention_k_eq_v"]}
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


def mlp_name(c, layer):
    if c["model_type"] in ("minimax_m3", "kimi_linear"):
        return "block_sparse_moe" if layer.moe else "mlp"
    return {"mixtral": "block_sparse_moe", "minimax_m2": "block_sparse_moe", "llama4_text": "feed_forward"}.get(c["model_type"], "mlp")


def router_name(c):
    return "router" if c["model_type"] in ("gpt_oss", "llama4_text") else "gate"


def expert_projections(c):
    """The names of one expert's gate, up and down projections."""
    return ("w1", "w3", "w2") if c["model_type"] in ("mixtral", "minimax_m2", "minimax_m3", "kimi_linear") else ("gate_proj", "up_proj", "down_proj")


def dense_intermediate(c):
    if c["model_type"] == "minimax_m3":
        return c["dense_intermediate_size"]
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
        if c.get("has_values", True):
            shapes |= linear_shapes("v_proj", kv, hidden, qkv_biased)
    shapes |= linear_shapes("o_proj", hidden, q, biased)
    if family in QWEN_DELTA:  # Each head's query has a gate behind it.
        shapes |= linear_shapes("q_proj", 2 * q, hidden)
    if family in ("qwen3", "qwen3_moe", "gemma3_text", "gemma4_text", "minimax_m3", *QWEN_DELTA):
        shapes |= {"q_norm.weight": (d,), "k_norm.weight": (d,)}
    if family == "minimax_m2":  # Over all heads together.
        shapes |= {"q_norm.weight": (q,), "k_norm.weight": (kv,)}
    if family == "gpt_oss":
        shapes["sinks"] = (c["num_attention_heads"],)
    return shapes


def indexer_shapes(c):
    """Tensors of what selects keys: of DeepSeek-V3.2's Indexer, or of MiniMaxM3VLIndexer."""
    hidden = c["hidden_size"]
    if c["model_type"] == "minimax_m3":
        sparse = c["sparse_attention_config"]
        heads, d = sparse["sparse_num_index_heads"], sparse["sparse_index_dim"]
        return (linear_shapes("index_q_proj", heads * d, hidden) | linear_shapes("index_k_proj", d, hidden)
                | {"index_q_norm.weight": (d,), "index_k_norm.weight": (d,)})
    heads, d = c["index_n_heads"], c["index_head_dim"]
    shapes = linear_shapes("wq_b", heads * d, c["q_lora_rank"]) | linear_shapes("wk", d, hidden)
    shapes |= {"k_norm.weight": (d,), "k_norm.bias": (d,)} | linear_shapes("weights_proj", heads, hidden)
    return prefixed("indexer.", shapes)


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
    if c.get("mla_use_output_gate"):
        shapes |= linear_shapes("g_proj", heads * c["v_head_dim"], hidden)
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
    inter = c.get("moe_intermediate_size") or c["intermediate_size"]
    shapes = linear_shapes(router_name(c), experts, hidden, bias=family == "gpt_oss")
    if family in ("gpt_oss", "llama4_text"):  # Experts in one tensor, laid out [E, in, out].
        shapes |= {"experts.gate_up_proj": (experts, hidden, 2 * inter), "experts.down_proj": (experts, inter, hidden)}
        if family == "gpt_oss":
            return shapes | {"experts.gate_up_proj_bias": (experts, 2 * inter),
                             "experts.down_proj_bias": (experts, hidden)}
        return shapes | prefixed("shared_expert.", mlp_shapes(c, inter))
    if family in QWEN_DELTA:
        shapes |= prefixed("shared_expert.", mlp_shapes(c, c["shared_expert_intermediate_size"]))
        shapes |= linear_shapes("shared_expert_gate", 1, hidden)
    if family == "qwen3_5_moe_text":
        return shapes | {"experts.gate_up_proj": (experts, 2 * inter, hidden), "experts.down_proj": (experts, hidden, inter)}
    latent = c.get("routed_expert_hidden_size")
    for e in range(experts):
        shapes |= prefixed(f"experts.{e}.", mlp_shapes(c | {"hidden_size": latent or hidden}, inter, expert_projections(c)))
    if latent:
        shapes |= linear_shapes("routed_expert_down_proj", latent, hidden) | linear_shapes("routed_expert_up_proj", hidden, latent)
        shapes |= {"routed_expert_norm.weight": (latent,)} if c.get("latent_moe_use_norm") else {}
    if family in ("deepseek_v3", "kimi_k2", "kimi_linear", "mimo_v2_flash", *DSA):
        shapes["gate.e_score_correction_bias"] = (experts,)
    if family in ("minimax_m2", "minimax_m3"):
        shapes["e_score_correction_bias"] = (experts,)
    if c.get("n_shared_experts"):
        width = c.get("shared_intermediate_size") or inter
        shapes |= prefixed("shared_experts.", mlp_shapes(c, width * c["n_shared_experts"]))
    return shapes


def gemma4_shapes(c, layer):
    """What Gemma4TextDecoderLayer has beside attention and its four norms: a dense MLP, experts beside it, a scalar."""
    hidden, experts, inter = c["hidden_size"], c.get("num_experts"), c.get("moe_intermediate_size")
    shapes = {"layer_scalar": (1,)} | prefixed("mlp.", mlp_shapes(c, c["intermediate_size"]))
    if not layer.moe:
        return shapes
    norms = ("pre_feedforward_layernorm_2", "post_feedforward_layernorm_1", "post_feedforward_layernorm_2")
    shapes |= {f"{name}.weight": (hidden,) for name in norms}
    shapes |= {"router.proj.weight": (experts, hidden), "router.scale": (hidden,), "router.per_expert_scale": (experts,)}
    return shapes | {"experts.gate_up_proj": (experts, 2 * inter, hidden), "experts.down_proj": (experts, hidden, inter)}


def delta_shapes(c):
    """A mixer of the gated delta rule (Qwen3NextGatedDeltaNet, Qwen3_5GatedDeltaNet, KimiDeltaAttention)."""
    hidden = c["hidden_size"]
    if c["model_type"] == "kimi_linear":
        return prefixed("self_attn.", kimi_delta_shapes(c["linear_attn_config"], hidden))
    heads, d = c["linear_num_value_heads"], c["linear_value_head_dim"]
    keys, values = c["linear_num_key_heads"] * c["linear_key_head_dim"], heads * d
    if c["model_type"] == "qwen3_next":
        shapes = linear_shapes("in_proj_qkvz", 2 * keys + 2 * values, hidden) | linear_shapes("in_proj_ba", 2 * heads, hidden)
    else:
        shapes = linear_shapes("in_proj_qkv", 2 * keys + values, hidden) | linear_shapes("in_proj_z", values, hidden)
        shapes |= linear_shapes("in_proj_b", heads, hidden) | linear_shapes("in_proj_a", heads, hidden)
    shapes |= {"conv1d.weight": (2 * keys + values, 1, c["linear_conv_kernel_dim"]), "A_log": (heads,), "dt_bias": (heads,),
               "norm.weight": (d,)}
    return prefixed("linear_attn.", shapes | linear_shapes("out_proj", hidden, values))


def kimi_delta_shapes(linear, hidden):
    heads, d = linear["num_heads"], linear["head_dim"]
    width, shapes = heads * d, {}
    for name in "qkv":
        shapes |= linear_shapes(f"{name}_proj", width, hidden)
        shapes[f"{name}_conv1d.weight"] = (width, 1, linear["short_conv_kernel_size"])
    shapes |= linear_shapes("f_a_proj", d, hidden) | linear_shapes("f_b_proj", width, d) | linear_shapes("b_proj", heads, hidden)
    if linear.get("use_full_rank_gate"):
        shapes |= linear_shapes("g_proj", width, hidden)
    else:
        shapes |= linear_shapes("g_a_proj", d, hidden) | linear_shapes("g_b_proj", width, d)
    shapes |= {"A_log": (1, 1, heads, 1), "dt_bias": (width,), "o_norm.weight": (d,)}
    return shapes | linear_shapes("o_proj", hidden, width)


def nemotron_h_shapes(c):
    """Layers of one norm and one mixer (NemotronHBlock)."""
    hidden, vocab = c["hidden_size"], c["vocab_size"]
    shapes = {"backbone.embeddings.weight": (vocab, hidden), "backbone.norm_f.weight": (hidden,)}
    shapes |= linear_shapes("lm_head", vocab, hidden)
    mixers = {"M": mamba_shapes, "*": attention_shapes, "E": nemotron_moe_shapes,
              "-": lambda c: relu2_shapes(c["intermediate_size"], hidden)}
    for i, layer in enumerate(layer_plan(c)):
        shapes |= prefixed(f"backbone.layers.{i}.", {"norm.weight": (hidden,)} | prefixed("mixer.", mixers[layer.attention](c)))
    return shapes


def mamba_shapes(c):
    hidden, heads = c["hidden_size"], c["mamba_num_heads"]
    width, shared = heads * c["mamba_head_dim"], c["n_groups"] * c["ssm_state_size"]
    shapes = linear_shapes("in_proj", 2 * width + 2 * shared + heads, hidden)
    shapes |= {"conv1d.weight": (width + 2 * shared, 1, c["conv_kernel"])}
    if c["use_conv_bias"]:
        shapes["conv1d.bias"] = (width + 2 * shared,)
    shapes |= {"A_log": (heads,), "D": (heads,), "dt_bias": (heads,), "norm.weight": (width,)}
    return shapes | linear_shapes("out_proj", hidden, width)


def relu2_shapes(inter, hidden):
    return linear_shapes("up_proj", inter, hidden) | linear_shapes("down_proj", hidden, inter)


def nemotron_moe_shapes(c):
    hidden, latent, experts = c["hidden_size"], c["moe_latent_size"], c["n_routed_experts"]
    shapes = linear_shapes("gate", experts, hidden) | {"gate.e_score_correction_bias": (experts,)}
    for e in range(experts):
        shapes |= prefixed(f"experts.{e}.", relu2_shapes(c["moe_intermediate_size"], latent or hidden))
    shapes |= prefixed("shared_experts.", relu2_shapes(c["moe_shared_expert_intermediate_size"], hidden))
    if latent:
        shapes |= linear_shapes("fc1_latent_proj", latent, hidden) | linear_shapes("fc2_latent_proj", hidden, latent)
    return shapes
