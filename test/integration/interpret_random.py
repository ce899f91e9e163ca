"""Interprets random programs in Python: interpret.py on the numbers that llm-run took.

Results are rounded to their types, as Spec.md says. A program with an op that interpret.py does
not know, or with weights that have scales, is not interpreted; why is said.
"""
import math
import re
import struct

import interpret
import interpret_ops
from generic_mlir import parse, split
from interpret_ops import Cache, Tensor


def round_f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0] if math.isfinite(x) else x


def round_bf16(x):
    if not math.isfinite(x):
        return x
    bits, = struct.unpack("<I", struct.pack("<f", x))
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


def round_f16(x):
    try:
        return struct.unpack("<e", struct.pack("<e", round_f32(x)))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def round_whole(bits):
    return lambda x: min(max(round(x), -(2 ** (bits - 1))), 2 ** (bits - 1) - 1)


ROUNDINGS = {"f32": round_f32, "bf16": round_bf16, "f16": round_f16, "i8": round_whole(8), "i32": round_whole(32)}


class NotCovered(Exception):
    """Something that the interpreter does not know."""


def element_of(kind):
    found = re.search(r"(?:x|<)(bf16|f16|f32|i8|i32)>$", kind) or re.search(r", (bf16|f16|f32)(?: latents)?[,>]", kind)
    return found.group(1) if found else None


class RoundingMachine(interpret.Machine):
    """Rounds what ops give to their types."""

    def run(self, op):
        if op.name == "linalg.generic":
            raise NotCovered(op.name)
        try:
            super().run(op)
        except (AttributeError, KeyError, OverflowError, ZeroDivisionError) as error:
            raise NotCovered(f"{op.name}: {error}") from error
        kinds = split(op.types.rpartition(" -> ")[2].strip().removeprefix("(").removesuffix(")"))
        for name, kind in zip(op.results, kinds):
            self.finish(op, self.values[name], element_of(kind.strip()))

    @staticmethod
    def finish(op, value, element):
        # What no query sees, and rows behind the keys of a sequence, are 0.
        hides = op.name in ("llm.qk", "llm.kv_read")
        for tensor in value.parts.values() if isinstance(value, Cache) else [value]:
            if isinstance(tensor, Tensor) and element in ROUNDINGS:
                rounded = ROUNDINGS[element]
                tensor.data = {i: None if x is None else rounded(0 if hides and math.isnan(x) else x)
                               for i, x in tensor.data.items()}

    def arith_constant(self, op, operands):
        if "dense" not in op.attrs["value"]:
            return super().arith_constant(op, operands)
        text, _, kind = op.attrs["value"].rpartition(" : ")
        return tensor_of(shape_of(kind), [float(n) for n in re.findall(r"-?\d[\d.]*(?:[eE][-+]?\d+)?", text)])

    def linalg_fill(self, _, operands):
        return Tensor(operands[1].shape, operands[0])

    def linalg_transpose(self, op, operands):
        order = op.numbers("permutation")
        return Tensor(operands[1].shape, lambda i: operands[0][[i[order.index(d)] for d in range(len(i))]])


def shape_of(kind):
    return [int(n) for n in re.findall(r"(\d+)x", kind)]


def tensor_of(shape, numbers):
    numbers = numbers * math.prod(shape) if len(numbers) == 1 else numbers
    left = iter(numbers)
    return Tensor(shape, lambda _: next(left))


def interpret_program(program, generic, weights):
    """Results by number, or by name of a cache. `weights`: shape and numbers by name."""
    def draw(name, shape):
        # What llm-run did not ask for, nobody reads.
        known, numbers = weights.get(name, (list(shape), [0]))
        assert list(shape) == known, name
        return tensor_of(shape, numbers)

    if "block_scaled" in generic:
        raise NotCovered("block-scaled weights")
    function, = parse(generic).values()
    interpret_ops.draw_source = draw
    arguments = [draw(f"{program.name}.{each.name[1:]}", shape_of(each.closed_type)) if each.data is None
                 else tensor_of(shape_of(each.closed_type), each.data) for each in program.inputs]
    machine = RoundingMachine()
    results = dict(enumerate(machine.block(function.regions[0], arguments)))
    for name, cache in machine.caches.items():
        # Keys and values have a name each, and a state that of its own.
        results |= {f"{name}.{part}" if part else name: tensor for part, tensor in cache.parts.items()}
    return {place: (list(tensor.shape), list(tensor.data.values())) for place, tensor in results.items()}
