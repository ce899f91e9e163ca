#!/usr/bin/env python3
"""Shows that the judge and --llm-verify-schedule agree on schedules of random programs on
random targets, and on random single-field mutations of them.

    check_random.py [--problems N] [--mutants N] [--seed N] [--keep FOLDER]

Each problem is scheduled by llm-schedule with both policies and by hand (build.py). In most
of them ops are cut by hand, some with costs by hand; in the others llm-schedule cuts them.
All schedules have to be accepted; --mutants is how many mutations of each are tried. A failure is found again with its seed and --problems 1.
"""
from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from typing import Iterator, Optional

from build import build
from compare import Tally, finish, run_tool, schedules_of, verdicts_on
from generate import edited_costs, edited_tiles, random_program, random_target
from model import Schedule
from mutate import Mutant, mutants_of
from program import parse_program

PROBLEMS_AT_A_TIME = 20


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=60)
    parser.add_argument("--mutants", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    tally, whole = Tally(), Tally()
    last_seed = options.seed + options.problems
    for first in range(options.seed, last_seed, PROBLEMS_AT_A_TIME):
        seeds = range(first, min(first + PROBLEMS_AT_A_TIME, last_seed))
        programs = list(scheduled_programs(seeds))
        schedules = schedules_of([p.program.text(f"m{at}") for at, p in enumerate(programs)])
        programs += by_hand(programs, schedules)
        schedules += schedules
        whole.add(verdicts_on(programs))
        tally.add(verdicts_on(list(some_mutants(programs, schedules, options.mutants))))
    whole.print("schedules")
    if whole.accepted != whole.judged:
        print("FAILED: a schedule that should be valid is rejected", file=sys.stderr)
    tally.disagreements += whole.disagreements
    return finish(tally, "mutations", options.keep) or whole.accepted != whole.judged


def tiled_module(seed: int) -> Optional[str]:
    """None: some op of the program finds no room on the target."""
    rng = random.Random(seed)
    target, program = random_target(rng), random_program(rng, f"p{seed}")
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("target.json", "program.mlir")]
        for path, text in zip(paths, (json.dumps(target), program)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        tiled = run_or_none(seed, [paths[1], f"--llm-target=file={paths[0]}", "--llm-tile"])
        if tiled is None or rng.random() < 0.3:
            return tiled
        with open(paths[1], "w", encoding="utf-8") as file:
            file.write(edited_tiles(rng, tiled))
        costed = run_or_none(seed, [paths[1], "--llm-cost"])
    shared = [name for name, memory in target["memories"].items() if "lanes" in memory]
    return costed and edited_costs(rng, costed, shared)


def run_or_none(seed: int, arguments: list[str]) -> Optional[str]:
    done = subprocess.run(["llm-opt", *arguments], capture_output=True, text=True, check=False)
    if done.returncode and not re.search("more than|too many", done.stderr):
        raise RuntimeError(f"seed {seed}: {done.stderr}")
    return None if done.returncode else done.stdout


def scheduled_programs(seeds: range) -> Iterator[Mutant]:
    """By either policy. What has no schedule is left out."""
    modules = [module for module in map(tiled_module, seeds) if module]
    for policy in ("list", "earliest"):
        run = run_tool(modules, f"--llm-schedule=policy={policy}", output="-")
        for text in run.modules.split("// -----"):
            if "llm.schedule" in text:
                yield Mutant(policy, parse_program(text.strip() + "\n"))


def by_hand(programs: list[Mutant], schedules: list[Schedule]) -> list[Mutant]:
    """One more for each program; a schedule by policy tells what there is to place."""
    built = []
    for at, (mutant, schedule) in enumerate(zip(programs, schedules)):
        rng = random.Random(f"{at} {mutant.program.summary}")
        built.append(Mutant("by hand", build(mutant.program, schedule, rng)))
    return built


def some_mutants(programs: list[Mutant], schedules: list[Schedule], count: int
                 ) -> Iterator[Mutant]:
    for mutant, schedule in zip(programs, schedules):
        mutants = mutants_of(mutant.program, schedule)
        rng = random.Random(str(mutant.program.summary))
        for chosen in rng.sample(mutants, min(count, len(mutants))):
            yield Mutant(f"{mutant.what}, {chosen.what}", chosen.program)


if __name__ == "__main__":
    sys.exit(main())
