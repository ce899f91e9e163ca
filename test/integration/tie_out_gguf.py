"""Small models from GGUF files, run by llm-run and by an independent NumPy implementation.

    tie_out_gguf.py FOLDER

For each model and type of weights a GGUF file is made, and a checkpoint of Hugging Face with the same numbers in f32.
The program that llm-translate makes of the file, or of the same in three parts, run on its weights, gives the greedy tokens that oracle_models.py
finds in float64, and so does the program of the config on the checkpoint.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from gguf_models import greedy_tokens, make_talker
from run_tools import TRIES_ALL

CASES = [("llama", "f32"), ("llama", "q8_0"), ("llama", "q4_K"), ("llama2", "f16"), ("qwen2", "q4_0"),
         ("qwen3", "bf16"), ("mixtral", "q8_0"), ("qwen3_moe", "q4_K")]
# Weights as values and scales, as the file has them, embeddings too.
SCALED = [("llama", "q8_0"), ("qwen2", "q4_0"), ("mixtral", "q8_0")]


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: tokens {found}, expected {expected}")


def check(folder, name, kind):
    expected = make_talker(folder, name, kind)
    expect(f"{name} {kind} from GGUF",
           greedy_tokens(folder, "--import-gguf", "model.gguf", "model.gguf", "--weights=f32"), expected)
    # Of a sample, half of the models from parts, and the checkpoints of the others.
    index = CASES.index((name, kind))
    if TRIES_ALL or index % 2:
        parts = "model-00001-of-00003.gguf"
        expect(f"{name} {kind} from three files", greedy_tokens(folder, "--import-gguf", parts, parts, "--weights=f32"), expected)
    if TRIES_ALL or not index % 2:
        expect(f"{name} {kind} from safetensors", greedy_tokens(folder, "--import-hf-config", "config.json", ""), expected)
    print(f"{name} {kind}: {' '.join(map(str, expected))}", flush=True)


def check_scaled(folder, name, kind):
    expected = make_talker(folder, name, kind)
    expect(f"{name} {kind} as values and scales", greedy_tokens(folder, "--import-gguf", "model.gguf", "model.gguf"), expected)
    print(f"{name} {kind} as values and scales: {' '.join(map(str, expected))}", flush=True)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for case in CASES:
        check(folder, *case)
    for case in SCALED:
        check_scaled(folder, *case)


main()
