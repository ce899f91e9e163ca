#!/usr/bin/env python3
"""Checks the counter of busy engines in a trace with samples for intervals.

    check_samples.py TRACE REPORT

On a clock of 1 GHz: the area under the counter of a group, in nanoseconds, is its busy cycles, up to the rounding of
means to a billionth of an engine: a group that is hardly ever busy does not round to 0.
"""
import json
import sys

INTERVALS = 10000


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    assert report["clock_hz"] == 10**9
    interval = -(-report["makespan_cycles"] // INTERVALS)
    for engine in report["engines"]:
        samples = [(round(each["ts"] * 1000), each["args"]["engines"]) for each in events
                   if each["name"] == f"engines busy {engine['name']}"]
        assert 0 < len(samples) <= INTERVALS + 1, len(samples)
        assert all(time % interval == 0 for time, _ in samples[:-1]), "not at the intervals"
        area = sum((after[0] - before[0]) * before[1] for before, after in zip(samples, samples[1:]))
        error = abs(area - engine["busy_cycles"])
        assert error <= 1e-9 * report["makespan_cycles"] + 1e-3, (engine["name"], area, engine["busy_cycles"])
        assert (max(value for _, value in samples) > 0) == (engine["busy_cycles"] > 0), engine["name"]
        assert engine["busy_cycles"] > 0 or len(samples) == 1


if __name__ == "__main__":
    main()
