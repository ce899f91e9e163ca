#!/usr/bin/env python3
"""Writes docs/images/cuts.svg: tokens per second of a user and of a chip, by how chips share a model.

    tools/cuts_figure.py [--bin=build/bin] [--models=NAME,..] [--requests=N,..] [--svg=FILE]

Each line is a way to use the chips, from many requests at a time (left) to few (right). Points at which the model does
not fit into memory are left out. The numbers are those of `llm-prof serve --chips`.
"""
import argparse
import csv
import io
import subprocess
import sys
from pathlib import Path

from line_chart import Axis, Line, Panel, svg

ROOT = Path(__file__).resolve().parent.parent
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#7f7f7f"]
MODELS = {  # words of llm-prof serve, and the cuts that have lines
    "Llama-3.1-70B in FP8 on 8 H100": (
        ["meta-llama--Meta-Llama-3.1-70B", "--target=h100-sxm", "--chips=8", "--weights=fp8", "--activations=fp8", "--kv=fp8"],
        ["tp=8", "2 x tp=4", "4 x tp=2", "8 x one chip", "tp=4 pp=2", "pp=8"]),
    "DeepSeek-V3 on 32 H200": (
        ["deepseek-ai--DeepSeek-V3", "--target=h200-sxm", "--set=links.nvlink.devices=32", "--chips=32"],
        ["ep=32 dp=32", "ep=32 dp=8", "2 x ep=16 dp=16", "tp=8 ep=4 dp=4", "ep=8 dp=8 pp=4"])}


def name_of(row: dict) -> str:
    words = " ".join(f"{axis}={row[axis]}" for axis in ("tp", "cp", "ep", "dp", "pp") if row[axis] != "1") or "one chip"
    return words if row["workers"] == "1" else f"{row['workers']} x {words}"


def points_of(bin_folder: Path, words: list[str], requests: list[int]) -> dict[str, list[tuple[float, float]]]:
    """Returns tokens per second of a user and of a chip, by cut, for each number of requests that fits."""
    found: dict[str, list[tuple[float, float]]] = {}
    for count in sorted(requests, reverse=True):  # lines end, and have their names, where few requests are served fast
        model, *options = words
        done = subprocess.run([bin_folder / "llm-prof", "serve", ROOT / "test" / "models" / f"{model}.json", *options,
                               f"--requests={count}", "--format=csv"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"llm-prof serve: {done.stderr}")
        for row in csv.DictReader(io.StringIO(done.stdout)):
            if row["is_served"] == "1":
                point = float(row["tokens_per_second_per_user"]), float(row["tokens_per_second_per_chip"])
                found.setdefault(name_of(row), []).append(point)
    return found


def ticks_around(values: list[float]) -> dict[float, str]:
    """Returns 1, 2 and 5 times powers of ten, from below the least value to above the largest."""
    steps = [digit * 10.0 ** power for power in range(-2, 7) for digit in (1, 2, 5)]
    first = max(step for step in steps if step <= min(values))
    last = min(step for step in steps if step >= max(values))
    return {step: f"{step:g}" for step in steps if first <= step <= last}


def panel_of(title: str, points: dict[str, list[tuple[float, float]]], names: list[str], left: int) -> Panel:
    lines = [Line(name, points[name], colour) for name, colour in zip(names, COLOURS) if points.get(name)]
    users, chips = ([point[axis] for line in lines for point in line.points] for axis in (0, 1))
    return Panel(Axis("tokens/s of a user", ticks_around(users)), Axis("tokens/s of a chip", ticks_around(chips)), lines, left=left,
                 top=40, title=title)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--requests", default="32,64,128,256,512,1024")
    parser.add_argument("--svg", type=Path, default=ROOT / "docs" / "images" / "cuts.svg")
    options = parser.parse_args()
    requests = [int(word) for word in options.requests.split(",")]
    panels = []
    for title in options.models.split(","):
        if title not in MODELS:
            parser.error(f"--models: no '{title}' (there are {', '.join(MODELS)})")
        words, names = MODELS[title]
        panels.append(panel_of(title, points_of(options.bin, words, requests), names, left=80 + 620 * len(panels)))
    options.svg.write_text(svg(620 * len(panels), 400, panels))


main()
