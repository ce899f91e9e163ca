"""Kernels of several ops must make no model slower: makespans with and without --llm-fuse.

One layer of each model, prefill and decode: on a machine with several engines the makespan is not longer with the
kernels, on one with a single engine it is shorter. Nothing else is compared; the schedules are judged elsewhere.

    check_fused_time.py ROOT FOLDER
"""
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

MODELS = ("Qwen--Qwen2.5-0.5B", "Qwen--Qwen3-30B-A3B", "deepseek-ai--DeepSeek-V3", "google--gemma-2-9b",
          "meta-llama--Llama-3.2-1B", "meta-llama--Meta-Llama-3.1-8B", "mistralai--Mixtral-8x7B-v0.1",
          "openai--gpt-oss-20b")
PHASES = ("--phase=prefill", "--phase=decode")
SEVERAL, SINGLE = ("npu",), ("a100-sxm", "tpu-v6e")


def makespan(layer: Path, target: str, *passes: str) -> int:
    # Ops and kernels whole, as --llm-fuse counts them.
    schedule = "--llm-schedule=granularity=op prefetch=false"
    text = subprocess.run(["llm-opt", layer, f"--llm-target=name={target}", *passes, "--llm-tile", schedule],
                          capture_output=True, text=True, check=True).stdout
    [cycles] = re.findall(r"makespan_cycles = (\d+)", text)
    return int(cycles)


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    problems, compared = [], 0
    for model in MODELS:
        for phase in PHASES:
            layer = folder / "layer.mlir"
            subprocess.run(["llm-translate", "--import-hf-config", root / f"test/models/{model}.json", phase, "-o",
                            layer], check=True)
            for target in SEVERAL + SINGLE:
                apart, fused = makespan(layer, target), makespan(layer, target, "--llm-fuse")
                compared += 1
                if fused > apart or (fused == apart and target in SINGLE):
                    problems.append(f"{model} {phase} on {target}: {apart} cycles became {fused}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{compared} makespans, none longer with kernels")


if __name__ == "__main__":
    main()
