#!/usr/bin/env python3
"""Checks the report's table against the JSON report of the same schedule.

    check_table.py TABLE REPORT

It knows a table only as text. Each op has one row, whose place among the indented rows spells its name; a module's
row is the sum of the rows one step further in (one step for the whole table, 2 columns or 1), and the last row that of
the rows that are not indented, as far as rounding allows (rates do not add up); modules stand in the order of their first ops; a bar is as
long as the share says; no line has more than 100 columns, and nothing but printable ASCII is written. Shares nothing
with the exporter.
"""
from __future__ import annotations

import json
import re
import sys

NUMBER = r"<?\d[\d,]*(?:\.\d+)?"
ROW = re.compile(
    r"(?P<indent> *)(?P<name>\S+)(?:\s+(?P<runs>\d+))?(?:\s+(?P<engine>[^\d\s]\S*|\d+ slots))?"
    r"(?:\s+(?P<elapsed><?\d[\d,]*\.\d+))?"
    r"\s+(?P<time>" + NUMBER + r")\s+(?P<share><?\d+\.\d)(?P<bar>\s+[#-]+)?"
    r"\s+(?P<compute>" + NUMBER + r")\s+(?P<dram>" + NUMBER + r")(?:\s+(?P<limit>" + NUMBER + r")\s+(?P<bound>compute|memory|overhead))?$")
SUMMED = ("time", "share")
SHOWN = ("elapsed", "time", "share", "compute", "dram", "limit")
NAMES = ("elapsed_us", "total_time_us", "share_percent", "tflop_per_second", "gb_per_second", "percent_of_limit")
# In the units of the report: microseconds, TFLOP/s, GB/s.
UNITS = {"us": 1, "ms": 10**3, "s": 10**6, "GFLOP/s": 1e-3, "TFLOP/s": 1, "PFLOP/s": 10**3, "MB/s": 1e-3, "GB/s": 1, "TB/s": 10**3, "%": 1}
BAR_CELLS = 8


def read_number(text: str) -> float:
    """Of what rounds to 0 and is none, the table says that it is below one unit of the last digit."""
    number = float(text.lstrip("<").replace(",", ""))
    if not text.startswith("<"):
        return number
    assert number == 10.0**-len(text.partition(".")[2]), text
    return 0.0


class Row:
    def __init__(self, line: str):
        match = ROW.match(line)
        assert match, f"no row: {line!r}"
        self.indent, self.depth = len(match["indent"]), 0
        self.name, self.is_op, self.runs = match["name"], match["engine"] is not None, match["runs"]
        shown = {key: match[key] for key in SHOWN if match[key] is not None}
        self.bound = match["bound"]
        self.numbers = {key: read_number(text) for key, text in shown.items()}
        self.is_below = {key: text.startswith("<") for key, text in shown.items()}
        # Half a unit of the last digit that is shown.
        self.rounding = {key: 0.5 * 10.0**-len(text.partition(".")[2]) for key, text in shown.items()}
        self.bar = (match["bar"] or "").strip()
        self.children: list[Row] = []
        self.path: list[str] = []


def read_rows(lines: list[str]) -> tuple[list[Row], Row, list[str]]:
    rules = [i for i, line in enumerate(lines) if line and not line.strip("-")]
    assert len(rules) == 2, f"{len(rules)} rules"
    rows = [Row(line) for line in lines[rules[0] + 1:rules[1]]]
    return rows, Row(lines[rules[1] + 1]), lines[rules[0] - 1].split()


def nest(rows: list[Row]) -> list[Row]:
    step = min((row.indent for row in rows if row.indent), default=1)
    top: list[Row] = []
    around: list[Row] = []
    for row in rows:
        row.depth, odd = divmod(row.indent, step)
        assert not odd and step <= 2, f"odd indent: {row.name}"
        assert row.depth <= len(around), f"{row.name} is indented under nothing"
        del around[row.depth:]
        assert not around or not around[-1].is_op, f"{row.name} stands under an op"
        (around[-1].children if around else top).append(row)
        row.path = [each.name for each in around] + [row.name]
        around.append(row)
    return top


def check_sum(of: Row, parts: list[Row]) -> None:
    for key in SUMMED:
        total = sum(part.numbers[key] for part in parts)
        room = sum(part.rounding[key] for part in parts) + of.rounding[key] + 1e-9
        assert abs(total - of.numbers[key]) <= room, f"{of.name}: {key} {of.numbers[key]}, its rows have {total}"


def check_modules(rows: list[Row]) -> None:
    for row in rows:
        if row.is_op:
            continue
        assert len(row.children) > 1, f"the module {row.name} has one row"
        check_sum(row, row.children)
        runs = {child.runs for child in row.children}
        assert row.runs == (runs.pop() if len(runs) == 1 else None), f"{row.name} runs {row.runs}"


def check_bar(row: Row, has_bars: bool) -> None:
    if not has_bars:
        assert not row.bar, f"{row.name} has a bar without a legend"
        return
    halves = 2 * row.bar.count("#") + row.bar.count("-")
    assert row.bar == "#" * (halves // 2) + "-" * (halves % 2), f"{row.name}: bar {row.bar}"
    exact = row.numbers["share"] / 100 * 2 * BAR_CELLS
    assert abs(halves - exact) <= 0.5 + 0.01, f"{row.name}: {row.bar} for {row.numbers['share']} %"


def spells(path: list[str], prefix: str, name: str) -> bool:
    """Modules that were too long have lost their middle, and so has the rest of the name. Of ops that run as one, those
    behind the first may leave the modules out."""
    ahead = "".join(part + "." for part in ([prefix] if prefix else []) + path[:-1])
    inside = re.compile(re.escape(ahead).replace(r"\.\.", ".*"))
    first, *others = name.split("+")
    start = inside.match(first)
    if not start:
        return False
    rest = "+".join([first[start.end():], *(inside.sub("", other, count=1) for other in others)])
    return re.fullmatch(re.escape(path[-1]).replace(r"\.\.", ".*"), rest) is not None


def check_ops(rows: list[Row], prefix: str, report: dict, units: list[str]) -> None:
    """Finds the op of each row; rows of one module are in the order of the program."""
    left = dict(enumerate(report["ops"]))
    first: dict[int, int] = {}  # of each row: the number of its first op
    for row in rows:
        if not row.is_op:
            continue
        number = next((number for number, op in left.items() if spells(row.path, prefix, op["name"])), None)
        assert number is not None, f"no op is named {prefix} {row.path}"
        op = left.pop(number)
        first[id(row)] = number
        row.work = {"compute": 2 * op["macs"] * op["count"], "dram": op["bytes"].get(report["memories"][-1]["name"], 0) * op["count"]}
        assert int(row.runs) == op["count"], f"{op['name']}: {row.runs} runs"
        check_figures(row, op, report, units)
    assert not left, f"no row: {[op['name'] for op in left.values()]}"
    for row in reversed(rows):
        if row.children:
            check_rates(row, units)
            first[id(row)] = min(first[id(child)] for child in row.children)
    for row in rows:
        order = [first[id(child)] for child in row.children]
        assert order == sorted(order), f"the rows of {row.name} are out of order"


def check_rates(row: Row, units: list[str]) -> None:
    """Where engines work side by side, a module does the work of its ops in the time that it shows."""
    row.work = {key: sum(child.work[key] for child in row.children) for key in ("compute", "dram")}
    if "elapsed" not in row.numbers:
        return
    seconds = row.numbers["elapsed"] * 1e-6 * UNITS[units[0]]
    for key, unit, scale in (("compute", units[SHOWN.index("compute")], 1e12), ("dram", units[SHOWN.index("dram")], 1e9)):
        exact = row.work[key] / seconds / scale / UNITS[unit]
        slack = row.rounding[key] + exact * row.rounding["elapsed"] / row.numbers["elapsed"]
        assert abs(row.numbers[key] - exact) <= slack + 1e-9 * exact, f"{row.name}: {key} {row.numbers[key]}, its ops do {exact} in its time"


def check_figures(row: Row, op: dict, report: dict, units: list[str]) -> None:
    assert row.bound == op["bound"], f"{op['name']}: bound by {row.bound}"
    # Elapsed times have a column of their own where some op takes another time than its engines together.
    has_elapsed = any(abs(each["elapsed_us"] - each["total_time_us"]) > 1e-9 * each["elapsed_us"] for each in report["ops"])
    assert has_elapsed == ("elapsed" in row.numbers), f"{op['name']}: elapsed"
    for key, name, unit in zip(SHOWN[not has_elapsed:], NAMES[not has_elapsed:], units):
        exact = op[name] / UNITS[unit]
        assert abs(exact - row.numbers[key]) <= row.rounding[key] + 1e-9 * exact + 1e-9, f"{op['name']}: {key} is not {exact}"
        assert (exact > 0) == (row.numbers[key] > 0 or row.is_below[key]), f"{op['name']}: {key} is not {exact}"


def main() -> None:
    with open(sys.argv[1], encoding="ascii") as file:
        lines = file.read().split("\n")
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    for line in lines:
        assert len(line) <= 100 and (line.isprintable() or not line), f"{len(line)} columns: {line!r}"
    rows, total, units = read_rows(lines)
    top = nest(rows)
    has_bars = " A # is " in " ".join(line.strip() for line in lines)  # the legend may be wrapped there
    check_sum(total, top)
    check_modules(rows)
    for row in [*rows, total]:
        check_bar(row, has_bars)
    prefix = re.search(r'^Names without "(.*)\."', "\n".join(lines), re.M)
    check_ops(rows, prefix[1] if prefix else "", report, units)
    order = [next(i for i, row in enumerate(rows) if row is each) for each in top]
    assert order == sorted(order)
    print(f"ok: {sum(row.is_op for row in rows)} ops in {sum(not row.is_op for row in rows)} modules")


if __name__ == "__main__":
    main()
