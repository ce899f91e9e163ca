#!/usr/bin/env python3
"""Draws docs/images/engines.svg: the speedup of a dense layer on more and more engines.

    tools/engines_figure.py [--bin=build/bin] [-o docs/images/engines.svg]

A layer of Llama 3.1 8B on the preset npu, as `llm-schedule` makes it with whole ops and with
parts, over the same on one engine.
"""
import argparse
import re
import subprocess
import tempfile
from pathlib import Path

from line_chart import Axis, Line, Panel, svg

ROOT = Path(__file__).resolve().parent.parent
ENGINES = (1, 2, 3, 4, 6, 8, 12, 16)
LINES = {  # by name: phase, granularity, colour, dashes
    "prefill of 2048, parts": (["--phase=prefill", "--seq=2048"], "tile", "#1f77b4", ""),
    "prefill of 2048, whole ops": (["--phase=prefill", "--seq=2048"], "op", "#1f77b4", "6 4"),
    "decode at 4096, parts": (["--phase=decode", "--kv-len=4096"], "tile", "#d62728", ""),
    "decode at 4096, whole ops": (["--phase=decode", "--kv-len=4096"], "op", "#d62728", "6 4")}


def makespan(bin_folder: Path, program: Path, engines: int, granularity: str) -> int:
    done = subprocess.run(
        [bin_folder / "llm-opt", program, "--llm-target=name=npu", "--llm-tile",
         f"--llm-schedule=engines={engines} granularity={granularity}"],
        capture_output=True, text=True, check=True)
    return int(re.search(r"makespan_cycles = (\d+)", done.stdout)[1])


def speedups(bin_folder: Path, arguments: list[str], granularity: str) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "layer.mlir"
        subprocess.run([bin_folder / "llm-translate", "--import-hf-config",
                        ROOT / "examples" / "llama-3.1-8b.json", *arguments, "-o", program],
                       check=True)
        cycles = [makespan(bin_folder, program, engines, granularity) for engines in ENGINES]
        return [cycles[0] / each for each in cycles]


def draw(lines: dict[str, list[float]]) -> str:
    """Both axes double from step to step, 1 to 16."""
    steps = {step: str(step) for step in (1, 2, 4, 8, 16)}
    drawn = [Line(f"{name}: {values[-1]:.1f}", list(zip(ENGINES, values)), *LINES[name][2:])
             for name, values in lines.items()]
    return svg(720, 380, [Panel(Axis("engines", steps), Axis("speedup over one engine", steps), drawn)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("-o", dest="output", type=Path, default=ROOT / "docs/images/engines.svg")
    options = parser.parse_args()
    lines = {name: speedups(options.bin.resolve(), arguments, granularity)
             for name, (arguments, granularity, _, _) in LINES.items()}
    options.output.write_text(draw(lines))


if __name__ == "__main__":
    main()
