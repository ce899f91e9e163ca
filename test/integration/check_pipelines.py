"""Random pipelines: their makespan is that of a flow shop, found by a recursion, and no shorter one exists, as the longest machine
says; the period is that of Spec.md, S13. Pipelines with gradients of one length take (microbatches + stages - 1) times both.
If chips have several stages of one length each, all M microbatches in R rounds on P places take (M R + P - 1) times it, from P
microbatches on. Of random ones, rounds that follow after the period never meet, and those that follow a cycle earlier do.
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


def slots_of(text):
    """Function, where its results go or None, microbatch, start and end."""
    found = re.findall(r"<@(\w+)(?: to @(\w+))?, microbatch = (\d+), start_cycle = (\d+), end_cycle = (\d+)>", text)
    return [(name, to or None, *map(int, numbers)) for name, to, *numbers in found]


def meet(spans, period):
    """Whether spans, by what is busy, overlap with those of the next round."""
    return any(max(end for _, end in own) > min(start for start, _ in own) + period for own in spans.values())


def check_rounds(folder):
    for places, rounds, microbatches in ((2, 2, 4), (4, 2, 8), (4, 3, 4), (8, 2, 16)):
        text = program([100] * (places * rounds), [0] * (places * rounds), microbatches, rounds=rounds)
        found = figures(schedule(folder, text))
        expected = (microbatches * rounds + places - 1) * 100
        assert found["makespan_cycles"] == found["lower_bound_cycles"] == expected, f"{places} x {rounds}, {microbatches}: {found}"
        assert found["period_cycles"] == microbatches * rounds * 100, found
        plain = (microbatches + places - 1) * rounds * 100  # each stage as long as `rounds` of these
        print(f"{places} places, {rounds} rounds, {microbatches} microbatches: {expected} cycles, equal to the bound; {plain} in one round")


def check_random_rounds(folder, seed):
    draw = random.Random(seed)
    places, rounds, microbatches = draw.randint(1, 4), draw.randint(2, 3), draw.randint(1, 8)
    stages = places * rounds
    forward = [draw.randint(1, 400) for _ in range(stages)]
    handed = [draw.choice([1, 10, draw.randint(1, 120)]) for _ in range(stages)]
    phase = draw.choice([None, "prefill", "decode"])
    made = schedule(folder, program(forward, handed, microbatches, phase, rounds=rounds))
    found, label = figures(made), f"seed {seed}: {places} places, {rounds} rounds, {forward}, {microbatches} microbatches"
    busy = {}
    for name, to, microbatch, start, end in slots_of(re.search(r"slots(.*)", made, re.S).group(1)):
        stage = int(re.search(r"\d+", name).group())
        assert end - start == (transfer_cycles(handed[stage]) if to else forward[stage]), f"{label}: {name} {start} {end}"
        busy.setdefault(f"from {stage}" if to else stage % places, []).append((start, end))
        if phase == "decode":  # its tokens come back before it begins its next step
            back = transfer_cycles(handed[-1]) if places > 1 and stage + 1 == stages and not to else 0
            busy.setdefault(("tokens", microbatch), []).append((start, end + back))
    for place in range(places):
        work = sorted(busy[place])
        assert len(work) == rounds * microbatches and all(a[1] <= b[0] for a, b in zip(work, work[1:])), f"{label}: place {place}"
    ends = [end for what, own in busy.items() if not isinstance(what, tuple) for _, end in own]
    assert found["lower_bound_cycles"] <= found["makespan_cycles"] == max(ends), f"{label}: {found}"
    assert not meet(busy, found["period_cycles"]) and meet(busy, found["period_cycles"] - 1), f"{label}: {found}"
    works = [microbatches * sum(forward[place::places]) for place in range(places)]
    assert found["lower_bound_cycles"] >= max(works) and found["period_cycles"] >= max(works), f"{label}: {found}, work {works}"


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
    ("other rounds", r"<0 of 3,", lambda m: "<0 of 3 in 3 rounds,", "llm.stage"),
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
    for seed in range(count):
        check_random_rounds(folder, seed)
    print(f"{count} random pipelines in rounds")
    check_gradients(folder)
    check_rounds(folder)
    check_edits(folder)


main()
