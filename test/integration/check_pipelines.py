"""Random pipelines: their makespan is that of a flow shop, found by a recursion, and no shorter one exists, as the longest machine
says; the period is that of Spec.md, S13. Pipelines with gradients of one length take (microbatches + stages - 1) times both.
What one edit breaks is found.

    check_pipelines.py FOLDER COUNT
"""
import random
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from pipelines import CHIP, flow_shop, period, program, transfer_cycles

PASSES = ["--llm-tile", "--llm-schedule"]


def schedule(folder, text):
    (folder / "chip.json").write_text(CHIP)
    (folder / "pipeline.mlir").write_text(text)
    command = ["llm-opt", folder / "pipeline.mlir", f"--llm-target=file={folder}/chip.json", *PASSES]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (folder / "made.mlir").write_text(made.stdout)
    judged = subprocess.run(["llm-opt", folder / "made.mlir", "--llm-verify-schedule"], capture_output=True, text=True)
    assert judged.returncode == 0, judged.stderr
    return made.stdout


def figures(text):
    return {name: int(value) for name, value in re.findall(r"(\w+_cycles) = (\d+)", re.search(r"#llm.pipeline<(.*?)slots", text, re.S).group(1))}


def check_random(folder, seed):
    draw = random.Random(seed)
    stages, microbatches = draw.randint(1, 6), draw.randint(1, 9)
    forward = [draw.randint(1, 400) for _ in range(stages)]
    handed = [draw.choice([1, 10, draw.randint(1, 120)]) for _ in range(stages)]
    phase = draw.choice([None, "prefill", "decode"])
    found = figures(schedule(folder, program(forward, handed, microbatches, phase)))
    transfers = [transfer_cycles(n) for n in handed[:-1]]
    back = transfer_cycles(handed[-1]) if phase == "decode" and stages > 1 else 0
    label = f"seed {seed}: {forward}, transfers {transfers}, {microbatches} microbatches"
    shortest = flow_shop(forward, transfers, microbatches)
    assert found["makespan_cycles"] == shortest, f"{label}: {found}, a flow shop takes {shortest}"
    assert found["lower_bound_cycles"] <= shortest, f"{label}: {found}"
    expected = period(forward, transfers, back, microbatches, phase == "decode")
    assert found["period_cycles"] == expected, f"{label}: {found}, a period of {expected}"


def check_gradients(folder):
    for stages in (4, 8):
        for microbatches in (8, 16):
            text = program([100] * stages, [0] * stages, microbatches, backward=[200] * stages)
            found = figures(schedule(folder, text))
            expected = (microbatches + stages - 1) * 300
            assert found["makespan_cycles"] == found["lower_bound_cycles"] == expected, f"{stages} x {microbatches}: {found}"
            print(f"{stages} stages, {microbatches} microbatches, 1F1B: {expected} cycles, equal to the bound")


EDITS = [
    ("a slot is longer", r"(<@forward1, microbatch = 0, start_cycle = \d+, end_cycle = )(\d+)", lambda m: m[1] + str(int(m[2]) + 1), "S13: "),
    ("a slot begins before what it receives", r"(<@forward1, microbatch = 0, start_cycle = )(\d+)(, end_cycle = )(\d+)",
     lambda m: f"{m[1]}{int(m[2]) - 1}{m[3]}{int(m[4]) - 1}", "S13: "),
    ("what is handed on arrives early", r"(<@forward0 to @forward1, microbatch = 1, start_cycle = \d+, end_cycle = )(\d+)",
     lambda m: m[1] + str(int(m[2]) - 1), "S12: "),
    ("a slot is left out", r"<@forward2, microbatch = 1, start_cycle = \d+, end_cycle = \d+>,\s*", lambda m: "", "S13: "),
    ("a slot is there twice", r"(<@forward2, microbatch = 1, start_cycle = \d+, end_cycle = \d+>,)", lambda m: m[1] + m[1], "S13: "),
    ("a stage of another pipeline", r"<@forward2, microbatch = 1,", lambda m: "<@other, microbatch = 1,", "S13: "),
    ("another makespan", r"makespan_cycles = (\d+)(, lower_bound_cycles = \d+, period_cycles)", lambda m: f"makespan_cycles = {int(m[1]) + 1}{m[2]}", "S13: "),
    ("another bound", r"lower_bound_cycles = (\d+)(, period_cycles)", lambda m: f"lower_bound_cycles = {int(m[1]) - 1}{m[2]}", "S13: "),
    ("another period", r"period_cycles = (\d+)(, slots)", lambda m: f"period_cycles = {int(m[1]) + 1}{m[2]}", "S13: "),
    ("no pipeline", r", llm.pipeline = #llm.pipeline<.*?\n\s*\]>", lambda m: "", "S13: "),
    ("another number of microbatches", r"microbatches = 3", lambda m: "microbatches = 4", "llm.stage"),
]


def check_edits(folder):
    text = schedule(folder, program([30, 50, 20], [8, 4, 1], 3, "decode"))
    for what, pattern, change, expected in EDITS:
        edited, count = re.subn(pattern, change, text, count=1, flags=re.S)
        assert count == 1, f"{what}: nothing to edit in\n{text[:2000]}"
        (folder / "edited.mlir").write_text(edited)
        judged = subprocess.run(["llm-opt", folder / "edited.mlir", "--llm-verify-schedule"], capture_output=True, text=True)
        assert judged.returncode != 0 and expected in judged.stderr, f"{what}: {judged.returncode} {judged.stderr}"
        print(f"{what}: found")


def main():
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(exist_ok=True, parents=True)
    for seed in range(count):
        check_random(folder, seed)
    print(f"{count} random pipelines take what a flow shop takes")
    check_gradients(folder)
    check_edits(folder)


main()
