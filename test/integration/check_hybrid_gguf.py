"""GGUF files of models whose layers differ say what their config.json says.

    check_hybrid_gguf.py ROOT FOLDER

Of each model below a file is written as llama.cpp's converters write it. Its program has the parameters, the cache, the
states and the work of the program of the config, and its weights have as many bytes as the tensors of the file.
"""
import json
import math
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from gguf_header import size_bytes
from make_hybrid_gguf import make_hybrid_gguf, write_hybrid_gguf

MODELS = ["Qwen--Qwen3.5-35B-A3B", "Qwen--Qwen3-Next-80B-A3B-Instruct", "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
          "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8", "LiquidAI--LFM2-1.2B", "LiquidAI--LFM2-8B-A1B",
          "ibm-granite--granite-4.0-h-small", "tiiuae--Falcon-H1-0.5B-Base", "mistralai--Mamba-Codestral-7B-v0.1",
          "deepseek-ai--DeepSeek-V2-Lite", "deepseek-ai--DeepSeek-V2", "deepseek-ai--DeepSeek-V3", "deepseek-ai--DeepSeek-V3.2",
          "moonshotai--Kimi-K2-Instruct"]
ALIKE = ["parameters", "active_parameters", "state_elements", "kv_elements", "macs"]


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, **options)
    if done.returncode:
        sys.exit(f"{words} failed:\n{done.stderr.decode()}")
    return done.stdout


def totals(folder, *source):
    """What the report says of a step of decoding."""
    text = run("llm-translate", *source, "--layers=all", "--kv-len=4096")
    report = folder / "report.json"
    run("llm-opt", "--llm-tile=strategy=theoretical", "--llm-schedule=policy=earliest",
        f"--llm-export-report=format=json file={report}", "-o", "/dev/null", input=text)
    return json.loads(report.read_text())["totals"]


def differences(root, folder, model, kind):
    config = root / "test" / "models" / f"{model}.json"
    metadata, tensors = make_hybrid_gguf(json.loads(config.read_text()), kind)
    path = folder / f"{model}.gguf"
    write_hybrid_gguf(path, metadata, tensors)
    stored, said = totals(folder, "--import-gguf", path), totals(folder, "--import-hf-config", config, "--dtype=f16", "--weights=f16", "--kv=f16")
    for name in ALIKE:
        if stored[name] != said[name]:
            yield f"{name} {stored[name]}, and by the config {said[name]}"
    further = {key: value for key, _, value in metadata if key.endswith("nextn_predict_layers")}
    layers = next(value for key, _, value in metadata if key.endswith("block_count")) - sum(further.values())
    used = [(shape, kind) for name, shape, kind in tensors if not name.startswith("blk.") or int(name.split(".")[1]) < layers]
    expected = sum(size_bytes(kind, shape) for shape, kind in used)
    if stored["weight_bytes"] != expected:
        yield f"weight bytes {stored['weight_bytes']}, and in the file {expected}"
    if stored["parameters"] != sum(math.prod(shape) for shape, _ in used):
        yield "other parameters than the file has elements"


def main():
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    found = [f"{model}: {each}" for model, kind in zip(MODELS, ["f16", "q8_0"] * len(MODELS)) for each in differences(root, folder, model, kind)]
    print("\n".join(found) or f"{len(MODELS)} GGUF files of models whose layers differ agree")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
