"""Prints functions of one op each, with random tiles and parts: random_tiles.py SEED COUNT"""
import random
import sys

# Arguments, the op with TILE for its attribute, the result; loops with their extents, loops that
# no part may cut, loops that no tile may cut (Spec.md).
QUERY, KEYS = "tensor<2x5x6x2xbf16>", "tensor<2x7x3x2xbf16>"
ATTENTION = {"b": 2, "h": 3, "g": 2, "s": 5, "t": 7, "d": 2}
OPS = [
    (["tensor<5x6xbf16>", "tensor<7x6xbf16>", "tensor<7xbf16>"], "llm.matmul %0, %1 bias %2 transpose_rhs {TILE} : TYPES",
     "tensor<5x7xbf16>", {"m": 5, "n": 7, "k": 6}, "k", ""),
    (["tensor<5x3x4xbf16>", "tensor<3x4x6xbf16>"], "llm.batch_matmul %0, %1 {TILE} : TYPES",
     "tensor<5x3x6xbf16>", {"b": 3, "m": 5, "n": 6, "k": 4}, "k", ""),
    (["tensor<8x5xbf16>", "tensor<4x7x5xbf16>"],
     "llm.grouped_matmul %0, %1 transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 {TILE} : TYPES",
     "tensor<8x7xbf16>", {"m": 8, "n": 7, "k": 5}, "k", ""),
    (["tensor<8x5xbf16>", "tensor<4x7x5xbf16>", "tensor<4x2xi32>"],
     "llm.grouped_matmul %0, %1 experts %2 transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 {TILE} : "
     "tensor<8x5xbf16>, tensor<4x7x5xbf16> experts tensor<4x2xi32>",
     "tensor<8x7xbf16>", {"m": 8, "n": 7, "k": 5}, "k", ""),
    ([QUERY, KEYS, KEYS], "llm.gqa_attn %0, %1, %2 mask causal scale 0.5 {TILE} : TYPES", QUERY, ATTENTION, "td", "d"),
    ([QUERY, KEYS, KEYS], "llm.gqa_attn %0, %1, %2 mask causal chunk 3 from 4 scale 0.5 {TILE} : TYPES",
     QUERY, ATTENTION, "td", "d"),
    ([QUERY, KEYS, KEYS], "llm.gqa_attn %0, %1, %2 mask causal lengths [7, 5] scale 0.5 {TILE} : TYPES",
     QUERY, ATTENTION, "td", "d"),
    (["tensor<2x5x3x4xbf16>", "tensor<2x7x1x4xbf16>"], "llm.mla_attn %0, %1 value_dim 3 mask causal scale 0.5 {TILE} : TYPES",
     "tensor<2x5x3x3xbf16>", {"b": 2, "h": 3, "s": 5, "t": 7, "d": 4, "c": 3}, "tdc", "dc"),
    ([QUERY, KEYS], "llm.qk %0, %1 mask causal scale 0.5 {TILE} : TYPES", "tensor<2x6x5x7xbf16>", ATTENTION, "d", "d"),
    ([QUERY, KEYS], "llm.qk %0, %1 mask full scale 0.5 {TILE} : TYPES", "tensor<2x6x5x7xbf16>", ATTENTION, "d", "d"),
    (["tensor<2x3x5x7xbf16>"], "llm.softmax %0 mask causal window 4 {TILE} : TYPES",
     "tensor<2x3x5x7xbf16>", {"b": 2, "h": 3, "s": 5, "t": 7}, "t", "t"),
    (["tensor<2x6x5x7xbf16>", KEYS], "llm.pv %0, %1 mask causal {TILE} : TYPES", QUERY, ATTENTION, "td", "d"),
    (["tensor<2x5x7x2xbf16>"], "llm.rope %0 at 11 theta 1.0e4 {TILE} : TYPES",
     "tensor<2x5x7x2xbf16>", {"b": 2, "s": 5, "h": 7, "d": 2}, "d", "d"),
    (["tensor<2x5x2x2xbf16>"], "llm.repeat_kv %0 heads 6 {TILE} : TYPES",
     "tensor<2x5x6x2xbf16>", {"b": 2, "t": 5, "h": 2, "g": 3, "d": 2}, "", ""),
    (["tensor<5x7xf32>", "tensor<5x7xf32>"], "llm.swiglu %0, %1 {TILE} : TYPES",
     "tensor<5x7xf32>", {"d0": 5, "d1": 7}, "", ""),
    (["tensor<5x6xf32>", "tensor<6x7xf32>", "tensor<5x7xf32>"],
     "linalg.matmul {TILE} ins(%0, %1 : tensor<5x6xf32>, tensor<6x7xf32>) outs(%2 : tensor<5x7xf32>) -> tensor<5x7xf32>",
     "tensor<5x7xf32>", {"d0": 5, "d1": 7, "d2": 6}, ["d2"], ""),
]


def amounts(numbers):
    return "{" + ", ".join(f"{loop} = {number}" for loop, number in numbers.items()) + "}"


def random_tile(extents, not_split, whole):
    sizes = {
        loop: extent if loop in whole or random.random() < 0.3 else random.randint(1, extent)
        for loop, extent in extents.items()
    }
    order = random.sample(list(extents), len(extents))
    split = {}
    for loop, extent in extents.items():
        if loop in not_split or random.random() < 0.6:
            continue
        parts = -(-extent // random.randint(1, extent))  # as many as equal intervals give
        if parts > 1:
            split[loop] = parts
    level = f'<"sram", sizes = {amounts(sizes)}, order = [{", ".join(order)}], buffers = {{}}>'
    return f"llm.tile = #llm.tile<pinned levels = [{level}]" + (f" split = {amounts(split)}>" if split else ">")


def main():
    seed, count = map(int, sys.argv[1:])
    random.seed(seed)
    for number in range(count):
        types, op, result, *loops = random.choice(OPS)
        arguments = ", ".join(f"%a{n}: {kind}" for n, kind in enumerate(types))
        for n in range(len(types)):
            op = op.replace(f"%{n}", f"%a{n}")
        op = op.replace("TILE", random_tile(*loops)).replace("TYPES", ", ".join(types))
        print(f"func.func @f{number}({arguments}) -> {result} {{\n  %y = {op}\n  return %y : {result}\n}}")


main()
