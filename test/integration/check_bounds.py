"""Lower bounds hold for every tile and every way to cut ops, on every larger machine.

    check_bounds.py FOLDER PROGRAM... [--trials N] [--seed N]

Of each program (made by llm-translate) and machines of 1 to 8 engines:

- Schedules of other tiles and cuts, drawn at random and whose splits are `pinned`, are verified, and none
  is shorter than the bound of the program as it came.
- A bound does not rise when an engine, bandwidth or private memory is added, or with a faster
  clock, in time; and is not above a schedule of a smaller machine, which is one of the larger, too.
- The default schedule is not longer than with an engine fewer, where it is not so near to its bound
  that the search has ended.

Nothing here knows how bounds are found. llm-opt is found on the path.
"""
from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "judge"))
from program import one_line

MATMUL = re.compile(r"llm\.matmul .*: tensor<(\d+)x(\d+)x[^>]*>, tensor<(\d+)x(\d+)x")
ATTENTION = re.compile(r"llm\.gqa_attn .*: tensor<(\d+)x(\d+)x(\d+)x(\d+)x[^>]*>, "
                       r"tensor<(\d+)x(\d+)x(\d+)x(\d+)x")
TILE = re.compile(r"#llm\.tile<search levels = \[(.*?)\](?:, split = \{[^}]*\})?>")
SUMMARY = re.compile(r"makespan_cycles = (\d+), lower_bound_cycles = (\d+)")
# Of a stage each figure is rounded up to whole cycles, and so is time on a faster clock.
STAGES_OF_A_BLOCK = 32


def machine(engines: int = 4, bytes_per_second: float = 1e12, capacity: int = 8 << 20,
            clock_hz: float = 1e9, cache_rate: float = 0, bytes_per_engine: int = 0,
            tile_rate: float = 0) -> dict:
    """With a rate of its own, a cache lies between the engines and DRAM, or arithmetic takes no
    more of the private memories."""
    port = {"dram": 250e9}
    sram = {"capacity_bytes": capacity} | ({"bytes_per_second": tile_rate} if tile_rate else {})
    cache = {"bytes_per_second": cache_rate}
    if bytes_per_engine:
        cache["bytes_per_engine"] = bytes_per_engine
    if cache_rate:
        port = {"cache": cache_rate // 3} | port
    return {"name": "m", "description": "invented", "clock_hz": clock_hz,
            "engines": {
                "core": {"kinds": ["matrix", "vector"], "count": engines,
                         "macs_per_cycle_per_unit": {"bf16": 4096}, "alu_per_cycle_per_unit": 256,
                         "special_per_cycle_per_unit": 64, "compare_per_cycle_per_unit": 256,
                         "private_memory": "sram", "port_bytes_per_second": port},
                "dma": {"kinds": ["memory"], "count": 2, "port_bytes_per_second": port}},
            "memories": {"sram": sram} | ({"cache": cache} if cache_rate else {})
                        | {"dram": {"bytes_per_second": bytes_per_second}}}


# Small tiles that a cache serves again; arithmetic that waits for the private memory.
MEMORIES = [{"cache_rate": 1.5e12, "bytes_per_engine": 6 << 20, "capacity": 1 << 20},
            {"tile_rate": 2e12, "capacity": 2 << 20}]


class Tool:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, source: Path, *options: str) -> str | None:
        """Its output; nothing where it refuses."""
        done = subprocess.run(["llm-opt", source, *options, "-o", "-"], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def target(self, **figures) -> str:
        path = self.folder / "target.json"
        path.write_text(json.dumps(machine(**figures)))
        return f"--llm-target=file={path}"

    def schedule(self, source: Path, options: str = "", **figures) -> tuple[int, int, str]:
        text = self.run(source, self.target(**figures), "--llm-tile", f"--llm-schedule={options}",
                        "--llm-verify-schedule")
        if text is None:
            sys.exit(f"{source}: not scheduled on {figures}")
        makespan, bound = map(int, SUMMARY.search(text).groups())
        return makespan, bound, text


def intervals(extent: int, dice: random.Random) -> int:
    """Into how many equal intervals a loop may be cut, the last one shorter."""
    size = -(-extent // min(extent, dice.choice([1, 1, 2, 3, 4, 5, 6, 8, 12, 16])))
    return -(-extent // size)


def random_split(line: str, dice: random.Random) -> dict[str, int]:
    if found := MATMUL.search(line):
        m, k, a, b = map(int, found.groups())
        n = a if b == k else b
        split = {"m": intervals(m, dice), "n": intervals(n, dice), "k": 1}
        if dice.random() < 0.3:
            split["k"] = intervals(k, dice)
    elif found := ATTENTION.search(line):
        batch, _, _, _, _, keys, heads, _ = map(int, found.groups())
        split = {"b": intervals(batch, dice), "h": intervals(heads, dice), "t": 1}
        if dice.random() < 0.5:
            split["t"] = intervals(keys, dice)
    else:
        return {}
    return {loop: count for loop, count in split.items() if count > 1}


def smaller(sizes: str, dice: random.Random) -> str:
    def shrink(found: re.Match) -> str:
        size = int(found[2])
        return f"{found[1]} = {max(1, size // dice.choice([1, 1, 1, 2, 3, 4]))}"
    return re.sub(r"(\w+) = (\d+)", shrink, sizes)


def pinned(line: str, dice: random.Random) -> str:
    """The line with a tile and a split by hand."""
    def by_hand(found: re.Match) -> str:
        levels = found[1]
        if dice.random() < 0.5:
            levels = re.sub(r"sizes = \{([^}]*)\}", lambda sizes: f"sizes = {{{smaller(sizes[1], dice)}}}",
                            levels, count=1)
        split = ", ".join(f"{loop} = {count}" for loop, count in random_split(line, dice).items())
        return f"#llm.tile<pinned levels = [{levels}]" + (f", split = {{{split}}}>" if split else ">")
    return TILE.sub(by_hand, line)


def check_random_cuts(tool: Tool, source: Path, figures: dict, dice: random.Random, trials: int) -> int:
    """How many were tried."""
    _, bound, _ = tool.schedule(source, **figures)
    tiled = tool.run(source, tool.target(**figures), "--llm-tile")
    work = tool.folder / "cut.mlir"
    tried = 0
    for _ in range(trials):
        lines = one_line(tiled).splitlines()
        for number, line in enumerate(lines):
            if "#llm.tile<search" not in line:
                continue
            other = pinned(line, dice)
            work.write_text("\n".join(lines[:number] + [other] + lines[number + 1:]))
            if tool.run(work, "--llm-cost") is not None:  # not every tile is one
                lines[number] = other
        work.write_text("\n".join(lines))
        scheduled = tool.run(work, "--llm-cost", "--llm-schedule", "--llm-verify-schedule")
        if scheduled is None:
            continue
        makespan = int(SUMMARY.search(scheduled)[1])
        tried += 1
        if makespan < bound:
            keep = tool.folder / "shorter.mlir"
            keep.write_text(work.read_text())
            sys.exit(f"{keep}: {makespan} cycles with {figures}, below the bound of {bound}")
    return tried


def check_machines(tool: Tool, source: Path) -> None:
    previous = None
    for engines in range(1, 9):
        makespan, bound, _ = tool.schedule(source, engines=engines)
        near = bound + bound // 200
        if previous and (bound > previous[1] or bound > previous[0]
                         or makespan > max(previous[0], near)):
            sys.exit(f"{source}: {engines} engines take {makespan}, at least {bound}; "
                     f"one fewer {previous[0]}, at least {previous[1]}")
        previous = makespan, bound
    for name, figures, others in [
            ("bytes_per_second", [5e11, 1e12, 1.3e12, 2e12, 2.9e12], {}),
            ("capacity", [4 << 20, 8 << 20, 24 << 20], {}),
            ("clock_hz", [5e8, 1e9, 1.7e9, 3e9], {}),
            ("cache_rate", [5e11, 1.5e12, 4e12], {"bytes_per_engine": 4 << 20}),
            ("bytes_per_engine", [0, 1 << 20, 16 << 20], {"cache_rate": 1.5e12, "capacity": 1 << 20}),
            ("tile_rate", [1e12, 4e12, 16e12, 0], {})]:
        least = None
        for figure in figures:
            _, bound, _ = tool.schedule(source, **{name: figure}, **others)
            seconds = bound / figure if name == "clock_hz" else bound / 1e9
            slack = STAGES_OF_A_BLOCK / (figure if name == "clock_hz" else 1e9)
            if least is not None and seconds > least + slack:
                sys.exit(f"{source}: with {name} = {figure} the bound is {seconds} s, before {least} s")
            least = seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("programs", type=Path, nargs="+")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tool = Tool(options.folder)
    dice = random.Random(options.seed)
    tried = 0
    for source in options.programs:
        check_machines(tool, source)
        for figures in [{"engines": 1}, {"engines": 2}, {"engines": 4}, *MEMORIES]:
            tried += check_random_cuts(tool, source, figures, dice, options.trials)
    if tried < len(options.programs) * options.trials:
        sys.exit(f"only {tried} programs with other cuts were scheduled")
    print(f"bounds hold for {tried} programs with other cuts")


if __name__ == "__main__":
    main()
