"""Block-scaled numbers in NumPy, by Spec.md: what parts mean, and how they are found.

Parts are codes of values, and of the scales of each layer; whole numbers and floats of 16 bits and more are their own
codes. Quotients are rounded to f32, as programs calculate; numbers are float64.
"""
import re

import numpy as np

from small_formats import FORMATS, Format

WIDE = {"f16": np.float16, "f32": np.float32}


class Kind:
    """A plain type of values or scales."""

    def __init__(self, name):
        self.name = name
        self.small = Format(name) if name in FORMATS else None
        self.bits = int(name[1:]) if name[0] == "i" else None

    def largest(self):
        if self.bits:
            return 2.0 ** (self.bits - 1) - 1
        return self.small.largest if self.small and self.name != "f8E8M0FNU" else 1.0

    def encode(self, x):
        if self.small:
            return self.small.round(x)
        if self.bits:
            limit = 2.0 ** (self.bits - 1)
            return np.clip(np.rint(x), -limit, limit - 1).astype(np.int8).view(np.uint8) & 2 ** self.bits - 1
        return x.astype(WIDE[self.name])

    def decode(self, codes):
        if self.small:
            return self.small.numbers[codes.view(np.uint8)]
        if self.bits:
            codes = codes.view(np.uint8).astype(int)
            return np.where(codes >> self.bits - 1 & 1, codes - 2 ** self.bits, codes).astype(float)
        return codes.astype(float)


def parse(element):
    """The type of the values, and of each layer its block and the type of its scales."""
    inside = re.fullmatch(r"!llm\.block_scaled<(\w+), (.*)>", element)
    if not inside:
        return Kind(element), []
    layers = re.findall(r"\[([^\]]*)\], (\w+)", inside.group(2))
    return Kind(inside.group(1)), [([None if n == "?" else int(n) for n in block.split(", ")], Kind(kind))
                                   for block, kind in layers]


def block_sizes(block, shape):
    """How many elements along each dimension of the array share a scale."""
    block = block[len(block) - min(len(block), len(shape)):]
    whole = [1] * (len(shape) - len(block)) + block
    return [size if width is None else width for width, size in zip(whole, shape)], \
        [dim for dim, width in enumerate(whole) if width is not None]


def spread(scales, block, shape):
    """A scale for each element."""
    widths, shown = block_sizes(block, shape)
    scales = scales.reshape([scales.shape[shown.index(d)] if d in shown else 1 for d in range(len(shape))])
    for dim, width in enumerate(widths):
        scales = np.repeat(scales, width, dim)
    return scales[tuple(map(slice, shape))]


def reduce_blocks(x, block):
    """The largest of each block, without the dimensions that blocks have whole."""
    widths, shown = block_sizes(block, x.shape)
    for dim, width in enumerate(widths):
        starts = np.arange(0, x.shape[dim], width)
        x = np.maximum.reduceat(x, starts, dim)
    return x.reshape([x.shape[d] for d in shown])


class Stored:
    def __init__(self, element, shape, parts):
        self.shape, self.parts = shape, parts
        self.value, self.layers = parse(element)

    @staticmethod
    def count_parts(element):
        return 1 + len(parse(element)[1])

    def numbers(self):
        x = self.value.decode(self.parts[0])
        for (block, kind), scales in zip(self.layers, self.parts[1:]):
            x = x * spread(kind.decode(scales), block, self.shape)
        return x


def quantize(x, element, known=None):
    """quantize-R1, quantize-R2, and of caches meaning-R6. In f32, as programs calculate: no sum is in it, so that it is exact to the last bit. `known`: codes of the scales
    of a layer, by its number, that are not found."""
    x = np.asarray(x, np.float32)
    value, layers = parse(element)
    if not layers:
        return Stored(element, x.shape, [value.encode(x)])
    scales, spread_scales = [], []  # the last layer first
    for n in reversed(range(len(layers))):
        block, kind = layers[n]
        if known and n in known:
            scales.append(known[n])
            spread_scales.append(np.broadcast_to(spread(kind.decode(known[n]), block, x.shape), x.shape).astype(np.float32))
            continue
        outer = np.float32(1)
        for each in reversed(spread_scales):
            outer = outer * each
        largest = np.float32(value.largest() * np.prod([k.largest() for _, k in layers[:n]]))
        magnitudes = reduce_blocks(np.abs(x), block)
        # One element of each block shows the scales around it.
        outer = reduce_blocks(np.broadcast_to(outer, x.shape), block).astype(np.float32)
        if kind.name == "f8E8M0FNU":
            quotient = np.divide(magnitudes, outer, out=np.zeros_like(magnitudes), where=outer != 0)
            exponents = np.floor(np.log2(quotient.astype(float), out=np.full(quotient.shape, -1e9), where=quotient > 0))
            found = np.exp2(np.maximum(exponents, -1000) - np.floor(np.log2(float(largest))))
        else:
            divisor = largest * outer
            found = np.divide(magnitudes, divisor, out=np.zeros_like(magnitudes), where=divisor != 0)
        scales.append(kind.encode(found))
        spread_scales.append(spread(kind.decode(scales[-1]), block, x.shape).astype(np.float32))
    product = np.float32(1)
    for each in reversed(spread_scales):
        product = product * each
    quotient = np.divide(x, product, out=np.zeros_like(x), where=product != 0)
    return Stored(element, x.shape, [value.encode(quotient), *reversed(scales)])
