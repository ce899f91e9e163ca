"""What the layers of decoders are counted by, for derive_models.py and what it imports: figures of one layer, and the
parts that families share. Everything is read from a Hugging Face config.json."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Config = dict[str, Any]

QK_NORM = {"qwen3", "qwen3_moe", "gemma3_text"}  # learned weights; Llama 4's q/k norm has none
PLAIN_HEAD_DIM = {"llama", "mistral", "mixtral", "nemotron-nas", "phi3", "qwen2"}  # hidden_size / heads if not given


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


def head_dim(c: Config) -> int:
    if c.get("head_dim"):
        return c["head_dim"]
    if c["model_type"] not in PLAIN_HEAD_DIM:  # class defaults differ: better no figure than a guess
        raise ValueError(f"head_dim missing for model_type {c['model_type']!r}")
    return c["hidden_size"] // c["num_attention_heads"]


def kv_heads(c: Config) -> int:
    return c.get("num_key_value_heads") or c["num_attention_heads"]


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


def gated_mlp(c: Config, intermediate: int) -> int:
    return 3 * c["hidden_size"] * intermediate  # gate, up, down
