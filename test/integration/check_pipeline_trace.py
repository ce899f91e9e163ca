#!/usr/bin/env python3
"""Checks the trace of a pipeline against the report of its stages.

    check_pipeline_trace.py TRACE.json REPORT.json [--layers]

Each microbatch is in each stage once, as long as the report says. What a stage sends begins when its microbatch ends, and
the next stage begins behind that; arrows say so. The ops of a stage lie in its microbatches: those of each take in sum what
the report says, and begin as far behind the start of their microbatch as those of the first.
"""
import json
import sys
from collections import defaultdict
from decimal import Decimal

from json_trace import Trace

NANOSECONDS = 2  # each end of a slice is rounded


def read(path: str, parse_float=float) -> dict:
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=parse_float)


class PipelineTrace:
    def __init__(self, root: dict):
        trace = Trace(root)
        trace.check_nesting()
        groups = {pid: trace.metadata["process_name", pid][0] for pid in trace.processes()}
        self.runs, self.sent, self.ops = {}, {}, defaultdict(list)
        for each in trace.slices:
            group, args = groups[each.track[0]], each.args
            if each.category == "microbatch":
                self.runs[int(trace.track_name(each.track).split()[-1]), args["microbatch"]] = each
            elif each.category == "transfer":
                self.sent[int(each.name.split()[-1]), args["microbatch"]] = each
            elif each.category in ("op", "prefetch"):
                self.ops[int(group.split(":")[0].split()[1])].append((group.split(": ")[1], each))
        self.arrows = {*trace.arrows}


def check_microbatches(trace: PipelineTrace, stages: list[dict]) -> None:
    count = stages[0]["pipeline"]["microbatches"]
    assert len(trace.runs) == len(stages) * count and len(trace.sent) == (len(stages) - 1) * count
    for number, stage in enumerate(stages):
        runs = sorted((trace.runs[number, microbatch] for microbatch in range(count)), key=lambda run: run.start)
        for run, following in zip(runs, runs[1:]):
            assert run.end <= following.start, (number, run.name, following.name)
        for microbatch in range(count):
            run = trace.runs[number, microbatch]
            assert abs(run.end - run.start - 1000 * stage["makespan_us"]) <= NANOSECONDS, (number, run)
            if number == 0:
                continue
            sent, before = trace.sent[number, microbatch], trace.runs[number - 1, microbatch]
            assert before.end <= sent.start and sent.end <= run.start, (number, microbatch)
            assert abs(sent.end - sent.start - 1000 * stages[number - 1]["pipeline"]["transfer_us"]) <= NANOSECONDS
            assert {(before.number, sent.number), (sent.number, run.number)} <= trace.arrows, (number, microbatch)


def check_ops(trace: PipelineTrace, number: int, stage: dict) -> int:
    """Returns how many slices the ops have."""
    runs = sorted((run for (of, _), run in trace.runs.items() if of == number), key=lambda run: run.start)
    shifted = []
    for run in runs:
        inside = [(group, each) for group, each in trace.ops[number] if run.start <= each.start and each.end <= run.end]
        shifted.append(sorted((each.start - run.start, each.end - each.start, group, each.name) for group, each in inside))
        for engine in {op["engine"] for op in stage["ops"]}:
            wanted = 1000 * sum(op["total_time_us"] for op in stage["ops"] if op["engine"] == engine)
            found = [each.end - each.start for group, each in inside if group == engine and each.category == "op"]
            assert abs(sum(found) - wanted) <= NANOSECONDS * len(found), (number, engine, sum(found), wanted)
    assert sum(map(len, shifted)) == len(trace.ops[number]), f"stage {number}: ops in no microbatch"
    for other in shifted[1:]:
        assert len(other) == len(shifted[0])
        for one, same in zip(shifted[0], other):
            assert one[2:] == same[2:] and abs(one[0] - same[0]) <= NANOSECONDS and abs(one[1] - same[1]) <= NANOSECONDS
    return len(trace.ops[number])


def main() -> None:
    trace = PipelineTrace(read(sys.argv[1], parse_float=Decimal))
    stages = read(sys.argv[2])["functions"]
    check_microbatches(trace, stages)
    if "--layers" in sys.argv:  # has no ops
        print(f"ok: {len(trace.runs)} microbatches in stages")
        return
    ops = sum(check_ops(trace, number, stage) for number, stage in enumerate(stages))
    print(f"ok: {len(trace.runs)} microbatches in stages, {ops} slices of ops")


if __name__ == "__main__":
    main()
