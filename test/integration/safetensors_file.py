"""Writes and reads safetensors files, for scripts that share no code with the project's reader."""
import json
import struct

import numpy as np


def write_safetensors(path, tensors):
    """tensors: name -> (dtype as the format calls it, NumPy array of as many bytes an element)."""
    header, offset = {}, 0
    for name, (dtype, array) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, array in tensors.values():
            file.write(array.tobytes())


def read_safetensors(path):
    """Name -> array; floats of 8 bits and less are their codes."""
    kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8"}
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    arrays = {}
    for name, facts in json.loads(data[8:8 + length]).items():
        begin, end = (8 + length + offset for offset in facts["data_offsets"])
        kind = "u1" if facts["dtype"].startswith("F8") else kinds[facts["dtype"]]
        arrays[name] = np.frombuffer(data[begin:end], kind).reshape(facts["shape"])
    return arrays
