"""GGUF files with data, and what ggml's blocks mean: written from the definitions of the format.

Layouts are those of the structs in ggml's ggml-common.h, meanings those of ggml-quants.c. All numbers are
calculated in float64, where they are exact.
"""
import math

import numpy as np

from gguf_header import TYPES, pack_header, part_entries, size_bytes

IQ4_CODES = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], float)
E2M1_CODES = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6])


def write_gguf(path, metadata, tensors):
    """tensors: name -> (type, shape with the outermost first, bytes)."""
    header, offsets = pack_header(metadata, [(name, shape, kind) for name, (kind, shape, _) in tensors.items()])
    with open(path, "wb") as file:
        file.write(header)
        for (kind, shape, content), begin, end in zip(tensors.values(), offsets, offsets[1:]):
            assert len(content) == size_bytes(kind, shape)
            file.write(content + b"\0" * (end - begin - len(content)))


def write_parts(folder, stem, count, metadata, tensors):
    """The same in several files, as llama.cpp's gguf-split names them: the metadata in the first, tensors by turns."""
    names = list(tensors)
    for part in range(count):
        own = {name: tensors[name] for name in names[part::count]}
        write_gguf(folder / f"{stem}-{part + 1:05}-of-{count:05}.gguf",
                   (metadata if part == 0 else []) + part_entries(part, count, len(names)), own)


# --- Blocks: what bytes mean ------------------------------------------------------------------------------------------

def halves(raw, at):
    """A float16 at byte `at` of each block, as a column."""
    return np.ascontiguousarray(raw[:, at:at + 2]).view("<f2").astype(float)


def nibbles(raw):
    """Low ones of all bytes, then high ones."""
    return np.concatenate([raw & 15, raw >> 4], axis=1).astype(float)


def bit_planes(raw, bits, count):
    """[.., bytes] as count fields of `bits` bits: field after field, each of all bytes."""
    return np.concatenate([raw >> bits * n & (1 << bits) - 1 for n in range(count)], axis=1)


def fifths(raw):
    bits = np.ascontiguousarray(raw).view("<u4")
    return (bits >> np.arange(32, dtype="u4") & 1) * 16.0


def spread(numbers, width):
    return np.repeat(numbers, width, axis=1)


def scales_and_minimums(packed):
    """12 bytes of q4_K and q5_K: eight scales and eight minimums of 6 bits."""
    p = packed.astype(int)
    scales = [p[:, j] & 63 if j < 4 else p[:, j + 4] & 15 | (p[:, j - 4] >> 6) << 4 for j in range(8)]
    minimums = [p[:, j + 4] & 63 if j < 4 else p[:, j + 4] >> 4 | (p[:, j] >> 6) << 4 for j in range(8)]
    return np.stack(scales, 1).astype(float), np.stack(minimums, 1).astype(float)


def q3_scales(packed):
    p = packed.astype(int)
    return np.stack([(p[:, j % 8] >> (4 if j >= 8 else 0) & 15 | (p[:, 8 + j % 4] >> 2 * (j // 4) & 3) << 4) - 32
                     for j in range(16)], 1).astype(float)


def pieces(raw, width):
    return [raw[:, at:at + width] for at in range(0, raw.shape[1], width)]


def join(parts):
    return np.concatenate(list(parts), axis=1)


def two_bits(raw):
    """64 bytes: of each 32 first the lowest bits of all, then the next."""
    return join(bit_planes(piece, 2, 4) for piece in pieces(raw, 32)).astype(float)


def q2_K(raw):
    scales = raw[:, :16].astype(int)
    return (halves(raw, 80) * spread(scales & 15, 16) * two_bits(raw[:, 16:80])
            - halves(raw, 82) * spread(scales >> 4, 16))


def q3_K(raw):
    third = bit_planes(raw[:, :32], 1, 8).astype(float)
    return halves(raw, 108) * spread(q3_scales(raw[:, 96:108]), 16) * (two_bits(raw[:, 32:96]) + 4 * third - 4)


def q4_K(raw):
    scales, minimums = scales_and_minimums(raw[:, 4:16])
    values = join(nibbles(piece) for piece in pieces(raw[:, 16:], 32))
    return halves(raw, 0) * spread(scales, 32) * values - halves(raw, 2) * spread(minimums, 32)


def q5_K(raw):
    scales, minimums = scales_and_minimums(raw[:, 4:16])
    values = join(nibbles(piece) for piece in pieces(raw[:, 48:], 32)) + 16.0 * bit_planes(raw[:, 16:48], 1, 8)
    return halves(raw, 0) * spread(scales, 32) * values - halves(raw, 2) * spread(minimums, 32)


def q6_K(raw):
    low = join(nibbles(piece) for piece in pieces(raw[:, :128], 64))
    scales = raw[:, 192:208].view(np.int8).astype(float)
    return halves(raw, 208) * spread(scales, 16) * (low + 16 * two_bits(raw[:, 128:192]) - 32)


def iq4_xs(raw):
    upper = np.ascontiguousarray(raw[:, 2:4]).view("<u2").astype(int)
    lower = np.stack([raw[:, 4 + n // 2] >> 4 * (n % 2) & 15 for n in range(8)], 1).astype(int)
    scales = (lower | (upper >> 2 * np.arange(8) & 3) << 4) - 32.0
    values = join(IQ4_CODES[nibbles(piece).astype(int)] for piece in pieces(raw[:, 8:], 16))
    return halves(raw, 0) * spread(scales, 32) * values


def unsigned_e4m3(raw):
    exponent, fraction = raw >> 3 & 15, (raw & 7).astype(float)
    number = np.where(exponent > 0, np.ldexp(1 + fraction / 8, exponent.astype(int) - 7), np.ldexp(fraction, -9))
    return np.where(raw == 127, 0, number)


def nvfp4(raw):
    values = join(E2M1_CODES[nibbles(piece).astype(int)] for piece in pieces(raw[:, 4:], 8))
    return spread(unsigned_e4m3(raw[:, :4]), 16) * values


BLOCKS = {
    "q4_0": lambda raw: halves(raw, 0) * (nibbles(raw[:, 2:]) - 8),
    "q4_1": lambda raw: halves(raw, 0) * nibbles(raw[:, 4:]) + halves(raw, 2),
    "q5_0": lambda raw: halves(raw, 0) * (nibbles(raw[:, 6:]) + fifths(raw[:, 2:6]) - 16),
    "q5_1": lambda raw: halves(raw, 0) * (nibbles(raw[:, 8:]) + fifths(raw[:, 4:8])) + halves(raw, 2),
    "q8_0": lambda raw: halves(raw, 0) * raw[:, 2:].view(np.int8),
    "q8_1": lambda raw: halves(raw, 0) * raw[:, 4:].view(np.int8),
    "q2_K": q2_K, "q3_K": q3_K, "q4_K": q4_K, "q5_K": q5_K, "q6_K": q6_K,
    "q8_K": lambda raw: np.ascontiguousarray(raw[:, :4]).view("<f4").astype(float) * raw[:, 4:260].view(np.int8),
    "iq4_nl": lambda raw: halves(raw, 0) * IQ4_CODES[nibbles(raw[:, 2:]).astype(int)],
    "iq4_xs": iq4_xs,
    "tq2_0": lambda raw: halves(raw, 64) * (two_bits(raw[:, :64]) - 1),
    "mxfp4": lambda raw: np.ldexp(E2M1_CODES[nibbles(raw[:, 1:]).astype(int)], raw[:, :1].astype(int) - 127),
    "nvfp4": nvfp4}
PLAIN = {"f32": "<f4", "f16": "<f2", "f64": "<f8"}
# Types that are values times scales, and as which block-scaled element.
PRODUCTS = {"q4_0": "i4, [32], f16", "q5_0": "i5, [32], f16", "q8_0": "i8, [32], f16",
            "q3_K": "i3, [16], i6, [256], f16", "q6_K": "i6, [16], i8, [256], f16",
            "mxfp4": "f4E2M1FN, [32], f8E8M0FNU", "nvfp4": "f4E2M1FN, [16], f8E4M3FN"}


def dequantize(kind, content, shape):
    """The numbers in float64."""
    if kind == "bf16":
        return (np.frombuffer(content, "<u2").astype("<u4") << 16).view("<f4").astype(float).reshape(shape)
    if kind in PLAIN:
        return np.frombuffer(content, PLAIN[kind]).astype(float).reshape(shape)
    raw = np.frombuffer(content, np.uint8).reshape(-1, TYPES[kind][2])
    return BLOCKS[kind](raw).reshape(shape)


# --- Blocks: random ones ----------------------------------------------------------------------------------------------

# Where a block has floats of 16 bits, and with how much of a scale a minimum brings the mean of all numbers to 0.
HALVES = {"q4_0": [0], "q4_1": [0, 2], "q5_0": [0], "q5_1": [0, 2], "q8_0": [0], "q8_1": [0, 2], "q2_K": [80, 82],
          "q3_K": [108], "q4_K": [0, 2], "q5_K": [0, 2], "q6_K": [208], "iq4_nl": [0], "iq4_xs": [0], "tq2_0": [64]}

CENTER = {"q4_1": -7.5, "q5_1": -15.5, "q2_K": 1.5, "q4_K": 7.5, "q5_K": 15.5}


def random_blocks(rng, kind, shape, deviation=None):
    """Bytes of which all bits are random, but for scales, which are finite; with numbers of this deviation."""
    if kind == "bf16":
        numbers = rng.normal(0, deviation or 1, shape).astype("<f4")
        return (numbers.view("<u4") >> 16).astype("<u2").tobytes()
    if kind in PLAIN:
        return rng.normal(0, deviation or 1, shape).astype(PLAIN[kind]).tobytes()
    raw = rng.integers(0, 256, (math.prod(shape) // TYPES[kind][1], TYPES[kind][2]), np.uint8)

    def set_scales(unit):
        for n, at in enumerate(HALVES.get(kind, [])):
            size = rng.uniform(0.5, 1, len(raw)) * unit * (CENTER.get(kind, 1) if n else 1)
            raw[:, at:at + 2] = size.astype("<f2")[:, None].view(np.uint8)
        if kind == "q8_K":
            raw[:, :4] = (rng.uniform(0.5, 1, len(raw)) * unit).astype("<f4")[:, None].view(np.uint8)
        if kind == "mxfp4":
            raw[:, 0] = rng.integers(125, 130, len(raw)) + round(math.log2(unit))

    set_scales(1)
    if deviation:
        set_scales(deviation / np.std(dequantize(kind, raw.tobytes(), shape)))
    return raw.tobytes()
