"""Writes a safetensors file of zeros: safetensors.py OUT.safetensors NAME:DTYPE:BYTES_OF_AN_ELEMENT:3,32 ..."""
import json
import math
import sys

header, offset = {}, 0
for word in sys.argv[2:]:
    name, dtype, element_bytes, shape = word.split(":")
    sizes = [int(size) for size in shape.split(",")]
    end = offset + int(element_bytes) * math.prod(sizes)
    header[name], offset = {"dtype": dtype, "shape": sizes, "data_offsets": [offset, end]}, end
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(len(text).to_bytes(8, "little") + text + bytes(offset))
