"""Reads what `llm-prof serve --measured=` prints, and holds its errors against the most that they may be, in percent.

    llm-prof serve ... | check_served_errors.py MOST_OF_ALL MOST_OF_RATIOS
"""
import re
import sys

most_of_all, most_of_ratios = map(float, sys.argv[1:])
found = re.findall(r"^(all|ratio of .*): (\d+) rows, median error ([0-9.]+) %", sys.stdin.read(), re.MULTILINE)
assert found and found[0][0] == "all" and len(found) >= 3, found
for name, rows, error in found:
    assert int(rows) >= 15 and float(error) <= (most_of_all if name == "all" else most_of_ratios), (name, rows, error)
