#!/usr/bin/env python3
"""CPU time of the cost model: ops per second by kind, and the layers of a model.

    costs.py BUILD [TARGET]

Each kind: shapes that are all different through `llm-prof validate`, which tiles and costs each, less the time of one
shape. A layer: what --mlir-timing says of llm-tile, prefill and decode.
"""
from __future__ import annotations

import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 5
SHAPES = {"gemm": 10000, "attention_prefill": 300, "attention_decode": 1000, "rmsnorm": 3000, "rope": 1000,
          "silu_mul": 3000, "residual_add": 3000}
COLUMNS = ("op_kind", "m", "n", "k", "batch", "heads", "kv_heads", "head_dim", "q_len", "kv_len", "rows", "cols",
           "measured_us")
MODEL = Path(__file__).parent.parent / "models/meta-llama--Meta-Llama-3.1-8B.json"


def cpu_seconds(command: list[str]) -> float:
    """User and system time of one run."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"{command} failed"
    return usage.ru_utime + usage.ru_stime


def shape(kind: str, draw: random.Random) -> dict[str, int]:
    if kind == "gemm":
        return {"m": draw.randint(1, 8192), "n": draw.randint(16, 32768), "k": draw.randint(16, 16384)}
    if kind.startswith("attention"):
        queries = 1 if kind == "attention_decode" else draw.randint(2, 4096)
        kv_heads = draw.choice((1, 2, 4, 8))
        return {"batch": draw.randint(1, 8), "kv_heads": kv_heads, "heads": kv_heads * draw.randint(1, 8),
                "head_dim": draw.choice((64, 128)), "q_len": queries, "kv_len": queries + draw.randint(0, 4096)}
    if kind == "rope":
        return {"rows": draw.randint(1, 8192), "heads": draw.randint(1, 64), "kv_heads": draw.randint(1, 8),
                "head_dim": draw.choice((64, 128))}
    return {"rows": draw.randint(1, 8192), "cols": draw.randint(32, 16384)}


def write_table(path: str, kind: str, count: int) -> None:
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        print(",".join(COLUMNS), file=file)
        for _ in range(count):
            row = {**shape(kind, draw), "op_kind": kind, "measured_us": 1}
            print(",".join(str(row.get(column, "")) for column in COLUMNS), file=file)


def cost_kinds(build: Path, target: str, folder: str) -> None:
    print(f"{'kind':<24}{'shapes':>8}{'CPU s':>8}{'us each':>9}{'per second':>12}")
    for kind, count in SHAPES.items():
        path = f"{folder}/{kind}.csv"
        command = [f"{build}/bin/llm-prof", "validate", f"--target={target}", "--format=csv", path]

        def measure(rows: int) -> float:
            write_table(path, kind, rows)
            return statistics.median(cpu_seconds(command) for _ in range(RUNS))

        seconds = measure(count) - measure(1)
        goal = "   goal: at most 1 s" if kind == "gemm" else ""
        print(f"{kind:<24}{count:>8}{seconds:>8.2f}{1e6 * seconds / count:>9.0f}{count / seconds:>12.0f}{goal}")


def tile_milliseconds(command: list[str]) -> float:
    text = subprocess.run([*command, "--mlir-timing", "--mlir-timing-display=list"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=True).stderr
    [seconds] = re.findall(r"^\s+([\d.]+) .*LlmTilePass$", text, re.M)
    return 1e3 * float(seconds)


def cost_layer(build: Path, target: str, folder: str) -> None:
    for phase in ("prefill", "decode"):
        layer = f"{folder}/{phase}.mlir"
        subprocess.run([build / "bin/llm-translate", "--import-hf-config", MODEL, "--layers=1", f"--phase={phase}",
                        "-o", layer], check=True)
        command = [f"{build}/bin/llm-opt", layer, f"--llm-target=name={target}", "--llm-tile", "-o", os.devnull]
        milliseconds = statistics.median(tile_milliseconds(command) for _ in range(RUNS))
        print(f"{'Llama-3.1-8B, ' + phase:<24}{milliseconds:>8.1f} ms in llm-tile   goal: at most 10 ms")


def main() -> None:
    build = Path(sys.argv[1]).resolve()
    target = sys.argv[2] if len(sys.argv) > 2 else "a100-sxm"
    with tempfile.TemporaryDirectory() as folder:
        cost_kinds(build, target, folder)
        cost_layer(build, target, folder)


if __name__ == "__main__":
    main()
