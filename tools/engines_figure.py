#!/usr/bin/env python3
"""Draws docs/images/engines.svg: the speedup of a dense layer on more and more engines.

    tools/engines_figure.py [--bin=build/bin] [-o docs/images/engines.svg]

A layer of Llama 3.1 8B on the preset npu, as `llm-schedule` makes it with whole ops and with
parts, over the same on one engine.
"""
import argparse
import math
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINES = (1, 2, 3, 4, 6, 8, 12, 16)
LINES = {  # name: phase, granularity, colour, dashes
    "prefill of 2048, parts": (["--phase=prefill", "--seq=2048"], "tile", "#1f77b4", ""),
    "prefill of 2048, whole ops": (["--phase=prefill", "--seq=2048"], "op", "#1f77b4", "6 4"),
    "decode at 4096, parts": (["--phase=decode", "--kv-len=4096"], "tile", "#d62728", ""),
    "decode at 4096, whole ops": (["--phase=decode", "--kv-len=4096"], "op", "#d62728", "6 4")}
LEFT, TOP, WIDTH, HEIGHT = 60, 20, 420, 300


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


def place(engines: float, speedup: float) -> tuple[float, float]:
    """Both axes double from step to step, 1 to 16."""
    return (LEFT + WIDTH * math.log2(engines) / 4, TOP + HEIGHT * (1 - math.log2(speedup) / 4))


def draw(lines: dict[str, list[float]]) -> str:
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="380" '
             'font-family="sans-serif" font-size="12">', '<rect width="720" height="380" fill="white"/>']
    for step in (1, 2, 4, 8, 16):
        x, _ = place(step, 1)
        _, y = place(1, step)
        parts += [f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{TOP + HEIGHT}" stroke="#ddd"/>',
                  f'<line x1="{LEFT}" y1="{y}" x2="{LEFT + WIDTH}" y2="{y}" stroke="#ddd"/>',
                  f'<text x="{x}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{step}</text>',
                  f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{step}</text>']
    parts += [f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 40}" text-anchor="middle">engines</text>',
              f'<text x="16" y="{TOP + HEIGHT / 2}" text-anchor="middle" '
              f'transform="rotate(-90 16 {TOP + HEIGHT / 2})">speedup over one engine</text>']
    ends: list[float] = []
    for name, values in lines.items():
        _, _, colour, dashes = LINES[name]
        points = " ".join("{:.1f},{:.1f}".format(*place(e, s)) for e, s in zip(ENGINES, values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
                     f'stroke-dasharray="{dashes}"/>')
        x, y = place(ENGINES[-1], values[-1])
        while any(abs(y - other) < 14 for other in ends):
            y += 1
        ends.append(y)
        parts.append(f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{name}: {values[-1]:.1f}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


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
