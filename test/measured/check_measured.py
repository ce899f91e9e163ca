#!/usr/bin/env python3
"""Holds the table of docs/accuracy.md against what presets predict of the tables of this folder.

    check_measured.py docs/accuracy.md TABLE=PRESET...

Errors are computed here from each row's two times. Prints the table as it should be if the page has another one.
"""
import csv
import io
import re
import statistics
import subprocess
import sys
from pathlib import Path


def errors_of(rows):
    return sorted(abs(100 * (float(row["predicted_us"]) / float(row["measured_us"]) - 1)) for row in rows)


def line_of(preset, kind, rows):
    errors, long = errors_of(rows), errors_of([row for row in rows if float(row["measured_us"]) >= 20])
    ratio = statistics.median(float(row["measured_us"]) / float(row["predicted_us"]) for row in rows)
    rank = (9 * len(errors) + 9) // 10 - 1
    return f"| {preset}: {kind} | {len(rows)} | {statistics.median(errors):.1f} | {errors[rank]:.1f} | {ratio:.2f} | {statistics.median(long):.1f} |"


lines = []
for argument in sys.argv[2:]:
    table, preset = argument.split("=")
    run = subprocess.run(["llm-prof", "validate", f"--target={preset}", "--format=csv", table], capture_output=True, text=True, check=True)
    predicted = list(csv.DictReader(io.StringIO(run.stdout)))
    measured = list(csv.DictReader(open(table)))
    assert len(predicted) == len(measured), (len(predicted), len(measured), run.stderr)
    for row, given in zip(predicted, measured):
        row["op_kind"] += " fp8" if given["dtype"] == "fp8" else ""
    kinds = dict.fromkeys(row["op_kind"] for row in predicted)
    lines += [line_of(preset, kind, [row for row in predicted if row["op_kind"] == kind]) for kind in kinds]
page = Path(sys.argv[1]).read_text()
shown = re.search(r"<!-- table: own -->\n.*?\n\|---.*?\n(.*?)<!-- end -->", page, re.S)
assert shown, "the page has no table 'own'"
if shown[1].splitlines() != lines:
    sys.exit("the table should be:\n" + "\n".join(lines))
print(f"ok: {len(lines)} lines")
