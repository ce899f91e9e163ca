"""x [2, 2] by the transpose of weights [3, 2] in fp8 with a power of two for each row: scaled_product.py FILE X..."""
import json
import struct
import sys


def e4m3(bits):
    """OCP OFP8 (2023): 1 sign, 4 exponent (bias 7) and 3 fraction bits, no infinities."""
    sign, exponent, fraction = bits >> 7, bits >> 3 & 15, bits & 7
    assert (exponent, fraction) != (15, 7), "not a number"
    size = (1 + fraction / 8) * 2.0 ** (exponent - 7) if exponent else fraction / 8 * 2.0**-6
    return -size if sign else size


data = open(sys.argv[1], "rb").read()
(length,) = struct.unpack("<Q", data[:8])
header, content = json.loads(data[8 : 8 + length]), data[8 + length :]


def tensor(name, dtype):
    assert header[name]["dtype"] == dtype
    begin, end = header[name]["data_offsets"]
    return content[begin:end]


values = [e4m3(bits) for bits in tensor("w", "F8_E4M3")]
scales = [2.0 ** (bits - 127) for bits in tensor("w.scales0", "F8_E8M0")]
weight = [[values[2 * n + k] * scales[n] for k in range(2)] for n in range(3)]
x = [*map(float, sys.argv[2:])]
print("(2, 3)", *(sum(x[2 * m + k] * weight[n][k] for k in range(2)) for m in range(2) for n in range(3)))
