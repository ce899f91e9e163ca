"""llm-prof import of what PyTorch 1.13 writes, a bare list of events, beside a count of the list itself.

    check_import_torch.py TRACE.json

An op is around another, and a range around both, where it starts no later and ends no earlier; of equal ones the first in the
list is around the others. Ops, whose names have "::", count for the ranges around them, each without the ops in it."""

import json
import subprocess
import sys
from collections import Counter

path = sys.argv[1]
with open(path) as file:
    events = [event for event in json.load(file) if event.get("ph") == "X"]
assert events and all(event["pid"] == "CPU functions" for event in events)


def end(event):
    return event["ts"] + event["dur"]


def is_op(event):
    return "::" in event["name"]


# From the outside in: by start, the longer one first, then as in the list.
order = sorted(range(len(events)), key=lambda number: (events[number]["tid"], events[number]["ts"], -end(events[number]), number))
around = {}
for place, number in enumerate(order):
    inner = events[number]
    for other in reversed(order[:place]):
        outer = events[other]
        if outer["tid"] == inner["tid"] and end(outer) >= end(inner) and end(outer) > inner["ts"]:
            around[number] = other
            break


def chain(number):
    while number in around:
        number = around[number]
        yield number


own = Counter()
for number, event in enumerate(events):
    if is_op(event):
        own[number] += 1000 * event["dur"]
        holder = next((other for other in chain(number) if is_op(events[other])), None)
        if holder is not None:
            own[holder] -= 1000 * event["dur"]
rows, calls, total = Counter(), Counter(), 0
for number, event in enumerate(events):
    names = [events[other]["name"] for other in chain(number) if not is_op(events[other])][::-1]
    if not is_op(event):
        calls[tuple(names + [event["name"]])] += 1
        continue
    time_ns = max(own[number], 0)
    total += time_ns
    rows[()] += 0 if names else time_ns
    for depth in range(1, len(names) + 1):
        rows[tuple(names[:depth])] += time_ns

done = subprocess.run(["llm-prof", "import", path, "--table", "--format=json"], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
read = json.loads(done.stdout)
found = {tuple(row["path"]): row for row in read["rows"]}
assert set(found) == set(calls) | {chain for chain in rows if chain or () in found}, set(found) ^ set(calls)
for names, row in found.items():
    assert (row["time_ns"], row["calls"]) == (rows[names], calls[names]), f"{names}: {row}, counted {rows[names]}, {calls[names]}"
assert read["total"]["time_ns"] == total > 0, (read["total"], total)
assert sum(row["self_ns"] for row in read["rows"]) == total

# As the program says: two passes of two layers with two modules each.
wanted = {("fwd",): 2}
for layer in ("layer.0", "layer.1"):
    wanted[("fwd", layer)] = 2
    wanted[("fwd", layer, "attn")] = wanted[("fwd", layer, "mlp")] = 2
assert dict(calls) == wanted, calls

# Products: 7 projections and 2 of attention in each layer, each one op of "mm" or "bmm".
done = subprocess.run(["llm-prof", "import", path, "--table", "--format=json", "--levels=ops", "--merge-numbers"],
                      capture_output=True, text=True)
products = Counter()
for row in json.loads(done.stdout)["rows"]:
    if row["path"] and row["path"][-1] in ("aten::mm", "aten::bmm"):
        products[(row["path"][2], row["path"][-1])] += row["calls"]
assert products == {("attn", "aten::mm"): 16, ("attn", "aten::bmm"): 8, ("mlp", "aten::mm"): 12}, products
print("PyTorch: figures are those of the list")
