"""Layers of decoders with a state, for derive_models.py: from their config.json, and the formulas of the papers.

Mamba-2: Dao and Gu, arXiv 2405.21060. The gated delta rule: Yang et al., arXiv 2412.06464, in the WY form of 2406.06484.
Kimi delta attention: arXiv 2510.26692. A prompt is computed in full chunks: of 64 tokens, or Mamba-2's `chunk_size`.
"""
from __future__ import annotations

from derive_layers import Config, Layer, gated_mlp, gqa, mla

DELTA_CHUNK = 64
NO_PAIRS = {"kv_up": 0, "kv_elements": 0, "pair_macs": 0, "absorbed_pair_macs": 0}
NO_FFN = {"matrices": 0, "vectors": 0, "expert_matrices": 0, "expert_vectors": 0, "experts": 0, "selected": 0}


def layer(c: Config, index: int) -> Layer:
    if c["model_type"] == "nemotron_h":
        mixer = {"M": mamba, "*": gqa, "-": relu2, "E": nemotron_experts}[
            c["hybrid_override_pattern"][index]](c)
        return build(c, 1, mixer, {})
    linear = c.get("linear_attn_config")
    if linear:
        mixer = kimi_delta(c, linear) if index + 1 in linear["kda_layers"] else kimi_attention(c)
        return build(c, 2, mixer, kimi_ffn(c, index) | attention_residuals(c, index, mixer))
    kinds, interval = c.get("layer_types"), c.get("full_attention_interval", 4)
    is_full = kinds[index] == "full_attention" if kinds else (index + 1) % interval == 0
    return build(c, 2, gated_attention(c) if is_full else qwen_delta(c), qwen_ffn(c, index))


def build(c: Config, norms: int, mixer: dict[str, int], ffn: dict[str, int]) -> Layer:
    """Of the sums of both parts, and norms of the hidden state."""
    sums = {key: mixer.get(key, 0) + ffn.get(key, 0) for key in ("matrices", "vectors")}
    sums["vectors"] += norms * c["hidden_size"] + ffn.pop("residual_vectors", 0)
    return Layer(**{**NO_PAIRS, **NO_FFN, **mixer, **ffn, **sums, "window": None, "chunk": None})


def delta(heads: int, key: int, value: int, taps: int, channels: int) -> dict[str, int]:
    """What a step does to the matrix of each head: its key's value, the update, the query's value. A chunk of C: K K^T,
    Q K^T and the keys of W, C^2 key each; the values of U and the output, C^2 value each; V', S and Q S, C key value
    each; the inverse of a triangle, C^3 / 6, rounded up."""
    c, each = DELTA_CHUNK, key * value
    return {"state_elements": heads * each + (taps - 1) * channels, "step_macs": 3 * heads * each + taps * channels,
            "tokens_macs": taps * channels, "chunk_tokens": c,
            "chunk_macs": heads * (c * c * (3 * key + 2 * value) + 3 * c * each - (-c ** 3 // 6))}


def qwen_delta(c: Config) -> dict[str, int]:
    hidden, keys, heads = c["hidden_size"], c["linear_num_key_heads"], c["linear_num_value_heads"]
    key, value, taps = c["linear_key_head_dim"], c["linear_value_head_dim"], c["linear_conv_kernel_dim"]
    channels, width = 2 * keys * key + heads * value, heads * value
    vectors = taps * channels + 2 * heads + value  # of the convolution, A_log and dt_bias, the norm
    return {"matrices": hidden * (channels + 2 * width + 2 * heads), "vectors": vectors,
            **delta(heads, key, value, taps, channels)}


def kimi_delta(c: Config, linear: Config) -> dict[str, int]:
    hidden, heads, dim, taps = c["hidden_size"], linear["num_heads"], linear["head_dim"], linear["short_conv_kernel_size"]
    width = heads * dim
    low_rank = hidden * dim + dim * width
    gates = low_rank + (hidden * width if linear.get("use_full_rank_gate") else low_rank)
    return {"matrices": 4 * hidden * width + gates + hidden * heads, "vectors": 3 * taps * width + heads + width + dim,
            **delta(heads, dim, dim, taps, 3 * width)}


def mamba(c: Config) -> dict[str, int]:
    """A chunk of Q: C B^T of each group, Q^2 N; its product with x, Q^2 P a head; states of chunks and what they add to the
    output, Q P N a head each; the pass over states is one product and a sum of each element."""
    hidden, heads, dim = c["hidden_size"], c["mamba_num_heads"], c["mamba_head_dim"]
    groups, size, taps, chunk = c["n_groups"], c["ssm_state_size"], c["conv_kernel"], c["chunk_size"]
    width, channels = heads * dim, heads * dim + 2 * groups * size
    vectors = (taps + bool(c.get("use_conv_bias"))) * channels + 3 * heads + width
    return {"matrices": hidden * (width + channels + heads) + width * hidden, "vectors": vectors,
            "state_elements": width * size + (taps - 1) * channels, "step_macs": 3 * width * size + taps * channels,
            "tokens_macs": taps * channels, "chunk_tokens": chunk,
            "chunk_macs": chunk * chunk * (groups * size + width) + 2 * chunk * width * size}


def relu2(c: Config) -> dict[str, int]:
    return {"matrices": 2 * c["hidden_size"] * c["intermediate_size"]}


def nemotron_experts(c: Config) -> dict[str, int]:
    """Router and shared expert in the hidden size, the others perhaps in a latent that one matrix makes and one undoes."""
    hidden, latent, experts = c["hidden_size"], c.get("moe_latent_size"), c["n_routed_experts"]
    matrices = hidden * experts + 2 * hidden * c["moe_shared_expert_intermediate_size"] + 2 * hidden * (latent or 0)
    return {"matrices": matrices, "vectors": experts, "expert_matrices": 2 * (latent or hidden) * c["moe_intermediate_size"],
            "experts": experts, "selected": c["num_experts_per_tok"]}


def gated_attention(c: Config) -> dict[str, int]:
    """Each query has a gate of its size; norms of queries and keys."""
    plain, dim = gqa(c), c["head_dim"]
    return plain | {"matrices": plain["matrices"] + c["hidden_size"] * c["num_attention_heads"] * dim, "vectors": 2 * dim}


def qwen_ffn(c: Config, index: int) -> dict[str, int]:
    experts, hidden = c.get("num_experts", 0), c["hidden_size"]
    if not experts or index in (c.get("mlp_only_layers") or []) or (index + 1) % c.get("decoder_sparse_step", 1):
        return {"matrices": gated_mlp(c, c["intermediate_size"])}
    shared = gated_mlp(c, c["shared_expert_intermediate_size"]) + hidden
    return {"matrices": hidden * experts + shared, "expert_matrices": gated_mlp(c, c["moe_intermediate_size"]),
            "experts": experts, "selected": c["num_experts_per_tok"]}


def kimi_attention(c: Config) -> dict[str, int]:
    """Latent attention, whose output a projection of its own may gate."""
    plain, gate = mla(c), c["hidden_size"] * c["num_attention_heads"] * c["v_head_dim"]
    return plain | {"matrices": plain["matrices"] + (gate if c.get("mla_use_output_gate") else 0)}


def attention_residuals(c: Config, index: int, mixer: dict[str, int]) -> dict[str, int]:
    """Before attention and the network, what began each block of layers and the running sum are mixed: a norm and a vector
    for each of the two, and for each source its product with the vector and its share, h each. Behind the last layer once
    more, which is counted with that layer here."""
    size, hidden, last = c.get("attn_res_block_size"), c["hidden_size"], c["num_hidden_layers"] - 1
    if not size:
        return {}
    begun = index // size + 1  # blocks, once attention has read its mixture
    sources = [-(-index // size) + 1, begun + 1] + [begun + 1] * (index == last)
    macs = sum(2 * hidden * n for n in sources)
    return {"residual_vectors": 2 * hidden * len(sources),
            "step_macs": mixer.get("step_macs", 0) + macs, "tokens_macs": mixer.get("tokens_macs", 0) + macs}


def kimi_ffn(c: Config, index: int) -> dict[str, int]:
    if index < c["first_k_dense_replace"] or index % c.get("moe_layer_freq", 1):
        return {"matrices": gated_mlp(c, c["intermediate_size"])}
    shared, experts = c["num_shared_experts"] * gated_mlp(c, c["moe_intermediate_size"]), c["num_experts"]
    # Routed experts may work on a latent, which one matrix makes and, behind a norm, one undoes.
    hidden, latent = c["hidden_size"], c.get("routed_expert_hidden_size", 0)
    return {"matrices": hidden * experts + shared + 2 * hidden * latent,
            "vectors": experts + (latent if c.get("latent_moe_use_norm") else 0),
            "expert_matrices": 3 * (latent or hidden) * c["moe_intermediate_size"], "experts": experts,
            "selected": c["num_experts_per_token"]}
