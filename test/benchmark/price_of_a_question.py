#!/usr/bin/env python3
"""The price of a question: CPU of the whole command on one decoder block, over that of mlir-opt, which loads the
plugin, and parses and prints the same file. Both run in turn; medians of user + system time.

    price_of_a_question.py [--bin=build/bin] [--only=TEXT] [--runs=3] [--most=3] [--csv=FILE]

Fifteen models, five phases, three machines. Prints each block above --most, how many there are, and the makespans
(--csv), so that two builds are compared.
"""
from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from schedules import DECOMPOSED, DRAFTS, PHASES, short  # noqa: E402

MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"
MODELS = [
    "Qwen--Qwen3-0.6B", "meta-llama--Llama-3.2-1B", "Qwen--Qwen3-8B", "meta-llama--Meta-Llama-3.1-8B",
    "meta-llama--Meta-Llama-3.1-70B", "mistralai--Mixtral-8x7B-v0.1", "openai--gpt-oss-20b", "Qwen--Qwen3-30B-A3B",
    "meta-llama--Llama-4-Scout-17B-16E-Instruct", "deepseek-ai--DeepSeek-V3", "Qwen--Qwen3.5-35B-A3B",
    "google--gemma-4-26B-A4B", "deepseek-ai--DeepSeek-V3.2", "deepseek-ai--DeepSeek-V4-Flash", "MiniMaxAI--MiniMax-M3"]
# `engines=4` is for machines whose engines are of one kind.
MACHINES = {"npu": (["--llm-target=name=npu"], "engines=4"), "npu-mxu-vpu": (DECOMPOSED, ""),
            "h100-sxm": (["--llm-target=name=h100-sxm"], "")}


def cpu_milliseconds(command: list) -> float:
    """User and system time of one run."""
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def try_block(options: argparse.Namespace, work: Path, model: str, phase: str, machine: str) -> dict:
    block, plugin = work / "block.mlir", options.bin.parent / "lib" / "llm-plugin.so"
    subprocess.run([options.bin / "llm-translate", "--import-hf-config", ROOT / "test" / "models" / f"{model}.json",
                    *(PHASES | DRAFTS)[phase], "-o", block], check=True)
    target, engines = MACHINES[machine]
    schedule = f"--llm-schedule={engines}" if engines else "--llm-schedule"
    asks = [options.bin / "llm-opt", block, *target, "--llm-tile", schedule,
            f"--llm-export-perfetto=file={work}/trace.json", "-o", work / "out.mlir"]
    prints = [MLIR_OPT, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}", block,
              "-o", work / "printed.mlir"]
    ours, theirs = zip(*((cpu_milliseconds(asks), cpu_milliseconds(prints)) for _ in range(options.runs)))
    report = work / "report.json"
    subprocess.run([options.bin / "llm-opt", work / "out.mlir", f"--llm-export-report=format=json file={report}",
                    "-o", os.devnull], check=True)
    found = json.loads(report.read_text())
    cpu, printing = statistics.median(ours), statistics.median(theirs)
    return {"model": short(model), "phase": phase, "machine": machine, "ratio": round(cpu / printing, 2),
            "cpu_ms": round(cpu), "parse_and_print_ms": round(printing),
            "makespan_cycles": found["makespan_cycles"], "lower_bound_cycles": found["lower_bound_cycles"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--only", default="", help="blocks whose 'model, phase, machine' contains the text")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=float, default=3)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    cases = [(model, phase, machine) for model in MODELS for phase in PHASES | DRAFTS for machine in MACHINES]
    with tempfile.TemporaryDirectory() as folder:
        found = [try_block(options, Path(folder), *case) for case in cases if options.only in ", ".join(case)]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, found[0])
            writer.writeheader()
            writer.writerows(found)
    above = [block for block in found if block["ratio"] > options.most]
    for block in sorted(above, key=lambda block: -block["ratio"]):
        print(f"{block['ratio']:6.2f}  {block['model']}, {block['phase']}, {block['machine']}: {block['cpu_ms']} ms")
    ratios = [block["ratio"] for block in found]
    print(f"{len(found) - len(above)} of {len(found)} blocks are within {options.most:g} times parse-and-print; "
          f"median {statistics.median(ratios):.2f}, most {max(ratios):.2f}")


if __name__ == "__main__":
    main()
