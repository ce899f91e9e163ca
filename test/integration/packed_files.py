"""Linear layers of 4 and 8 bits as GPTQ, AWQ, compressed-tensors and ModelOpt store them, and what they mean.

Each function draws a weight [out, in]: its tensors, and its numbers in float64. Whole numbers are packed into words of
32 bits. (AutoGPTQ's and AutoAWQ's linear layers; compressed-tensors' formats pack-quantized and nvfp4-pack-quantized.)
"""
import numpy as np

from gguf_files import unsigned_e4m3
from mx_files import e2m1

AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]  # which column stands at the nth place of a word


def pack(numbers, bits, axis, order=None):
    """Neighbours along an axis, the first in the low bits, or by `order`; what is missing in the last word is 0."""
    in_word = 32 // bits
    rows = np.moveaxis(numbers.astype(np.uint64), axis, 0)
    rows = np.concatenate([rows, np.zeros((-len(rows) % in_word, *rows.shape[1:]), np.uint64)])
    words = np.zeros((len(rows) // in_word, *rows.shape[1:]), np.uint64)
    for place, which in enumerate(order or range(in_word)):
        words |= rows[which::in_word] << np.uint64(place * bits)
    return np.moveaxis(words, 0, axis).astype("<u4").view("<i4")


class Groups:
    """Random numbers, zero points and scales, of groups of inputs."""

    def __init__(self, rng, shape, bits, size, is_symmetric=False, in_order=True):
        out, inputs = shape
        count = inputs // size
        self.numbers = rng.integers(0, 2 ** bits, shape)
        self.zeros = np.full((out, count), 2 ** (bits - 1)) if is_symmetric else rng.integers(1, 2 ** bits, (out, count))
        self.scales = (rng.uniform(0.5, 1, (out, count)) * inputs ** -0.5 * 4 / 2 ** bits).astype("<f2")
        self.group_of = np.arange(inputs) // size
        if not in_order:
            rng.shuffle(self.group_of)

    def weight(self):
        steps = self.numbers - self.zeros[:, self.group_of]
        return steps * self.scales[:, self.group_of].astype(float)


def gptq(rng, name, shape, bits=4, is_second_format=False, is_symmetric=False, in_order=True):
    drawn, base = Groups(rng, shape, bits, 32, is_symmetric, in_order), name.removesuffix(".weight")
    zeros = drawn.zeros - (not is_second_format)  # the first format stores one less
    return {f"{base}.qweight": ("I32", pack(drawn.numbers.T, bits, 0)), f"{base}.qzeros": ("I32", pack(zeros.T, bits, 1)),
            f"{base}.scales": ("F16", np.ascontiguousarray(drawn.scales.T)),
            f"{base}.g_idx": ("I32", drawn.group_of.astype("<i4"))}, drawn.weight()


def awq(rng, name, shape):
    drawn, base = Groups(rng, shape, 4, 32), name.removesuffix(".weight")
    return {f"{base}.qweight": ("I32", pack(drawn.numbers.T, 4, 1, AWQ_ORDER)),
            f"{base}.qzeros": ("I32", pack(drawn.zeros.T, 4, 1, AWQ_ORDER)),
            f"{base}.scales": ("F16", np.ascontiguousarray(drawn.scales.T))}, drawn.weight()


def compressed(rng, name, shape, bits=4, is_symmetric=True):
    drawn = Groups(rng, shape, bits, 32, is_symmetric)
    tensors = {f"{name}_packed": ("I32", pack(drawn.numbers, bits, 1)), f"{name}_scale": ("F16", drawn.scales),
               f"{name}_shape": ("I64", np.array(shape, "<i8"))}
    if not is_symmetric:
        tensors[f"{name}_zero_point"] = ("I32", pack(drawn.zeros, bits, 0))
    return tensors, drawn.weight()


def nvfp4(rng, name, shape, of_modelopt):
    """ModelOpt multiplies by the scale of all blocks, compressed-tensors divides by it."""
    out, inputs = shape
    packed = rng.integers(0, 256, (out, inputs // 2), np.uint8)
    scales = rng.integers(1, 127, (out, inputs // 16), np.uint8)
    values = np.stack([e2m1(packed & 15), e2m1(packed >> 4)], -1).reshape(shape)
    products = values * np.repeat(unsigned_e4m3(scales), 16, 1)
    outer = np.float32(inputs ** -0.5 / np.std(products))
    tensors = {f"{name}_scale": ("F8_E4M3", scales)}
    if of_modelopt:
        tensors |= {name: ("U8", packed), f"{name}_scale_2": ("F32", np.array(outer, "<f4"))}
        return tensors, products * float(outer)
    divisor = np.array([1 / outer], "<f4")
    tensors |= {f"{name}_packed": ("U8", packed), f"{name}_global_scale": ("F32", divisor)}
    return tensors, products / float(divisor[0])
