"""The figures of one schedule are the same in all that is written of it: JSON, CSV, table, page and trace.

    check_totals.py REPORT.json REPORT.csv REPORT.txt PAGE.html TRACE.json
"""
import csv
import json
import re
import sys
from collections import defaultdict

report_path, csv_path, table_path, page_path, trace_path = sys.argv[1:]
with open(report_path, encoding="utf-8") as file:
    report = json.load(file)

# By op, over all runs.
expected = {op["name"]: op["scheduled_cycles"] * op["count"] for op in report["ops"]}
moved = {op["name"]: op["bytes"]["dram"] * op["count"] for op in report["ops"]}
total = sum(expected.values())

with open(csv_path, encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
for row in rows:
    assert int(row["scheduled_cycles"]) * int(row["count"]) == expected[row["name"]], row
    assert int(row["bytes.dram"]) * int(row["count"]) == moved[row["name"]], row
assert len(rows) == len(expected)

# The table is rounded: to thousandths of its unit.
units = {"us": 1, "ms": 1e3, "s": 1e6, "MB/s": 1e-3, "GB/s": 1, "TB/s": 1e3}
with open(table_path, encoding="utf-8") as file:
    lines = file.read().splitlines()
head = next(index for index, line in enumerate(lines) if re.match(r"op +count", line))
elapsed_unit, time_unit, _, _, rate_unit, _ = lines[head + 1].split()  # elapsed, on engines, share, arithmetic, bytes, limit
last = next(line for line in lines if re.match(r"total ", line))
numbers = [float(word.replace(",", "")) for word in re.findall(r"[\d,.]*\d", last)]
microseconds = 1e6 * total / report["clock_hz"]
assert abs(numbers[0] * units[elapsed_unit] - report["makespan_us"]) <= 0.0006 * units[elapsed_unit], (last, report["makespan_us"])
assert abs(numbers[1] * units[time_unit] - microseconds) <= 0.0006 * units[time_unit], (last, microseconds)
rate = 1e-3 * sum(moved.values()) / report["makespan_us"]  # in GB/s
assert abs(numbers[-1] * units[rate_unit] - rate) <= 0.06 * units[rate_unit], (last, rate)
makespan = next(line for line in lines if line.startswith("makespan"))
assert int(makespan.split()[1].replace(",", "")) == report["makespan_cycles"], makespan

with open(page_path, encoding="utf-8") as file:
    data = re.search(r'id="reports">(.*?)</script>', file.read(), re.DOTALL).group(1)
assert json.loads(data)["report"] == report, "the page holds another report"

# The trace has a slice for each slot of each run; names have the number of the layer.
with open(trace_path, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
seen = defaultdict(int)
end = 0
for event in events:
    if event["ph"] not in "XB" or event.get("cat") != "op":
        continue
    args = event["args"]
    assert event.get("dur", 0) >= 0
    seen[re.sub(r"layers\.\d+\.", "layers.{}.", event["name"])] += args["end_cycle"] - args["start_cycle"]
    end = max(end, args["end_cycle"])
assert seen == expected, {name: (seen[name], cycles) for name, cycles in expected.items() if seen[name] != cycles}
assert end == report["makespan_cycles"], end
print(f"ok: {len(expected)} ops, {total} cycles of engine time, {report['makespan_cycles']} from start to end")
