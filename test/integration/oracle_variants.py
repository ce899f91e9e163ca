"""A float64 NumPy oracle of families that oracle_models.py does not have: of all tokens of one sequence at once.

Written from the modeling code of Hugging Face transformers: cohere2, ernie4_5_moe, exaone4, falcon_h1, gemma4 with
embeddings of layers and shared caches, glm4_moe, granitemoehybrid, bamba, hunyuan_v1_dense, lfm2, lfm2_moe, mamba2,
olmo2, olmo3, seed_oss, smollm3; step3p5 from vLLM's. What predicts a further token of glm4_moe is as in vLLM's.
"""

import numpy as np

from oracle_math import (
    activation, apply_rope_half, apply_rope_interleaved, attention, attention_mask, layer_norm, linear, rms_norm,
    rope_angles, rope_frequencies, selective_scan, sigmoid, softmax, softplus, top_k)

TIED = {"cohere2", "ernie4_5_moe", "gemma4_text", "lfm2", "lfm2_moe", "smollm3"}
MAMBA = {"heads": ("mamba_n_heads", "num_heads"), "state": ("mamba_d_state", "state_size"),
         "groups": ("mamba_n_groups", "n_groups"), "taps": ("mamba_d_conv", "conv_kernel")}


class Decoder:
    def __init__(self, config, weights):
        self.c, self.w = config, {name: np.asarray(array, np.float64) for name, array in weights.items()}
        self.kind, self.n = config["model_type"], config["num_hidden_layers"]
        self.eps = next((config[key] for key in ("rms_norm_eps", "norm_eps", "layer_norm_epsilon") if key in config), 1e-5)
        self.used = set()

    def get(self, name):
        self.used.add(name)
        return self.w[name]

    def has(self, name):
        return name in self.w

    def linear(self, name, x):
        return linear(x, self.get(name + ".weight"), self.get(name + ".bias") if self.has(name + ".bias") else None)

    def norm(self, name, x):
        if self.kind == "cohere2":
            return layer_norm(x, self.get(name + ".weight"), 0.0, self.c["layer_norm_eps"])
        weight = self.get(name + ".weight")
        return rms_norm(x, 1 + weight if self.kind == "step3p5" else weight, self.eps)

    def forward(self, tokens):
        """Logits of all tokens, and of the further token behind each but the last, if the model predicts one."""
        c, self.shared = self.c, {}
        base = "backbone." if self.kind == "mamba2" else "model."
        x = self.embed(np.asarray(tokens))
        self.inputs = self.layer_inputs(tokens, x) if self.kind == "gemma4_text" else None
        for i in range(self.n):
            x = self.layer(i, f"{base}layers.{i}.", x)
        last = {"mamba2": "norm_f", "lfm2": "embedding_norm", "lfm2_moe": "embedding_norm", "falcon_h1": "final_layernorm",
                "bamba": "final_layernorm"}.get(self.kind, "norm")
        x = self.norm(base + last, x)
        further = None
        if c.get("num_nextn_predict_layers") and len(tokens) > 1:
            p = f"model.layers.{self.n}."
            joined = np.concatenate([self.norm(p + "enorm", self.embed(np.asarray(tokens[1:]))), self.norm(p + "hnorm", x[:-1])], -1)
            further = self.logits(self.norm(p + "shared_head.norm", self.layer(self.n, p, self.linear(p + "eh_proj", joined))))
        return self.logits(x), further

    def embed(self, tokens):
        table = self.get("backbone.embeddings.weight" if self.kind == "mamba2" else "model.embed_tokens.weight")
        factor = self.c["hidden_size"] ** 0.5 if self.kind == "gemma4_text" else self.c.get("embedding_multiplier", 1.0)
        return table[tokens] * factor

    def logits(self, x):
        head = "model.embed_tokens.weight" if self.is_tied() else "lm_head.weight"
        out = linear(x, self.get(head)) * self.c.get("logit_scale", self.c.get("lm_head_multiplier", 1.0))
        cap = self.c.get("final_logit_softcapping")
        out = out / self.c.get("logits_scaling", 1.0)
        return cap * np.tanh(out / cap) if cap else out

    def is_tied(self):
        return self.c.get("tie_word_embeddings", self.kind in TIED)

    # --- Layers ---

    def layer(self, i, p, x):
        kind, c = self.kind, self.c
        if kind == "mamba2":
            return x + self.mamba(p + "mixer.", self.norm(p + "norm", x))
        if kind in ("olmo2", "olmo3", "exaone4"):  # norms behind blocks
            x = x + self.norm(p + "post_attention_layernorm", self.attend(i, p + "self_attn.", x))
            return x + self.norm(p + "post_feedforward_layernorm", self.mlp(p + "mlp.", x))
        if kind == "cohere2":
            h = self.norm(p + "input_layernorm", x)
            return x + self.attend(i, p + "self_attn.", h) + self.mlp(p + "mlp.", h)
        if kind == "gemma4_text":
            return self.gemma_layer(i, p, x)
        if kind in ("lfm2", "lfm2_moe"):
            h = self.norm(p + "operator_norm", x)
            x = x + (self.attend(i, p + "self_attn.", h) if self.lfm_attends(i) else self.short_conv(p + "conv.", h))
            h = self.norm(p + "ffn_norm", x)
            sparse = kind == "lfm2_moe" and i >= c["num_dense_layers"]
            return x + (self.experts(p + "feed_forward.", h) if sparse else self.mlp(p + "feed_forward.", h, ("w1", "w3", "w2")))
        h, residual = self.norm(p + "input_layernorm", x), c.get("residual_multiplier", 1.0)
        if kind == "falcon_h1":
            states = self.mamba(p + "mamba.", h * c["ssm_in_multiplier"]) * c["ssm_out_multiplier"]
            mixed = states + self.attend(i, p + "self_attn.", h * c["attention_in_multiplier"]) * c["attention_out_multiplier"]
        elif kind == "granitemoehybrid":
            attends = c["layer_types"][i] == "attention"
            mixed = self.attend(i, p + "self_attn.", h) if attends else self.mamba(p + "mamba.", h)
        elif kind == "bamba":
            mixed = self.attend(i, p + "self_attn.", h) if i in c["attn_layer_indices"] else self.mamba(p + "mamba.", h)
        else:
            mixed = self.attend(i, p + "self_attn.", h)
        x = x + mixed * residual
        h = self.norm(p + ("pre_ff_layernorm" if kind in ("falcon_h1", "bamba") else "post_attention_layernorm"), x)
        return x + self.network(i, p, h) * residual

    def network(self, i, p, h):
        kind, c = self.kind, self.c
        if kind == "falcon_h1":
            gate, down = c["mlp_multipliers"]
            up = self.linear(p + "feed_forward.up_proj", h)
            inner = up * activation("silu", self.linear(p + "feed_forward.gate_proj", h) * gate)
            return self.linear(p + "feed_forward.down_proj", inner) * down
        if kind == "bamba":
            return self.mlp(p + "feed_forward.", h)
        if kind == "granitemoehybrid":
            gate, up = np.split(self.linear(p + "shared_mlp.input_linear", h), 2, -1)
            shared = self.linear(p + "shared_mlp.output_linear", activation("silu", gate) * up)
            return shared + self.granite_experts(p + "block_sparse_moe.", h) if c["num_local_experts"] else shared
        if kind == "glm4_moe":
            sparse = i >= c["first_k_dense_replace"]
        elif kind == "ernie4_5_moe":
            sparse = i >= c["moe_layer_start_index"] and (i + 1) % c["moe_layer_interval"] == 0
        else:
            sparse = kind == "step3p5" and str(i) in c["moe_layers_enum"].split(",")
        if not sparse:
            return self.mlp(p + "mlp.", h)
        if kind == "step3p5":
            return self.experts(p + "moe.", h) + self.mlp(p + "share_expert.", h)
        return self.experts(p + "mlp.", h) + self.mlp(p + "mlp.shared_experts.", h)

    def mlp(self, p, x, names=("gate_proj", "up_proj", "down_proj")):
        gate, up, down = (p + name for name in names)
        return self.linear(down, activation("silu", self.linear(gate, x)) * self.linear(up, x))

    # --- Attention ---

    def window(self, i):
        c, types = self.c, self.c.get("layer_types")
        if not c.get("sliding_window") or self.kind not in ("cohere2", "exaone4", "olmo3", "step3p5"):
            return None
        return c["sliding_window"] if types[i] == "sliding_attention" else None

    def turns(self, i, d):
        """Frequencies and the factor of angles of a layer; None where it does not turn."""
        c, kind, sliding = self.c, self.kind, self.window(i) is not None
        theta, scaling, part = c.get("rope_theta", 1e4), c.get("rope_scaling"), c.get("partial_rotary_factor", 1.0)
        if kind == "smollm3" and not c["no_rope_layers"][i]:
            return None
        if kind in ("cohere2", "exaone4") and c.get("sliding_window") and not sliding:
            return None
        if kind == "granitemoehybrid" and c["position_embedding_type"] == "nope":
            return None
        if kind == "bamba":
            part = 0.5
        if kind == "hunyuan_v1_dense":
            theta, scaling = theta * scaling["alpha"] ** (d / (d - 2)), None
        if kind == "olmo3" and sliding:
            scaling = None
        if kind == "step3p5":
            theta, part = c["rope_theta"][i], c["partial_rotary_factors"][i]
            scaling = None if sliding else scaling
        return rope_frequencies(int(d * part), theta, scaling, c.get("max_position_embeddings"))

    def attend(self, i, p, x):
        c, kind, n = self.c, self.kind, len(x)
        heads, groups = c["num_attention_heads"], c.get("num_key_value_heads") or c.get("num_attention_groups")
        if kind == "step3p5" and self.window(i):
            heads, groups = (c["attention_other_setting"][key] for key in ("num_attention_heads", "num_attention_groups"))
        d = c.get("head_dim") or c["hidden_size"] // heads
        q, k = self.linear(p + "q_proj", x), self.linear(p + "k_proj", x) * c.get("key_multiplier", 1.0)
        v = self.linear(p + "v_proj", x).reshape(n, groups, d)
        if kind in ("olmo2", "olmo3"):  # norms of all heads together
            q, k = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k)
        q, k = q.reshape(n, heads, d), k.reshape(n, groups, d)
        names = {"lfm2": "{}_layernorm", "lfm2_moe": "{}_layernorm"}.get(kind, "{}_norm")
        if kind in ("exaone4", "step3p5", "lfm2", "lfm2_moe") or (kind == "glm4_moe" and c["use_qk_norm"]):
            q, k = self.norm(p + names.format("q"), q), self.norm(p + names.format("k"), k)
        turned = self.turns(i, d)
        if turned:
            rotate = apply_rope_interleaved if kind in ("cohere2", "ernie4_5_moe") else apply_rope_half
            angles = rope_angles(np.arange(n), *turned)
            q, k = rotate(q, *angles), rotate(k, *angles)
        if kind == "hunyuan_v1_dense":
            q, k = self.norm(p + "query_layernorm", q), self.norm(p + "key_layernorm", k)
        mask = attention_mask(np.arange(n), np.arange(n), self.window(i))
        out = attention(q, k, v, mask, c.get("attention_multiplier", d ** -0.5))
        if c.get("use_head_wise_attn_gate"):
            out = out * sigmoid(self.linear(p + "g_proj", x))[..., None]
        return self.linear(p + ("out_proj" if kind in ("lfm2", "lfm2_moe") else "o_proj"), out.reshape(n, heads * d))

    # --- Experts ---

    def experts(self, p, x):
        """glm4_moe, ernie4_5_moe, lfm2_moe and step3p5: a bias for the choice alone, and shares of the scores."""
        c, kind = self.c, self.kind
        k, bias, scale = {
            "glm4_moe": lambda: (c["num_experts_per_tok"], "gate.e_score_correction_bias", c["routed_scaling_factor"]),
            "ernie4_5_moe": lambda: (c["moe_k"], "moe_statics.e_score_correction_bias", 1.0),
            "lfm2_moe": lambda: (c["num_experts_per_tok"], "expert_bias", c["routed_scaling_factor"]),
            "step3p5": lambda: (c["moe_top_k"], "router_bias", c["moe_router_scaling_factor"])}[kind]()
        logits = linear(x, self.get(p + "gate.weight"))
        scores = softmax(logits) if kind == "ernie4_5_moe" else sigmoid(logits)
        chosen, margin = top_k(scores + self.get(p + bias), k)
        self.margin = min(getattr(self, "margin", 1.0), margin.min())
        shares = np.take_along_axis(scores, chosen, -1)
        shares = shares / shares.sum(-1, keepdims=True) * scale
        out = np.zeros_like(x)
        for e in np.unique(chosen):
            rows, slots = np.nonzero(chosen == e)
            out[rows] += shares[rows, slots][:, None] * self.expert(p, e, x[rows])
        return out

    def expert(self, p, e, x):
        if self.kind != "step3p5":
            return self.mlp(f"{p}experts.{e}.", x, ("w1", "w3", "w2") if self.kind == "lfm2_moe" else ("gate_proj", "up_proj", "down_proj"))
        gate, up, down = (self.get(f"{p}{name}.weight")[e] for name in ("gate_proj", "up_proj", "down_proj"))
        return linear(activation("silu", linear(x, gate)) * linear(x, up), down)

    def granite_experts(self, p, x):
        """The softmax of the chosen logits; gate and up are the halves of the rows."""
        chosen, margin = top_k(linear(x, self.get(p + "router.layer.weight")), self.c["num_experts_per_tok"])
        self.margin = min(getattr(self, "margin", 1.0), margin.min())
        shares = softmax(np.take_along_axis(linear(x, self.get(p + "router.layer.weight")), chosen, -1))
        out = np.zeros_like(x)
        for e in np.unique(chosen):
            rows, slots = np.nonzero(chosen == e)
            gate, up = np.split(linear(x[rows], self.get(p + "input_linear.weight")[e]), 2, -1)
            out[rows] += shares[rows, slots][:, None] * linear(activation("silu", gate) * up, self.get(p + "output_linear.weight")[e])
        return out

    # --- States ---

    def convolve(self, p, x):
        kernel = self.get(p + ".weight")[:, 0]
        padded = np.concatenate([np.zeros((kernel.shape[1] - 1, x.shape[1])), x])
        out = sum(kernel[:, i] * padded[i:i + len(x)] for i in range(kernel.shape[1]))
        return out + self.get(p + ".bias") if self.has(p + ".bias") else out

    def mamba(self, p, x):
        c, n = self.c, len(x)
        heads, size, groups, _ = (next(c[key] for key in keys if key in c) for keys in MAMBA.values())
        inner = c.get("mamba_d_ssm") or c.get("mamba_expand", c.get("expand")) * c["hidden_size"]
        shared, d = groups * size, inner // heads
        projected = self.linear(p + "in_proj", x)
        widths = [inner, inner, shared, shared, heads]
        projected = projected * np.repeat(c.get("ssm_multipliers", [1.0] * 5), widths)
        gate, mixed, dt = np.split(projected, [inner, 2 * inner + 2 * shared], -1)
        value, b, read = np.split(activation("silu", self.convolve(p + "conv1d", mixed)), [inner, inner + shared], -1)
        b, read = (np.repeat(y.reshape(n, groups, size), heads // groups, 1) for y in (b, read))
        dt = softplus(dt + self.get(p + "dt_bias"))
        out, _ = selective_scan(value.reshape(n, heads, d), b, read, dt, -np.exp(self.get(p + "A_log")), self.get(p + "D"),
                                np.zeros((heads, size, d)))
        out, gate = out.reshape(n, inner), activation("silu", gate)
        if not c.get("mamba_rms_norm", self.kind != "falcon_h1"):
            return self.linear(p + "out_proj", out * gate)
        parts = groups if self.kind == "falcon_h1" else 1
        normed = lambda y: rms_norm(y.reshape(n, parts, inner // parts), eps=self.eps).reshape(n, inner) * self.get(p + "norm.weight")
        out = normed(out) * gate if c.get("mamba_norm_before_gate") else normed(out * gate)
        return self.linear(p + "out_proj", out)

    def lfm_attends(self, i):
        return i in self.c["full_attn_idxs"] if "full_attn_idxs" in self.c else self.c["layer_types"][i] == "full_attention"

    def short_conv(self, p, x):
        before, behind, x = np.split(self.linear(p + "in_proj", x), 3, -1)
        return self.linear(p + "out_proj", behind * self.convolve(p + "conv", before * x))

    # --- Gemma 4 with embeddings of layers ---

    def layer_inputs(self, tokens, x):
        c, n = self.c, len(tokens)
        p = c["hidden_size_per_layer_input"]
        looked = self.get("model.embed_tokens_per_layer.weight")[np.asarray(tokens)].reshape(n, self.n, p) * p ** 0.5
        made = self.linear("model.per_layer_model_projection", x).reshape(n, self.n, p) * c["hidden_size"] ** -0.5
        return (self.norm("model.per_layer_projection_norm", made) + looked) * 2 ** -0.5

    def gemma_layer(self, i, p, x):
        h = self.gemma_attend(i, p + "self_attn.", self.norm(p + "input_layernorm", x))
        x = x + self.norm(p + "post_attention_layernorm", h)
        h = self.norm(p + "pre_feedforward_layernorm", x)
        act = lambda y: activation("gelu_pytorch_tanh", y)
        h = self.linear(p + "mlp.down_proj", act(self.linear(p + "mlp.gate_proj", h)) * self.linear(p + "mlp.up_proj", h))
        x = x + self.norm(p + "post_feedforward_layernorm", h)
        h = act(self.linear(p + "per_layer_input_gate", x)) * self.inputs[:, i]
        x = x + self.norm(p + "post_per_layer_input_norm", self.linear(p + "per_layer_projection", h))
        return x * self.get(p + "layer_scalar")

    def gemma_attend(self, i, p, x):
        c, n, kind = self.c, len(x), self.c["layer_types"][i]
        d = c["head_dim"] if kind == "sliding_attention" else c["global_head_dim"]
        heads, groups = c["num_attention_heads"], c["num_key_value_heads"]
        rope = c["rope_parameters"][kind]
        angles = rope_angles(np.arange(n), *rope_frequencies(d, rope["rope_theta"], rope))
        q = apply_rope_half(self.norm(p + "q_norm", self.linear(p + "q_proj", x).reshape(n, heads, d)), *angles)
        if i < self.n - c["num_kv_shared_layers"]:
            k = self.norm(p + "k_norm", self.linear(p + "k_proj", x).reshape(n, groups, d))
            v = rms_norm(self.linear(p + "v_proj", x).reshape(n, groups, d), eps=self.eps)
            self.shared[kind] = apply_rope_half(k, *angles), v
        k, v = self.shared[kind]
        window = c["sliding_window"] if kind == "sliding_attention" else None
        out = attention(q, k, v, attention_mask(np.arange(n), np.arange(n), window), 1.0)
        return self.linear(p + "o_proj", out.reshape(n, heads * d))
