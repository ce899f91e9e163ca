#!/usr/bin/env python3
"""Blocks on this machine beside their predictions, from a target that was calibrated on other shapes.

    host_predictions.py BUILD FOLDER [--repeat=15] [--figures=PATHS]

Ops of Qwen2.5-0.5B (48, 160 and 448 tokens of a prompt) and of Llama-3.2-3B (decode at 256 and 2048 keys) make the target,
FOLDER/host.json. Blocks of Llama-3.2-1B and Qwen3-0.6B are laid beside what it predicts, as a table in Markdown. It
takes one core, and is right where nothing else runs: `taskset -c 0 python3 host_predictions.py ..`
"""
import argparse
import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

MODELS = Path(__file__).parent.parent / "models"
TRAINING = [("Qwen--Qwen2.5-0.5B", "prefill", "--seq=48"), ("Qwen--Qwen2.5-0.5B", "prefill", "--seq=160"),
            ("Qwen--Qwen2.5-0.5B", "prefill", "--seq=448"),
            ("meta-llama--Llama-3.2-3B", "decode", "--kv-len=256"),
            ("meta-llama--Llama-3.2-3B", "decode", "--kv-len=2048")]
BLOCKS = [("meta-llama--Llama-3.2-1B", "prefill", "--seq=128"), ("meta-llama--Llama-3.2-1B", "prefill", "--seq=512"),
          ("meta-llama--Llama-3.2-1B", "decode", "--kv-len=512"),
          ("meta-llama--Llama-3.2-1B", "decode", "--kv-len=4096"),
          ("Qwen--Qwen3-0.6B", "prefill", "--seq=128"), ("Qwen--Qwen3-0.6B", "decode", "--kv-len=512")]


class Bench:
    def __init__(self, build, folder, repeat):
        self.tools, self.folder, self.repeat = build / "bin", folder, repeat

    def run(self, tool, *words):
        done = subprocess.run([self.tools / tool, *map(str, words)], text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"{tool} {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def translate(self, model, phase, size):
        program = self.folder / "block.mlir"
        self.run("llm-translate", "--import-hf-config", MODELS / f"{model}.json", f"--phase={phase}", size, "-o", program)
        return program

    def measure_rows(self, number, block):
        rows = self.folder / f"rows{number}.csv"
        self.run("llm-run", self.translate(*block), "--warmup=2", f"--repeat={self.repeat}", f"--measure-ops={rows}")
        return rows

    def calibrate(self, rows, figures, start):
        target = self.folder / "host.json"
        said = self.run("llm-prof", "calibrate", f"--target={start}", f"--figures={figures}", *rows, "--force", "-o", target)
        print(said)
        return target

    def compare(self, target, block):
        program = self.translate(*block)
        self.run("llm-opt", program, f"--llm-target=file={target}", "-o", program)
        return self.run("llm-run", program, "--warmup=2", f"--repeat={self.repeat}", "--compare")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--target", default="host")
    parser.add_argument("--figures", default="engines.cpu.macs_per_cycle_per_unit.bf16,engines.cpu.overhead_cycles,"
                        "memories.dram.bytes_per_second")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.build, options.folder, options.repeat)
    rows = [bench.measure_rows(number, block) for number, block in enumerate(TRAINING)]
    target = bench.calibrate(rows, options.figures, options.target)
    print("| block, phase | measured, ms | predicted, ms | ratio | median op off by |\n|---|---:|---:|---:|---:|")
    for block in BLOCKS:
        said = bench.compare(target, block)
        (bench.folder / f"{block[0]}.{block[1]}.{block[2][2:]}.txt").write_text(said)
        measured, predicted = (float(number.replace(",", "")) for number in
                               re.search(r"^total +([\d,.]+) +([\d,.]+)", said, re.M).groups())
        unit = 1 if re.search(r"^ +ms +ms", said, re.M) else 1e-3
        error = re.search(r"predicted within ([\d.]+) %", said).group(1)
        print(f"| {block[0]}, {block[1]}, {block[2][2:]} | {measured * unit:.2f} | {predicted * unit:.2f} | "
              f"{measured / predicted:.2f} | {error} % |", flush=True)


main()
