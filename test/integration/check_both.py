#!/usr/bin/env python3
"""What `llm-prof compare --perfetto` writes: the trace as it was, and the prediction beside it.

    check_both.py TRACE BOTH REPORT ROWS

TRACE is Kineto's, REPORT llm-opt's of the program, ROWS what the same call printed as JSON.
"""
import json
import sys
from collections import Counter, defaultdict


def require(condition, message):
    if not condition:
        sys.exit(message)


trace, both, report, rows = (json.load(open(path)) for path in sys.argv[1:])
report = report.get("functions", [report])[0]
ns = lambda microseconds: round(microseconds * 1000)

before = [event for event in trace["traceEvents"] if event["ph"] == "X"]
origin = min(ns(event["ts"]) for event in before)
groups = {event["pid"]: event["args"]["name"] for event in both["traceEvents"] if event["name"] == "process_name"}
slices = [event for event in both["traceEvents"] if event["ph"] == "X"]
predicted = [event for event in slices if groups[event["pid"]] == "predicted: h100-sxm"]
measured = [event for event in slices if groups[event["pid"]] != "predicted: h100-sxm"]

# Nothing of the trace is lost or moved.
times = lambda events, origin: Counter((event["name"], ns(event["ts"]) - origin, ns(event["dur"])) for event in events)
require(times(before, origin) == times(measured, 0), "the trace is not what it was")

# The schedule begins with the first pass, and each slot of each run of an op is a slice.
first = min(ns(event["ts"]) for event in measured if event["cat"] == "kernel")
start = min(ns(event["ts"]) for event in predicted)
require(start == first, f"the prediction begins at {start}, the first kernel at {first}")
end = max(ns(event["ts"]) + ns(event["dur"]) for event in predicted)
require(abs(end - start - report["makespan_us"] * 1000) <= 2, f"the prediction takes {end - start} ns")
slots = sum(op["count"] * sum(slot.get("count", 1) for slot in op["slots"]) for op in report["ops"])
require(len(predicted) == slots, f"{len(predicted)} slices of {slots} slots")

# A click on a kernel shows its ops: summed up, these are the rows.
sums = defaultdict(int)
for event in measured:
    if event["cat"] == "kernel":
        sums[tuple(event["args"].get("llm_ops", ()))] += ns(event["dur"])
wanted = {tuple(row["ops"]): sum(row["measured_ns_of_passes"]) for row in rows["ops"]}
wanted[()] = sum(sum(row["measured_ns_of_passes"]) for row in rows["only_measured"])
require(sums == wanted, f"{dict(sums)} ns by ops, {wanted} in rows")
print("ok")
