"""What stands before the data of a GGUF file (version 3, docs/gguf.md of ggml)."""
import math
import struct

ALIGNMENT = 32
U16, U32, I32, F32, BOOL, STRING, ARRAY = 2, 4, 5, 6, 7, 8, 9  # types of metadata values
# Number in the file, elements and bytes of a block.
TYPES = {
    "f32": (0, 1, 4), "f16": (1, 1, 2), "q4_0": (2, 32, 18), "q4_1": (3, 32, 20), "q5_0": (6, 32, 22),
    "q5_1": (7, 32, 24), "q8_0": (8, 32, 34), "q8_1": (9, 32, 36), "q2_K": (10, 256, 84), "q3_K": (11, 256, 110),
    "q4_K": (12, 256, 144), "q5_K": (13, 256, 176), "q6_K": (14, 256, 210), "q8_K": (15, 256, 292),
    "iq2_xxs": (16, 256, 66), "iq2_xs": (17, 256, 74), "iq3_xxs": (18, 256, 98), "iq1_s": (19, 256, 50),
    "iq3_s": (21, 256, 110), "iq2_s": (22, 256, 82), "iq1_m": (29, 256, 56), "iq4_nl": (20, 32, 18), "iq4_xs": (23, 256, 136), "f64": (28, 1, 8),
    "bf16": (30, 1, 2), "tq2_0": (35, 256, 66), "mxfp4": (39, 32, 17), "nvfp4": (40, 64, 36)}


def pack_string(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def pack_value(kind, value):
    if kind == STRING:
        return pack_string(value)
    if kind == ARRAY:
        element, items = value
        return struct.pack("<IQ", element, len(items)) + b"".join(pack_value(element, item) for item in items)
    return struct.pack({U16: "<H", U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


def size_bytes(kind, shape):
    _, elements, block_bytes = TYPES[kind]
    return math.prod(shape) // elements * block_bytes


def part_entries(number, count, tensors):
    """What llama.cpp's gguf-split says of each file; numbers are from 0."""
    return [("split.no", U16, number), ("split.count", U16, count), ("split.tensors.count", I32, tensors)]


def pack_header(metadata, tensors):
    """metadata: (key, type, value); tensors: (name, shape with the outermost first, type). Also where the data of each
    begin behind the header, and where all end."""
    header = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)))
    for key, kind, value in metadata:
        header += pack_string(key) + struct.pack("<I", kind) + pack_value(kind, value)
    offsets = [0]
    for name, shape, kind in tensors:
        header += pack_string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        header += struct.pack("<IQ", TYPES[kind][0], offsets[-1])
        offsets.append(offsets[-1] + size_bytes(kind, shape))
        offsets[-1] += -offsets[-1] % ALIGNMENT
    return bytes(header + b"\0" * (-len(header) % ALIGNMENT)), offsets
