#!/usr/bin/env python3
"""Writes a GGUF file (version 3) of a model, with all metadata and tensors and no data.

The keys, names and types are those that llama.cpp writes (conversion/base.py, llama.py and
qwen.py, gguf-py/gguf/constants.py, and for q4_0 and q4_K src/llama-quant.cpp). The vocabulary is
made up. The data is a hole in the file, which takes no space, but for the factors of angles, which
belong to the description of the model.

TYPE is f32, f16, bf16, q8_0, q4_0 or q4_K. With q4_K every second layer has attn_v and ffn_down in
q6_K; llama.cpp's Q4_K_M has that on other layers, about as many.

    make_gguf.py CONFIG.json TYPE OUT.gguf
"""
from __future__ import annotations

import json
import math
import struct
import sys
from pathlib import Path
from typing import Any, Iterator

from checkpoint_shapes import Config, Shapes, Weight, read_shapes, weights
from gguf_header import ARRAY, F32, I32, STRING, TYPES, U32, pack_header

FILE_TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q8_0": 7, "q4_K": 15, "bf16": 32}
NARROWER = {"q4_K": "q5_0", "q6_K": "q8_0"}  # where rows are no multiple of 256
ARCHITECTURES = {"llama": "llama", "mistral": "llama", "mixtral": "llama", "qwen2": "qwen2",
                 "qwen3": "qwen3", "qwen3_moe": "qwen3moe"}
ROLES = {"embedding": "token_embd", "norm": "output_norm", "head": "output",
         "attention_norm": "attn_norm", "q_proj": "attn_q", "k_proj": "attn_k",
         "v_proj": "attn_v", "o_proj": "attn_output", "q_norm": "attn_q_norm",
         "k_norm": "attn_k_norm", "mlp_norm": "ffn_norm", "gate_proj": "ffn_gate",
         "up_proj": "ffn_up", "down_proj": "ffn_down", "router": "ffn_gate_inp"}
Entry = tuple[str, int, Any]             # key, type, value
Tensor = tuple[str, list[int], str]      # name, shape with the outermost first, type


def rope(config: Config) -> dict[str, Any]:
    """rope_parameters of transformers 5, or rope_scaling and rope_theta of those before."""
    found = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    found.setdefault("rope_theta", config.get("rope_theta", 10000.0))
    found.setdefault("rope_type", found.get("type", "default"))
    return found


def rope_entries(config: Config, arch: str) -> Iterator[Entry]:
    found = rope(config)
    if found["rope_type"] in ("linear", "yarn"):
        yield f"{arch}.rope.scaling.type", STRING, found["rope_type"]
        yield f"{arch}.rope.scaling.factor", F32, found["factor"]
    if found["rope_type"] == "yarn":
        yield (f"{arch}.rope.scaling.original_context_length", U32,
               found["original_max_position_embeddings"])
    yield f"{arch}.rope.freq_base", F32, found["rope_theta"]


def rope_factors(config: Config, head_dim: int) -> list[float]:
    """Of llama3: by what each frequency is divided (llama.py, generate_extra_tensors)."""
    found, factors = rope(config), []
    low, high = found["low_freq_factor"], found["high_freq_factor"]
    for pair in range(head_dim // 2):
        frequency = found["rope_theta"] ** (-2 * pair / head_dim)
        turns = found["original_max_position_embeddings"] * frequency / (2 * math.pi)
        share = min(1.0, max(0.0, (turns - low) / (high - low)))
        factors.append(1 / ((1 - share) / found["factor"] + share))
    return factors


def entries(config: Config, shapes: Shapes, kind: str, name: str) -> Iterator[Entry]:
    arch = ARCHITECTURES[shapes.family]
    yield "general.architecture", STRING, arch
    yield "general.type", STRING, "model"
    yield "general.name", STRING, name
    yield f"{arch}.block_count", U32, shapes.layers
    yield f"{arch}.context_length", U32, config.get("max_position_embeddings", 4096)
    yield f"{arch}.embedding_length", U32, shapes.hidden
    yield f"{arch}.feed_forward_length", U32, shapes.intermediate
    yield f"{arch}.attention.head_count", U32, shapes.heads
    yield f"{arch}.attention.head_count_kv", U32, shapes.kv_heads
    yield from rope_entries(config, arch)
    yield f"{arch}.attention.layer_norm_rms_epsilon", F32, config.get("rms_norm_eps", 1e-6)
    if shapes.experts:
        yield f"{arch}.expert_count", U32, shapes.experts
        yield f"{arch}.expert_used_count", U32, config["num_experts_per_tok"]
    if config.get("head_dim"):
        yield f"{arch}.attention.key_length", U32, shapes.head_dim
        yield f"{arch}.attention.value_length", U32, shapes.head_dim
    yield "general.file_type", U32, FILE_TYPES[kind]
    # What llama.py and qwen.py add of their own.
    if arch == "llama":
        yield f"{arch}.vocab_size", U32, shapes.vocabulary
        yield f"{arch}.rope.dimension_count", U32, shapes.head_dim
    if "moe_intermediate_size" in config:
        yield f"{arch}.expert_feed_forward_length", U32, shapes.expert_intermediate
    yield "general.quantization_version", U32, 2
    yield "tokenizer.ggml.model", STRING, "gpt2"
    yield "tokenizer.ggml.pre", STRING, "default"
    yield "tokenizer.ggml.tokens", ARRAY, (STRING, [f"t{i}" for i in range(shapes.vocabulary)])
    yield "tokenizer.ggml.token_type", ARRAY, (I32, [1] * shapes.vocabulary)


def gguf_name(weight: Weight) -> str:
    """Of all experts of a role it is one."""
    role, _, rest = weight.role.partition(".")
    name = ROLES[role] if weight.layer is None else f"blk.{weight.layer}.{ROLES[role]}"
    return f"{name}{'' if weight.expert is None else '_exps'}.{rest or 'weight'}"


def fit(kind: str, row: int) -> str:
    """The type, or what llama.cpp takes when its blocks do not fill a row."""
    if row % TYPES[kind][1]:
        kind = NARROWER.get(kind, "f16")
    return "f16" if row % TYPES[kind][1] else kind


def tensor_type(weight: Weight, shapes: Shapes, kind: str) -> str:
    if len(weight.shape) == 1 or weight.role == "router":
        return "f32"
    is_head = weight.role == ("embedding" if shapes.tied else "head")
    if kind in ("q4_0", "q4_K") and is_head:
        return "q8_0" if weight.shape[-1] % 256 else "q6_K"
    if kind == "q4_K" and weight.role in ("v_proj", "down_proj") and weight.layer % 2 == 0:
        return fit("q6_K", weight.shape[-1])
    return fit(kind, weight.shape[-1])


def tensors(config: Config, shapes: Shapes, kind: str) -> Iterator[Tensor]:
    if rope(config)["rope_type"] == "llama3":
        yield "rope_freqs.weight", [shapes.head_dim // 2], "f32"
    for weight in weights(shapes):
        if weight.expert:
            continue  # all experts of a role are one tensor, written for the first
        shape = weight.shape if weight.expert is None else [shapes.experts, *weight.shape]
        yield gguf_name(weight), shape, tensor_type(weight, shapes, kind)


def write_gguf(path: Path, metadata: list[Entry], contents: list[Tensor], factors: list[float]) -> None:
    """factors: the data of the first tensor."""
    header, offsets = pack_header(metadata, contents)
    with open(path, "wb") as file:
        file.write(header + struct.pack(f"<{len(factors)}f", *factors))
        file.truncate(len(header) + offsets[-1])


def main() -> None:
    if len(sys.argv) != 4 or sys.argv[2] not in FILE_TYPES:
        sys.exit(__doc__)
    config_path, kind = Path(sys.argv[1]), sys.argv[2]
    config = json.loads(config_path.read_text())
    shapes = read_shapes(config)
    factors = rope_factors(config, shapes.head_dim) if rope(config)["rope_type"] == "llama3" else []
    write_gguf(Path(sys.argv[3]), list(entries(config, shapes, kind, config_path.stem)),
               list(tensors(config, shapes, kind)), factors)


if __name__ == "__main__":
    main()
