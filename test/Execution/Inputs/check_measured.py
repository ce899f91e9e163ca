#!/usr/bin/env python3
"""What `llm-run` says of one run, in four files, is one thing.

    check_measured.py TABLE TRACE MEASURED_REPORT PREDICTED_REPORT

Runs of ops in the trace: as the program of the test says, one behind the other, none overlapping. Sums of the table are those
of the reports, which llm-opt made of the IR. (All but the table's own arithmetic is thus told by other programs.)
"""
import json
import sys
from collections import Counter
from decimal import Decimal


def require(condition, message):
    if not condition:
        sys.exit(message)


def number(text):
    return Decimal(text.replace(",", "").lstrip("<"))


def read_table(path):
    """Of each op (runs, measured, predicted) as printed, and the last line's two times."""
    rows, times = {}, None
    for line in open(path):
        words = line.split()
        if len(words) == 7 and words[1].isdigit():
            rows[words[0]] = (int(words[1]), number(words[2]), number(words[3]))
        elif words[:1] == ["total"]:
            rows["total"] = (1, number(words[1]), number(words[2]))
        elif line.startswith("The median run took"):
            times = number(words[4]), number(words[6])
    require(times, "the table does not say what the median run took")
    return rows, times


def elapsed(op):
    """Cycles from the first start to the last end of one run."""
    parts = [slot for slot in op["slots"] if "prefetched" not in slot]
    last = [slot["end_cycle"] + (slot.get("count", 1) - 1) * slot.get("start_stride", 0) for slot in parts]
    return max(last) - min(slot["start_cycle"] for slot in parts)


def report_times(path):
    report = json.load(open(path))
    if "functions" in report:
        report, = report["functions"]
    require(not report["problems"], f"{path}: {report['problems']}")
    clock = report["clock_hz"]
    return report, {op["name"]: (op["count"], op["count"] * elapsed(op) * 10**6 / clock)
                    for op in report["ops"]}


def near(found, expected, what, slack=0.002):
    require(abs(float(found) - expected) <= slack + 1e-6 * expected, f"{what}: {found}, expected {expected}")


table_path, trace_path, measured_path, predicted_path = sys.argv[1:]
rows, (wall, between) = read_table(table_path)
measured, measured_times = report_times(measured_path)
predicted, predicted_times = report_times(predicted_path)

require(measured["policy"] == "measured, median of 3 runs", measured["policy"])
names = ["first", "layers.{}.norm", "layers.{}.proj"]
require(list(measured_times) == list(predicted_times) == names, f"{list(measured_times)}")
require(set(rows) == {*names, "total"}, f"rows: {list(rows)}")
for name in names:
    require(rows[name][0] == measured_times[name][0] == (1 if name == "first" else 3), f"{name}: {rows[name]}")
    near(rows[name][1], measured_times[name][1], f"measured {name}")
    near(rows[name][2], predicted_times[name][1], f"predicted {name}")
    require(rows[name][1] > 0, f"{name} took no time")
near(rows["total"][1], sum(time for _, time in measured_times.values()), "measured")
for side, report in enumerate((measured, predicted), 1):
    near(rows["total"][side], report["makespan_cycles"] * 1e6 / report["clock_hz"], "makespan")

events = json.load(open(trace_path))["traceEvents"]
groups = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
slices = {group: [event for event in events if event["ph"] == "X" and groups.get(event["pid"], "").startswith(group)]
          for group in ("measured", "predicted")}
order = ["first"] + [f"layers.{layer}.{op}" for layer in range(3) for op in ("norm", "proj")]
found = sorted(slices["measured"], key=lambda event: event["ts"])
require([event["name"] for event in found] == order, f"{[event['name'] for event in found]}")
end = 0
for event in found:
    require(event["ts"] >= end - 1e-6, f"{event['name']} begins before the one before it ends")
    end = event["ts"] + event["dur"]
near(sum(event["dur"] for event in found) + float(between), float(wall), "wall", slack=0.02)
require(set(Counter(event["name"] for event in slices["predicted"])) == set(order), "predicted slices")
require(found[2]["args"]["in"] == "5x96xf32, 96x96xf32" and found[2]["args"]["macs"] == 5 * 96 * 96, f"{found[2]['args']}")
