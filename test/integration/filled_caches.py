"""Lets a program begin with caches that hold known keys and values, and states that are known.

llm-run begins with caches that are empty or random. Here each cache of the text is filled from weights, which llm-run
reads from a file. Rows that nobody has computed yet are NaN there. No op writes a state as it is: a convolution does so
whose inputs are the state, and a sum of products of unit vectors and the rows of a matrix, which forgets what was there.
"""
import re

import numpy as np

CACHE = re.compile(r'^( *)%(\w+) = llm\.kv_cache "(.*?)"((?:\[.*?\])?) : (<.*>)$', re.M)

STATE = re.compile(r'^( *)%(\w+) = llm\.state "(.*?)"((?:\[.*?\])?) : (<batch = (\d+), ([\dx]+)x(bf16|f32)>)$', re.M)
GROUP = re.compile(r"\.(?:self_attn|mixer)(?:\.indexer)?((?:\.(?!state)\w+)?)$|\.state((?:\.\w+)?)$")


def layers_of(name, index, sequences):
    return range(len(sequences[0])) if index else [int(re.search(r"layers\.(\d+)", name)[1])]


def fill_caches(program, groups):
    """The text with caches that are filled, and the tensors to read. `groups`: of each group of sequences, in the order
    of the program, for each sequence a list by layer: [keys, values] or [latents], each of rows, and the same of the
    cache of an indexer; or a state, with the inputs of its convolutions and its matrix."""
    tensors, order, next_states = {}, [], {}

    def group_of(name):
        group = "".join(filter(None, GROUP.search(name).groups()))
        order.extend([group] * (group not in order))
        return groups[order.index(group)]

    def fill(match):
        indent, value, name, index, state = match.groups()
        is_index, sequences = ".indexer" in name, group_of(name)
        parts = ["old_keys"] if "latents" in state else ["old_keys", "old_values"]
        batch, heads, features, capacity = map(int, re.findall(r"= (\d+)", state))
        shape = batch, capacity, heads, features
        for layer in layers_of(name, index, sequences):
            for part, *rows in zip(parts, *(sequence[layer][is_index] for sequence in sequences), strict=not is_index):
                tensors[f"{name.format(layer)}.{part}"] = ("F32", rows_in_place(rows, shape))
        kind = f"tensor<{batch}x{capacity}x{heads}x{features}x{re.search(r', (bf16|f32)', state)[1]}>"
        return "\n".join(indent + line for line in write_of(value, name, index, state, parts, kind))

    def fill_state(match):
        indent, value, name, index, state, batch, shape, element = match.groups()
        sequences, sizes = group_of(name), [int(size) for size in shape.split("x")]
        convolution = re.search(r"(\w?)_?conv1d\.state", name)
        for layer in layers_of(name, index, sequences):
            olds = [sequence[layer] for sequence in sequences]
            if not isinstance(olds[0], tuple):  # A loop of layers is of one kind; these are others.
                continue
            make = (lambda: of_inputs([old.inputs["qkv".find(convolution[1])] for old in olds])) if convolution else (
                lambda: of_matrix([old.matrix for old in olds]))
            tensors.update({f"{name.format(layer)}.{part}": ("F32", array) for part, array in make().items()})
        next_states[value] = f"%filled_{value}#1"
        write = write_of_inputs if convolution else write_of_matrix
        return "\n".join(indent + line for line in write(value, name, index, state, int(batch), sizes, element))

    program = STATE.sub(fill_state, CACHE.sub(fill, program))
    return re.sub(r"(?<=[^.]from )%(\w+)", lambda use: next_states.get(use[1], use[0]), program), tensors


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


def of_inputs(sequences):
    """What a convolution reads to have these as its last inputs; its results are nobody's."""
    old = np.stack(sequences).astype(np.float32)
    return {"inputs": old, "taps": np.zeros((old.shape[2], old.shape[1] + 1), np.float32)}


def of_matrix(sequences):
    """Unit vectors and the rows that they put in their places; the first also takes away what was there."""
    rows = np.stack(sequences).astype(np.float32).transpose(0, 2, 1, 3)
    units = np.broadcast_to(np.eye(rows.shape[1], dtype=np.float32)[None, :, None], rows.shape[:3] + rows.shape[1:2])
    decay = np.zeros(rows.shape[:3], np.float32)
    decay[:, 0] = -1e4
    return {"units": np.ascontiguousarray(units), "rows": np.ascontiguousarray(rows), "decay": decay}


def lines_of(value, name, index, state, kinds, work):
    yield f'%empty_{value} = llm.state "{name}"{index} : {state}'
    for part, kind in kinds.items():
        yield f'%{part}_{value} = llm.weight "{name}.{part}"{index} : {kind}'
    yield f"%filled_{value}:2 = {work}"


def write_of_inputs(value, name, index, state, batch, sizes, element):
    taps, channels = sizes
    kinds = {"inputs": f"tensor<{batch}x{taps}x{channels}x{element}>", "taps": f"tensor<{channels}x{taps + 1}x{element}>"}
    return lines_of(value, name, index, state, kinds, (
        f'llm.conv1d "{name}.fill" %inputs_{value}, %taps_{value} from %empty_{value} : '
        f'{", ".join(kinds.values())}, !llm.state{state}'))


def write_of_matrix(value, name, index, state, batch, sizes, element):
    heads, keys, values = sizes
    kinds = {"units": f"tensor<{batch}x{keys}x{heads}x{keys}x{element}>", "rows": f"tensor<{batch}x{keys}x{heads}x{values}x{element}>",
             "decay": f"tensor<{batch}x{keys}x{heads}x{element}>"}
    return lines_of(value, name, index, state, kinds, (
        f'llm.linear_attn "{name}.fill" additive %units_{value}, %units_{value}, %rows_{value} decay %decay_{value} '
        f'from %empty_{value} scale 1.0 : {kinds["units"]}, {", ".join(kinds.values())}, !llm.state{state}'))
