"""Decoders with recurrent layers, for oracle_models.py: Qwen3-Next and Qwen3.5, Nemotron-H, Kimi Linear and Kimi-K3.

Written from modeling_qwen3_next.py, modeling_qwen3_5_moe.py and modeling_nemotron_h.py of Hugging Face transformers,
modeling_kimi.py of Kimi-Linear, and the naive recurrences of flash-linear-attention. All goes from token to token.
"""

from typing import NamedTuple

import numpy as np

from oracle_configs import RECURRENT, mlp_name, resolve
from oracle_math import (
    activation, apply_rope_half, attention, delta_rule, l2_norm, linear, rms_norm, rope_angles, route,
    selective_scan, short_convolution, sigmoid, softmax, softplus)
from oracle_models import Model, grown, split_heads


class State(NamedTuple):
    """What a recurrent layer keeps in place of keys and values: the last inputs of its convolutions, each [K - 1, C],
    and the matrices of its heads, [heads, key or state size, value size]."""
    inputs: tuple
    matrix: np.ndarray


def model_of(config, weights, **options):
    """The model of the config: of the families with recurrent layers, or of the others."""
    kind = RecurrentModel if resolve(config)["model_type"] in RECURRENT else Model
    return kind(config, weights, **options)


class RecurrentModel(Model):
    def __init__(self, config, weights, **options):
        super().__init__(config, weights, **options)
        if self.family == "nemotron_h":
            names = {"backbone.embeddings": "model.embed_tokens", "backbone.norm_f": "model.norm"}
            for name in list(self.w):
                stem, _, last = name.rpartition(".")
                other = f"{names[stem]}.{last}" if stem in names else name.replace("backbone.", "model.", 1)
                self.w[other] = self.w.pop(name)

    def mix(self, p, layer, *inputs):
        if layer.attention == "linear_attention":
            return self.kimi_delta(p + "self_attn.", *inputs) if self.family == "kimi_linear" else self.qwen_delta(
                p + "linear_attn.", *inputs)
        if self.family == "kimi_linear":
            return super().mix(p, layer, *inputs)
        return self.gated_attention(p + "self_attn.", layer, *inputs)

    def decoder_layer(self, i, layer, x, positions, cache, note):
        """Nemotron-H's layers are one mixer each (NemotronHBlock)."""
        if self.c.get("attn_res_block_size"):
            return self.mixed_layer(i, layer, x, positions, cache, note)
        if self.family != "nemotron_h":
            return super().decoder_layer(i, layer, x, positions, cache, note)
        p, kept = f"model.layers.{i}.", cache
        h, mixer = self.norm(p + "norm", x), p + "mixer."
        if layer.attention == "M":
            h, kept = self.mamba(mixer, h, cache)
        elif layer.attention == "*":
            h, kept = self.attention(mixer, layer, h, positions, cache, lambda name, value: None)
        elif layer.attention == "E":
            h = self.latent_moe(mixer, h, lambda name, value: note(f"layers.{i}.{name}", value))
        else:
            h = self.relu2_mlp(mixer, h)
        return self.rounded(x + h), kept

    def mixed_sums(self, name, x):
        """A weighted sum of the sums at which blocks of layers began, and of the running one (Kimi-K3, arXiv 2603.15031)."""
        sources = np.stack([*self.begun, x], axis=1)
        normed = self.rounded(rms_norm(sources, self.w[name + "_norm.weight"], self.c["rms_norm_eps"]))
        shares = self.rounded(softmax(self.rounded(normed @ self.w[name + "_proj.weight"][0])))
        return self.rounded(np.einsum("nm,nmh->nh", shares, sources))

    def mixed_layer(self, i, layer, x, positions, cache, note):
        """A layer whose blocks read mixtures. The first of a block of layers begins a new sum."""
        p = f"model.layers.{i}."
        if i == 0:
            self.begun = []
        h = self.norm(p + "input_layernorm", self.mixed_sums(p + "self_attention_res", x))
        h, kept = self.mix(p, layer, h, positions, cache, lambda name, value: note(f"layers.{i}.{name}", value))
        if i % self.c["attn_res_block_size"] == 0:
            self.begun.append(x)
            x = h
        else:
            x = self.rounded(x + h)
        h = self.norm(p + "post_attention_layernorm", self.mixed_sums(p + "mlp_res", x))
        block = p + mlp_name(self.c, layer) + "."
        h = self.moe(block, h, lambda name, value: note(f"layers.{i}.{name}", value)) if layer.moe else self.mlp(block, h)
        return self.rounded(x + h), kept

    def end(self, x):
        return self.mixed_sums("model.output_attn_res", x) if self.c.get("attn_res_block_size") else x

    def convolve(self, p, x, old):
        """The short convolution of that name, and its next state; zeros stand before the first token."""
        kernel = self.w[p + ".weight"][:, 0]
        old = np.zeros((kernel.shape[1] - 1, kernel.shape[0])) if old is None else old
        out, kept = short_convolution(x, kernel, self.w.get(p + ".bias"), old)
        return self.rounded(out), kept

    def mamba(self, p, x, state):
        """Mamba-2 (NemotronHMamba2Mixer): a gate, then x, B and C through one convolution, then steps."""
        c, n = self.c, len(x)
        heads, d, groups, size = (c[key] for key in ("mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size"))
        width, shared = heads * d, groups * size
        gate, mixed, dt = np.split(self.linear(p + "in_proj", x), [width, 2 * width + 2 * shared], axis=-1)
        mixed, last = self.convolve(p + "conv1d", mixed, state and state.inputs[0])
        value, b, read = np.split(mixed, [width, width + shared], axis=-1)
        b, read = (np.repeat(y.reshape(n, groups, size), heads // groups, axis=1) for y in (b, read))
        dt = self.rounded(np.clip(softplus(dt + self.w[p + "dt_bias"]), *c.get("time_step_limit", (0.0, np.inf))))
        matrix = np.zeros((heads, size, d)) if state is None else state.matrix
        out, matrix = selective_scan(value.reshape(n, heads, d), b, read, dt, -np.exp(self.w[p + "A_log"]), self.w[p + "D"], matrix)
        out = self.rounded(self.rounded(out.reshape(n, width)) * activation("silu", gate)).reshape(n, groups, width // groups)
        out = self.rounded(rms_norm(out, eps=c["rms_norm_eps"]).reshape(n, width) * self.w[p + "norm.weight"])
        return self.linear(p + "out_proj", out), State((last,), matrix)

    def relu2_mlp(self, p, x):
        return self.linear(p + "down_proj", self.rounded(activation("relu2", self.linear(p + "up_proj", x))))

    def latent_moe(self, p, x, note):
        """Experts without gates, if configured on a latent that one matrix makes and another takes back (NemotronHMOE)."""
        experts, weights, margin = route(self.c, self.linear(p + "gate", x), self.w[p + "gate.e_score_correction_bias"])
        weights = self.rounded(weights)
        note("router_margin", margin)
        latent = self.c["moe_latent_size"]
        inner = self.linear(p + "fc1_latent_proj", x) if latent else x
        mixed = np.zeros_like(inner)
        for e in np.unique(experts):
            rows, slots = np.nonzero(experts == e)
            mixed[rows] += self.relu2_mlp(f"{p}experts.{e}.", inner[rows]) * weights[rows, slots][:, None]
        mixed = self.rounded(mixed)
        mixed = self.linear(p + "fc2_latent_proj", mixed) if latent else mixed
        return self.rounded(mixed + self.relu2_mlp(p + "shared_experts.", x))

    def qwen_delta(self, p, x, positions, state, note):
        """Queries, keys and values through one convolution, one decay a value head (Qwen3NextGatedDeltaNet)."""
        c, n = self.c, len(x)
        key_heads, heads, dk, dv = (c["linear_" + key] for key in (
            "num_key_heads", "num_value_heads", "key_head_dim", "value_head_dim"))
        mixed, z, b, a = self.qwen_projections(p, x)
        mixed, last = self.convolve(p + "conv1d", mixed, state and state.inputs[0])
        q, k, v = np.split(mixed, [key_heads * dk, 2 * key_heads * dk], axis=-1)
        q, k = (np.repeat(l2_norm(y.reshape(n, key_heads, dk)), heads // key_heads, axis=1) for y in (q, k))
        decay = -np.exp(self.w[p + "A_log"]) * self.rounded(softplus(a + self.w[p + "dt_bias"]))
        matrix = np.zeros((heads, dk, dv)) if state is None else state.matrix
        beta = self.rounded(sigmoid(b))
        out, matrix = delta_rule(q * dk ** -0.5, k, v.reshape(n, heads, dv), decay[..., None], beta, matrix)
        out = self.rounded(rms_norm(self.rounded(out), self.w[p + "norm.weight"], c["rms_norm_eps"]))
        out = self.rounded(out * activation("silu", z.reshape(n, heads, dv)))
        return self.linear(p + "out_proj", out.reshape(n, heads * dv)), State((last,), matrix)

    def qwen_projections(self, p, x):
        """(q | k | v), z, b, a of x. Qwen3-Next has all of a key head beside each other (fix_query_key_value_ordering)."""
        if self.family != "qwen3_next":
            return (self.linear(f"{p}in_proj_{name}", x) for name in ("qkv", "z", "b", "a"))
        c, n, groups = self.c, len(x), self.c["linear_num_key_heads"]
        share = c["linear_num_value_heads"] // groups
        dk, values = c["linear_key_head_dim"], share * c["linear_value_head_dim"]
        qkvz = self.linear(p + "in_proj_qkvz", x).reshape(n, groups, 2 * dk + 2 * values)
        q, k, v, z = (y.reshape(n, groups * y.shape[-1]) for y in np.split(qkvz, [dk, 2 * dk, 2 * dk + values], axis=-1))
        b, a = (y.reshape(n, groups * share) for y in np.split(
            self.linear(p + "in_proj_ba", x).reshape(n, groups, 2 * share), 2, axis=-1))
        return np.concatenate([q, k, v], axis=-1), z, b, a

    def kimi_delta(self, p, x, positions, state, note):
        """Three convolutions, and a decay for each channel of a key (KimiDeltaAttention)."""
        linear_config, n = self.c["linear_attn_config"], len(x)
        heads, d = linear_config["num_heads"], linear_config["head_dim"]
        old = state.inputs if state else (None,) * 3
        mixed = [self.convolve(f"{p}{name}_conv1d", self.linear(f"{p}{name}_proj", x), kept) for name, kept in zip("qkv", old)]
        q, k, v = (y.reshape(n, heads, d) for y, _ in mixed)
        rate, bound = np.exp(self.w[p + "A_log"].reshape(heads, 1)), linear_config.get("gate_lower_bound")
        low = self.linear(p + "f_a_proj", x)
        if bound is None:
            steps = self.rounded(softplus(self.linear(p + "f_b_proj", low) + self.w[p + "dt_bias"]))
            decay = -rate * steps.reshape(n, heads, d)
        else:
            steps = self.rounded(linear(low, self.w[p + "f_b_proj.weight"], self.w[p + "dt_bias"]))
            decay = bound * sigmoid(rate * steps.reshape(n, heads, d))
        matrix = np.zeros((heads, d, d)) if state is None else state.matrix
        beta = self.rounded(sigmoid(self.linear(p + "b_proj", x)))
        out, matrix = delta_rule(l2_norm(q) * d ** -0.5, l2_norm(k), v, decay, beta, matrix)
        gate = self.linear(p + "g_proj", x) if linear_config.get("use_full_rank_gate") else self.linear(
            p + "g_b_proj", self.linear(p + "g_a_proj", x))
        out = self.rounded(rms_norm(self.rounded(out), self.w[p + "o_norm.weight"], self.c["rms_norm_eps"]))
        out = self.rounded(out * self.rounded(sigmoid(gate.reshape(n, heads, d))))
        return self.linear(p + "o_proj", out.reshape(n, heads * d)), State(tuple(last for _, last in mixed), matrix)

    def gated_attention(self, p, layer, x, positions, cache, note):
        """Each head's query has a gate behind it (Qwen3NextAttention)."""
        c, n, d = self.c, len(x), self.c["head_dim"]
        q, gate = np.split(split_heads(self.linear(p + "q_proj", x), 2 * d), 2, axis=-1)
        k, v = (split_heads(self.linear(p + name, x), d) for name in ("k_proj", "v_proj"))
        q, k = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k)
        angles = rope_angles(positions, *self.frequencies(0))
        q, k = (self.rounded(apply_rope_half(y, *angles)) for y in (q, k))
        k, v = grown(cache, k, v)
        out = self.rounded(attention(q, k, v, self.mask(layer, positions), d ** -0.5)) if n else q
        return self.linear(p + "o_proj", self.rounded(out * self.rounded(sigmoid(gate))).reshape(n, q.shape[1] * d)), (k, v)
