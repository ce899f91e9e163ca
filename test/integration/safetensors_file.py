"""Writes a safetensors file , for scripts that share no code with the project's reader."""
import json
import struct


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
