"""Runs small programs of llm ops, as they are and as loops, and compares.

    interpret.py BEFORE AFTER

Both are MLIR in generic form (--mlir-print-op-generic) with the same functions. Arguments are
whole numbers from a fixed sequence; arithmetic is Python's, types are ignored but for shapes.
What Spec.md says of an op is written anew in interpret_ops.py, and shares no code with the compiler. Of every
scf.forall the iterations run in reverse order, must write every element of the results once,
and be as many as the slots say. An element that nobody wrote is None, which no arithmetic takes.
Loops run from their bounds; sums of whole numbers are exact, so that products are compared
exactly, all else to 1e-12.
"""
import itertools
import math
import sys

from generic_mlir import parse
from interpret_ops import Cache, LLM_OPS, Tensor, spell
from interpret_recurrent import RECURRENT_OPS

OPS = LLM_OPS | RECURRENT_OPS


class Machine:
    """Values of one function."""

    def __init__(self):
        self.values = {}
        self.caches = {}  # the newest state of each, by name

    def block(self, block, arguments):
        for name, argument in zip(block.arguments, arguments, strict=True):
            self.values[name] = argument
        for op in block.ops[:-1]:
            self.run(op)
        last = block.ops[-1]
        return [self.values[name] for name in last.operands]

    def run(self, op):
        operands = [self.values[name] for name in op.operands]
        dialect, kind = op.name.split(".", 1)
        if dialect == "llm" and kind != "fused":
            results = OPS[kind](op, *operands)
            self.note_state(kind, op, operands, results)
        else:
            results = getattr(self, op.name.replace(".", "_"))(op, operands)
        results = results if isinstance(results, (list, tuple)) else [results]
        for name, value, shape in zip(op.results, results, op.result_shapes(), strict=True):
            if shape is not None:
                agrees = len(shape) == len(value.shape) and all(a in (b, None) for a, b in zip(shape, value.shape))
                assert agrees, f"{op.name}: {value.shape} is no {shape}"
            self.values[name] = value

    def note_state(self, kind, op, operands, results):
        for result in results if isinstance(results, list) else [results]:
            if not isinstance(result, Cache):
                continue
            if kind in ("kv_cache", "state"):
                result.name = spell(op, op.segment(operands, 0))
            else:
                # A slice of a state has no name of its own.
                result.name = next((x.name for x in operands if isinstance(x, Cache)), None)
            self.caches[result.name] = result

    def arith_constant(self, op, _):
        return op.number("value")

    def arith_addi(self, _, operands):
        return operands[0] + operands[1]

    def arith_muli(self, _, operands):
        return operands[0] * operands[1]

    def affine_apply(self, op, operands):
        return op.affine(operands)[0]

    def affine_min(self, op, operands):
        return min(op.affine(operands))

    def reshape(self, op, operands):
        numbers = iter(operands[0].data.values())
        return Tensor(op.result_shapes()[0], lambda _: next(numbers))

    tensor_expand_shape = tensor_collapse_shape = reshape

    def tensor_concat(self, op, operands):
        dim, result = int(op.number("dim")), Tensor(op.result_shapes()[0])
        first = 0
        for x in operands:
            for i in x.indices():
                result.data[(*i[:dim], i[dim] + first, *i[dim + 1 :])] = x.data[i]
            first += x.shape[dim]
        return result

    def llm_fused(self, op, _):
        return self.block(op.regions[0], [])

    def tensor_empty(self, op, operands):
        return Tensor(op.fill_shape(operands))

    def tensor_splat(self, op, operands):
        return Tensor(op.fill_shape(operands[1:]), operands[0])

    def tensor_pad(self, op, operands):
        source, low, high = operands[0], op.mixed("static_low", operands, 1), op.mixed("static_high", operands, 2)
        assert not any(low)
        zero = self.values[op.regions[0].ops[-1].operands[0]]
        shape = [size + more for size, more in zip(source.shape, high, strict=True)]
        return Tensor(shape, lambda i: source.data.get(i, zero))

    def place(self, op, operands, group):
        """Offsets and sizes; `group`: which segment of operands holds the first."""
        offsets, sizes, strides = (
            op.mixed(f"static_{what}", operands, group + n) for n, what in enumerate(("offsets", "sizes", "strides"))
        )
        assert all(size > 0 for size in sizes), f"{op.name}: {sizes}"
        return offsets, sizes, strides

    def tensor_extract_slice(self, op, operands):
        offsets, sizes, strides = self.place(op, operands, 1)
        source = operands[0].data
        return Tensor(sizes, lambda i: source[tuple(o + n * s for o, n, s in zip(offsets, i, strides))])

    def tensor_insert_slice(self, op, operands):
        result = Tensor(operands[1].shape, lambda i: operands[1].data[i])
        self.write(op, operands, result)
        return result

    def write(self, op, operands, into):
        offsets, sizes, strides = self.place(op, operands, 2)
        assert tuple(sizes) == operands[0].shape and set(strides) <= {1}
        places = [tuple(map(sum, zip(offsets, i))) for i in operands[0].indices()]
        for place, value in zip(places, operands[0].data.values()):
            assert place in into.data, f"{op.name}: {place} is outside of {into.shape}"
            into.data[place] = value
        return places

    def linalg_broadcast(self, op, operands):
        added = op.numbers("dimensions")
        return Tensor(operands[1].shape, lambda i: operands[0][[n for d, n in enumerate(i) if d not in added]])

    def linalg_matmul(self, op, operands):
        lhs, rhs, out = operands
        return Tensor(out.shape, lambda i: out[i] + sum(lhs[i[0], k] * rhs[k, i[1]] for k in range(lhs.shape[1])))

    def scf_for(self, op, operands):
        begin, end, step, *carried = operands
        assert end > begin
        for index in range(begin, end, step):
            carried = self.block(op.regions[0], [index, *carried])
        return carried

    def scf_forall(self, op, operands):
        begins, ends, steps = (op.numbers(f"static{what}") for what in ("LowerBound", "UpperBound", "Step"))
        body = op.regions[0]
        terminator = body.ops[-1]
        results = [Tensor(x.shape, lambda i, x=x: x.data[i]) for x in operands]
        written = [set() for _ in results]
        parts = list(itertools.product(*map(range, begins, ends, steps)))
        op.check_slots(len(parts))
        shared = dict(zip(body.arguments[len(begins) :], zip(results, written)))
        for part in reversed(parts):
            # Each part sees what was there before, not what others wrote.
            self.block_of_part(body, [*part, *operands])
            for insert in terminator.regions[0].ops:
                into, seen = shared[insert.operands[1]]
                places = self.write(insert, [self.values[name] for name in insert.operands], into)
                assert seen.isdisjoint(places), "two parts write one element"
                seen.update(places)
        for result, seen in zip(results, written):
            assert len(seen) == len(result.data), "an element that no part writes"
        return results

    def block_of_part(self, block, arguments):
        for name, argument in zip(block.arguments, arguments, strict=True):
            self.values[name] = argument
        for op in block.ops[:-1]:
            self.run(op)


def draw_arguments(function):
    """Whole numbers in [-3, 3], the same for the same shapes."""
    state = 1
    arguments = []

    def number(_):
        nonlocal state
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        return (state >> 16) % 7 - 3

    for shape in function.argument_shapes():
        arguments.append(Tensor(shape, number))
    return arguments


def run(function):
    return Machine().block(function.regions[0], draw_arguments(function))


def equal(a, b):
    if math.isnan(a) or (a == 0 and math.isnan(b)):
        return True  # not computed in the whole op
    return a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b), 1)


def tensors(results):
    """States are one tensor each, caches one for keys and one for values."""
    return [t for x in results for t in (x.parts.values() if isinstance(x, Cache) else [x])]


def main():
    before, after = (parse(open(path, encoding="utf-8").read()) for path in sys.argv[1:])
    assert list(before) == list(after) and before
    for name, function in before.items():
        expected, found = (tensors(run(each)) for each in (function, after[name]))
        for whole, made in zip(expected, found, strict=True):
            assert whole.shape == made.shape
            for index in whole.indices():
                if not equal(whole.data[index], made[index]):
                    sys.exit(f"{name}: {list(index)} is {made[index]}, not {whole.data[index]}")
        loops = sum(op.name in ("scf.for", "scf.forall") for op in after[name].walk())
        print(f"{name}: {sum(len(x.data) for x in expected)} elements agree, {loops} loops")


if __name__ == "__main__":
    main()
