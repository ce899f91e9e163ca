"""Lets a program begin with caches that hold known keys and values.

llm-run begins with caches that are empty or random. Here each cache of the text is filled from weights, which llm-run
reads from a file. Rows that nobody has computed yet are NaN there.
"""
import re

import numpy as np

CACHE = re.compile(r'^( *)%(\w+) = llm\.kv_cache "(.*?)"((?:\[.*?\])?) : (<.*>)$', re.M)


def fill_caches(program, groups):
    """The text with caches that are filled, and the tensors to read. `groups`: of each group of sequences, in the order
    of the program, for each sequence a list by layer: [keys, values] or [latents], each of rows, and the same of the
    cache of an indexer."""
    tensors, order = {}, []

    def fill(match):
        indent, value, name, index, state = match.groups()
        group = name.partition(".self_attn")[2]
        is_index = group.startswith(".indexer")
        group = group.removeprefix(".indexer")
        order.extend([group] * (group not in order))
        sequences = groups[order.index(group)]
        parts = ["old_keys"] if "latents" in state else ["old_keys", "old_values"]
        batch, heads, features, capacity = map(int, re.findall(r"= (\d+)", state))
        shape = batch, capacity, heads, features
        for layer in range(len(sequences[0])) if index else [int(re.search(r"layers\.(\d+)", name)[1])]:
            for part, *rows in zip(parts, *(sequence[layer][is_index] for sequence in sequences), strict=not is_index):
                tensors[f"{name.format(layer)}.{part}"] = ("F32", rows_in_place(rows, shape))
        kind = f"tensor<{batch}x{capacity}x{heads}x{features}x{re.search(r', (bf16|f32)', state)[1]}>"
        return "\n".join(indent + line for line in write_of(value, name, index, state, parts, kind))

    return CACHE.sub(fill, program), tensors


def rows_in_place(sequences, shape):
    array = np.full(shape, np.nan, np.float32)
    for place, rows in zip(array, sequences, strict=True):
        place[:len(rows)] = rows.reshape(-1, *shape[2:])
    return array


def write_of(value, name, index, state, parts, kind):
    """Lines that give the cache another name, and its own to what it is when the weights are written."""
    yield f'%empty_{value} = llm.kv_cache "{name}"{index} : {state}'
    for part in parts:
        yield f'%{part}_{value} = llm.weight "{name}.{part}"{index} : {kind}'
    operands = ", ".join(f"%{word}_{value}" for word in ["empty", *parts])
    yield f'%{value} = llm.kv_write "{name}.fill" {operands} at 0 : {", ".join([state] + [kind] * len(parts))}'
