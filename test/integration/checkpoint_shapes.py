"""Names and shapes of the weights of a Hugging Face checkpoint, from its config.json.

Shapes are [out, in] as PyTorch writes them. The names are those of the state dicts of
transformers' modeling_llama.py, modeling_mistral.py, modeling_mixtral.py, modeling_qwen2.py,
modeling_qwen3.py and modeling_qwen3_moe.py, as published checkpoints hold them: experts one by
one.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator

Config = dict[str, Any]
FAMILIES = ("llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe")


@dataclass(frozen=True)
class Weight:
    """One tensor of the checkpoint. `role` is its name within the layer, `expert` set for one of
    several of that role."""

    name: str
    shape: list[int]
    role: str
    layer: int | None = None
    expert: int | None = None
    linear: bool = False  # multiplied with activations; not the router


@dataclass(frozen=True)
class Shapes:
    """The sizes that config.json gives, with the defaults that transformers gives them."""

    family: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    tied: bool
    experts: int
    expert_intermediate: int
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    dense_layers: frozenset[int] = field(default_factory=frozenset)

    @property
    def head_norms(self) -> bool:
        return self.family in ("qwen3", "qwen3_moe")


def read_shapes(config: Config) -> Shapes:
    family = config["model_type"]
    if family not in FAMILIES:
        raise SystemExit(f"model_type {family} is none of {', '.join(FAMILIES)}")
    layers, heads = config["num_hidden_layers"], config["num_attention_heads"]
    intermediate = config.get("intermediate_size", 0)
    experts = {"mixtral": config.get("num_local_experts", 8),
               "qwen3_moe": config.get("num_experts", 128)}.get(family, 0)
    step = config.get("decoder_sparse_step", 1)
    only_mlp = config.get("mlp_only_layers") or []
    dense = [i for i in range(layers) if not experts or i in only_mlp or (i + 1) % step]
    bias = family == "qwen2" or bool(config.get("attention_bias"))
    return Shapes(
        family=family, layers=layers, hidden=config["hidden_size"], intermediate=intermediate,
        heads=heads, kv_heads=config.get("num_key_value_heads") or heads,
        head_dim=config.get("head_dim") or config["hidden_size"] // heads,
        vocabulary=config["vocab_size"], tied=config.get("tie_word_embeddings", False),
        experts=experts, expert_intermediate=config.get("moe_intermediate_size", intermediate),
        qkv_bias=bias, output_bias=bias and family != "qwen2",
        mlp_bias=bool(config.get("mlp_bias")), dense_layers=frozenset(dense))


def attention_weights(shapes: Shapes, layer: int) -> Iterator[Weight]:
    prefix = f"model.layers.{layer}.self_attn."
    queries, keys = shapes.heads * shapes.head_dim, shapes.kv_heads * shapes.head_dim
    for role, out, inner in (("q_proj", queries, shapes.hidden), ("k_proj", keys, shapes.hidden),
                             ("v_proj", keys, shapes.hidden), ("o_proj", shapes.hidden, queries)):
        yield Weight(f"{prefix}{role}.weight", [out, inner], role, layer, linear=True)
        if shapes.output_bias if role == "o_proj" else shapes.qkv_bias:
            yield Weight(f"{prefix}{role}.bias", [out], f"{role}.bias", layer)
    if shapes.head_norms:
        for role in ("q_norm", "k_norm"):
            yield Weight(f"{prefix}{role}.weight", [shapes.head_dim], role, layer)


def mlp_weights(shapes: Shapes, layer: int) -> Iterator[Weight]:
    prefix, wide = f"model.layers.{layer}.mlp.", shapes.intermediate
    for role, out, inner in (("gate_proj", wide, shapes.hidden), ("up_proj", wide, shapes.hidden),
                             ("down_proj", shapes.hidden, wide)):
        yield Weight(f"{prefix}{role}.weight", [out, inner], role, layer, linear=True)
        if shapes.mlp_bias:
            yield Weight(f"{prefix}{role}.bias", [out], f"{role}.bias", layer)


def expert_weights(shapes: Shapes, layer: int) -> Iterator[Weight]:
    mixtral = shapes.family == "mixtral"
    prefix = f"model.layers.{layer}." + ("block_sparse_moe." if mixtral else "mlp.")
    yield Weight(f"{prefix}gate.weight", [shapes.experts, shapes.hidden], "router", layer)
    wide = shapes.expert_intermediate
    for expert in range(shapes.experts):
        for role, short, out, inner in (("gate_proj", "w1", wide, shapes.hidden),
                                        ("up_proj", "w3", wide, shapes.hidden),
                                        ("down_proj", "w2", shapes.hidden, wide)):
            name = f"{prefix}experts.{expert}.{short if mixtral else role}.weight"
            yield Weight(name, [out, inner], role, layer, expert, linear=True)


def weights(shapes: Shapes) -> Iterator[Weight]:
    """All of them, from the embedding to the head."""
    yield Weight("model.embed_tokens.weight", [shapes.vocabulary, shapes.hidden], "embedding")
    for layer in range(shapes.layers):
        prefix = f"model.layers.{layer}."
        yield Weight(f"{prefix}input_layernorm.weight", [shapes.hidden], "attention_norm", layer)
        yield from attention_weights(shapes, layer)
        yield Weight(f"{prefix}post_attention_layernorm.weight", [shapes.hidden], "mlp_norm", layer)
        yield from (mlp_weights if layer in shapes.dense_layers else expert_weights)(shapes, layer)
    yield Weight("model.norm.weight", [shapes.hidden], "norm")
    if not shapes.tied:
        yield Weight("lm_head.weight", [shapes.vocabulary, shapes.hidden], "head")
