"""A better machine makes no op slower: every figure of every preset, varied alone.

    check_faster.py ROOT FOLDER [--only TEXT] [--seed N | --all]

Of each preset each figure is made better, or worse, by some per cent, and the ops of a program are
tiled and costed on both machines, with the kernels of the library whose figure it is. No op may take
longer on the better one. With --all every figure takes every factor with every program; else some
figures take one of each, drawn at random, and rates of memories all factors. llm-opt and
llm-translate are found on the path.
"""
from __future__ import annotations

import argparse
import copy
import json
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "judge"))
from program import one_line

FACTORS = [0.5, 0.8, 0.93, 1.03, 1.1, 1.25, 2]
# Of 1,024 terms granules of 13 leave more empty than granules of 16: only halves of them are finer.
HALVES = [0.5, 2]
LESS_IS_BETTER = re.compile(r"overhead_cycles|_nanoseconds$|femtojoules|idle_watts|mac_granule_|item_cycles|"
                            r"lone_block_cycles|alu_per_1000_scores|rereads_rows|written_byte_percent")
# Neither more nor less is better: sizes that the library's kernels have, how finely bandwidth is
# shared, and what no time depends on.
NEITHER = re.compile(r"(query|key)_tile$|item_(elements|rows)$|packed_heads$|is_default$|streams_ahead$|lanes$|devices$|^links\.")
# Percent of a whole.
SHARES = re.compile(r"(macs|overlap)_percent$")

PROGRAMS = {
    "experts": ["Qwen--Qwen3-30B-A3B", "--phase=decode", "--batch=8", "--kv-len=4000"],
    "latent": ["deepseek-ai--DeepSeek-V2-Lite", "--phase=decode", "--batch=3", "--kv-len=1000"],
    "dense": ["Qwen--Qwen3-0.6B", "--phase=decode", "--batch=1", "--kv-len=8192"],
    "prefill": ["meta-llama--Llama-3.2-1B", "--phase=prefill", "--seq=500"],
}
OP = re.compile(r'llm\.(\w+) "([^"]*)".*?llm\.cost = #llm\.cost<engine = "[^"]*", parts = \[(.*?)\](?:,|>)')
PART = re.compile(r"<count = (\d+).*?overhead_cycles = (\d+), serial_cycles = (\d+), "
                  r"compute_cycles = (\d+), memory_cycles = (\d+)")


@dataclass
class Figure:
    path: tuple[str, ...]
    value: float

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def library(self) -> str:
        """Whose kernels have it; empty: all."""
        return next((key.partition("@")[2].partition("#")[0] for key in self.path if "@" in key), "")

    @property
    def share(self) -> float:
        """Of the figures of its kind so many are drawn. Most are of libraries, which are alike in their forms."""
        return 1 / 100 if self.library else 1 / 6 if self.is_rate else 1 / 15

    @property
    def is_rate(self) -> bool:
        return self.path[-1].endswith("bytes_per_second")

    def in_target(self, target: dict, factor: float) -> dict | None:
        """The target with this figure times the factor; nothing where that changes nothing."""
        changed = copy.deepcopy(target)
        inner = changed
        for key in self.path[:-1]:
            inner = inner[key]
        value = self.value * factor
        if isinstance(self.value, int) or self.value == int(self.value):
            value = round(value)
        if SHARES.search(self.name):
            value = min(value, 100)
        if self.name == "burst_percent":
            value = max(value, 100)
        inner[self.path[-1]] = value
        return changed if value != self.value else None


def figures_of(part: dict, path: tuple[str, ...] = ()) -> list[Figure]:
    found = []
    for key, value in part.items():
        if isinstance(value, dict):
            found += figures_of(value, path + (key,))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(Figure(path + (key,), value))
    return [figure for figure in found if not NEITHER.search(figure.name)]


class Checker:
    def __init__(self, folder: Path, root: Path) -> None:
        self.folder = folder
        self.programs = {}
        self.known = {}
        for name, (model, *options) in PROGRAMS.items():
            self.programs[name] = folder / f"{name}.mlir"
            subprocess.run(["llm-translate", "--import-hf-config", root / f"test/models/{model}.json", *options,
                            "-o", self.programs[name]], check=True)

    def microseconds(self, target: dict, program: str, library: str) -> dict[str, float] | None:
        """Of each op; nothing where the target is refused."""
        path = self.folder / "target.json"
        path.write_text(json.dumps(target))
        chosen = f" library={library}" if library else ""
        run = subprocess.run(["llm-opt", self.programs[program], f"--llm-target=file={path}{chosen}", "--llm-tile"],
                             capture_output=True, text=True)
        if run.returncode:
            assert "error:" in run.stderr, run.stderr
            return None
        times = {}
        for op, name, parts in OP.findall(one_line(run.stdout)):
            cycles = sum(int(count) * (int(overhead) + int(serial) + max(int(compute), int(memory)))
                         for count, overhead, serial, compute, memory in PART.findall(parts))
            times[f"{op} {name}"] = cycles / target["clock_hz"] * 1e6
        return times

    def check(self, target: dict, figure: Figure, factor: float, program: str) -> bool:
        """False where there is no such machine, or it takes none of the ops."""
        changed = figure.in_target(target, factor)
        key = target["name"], program, figure.library
        if key not in self.known:
            self.known[key] = self.microseconds(target, program, figure.library)
        ours, other = self.known[key], changed and self.microseconds(changed, program, figure.library)
        if ours is None or other is None:
            return False
        assert ours.keys() == other.keys() and ours, figure.name
        is_better = (factor > 1) != bool(LESS_IS_BETTER.search(figure.name))
        worse, better = (ours, other) if is_better else (other, ours)
        # A cycle that has begun counts, and a slower clock has longer ones: of overhead, serial and
        # the rest one each.
        slack = 3e6 / min(target["clock_hz"], changed["clock_hz"]) if figure.name == "clock_hz" else 0
        for op, microseconds in better.items():
            if microseconds > worse[op] * (1 + 1e-12) + slack:
                keep = self.folder / "slower.json"
                keep.write_text(json.dumps(changed))
                sys.exit(f"{target['name']}: {op} of {self.programs[program]} takes {ours[op]} us; with {figure.name} "
                         f"times {factor} ({keep}) {other[op]} us, though that is "
                         f"{'better' if is_better else 'worse'}")
        return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="presets with this in their name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    checker = Checker(options.folder, options.root)
    seen, checked = 0, 0
    for preset in sorted((options.root / "lib/Target/presets").glob("*.json")):
        if options.only not in preset.stem:
            continue
        target = json.loads(preset.read_text())
        for figure in figures_of(target):
            if not (options.all or dice.random() < figure.share):
                continue
            factors = HALVES if "mac_granule" in figure.name else FACTORS
            cases = [(factor, program) for factor in factors for program in checker.programs]
            dice.shuffle(cases)
            done = 0
            for factor, program in cases:
                done += checker.check(target, figure, factor, program)
                if done and not (options.all or figure.is_rate and done < len(FACTORS)):
                    break
            seen += 1
            checked += done > 0
    print(f"{checked} of {seen} figures of presets: no op is slower where one is better")


if __name__ == "__main__":
    main()
