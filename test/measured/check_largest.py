#!/usr/bin/env python3
"""Holds the table of the largest published products in docs/accuracy.md against what presets predict of largest-products.csv.

    check_largest.py docs/accuracy.md largest-products.csv

Prints the table as it should be if the page has another one.
"""
import csv
import io
import re
import subprocess
import sys
from pathlib import Path


def predict(row, path):
    """Returns TFLOP/s of the same product."""
    with open(path, "w") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    run = subprocess.run(["llm-prof", "validate", f"--target={row['preset']}", "--format=csv", path], capture_output=True, text=True, check=True)
    [predicted] = csv.DictReader(io.StringIO(run.stdout))
    return 2e-6 * int(row["m"]) * int(row["n"]) * int(row["k"]) / float(predicted["predicted_us"])


def line_of(row):
    published, predicted = float(row["tflops"]), predict(row, "row.csv")
    shape = f"{row['m']} x {row['n']} x {row['k']}"
    return f"| `{row['preset']}`, {row['dtype']} | {shape} | {row['source']} | {published:.0f} | {predicted:.0f} | {published / predicted:.2f} |"


lines = [line_of(row) for row in csv.DictReader(open(sys.argv[2]))]
shown = re.search(r"<!-- table: largest -->\n.*?\n\|---.*?\n(.*?)<!-- end -->", Path(sys.argv[1]).read_text(), re.S)
if not shown or shown[1].splitlines() != lines:
    sys.exit("the table should be:\n" + "\n".join(lines))
print(f"ok: {len(lines)} lines")
