#!/usr/bin/env python3
"""CPU time of a whole model from its config.json to a trace: import, tiles, schedule, export.

    whole_model.py BUILD CONFIG... [-- TRANSLATE_OPTION...]

The median of five runs of llm-translate and llm-opt together, user and system time.
"""
from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 5


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(build: Path, config: str, options: list[str], folder: str) -> float:
    module = os.path.join(folder, "model.mlir")
    before = cpu_seconds()
    subprocess.run([build / "bin/llm-translate", "--import-hf-config", config, "--layers=all", *options,
                    "-o", module], check=True)
    subprocess.run([build / "bin/llm-opt", module, "--llm-target=name=h100-sxm", "--llm-tile", "--llm-schedule",
                    f"--llm-export-perfetto=file={folder}/trace.json", "-o", os.devnull], check=True)
    return cpu_seconds() - before


def main() -> None:
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    build, configs, options = Path(words[0]), words[1:end], words[end + 1:]
    with tempfile.TemporaryDirectory() as folder:
        for config in configs:
            seconds = statistics.median(run(build, config, options, folder) for _ in range(RUNS))
            print(f"{Path(config).stem:<48}{seconds * 1000:>9.0f} ms CPU")


if __name__ == "__main__":
    main()
