"""Collectives on four processes, against NumPy: bits of sums in the order of ranks, and who gets what.

    check_run_collectives.py FOLDER

The grid is <a = 2, b = 2>, and chip 2 a + b has the row of that number of a weight. What an op gives on all chips is gathered
at the end, so that the first chip writes all of it.
"""
import itertools
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
from mpirun import run_chips
from safetensors_file import read_safetensors, write_safetensors

SIZES = {"a": 2, "b": 2}
CHIPS = list(itertools.product(range(2), range(2)))


def rank(chip, axes):
    number = 0
    for axis in axes:
        number = number * SIZES[axis] + chip["ab".index(axis)]
    return number


def group(chip, axes):
    """The chips that differ from this one along the axes alone, in the order of their ranks."""
    same = [c for c in CHIPS if all(c["ab".index(x)] == chip["ab".index(x)] for x in "ab" if x not in axes)]
    return sorted(same, key=lambda c: rank(c, axes))


def round_bf16(x):
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def join(terms, how, rounded):
    """In f32, one after the other."""
    sum_ = terms[0].astype(np.float32)
    for term in terms[1:]:
        sum_ = sum_ + term if how == "sum" else np.maximum(sum_, term)
    return rounded(sum_)


def all_reduce(x, chip, axes, how, rounded):
    return join([x[c] for c in group(chip, axes)], how, rounded)


def reduce_scatter(x, chip, axes, how, rounded, dim):
    whole = all_reduce(x, chip, axes, how, rounded)
    return np.split(whole, len(group(chip, axes)), dim)[rank(chip, axes)]


def all_gather(x, chip, axes, dim):
    return np.concatenate([x[c] for c in group(chip, axes)], dim)


def all_to_all(x, chip, axes, cut, joined):
    chips = group(chip, axes)
    return np.concatenate([np.split(x[c], len(chips), cut)[rank(chip, axes)] for c in chips], joined)


def take_piece(x, chip, axes, dim):
    return np.split(x[chip], len(group(chip, axes)), dim)[rank(chip, axes)]


def cases(rounded):
    """Text of an op, and what each chip gets, by all_reduce-R1, reduce_scatter-R1, all_gather-R1 and all_to_all-R1 of Spec.md."""
    for axes in ("a", "b", "ab", "ba"):
        over = f"over [{', '.join(axes)}]"
        for how in ("sum", "max"):
            yield f"all_reduce {how} %x {over}", lambda x, c, axes=axes, how=how: all_reduce(x, c, axes, how, rounded)
            for dim in (0, 1):
                yield (f"reduce_scatter {how} %x {over} dim {dim}",
                       lambda x, c, axes=axes, how=how, dim=dim: reduce_scatter(x, c, axes, how, rounded, dim))
        for dim in (0, 1):
            yield f"all_gather %x {over} dim {dim}", lambda x, c, axes=axes, dim=dim: all_gather(x, c, axes, dim)
            yield f"take_piece %x {over} dim {dim}", lambda x, c, axes=axes, dim=dim: take_piece(x, c, axes, dim)
            yield (f"all_to_all %x {over} from {dim} to {1 - dim}",
                   lambda x, c, axes=axes, dim=dim: all_to_all(x, c, axes, dim, 1 - dim))


def program(ops, shape, results, kind):
    """Each op, and a gather of what it gives."""
    tensor = lambda *sizes: f"tensor<{'x'.join(map(str, sizes))}x{kind}>"
    everywhere = [tensor(4 * rows, columns) for rows, columns in results]
    lines = []
    for n, (op, result) in enumerate(zip(ops, results)):
        arrow = "" if op.startswith("all_reduce") else f" -> {tensor(*result)}"
        lines += [f"    %y{n} = llm.{op} : {tensor(*shape)}{arrow}",
                  f"    %all{n} = llm.all_gather %y{n} over [a, b] dim 0 : {tensor(*result)} -> {everywhere[n]}"]
    body = "\n".join(lines)
    return f"""module attributes {{llm.grid = #llm.grid<a = 2, b = 2>}} {{
  func.func @main() -> ({', '.join(everywhere)}) {{
    %w = llm.weight "w" {{llm.piece = #llm.shard<{{d0 = [a, b]}}>}} : {tensor(1, *shape)}
    %x = tensor.collapse_shape %w [[0, 1], [2]] : {tensor(1, *shape)} into {tensor(*shape)}
{body}
    return {', '.join(f"%all{n}" for n in range(len(ops)))} : {', '.join(everywhere)}
  }}
}}
"""


def check(folder, tried, shape, kind, rounded):
    rng = np.random.default_rng(len(tried))
    # Of very different sizes, so that another order gives other bits.
    weight = rounded((rng.standard_normal((4, *shape)) * 10.0 ** rng.integers(-3, 4, (4, *shape))).astype(np.float32))
    stored = (weight.view(np.uint32) >> 16).astype(np.uint16) if kind == "bf16" else weight
    write_safetensors(folder / "w.safetensors", {"w": ({"f32": "F32", "bf16": "BF16"}[kind], stored)})
    x = dict(zip(CHIPS, weight))
    expected = [[expect(x, chip) for chip in CHIPS] for _, expect in tried]
    (folder / "p.mlir").write_text(program([op for op, _ in tried], shape, [of[0].shape for of in expected], kind))
    run_chips(4, folder / "p.mlir", "--optimize=false", f"--weights={folder / 'w.safetensors'}", f"--output={folder / 'y.safetensors'}")
    found = read_safetensors(folder / "y.safetensors")
    for n, (op, _) in enumerate(tried):
        got = found[f"result{n}"]
        got = (got.astype(np.uint32) << 16).view(np.float32) if kind == "bf16" else got
        assert (got == np.concatenate(expected[n])).all(), f"{op} of {shape}x{kind}: {got} for {expected[n]}"
    return len(tried)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True, parents=True)
    count = 0
    for kind, rounded in (("f32", lambda x: x), ("bf16", round_bf16)):
        count += check(folder, list(cases(rounded)), (8, 12), kind, rounded)
        # No dimension has a piece for each chip.
        odd = ("all_reduce sum %x over [a, b]", lambda x, chip: all_reduce(x, chip, "ab", "sum", rounded))
        count += check(folder, [odd], (3, 5), kind, rounded)
    print(f"{count} collectives on 4 chips have the bits of NumPy's")


main()
