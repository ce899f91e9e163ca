"""Holds the trace of a measured pipeline (llm-run --trace) against what a pipeline is: each stage has a group of what its
chips ran and one of its schedule; no chip runs two ops at once; a stage begins when the one before has ended, in the run as
in the schedules. Rows of --measure-ops are those of all stages.

    check_stage_trace.py TRACE.json ROWS.csv
"""
import csv
import json
import sys


def main(trace: str, table: str) -> None:
    events = json.load(open(trace))["traceEvents"]
    groups = {each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"}
    spans = {}  # of a group: what it ran, in microseconds
    for each in events:
        if each["ph"] == "X":
            spans.setdefault(groups[each["pid"]], []).append((each["ts"], each["ts"] + each["dur"], each["tid"]))
    stages = sum(name.startswith("measured: stage") for name in groups.values())
    for side in ("measured", "predicted"):
        end = 0
        for stage in range(stages):
            own = sorted(spans[f"{side}: stage {stage}"])
            assert own[0][0] >= end - 1e-3, f"{side}: stage {stage} begins at {own[0][0]}, before {end}"
            end = max(stop for _, stop, _ in own)
            if side == "measured":
                for track in {track for _, _, track in own}:
                    runs = [span for span in own if span[2] == track]
                    assert all(a[1] <= b[0] + 1e-3 for a, b in zip(runs, runs[1:])), f"chip of stage {stage} runs two ops at once"
    names = [row["row_id"] for row in csv.DictReader(open(table))]
    assert len(names) == len(set(names)) and names, names
    measured = sum(len(spans[f"measured: stage {stage}"]) for stage in range(stages))
    assert measured >= len(names), (measured, names)
    print(f"{stages} stages, each behind the one before")


main(*sys.argv[1:])
