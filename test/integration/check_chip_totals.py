"""Small models of all families, cut over chips: all chips together do the multiply-accumulates of the whole program, op by op, but
for ops that are copied, which do them a whole number of times. Products whose weights are cut are copied no more than the axes that
do not cut them say.

    check_chip_totals.py FOLDER [--tp=2,4] [--ep=2] [--dp=2] [--pp=2] [--interleave=2] [--sp] [--odd] [FAMILY...]

With --odd, chips do not divide the vocabulary and the features between products: a product does as much more as its weight has zeros.
"""
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
from cuts import find_cuts, phases_of, shard_of
from small_models import FAMILIES, write_config
from run_tools import run

TARGET = "--llm-target=name=h100-sxm set=links.nvlink.devices=64"


def key_of(name, areStages):
    """The name of an op. A loop that stages share counts through other layers in each: then all layers are together."""
    name = re.sub(r"_batch\d+$", "", name)
    return re.sub(r"\{[^}]*\}|(?<=layers\.)\d+", "N", name) if areStages else name


def macs_of(program, areStages, *passes):
    """Multiply-accumulates by op, of all runs on one chip; stages and parts of a batch are together."""
    report = run("llm-opt", program, TARGET, *passes, "--llm-tile", "--llm-schedule", "--llm-export-report=format=json", "-o", "/dev/null")
    decoded = json.loads(report)
    found = {}
    for function in decoded.get("functions", [decoded]):
        for op in function["ops"]:
            entry = found.setdefault(key_of(op["name"], areStages), [0, op["kind"]])
            entry[0] += op["macs"] * op["count"]
    return found


def grown_by_zeros(cut_program, grid):
    """How many times as large the weight of each product is with its zeros, as a fraction."""
    weights = {}
    for value, rest, shape in re.findall(r'%(\S+) = llm\.weight "[^"]*"(.*?) : tensor<([\dx]*x)', cut_program):
        if unpadded := re.search(r"llm\.unpadded = array<i64: ([\d, ]+)>", rest):
            axes = re.findall(r"[a-z_]+", " ".join(re.findall(r"d\d+ = \[([^\]]*)\]", rest)))
            elements = math.prod(map(int, re.findall(r"\d+", shape))) * math.prod(grid[axis] for axis in axes)
            weights[value] = Fraction(elements, math.prod(map(int, unpadded.group(1).split(","))))
    found = {}
    for name, operands in re.findall(r'llm\.(?:grouped_)?matmul "([^"]*)" (.*?) (?:transpose_rhs|:)', cut_program):
        found[name] = max([weights.get(v, Fraction(1)) for v in re.findall(r"%([^\s,]+)", operands)])
    return found


def cutting_axes(cut_program, areStages):
    """The axes that cut the weight of each product."""
    pieces = {}
    for value, rest in re.findall(r'%(\S+) = llm\.weight "[^"]*"(.*?) : tensor', cut_program):
        piece = re.search(r"llm\.piece = #llm\.shard<\{(.*?)\}>", rest)
        pieces[value] = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"d\d+ = \[([^\]]*)\]", piece.group(1))))) if piece else set()
    found = {}
    for name, operands in re.findall(r'llm\.matmul "([^"]*)" (.*?) (?:transpose_rhs|:|bias)', cut_program):
        weight = [v for v in re.findall(r"%([^\s,]+)", operands) if v in pieces]
        own = set().union(*(pieces[v] for v in weight))
        key = key_of(name, areStages)
        found[key] = found.get(key, own) & own
    return found


def check_family(folder, family, cut, areOdd):
    config = write_config(folder, family, areOdd=areOdd)
    for phase, options in phases_of(cut).items():
        program = folder / f"{family}.mlir"
        run("llm-translate", "--import-hf-config", config, "--layers=all", "--dtype=bf16", *options, "-o", program)
        # Chips that share sequences have experts, or there are none.
        if ("llm.moe_dispatch" in program.read_text()) != ("ep=" in cut) and ("ep=" in cut or "dp=" in cut):
            return
        passes = [shard_of(cut), "--llm-partition"]
        after = run("llm-opt", program, *passes)
        grid = {axis: int(size) for axis, size in re.findall(r"(\w+) = (\d+)", re.search(r"#llm\.grid<([^>]*)>", after).group(1))}
        chips = math.prod(size for axis, size in grid.items() if axis != "pp")  # of a stage
        areStages = "pp" in grid
        whole, one, axes = macs_of(program, areStages), macs_of(program, areStages, *passes), cutting_axes(after, areStages)
        label, copied, zeros, total = f"{family}, {phase}, {cut.replace('=', ' ')}", 0, 0, 0
        grown = grown_by_zeros(after, grid)
        for name, (macs, kind) in whole.items():
            together = one.get(name, [0])[0] * chips
            total += macs
            zeros += macs * (grown.get(name, 1) - 1)
            macs *= grown.get(name, 1)
            if kind == "grouped_matmul" and "ep=" in cut:  # the chip with most rows stands for all
                assert together >= macs, f"{label}: {name} does {together} of {macs}"
                continue
            if macs == together == 0:
                continue
            most = chips // math.prod(grid[axis] for axis in axes.get(name, ()))
            assert macs <= together <= most * macs, f"{label}: {name} does {together} of {macs}, and its weight is there {most} times"
            # Layers of several kinds that are together may be copied each in its own way.
            assert areStages or (together % macs == 0 and chips % (together // macs) == 0), f"{label}: {name} does {together} of {macs}"
            copied += together - macs
        assert not {n for n, (m, _) in one.items() if m} - whole.keys(), f"{label}: {one.keys() - whole.keys()}"
        ofZeros = f", and {100 * float(zeros / total):.1f} % by zeros" if areOdd else ""
        print(f"{label}: {total} multiply-accumulates, and {100 * float(copied / total):.1f} % more by copies{ofZeros}", flush=True)


def main():
    folder, *words = sys.argv[1:]
    Path(folder).mkdir(exist_ok=True, parents=True)
    for cut in find_cuts(words):
        for family in [word for word in words if not word.startswith("--")] or FAMILIES:
            check_family(Path(folder), family, cut, "--odd" in words)


main()
