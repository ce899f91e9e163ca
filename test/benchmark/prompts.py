#!/usr/bin/env python3
"""CPU time of llm-schedule for prompts of growing length, which are cut into more and more parts.

    prompts.py BUILD [MODEL.json]

The median of three runs, by what --mlir-timing says of the pass.
"""
from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 3
LENGTHS = (1024, 2048, 4096, 8192, 16384)
MODEL = Path(__file__).parent.parent / "models/meta-llama--Meta-Llama-3.1-8B.json"


def pass_seconds(command: list[str]) -> float:
    timing = subprocess.run([*command, "--mlir-timing", "--mlir-timing-display=list", "--mlir-disable-threading"],
                            check=True, capture_output=True, text=True).stderr
    return float(re.search(r"^\s*(\d+\.\d+) .*LlmSchedulePass$", timing, re.MULTILINE).group(1))


def main() -> None:
    tools = Path(sys.argv[1]) / "bin"
    model = sys.argv[2] if len(sys.argv) > 2 else str(MODEL)
    print(f"{'tokens':>8}{'seconds':>9}{'per 1,000 tokens':>18}")
    with tempfile.TemporaryDirectory() as folder:
        for length in LENGTHS:
            block, tiled = f"{folder}/block.mlir", f"{folder}/tiled.mlir"
            subprocess.run([tools / "llm-translate", "--import-hf-config", model, "--phase=prefill", f"--seq={length}",
                            "-o", block], check=True)
            subprocess.run([tools / "llm-opt", block, "--llm-target=name=npu", "--llm-tile", "-o", tiled], check=True)
            command = [str(tools / "llm-opt"), tiled, "--llm-schedule", "-o", f"{folder}/out.mlir"]
            seconds = statistics.median(pass_seconds(command) for _ in range(RUNS))
            print(f"{length:>8}{seconds:>9.2f}{1000 * seconds / length:>18.3f}")


if __name__ == "__main__":
    main()
