"""Holds the costs of ops beside measured times against a computation of its own.

    check_measured_times.py WORK PRESETS

A table of random products, norms and attention is made from what the formula says, times random factors. A program has
ops of measured sizes, of sizes near to them and far from them, and some that are only like measured ones. Their times
follow here from the formula's times (of the same program without the table), by what Spec.md says of measured times.
Their ranges follow from the percentiles of the preset, which is in the folder PRESETS, and from what measured times say of
each other.
"""
import csv
import json
import math
import random
import subprocess
import sys
from pathlib import Path

TARGET = "h100-sxm"
CLOCK_HZ = 1.83e9


def product(m: int, n: int, k: int, bias: bool = False) -> str:
    lhs, rhs, out = f"tensor<{m}x{k}xbf16>", f"tensor<{n}x{k}xbf16>", f"tensor<{m}x{n}xbf16>"
    given, type_of = (", %bias = %bias", f", tensor<{n}xbf16>") if bias else ("", "")
    arguments = f"%a: {lhs}, %b: {rhs}" + (f", %bias: tensor<{n}xbf16>" if bias else "")
    used = "bias %bias " if bias else ""
    return (f"({arguments}) -> {out} {{\n  %0 = llm.matmul %a, %b {used}transpose_rhs : {lhs}, {rhs}{type_of}\n"
            f"  return %0 : {out}\n}}")


def norm(rows: int, cols: int) -> str:
    x, w = f"tensor<{rows}x{cols}xbf16>", f"tensor<{cols}xbf16>"
    return (f"(%a: {x}, %b: {w}) -> {x} {{\n  %0 = llm.rmsnorm %a, %b epsilon 1.0e-5 : {x}, {w}\n"
            f"  return %0 : {x}\n}}")


def attention(batch: int, keys: int) -> str:
    q, kv = f"tensor<{batch}x1x32x128xbf16>", f"tensor<{batch}x{keys}x8x128xbf16>"
    return (f"(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{\n  %0 = llm.gqa_attn %q, %k, %v mask causal scale 1.0 : "
            f"{q}, {kv}, {kv}\n  return %0 : {q}\n}}")


def doublings(size: int) -> float:
    """Counts them linearly between powers of 2."""
    power = size.bit_length() - 1
    return power + size / 2 ** power - 1


def squared_distance(one: tuple, other: tuple) -> float:
    return sum((doublings(a) - doublings(b)) ** 2 for a, b in zip(one, other))


class Case:
    """An op: its kind, its sizes, and whether rows of its kind are of its very form."""

    def __init__(self, kind: str, sizes: tuple, text: str, is_of_form: bool = True):
        self.kind, self.sizes, self.text, self.is_of_form = kind, sizes, text, is_of_form


def expected(case: Case, formula_us: float, memory_us: float, rows: list[tuple]) -> float:
    """Returns the microseconds of an op. Rows are kinds, sizes, times and formulas' times."""
    alike = [row for row in rows if row[0] == case.kind]
    exact = [row for row in alike if row[1] == case.sizes]
    if exact and case.is_of_form:
        return max(memory_us, sum(time for *_, time, _ in exact) / len(exact))
    if exact:
        factor = sum(time / formula for *_, time, formula in exact) / len(exact)
    else:
        weights = [squared_distance(case.sizes, row[1]) ** -2 for row in alike]
        factor = ((sum(w * row[2] / row[3] for w, row in zip(weights, alike)) + 1 / 16) / (sum(weights) + 1 / 16))
    time = formula_us * factor
    if case.is_of_form:
        least = max((row[2] for row in alike if all(a <= b for a, b in zip(row[1], case.sizes))), default=0)
        most = min((row[2] for row in alike if all(a >= b for a, b in zip(row[1], case.sizes))), default=math.inf)
        if least <= most:
            time = min(max(time, least), most)
    return max(memory_us, time)


def spread_left_out(kind: str, rows: list[tuple]) -> tuple | None:
    """Returns the percentiles of what each time is, by the times of other sizes."""
    alike = [row for row in rows if row[0] == kind]
    if len(alike) < 20:
        return None
    ratios = []
    for _, sizes, time, formula in alike:
        others = [row for row in alike if row[1] != sizes]
        weights = [squared_distance(sizes, row[1]) ** -2 for row in others]
        factor = (sum(w * row[2] / row[3] for w, row in zip(weights, others)) + 1 / 16) / (sum(weights) + 1 / 16)
        ratios.append(time / formula / factor)
    ratios.sort()
    return ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]


def check_range(case: Case, op: dict, near: float, rows: list[tuple], far: dict) -> bool:
    """Checks the range of an op. Returns whether others of its form told it."""
    ends = op["time_p10_us"] / op["time_us"], op["time_p90_us"] / op["time_us"]
    expected = far[case.kind]
    told = spread_left_out(case.kind, rows) if case.is_of_form and op["time_from"] == "corrected" else None
    if op["time_from"] == "measured":
        expected = 0.97, 1.03
    elif told:
        share = near / (near + 1 / 16)
        expected = tuple(a + (b - a) * share for a, b in zip(expected, told))
    assert all(abs(a - b) < 1e-5 for a, b in zip(ends, expected)), (case.kind, case.sizes, ends, expected)
    return told is not None


def plan(program: Path, options: str, work: Path) -> dict:
    """Returns the ops' times and cycles by function, and checks that cost and schedule hold."""
    report = work / "report.json"
    done = subprocess.run(["llm-opt", program, f"--llm-target=name={TARGET}{options}", "--llm-tile", "--llm-schedule",
                           "--llm-verify-cost", "--llm-verify-schedule",
                           f"--llm-export-report=format=json file={report}", "-o", work / "planned.mlir"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {each["function"]: each["ops"][0] for each in json.loads(report.read_text())["functions"]}


def program_of(cases: list[Case]) -> str:
    return "\n".join(f"func.func @f{at}{case.text}" for at, case in enumerate(cases)) + "\n"


def make(kind: str, sizes: tuple) -> Case:
    return Case(kind, sizes, {"gemm": product, "rmsnorm": norm, "attention_decode": attention}[kind](*sizes))


def random_case(rng: random.Random) -> Case:
    kind = rng.choice(["gemm", "gemm", "rmsnorm", "attention_decode"])
    size = lambda low, high: int(2 ** rng.uniform(low, high))
    sizes = {"gemm": (size(0, 11), 128 * size(2, 6), 128 * size(2, 6)), "rmsnorm": (size(0, 12), 8 * size(6, 10)),
             "attention_decode": (size(0, 6), size(6, 13))}[kind]
    return make(kind, sizes)


COLUMNS = {"gemm": ("m", "n", "k"), "rmsnorm": ("rows", "cols"), "attention_decode": ("batch", "kv_len")}


def write_table(path: Path, rows: list[tuple]) -> None:
    fields = ["op_kind", "dtype", "m", "n", "k", "rows", "cols", "batch", "heads", "kv_heads", "head_dim", "q_len",
              "kv_len", "measured_us"]
    with path.open("w") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        for kind, sizes, time, _ in rows:
            cells = dict(zip(COLUMNS[kind], sizes), op_kind=kind, dtype="bf16", measured_us=repr(time))
            if kind == "attention_decode":
                cells.update(heads=32, kv_heads=8, head_dim=128, q_len=1)
            writer.writerow(cells)


def main() -> None:
    work = Path(sys.argv[1])
    rng = random.Random(7)
    # The first streams a weight of 134 MB, and is measured twice as fast as memory is.
    measured = [make("gemm", (1, 8192, 8192)), *(random_case(rng) for _ in range(59))]
    # Some rows stand there twice, some ops are like measured ones, and most are of other sizes.
    queries = [*measured[:20], *(random_case(rng) for _ in range(80))]
    for case in [each for each in measured if each.kind == "gemm"][:4]:
        queries.append(Case("gemm", case.sizes, product(*case.sizes, bias=True), is_of_form=False))
    program = work / "measured.mlir"
    program.write_text(program_of(measured))
    formula = plan(program, "", work)
    us = lambda op: op["cycles"] / CLOCK_HZ * 1e6
    rows = [(case.kind, case.sizes, us(formula[f"f{at}"]) * (rng.uniform(0.6, 1.6) if at else 0.5), us(formula[f"f{at}"]))
            for at, case in enumerate(measured)]
    rows += [(kind, sizes, time * 1.1, by_formula) for kind, sizes, time, by_formula in rows[:5]]
    table = work / "rows.csv"
    write_table(table, rows)
    program.write_text(program_of(queries))
    before, after = plan(program, "", work), plan(program, f" measured={table}", work)
    sources = {"formula": 0, "corrected": 0, "measured": 0}
    clamped = told = 0
    kernels = json.loads((Path(sys.argv[2]) / f"{TARGET}.json").read_text())["calibration"]["engines"]["gpu"]["kernels"]
    far = {kind: (kernels[name]["p10_percent"] / 100, kernels[name]["p90_percent"] / 100) for kind, name in
           (("gemm", "contraction"), ("rmsnorm", "llm.rmsnorm"),
            ("attention_decode", next(name for name in kernels if name.startswith("llm.gqa_attn@") and kernels[name].get("is_default"))))}
    for at, case in enumerate(queries):
        name = f"f{at}"
        memory_us = before[name]["memory_cycles"] / CLOCK_HZ * 1e6
        time = expected(case, us(before[name]), memory_us, rows)
        # Times are whole cycles, and shares are whole millionths.
        allowed = 2e-6 * time + 2e6 / CLOCK_HZ
        assert abs(us(after[name]) - time) <= allowed, (case.kind, case.sizes, us(before[name]), us(after[name]), time)
        sources[after[name]["time_from"]] += 1
        clamped += time == memory_us
        exact = any(row[:2] == (case.kind, case.sizes) for row in rows)
        assert (after[name]["time_from"] == "measured") == (exact and case.is_of_form), (case.sizes, after[name])
        near = sum(squared_distance(case.sizes, row[1]) ** -2 if row[1] != case.sizes else math.inf
                   for row in rows if row[0] == case.kind)
        if after[name]["time_from"] != "measured":
            assert (after[name]["time_from"] == "corrected") == (near >= 1 / 16), (case.sizes, near)
        told += check_range(case, after[name], near, rows, far)
        assert after[name]["bytes"] == before[name]["bytes"] and after[name]["macs"] == before[name]["macs"]
    print(f"{len(queries)} ops: {sources['measured']} measured, {sources['corrected']} corrected, "
          f"{sources['formula']} by the formula, {clamped} at memory's rate")
    assert min(*sources.values(), clamped, told) > 0


if __name__ == "__main__":
    main()
