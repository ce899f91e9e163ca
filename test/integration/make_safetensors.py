#!/usr/bin/env python3
"""Writes a safetensors checkpoint of a model, with all names and shapes and no data.

The data is a hole in the file, which takes no space. DTYPE is f32, f16, bf16 or fp8. With fp8 the
linear weights of the layers are F8_E4M3, each with a weight_scale_inv of one F32 for 128 x 128
elements, as the checkpoints of DeepSeek-V3 and Qwen3-FP8 have them; all else is BF16.

    make_safetensors.py CONFIG.json DTYPE FOLDER [--shards N]
"""
from __future__ import annotations

import argparse
import json
import math
import struct
from pathlib import Path
from typing import Iterator

from checkpoint_shapes import Shapes, read_shapes, weights

ELEMENT_BYTES = {"F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1}
SCALE_BLOCK = 128
Tensor = tuple[str, str, list[int]]  # name, dtype, shape


def size_bytes(tensor: Tensor) -> int:
    return ELEMENT_BYTES[tensor[1]] * math.prod(tensor[2])


def tensors(shapes: Shapes, dtype: str) -> Iterator[Tensor]:
    for weight in weights(shapes):
        if dtype != "fp8":
            yield weight.name, dtype.upper(), weight.shape
        elif not weight.linear:
            yield weight.name, "BF16", weight.shape
        else:
            yield weight.name, "F8_E4M3", weight.shape
            yield (f"{weight.name}_scale_inv", "F32",
                   [math.ceil(size / SCALE_BLOCK) for size in weight.shape])


def write_file(path: Path, contents: list[Tensor]) -> None:
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    # The reference sorts by width, so that all data is aligned to its elements.
    for tensor in sorted(contents, key=lambda t: (-ELEMENT_BYTES[t[1]], t[0])):
        name, dtype, shape = tensor
        end = offset + size_bytes(tensor)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + offset)


def split(contents: list[Tensor], shards: int) -> list[list[Tensor]]:
    """In order, into parts of about the same number of bytes."""
    parts: list[list[Tensor]] = [[] for _ in range(shards)]
    total, before = sum(map(size_bytes, contents)), 0
    for tensor in contents:
        parts[before * shards // total].append(tensor)
        before += size_bytes(tensor)
    return parts


def write_shards(folder: Path, contents: list[Tensor], shards: int) -> None:
    weight_map = {}
    for i, part in enumerate(split(contents, shards)):
        path = folder / f"model-{i + 1:05}-of-{shards:05}.safetensors"
        write_file(path, part)
        weight_map |= {tensor[0]: path.name for tensor in part}
    index = {"metadata": {"total_size": sum(map(size_bytes, contents))},
             "weight_map": dict(sorted(weight_map.items()))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("dtype", choices=["f32", "f16", "bf16", "fp8"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", type=int, default=0)
    args = parser.parse_args()
    contents = list(tensors(read_shapes(json.loads(args.config.read_text())), args.dtype))
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.shards:
        write_shards(args.folder, contents, args.shards)
    else:
        write_file(args.folder / "model.safetensors", contents)


if __name__ == "__main__":
    main()
