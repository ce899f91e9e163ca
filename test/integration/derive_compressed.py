"""Layers of DeepSeek-V4, for derive_models.py: from its config.json, and the formulas of the report and the release's code.

Of each layer: attention over a window of tokens, which are key and value at once, and by `compress_ratios` over nothing
else (0), over entries of m tokens each that an indexer selects (4), or over all entries (others); hyper-connections
before and behind attention and experts (arXiv 2512.24880); experts in every layer.
"""
from __future__ import annotations

from derive_layers import Config, Layer

OVERLAPPING = 4  # tokens to an entry where windows overlap and entries are selected


def layer(c: Config, index: int) -> Layer:
    hidden, heads, dim, rank = c["hidden_size"], c["num_attention_heads"], c["head_dim"], c["q_lora_rank"]
    ratio, groups, out = c["compress_ratios"][index], c["o_groups"], c["o_lora_rank"]
    matrices = hidden * rank + rank * heads * dim + hidden * dim + heads * dim * out + groups * out * hidden
    vectors = 2 * hidden + rank + dim + heads  # norms, sinks
    experts = experts_of(c, index)
    sums = {"matrices": matrices + experts.pop("matrices"), "vectors": vectors + experts.pop("vectors")}
    streams = streams_of(c)
    sums["matrices"] += streams["matrices"]
    sums["vectors"] += streams["vectors"]
    if ratio:
        entries = compressor(c, ratio, dim)
        sums = {key: sums[key] + entries[key] for key in sums}
        if ratio == OVERLAPPING:
            sums = {key: sums[key] + compressor(c, ratio, c["index_head_dim"])[key] for key in sums}
    return Layer(**experts, **sums, **beside(c, ratio, index), kv_up=0, kv_elements=dim, pair_macs=2 * heads * dim,
                               absorbed_pair_macs=2 * heads * dim, window=c["sliding_window"], chunk=None)


def halves(ratio: int) -> int:
    return 2 if ratio == OVERLAPPING else 1


def compressor(c: Config, ratio: int, dim: int) -> dict[str, int]:
    """Two projections, what is added to gates by the place in a window, a norm."""
    channels = halves(ratio) * dim
    return {"matrices": 2 * c["hidden_size"] * channels, "vectors": ratio * channels + dim}


def streams_of(c: Config) -> dict[str, int]:
    """Two sites a layer: (2 + m) m numbers of the m streams, with a bias each, and three scales."""
    m, hidden = c["hc_mult"], c["hidden_size"]
    return {"matrices": 2 * (2 + m) * m * m * hidden, "vectors": 2 * ((2 + m) * m + 3)}


def beside(c: Config, ratio: int, index: int) -> dict[str, int]:
    """What differs by the ratio, and the sums over streams, m + m^2 + m vectors a site. Behind the last layer the streams
    are read once more, which is counted with that layer here."""
    m, hidden, last = c["hc_mult"], c["hidden_size"], index == c["num_hidden_layers"] - 1
    mixes = 2 * (2 * m + m * m) * hidden + (m * hidden if last else 0)
    common = {"step_macs": mixes, "tokens_macs": mixes}
    if not ratio:
        return common
    dim, rows = c["head_dim"], halves(ratio) * ratio
    made = [dim] + ([c["index_head_dim"]] if ratio == OVERLAPPING else [])
    facts = common | {"ratio": ratio, "entry_elements": sum(made), "entry_macs": sum(rows * size for size in made),
                      "state_elements": sum(2 * rows * halves(ratio) * size for size in made)}
    if ratio == OVERLAPPING:
        n, size = c["index_n_heads"], c["index_head_dim"]
        facts |= {"top": c["index_topk"], "index_pair_macs": n * size,
                  "index_query": c["q_lora_rank"] * n * size + hidden * n}
    return facts


def experts_of(c: Config, index: int) -> dict[str, int]:
    """A bias in the selection, but where a table names the experts of each token (which has no parameters)."""
    experts, each = c["n_routed_experts"], 3 * c["hidden_size"] * c["moe_intermediate_size"]
    return {"matrices": c["hidden_size"] * experts + c["n_shared_experts"] * each,
            "vectors": 0 if index < c["num_hash_layers"] else experts, "expert_matrices": each, "expert_vectors": 0,
            "experts": experts, "selected": c["num_experts_per_tok"]}


def outside(c: Config) -> tuple[int, int]:
    """Of the last reading of streams: matrix, and bias and scale."""
    m = c["hc_mult"]
    return m * m * c["hidden_size"], m + 1


def entries_seen(layer: Layer, context: int) -> int:
    """By the last of so many tokens."""
    closed = context // layer.ratio if layer.ratio else 0
    return min(closed, layer.top) if layer.top else closed


def decode(layer: Layer, context: int) -> int:
    """MACs of a step that windows and streams do not have: entries, an indexer's scores, and a window that closes."""
    if not layer.ratio:
        return 0
    macs = entries_seen(layer, context) * layer.pair_macs
    if layer.top and context // layer.ratio > layer.top:
        macs += layer.index_query + context // layer.ratio * layer.index_pair_macs
    return macs + (layer.entry_macs if context % layer.ratio == 0 else 0)


def prefill(layer: Layer, seq: int) -> int:
    """The same of all tokens of a prompt."""
    if not layer.ratio:
        return 0
    selects = bool(layer.top) and seq // layer.ratio > layer.top
    macs = sum(entries_seen(layer, token) * layer.pair_macs for token in range(1, seq + 1))
    if selects:
        macs += seq * layer.index_query
        macs += sum(token // layer.ratio * layer.index_pair_macs for token in range(1, seq + 1))
    return macs + seq // layer.ratio * layer.entry_macs
