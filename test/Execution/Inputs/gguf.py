"""Writes a GGUF file of zeros: gguf.py FOLDER_OF_gguf_header.py OUT.gguf ARCHITECTURE NAME:TYPE:3,32 ..."""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from gguf_header import STRING, pack_header

tensors = []
for word in sys.argv[4:]:
    name, kind, shape = word.split(":")
    tensors.append((name, [int(size) for size in shape.split(",")], kind))
header, offsets = pack_header([("general.architecture", STRING, sys.argv[3])], tensors)
with open(sys.argv[2], "wb") as file:
    file.write(header + bytes(offsets[-1]))
