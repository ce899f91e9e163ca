"""Holds the ranges of ops and of a whole program against a computation of its own.

    check_ranges.py PRESET.json REPORT.json...

Ranges of ops follow from the preset's percentiles, and that of the whole from those of ops: ops that are alike have one
error, half of the variance of a class of kernels is common to it, and classes are independent (docs/accuracy.md).
"""
import json
import math
import sys
from pathlib import Path

CLASSES = {"llm.matmul": "contraction", "llm.gqa_attn": "attention"}


def percentiles(op: dict, target: dict) -> tuple[str, float, float]:
    """Returns the group of the op, and its percentiles."""
    figures = target["calibration"]
    if op["op"] in ("llm.all_reduce", "llm.all_gather"):
        link = figures["links"]["nvlink"]
        return "nvlink", link["p10_percent"], link["p90_percent"]
    kernels = figures["engines"]["gpu"]["kernels"]
    group = CLASSES.get(op["op"], "elementwise")
    default = next((each for name, each in kernels.items() if name.startswith(f"{op['op']}@") and each.get("is_default")), None)
    own = default or kernels.get(op["op"], kernels[group])
    return group, own["p10_percent"], own["p90_percent"]


def main() -> None:
    target = json.loads(Path(sys.argv[1]).read_text())
    checked = 0
    for report in map(Path, sys.argv[2:]):
        run = json.loads(report.read_text())
        groups, total = {}, 0.0
        for op in run["ops"]:
            group, low, high = percentiles(op, target)
            assert math.isclose(op["time_p10_us"], op["time_us"] * low / 100, rel_tol=1e-9), op["name"]
            assert math.isclose(op["time_p90_us"], op["time_us"] * high / 100, rel_tol=1e-9), op["name"]
            assert op["time_from"] == "formula", op["name"]
            time = op["time_us"] * op["count"]
            total += time
            # What ops do is alike if they have the same operands and results.
            alike = groups.setdefault(group, {}).setdefault((op["op"], *op["inputs"], *op["outputs"]), [0.0, 0.0])
            alike[0] += time * (1 - low / 100)
            alike[1] += time * (high / 100 - 1)
            checked += 1
        for side, name, sign in ((0, "makespan_p10_us", -1), (1, "makespan_p90_us", 1)):
            variance = sum((sum(each[side] for each in ops.values()) ** 2 +
                            sum(each[side] ** 2 for each in ops.values())) / 2 for ops in groups.values())
            expected = run["makespan_us"] * (1 + sign * math.sqrt(variance) / total)
            assert math.isclose(run[name], expected, rel_tol=1e-9), (name, run[name], expected)
    print(f"{checked} ops")


if __name__ == "__main__":
    main()
