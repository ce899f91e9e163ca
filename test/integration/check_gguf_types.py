"""What llm-run reads of a GGUF file of each type of ggml, against NumPy.

    check_gguf_types.py FOLDER

Bits are random. Weights of a float type are held against the numbers in float64 rounded once; those of the
block-scaled type of the same layout are multiplied by 1 in f64, where products of values and scales are exact.
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
from gguf_files import BLOCKS, PLAIN, PRODUCTS, dequantize, random_blocks, write_gguf
from gguf_header import STRING, TYPES

SHAPE = (3, 512)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{done.stderr}")


def program(folder, element, activation):
    rows, columns = SHAPE
    weight = f"tensor<{rows}x{columns}x{element}>"
    path = folder / "product.mlir"
    path.write_text(f"""func.func @product(%x: tensor<{columns}x{columns}x{activation}>) -> tensor<{columns}x{rows}x{activation}> {{
  %w = llm.weight "w" : {weight}
  %y = llm.matmul %x, %w transpose_rhs : tensor<{columns}x{columns}x{activation}>, {weight}
  return %y : tensor<{columns}x{rows}x{activation}>
}}
""")
    return path


def read_weights(path):
    """Of a safetensors file with the one tensor w."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    entry = json.loads(content[8:8 + size])["w"]
    return entry["dtype"], content[8 + size:]


def round_to_bf16(numbers):
    """To nearest, ties to even, from float64 at once; of numbers that are normal in bf16."""
    bits = np.ascontiguousarray(numbers, "<f8").view("<u8")
    half = np.uint64((1 << 44) - 1) + (bits >> np.uint64(45) & np.uint64(1))
    rounded = (bits + half) >> np.uint64(45) << np.uint64(45)
    return (rounded.view("<f8").astype("<f4").view("<u4") >> 16).astype("<u2")


def check_floats(folder, kind, numbers):
    for element, dtype, expected in (("f32", "F32", numbers.astype("<f4")), ("f16", "F16", numbers.astype("<f2")),
                                     ("bf16", "BF16", round_to_bf16(numbers))):
        run("llm-run", program(folder, element, element), f"--weights={folder}/w.gguf",
            f"--save-weights={folder}/w.safetensors")
        found_dtype, content = read_weights(folder / "w.safetensors")
        found = np.frombuffer(content, expected.dtype).reshape(SHAPE)
        if found_dtype != dtype or not np.array_equal(found, expected):
            sys.exit(f"{kind} as {element}: {found_dtype} {found.ravel()[:8]}, expected {dtype} {expected.ravel()[:8]}")


def check_products(folder, kind, numbers):
    np.save(folder / "one.npy", np.eye(SHAPE[1]))
    scaled = [f"!llm.block_scaled<{PRODUCTS[kind]}>"] if kind in PRODUCTS else []
    for element in ["f64"] + scaled:
        run("llm-run", program(folder, element, "f64"), f"--weights={folder}/w.gguf", f"--input={folder}/one.npy",
            f"--output={folder}/y.npy")
        found = np.load(folder / "y.npy").T
        if not np.array_equal(found, numbers):
            sys.exit(f"{kind} as {element}: {found.ravel()[:8]}, expected {numbers.ravel()[:8]}")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    kinds = [*PLAIN, "bf16", *BLOCKS]
    for kind in kinds:
        content = random_blocks(np.random.default_rng(TYPES[kind][0]), kind, SHAPE)
        write_gguf(folder / "w.gguf", [("general.name", STRING, "w")], {"w": (kind, SHAPE, content)})
        numbers = dequantize(kind, content, SHAPE)
        check_products(folder, kind, numbers)
        check_floats(folder, kind, numbers)
    print(f"{len(kinds)} types agree: {' '.join(kinds)}")


main()
