"""A program with open sizes is cut as one whose sizes are known: cut and then bound, it has the same bytes as bound and then cut.

    check_open_cuts.py FOLDER [--tp=2,4] [--pp=2] [FAMILY...]
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from cuts import find_cuts, shard_of
from run_tools import run
from small_models import FAMILIES, write_config

PHASES = {"decode": "--llm-bind-shapes=sizes=seq=3,kv_len=13", "prefill": "--llm-bind-shapes=sizes=seq=13,kv_len=13"}


def without_constants(program):
    """The program without its numbers, which stand in another order, and whose values have the number as their name."""
    return re.sub(r"%c(\d+)(_\d+)?", r"%c\1", re.sub(r" *%c\w+ = arith.constant .*\n", "", program))


def main():
    folder, *words = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(exist_ok=True, parents=True)
    for family in [word for word in words if not word.startswith("--")] or FAMILIES:
        config, program = write_config(folder, family), folder / f"{family}.mlir"
        for cut in find_cuts(words):
            for phase, bind in PHASES.items():
                run("llm-translate", "--import-hf-config", config, "--layers=all", f"--phase={phase}", "--batch=1", "--seq=?",
                    "--kv-len=?", "-o", program)
                tidy, passes = ["--canonicalize", "--cse"], [shard_of(cut), "--llm-partition"]
                late = without_constants(run("llm-opt", program, *tidy, *passes, bind, *tidy))
                early = without_constants(run("llm-opt", program, bind, *tidy, *passes, *tidy))
                assert "all_reduce" in late and late == early, f"{family}, {phase}, {cut}: the programs differ"
                print(f"{family}, {phase}, {cut}: the same program", flush=True)


main()
