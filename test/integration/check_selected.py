#!/usr/bin/env python3
"""Checks that nothing is fetched before it is known what is to be fetched.

    check_selected.py FOLDER CONFIG...

Imports models, schedules them on `npu` for one engine and for four, in both phases, and reads the
IR in generic form and the JSON report. Which operand selects what an op reads is written down here
as Spec.md says it; the ops that compute this operand are found by a walk over the IR, and the
report has to name the same ones. In each stretch they have ended when such a buffer is fetched.
Then each such fetch is moved to where it would end with what it waits for: that has to be found.
Shares no code with the compiler.
"""
import copy
import json
import os
import subprocess
import sys
from collections import Counter

from generic_mlir import parse

# Take no time and show what their operands do.
VIEWS = {"llm.weight", "llm.kv_cache", "llm.kv_read", "llm.size", "llm.sized", "arith.constant",
         "arith.index_cast", "tensor.cast", "tensor.collapse_shape", "tensor.concat", "tensor.empty",
         "tensor.expand_shape", "tensor.extract", "tensor.extract_slice"}
BARRIERS = {"scf.for", "scf.yield", "func.return"}


class Failure(Exception):
    pass


def fail(message):
    raise Failure(message)


def selecting(op):
    """(buffer, operands that select it) of an op."""
    if op.name == "llm.embedding":
        yield "table", op.operands[:1]
    if op.name == "llm.moe_combine":
        yield "x", op.operands[1:2]
    if op.name == "llm.grouped_matmul" and op.number("topK") < len(op.numbers("rowsPerExpert")):
        chosen = op.segment(op.operands, 3) or op.operands[:1]
        yield "rhs", chosen
        if op.segment(op.operands, 2):
            yield "bias", chosen


def inner_ops(op):
    """A kernel of several ops: (prefix of its buffers, op)."""
    if op.name != "llm.fused":
        yield "", op
        return
    kinds = Counter()
    for inner in op.regions[0].ops:
        if inner.name not in VIEWS and inner.name != "llm.yield":
            kind = inner.name.split(".")[-1]
            kinds[kind] += 1
            yield f"{kind}{kinds[kind] if kinds[kind] > 1 else ''}.", inner


class Function:
    def __init__(self, function):
        self.makers, self.names, self.ops = {}, {}, []
        unnamed = Counter()
        for op in function.walk():
            inside = any(op in outer.regions[0].ops for outer in self.ops if outer.name == "llm.fused")
            for result in op.results:
                self.makers[result] = op
            if inside or op is function or op.name in VIEWS | BARRIERS:
                continue
            self.ops.append(op)
            name = op.attrs.get("name", "").strip('"')
            self.names[id(op)] = name or f"{op.name}#{unnamed[op.name]}"
            unnamed[op.name] += not name

    def producers(self, values):
        """The names of the ops that take time and compute the values."""
        found, left = set(), list(values)
        while left:
            op = self.makers.get(left.pop())
            if op is None or op.name in BARRIERS:
                continue  # from outside
            if op.name in VIEWS:
                left += op.operands
            else:
                found.add(self.names.get(id(op)))
        return found


def stretches(order):
    for item in order:
        if "stretch" in item:
            yield item["stretch"]
        else:
            yield from stretches(item["body"])


def awaited_by_fetches(function, report):
    """(fetch, end of an op that selects what it fetches) of all of them."""
    of_name = {op["name"]: op for op in report["ops"]}
    stretch_of = {name: set(names) for names in stretches(report["order"]) for name in names}
    for op in function.ops:
        name = function.names[id(op)]
        if name not in of_name:  # it takes no time
            continue
        expected = {prefix + buffer: function.producers(values)
                    for prefix, inner in inner_ops(op) for buffer, values in selecting(inner)}
        for part in of_name[name]["parts"]:
            for buffer, source in part["sources"].items():
                if set(source["selected_by"]) != expected.get(buffer, set()):
                    fail(f"{name}: {buffer} is selected by {source['selected_by']}, "
                         f"by the IR it is by {expected.get(buffer, set())}")
        for slot in of_name[name]["slots"]:
            for fetch in slot.get("prefetches", ()):
                for other in expected.get(fetch["buffer"], set()) & stretch_of[name]:
                    yield fetch, max(each["end_cycle"] for each in of_name[other]["slots"])


def check(function, report):
    """How many slices are fetched behind what selects them."""
    count = 0
    for fetch, end in awaited_by_fetches(function, report):
        if fetch["start_cycle"] < end:
            fail(f"{fetch['buffer']} is fetched at {fetch['start_cycle']}, what selects it ends at {end}")
        count += 1
    return count


def check_that_it_fails(function, report):
    """With each of these fetches, one by one, too early by a cycle."""
    count = sum(1 for _ in awaited_by_fetches(function, report))
    for number in range(count):
        changed = copy.deepcopy(report)
        fetch, end = list(awaited_by_fetches(function, changed))[number]
        fetch["start_cycle"] = end - 1
        try:
            check(function, changed)
        except Failure:
            continue
        fail(f"fetch {number} is too early, and nothing is said")


def schedule(folder, config, phase, engines):
    """The function in generic form, and its report."""
    paths = [os.path.join(folder, name) for name in ("program.mlir", "report.json", "scheduled.mlir")]
    sizes = ["--phase=decode", "--kv-len=512"] if phase == "decode" else ["--phase=prefill", "--seq=64"]
    # The first layers of some have no experts.
    subprocess.run(["llm-translate", "--import-hf-config", config, "--layers=4", *sizes, "-o", paths[0]], check=True)
    subprocess.run(["llm-opt", paths[0], "--llm-target=name=npu", "--llm-tile", f"--llm-schedule=engines={engines}",
                    "--llm-verify-schedule=capacity=false", f"--llm-export-report=format=json file={paths[1]}",
                    "--mlir-print-op-generic", "-o", paths[2]], check=True)
    with open(paths[1], encoding="utf-8") as report, open(paths[2], encoding="utf-8") as scheduled:
        report = json.load(report)
        return Function(parse(scheduled.read())[report["function"]]), report


def main():
    folder, *configs = sys.argv[1:]
    for config in configs:
        counts = {}
        for phase in ("decode", "prefill"):
            for engines in (1, 4):
                function, report = schedule(folder, config, phase, engines)
                counts[phase, engines] = check(function, report)
                if counts[phase, engines] < 64:
                    check_that_it_fails(function, report)
        print(f"{os.path.basename(config)}: {counts['decode', 1]} slices of experts are fetched in a step, in time")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"check_selected: {failure}")
