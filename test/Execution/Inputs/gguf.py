"""Writes a GGUF file of zeros: gguf.py FOLDER_OF_gguf_header.py OUT.gguf ARCHITECTURE NAME:TYPE:3,32 ...

ARCHITECTURE=2/3/7 behind it: the second of three files, which have 7 tensors in all.
"""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from gguf_header import STRING, pack_header, part_entries

tensors = []
for word in sys.argv[4:]:
    name, kind, shape = word.split(":")
    tensors.append((name, [int(size) for size in shape.split(",")], kind))
architecture, _, part = sys.argv[3].partition("=")
metadata = [("general.architecture", STRING, architecture)]
if part:
    number, count, total = map(int, part.split("/"))
    metadata += part_entries(number - 1, count, total)
header, offsets = pack_header(metadata, tensors)
with open(sys.argv[2], "wb") as file:
    file.write(header + bytes(offsets[-1]))
