"""Small models on several processes: chips of a cut program end with the logits of the whole program.

    check_run_chips.py FOLDER [--tp=2,4] [--ep=2] [--dp=2] [--pp=2] [--rounds=2] [--sp] [--odd] [--steps] [FAMILY[:PHASE]...]

llm-run runs the whole program in one process, and the cut one under mpirun, with the same seed. Each process makes the
whole weights and keeps its piece. Logits must agree to 1e-5 in f32. With --steps, a prompt and decode steps, whose sizes
are open, must give the same tokens. With --odd, chips do not divide the vocabulary and the features between products.
"""
import math
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from cuts import find_cuts, find_families, passes_of, phases_of, shard_of
from mpirun import run_chips
from small_models import FAMILIES, write_config
from run_tools import run
from small_programs import return_logits


def check_family(folder, family, only, cut, areOdd):
    config = write_config(folder, family, areOdd=areOdd)
    for phase, options in phases_of(cut, only).items():
        program, after, logits = (folder / f"{family}.{end}" for end in ("mlir", "cut.mlir", "npy"))
        run("llm-translate", "--import-hf-config", config, "--layers=all", "--dtype=f32", *options, "-o", program)
        program.write_text(return_logits(program.read_text()))
        run("llm-opt", program, *passes_of(cut), "-o", after)
        grid = re.search(r"#llm\.grid<([^>]*)>", after.read_text()).group(1)
        chips = math.prod(map(int, re.findall(r"= (\d+)", grid)))
        run("llm-run", program, "--optimize=false", f"--output={logits}")
        said = run_chips(chips, after, "--optimize=false", f"--check-against={logits}", "--tolerance=1e-5")
        assert said.count("agrees") == 1, said  # the first chip alone speaks
        print(f"{family}, {phase}, {cut.replace('=', ' ')}: {chips} chips agree", flush=True)


def check_steps(folder, family, cut, areOdd):
    config = write_config(folder, family, areOdd=areOdd)
    program, after = folder / f"{family}.open.mlir", folder / f"{family}.open.cut.mlir"
    run("llm-translate", "--import-hf-config", config, "--layers=all", "--dtype=f32", "--batch=1", "--seq=?", "--kv-len=?",
        "-o", program)
    run("llm-opt", program, shard_of(cut), "--llm-partition", "-o", after)
    chips = math.prod(map(int, re.findall(r"= (\d+)", re.search(r"#llm\.grid<([^>]*)>", after.read_text()).group(1))))
    options = ["--optimize=false", "--tokens=1,5,7", "--steps=5"]
    expected = run("llm-run", program, *options)
    said = run_chips(chips, after, *options)
    assert said == expected and said.count("tokens:") == 5, f"{family}: {said}, expected {expected}"
    print(f"{family}, a prompt and 4 steps, {cut.replace('=', ' ')}: the same tokens", flush=True)


def main():
    folder, *words = sys.argv[1:]
    Path(folder).mkdir(exist_ok=True, parents=True)
    for family, phase in find_families(words, FAMILIES):
        for cut in find_cuts(words):
            if "--steps" in words:
                check_steps(Path(folder), family, cut, "--odd" in words)
            else:
                check_family(Path(folder), family, phase, cut, "--odd" in words)


main()
