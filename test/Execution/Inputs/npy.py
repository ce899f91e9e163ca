"""Arrays of f64 in NumPy's files, without NumPy: npy.py write FILE SHAPE NUMBER..., npy.py read FILE"""
import ast
import math
import struct
import sys


def write(path, shape, *numbers):
    shape = tuple(int(size) for size in shape.split(","))
    header = str({"descr": "<f8", "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(numbers)}d", *map(float, numbers)))


def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10 : 10 + length].decode())
    code = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|b1": "?"}[header["descr"]]
    count = math.prod(header["shape"])
    return header["shape"], struct.unpack(f"<{count}{code}", data[10 + length :])


if __name__ == "__main__":
    action, *words = sys.argv[1:]
    if action == "write":
        write(*words)
    else:
        shape, numbers = read(*words)
        print(shape, *numbers)
