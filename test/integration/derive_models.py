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
from fractions import Fraction
from pathlib import Path

import derive_compressed
import derive_recurrent
import derive_variants
from derive_layers import PLAIN_HEAD_DIM, QK_NORM, Config, Layer, gated_mlp, gqa, mla, triangle
from published_counts import KNOWN_KV, KNOWN_STATE, KNOWN_WINDOW, PUBLISHED, PUBLISHED_ACTIVE

DSA = {"deepseek_v32", "glm_moe_dsa"}  # lightning indexers beside latent attention
MLA = {"deepseek_v2", "deepseek_v3", "kimi_k2"} | DSA
GEMMA = {"gemma2", "gemma3_text"}
WINDOW_ON_ALL_LAYERS = {"mistral", "mixtral", "phi3"}
# Phi-3 stores qkv and gate/up fused, which changes no count.
ALIASES = {"mimo": "qwen2", "qwen3_vl_text": "qwen3", "qwen3_vl_moe_text": "qwen3_moe"}  # same layers
KINDS = ("full_attention", "sliding_attention", "chunked_attention")
QWEN_DELTA = {"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"}
RECURRENT = QWEN_DELTA | {"nemotron_h", "kimi_linear"}  # derive_recurrent.py
COMPRESSED = {"deepseek_v4"}  # derive_compressed.py
SUPPORTED = (RECURRENT | COMPRESSED | derive_variants.FAMILIES | MLA | GEMMA | QK_NORM | PLAIN_HEAD_DIM
             | {"gemma4_text", "gpt_oss", "llama4_text", "mimo_v2_flash", "minimax_m2", "minimax_m3"})


def text_config(config: Config) -> Config:
    """The decoder's own fields, with a supported model_type and tying made explicit."""
    inner = dict(config.get("text_config") or config)
    if "text_config" in config:
        inner.setdefault("model_type", f"{config.get('model_type')}_text")
    kind = inner["model_type"] = ALIASES.get(inner.get("model_type"), inner.get("model_type"))
    if kind not in SUPPORTED:
        raise ValueError(f"unsupported model_type: {kind!r}")
    # A wrapper's flag counts if the text part has none; some families tie unasked.
    inner.setdefault("tie_word_embeddings", config.get("tie_word_embeddings", kind in GEMMA | {"gemma4_text"} | derive_variants.TIED))
    return inner


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
    if index >= c["num_hidden_layers"] - c.get("num_kv_shared_layers", 0):  # keys and values are those of another layer
        matrices -= hidden * (1 if one else 2) * kv
        vectors -= dim
        kv = 0
        if c.get("use_double_wide_mlp"):
            matrices += gated_mlp(c, c["intermediate_size"])
    own = c.get("hidden_size_per_layer_input", 256)  # features that the layer gets beside the hidden state
    matrices += 2 * hidden * own
    vectors += hidden if own else 0
    pair = 2 * heads * dim
    return Layer(matrices, 0, vectors, expert, 0, experts, c["top_k_experts"] if experts else 0, 2 * kv, pair, pair,
                 None if sees_all else c["sliding_window"], None)


def layer_inputs(config: Config) -> tuple[int, int, int]:
    """Of what all layers get beside the hidden state: a table of rows, of which none is multiplied; a matrix; a norm."""
    c = text_config(config)
    own = c.get("hidden_size_per_layer_input", 256) if c["model_type"] == "gemma4_text" else 0
    width = c["num_hidden_layers"] * own if own else 0
    return c.get("vocab_size_per_layer_input", 262_144) * width, c["hidden_size"] * width, own


def layer(c: Config, index: int) -> Layer:
    if c["model_type"] in RECURRENT:
        return derive_recurrent.layer(c, index)
    if c["model_type"] in COMPRESSED:
        return derive_compressed.layer(c, index)
    if c["model_type"] in derive_variants.FAMILIES:
        return derive_variants.layer(c, index)
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
    """Embedding, LM head unless tied, and the final norm; what reads residual streams; inputs of layers."""
    c = text_config(config)
    return sum(stream_head(c)) + sum(layer_inputs(c)) + head_elements(c) * (1 if c["tie_word_embeddings"] else 2) + c["hidden_size"]


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
    return head_elements(config) + stream_head(config)[0] + layer_inputs(config)[1] + sum(
        l.matrices + l.index_query + l.kv_up + (l.selected if active else l.experts) * l.expert_matrices
        for l in layers(config))


def macs_decode(config: Config, context: int, absorbed: bool = True) -> int:
    """One decode step of one sequence; `context` keys, the new token's included.

    `absorbed` matters for MLA only.  W_UK and W_UV together are kv_b_proj, so absorption costs
    its size once per new token; without it every latent of the context goes through it.
    """
    if context < 1:
        raise ValueError("context counts the new token: at least 1")
    return head_elements(config) + stream_head(config)[0] + layer_inputs(config)[1] + sum(
        layer_macs_decode(l, context, absorbed) for l in layers(config))


def layer_macs_decode(l: Layer, context: int, absorbed: bool = True) -> int:
    keys = l.visible(context)
    pair, ups = (l.absorbed_pair_macs, 1) if absorbed else (l.pair_macs, keys)
    macs = l.token_macs() + keys * pair + ups * l.kv_up + l.step_macs
    if l.selects(context):  # scores of all keys
        macs += l.index_query + context * l.index_pair_macs
    return macs + derive_compressed.decode(l, context)


def macs_prefill(config: Config, seq: int) -> int:
    """One sequence from an empty cache, causal, logits for the last token only, MLA unabsorbed.

    Where queries select keys, MLA is absorbed, and all visible keys are scored.
    """
    if seq < 1:
        raise ValueError("a prefill has at least 1 token")
    return head_elements(config) + seq * (stream_head(config)[0] + layer_inputs(config)[1]) + sum(
        layer_macs_prefill(l, seq) for l in layers(config))


def layer_macs_prefill(l: Layer, seq: int) -> int:
    pair = l.absorbed_pair_macs if l.selects(seq) else l.pair_macs
    macs = seq * (l.token_macs() + l.kv_up + l.tokens_macs) + l.visible_pairs(seq) * pair
    macs += -(-seq // l.chunk_tokens) * l.chunk_macs
    if l.selects(seq):
        macs += seq * l.index_query + triangle(seq) * l.index_pair_macs
    return macs + derive_compressed.prefill(l, seq)


def flops(macs: int) -> int:
    return 2 * macs


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
