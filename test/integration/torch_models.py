"""Decoder-only language models in PyTorch, a second opinion beside oracle_models.py, with which it shares no code.

Written from the papers and from the code that the models' authors published (Meta's llama-models, Google's
gemma_pytorch, Mistral's and Qwen's, OpenAI's gpt_oss/torch/model.py, DeepSeek's inference/model.py), with PyTorch's own
operators, in float64. All tokens of a sequence at once, without a cache.
"""
import json
import math
import struct

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
DTYPES = {"F32": torch.float32, "U8": torch.uint8}
FP4_VALUES = torch.tensor([+0.0, +0.5, +1.0, +1.5, +2.0, +3.0, +4.0, +6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0])


def read_safetensors(path):
    content = path.read_bytes()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, entry in json.loads(content[8:begin]).items():
        first, last = entry["data_offsets"]
        part = torch.frombuffer(bytearray(content[begin + first:begin + last]), dtype=DTYPES[entry["dtype"]])
        tensors[name] = part.reshape(entry["shape"])
    return tensors


class Weights:
    """Tensors below a name, in float64."""

    def __init__(self, tensors, prefix=""):
        self.tensors, self.prefix = tensors, prefix

    def __truediv__(self, name):
        return Weights(self.tensors, f"{self.prefix}{name}.")

    def __contains__(self, name):
        return any(each.startswith(self.prefix + name) for each in self.tensors)

    def __getitem__(self, name):
        return self.tensors[self.prefix + name].double()

    def linear(self, name, x):
        return F.linear(x, self[name + ".weight"], self[name + ".bias"] if name + ".bias" in self else None)

    def mxfp4(self, name):
        """Of OpenAI's checkpoints: the low four bits of a byte come first."""
        blocks, exponents = self.tensors[f"{self.prefix}{name}_blocks"], self.tensors[f"{self.prefix}{name}_scales"]
        pairs = torch.stack([FP4_VALUES[(blocks & 0x0F).long()], FP4_VALUES[(blocks >> 4).long()]], dim=-1)
        return torch.ldexp(pairs.flatten(-2), exponents.int().unsqueeze(-1) - 127).flatten(-2)


def rms_norm(x, weight=None, eps=1e-6):
    x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return x if weight is None else x * weight


# --- Rotations --------------------------------------------------------------------------------------------------------

def llama3_frequencies(freqs, scaling):
    """apply_scaling of Meta's code, one frequency at a time."""
    original, factor = scaling["original_max_position_embeddings"], scaling["factor"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    result = []
    for freq in freqs.tolist():
        wavelength = 2 * math.pi / freq
        if wavelength < original / high:
            result.append(freq)
        elif wavelength > original / low:
            result.append(freq / factor)
        else:
            smooth = (original / wavelength - low) / (high - low)
            result.append((1 - smooth) * freq / factor + smooth * freq)
    return torch.tensor(result)


def yarn_frequencies(freqs, theta, scaling):
    """The blend of DeepSeek's precompute_freqs_cis and OpenAI's _compute_concentration_and_inv_freq."""
    half = len(freqs)

    def bound(rotations):
        length = scaling["original_max_position_embeddings"]
        return half * math.log(length / (rotations * 2 * math.pi)) / math.log(theta)

    low, high = bound(scaling.get("beta_fast", 32)), bound(scaling.get("beta_slow", 1))
    if scaling.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, 2 * half - 1)
    ramp = ((torch.arange(half) - low) / (high - low if high != low else 0.001)).clamp(0, 1)
    return torch.lerp(freqs, freqs / scaling["factor"], ramp)


def concentration(scaling):
    """What YaRN makes rotated vectors larger by; DeepSeek has it in the scale of the scores."""
    if scaling.get("mscale_all_dim"):
        return 1
    return 0.1 * math.log(scaling["factor"]) + 1


def longrope_frequencies(freqs, config, length):
    scaling = config["rope_scaling"]
    original = config["original_max_position_embeddings"]
    factors = scaling["long_factor" if length > original else "short_factor"]
    grown = config["max_position_embeddings"] / original
    return freqs / torch.tensor(factors), math.sqrt(1 + math.log(grown) / math.log(original)) if grown > 1 else 1


def rotations(config, features, length, theta, is_scaled=True):
    """Complex numbers [length, features / 2]."""
    freqs = theta ** -(torch.arange(0, features, 2) / features)
    scaling, size = config.get("rope_scaling") if is_scaled else None, 1
    kind = (scaling or {}).get("rope_type") or (scaling or {}).get("type")
    if kind == "llama3":
        freqs = llama3_frequencies(freqs, scaling)
    elif kind == "linear":
        freqs = freqs / scaling["factor"]
    elif kind == "yarn":
        freqs, size = yarn_frequencies(freqs, theta, scaling), concentration(scaling)
    elif kind == "longrope":
        freqs, size = longrope_frequencies(freqs, config, length)
    elif kind:
        raise ValueError(f"no rotations of the kind {kind}")
    angles = torch.outer(torch.arange(length).double(), freqs)
    return torch.polar(torch.full_like(angles, size), angles)


def rotate_halves(x, turns):
    """x [length, heads, features]: features i and i + features / 2 are one complex number."""
    turned = torch.complex(*x.chunk(2, dim=-1)) * turns.unsqueeze(1)
    return torch.cat([turned.real, turned.imag], dim=-1)


def rotate_part(x, turns):
    """The first features alone."""
    turning = 2 * turns.shape[-1]
    return torch.cat([rotate_halves(x[..., :turning], turns), x[..., turning:]], dim=-1)


def rotate_neighbours(x, turns):
    turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turns.unsqueeze(1)
    return torch.view_as_real(turned).flatten(-2)


# --- Attention --------------------------------------------------------------------------------------------------------

def unseen(length, window=None, chunk=None):
    """[length, length]: keys that a query does not see."""
    everything = torch.ones(length, length, dtype=torch.bool)
    hidden = everything.triu(1)
    if window:
        hidden = hidden | everything.tril(-window)
    if chunk:
        number = torch.arange(length).div(chunk, rounding_mode="floor")
        hidden = hidden | (number[:, None] != number[None, :])
    return hidden


def attend(q, k, v, hidden, scale, cap=None, sinks=None):
    """q [length, heads, features]; k and v have as many heads or fewer."""
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], dim=1) for each in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) * scale
    if cap:
        scores = cap * torch.tanh(scores / cap)
    scores = scores.masked_fill(hidden, -math.inf)
    if sinks is not None:
        scores = torch.cat([scores, sinks[:, None, None].expand(-1, len(q), 1)], dim=-1)
    shares = torch.softmax(scores, dim=-1)[..., :len(k)]
    return torch.einsum("hqk,khd->qhd", shares, v).flatten(1)


# --- Layers of experts ------------------------------------------------------------------------------------------------

def gated(w, x, names=("gate_proj", "up_proj", "down_proj"), act=F.silu):
    gate, up, down = names
    return w.linear(down, act(w.linear(gate, x)) * w.linear(up, x))


def mix(shares, chosen, x, expert):
    """The sum of what experts make of x [tokens, hidden]: shares and chosen are [tokens, k]."""
    result = torch.zeros_like(x)
    for number in chosen.unique().tolist():
        tokens, place = torch.where(chosen == number)
        result.index_add_(0, tokens, expert(number, x[tokens]) * shares[tokens, place].unsqueeze(-1))
    return result


def mixtral_experts(config, w, x):
    """All probabilities, of which the largest are kept and divided by their sum."""
    shares = F.softmax(w.linear("gate", x), dim=-1)
    kept, chosen = shares.topk(config["num_experts_per_tok"])
    kept = kept / kept.sum(-1, keepdim=True)
    return mix(kept, chosen, x, lambda e, rows: gated(w / "experts" / e, rows, ("w1", "w3", "w2")))


def qwen3_experts(config, w, x):
    kept, chosen = F.softmax(w.linear("gate", x), dim=-1).topk(config["num_experts_per_tok"])
    if config["norm_topk_prob"]:
        kept = F.normalize(kept, p=1, dim=-1)
    return mix(kept, chosen, x, lambda e, rows: gated(w / "experts" / e, rows))


def gpt_oss_experts(config, w, x):
    """MLPBlock of OpenAI's code: gates and what they multiply alternate; its weights are [experts, out, in], and plain ones
    of transformers the other way."""
    kept, chosen = w.linear("router", x).topk(config["num_experts_per_tok"])
    e, limit = w / "experts", config.get("swiglu_limit", 7.0)
    first, second = (e.mxfp4(name) if name + "_blocks" in e else e[name].mT for name in ("gate_up_proj", "down_proj"))
    hidden = torch.einsum("tkoi,ti->tko", first[chosen], x) + e["gate_up_proj_bias"][chosen]
    gate, up = hidden[..., ::2].clamp(max=limit), hidden[..., 1::2].clamp(-limit, limit)
    hidden = gate * torch.sigmoid(1.702 * gate) * (up + 1)
    made = torch.einsum("tkoi,tki->tko", second[chosen], hidden) + e["down_proj_bias"][chosen]
    return torch.einsum("tko,tk->to", made, F.softmax(kept, dim=-1))


def llama4_experts(config, w, x):
    """Meta's: shares scale what an expert takes; a shared one sees all tokens."""
    kept, chosen = w.linear("router", x).topk(config["num_experts_per_tok"])
    first, second = (w / "experts")["gate_up_proj"], (w / "experts")["down_proj"]  # [experts, in, out]
    result = gated(w / "shared_expert", x)
    for share, number in zip(kept.sigmoid().unbind(-1), chosen.unbind(-1)):
        gate, up = torch.einsum("ti,tio->to", x * share.unsqueeze(-1), first[number]).chunk(2, dim=-1)
        result = result + torch.einsum("ti,tio->to", F.silu(gate) * up, second[number])
    return result


def deepseek_experts(config, w, x):
    """Gate of DeepSeek's code: groups of experts, of which few stay."""
    is_biased = "gate.e_score_correction_bias" in w
    scores = F.linear(x, w["gate.weight"])
    scores = scores.sigmoid() if is_biased else scores.softmax(dim=-1)
    choice = scores + w["gate.e_score_correction_bias"] if is_biased else scores
    if config["n_group"] > 1:
        groups = choice.view(len(x), config["n_group"], -1)
        best = groups.topk(2, dim=-1)[0].sum(-1) if is_biased else groups.amax(-1)
        stays = torch.zeros_like(best, dtype=torch.bool).scatter_(1, best.topk(config["topk_group"])[1], True)
        choice = groups.masked_fill(~stays.unsqueeze(-1), -math.inf).flatten(1)
    chosen = choice.topk(config["num_experts_per_tok"])[1]
    kept = scores.gather(1, chosen)
    if is_biased:
        kept = kept / kept.sum(-1, keepdim=True)
    kept = kept * config["routed_scaling_factor"]
    return mix(kept, chosen, x, lambda e, rows: gated(w / "experts" / e, rows)) + gated(w / "shared_experts", x)


def sigmoid_shares(config, w, x, bias):
    """Sigmoid scores, of which those with the largest sums with the bias are kept and divided by their sum."""
    scores = F.linear(x, w["gate.weight"]).sigmoid()
    chosen = (scores + w[bias]).topk(config["num_experts_per_tok"])[1]
    kept = scores.gather(1, chosen)
    return kept / kept.sum(-1, keepdim=True), chosen


def minimax_experts(config, w, x):
    shares, chosen = sigmoid_shares(config, w, x, "e_score_correction_bias")
    return mix(shares, chosen, x, lambda e, rows: gated(w / "experts" / e, rows, ("w1", "w3", "w2")))


def gemma4_experts(config, w, x, shown):
    """Experts read `shown`, x by a norm of theirs; the router norms x itself, and scales what each of them gives."""
    size = config["hidden_size"]
    scores = w.linear("router.proj", rms_norm(x, w["router.scale"], config["rms_norm_eps"]) / size ** 0.5)
    kept, chosen = F.softmax(scores, dim=-1).topk(config["top_k_experts"])
    kept = F.normalize(kept, p=1, dim=-1) * w["router.per_expert_scale"][chosen]

    def expert(number, rows):
        gate, up = F.linear(rows, w["experts.gate_up_proj"][number]).chunk(2, dim=-1)
        return F.linear(F.gelu(gate, approximate="tanh") * up, w["experts.down_proj"][number])
    return mix(kept, chosen, shown, expert)


def clamped(config, w, x, names=("gate_proj", "up_proj", "down_proj")):
    gate, up = (w.linear(name, x) for name in names[:2])
    limit = config["swiglu_limit"]
    gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    return w.linear(names[2], (up + 1) * gate * torch.sigmoid(1.702 * gate))


def minimax_m3_experts(config, w, x):
    shares, chosen = sigmoid_shares(config, w, x, "e_score_correction_bias")
    shares = shares * config["routed_scaling_factor"]
    made = mix(shares, chosen, x, lambda e, rows: clamped(config, w / "experts" / e, rows, ("w1", "w3", "w2")))
    return made + clamped(config, w / "shared_experts", x)


def mimo_v2_experts(config, w, x):
    shares, chosen = sigmoid_shares(config, w, x, "gate.e_score_correction_bias")
    return mix(shares, chosen, x, lambda e, rows: gated(w / "experts" / e, rows))


EXPERTS = {"mimo_v2_flash": ("mlp", mimo_v2_experts), "minimax_m2": ("block_sparse_moe", minimax_experts),
           "minimax_m3": ("block_sparse_moe", minimax_m3_experts), "mixtral": ("block_sparse_moe", mixtral_experts), "qwen3_moe": ("mlp", qwen3_experts),
           "gpt_oss": ("mlp", gpt_oss_experts), "llama4_text": ("feed_forward", llama4_experts),
           "deepseek_v2": ("mlp", deepseek_experts), "deepseek_v3": ("mlp", deepseek_experts),
           "kimi_k2": ("mlp", deepseek_experts), "deepseek_v32": ("mlp", deepseek_experts), "glm_moe_dsa": ("mlp", deepseek_experts)}


# --- Models -----------------------------------------------------------------------------------------------------------

THETA = {"gemma3_text": 1e6, "mixtral": 1e6, "gpt_oss": 150000.0, "llama4_text": 5e5}  # where configs say none
EPSILON = {"phi3": 1e-5, "mixtral": 1e-5, "gpt_oss": 1e-5, "llama4_text": 1e-5}


class Model:
    """A small model in a folder, as llm-run takes it."""

    def __init__(self, folder):
        config = json.loads((folder / "config.json").read_text())
        self.config = config = config.get("text_config", config)
        self.family = config["model_type"]
        self.is_gemma = self.family.startswith("gemma")
        self.adds_one = self.is_gemma and self.family != "gemma4_text" or self.family == "minimax_m3"  # to the weights of norms
        self.theta = config.get("rope_theta") or config.get("rope_parameters", {}).get("rope_theta") or THETA.get(self.family, 1e4)
        self.epsilon = config.get("rms_norm_eps") or config.get("layernorm_epsilon") or EPSILON.get(self.family, 1e-6)
        self.weights = Weights(read_safetensors(folder / "model.safetensors"))

    def norm(self, w, name, x, epsilon=None):
        weight = w[name + ".weight"]
        return rms_norm(x, 1 + weight if self.adds_one else weight, epsilon or self.epsilon)

    @torch.no_grad()
    def logits(self, tokens):
        table = self.weights["model.embed_tokens.weight"]
        x = F.embedding(torch.tensor(tokens), table)
        if self.is_gemma:
            x = x * math.sqrt(self.config["hidden_size"])
        for number in range(self.config["num_hidden_layers"]):
            x = self.layer(number, self.weights / "model.layers" / number, x)
        x = F.linear(self.norm(self.weights, "model.norm", x), self.head(table))
        cap = self.config.get("final_logit_softcapping", 30.0 if self.family == "gemma2" else None)
        return (cap * torch.tanh(x / cap) if cap else x).numpy()

    def head(self, table):
        return self.weights["lm_head.weight"] if "lm_head" in self.weights else table

    def layer(self, number, w, x):
        """Gemma norms what a part gives, too."""
        attention = self.latent_attention if "kv_lora_rank" in self.config else self.attention
        if self.family == "mimo_v2_flash":
            attention = self.mimo_v2_attention
        if self.family == "gemma4_text":
            attention = self.gemma4_attention
        made = attention(number, w / "self_attn", self.norm(w, "input_layernorm", x))
        if not self.is_gemma:
            x = x + made
            return x + self.feed_forward(w, self.norm(w, "post_attention_layernorm", x))
        x = x + self.norm(w, "post_attention_layernorm", made)
        made = self.feed_forward(w, self.norm(w, "pre_feedforward_layernorm", x))
        if "router" in w:  # Experts beside the network, with norms of their own.
            mixed = gemma4_experts(self.config, w, x, self.norm(w, "pre_feedforward_layernorm_2", x))
            made = self.norm(w, "post_feedforward_layernorm_1", made) + self.norm(w, "post_feedforward_layernorm_2", mixed)
        x = x + self.norm(w, "post_feedforward_layernorm", made)
        return x * w["layer_scalar"] if "layer_scalar" in w else x

    def feed_forward(self, w, x):
        name, experts = EXPERTS.get(self.family, ("mlp", None))
        if self.family == "minimax_m3" and "mlp.gate_proj" in w:
            return clamped(self.config, w / "mlp", x)
        w = w / name
        if "gate.weight" in w or "router" in w:
            return experts(self.config, w, x)
        if "gate_up_proj" in w:
            gate, up = w.linear("gate_up_proj", x).chunk(2, dim=-1)
            return w.linear("down_proj", F.silu(gate) * up)
        return gated(w, x, act=(lambda y: F.gelu(y, approximate="tanh")) if self.is_gemma else F.silu)

    def is_sliding(self, number):
        """Whether a layer has a window or, of Llama 4, chunks and rotations."""
        config = self.config
        if "layer_types" in config:
            return config["layer_types"][number] == "sliding_attention"
        if self.family == "minimax_m3":
            return False
        if self.family == "gemma3_text":
            return (number + 1) % config["sliding_window_pattern"] != 0
        if self.family == "llama4_text":
            return (number + 1) % 4 != 0
        return number % 2 == 0 if self.family == "gemma2" else self.family == "mistral"

    def project(self, w, x):
        features = self.config["head_dim"]
        heads, shared = self.config["num_attention_heads"], self.config["num_key_value_heads"]
        if "qkv_proj" in w:
            made = w.linear("qkv_proj", x).split([heads * features, shared * features, shared * features], dim=-1)
        else:
            made = [w.linear(f"{name}_proj", x) for name in "qkv"]
        if self.family == "minimax_m2":  # of all heads together
            made[:2] = self.norm(w, "q_norm", made[0]), self.norm(w, "k_norm", made[1])
        return [each.unflatten(-1, (-1, features)) for each in made]

    def attention(self, number, w, x):
        config, features, is_sliding = self.config, self.config["head_dim"], self.is_sliding(number)
        q, k, v = self.project(w, x)
        if "q_norm" in w and self.family != "minimax_m2":
            q, k = self.norm(w, "q_norm", q), self.norm(w, "k_norm", k)
        if self.family == "llama4_text":
            q, k = self.llama4_positions(is_sliding, q, k)
            hidden = unseen(len(x), chunk=config["attention_chunk_size"] if is_sliding else None)
        else:
            is_local = is_sliding and self.family == "gemma3_text"
            turning = config.get("rotary_dim") or features
            turns = rotations(config, turning, len(x), 1e4 if is_local else self.theta, not is_local)
            q, k = (rotate_part(y, turns) for y in (q, k))
            hidden = unseen(len(x), window=config["sliding_window"] if is_sliding else None)
        if "index_q_proj" in w:
            hidden = self.outside_blocks(w, x, turns, hidden)
        scale = (config.get("query_pre_attn_scalar", 256) if self.is_gemma else features) ** -0.5
        cap = config.get("attn_logit_softcapping", 50.0 if self.family == "gemma2" else None)
        made = attend(q, k, v, hidden, scale, cap, w["sinks"] if "sinks" in w else None)
        return w.linear("o_proj", made)

    def gemma4_attention(self, number, w, x):
        """Layers that see all keys have sizes of their own, make values of the keys' projection, and turn a part of the
        pairs of a whole head; nothing scales the scores."""
        config, is_sliding = self.config, self.is_sliding(number)
        features = config["head_dim" if is_sliding else "global_head_dim"]
        rope = config["rope_parameters"]["sliding_attention" if is_sliding else "full_attention"]
        q, k = (w.linear(f"{name}_proj", x).unflatten(-1, (-1, features)) for name in "qk")
        v = w.linear("v_proj", x).unflatten(-1, (-1, features)) if "v_proj" in w else k
        turns = rotations({}, features, len(x), rope["rope_theta"])
        turns[:, int(features * rope.get("partial_rotary_factor", 1)) // 2:] = 1
        q, k = (rotate_halves(self.norm(w, f"{name}_norm", y), turns) for name, y in (("q", q), ("k", k)))
        hidden = unseen(len(x), window=config["sliding_window"] if is_sliding else None)
        return w.linear("o_proj", attend(q, k, rms_norm(v, eps=self.epsilon), hidden, 1.0))

    def outside_blocks(self, w, x, turns, hidden):
        """[heads, length, length]: keys outside of the blocks that the index head of their KV head selects."""
        sparse, length = self.config["sparse_attention_config"], len(x)
        block, features = sparse["sparse_block_size"], sparse["sparse_index_dim"]
        q, k = (rotate_part(self.norm(w, f"index_{name}_norm", w.linear(f"index_{name}_proj", x).unflatten(-1, (-1, features))),
                            turns) for name in "qk")
        scores = torch.einsum("qhd,kd->hqk", q, k[:, 0]).masked_fill(hidden, -math.inf)
        best = F.pad(scores, (0, -length % block), value=-math.inf).unflatten(-1, (-1, block)).amax(-1)
        own = torch.arange(length) // block
        best = best.scatter(-1, own[None, :, None].expand(len(best), -1, 1), math.inf)  # One local block.
        number = min(sparse["sparse_topk_blocks"], best.shape[-1])
        stays = torch.zeros_like(best, dtype=torch.bool).scatter(-1, best.topk(number)[1], True)
        stays = stays.repeat_interleave(block, dim=-1)[..., :length]
        return (hidden | ~stays).repeat_interleave(self.config["num_attention_heads"] // len(best), dim=0)

    def mimo_v2_attention(self, number, w, x):
        """Layers with a window have sizes, angles and sinks of their own; values are narrower than keys, and scaled."""
        config, is_sliding = self.config, bool(self.config["hybrid_layer_pattern"][number])
        own = "swa_" if is_sliding else ""
        features, of_value = config[own + "head_dim"], config[own + "v_head_dim"]
        q, k = (w.linear(f"{name}_proj", x).unflatten(-1, (-1, features)) for name in "qk")
        v = w.linear("v_proj", x).unflatten(-1, (-1, of_value)) * config["attention_value_scale"]
        turns = rotations(config, int(features * config["partial_rotary_factor"]), len(x), config[own + "rope_theta"])
        hidden = unseen(len(x), window=config["sliding_window"] if is_sliding else None)
        made = attend(rotate_part(q, turns), rotate_part(k, turns), v, hidden, features ** -0.5, None,
                      w["attention_sink_bias"] if is_sliding else None)
        return w.linear("o_proj", made)

    def llama4_positions(self, is_chunked, q, k):
        """Three layers of four rotate and norm; the fourth has no positions, but a temperature that grows with them."""
        config = self.config
        if is_chunked:
            turns = rotations(config, config["head_dim"], len(q), self.theta)
            return tuple(rms_norm(rotate_neighbours(each, turns), eps=self.epsilon) for each in (q, k))
        places = torch.arange(1, len(q) + 1)
        grown = torch.log1p(places.div(config["floor_scale"], rounding_mode="floor")) * config["attn_scale"] + 1
        return q * grown[:, None, None], k

    def latent_attention(self, number, w, x):
        """MLA of DeepSeek's code, the naive form."""
        config, heads, scaling = self.config, self.config["num_attention_heads"], self.config.get("rope_scaling")
        rotated, plain = config["qk_rope_head_dim"], config["qk_nope_head_dim"]
        queries = self.norm(w, "q_a_layernorm", w.linear("q_a_proj", x), 1e-6)
        q = w.linear("q_b_proj", queries)
        q = q.unflatten(-1, (heads, plain + rotated))
        latent, key = w.linear("kv_a_proj_with_mqa", x).split([config["kv_lora_rank"], rotated], dim=-1)
        made = w.linear("kv_b_proj", self.norm(w, "kv_a_layernorm", latent, 1e-6)).unflatten(-1, (heads, -1))
        k, v = made.split([plain, config["v_head_dim"]], dim=-1)
        turns = rotations(config, rotated, len(x), self.theta)
        key = rotate_neighbours(key.unsqueeze(1), turns).expand(-1, heads, -1)
        q = torch.cat([q[..., :plain], rotate_neighbours(q[..., plain:], turns)], dim=-1)
        scale = (plain + rotated) ** -0.5
        if scaling:
            scale *= (0.1 * scaling["mscale_all_dim"] * math.log(scaling["factor"]) + 1) ** 2
        hidden = unseen(len(x))
        if "indexer.wk" in w:
            self.unselected = self.not_selected(w / "indexer", x, queries, turns, hidden)
        if "index_topk" in config:  # Layers without an indexer have the keys of the one before.
            hidden = self.unselected
        return w.linear("o_proj", attend(q, torch.cat([k, key], dim=-1), v, hidden, scale))

    def not_selected(self, w, x, queries, turns, hidden):
        """Keys that DeepSeek's Indexer does not select; GLM-5 turns neighbours there."""
        features, turned = self.config["index_head_dim"], 2 * turns.shape[-1]
        turn = rotate_neighbours if self.family == "glm_moe_dsa" else rotate_halves
        keys = F.layer_norm(w.linear("wk", x), (features,), w["k_norm.weight"], w["k_norm.bias"], 1e-6).unsqueeze(1)
        q, k = (torch.cat([turn(each[..., :turned], turns), each[..., turned:]], dim=-1)
                for each in (w.linear("wq_b", queries).unflatten(-1, (-1, features)), keys))
        scores = torch.relu(torch.einsum("qhd,kd->qhk", q, k[:, 0])) * features ** -0.5
        shares = w.linear("weights_proj", x) * q.shape[1] ** -0.5
        scores = torch.einsum("qh,qhk->qk", shares, scores).masked_fill(hidden, -math.inf)
        best = scores.topk(min(self.config["index_topk"], len(x)))[1]
        return hidden | torch.ones_like(hidden).scatter(-1, best, False)
