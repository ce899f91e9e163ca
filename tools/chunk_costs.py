#!/usr/bin/env python3
"""The table of docs/hybrids.md: what linear attention of a prompt takes with each size of a chunk.

    python3 tools/chunk_costs.py [--write] [--bin=FOLDER]

Of each model, the first layer with a state of a prompt of 2,048 tokens, on each target. --write puts the table into the page.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE, BEGIN, END = ROOT / "docs" / "hybrids.md", "<!-- chunks: tools/chunk_costs.py -->\n", "<!-- end of chunks -->\n"
MODELS = {"Qwen3.5-35B-A3B": "Qwen--Qwen3.5-35B-A3B", "Kimi-K3": "moonshotai--Kimi-K3",
          "Nemotron-3-Nano-30B-A3B": "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"}
TARGETS, SIZES, TOKENS = ["npu", "npu-mxu-vpu", "h100-sxm"], [16, 32, 64, 128, 256, 512], 2048


def run(*words, text=None):
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words[0]} failed:\n{done.stderr}")
    return done.stdout


def layer_of(model):
    """The program of the first layer, and the chunk that the importer gives it."""
    config = ROOT / "test" / "models" / f"{MODELS[model]}.json"
    program = run("llm-translate", "--import-hf-config", config, "--layers=1", "--phase=prefill", f"--seq={TOKENS}")
    return program, int(re.search(r"llm\.linear_attn .*? chunk (\d+)", program)[1])


def microseconds(program, target, size):
    """Of the op as one part: arithmetic and memory run side by side."""
    text = run("llm-opt", f"--llm-target=name={target}", "--llm-tile", text=re.sub(r"(llm\.linear_attn .*? chunk) \d+", rf"\1 {size}", program))
    clock = int(re.search(r'"clock_hz" = (\d+) : i64, "engines"', text)[1])
    cost = text[text.index(" = llm.linear_attn"):]
    cycles = {name: int(re.search(rf"{name}_cycles = (\d+)", cost)[1]) for name in ("overhead", "serial", "compute", "memory")}
    return (cycles["overhead"] + cycles["serial"] + max(cycles["compute"], cycles["memory"])) * 1e6 / clock


def table():
    yield f"| model | target | {' | '.join(map(str, SIZES))} | the importer's |\n"
    yield f"|---|---|{'---:|' * (len(SIZES) + 1)}\n"
    for model in MODELS:
        program, given = layer_of(model)
        for target in TARGETS:
            times = [microseconds(program, target, size) for size in SIZES]
            cells = [f"**{each:,.0f}**" if each == min(times) else f"{each:,.0f}" for each in times]
            yield f"| {model} | `{target}` | {' | '.join(cells)} | {given} |\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--bin", default=str(ROOT / "build" / "bin"))
    options = parser.parse_args()
    os.environ["PATH"] = f"{options.bin}:{os.environ['PATH']}"
    text = "".join(table())
    if not options.write:
        print(text, end="")
        return
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
