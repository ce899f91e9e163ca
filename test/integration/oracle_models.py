"""A float64 NumPy oracle of decoder-only language models.

It is written from the papers and from the reference implementations in Hugging Face transformers (4.57), for clarity
and not for speed.  Where the two differ it follows transformers and says so.  Everything is float64: it never rounds
where a reference implementation rounds to bfloat16 or float32 (router logits, Gemma's embedding normaliser, angles).

Letters in shapes: n new tokens, m tokens in all, H query heads, K key/value heads, d head size, E experts, k chosen.

What configs mean is in oracle_configs.py, the parts of a model are in oracle_math.py, and oracle_selftest.py tests all.
"""

import math

import numpy as np

from oracle_configs import (
    DSA, GEMMA, MLA, QWEN_DELTA, SANDWICH, expert_projections, layer_plan, mlp_name, of_layer, resolve, router_name,
    weight_shapes)
from oracle_math import (
    activation, apply_rope_half, apply_rope_interleaved, attention, attention_mask, attention_temperature,
    deepseek_softmax_scale, gemma_rms_norm, gpt_oss_swiglu, layer_norm, lightning_scores, linear, mla_absorbed,
    mla_expanded, rms_norm, rope_angles, rope_frequencies, route, route_qwen3, select_blocks, select_keys, sigmoid, soft_cap)

# --- The model --------------------------------------------------------------------------------------------------------

def split_heads(x, d):
    """[n, heads * d] as [n, heads, d], also of no rows."""
    return x.reshape(len(x), x.shape[-1] // d, d)


class Model:
    """A decoder of one of the families of oracle_configs.py.  A cache is one sequence's {"tokens": [...], "layers": [(k, v), ...]}."""

    def __init__(self, config, weights, mla="expanded", rounded=lambda x: x):
        """weights are the tensors of weight_shapes(config); others, as of multi-token prediction, are unused.

        `rounded` is what the results of ops become: of products, norms, sums, gates, rotations, attention.
        """
        self.rounded = rounded
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
        positions, layers, self.selected = np.arange(old, len(tokens)), [], None
        x = note_as(note, "embed", self.embed(np.asarray(new, int)))
        for i, layer in enumerate(self.layers):
            x, kv = self.decoder_layer(i, layer, x, positions, cache["layers"][i], note)
            layers.append(kv)
        x = note_as(note, "final_norm", self.norm("model.norm", self.end(x)))
        head = self.w.get("lm_head.weight", self.w["model.embed_tokens.weight"])
        logits = self.rounded(soft_cap(self.rounded(linear(x, head)), self.c["final_logit_softcapping"]))
        note("logits", logits)
        return logits, {"tokens": tokens, "layers": layers}

    def end(self, x):
        """What the last norm reads."""
        return x

    def embed(self, tokens):
        """Embeddings [n, hidden].  Gemma's factor sqrt(hidden), which transformers rounds to bfloat16, is exact here."""
        x = self.w["model.embed_tokens.weight"][tokens]
        return self.rounded(x * math.sqrt(self.c["hidden_size"])) if self.family in SANDWICH else x

    def norm(self, name, x, eps=None):
        norm = gemma_rms_norm if self.family in GEMMA | QWEN_DELTA | {"minimax_m3"} else rms_norm
        return self.rounded(norm(x, self.w[name + ".weight"], self.c["rms_norm_eps"] if eps is None else eps))

    def linear(self, name, x):
        return self.rounded(linear(x, self.w[name + ".weight"], self.w.get(name + ".bias")))

    def decoder_layer(self, i, layer, x, positions, cache, note):
        """One decoder layer on x [n, hidden]; Gemma norms each branch's output too ("sandwich")."""
        p, t, gemma = f"model.layers.{i}.", f"layers.{i}.", self.family in SANDWICH
        h = note_as(note, t + "attn_in", self.norm(p + "input_layernorm", x))
        h, kv = self.mix(p, layer, h, positions, cache, lambda name, value: note(t + name, value))
        note(t + "attn_out", h)
        x = self.rounded(x + (self.norm(p + "post_attention_layernorm", h) if gemma else h))
        h = self.norm(p + ("pre_feedforward_layernorm" if gemma else "post_attention_layernorm"), x)
        note(t + "mlp_in", h)
        block = p + mlp_name(self.c, layer) + "."
        if self.family == "gemma4_text":
            h = self.gemma4_feed_forward(p, layer, x, h, lambda name, value: note(t + name, value))
        else:
            h = self.moe(block, h, lambda name, value: note(t + name, value)) if layer.moe else self.mlp(block, h)
        note(t + "mlp_out", h)
        x = self.rounded(x + (self.norm(p + "post_feedforward_layernorm", h) if gemma else h))
        return note_as(note, t + "out", self.rounded(x * self.w.get(p + "layer_scalar", 1.0))), kv

    def mix(self, p, layer, *inputs):
        """What a layer does across tokens."""
        attend = self.latent_attention if self.family in MLA else self.attention
        attend = {"mimo_v2_flash": self.mimo_v2_attention, "gemma4_text": self.gemma4_attention,
                  "minimax_m3": self.minimax_m3_attention}.get(self.family, attend)
        return attend(p + "self_attn.", layer, *inputs)

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
            q, k = self.rounded(rotate(q, *angles)), self.rounded(rotate(k, *angles))
        if llama4 and layer.rope and c["use_qk_norm"]:
            q, k = (self.rounded(rms_norm(y, eps=c["rms_norm_eps"])) for y in (q, k))
        if llama4 and not layer.rope and c["attn_temperature_tuning"]:
            q = self.rounded(q * attention_temperature(positions, c["floor_scale"], c["attn_scale"])[:, None, None])
        for name, value in (("q", q), ("k", k), ("v", v)):
            note(name, value)
        k, v = grown(cache, k, v)
        scale = (c["query_pre_attn_scalar"] if self.family in GEMMA else c["head_dim"]) ** -0.5
        out = attention(q, k, v, self.mask(layer, positions), scale, c["attn_logit_softcapping"],
                        self.w.get(p + "sinks")) if len(x) else q
        return self.linear(p + "o_proj", self.rounded(out).reshape(len(x), math.prod(out.shape[1:]))), (k, v)

    def mimo_v2_attention(self, p, layer, x, positions, cache, note):
        """Values are scaled, and narrower than keys, of which the first features turn (MiMoV2Attention)."""
        c, n = of_layer(self.c, layer), len(x)
        heads, kv, d, value = (c[key] for key in ("num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim"))
        q, k = self.linear(p + "q_proj", x).reshape(n, heads, d), self.linear(p + "k_proj", x).reshape(n, kv, d)
        v = self.rounded(self.linear(p + "v_proj", x).reshape(n, kv, value) * (c["attention_value_scale"] or 1.0))
        angles = rope_angles(positions, *rope_frequencies(int(d * c["partial_rotary_factor"]), c["rope_theta"]))
        q, k = (self.rounded(apply_rope_half(y, *angles)) for y in (q, k))
        for name, value_of in (("q", q), ("k", k), ("v", v)):
            note(name, value_of)
        k, v = grown(cache, k, v)
        out = attention(q, k, v, self.mask(layer, positions), d ** -0.5, None,
                        self.w.get(p + "attention_sink_bias")) if n else np.zeros((0, heads, value))
        return self.linear(p + "o_proj", self.rounded(out).reshape(n, heads * value)), (k, v)

    def gemma4_attention(self, p, layer, x, positions, cache, note):
        """Queries, keys and values are normed, values without a weight; layers that see all keys may make both of the
        latter of one projection, and have heads of their own (Gemma4TextAttention)."""
        c, n = of_layer(self.c, layer), len(x)
        heads, kv, d, eps = (c[key] for key in ("num_attention_heads", "num_key_value_heads", "head_dim", "rms_norm_eps"))
        q, k = self.linear(p + "q_proj", x).reshape(n, heads, d), self.linear(p + "k_proj", x).reshape(n, kv, d)
        v = self.linear(p + "v_proj", x).reshape(k.shape) if p + "v_proj.weight" in self.w else k
        q, k, v = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k), self.rounded(rms_norm(v, eps=eps))
        rope = c["rope_parameters"][layer.attention]
        angles = rope_angles(positions, *rope_frequencies(d, rope["rope_theta"], rope))
        q, k = (self.rounded(apply_rope_half(y, *angles)) for y in (q, k))
        for name, value in (("q", q), ("k", k), ("v", v)):
            note(name, value)
        k, v = grown(cache, k, v)
        out = self.rounded(attention(q, k, v, self.mask(layer, positions), 1.0)) if n else q
        return self.linear(p + "o_proj", out.reshape(n, heads * d)), (k, v)

    def minimax_m3_attention(self, p, layer, x, positions, cache, note):
        """Norms of heads, of which a part turns; each index head selects blocks for one KV head (MiniMaxM3VLAttention).

        The cache has index keys behind keys and values.
        """
        c, n, heads, group = self.c, len(x), self.c["num_attention_heads"], None
        q, k, v = self.project_qkv(p, x)
        q, k = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k)
        angles = rope_angles(positions, *self.frequencies(0))
        parts = [self.rounded(apply_rope_half(q, *angles)), self.rounded(apply_rope_half(k, *angles)), v]
        if layer.indexer:
            sparse = c["sparse_attention_config"]
            d = sparse["sparse_index_dim"]
            index_q, index_k = (self.norm(f"{p}index_{name}_norm", split_heads(self.linear(f"{p}index_{name}_proj", x), d))
                                for name in ("q", "k"))
            index_q, index_k = (self.rounded(apply_rope_half(y, *angles)) for y in (index_q, index_k))
            parts.append(index_k[:, 0])
        cache = grown(cache, *parts[1:])
        mask = self.mask(layer, positions)
        if layer.indexer and n:
            chosen = [select_blocks(np.einsum("nd,md->nm", index_q[:, h], cache[2]) * d ** -0.5, mask, sparse["sparse_block_size"],
                                    sparse["sparse_topk_blocks"], sparse["sparse_local_block"], sparse["sparse_init_block"])
                      for h in range(index_q.shape[1])]
            note("selection_margin", np.min([margin for _, margin in chosen], axis=0))
            mask = np.repeat([selected for selected, _ in chosen], heads // len(chosen), axis=0)
        out = self.rounded(attention(parts[0], cache[0], cache[1], mask, c["head_dim"] ** -0.5)) if n else q
        return self.linear(p + "o_proj", out.reshape(n, math.prod(out.shape[1:]))), cache

    def lightning_select(self, p, layer, x, queries, positions, index_keys, note):
        """The mask [n, m] of the keys that the queries attend to, of all up to their own, and the grown index keys.

        queries are what MLA makes its own of. A layer without an indexer takes the mask of the layer before.
        """
        c, mask = self.c, self.mask(layer, positions)
        if layer.indexer == "shared":
            return self.selected, None
        d = c["index_head_dim"]
        q = split_heads(self.linear(p + "wq_b", queries), d)
        k = layer_norm(self.linear(p + "wk", x), self.w[p + "k_norm.weight"], self.w[p + "k_norm.bias"])
        k = self.rounded(k)[:, None]
        total = positions[-1] + 1 if len(positions) else 0
        angles = rope_angles(positions, *self.frequencies(total))
        rotate = apply_rope_interleaved if c.get("indexer_rope_interleave", self.family == "glm_moe_dsa") else apply_rope_half
        q, k = self.rounded(rotate(q, *angles)), self.rounded(rotate(k, *angles))[:, 0]
        index_keys, = grown(index_keys, k)
        if len(x):
            self.selected, margin = select_keys(
                lightning_scores(q, index_keys, self.linear(p + "weights_proj", x)), mask, c["index_topk"])
            note("selection_margin", margin)
        return self.selected if len(x) else mask, index_keys

    def latent_attention(self, p, layer, x, positions, cache, note):
        """Multi-head latent attention; the cache is (latent [m, r] after its norm, k_rope [m, dr] after rope)."""
        c, n = self.c, len(x)
        nope, rank, total = c["qk_nope_head_dim"], c["kv_lora_rank"], n + (len(cache[0]) if cache else 0)
        queries = None
        if c["q_lora_rank"]:  # transformers gives these two norms their class's eps of 1e-6 and not the config's.
            queries = self.norm(p + "q_a_layernorm", self.linear(p + "q_a_proj", x), 1e-6)
            q = self.linear(p + "q_b_proj", queries)
        else:
            q = self.linear(p + "q_proj", x)
        q = q.reshape(n, c["num_attention_heads"], q.shape[-1] // c["num_attention_heads"])
        compressed = self.linear(p + "kv_a_proj_with_mqa", x)
        latent = self.norm(p + "kv_a_layernorm", compressed[:, :rank], 1e-6)
        rotate = apply_rope_interleaved if c.get("rope_interleave", True) else apply_rope_half
        if not layer.rope:
            rotate = lambda x, *angles: x  # Kimi Linear's `mla_use_nope`.
        angles = rope_angles(positions, *self.frequencies(total))
        q_rope = self.rounded(rotate(q[..., nope:], *angles))
        k_rope = self.rounded(rotate(compressed[:, None, rank:], *angles))[:, 0]
        for name, value in (("q_nope", q[..., :nope]), ("q_rope", q_rope), ("latent", latent), ("k_rope", k_rope)):
            note(name, value)
        mask, index_keys = self.mask(layer, positions), None
        if self.family in DSA:
            old = (cache[2],) if cache and layer.indexer == "full" else None
            mask, index_keys = self.lightning_select(p + "indexer.", layer, x, queries, positions, old, note)
        latent, k_rope = grown(cache and cache[:2], latent, k_rope)
        scale = deepseek_softmax_scale(nope + c["qk_rope_head_dim"], c["rope_scaling"])
        out = self.mla(q[..., :nope], q_rope, latent, k_rope, self.w[p + "kv_b_proj.weight"],
                       mask, scale, self.rounded) if n else np.zeros((0, self.w[p + "o_proj.weight"].shape[1]))
        if p + "g_proj.weight" in self.w:
            out = self.rounded(out.reshape(n, math.prod(out.shape[1:])) * self.rounded(sigmoid(self.linear(p + "g_proj", x))))
        kept = (latent, k_rope) if index_keys is None else (latent, k_rope, index_keys)
        return self.linear(p + "o_proj", out.reshape(n, math.prod(out.shape[1:]))), kept

    def mlp(self, p, x, names=("gate_proj", "up_proj", "down_proj")):
        """A gated MLP: down(activation(gate(x)) * up(x))."""
        if self.family == "phi3":
            gate, up = np.split(self.linear(p + "gate_up_proj", x), 2, axis=-1)
        else:
            gate, up = self.linear(p + names[0], x), self.linear(p + names[1], x)
        if self.family == "minimax_m3":
            return self.linear(p + names[2], self.rounded(gpt_oss_swiglu(gate, up, limit=self.c["swiglu_limit"])))
        act = self.c.get("hidden_activation") or self.c["hidden_act"]
        if act == "situ":  # Kimi-K3 (SiTU).
            first, second = self.c["activation_situ_beta"], self.c["activation_situ_linear_beta"]
            gated = first * np.tanh(gate / first) * sigmoid(gate) * second * np.tanh(up / second)
            return self.linear(p + names[2], self.rounded(gated))
        return self.linear(p + names[2], self.rounded(activation(act, gate) * up))

    def expert(self, p, e, x):
        """Routed expert e on x [rows, hidden]."""
        if p + "experts.gate_up_proj" not in self.w:
            return self.mlp(f"{p}experts.{e}.", x, expert_projections(self.c))
        gate_up, down = (self.w[f"{p}experts.{name}"][e] for name in ("gate_up_proj", "down_proj"))
        if self.family == "qwen3_5_moe_text":  # Laid out [out, in]: gate and up are the halves of the rows.
            gate, up = np.split(self.rounded(linear(x, gate_up)), 2, axis=-1)
            return self.rounded(linear(self.rounded(activation(self.c["hidden_act"], gate) * up), down))
        if self.family == "llama4_text":  # Gate and up are the halves of the columns.
            gate, up = np.split(self.rounded(x @ gate_up), 2, axis=-1)
            return self.rounded(self.rounded(activation(self.c["hidden_act"], gate) * up) @ down)
        # Gate and up columns alternate.
        gate_up = self.rounded(x @ gate_up + self.w[p + "experts.gate_up_proj_bias"][e])
        hidden = self.rounded(gpt_oss_swiglu(gate_up[:, 0::2], gate_up[:, 1::2], limit=self.c["swiglu_limit"]))
        return self.rounded(hidden @ down + self.w[p + "experts.down_proj_bias"][e])

    def moe(self, p, x, note):
        """A mixture of experts on x [n, hidden], with its shared experts if any."""
        logits, bias = self.linear(p + router_name(self.c), x), self.w.get(
            p + ("" if self.family in ("minimax_m2", "minimax_m3") else "gate.") + "e_score_correction_bias")
        experts, weights, margin = route(self.c, logits, bias)
        weights = self.rounded(weights)
        for name, value in (("router_logits", logits), ("experts", experts), ("expert_weights", weights)):
            note(name, value)
        note("router_margin", margin)
        latent = p + "routed_expert_down_proj.weight" in self.w  # Kimi-K3: experts of narrower tokens.
        inner = self.linear(p + "routed_expert_down_proj", x) if latent else x
        out = np.zeros_like(inner)
        for e in np.unique(experts):
            rows, slots = np.nonzero(experts == e)
            scale = weights[rows, slots][:, None]
            if self.family == "llama4_text":
                out[rows] += self.expert(p, e, self.rounded(inner[rows] * scale))
            else:
                out[rows] += self.expert(p, e, inner[rows]) * scale
        out = self.rounded(out)
        if latent:
            if p + "routed_expert_norm.weight" in self.w:
                out = self.norm(p + "routed_expert_norm", out)
            out = self.linear(p + "routed_expert_up_proj", out)
        for name in ("shared_expert.", "shared_experts."):
            if p + name + "down_proj.weight" in self.w:
                shared = self.mlp(p + name, x)
                gated = p + "shared_expert_gate.weight" in self.w
                share = self.rounded(sigmoid(self.linear(p + "shared_expert_gate", x))) if gated else 1.0
                out = self.rounded(out + self.rounded(share * shared))
        return out


    def gemma4_feed_forward(self, p, layer, x, normed, note):
        """A dense MLP, and experts beside it: these and their router read the residual x, by norms of their own
        (Gemma4TextDecoderLayer, Gemma4TextRouter)."""
        dense = self.mlp(p + "mlp.", normed)
        if not layer.moe:
            return dense
        c = self.c
        routed = self.rounded(rms_norm(x, self.w[p + "router.scale"], c["rms_norm_eps"])) * c["hidden_size"] ** -0.5
        logits = self.rounded(linear(self.rounded(routed), self.w[p + "router.proj.weight"]))
        experts, shares, margin = route_qwen3(logits, c["top_k_experts"], True)
        note("router_logits", logits), note("router_margin", margin)
        shares = self.rounded(shares * self.w[p + "router.per_expert_scale"][experts])
        h, mixed = self.norm(p + "pre_feedforward_layernorm_2", x), np.zeros_like(x)
        for e in np.unique(experts):
            rows, slots = np.nonzero(experts == e)
            gate, up = np.split(self.rounded(linear(h[rows], self.w[p + "experts.gate_up_proj"][e])), 2, axis=-1)
            hidden = self.rounded(activation(c["hidden_activation"], gate) * up)
            made = self.rounded(linear(hidden, self.w[p + "experts.down_proj"][e]))
            mixed[rows] += shares[rows, slots][:, None] * made
        dense = self.norm(p + "post_feedforward_layernorm_1", dense)
        return self.rounded(dense + self.norm(p + "post_feedforward_layernorm_2", self.rounded(mixed)))


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
