#!/usr/bin/env python3
"""Figures of decoder-only language models, derived from nothing but their Hugging Face config.json.

Counted are matrix multiplications only: norms, biases, rope, softmax, activations and the
embedding lookup cost no multiply-accumulates here.  Of a multimodal model only the text part
is seen, and a multi-token-prediction layer is left out.

    derive_models.py [FOLDER ...]     table of every *.json (by default of test/models); exit 1 if
                                      a published count is missed
"""
from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import derive_compressed
import derive_recurrent

Config = dict[str, Any]

DSA = {"deepseek_v32", "glm_moe_dsa"}  # lightning indexers beside latent attention
MLA = {"deepseek_v2", "deepseek_v3", "kimi_k2"} | DSA
GEMMA = {"gemma2", "gemma3_text"}
QK_NORM = {"qwen3", "qwen3_moe", "gemma3_text"}  # learned weights; Llama 4's q/k norm has none
WINDOW_ON_ALL_LAYERS = {"mistral", "mixtral", "phi3"}
# Phi-3 stores qkv and gate/up fused, which changes no count.
PLAIN_HEAD_DIM = {"llama", "mistral", "mixtral", "nemotron-nas", "phi3", "qwen2"}  # hidden_size / heads if not given
ALIASES = {"mimo": "qwen2", "qwen3_vl_text": "qwen3", "qwen3_vl_moe_text": "qwen3_moe"}  # same layers
KINDS = ("full_attention", "sliding_attention", "chunked_attention")
QWEN_DELTA = {"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"}
RECURRENT = QWEN_DELTA | {"nemotron_h", "kimi_linear"}  # derive_recurrent.py
COMPRESSED = {"deepseek_v4"}  # derive_compressed.py
SUPPORTED = RECURRENT | COMPRESSED | MLA | GEMMA | QK_NORM | PLAIN_HEAD_DIM | {"gemma4_text", "gpt_oss", "llama4_text", "mimo_v2_flash", "minimax_m2", "minimax_m3", "nemotron-nas"}


@dataclass(frozen=True)
class Layer:
    """Figures of one decoder layer."""

    matrices: int            # weight elements every token is multiplied with, without kv_up
    kv_up: int               # kv_b_proj of MLA, kept apart: how often it runs depends on the mode
    vectors: int             # norms, biases, sinks outside the routed experts
    expert_matrices: int     # of one routed expert
    expert_vectors: int      # biases of one routed expert
    experts: int             # routed experts
    selected: int            # routed experts one token goes through
    kv_elements: int         # elements one token adds to the cache
    pair_macs: int           # one query token against one key, all heads, scores and values
    absorbed_pair_macs: int  # the same on MLA latents; equal to pair_macs without MLA
    window: int | None       # keys a query sees at most, itself included
    chunk: int | None        # keys are seen back to the last multiple of this
    top: int | None = None   # keys an indexer selects for a query
    index_query: int = 0     # matrices of index queries: unused where a query sees all keys anyway
    index_pair_macs: int = 0  # one index query, all heads, against one index key
    state_elements: int = 0  # of a recurrent layer, for each sequence
    step_macs: int = 0       # of its convolution and recurrence, one token after the other
    tokens_macs: int = 0     # of the same in chunks: of each token, the convolution
    chunk_macs: int = 0      # and of each chunk,
    chunk_tokens: int = 1    # full or not
    ratio: int = 0           # tokens that an entry of compressed keys stands for, beside those of a window
    entry_elements: int = 0  # that an entry adds to caches
    entry_macs: int = 0      # that make an entry

    def parameters(self, experts: int) -> int:
        expert = self.expert_matrices + self.expert_vectors
        return self.matrices + self.index_query + self.kv_up + self.vectors + experts * expert

    def selects(self, context: int) -> bool:
        return self.top is not None and not self.ratio and context > self.top

    def token_macs(self) -> int:
        return self.matrices + self.selected * self.expert_matrices

    def visible(self, context: int) -> int:
        """Keys that the last of `context` tokens sees."""
        if self.chunk:
            return (context - 1) % self.chunk + 1
        return min(context, self.window or self.top or context)

    def cached(self, context: int) -> int:
        """Elements of caches that have a row for each of `context` tokens, and an entry for each window of them."""
        return context * self.kv_elements + (context // self.ratio * self.entry_elements if self.ratio else 0)

    def visible_pairs(self, seq: int) -> int:
        """Query-key pairs of a causal prefill: the sum of visible(1..seq), in closed form."""
        if self.chunk:
            full, rest = divmod(seq, self.chunk)
            return full * triangle(self.chunk) + triangle(rest)
        growing = min(seq, self.window or self.top or seq)
        return triangle(growing) + (seq - growing) * growing


def triangle(n: int) -> int:
    return n * (n + 1) // 2


def text_config(config: Config) -> Config:
    """The decoder's own fields, with a supported model_type and tying made explicit."""
    inner = dict(config.get("text_config") or config)
    if "text_config" in config:
        inner.setdefault("model_type", f"{config.get('model_type')}_text")
    kind = inner["model_type"] = ALIASES.get(inner.get("model_type"), inner.get("model_type"))
    if kind not in SUPPORTED:
        raise ValueError(f"unsupported model_type: {kind!r}")
    # A wrapper's flag counts if the text part has none; of all families only Gemma ties unasked.
    inner.setdefault("tie_word_embeddings", config.get("tie_word_embeddings", kind in GEMMA | {"gemma4_text"}))
    return inner


def head_dim(c: Config) -> int:
    if c.get("head_dim"):
        return c["head_dim"]
    if c["model_type"] not in PLAIN_HEAD_DIM:  # class defaults differ: better no figure than a guess
        raise ValueError(f"head_dim missing for model_type {c['model_type']!r}")
    return c["hidden_size"] // c["num_attention_heads"]


def kv_heads(c: Config) -> int:
    return c.get("num_key_value_heads") or c["num_attention_heads"]


def attention_kind(c: Config, index: int) -> str:
    """One of KINDS: what the config lists, else the model's own rule."""
    model, sliding, chunked = c["model_type"], False, False
    if model == "mimo_v2_flash":
        return KINDS[c["hybrid_layer_pattern"][index]]
    if c.get("layer_types"):
        if c["layer_types"][index] not in KINDS:
            raise ValueError(f"unsupported layer type: {c['layer_types'][index]!r}")
        return c["layer_types"][index]
    if model in ("qwen2", "qwen3"):
        sliding = bool(c.get("use_sliding_window")) and index >= c["max_window_layers"]
    elif model == "qwen3_moe":  # Qwen3MoeModel masks all layers alike
        sliding = bool(c.get("use_sliding_window"))
    elif model in ("gemma2", "gpt_oss"):
        sliding = index % 2 == 0
    elif model == "gemma3_text":
        pattern = c.get("sliding_window_pattern") or c.get("_sliding_window_pattern") or 6
        sliding = (index + 1) % pattern != 0
    elif model == "llama4_text":  # layers with rope; in no_rope_layers 1 marks such a layer
        with_rope = c.get("no_rope_layers")
        chunked = bool(with_rope[index]) if with_rope else \
            (index + 1) % c.get("no_rope_layer_interval", 4) != 0
    else:
        sliding = model in WINDOW_ON_ALL_LAYERS
    return KINDS[1 if sliding else 2 if chunked else 0]


def is_moe(c: Config, index: int) -> bool:
    kind = c["model_type"]
    if kind in ("mimo_v2_flash", "minimax_m3"):
        return bool(c["moe_layer_freq"][index])
    if kind in ("mixtral", "gpt_oss", "minimax_m2"):
        return True
    if kind == "qwen3_moe":
        chosen = (index + 1) % c.get("decoder_sparse_step", 1) == 0
        return chosen and index not in (c.get("mlp_only_layers") or [])
    if kind == "llama4_text":
        if c.get("moe_layers") is not None:
            return index in c["moe_layers"]
        return (index + 1) % c.get("interleave_moe_layer_step", 1) == 0
    if kind in MLA:
        chosen = index >= c["first_k_dense_replace"] and index % c.get("moe_layer_freq", 1) == 0
        return chosen and bool(c.get("n_routed_experts"))
    return False


def gqa(c: Config) -> dict[str, int]:
    hidden, heads, dim = c["hidden_size"], c["num_attention_heads"], head_dim(c)
    q, kv = heads * dim, kv_heads(c) * dim
    vectors = 2 * dim if c["model_type"] in QK_NORM else 0
    if c["model_type"] == "minimax_m2":  # norms of all heads together
        vectors = q + kv
    if c["model_type"] == "minimax_m3":
        vectors = 2 * dim
    if c["model_type"] == "qwen2":  # biased without a field that says so, o_proj is not
        vectors += q + 2 * kv
    elif c.get("attention_bias", c["model_type"] == "gpt_oss"):
        vectors += q + 2 * kv + hidden
    if c["model_type"] == "gpt_oss":
        vectors += heads  # one attention sink per query head
    pair = 2 * q
    return {"matrices": hidden * (q + 2 * kv) + q * hidden, "kv_up": 0, "vectors": vectors,
            "kv_elements": 2 * kv, "pair_macs": pair, "absorbed_pair_macs": pair}


def mimo_v2(c: Config, index: int) -> dict[str, int]:
    """Layers with a window have heads, sizes of heads and sinks of their own; values are narrower than keys."""
    swa = "swa_" if c["hybrid_layer_pattern"][index] else ""
    hidden, heads, kv = c["hidden_size"], c[swa + "num_attention_heads"], c[swa + "num_key_value_heads"]
    key, value = c[swa + "head_dim"], c[swa + "v_head_dim"]
    vectors = heads * key + kv * (key + value) if c["attention_bias"] else 0
    if c["add_swa_attention_sink_bias" if swa else "add_full_attention_sink_bias"]:
        vectors += heads
    pair = heads * (key + value)
    return {"matrices": hidden * (heads * key + kv * (key + value) + heads * value), "kv_up": 0, "vectors": vectors,
            "kv_elements": kv * (key + value), "pair_macs": pair, "absorbed_pair_macs": pair}


def mla(c: Config) -> dict[str, int]:
    hidden, heads = c["hidden_size"], c["num_attention_heads"]
    nope, rope, value = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
    q_rank, rank = c.get("q_lora_rank"), c["kv_lora_rank"]
    q_out = heads * (nope + rope)
    query = q_rank * (hidden + q_out) if q_rank else hidden * q_out
    vectors = rank + (q_rank or 0)  # kv_a_layernorm, q_a_layernorm
    if c.get("attention_bias"):     # on q_a_proj, kv_a_proj_with_mqa and o_proj
        vectors += (q_rank or 0) + rank + rope + hidden
    return {"matrices": query + hidden * (rank + rope) + heads * value * hidden,
            "kv_up": rank * heads * (nope + value), "vectors": vectors, "kv_elements": rank + rope,
            "pair_macs": heads * (nope + rope + value),
            "absorbed_pair_macs": heads * (rank + rope + rank)}


def lightning_indexer(c: Config, index: int) -> dict[str, int]:
    """Index keys with a norm of weight and bias and a cache; index queries from the latent of queries, and head weights."""
    types = c.get("indexer_types")
    if not types:
        frequency, offset = c.get("index_topk_freq", 1), c.get("index_skip_topk_offset", 2)
        types = ["shared" if max(i - offset + 1, 0) % frequency else "full" for i in range(c["num_hidden_layers"])]
    top = {"top": c["index_topk"]}
    if types[index] == "shared":
        return top
    heads, dim = c["index_n_heads"], c["index_head_dim"]
    return top | {"matrices": c["hidden_size"] * dim, "vectors": 2 * dim, "kv_elements": dim,
                  "index_query": c["q_lora_rank"] * heads * dim + c["hidden_size"] * heads, "index_pair_macs": heads * dim}


def block_indexer(c: Config, index: int) -> dict[str, int]:
    """Index queries and keys from the hidden state, each with a norm; of blocks as many keys as there are at most."""
    sparse = c["sparse_attention_config"]
    if not sparse["sparse_attention_freq"][index]:
        return {}
    heads, dim = sparse["sparse_num_index_heads"], sparse["sparse_index_dim"]
    # The norm of index queries is used with them, and is no matrix.
    return {"top": sparse["sparse_topk_blocks"] * sparse["sparse_block_size"], "matrices": c["hidden_size"] * dim,
            "vectors": 2 * dim, "kv_elements": dim, "index_query": c["hidden_size"] * heads * dim,
            "index_pair_macs": heads * dim}


def indexer(c: Config, index: int) -> dict[str, int]:
    if c["model_type"] in DSA:
        return lightning_indexer(c, index)
    return block_indexer(c, index) if c["model_type"] == "minimax_m3" else {}


def gated_mlp(c: Config, intermediate: int) -> int:
    return 3 * c["hidden_size"] * intermediate  # gate, up, down


def dense_ffn(c: Config) -> dict[str, int]:
    wide = c[{"llama4_text": "intermediate_size_mlp", "minimax_m3": "dense_intermediate_size"}.get(
        c["model_type"], "intermediate_size")]
    vectors = 2 * wide + c["hidden_size"] if c.get("mlp_bias") else 0
    return {"matrices": gated_mlp(c, wide), "vectors": vectors,
            "expert_matrices": 0, "expert_vectors": 0, "experts": 0, "selected": 0}


def moe_ffn(c: Config) -> dict[str, int]:
    kind = c["model_type"]
    experts = next(c[f] for f in ("n_routed_experts", "num_experts", "num_local_experts") if f in c)
    wide = c["moe_intermediate_size"] if kind in MLA | {"mimo_v2_flash", "qwen3_moe"} else c["intermediate_size"]
    shared = 1 if kind == "llama4_text" else c.get("n_shared_experts") or 0
    vectors, expert_vectors = 0, 0
    if kind == "gpt_oss":
        vectors, expert_vectors = experts, 2 * wide + c["hidden_size"]
    # e_score_correction_bias goes with the noaux_tc selection, which V2 does not have.
    if kind in MLA and c.get("topk_method", "" if kind == "deepseek_v2" else "noaux_tc") == "noaux_tc":
        vectors = experts
    if kind in ("mimo_v2_flash", "minimax_m2", "minimax_m3"):
        vectors = experts  # e_score_correction_bias
    of_shared = gated_mlp(c, c.get("shared_intermediate_size") or wide)
    return {"matrices": c["hidden_size"] * experts + shared * of_shared, "vectors": vectors,
            "expert_matrices": gated_mlp(c, wide), "expert_vectors": expert_vectors,
            "experts": experts, "selected": c["num_experts_per_tok"]}


def nas_attention(c: Config, block: Config) -> dict[str, int]:
    """Of one entry of block_configs: GQA of its own group size, one matrix, or nothing, norm included."""
    hidden, heads = c["hidden_size"], c["num_attention_heads"]
    none = dict.fromkeys(("matrices", "kv_up", "vectors", "kv_elements", "pair_macs", "absorbed_pair_macs"), 0)
    if block.get("no_op"):
        return none
    if block.get("replace_with_linear"):
        return none | {"matrices": hidden * hidden, "vectors": hidden}
    usual = gqa(c | {"num_key_value_heads": heads // block["n_heads_in_group"]})
    return usual | {"vectors": usual["vectors"] + hidden}


def nas_ffn(c: Config, block: Config) -> dict[str, int]:
    hidden = c["hidden_size"]
    none = dict.fromkeys(("matrices", "vectors", "expert_matrices", "expert_vectors", "experts", "selected"), 0)
    if block.get("no_op"):
        return none
    if block.get("replace_with_linear"):
        return none | {"matrices": hidden * hidden, "vectors": hidden}
    wide = -(-int(2 * block["ffn_mult"] * hidden / 3) // 256) * 256
    return none | {"matrices": gated_mlp(c, wide), "vectors": hidden}


def nas_layer(c: Config, index: int) -> Layer:
    block = c["block_configs"][index]
    attention, ffn = nas_attention(c, block["attention"]), nas_ffn(c, block["ffn"])
    sums = {key: attention[key] + ffn[key] for key in ("matrices", "vectors")}
    return Layer(**{**attention, **ffn, **sums, "window": None, "chunk": None})


def gemma4_layer(c: Config, index: int) -> Layer:
    """Layers that see all keys have heads of their own and may lack v_proj; experts stand beside a dense MLP.

    Vectors: four norms, a scalar, norms of q and k; with experts three norms more, and of the router the scale of its
    input and one for each expert.
    """
    if c["hidden_size_per_layer_input"] or c["num_kv_shared_layers"]:
        raise ValueError("per-layer embeddings and shared caches of Gemma 4 are not derived here")
    hidden, heads, sees_all = c["hidden_size"], c["num_attention_heads"], attention_kind(c, index) == KINDS[0]
    dim = c["global_head_dim"] if sees_all else c["head_dim"]
    one = sees_all and c["attention_k_eq_v"]
    kv = (c["num_global_key_value_heads"] if one else c["num_key_value_heads"]) * dim
    vectors, experts, expert = 4 * hidden + 1 + 2 * dim, 0, 0
    matrices = hidden * (2 * heads * dim + (1 if one else 2) * kv) + gated_mlp(c, c["intermediate_size"])
    if c["enable_moe_block"]:
        experts, expert = c["num_experts"], gated_mlp(c, c["moe_intermediate_size"])
        vectors += 4 * hidden + experts
        matrices += hidden * experts
    pair = 2 * heads * dim
    return Layer(matrices, 0, vectors, expert, 0, experts, c["top_k_experts"] if experts else 0, 2 * kv, pair, pair,
                 None if sees_all else c["sliding_window"], None)


def layer(c: Config, index: int) -> Layer:
    if c["model_type"] in RECURRENT:
        return derive_recurrent.layer(c, index)
    if c["model_type"] in COMPRESSED:
        return derive_compressed.layer(c, index)
    if c["model_type"] == "gemma4_text":
        return gemma4_layer(c, index)
    if c["model_type"] == "nemotron-nas":
        return nas_layer(c, index)
    own = {"mimo_v2_flash": lambda: mimo_v2(c, index)} | dict.fromkeys(MLA, lambda: mla(c))
    attention = own.get(c["model_type"], lambda: gqa(c))()
    ffn = moe_ffn(c) if is_moe(c, index) else dense_ffn(c)
    norms = (4 if c["model_type"] in GEMMA else 2) * c["hidden_size"]
    kind = attention_kind(c, index)
    window = c.get("sliding_window") if kind == "sliding_attention" else None
    chunk = c.get("attention_chunk_size", 8192) if kind == "chunked_attention" else None
    selects = indexer(c, index)
    sums = {"matrices": attention["matrices"] + ffn["matrices"] + selects.get("matrices", 0),
            "vectors": attention["vectors"] + ffn["vectors"] + norms + selects.get("vectors", 0),
            "kv_elements": attention["kv_elements"] + selects.get("kv_elements", 0)}
    return Layer(**{**attention, **ffn, **selects, **sums, "window": window, "chunk": chunk})


def layers(config: Config) -> list[Layer]:
    c = text_config(config)
    return [layer(c, index) for index in range(c.get("num_hidden_layers") or len(c["hybrid_override_pattern"]))]


def head_elements(config: Config) -> int:
    """LM head (or the embedding, which has its shape)."""
    c = text_config(config)
    return c["vocab_size"] * c["hidden_size"]


def stream_head(config: Config) -> tuple[int, int]:
    """Matrix and vectors that make one vector of several residual streams."""
    c = text_config(config)
    return derive_compressed.outside(c) if c["model_type"] in COMPRESSED else (0, 0)


def outside_layers(config: Config) -> int:
    """Embedding, LM head unless tied, and the final norm; what reads residual streams."""
    c = text_config(config)
    return sum(stream_head(c)) + head_elements(c) * (1 if c["tie_word_embeddings"] else 2) + c["hidden_size"]


def parameters(config: Config) -> int:
    return outside_layers(config) + sum(l.parameters(l.experts) for l in layers(config))


def active_parameters(config: Config) -> int:
    """All but the routed experts that one token does not select."""
    return outside_layers(config) + sum(l.parameters(l.selected) for l in layers(config))


def kv_elements_per_token(config: Config) -> int:
    """Of entries that stand for several tokens their shares, which are whole in all."""
    entries = [(l.entry_elements, l.ratio) for l in layers(config) if l.ratio]
    return sum(l.kv_elements for l in layers(config)) + int(sum(Fraction(*entry) for entry in entries))


def kv_elements(config: Config, context: int) -> int:
    """Of a sequence of so many tokens, of all of which caches have rows."""
    return sum(l.cached(context) for l in layers(config))


def unbounded_kv_elements_per_token(config: Config) -> int:
    """Of the layers without a window, and of entries: what a longer context adds."""
    return kv_elements_per_token(config) - sum(l.kv_elements for l in layers(config) if l.window)


def window_elements(config: Config) -> int:
    """What all windows together hold once they are full."""
    return sum(l.window * l.kv_elements for l in layers(config) if l.window)


def state_elements(config: Config) -> int:
    """Of all recurrent layers, for each sequence, however long it is."""
    return sum(l.state_elements for l in layers(config))


def matmul_weight_elements(config: Config, active: bool = False) -> int:
    """Elements of all matrices tokens are multiplied with, the LM head (tied or not) included."""
    return head_elements(config) + stream_head(config)[0] + sum(
        l.matrices + l.index_query + l.kv_up + (l.selected if active else l.experts) * l.expert_matrices
        for l in layers(config))


def macs_decode(config: Config, context: int, absorbed: bool = True) -> int:
    """One decode step of one sequence; `context` keys, the new token's included.

    `absorbed` matters for MLA only.  W_UK and W_UV together are kv_b_proj, so absorption costs
    its size once per new token; without it every latent of the context goes through it.
    """
    if context < 1:
        raise ValueError("context counts the new token: at least 1")
    macs = head_elements(config) + stream_head(config)[0]
    for l in layers(config):
        keys = l.visible(context)
        pair, ups = (l.absorbed_pair_macs, 1) if absorbed else (l.pair_macs, keys)
        macs += l.token_macs() + keys * pair + ups * l.kv_up + l.step_macs
        if l.selects(context):  # scores of all keys
            macs += l.index_query + context * l.index_pair_macs
        macs += derive_compressed.decode(l, context)
    return macs


def macs_prefill(config: Config, seq: int) -> int:
    """One sequence from an empty cache, causal, logits for the last token only, MLA unabsorbed.

    Where queries select keys, MLA is absorbed, and all visible keys are scored.
    """
    if seq < 1:
        raise ValueError("a prefill has at least 1 token")
    macs = head_elements(config) + seq * stream_head(config)[0]
    for l in layers(config):
        pair = l.absorbed_pair_macs if l.selects(seq) else l.pair_macs
        macs += seq * (l.token_macs() + l.kv_up + l.tokens_macs) + l.visible_pairs(seq) * pair
        macs += -(-seq // l.chunk_tokens) * l.chunk_macs
        if l.selects(seq):
            macs += seq * l.index_query + triangle(seq) * l.index_pair_macs
        macs += derive_compressed.prefill(l, seq)
    return macs


def flops(macs: int) -> int:
    return 2 * macs


# Published counts; test/models/README.md has the sources.
PUBLISHED: dict[str, int] = {
    "meta-llama--Llama-2-7b-hf": 6_738_415_616, "meta-llama--Llama-2-70b-hf": 68_976_648_192,
    "meta-llama--Llama-3.2-1B": 1_235_814_400, "meta-llama--Llama-3.2-3B": 3_212_749_824,
    "meta-llama--Meta-Llama-3.1-8B": 8_030_261_248,
    "meta-llama--Meta-Llama-3.1-70B": 70_553_706_496,
    "meta-llama--Meta-Llama-3.1-405B": 405_853_388_800,
    "mistralai--Mistral-7B-v0.1": 7_241_732_096, "mistralai--Mixtral-8x7B-v0.1": 46_702_792_704,
    "mistralai--Mixtral-8x22B-v0.1": 140_620_634_112,
    "Qwen--Qwen2.5-0.5B": 494_032_768, "Qwen--Qwen2.5-7B": 7_615_616_512,
    "Qwen--Qwen2.5-72B": 72_706_203_648, "Qwen--Qwen3-0.6B": 596_049_920,
    "Qwen--Qwen3-8B": 8_190_735_360, "Qwen--Qwen3-30B-A3B": 30_532_122_624,
    "Qwen--Qwen3-235B-A22B": 235_093_634_560,
    "google--gemma-2-2b": 2_614_341_888, "google--gemma-2-9b": 9_241_705_984,
    "google--gemma-2-27b": 27_227_128_320, "google--gemma-3-1b-pt": 999_885_952,
    "google--gemma-4-26B-A4B": 25_233_141_790,  # card: 25.2B
    "microsoft--Phi-3-mini-4k-instruct": 3_821_079_552,
    "openai--gpt-oss-20b": 20_914_757_184, "openai--gpt-oss-120b": 116_829_156_672,
    "deepseek-ai--DeepSeek-V2": 235_741_434_880, "deepseek-ai--DeepSeek-V2-Lite": 15_706_484_224,
    "deepseek-ai--DeepSeek-V3": 671_026_419_200,
    "moonshotai--Kimi-K2-Instruct": 1_026_408_232_448,  # fp8 scales, rotary tables left out
    "deepseek-ai--DeepSeek-V3.2": 671_026_419_200 + 61 * (1536 * 8192 + 7168 * (128 + 64) + 256),  # V3 and indexers
    "zai-org--GLM-5-FP8": 743_911_218_432,  # README: 744B
    "deepseek-ai--DeepSeek-V4-Flash": 284_332_240_471,  # card: 284B
    "MiniMaxAI--MiniMax-M3": 426_174_572_928,  # card: about 428B, with the vision part
    "XiaomiMiMo--MiMo-V2-Flash": 308_778_780_864,  # README: 309B; 3 x 0.33B of further layers left out
    "Qwen--Qwen3-VL-30B-A3B-Instruct": 30_532_122_624,  # as Qwen3-30B-A3B
    "nvidia--Llama-3_3-Nemotron-Super-49B-v1": 49_867_145_216,
    "Qwen--Qwen3-Next-80B-A3B-Instruct": 79_674_391_296,  # 80B
    "Qwen--Qwen3.5-35B-A3B": 34_660_610_688,  # the page says 36B with the vision part and further tokens
    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 31_577_940_288,  # release: 31.6B
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 120_668_707_840,  # 120B; 121B on the page, without further tokens
    "moonshotai--Kimi-Linear-48B-A3B-Instruct": 49_122_681_728,  # README: 48B
    # Published with the f32 scales of its FP8 blocks, 128 x 128: in each of 62 layers of 256 x 3
    # matrices of experts (12 x 24 blocks), of q and o (24 x 48) and of k and v (24 x 8).
    "MiniMaxAI--MiniMax-M2": 228_703_644_928 - 62 * (256 * 3 * 12 * 24 + 2 * 24 * 48 + 2 * 24 * 8),
    # Published with the layer that predicts one more token, which is taken off: a layer, a
    # projection of two hidden states to one, three norms.
    "XiaomiMiMo--MiMo-7B-Base": 7_833_409_536 - (177_223_680 + 2 * 4096 * 4096 + 3 * 4096),
    # Published with the vision part, whose size (tower and projector) is taken off here.
    "google--gemma-3-27b-pt": 27_432_406_640 - 423_060_336,
    "meta-llama--Llama-4-Scout-17B-16E-Instruct": 108_641_793_536 - 871_932_416,
    "meta-llama--Llama-4-Maverick-17B-128E-Instruct": 401_583_781_376 - 871_932_416,
}
PUBLISHED_ACTIVE: dict[str, int] = {"Qwen--Qwen3-30B-A3B": 3_353_032_704,
                                    "Qwen--Qwen3-VL-30B-A3B-Instruct": 3_353_032_704,
                                    "google--gemma-4-26B-A4B": 3_822_530_590,  # card: 3.8B
                                    "deepseek-ai--DeepSeek-V4-Flash": 13_799_632_471,  # card: 13B, without embedding
                                    "zai-org--GLM-5-FP8": 41_784_728_832,  # README: 40B, without embedding
                                                                        "XiaomiMiMo--MiMo-V2-Flash": 15_445_936_320,  # README: 15B
                                    "Qwen--Qwen3-Next-80B-A3B-Instruct": 3_874_929_408,
                                    "Qwen--Qwen3.5-35B-A3B": 3_454_988_928,
                                    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 3_580_076_352,  # 3.6B
                                    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 12_770_237_440,
                                    "moonshotai--Kimi-Linear-48B-A3B-Instruct": 3_484_459_904}
# Elements that a token adds without end, and that windows hold: counted by hand from the papers.
KNOWN_KV: dict[str, int] = {"deepseek-ai--DeepSeek-V3.2": 61 * (512 + 64 + 128), "zai-org--GLM-5-FP8": 78 * (512 + 64 + 128),
                            "deepseek-ai--DeepSeek-V4-Flash": 21 * (512 + 128) // 4 + 20 * 512 // 128,
                            "MiniMaxAI--MiniMax-M3": 60 * 2 * 4 * 128 + 57 * 128,
                            "XiaomiMiMo--MiMo-V2-Flash": 9 * 4 * (192 + 128),
                            "Qwen--Qwen3-VL-30B-A3B-Instruct": 49_152,
                            "google--gemma-4-26B-A4B": 5 * 2 * 2 * 512,
                            "nvidia--Llama-3_3-Nemotron-Super-49B-v1": 100_352}
# Heads x key x value sizes and the inputs of convolutions, of all layers with a state: by hand, too.
KNOWN_STATE: dict[str, int] = {
    "deepseek-ai--DeepSeek-V4-Flash": 21 * (2 * 8 * 1024 + 2 * 8 * 256) + 20 * 2 * 128 * 512,
    "Qwen--Qwen3-Next-80B-A3B-Instruct": 36 * (32 * 128 * 128 + 3 * 8192),
    "Qwen--Qwen3.5-35B-A3B": 30 * (32 * 128 * 128 + 3 * 8192),
    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 23 * (64 * 64 * 128 + 3 * 6144),
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 40 * (128 * 64 * 128 + 3 * 10240),
    "moonshotai--Kimi-Linear-48B-A3B-Instruct": 20 * (32 * 128 * 128 + 3 * 3 * 4096)}
KNOWN_WINDOW: dict[str, int] = {"deepseek-ai--DeepSeek-V4-Flash": 43 * 128 * 512,
                                "google--gemma-4-26B-A4B": 25 * 1024 * 2 * 8 * 256,
                                "XiaomiMiMo--MiMo-V2-Flash": 39 * 128 * 8 * (192 + 128)}


def self_check(name: str, config: Config) -> list[str]:
    """A prefill must be the sum of its tokens' unabsorbed steps; each step seen by brute force."""
    if state_elements(config):  # Chunks do more work than steps.
        return []
    faults = []
    shapes = {(l.window, l.chunk) for l in layers(config)} | {(3, None), (None, 4), (7, None)}
    base = layers(config)[0]
    for window, chunk in shapes:
        probe = Layer(**{**base.__dict__, "window": window, "chunk": chunk})
        for seq in (1, 2, 3, 4, 5, 8, 13):
            seen = [sum(1 for k in range(q + 1) if (not window or q - k < window)
                        and (not chunk or k // chunk == q // chunk)) for q in range(seq)]
            if sum(seen) != probe.visible_pairs(seq) or seen[-1] != probe.visible(seq):
                faults.append(f"{name}: pairs of window {window}, chunk {chunk}, seq {seq}")
    for seq in (1, 2, 129, 513, 4097, 8193):
        if any(l.selects(seq) for l in layers(config)):  # then queries are scored, and latents absorbed
            step = macs_decode(config, seq) - head_elements(config)
            if any(l.selects(seq - 1) for l in layers(config)) and macs_prefill(config, seq) - macs_prefill(config, seq - 1) != step:
                faults.append(f"{name}: prefill {seq} is not prefill {seq - 1} and a step that selects")
            continue
        before = macs_prefill(config, seq - 1) if seq > 1 else head_elements(config)
        again = sum(l.kv_up * (l.visible(seq) - 1) for l in layers(config))
        step = macs_decode(config, seq, absorbed=False) - head_elements(config) - again
        if macs_prefill(config, seq) - before != step:
            faults.append(f"{name}: prefill {seq} is not prefill {seq - 1} and a step")
    return faults


def check(name: str, config: Config) -> list[str]:
    faults = self_check(name, config)
    for label, published, derive in (("parameters", PUBLISHED, parameters),
                                     ("active parameters", PUBLISHED_ACTIVE, active_parameters),
                                     ("cache elements", KNOWN_KV, unbounded_kv_elements_per_token),
                                     ("state elements", KNOWN_STATE, state_elements),
                                     ("window elements", KNOWN_WINDOW, window_elements)):
        if name in published and derive(config) != published[name]:
            faults.append(f"{name}: {label} {derive(config):,}, published {published[name]:,}")
    return faults


def row(name: str, config: Config) -> str:
    kv, gflops = kv_elements_per_token(config), lambda macs: flops(macs) / 1e9
    return (f"{name:<47}{parameters(config):>18,}{active_parameters(config):>17,}{kv:>9,}{2 * kv:>10,}"
            f"{gflops(macs_decode(config, 1024)):>11.3f}"
            f"{gflops(macs_decode(config, 1024, absorbed=False)):>12.3f}"
            f"{gflops(macs_prefill(config, 1024)) / 1024:>11.3f}")


def main(folders: list[str]) -> int:
    here = [Path(__file__).resolve().parent.parent / "models"]
    files = [f for folder in (map(Path, folders) if folders else here) for f in folder.glob("*.json")]
    configs = {f.stem: json.loads(f.read_text()) for f in sorted(files, key=lambda f: f.stem)}
    print(f"{'':<47}{'parameters':>18}{'active':>17}{'kv elem':>9}{'kv bytes':>10}"
          f"{'decode':>11}{'unabsorbed':>12}{'prefill':>11}\n{'':<47}{'':>18}{'':>17}{'per token':>19}"
          f"{'GFLOPs per token at 1024':>34}")
    for name, config in configs.items():
        print(row(name, config) + ("" if name in PUBLISHED else "  no published count"))
    faults = [fault for name, config in configs.items() for fault in check(name, config)]
    faults += [f"{name}: no config" for name in PUBLISHED if name not in configs]
    print("\n".join(faults) or f"all {len(PUBLISHED)} published counts met", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
