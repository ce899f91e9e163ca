"""What --llm-export-report=baseline=... says of two runs, derived anew from the reports of both.

    check_run_comparison.py REPORT BASELINE COMPARED.json COMPARISON.csv TABLE PAGE

Ops are the same work if they run the same parts: an op with a name like "a.q_proj+k_proj", and each part of a kernel of
several ops, is all of its parts. The elapsed time of several ops is the time in which one of them is under way, found
here cycle edge by cycle edge.
"""
import csv
import json
import re
import sys

report_path, baseline_path, compared_path, csv_path, table_path, page_path = sys.argv[1:]


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


report, baseline, compared = read(report_path), read(baseline_path), read(compared_path)
whole_names = {op["name"] for run in (report, baseline) for op in run["ops"]}
whole_names |= {part["name"] for run in (report, baseline) for op in run["ops"] for part in op.get("fused", [])}


def parts_of(op):
    """Names that are left out in part are those of an op beside the first one, or in a module around it."""
    parts = set()
    for inner in op.get("fused", [op]):
        first, *others = inner["name"].split("+")
        parts.add(first)
        for other in others:
            around = first.split(".")[:-1]
            while around and ".".join([*around, other]) not in whole_names:
                around.pop()
            parts.add(".".join([*around, other]) if around else other if "." in other else
                      ".".join([*first.split(".")[:-1], other]))
    return parts


def elapsed_us(run, names):
    cycles = 0
    by_loops = {}
    for op in run["ops"]:
        if op["name"] in names:
            by_loops.setdefault(tuple(op.get("loops", [])), []).append(op)
    for ops in by_loops.values():
        spans = [(min(s["start_cycle"] for s in op["slots"]), max(s["end_cycle"] for s in op["slots"])) for op in ops]
        edges = sorted({edge for span in spans for edge in span})
        for start, end in zip(edges, edges[1:]):
            if any(low <= start and end <= high for low, high in spans):
                cycles += (end - start) * ops[0]["count"]
    return cycles * 1e6 / run["clock_hz"]


def components():
    """Pairs of sets of names that do the same work, by joining ops that share a part."""
    nodes = [("here", op["name"], parts_of(op)) for op in report["ops"]]
    nodes += [("there", op["name"], parts_of(op)) for op in baseline["ops"]]
    groups = []
    for side, name, parts in nodes:
        joined = {"parts": set(parts), "here": set(), "there": set()}
        joined[side].add(name)
        apart = []
        for group in groups:
            if group["parts"] & joined["parts"]:
                for key in joined:
                    joined[key] |= group[key]
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups


def near(found, wanted, what):
    assert abs(found - wanted) <= 1e-9 * max(abs(wanted), 1), f"{what}: {found}, not {wanted}"


comparison = compared["comparison"]
near(comparison["makespan_us"], report["makespan_us"], "makespan")
near(comparison["baseline_makespan_us"], baseline["makespan_us"], "makespan of the baseline")
near(comparison["difference_percent"], 100 * (report["makespan_us"] / baseline["makespan_us"] - 1), "difference")
wanted = {(frozenset(group["here"]), frozenset(group["there"])) for group in components() if group["here"] and group["there"]}
found = {(frozenset(row["names"]), frozenset(row["baseline_names"])) for row in comparison["ops"]}
assert found == wanted, f"matched {found ^ wanted}"
assert any(len(there) > len(here) for here, there in found), "nothing is fused here"
for row in comparison["ops"]:
    now, before = elapsed_us(report, row["names"]), elapsed_us(baseline, row["baseline_names"])
    near(row["elapsed_us"], now, row["names"])
    near(row["baseline_elapsed_us"], before, row["baseline_names"])
    near(row["difference_us"], now - before, row["names"])
    near(row["difference_percent"], 100 * (now - before) / before, row["names"])
for side, run, key in (("here", report, "names"), ("in_baseline", baseline, "baseline_names")):
    matched = {name for row in comparison["ops"] for name in row[key]}
    only = {op["name"]: elapsed_us(run, [op["name"]]) for op in run["ops"] if op["name"] not in matched}
    assert {row["name"]: row["elapsed_us"] for row in comparison[f"only_{side}"]} == only


def module_of(name):
    """The module that all ops of a kernel share, as far as their names are whole."""
    first, *others = [part.split(".")[:-1] for part in name.split("+")]
    for path in others:
        if path and first and path[0] == first[0]:
            first = [one for at, one in enumerate(first) if first[:at + 1] == path[:at + 1]]
    return tuple(first)


def check_modules():
    lost = {op["name"] for op in comparison["only_in_baseline"]}
    names = [op["name"] for op in report["ops"]] + sorted(lost)
    inside = {}  # the ops and modules that stand in a module
    for name in names:
        path = module_of(name)
        for depth in range(len(path)):
            inside.setdefault(path[:depth + 1], set()).add(name if depth + 1 == len(path) else path[:depth + 2])
    expected = {path for path, children in inside.items() if len(children) > 1}
    found = {tuple(row["module"].split(".")): row for row in comparison["modules"]}
    assert set(found) == expected, f"modules {set(found) ^ expected}"
    for path, row in found.items():
        is_in = lambda name: module_of(name)[:len(path)] == path
        here = {name for name in names if is_in(name) and name not in lost}
        near(row["elapsed_us"], elapsed_us(report, here), path)
        work = [piece for piece in comparison["ops"] if here & set(piece["names"])]
        if any(set(piece["names"]) - here for piece in work):
            assert "baseline_elapsed_us" not in row and "difference_us" not in row, path
            continue
        there = {name for piece in work for name in piece["baseline_names"]} | {name for name in lost if is_in(name)}
        if {op["name"] for op in baseline["ops"] if is_in(op["name"])} - there:  # some run outside of the module here
            assert "baseline_elapsed_us" not in row, path
            continue
        before = elapsed_us(baseline, there)
        near(row["baseline_elapsed_us"], before, path)
        near(row["difference_us"], row["elapsed_us"] - before, path)
        near(row["difference_percent"], 100 * (row["elapsed_us"] - before) / before, path)


check_modules()

# CSV has the same rows with the same names of columns.
with open(csv_path, encoding="utf-8", newline="") as file:
    all_rows = list(csv.DictReader(file))
rows = [row for row in all_rows if row["kind"] == "op"]
modules = [row for row in all_rows if row["kind"] == "module"]
assert len(rows) + len(modules) == len(all_rows)
assert [row["names"] for row in modules] == [row["module"] for row in comparison["modules"]]
for line, row in zip(modules, comparison["modules"]):
    for key in ("elapsed_us", "baseline_elapsed_us", "difference_us", "difference_percent"):
        assert (line[key] != "") == (key in row), (line, row)
        if key in row:
            near(float(line[key]), row[key], key)
both = [row for row in rows if row["names"] and row["baseline_names"]]
assert len(both) == len(comparison["ops"])
for line, row in zip(both, comparison["ops"]):
    assert line["names"].split(" ") == row["names"] and line["baseline_names"].split(" ") == row["baseline_names"]
    for key in ("count", "elapsed_us", "baseline_elapsed_us", "difference_us", "difference_percent"):
        near(float(line[key]), row[key], key)
assert len(rows) - len(both) == len(comparison["only_here"]) + len(comparison["only_in_baseline"])

# The table has the rows with what differs most first.
with open(table_path, encoding="utf-8") as file:
    lines = file.read().split("Beside the baseline, ")[1].splitlines()
shown = [float(match[1].replace(",", "")) for line in lines
         if (match := re.search(r" ([+-]?[\d,]+\.\d{3})\s+[+-]?[\d,]+\.\d$", line))]
by_size = sorted((row["difference_us"] for row in comparison["ops"]), key=abs, reverse=True)
by_size += [row["difference_us"] for row in comparison["modules"] if "difference_us" in row]
assert len(shown) == len(by_size) + 1, "a row for each, and the makespan"
for number, row in zip(shown, by_size):
    assert abs(abs(number) - abs(row)) < 0.0006, f"{number}, not {row}"
near(round(shown[-1], 3), round(comparison["difference_us"], 3), "the makespan's difference")

# The page shows the same matches and times.
with open(page_path, encoding="utf-8") as file:
    data = json.loads(re.search(r'id="reports">(.*?)</script>', file.read(), re.S)[1])
(matches,) = data["matches"]
on_page = [{"names": [data["report"]["ops"][at]["name"] for at in here],
            "baseline_names": [data["baseline"]["ops"][at]["name"] for at in there],
            "elapsed_us": now, "baseline_elapsed_us": before} for here, there, now, before in matches["ops"]]
assert on_page == [{key: row[key] for key in on_page[0]} for row in comparison["ops"]]
assert matches["modules"] == [[row[key] for key in ("module", "elapsed_us", "baseline_elapsed_us") if key in row]
                              for row in comparison["modules"]]
print(f"ok: {len(wanted)} pieces of work are compared")
