#!/usr/bin/env python3
"""Checks properties of a schedule in llm-opt's JSON report.

    check_schedule.py REPORT PROPERTY [NAME...]

PROPERTY is one of

    serial    one engine does one op after the other: the makespan is the sum of all runs
              of all ops, and no op waits
    overlap   the ops whose names end in NAMEs run at the same time, pairwise
    apart     the same ops never run at the same time
    bounds    the makespan is at least each lower bound; slots have the cycles of the cost
    loop      all is in one loop, whose period times trips is the makespan
"""
import itertools
import json
import sys


def fail(message):
    sys.exit(f"check_schedule: {message}")


def spans(report, name):
    """(start, end) of each slot of the one op whose name ends in `name`."""
    ops = [op for op in report["ops"] if op["name"].endswith(name)]
    if len(ops) != 1:
        fail(f"{len(ops)} ops have a name that ends in '{name}'")
    return [(slot["start_cycle"], slot["end_cycle"]) for slot in ops[0]["slots"]]


def overlap(first, second):
    return any(max(a[0], b[0]) < min(a[1], b[1]) for a in first for b in second)


def check_serial(report, _):
    total = sum(op["cycles"] * op["count"] for op in report["ops"])
    if total != report["makespan_cycles"]:
        fail(f"durations add up to {total}, the makespan is {report['makespan_cycles']}")
    for op in report["ops"]:
        length = sum(slot["end_cycle"] - slot["start_cycle"] for slot in op["slots"])
        if length != op["cycles"]:
            fail(f"{op['name']} takes {length} cycles, alone {op['cycles']}")


def check_overlap(report, names):
    for first, second in itertools.combinations(names, 2):
        if not overlap(spans(report, first), spans(report, second)):
            fail(f"{first} and {second} do not overlap")


def check_apart(report, names):
    for first, second in itertools.combinations(names, 2):
        if overlap(spans(report, first), spans(report, second)):
            fail(f"{first} and {second} overlap")


def check_bounds(report, _):
    makespan = report["makespan_cycles"]
    limits = {"lower_bound_cycles": report["lower_bound_cycles"], **report["bounds"]}
    for name, cycles in limits.items():
        if cycles > makespan:
            fail(f"{name} = {cycles} is above the makespan {makespan}")
    if not report.get("loops") and report["lower_bound_cycles"] != max(
            report["bounds"].values()):
        fail("without loops the lower bound is the largest of the bounds")
    last = max(slot["end_cycle"] for op in report["ops"] for slot in op["slots"])
    if not report.get("loops") and last != makespan:
        fail(f"the last slot ends at {last}, the makespan is {makespan}")


def check_loop(report, _):
    loops = report["loops"]
    if len(loops) != 1:
        fail(f"expected one loop, found {len(loops)}")
    product = loops[0]["period_cycles"] * loops[0]["trips"]
    if product != report["makespan_cycles"]:
        fail(f"period x trips = {product}, the makespan is {report['makespan_cycles']}")
    longest = max(slot["end_cycle"] for op in report["ops"] for slot in op["slots"])
    if longest != loops[0]["period_cycles"]:
        fail(f"the body ends at {longest}, the period is {loops[0]['period_cycles']}")


def main():
    checks = {"serial": check_serial, "overlap": check_overlap, "apart": check_apart,
              "bounds": check_bounds, "loop": check_loop}
    if len(sys.argv) < 3 or sys.argv[2] not in checks:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    checks[sys.argv[2]](report, sys.argv[3:])
    print(f"{sys.argv[2]}: holds")


if __name__ == "__main__":
    main()
