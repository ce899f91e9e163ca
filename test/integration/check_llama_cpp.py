"""llama.cpp itself and llm-run on the same GGUF files.

    check_llama_cpp.py FOLDER PACKAGES

PACKAGES: what llama_cpp/setup.sh has installed. Blocks become the numbers that ggml makes of them, and small models in
f32 choose the same tokens: grouped queries, norms of queries and keys, biases, experts, angles scaled in three ways.
"""
import ctypes
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
from gguf_files import BLOCKS, dequantize, random_blocks
from gguf_models import PROMPT, STEPS, greedy_tokens, make_talker
from run_tools import run

SHAPE = (30, 512)
WITHOUT = {"q8_1"}  # of products alone; ggml makes no numbers of it


def check_blocks(packages):
    [library] = packages.glob("node_modules/@node-llama-cpp/linux-x64/bins/*/libggml-base.so")
    ggml = ctypes.CDLL(str(library))
    for kind in BLOCKS.keys() - WITHOUT:
        content = random_blocks(np.random.default_rng(5), kind, SHAPE)
        found = np.zeros(SHAPE, "<f4")
        convert = ggml[f"dequantize_row_{kind}"]
        convert.restype = None
        convert(content, ctypes.c_void_p(found.ctypes.data), ctypes.c_int64(found.size))
        expected = dequantize(kind, content, SHAPE).astype("<f4")
        if not np.array_equal(found, expected):
            sys.exit(f"{kind}: ggml has {found.ravel()[:8]}, expected {expected.ravel()[:8]}")
    print(f"{len(BLOCKS) - len(WITHOUT)} types agree", flush=True)


def check_model(folder, packages, name):
    make_talker(folder, name, "f32")
    found = greedy_tokens(folder, "--import-gguf", "model.gguf", "model.gguf")
    theirs = run("node", Path(__file__).parent / "llama_cpp/tokens.mjs", packages, folder / "model.gguf",
                 ",".join(map(str, PROMPT)), STEPS)
    expected = [int(word) for word in theirs.split()]
    if len(expected) != STEPS or found != expected:
        sys.exit(f"{name}: tokens {found}, llama.cpp has {expected}")
    print(f"{name}: {' '.join(map(str, found))}", flush=True)


def main():
    folder, packages = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    check_blocks(packages)
    for name in ("llama", "llama2", "qwen2", "qwen3", "mixtral"):
        check_model(folder, packages, name)


main()
