"""The parts of a decoder in float64, for oracle_models.py: norms, activations, rotations, attention, routers.

Letters in shapes: n new tokens, m tokens in all, H query heads, K key/value heads, d head size, E experts, k chosen.
"""

import math

import numpy as np

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


def layer_norm(x, weight, bias, eps=1e-6):
    """LayerNorm over the last axis (Ba et al., arXiv 1607.06450)."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + eps) * weight + bias


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
    if name == "relu2":
        return np.maximum(x, 0.0) ** 2
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
    if kind == "proportional":  # _compute_proportional_rope_parameters: the slow pairs do not turn.
        return np.where(np.arange(dim // 2) < int(scaling["partial_rotary_factor"] * dim // 2), inv, 0.0), 1.0
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
    """Grouped-query attention: q [n, H, d], k [m, K, d], v [m, K, dv], mask [n, m] or [H, n, m] to [n, H, dv].

    Query head h reads key/value head h // (H/K).  softcap is Gemma 2's; sinks [H] are gpt-oss's logits of no value.
    """
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = soft_cap(np.einsum("nhd,mhd->hnm", q, k) * scale, softcap)
    scores = np.where(mask[None] if mask.ndim == 2 else mask, scores, -np.inf)
    if sinks is not None:
        column = np.broadcast_to(sinks[:, None, None], scores.shape[:2] + (1,))
        scores = np.concatenate([scores, column], axis=-1)
    return np.einsum("hnm,mhd->nhd", softmax(scores)[..., :k.shape[0]], v)


def lightning_scores(q, k, weights):
    """DeepSeek-V3.2's index scores [n, m]: sum_h w[n, h] relu(q[n, h] . k[m] / sqrt(d)) / sqrt(H).

    The reference also turns q and k by one orthogonal (Hadamard) matrix, which changes no product.
    """
    products = np.einsum("nhd,md->nhm", q, k) * q.shape[-1] ** -0.5
    return np.einsum("nh,nhm->nm", weights * q.shape[1] ** -0.5, np.maximum(products, 0.0))


def select_keys(scores, mask, top):
    """Boolean [n, m]: the `top` visible keys of the greatest scores, the lower index at a tie; and the margin [n]."""
    selected, margin = np.zeros(mask.shape, bool), np.full(len(scores), np.inf)
    for row, (score, seen) in enumerate(zip(scores, mask)):
        visible = np.flatnonzero(seen)
        order = visible[np.argsort(-score[visible], kind="stable")]
        selected[row, order[:top]] = True
        if len(order) > top:
            margin[row] = score[order[top - 1]] - score[order[top]]
    return selected, margin


def select_blocks(scores, mask, block, top, local=1, initial=0):
    """Boolean [n, m]: visible keys of the `top` blocks of the greatest score of a visible key (MiniMaxM3VLIndexer).

    The `local` blocks up to that of the last visible key and the `initial` first ones go before others.
    """
    selected, margin = np.zeros(mask.shape, bool), np.full(len(scores), np.inf)
    for row, (score, seen) in enumerate(zip(scores, mask)):
        last = np.flatnonzero(seen)[-1] // block
        best = np.array([score[n * block:(n + 1) * block][seen[n * block:(n + 1) * block]].max() for n in range(last + 1)])
        best[max(0, last + 1 - local):] = np.inf
        best[:initial] = np.inf
        order = np.argsort(-best, kind="stable")
        for n in order[:top]:
            selected[row, n * block:(n + 1) * block] = seen[n * block:(n + 1) * block]
        if len(order) > top:
            margin[row] = best[order[top - 1]] - best[order[top]]
    return selected, margin


def attention_temperature(positions, floor_scale, attn_scale):
    """The factor [n] on the queries of Llama 4's layers without rope (arXiv 2501.19399, Llama4TextAttention)."""
    return np.log(np.floor((np.asarray(positions, np.float64) + 1.0) / floor_scale) + 1.0) * attn_scale + 1.0


def deepseek_softmax_scale(qk_head_dim, scaling=None):
    """DeepSeek's softmax scale: yarn's mscale_all_dim corrects it twice, for queries and keys (DeepseekV3Attention).

    DeepSeek's own code does so for V2 as well; so does this oracle.
    """
    all_dim = scaling.get("mscale_all_dim") if scaling else None
    return qk_head_dim ** -0.5 * (yarn_mscale(scaling["factor"], all_dim) ** 2 if all_dim else 1.0)


def mla_expanded(q_nope, q_rope, latent, k_rope, kv_b, mask, scale, rounded=lambda x: x):
    """Latent attention as the paper's training form: keys and values of every head are made of the latent.

    q_nope [n, H, dn], q_rope [n, H, dr], latent [m, r], k_rope [m, dr], kv_b [H * (dn + dv), r] to [n, H, dv].
    """
    heads, nope = q_nope.shape[1:]
    kv = rounded(linear(latent, kv_b)).reshape(len(latent), heads, -1)
    shared = np.broadcast_to(k_rope[:, None, :], (len(latent), heads, k_rope.shape[-1]))
    k = np.concatenate([kv[..., :nope], shared], axis=-1)
    return rounded(attention(np.concatenate([q_nope, q_rope], axis=-1), k, kv[..., nope:], mask, scale))


def mla_absorbed(q_nope, q_rope, latent, k_rope, kv_b, mask, scale, rounded=lambda x: x):
    """The same with kv_b absorbed into queries and outputs, so that it is multi-query attention on the latent."""
    heads, nope = q_nope.shape[1:]
    kv_b = kv_b.reshape(heads, -1, latent.shape[-1])
    q = np.concatenate([rounded(np.einsum("nhd,hdr->nhr", q_nope, kv_b[:, :nope])), q_rope], axis=-1)
    k = np.concatenate([latent, k_rope], axis=-1)[:, None, :]
    return rounded(np.einsum("nhr,hvr->nhv", rounded(attention(q, k, latent[:, None, :], mask, scale)), kv_b[:, nope:]))


# --- Layers with a state ----------------------------------------------------------------------------------------------

def softplus(x):
    return np.logaddexp(0.0, x)


def l2_norm(x, eps=1e-6):
    """Rows divided by their length (l2norm of transformers' Qwen3-Next and of flash-linear-attention)."""
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True) + eps)


def short_convolution(x, kernel, bias, old):
    """SiLU of a causal depthwise convolution: x [n, C], kernel [C, K], old [K - 1, C], the inputs before; and the last K - 1."""
    taps, padded = kernel.shape[1], np.concatenate([old, x])
    sums = sum(kernel[:, i] * padded[i:i + len(x)] for i in range(taps))
    return activation("silu", sums if bias is None else sums + bias), padded[len(padded) - taps + 1:]


def delta_rule(q, k, v, log_decay, beta, state):
    """The gated delta rule, token by token (recurrent_gated_delta_rule, naive_recurrent_kda).

    q, k [n, H, dk], v [n, H, dv], log_decay [n, H, dk] or [n, H, 1], beta [n, H], state [H, dk, dv] to out [n, H, dv], state.
    """
    out = np.zeros(v.shape)
    for t in range(len(v)):
        state = np.exp(log_decay[t])[:, :, None] * state
        error = v[t] - np.einsum("hkv,hk->hv", state, k[t])
        state = state + np.einsum("hk,hv->hkv", k[t], beta[t][:, None] * error)
        out[t] = np.einsum("hkv,hk->hv", state, q[t])
    return out, state


def selective_scan(x, b, c, dt, a, d, state):
    """Mamba-2's recurrence, token by token (selective_state_update): x [n, H, P], b, c [n, H, N], dt [n, H], a, d [H],
    state [H, N, P] to out [n, H, P], state."""
    out = np.zeros(x.shape)
    for t in range(len(x)):
        state = np.exp(dt[t] * a)[:, None, None] * state + np.einsum("h,hn,hp->hnp", dt[t], b[t], x[t])
        out[t] = np.einsum("hnp,hn->hp", state, c[t]) + d[:, None] * x[t]
    return out, state


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
    if family in ("qwen3_moe", "qwen3_next", "qwen3_5_moe_text"):  # Qwen3.5 has no field: its shares sum to one.
        return route_qwen3(logits, k, c["norm_topk_prob"])
    if family == "llama4_text":
        return route_llama4(logits, k)
    if family == "deepseek_v2":
        return route_deepseek_v2(logits, k, c["topk_method"], c.get("n_group"), c.get("topk_group"),
                                 c["norm_topk_prob"], c["routed_scaling_factor"])
    if family == "minimax_m2":  # MiniMaxM2TopKRouter: as DeepSeek-V3's without groups and scale.
        return route_deepseek_v3(logits, bias, k)
    if family == "minimax_m3":
        return route_deepseek_v3(logits, bias, k, scale=c["routed_scaling_factor"])
    return route_deepseek_v3(logits, bias, k, c["n_group"], c["topk_group"], c["norm_topk_prob"],
                             c.get("routed_scaling_factor") or 1.0)
