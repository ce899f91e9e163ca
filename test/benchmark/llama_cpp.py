#!/usr/bin/env python3
"""Tokens a second of llm-run beside llama.cpp's, for a model of the shapes of a config with random weights in bf16.

    llama_cpp.py BUILD FOLDER [--config=CONFIG.json] [--prompt=512] [--steps=16] [--threads=N]

FOLDER gets the model, as a GGUF file, and keeps it: about as large as the model, in bf16. llama.cpp comes from npm
(test/integration/llama_cpp/setup.sh). Both run in turn, three times each; the best counts.
"""
import argparse
import json
import os
import re
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
here = Path(__file__).parent
sys.path.insert(0, str(here.parent / "integration"))
import make_gguf
from checkpoint_shapes import read_shapes, weights
from gguf_files import write_gguf
from gguf_models import run, vocabulary_entries

ROUNDS = 3


def draw(rng, weight):
    """Numbers in bf16, norms in f32 as llama.cpp wants them; the same numbers again and again."""
    if "norm" in weight.role:
        return "f32", np.ones(weight.shape, "<f4").tobytes()
    count = int(np.prod(weight.shape))
    some = rng.normal(size=min(count, 1 << 20)).astype("<f4") * weight.shape[-1] ** -0.5
    return "bf16", np.resize((some.view("<u4") >> 16).astype("<u2"), count).tobytes()


def make_model(config, path):
    shapes, rng = read_shapes(config), np.random.default_rng(1)
    tensors = {}
    if make_gguf.rope(config)["rope_type"] == "llama3":
        factors = make_gguf.rope_factors(config, shapes.head_dim)
        tensors["rope_freqs.weight"] = ("f32", [len(factors)], np.array(factors, "<f4").tobytes())
    for weight in weights(shapes):
        kind, content = draw(rng, weight)
        tensors[make_gguf.gguf_name(weight)] = (kind, weight.shape, content)
    metadata = [entry for entry in make_gguf.entries(config, shapes, "bf16", "random") if "tokenizer" not in entry[0]]
    write_gguf(path, metadata + list(vocabulary_entries(shapes.vocabulary)), tensors)


def our_seconds(tools, folder, phase, threads):
    said = run(tools / "llm-run", folder / f"{phase}.mlir", f"--weights={folder / 'model.gguf'}",
               f"--threads={threads}", "--warmup=1", "--repeat=1", "--compare")
    return float(re.search(r"The median run took ([\d.]+) us", said).group(1)) * 1e-6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--config", type=Path, default=here.parent / "models/meta-llama--Llama-3.2-1B.json")
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    tools, folder = options.build / "bin", options.folder
    folder.mkdir(exist_ok=True)
    if not (folder / "model.gguf").exists():
        make_model(json.loads(options.config.read_text()), folder / "model.gguf")
    for phase, sizes in (("prefill", [f"--seq={options.prompt}"]), ("decode", [f"--kv-len={options.prompt}"])):
        run(tools / "llm-translate", "--import-gguf", folder / "model.gguf", "--layers=all", f"--phase={phase}", *sizes,
            "--weights=bf16", "--dtype=bf16", "-o", folder / f"{phase}.mlir")
    best = {}
    for _ in range(ROUNDS):
        theirs = json.loads(run("node", here / "llama_cpp.mjs", options.build / "test/llama-cpp-packages",
                                folder / "model.gguf", options.prompt, options.steps, options.threads))
        for phase in ("prefill", "decode"):
            for who, seconds in (("llama.cpp", theirs[phase]),
                                 ("llm-run", our_seconds(tools, folder, phase, options.threads))):
                best[phase, who] = min(seconds, best.get((phase, who), seconds))
    print(f"{options.threads} threads, tokens a second   llm-run   llama.cpp   ratio")
    for phase, tokens in (("prefill", options.prompt), ("decode", 1)):
        ours, other = (tokens / best[phase, who] for who in ("llm-run", "llama.cpp"))
        print(f"{phase:24} {ours:12.1f} {other:11.1f} {ours / other:7.2f}")


main()
