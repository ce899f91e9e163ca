"""Weights in MXFP4, as gpt-oss stores them, and what they mean: OCP Microscaling Formats (MX), version 1.0.

32 elements along the inputs have a scale. An element is an E2M1: a sign, two bits of exponent with the bias 1, a bit
of fraction; where the exponent is 0 there is no implicit one. A scale is an E8M0: a power of two with the bias 127.
"""
import numpy as np


def e2m1(code):
    """The numbers of elements, whose bits are the low four."""
    sign, exponent, fraction = code >> 3 & 1, code.astype(int) >> 1 & 3, code & 1
    magnitude = np.where(exponent == 0, fraction / 2, np.ldexp(1 + fraction / 2, exponent - 1))
    return np.where(sign, -magnitude, magnitude)


def e8m0(code):
    return np.ldexp(1.0, code.astype(int) - 127)


def draw_mxfp4(rng, name, shape):
    """Experts [experts, in, out]: their tensors, with random bits, and their numbers. Stored as [experts, out, in] in
    groups of 32, two elements in a byte, the first in the low bits."""
    experts, inputs, out = shape
    blocks = rng.integers(0, 256, (experts, out, inputs // 32, 16), np.uint8)
    scales = (rng.integers(125, 128, blocks.shape[:3]) - round(np.log2(inputs) / 2)).astype(np.uint8)
    scales[rng.random(scales.shape) < 0.02] = 0  # the smallest, which is no normal number in f32
    elements = np.stack([e2m1(blocks & 15), e2m1(blocks >> 4)], -1).reshape(*blocks.shape[:3], 32)
    numbers = (elements * e8m0(scales)[..., None]).reshape(experts, out, inputs)
    return {name + "_blocks": ("U8", blocks), name + "_scales": ("U8", scales)}, numbers.transpose(0, 2, 1)
