#!/usr/bin/env python3
"""Shows that the judge and --llm-verify-schedule agree on every single-field mutation of
the schedules of given blocks.

    check_block.py [--by-hand SEED] [--every N] [--keep FOLDER] SCHEDULED.mlir...

A block is a module of one function, tiled and scheduled. --by-hand takes another schedule of
it, with fetches ahead, where the dice say (build.py). Every rule has to be broken by some
mutation. With --every N only each Nth one is tried, which need not break every rule. --keep
writes what the two do not agree on.
"""
from __future__ import annotations

import argparse
import os
import random
import sys
from typing import Optional

from build import build
from compare import Tally, Verdicts, finish, schedules_of, verdicts_on
from mutate import Mutant, mutants_of
from program import parse_program


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--by-hand", type=int, metavar="SEED")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("blocks", nargs="+")
    options = parser.parse_args()
    tally = Tally()
    for path in options.blocks:
        verdicts = verdicts_on_block(path, options.by_hand, options.every)
        of_block = Tally()
        of_block.add(verdicts)
        of_block.print(os.path.basename(path))
        tally.add(verdicts)
    return finish(tally, "all blocks", options.keep, is_sample=options.every > 1)


def verdicts_on_block(path: str, seed: Optional[int], every: int) -> list[Verdicts]:
    with open(path, encoding="utf-8") as file:
        program = parse_program(file.read())
    [schedule] = schedules_of([program.text("m0")])
    if seed is not None:
        program = build(program, schedule, random.Random(seed))
    [verdict] = verdicts_on([Mutant(path, program)])
    if verdict.tool_errors or verdict.broken or verdict.refused:
        raise SystemExit(f"{path}: rejected before any mutation: {verdict}")
    return verdicts_on(mutants_of(program, schedule)[::every])


if __name__ == "__main__":
    sys.exit(main())
