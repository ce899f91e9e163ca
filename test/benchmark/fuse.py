#!/usr/bin/env python3
"""CPU time of --llm-fuse by the number of ops: its growth must be that of the program.

    fuse.py BUILD

chain: products, each with a sum of it and of the sum before. far: all products first, then the sums. fan: one norm that
all products read, each with its sum. refused: a chain of products, of which none can join another one, so that each
attempt ends in an error. What --mlir-timing says of the pass, median.
"""
from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 3
COUNTS = (1000, 2000, 4000, 8000)
TYPE = "tensor<64x64xbf16>"


def product(name: str, x: str) -> str:
    return f'  %{name} = llm.matmul "{name}" {x}, %w : {TYPE}, {TYPE}'


def add(name: str, x: str, y: str) -> str:
    return f'  %{name} = llm.add "{name}" {x}, {y} : {TYPE}, {TYPE}'


def body(shape: str, count: int) -> list[str]:
    pairs = range(count)
    before = ["%x"] + [f"%a{i}" for i in pairs]
    sums = [add(f"a{i}", f"%m{i}", before[i]) for i in pairs]
    if shape == "refused":
        return [product(f"m{i}", f"%m{i - 1}" if i else "%x") for i in range(2 * count)]
    shown = "%n" if shape == "fan" else "%x"
    products = [product(f"m{i}", shown) for i in pairs]
    if shape == "far":
        return products + sums
    first = [f'  %n = llm.rmsnorm "n" %x epsilon 1.0e-5 : {TYPE}'] if shape == "fan" else []
    return first + [line for pair in zip(products, sums) for line in pair]


def fuse_seconds(build: Path, path: str, when: str) -> float:
    text = subprocess.run([f"{build}/bin/llm-opt", path, "--llm-target=name=a100-sxm", f"--llm-fuse=when={when}",
                           "--mlir-timing", "--mlir-timing-display=list", "-o", os.devnull],
                          stderr=subprocess.PIPE, text=True, check=True).stderr
    [seconds] = re.findall(r"^\s+([\d.]+) .*LlmFusePass$", text, re.M)
    return float(seconds)


def main() -> None:
    build = Path(sys.argv[1]).resolve()
    print(f"{'us for each op':<18}" + "".join(f"{2 * count:>10}" for count in COUNTS) + "   ops")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/program.mlir"
        for shape in ("chain", "far", "fan", "refused"):
            for when in ("legal", "cheaper"):
                line = f"{shape + ', ' + when:<18}"
                for count in COUNTS:
                    lines = [f"func.func @f(%x: {TYPE}, %w: {TYPE}) {{", *body(shape, count), "  return", "}"]
                    Path(path).write_text("\n".join(lines) + "\n", encoding="ascii")
                    seconds = statistics.median(fuse_seconds(build, path, when) for _ in range(RUNS))
                    line += f"{1e6 * seconds / (2 * count):>10.0f}"
                print(line + "   goal: level", flush=True)


if __name__ == "__main__":
    main()
