"""A model whose layers are a loop, scheduled once, against the same model unrolled.

    check_unrolled.py CONFIG SCHEDULE [IMPORT_OPTION...]

1. With barriers between layers (loops of one trip) every layer of the unrolled model gets the schedule that the loop's
   body has, iteration after iteration: all slots, the makespan and all bounds are the same.
2. The loop's schedule, written out for all layers, is a valid schedule of the unrolled model without barriers: its
   queues are exported, which --llm-export-queues does for valid ones only, and end when it says.
3. So no bound of the unrolled model is above the loop's makespan. What `llm-schedule` makes of that model is valid, and
   is printed: what the barriers cost.

SCHEDULE are options of llm-schedule, such as "engines=2 granularity=op".
"""
from __future__ import annotations

import json
import subprocess
import sys
import time

from unroll import Unroller, expand


def run(*command: str) -> float:
    before = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - before


def unroll(source: str, target: str, with_barriers: bool) -> None:
    with open(source, encoding="utf-8") as file:
        text = Unroller(file.read().splitlines(), with_barriers).run()
    with open(target, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def schedule(name: str, passes: list[str]) -> tuple[dict, float]:
    seconds = run("llm-opt", f"{name}.mlir", *passes, "--llm-verify-schedule=capacity=false",
                  f"--llm-export-report=format=json file={name}.json", "-o", f"{name}.scheduled.mlir")
    with open(f"{name}.json", encoding="utf-8") as file:
        return json.load(file), seconds


def slots_of(report: dict) -> dict[str, list]:
    """All slots of all runs, in absolute cycles, by the name of the run."""
    def shifted(slot: dict, cycles: int) -> dict:
        moved = slot | {"start_cycle": slot["start_cycle"] + cycles, "end_cycle": slot["end_cycle"] + cycles}
        if "prefetches" in slot:
            moved["prefetches"] = [shifted(fetch, cycles) for fetch in slot["prefetches"]]
        return moved

    found = {}
    for op in report["ops"]:
        loops = [report["loops"][number] for number in op.get("loops", [])]
        assert len(loops) <= 1
        loop = loops[0] if loops else {"trips": 1, "period_cycles": 0, "first_index": 0, "index_step": 1}
        for iteration in range(loop["trips"]):
            index = loop["first_index"] + iteration * loop["index_step"]
            name = expand(op["name"], index, iteration) if loops else op["name"]
            assert name not in found
            found[name] = [shifted(slot, iteration * loop["period_cycles"]) for slot in op["slots"]]
    return found


def main() -> None:
    config, option, *import_options = sys.argv[1:]
    passes = ["--llm-tile", f"--llm-schedule={option}"]
    run("llm-translate", "--import-hf-config", config, "--layers=all", *import_options, "-o", "rolled.mlir")
    rolled, seconds = schedule("rolled", passes)

    unroll("rolled.mlir", "barriers.mlir", True)
    barriers, _ = schedule("barriers", passes)
    for figure in ("lower_bound_cycles", "bounds", "roofline_cycles"):
        assert rolled[figure] == barriers[figure], (figure, rolled[figure], barriers[figure])
    # What a loop repeats is worth more tries. Where these won nothing, slots are the same.
    assert rolled["makespan_cycles"] <= barriers["makespan_cycles"], (rolled["makespan_cycles"], barriers["makespan_cycles"])
    if rolled["makespan_cycles"] == barriers["makespan_cycles"]:
        assert slots_of(rolled) == slots_of(barriers)

    unroll("rolled.scheduled.mlir", "written-out.mlir", False)
    run("llm-opt", "written-out.mlir", "--llm-export-queues", "-o", "/dev/null")
    with open("queues.json", encoding="utf-8") as file:
        [stretch] = json.load(file)["functions"][0]["body"]
    assert stretch["stretch"]["end_cycle"] == rolled["makespan_cycles"]

    unroll("rolled.mlir", "unrolled.mlir", False)
    unrolled, unrolled_seconds = schedule("unrolled", passes)
    assert unrolled["lower_bound_cycles"] <= rolled["makespan_cycles"]
    saved = 1 - unrolled["makespan_cycles"] / rolled["makespan_cycles"]
    runs = sum(op["count"] for op in rolled["ops"])
    assert runs == len(unrolled["ops"])
    print(f"ok: {runs} runs of {len(rolled['ops'])} ops: {rolled['makespan_cycles']} cycles in the loop, "
          f"{barriers['makespan_cycles']} with barriers; {unrolled['makespan_cycles']} unrolled, {100 * saved:.2f} % less (bounds {rolled['lower_bound_cycles']}, "
          f"{unrolled['lower_bound_cycles']}); {seconds:.1f} and {unrolled_seconds:.1f} s")


if __name__ == "__main__":
    main()
