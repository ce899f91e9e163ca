"""A float64 NumPy oracle of DeepSeek-V4, of the names and shapes of the release's own checkpoint.

Written from the release's inference code (model.py, kernel.py) and modeling_deepseek_v4.py of Hugging Face transformers;
where the two differ, the release is followed. It goes from token to token and looks at every earlier token anew, by
definition: an entry of compressed keys is made where it is looked at. Nothing is shared with the compiler.

Letters in shapes: n tokens, H heads, d head size, m streams or tokens to an entry, E experts, k chosen.
"""
import math

import numpy as np

OVERLAPPING = 4  # The ratio at which windows overlap and an indexer selects.


def linear(x, weight):
    return x @ weight.T


def rms_norm(x, eps, weight=1.0):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def weight_shapes(c):
    """Names and shapes of all tensors; tables of experts are whole numbers."""
    hidden, heads, d, vocab = c["hidden_size"], c["num_attention_heads"], c["head_dim"], c["vocab_size"]
    m, rank, experts, width = c["hc_mult"], c["q_lora_rank"], c["n_routed_experts"], c["moe_intermediate_size"]
    groups, out = c["o_groups"], c["o_lora_rank"]
    shapes = {"embed.weight": (vocab, hidden), "head.weight": (vocab, hidden), "norm.weight": (hidden,),
              "hc_head_fn": (m, m * hidden), "hc_head_base": (m,), "hc_head_scale": (1,)}

    def compressor(prefix, ratio, size):
        channels = size * (2 if ratio == OVERLAPPING else 1)
        return {prefix + "wkv.weight": (channels, hidden), prefix + "wgate.weight": (channels, hidden),
                prefix + "ape": (ratio, channels), prefix + "norm.weight": (size,)}

    def network(prefix):
        return {prefix + "w1.weight": (width, hidden), prefix + "w2.weight": (hidden, width), prefix + "w3.weight": (width, hidden)}

    for i in range(c["num_hidden_layers"]):
        ratio, p = c["compress_ratios"][i], f"layers.{i}."
        a = p + "attn."
        shapes |= {p + "attn_norm.weight": (hidden,), p + "ffn_norm.weight": (hidden,)}
        for site in ("hc_attn", "hc_ffn"):
            shapes |= {f"{p}{site}_fn": ((2 + m) * m, m * hidden), f"{p}{site}_base": ((2 + m) * m,), f"{p}{site}_scale": (3,)}
        shapes |= {a + "wq_a.weight": (rank, hidden), a + "q_norm.weight": (rank,), a + "wq_b.weight": (heads * d, rank),
                   a + "wkv.weight": (d, hidden), a + "kv_norm.weight": (d,), a + "attn_sink": (heads,),
                   a + "wo_a.weight": (groups * out, heads * d // groups), a + "wo_b.weight": (hidden, groups * out)}
        if ratio:
            shapes |= compressor(a + "compressor.", ratio, d)
        if ratio == OVERLAPPING:
            n, size = c["index_n_heads"], c["index_head_dim"]
            shapes |= compressor(a + "indexer.compressor.", ratio, size)
            shapes |= {a + "indexer.wq_b.weight": (n * size, rank), a + "indexer.weights_proj.weight": (n, hidden)}
        f = p + "ffn."
        shapes[f + "gate.weight"] = (experts, hidden)
        if i < c["num_hash_layers"]:
            shapes[f + "gate.tid2eid"] = (vocab, c["num_experts_per_tok"])
        else:
            shapes[f + "gate.bias"] = (experts,)
        for e in range(experts):
            shapes |= network(f"{f}experts.{e}.")
        shapes |= network(f + "shared_experts.")
    return shapes


class Model:
    """Forward passes over whole sequences; `weights` are those of weight_shapes."""

    def __init__(self, config, weights):
        self.c, self.margins = config, []
        self.w = {name: np.asarray(weights[name], np.int64 if name.endswith("tid2eid") else np.float64)
                  for name in weight_shapes(config)}

    def forward(self, tokens):
        """Logits [n, vocab], and by layer what is kept behind the last token."""
        c, kept = self.c, []
        x = np.repeat(self.w["embed.weight"][tokens][:, None], c["hc_mult"], axis=1)
        for i in range(c["num_hidden_layers"]):
            p = f"layers.{i}."
            def attend(h):
                out, state = self.attention(i, p + "attn.", h)
                kept.append(state)
                return out
            x = self.among_streams(p + "hc_attn", p + "attn_norm.weight", x, attend)
            x = self.among_streams(p + "hc_ffn", p + "ffn_norm.weight", x, lambda h: self.experts(p + "ffn.", h, tokens))
        y = self.mixes("hc_head", x)
        read = sigmoid(y * self.w["hc_head_scale"][0] + self.w["hc_head_base"]) + c["hc_eps"]
        x = rms_norm(np.einsum("nm,nmh->nh", read, x), c["rms_norm_eps"], self.w["norm.weight"])
        return linear(x, self.w["head.weight"]), kept

    # --- Streams

    def mixes(self, site, x):
        return linear(rms_norm(x.reshape(len(x), -1), self.c["rms_norm_eps"]), self.w[site + "_fn"])

    def among_streams(self, site, norm, x, block):
        """hc_pre, the block, hc_post: y_j = post_j block(h) + sum_i comb_ij x_i."""
        c, m = self.c, self.c["hc_mult"]
        y, scale, base, eps = self.mixes(site, x), self.w[site + "_scale"], self.w[site + "_base"], c["hc_eps"]
        pre = sigmoid(y[:, :m] * scale[0] + base[:m]) + eps
        post = 2 * sigmoid(y[:, m:2 * m] * scale[1] + base[m:2 * m])
        comb = softmax((y[:, 2 * m:] * scale[2] + base[2 * m:]).reshape(-1, m, m)) + eps
        comb = comb / (comb.sum(axis=1, keepdims=True) + eps)
        for _ in range(c["hc_sinkhorn_iters"] - 1):
            comb = comb / (comb.sum(axis=2, keepdims=True) + eps)
            comb = comb / (comb.sum(axis=1, keepdims=True) + eps)
        h = rms_norm(np.einsum("nm,nmh->nh", pre, x), c["rms_norm_eps"], self.w[norm])
        return post[:, :, None] * block(h)[:, None] + np.einsum("nij,nih->njh", comb, x)

    # --- Attention

    def frequencies(self, ratio):
        """Radians a position of each pair: layers that compress have another base, and YaRN without its factor."""
        c, dim = self.c, self.c["qk_rope_head_dim"]
        base = c["compress_rope_theta"] if ratio else c["rope_theta"]
        freq, yarn = base ** -(np.arange(0, dim, 2) / dim), c["rope_scaling"]
        if not ratio or not yarn:
            return freq
        original = yarn["original_max_position_embeddings"]
        pair = lambda turns: dim * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
        low, high = max(math.floor(pair(yarn["beta_fast"])), 0), min(math.ceil(pair(yarn["beta_slow"])), dim - 1)
        slow = np.clip((np.arange(dim // 2) - low) / (high - low if high != low else 0.001), 0, 1)
        return freq / yarn["factor"] * slow + freq * (1 - slow)

    def turn(self, x, positions, ratio, sign=1):
        """The last features of x [n, .., d], pairs of neighbours as complex numbers."""
        dim = self.c["qk_rope_head_dim"]
        angles = np.asarray(positions)[:, None] * self.frequencies(ratio)
        turns = np.exp(1j * sign * angles).reshape(len(x), *[1] * (x.ndim - 2), dim // 2)
        tail = (x[..., -dim::2] + 1j * x[..., x.shape[-1] - dim + 1::2]) * turns
        out = x.copy()
        out[..., -dim::2], out[..., x.shape[-1] - dim + 1::2] = tail.real, tail.imag
        return out

    def entries(self, prefix, ratio, x, size):
        """All entries of closed windows, [n // ratio, size], and the rows that later windows need."""
        kv, gate = linear(x, self.w[prefix + "wkv.weight"]), linear(x, self.w[prefix + "wgate.weight"])
        ape, made = self.w[prefix + "ape"], []
        for w in range(len(x) // ratio):
            own = slice(w * ratio, (w + 1) * ratio)
            values, gates = kv[own, -size:], gate[own, -size:] + ape[:, -size:]
            if ratio == OVERLAPPING and w > 0:
                before = slice((w - 1) * ratio, w * ratio)
                values = np.concatenate([kv[before, :size], values])
                gates = np.concatenate([gate[before, :size] + ape[:, :size], gates])
            made.append(np.sum(softmax(gates, axis=0) * values, axis=0))
        made = np.array(made).reshape(-1, size)
        made = rms_norm(made, self.c["rms_norm_eps"], self.w[prefix + "norm.weight"])
        return self.turn(made, np.arange(len(made)) * ratio, ratio), (kv, gate)

    def select(self, prefix, x, latents, keys, seen):
        """The entries that each query attends to, as a mask [n, entries]."""
        c = self.c
        q = linear(latents, self.w[prefix + "wq_b.weight"]).reshape(len(x), c["index_n_heads"], c["index_head_dim"])
        q = self.turn(q, np.arange(len(x)), OVERLAPPING)
        weights = linear(x, self.w[prefix + "weights_proj.weight"]) * (c["index_n_heads"] * c["index_head_dim"]) ** -0.5
        scores = np.einsum("nt,nht->nh", weights, np.zeros((len(x), 0, weights.shape[1]))) if not len(keys) else np.einsum(
            "nh,nht->nt", weights, np.maximum(0, np.einsum("nhd,td->nht", q, keys)))
        chosen = np.zeros((len(x), len(keys)), bool)
        for n, row in enumerate(scores):
            of = np.flatnonzero(seen[n])
            order = of[np.argsort(-row[of], kind="stable")]
            chosen[n, order[:c["index_topk"]]] = True
            if len(order) > c["index_topk"]:
                best = row[order]
                self.margins.append(best[c["index_topk"] - 1] - best[c["index_topk"]])
        return chosen

    def attention(self, layer, p, x):
        c, n = self.c, len(x)
        heads, d, eps, ratio = c["num_attention_heads"], c["head_dim"], c["rms_norm_eps"], c["compress_ratios"][layer]
        positions = np.arange(n)
        latents = rms_norm(linear(x, self.w[p + "wq_a.weight"]), eps, self.w[p + "q_norm.weight"])
        q = rms_norm(linear(latents, self.w[p + "wq_b.weight"]).reshape(n, heads, d), eps)
        q = self.turn(q, positions, ratio)
        kv = self.turn(rms_norm(linear(x, self.w[p + "wkv.weight"]), eps, self.w[p + "kv_norm.weight"]), positions, ratio)
        distance = positions[:, None] - positions
        mask, vectors, state = (distance >= 0) & (distance < c["sliding_window"]), kv, {"rows": kv}
        if ratio:
            entries, state["compressor"] = self.entries(p + "compressor.", ratio, x, d)
            seen = np.arange(len(entries)) < (positions[:, None] + 1) // ratio
            state["entries"] = entries
            if ratio == OVERLAPPING:
                keys, state["indexer"] = self.entries(p + "indexer.compressor.", ratio, x, c["index_head_dim"])
                seen &= self.select(p + "indexer.", x, latents, keys, seen)
                state["keys"] = keys
            mask, vectors = np.concatenate([mask, seen], axis=1), np.concatenate([kv, entries])
        scores = np.where(mask[:, None], np.einsum("nhd,td->nht", q, vectors) * d ** -0.5, -np.inf)
        sinks = np.broadcast_to(self.w[p + "attn_sink"][:, None], (n, heads, 1))
        shares = softmax(np.concatenate([scores, sinks], axis=-1))[..., :-1]
        out = self.turn(np.einsum("nht,td->nhd", shares, vectors), positions, ratio, sign=-1)
        grouped = out.reshape(n, c["o_groups"], -1)
        wo_a = self.w[p + "wo_a.weight"].reshape(c["o_groups"], c["o_lora_rank"], -1)
        return linear(np.einsum("ngk,grk->ngr", grouped, wo_a).reshape(n, -1), self.w[p + "wo_b.weight"]), state

    # --- Experts

    def network(self, p, x):
        limit = self.c["swiglu_limit"]
        gate = np.minimum(linear(x, self.w[p + "w1.weight"]), limit)
        up = np.clip(linear(x, self.w[p + "w3.weight"]), -limit, limit)
        return linear(gate * sigmoid(gate) * up, self.w[p + "w2.weight"])

    def experts(self, p, x, tokens):
        c, k = self.c, self.c["num_experts_per_tok"]
        scores = np.sqrt(np.log1p(np.exp(linear(x, self.w[p + "gate.weight"]))))
        if p + "gate.tid2eid" in self.w:
            chosen = self.w[p + "gate.tid2eid"][tokens]
        else:
            biased = scores + self.w[p + "gate.bias"]
            order = np.argsort(-biased, axis=-1, kind="stable")
            chosen = order[:, :k]
            ranked = np.take_along_axis(biased, order, axis=-1)
            self.margins.append((ranked[:, k - 1] - ranked[:, k]).min())
        shares = np.take_along_axis(scores, chosen, axis=-1)
        if c["norm_topk_prob"]:
            shares = shares / shares.sum(axis=-1, keepdims=True)
        out = self.network(p + "shared_experts.", x)
        for n in range(len(x)):
            for share, e in zip(shares[n] * c["routed_scaling_factor"], chosen[n]):
                out[n] += share * self.network(f"{p}experts.{e}.", x[n:n + 1])[0]
        return out
