"""What `llm-prof compare --format=json` says, against sums that a script has of its trace."""
import json
import subprocess
import sys
from statistics import median


def require(condition, message):
    if not condition:
        sys.exit(message)


def elapsed(op):
    parts = [slot for slot in op["slots"] if "prefetched" not in slot]
    last = [slot["end_cycle"] + (slot.get("count", 1) - 1) * slot.get("start_stride", 0) for slot in parts]
    return max(last) - min(slot["start_cycle"] for slot in parts)


def predictions(path):
    report = json.load(open(path))
    report = report.get("functions", [report])[0]
    return {op["name"]: op["count"] * elapsed(op) * 1e6 / report["clock_hz"] for op in report["ops"]}


def compare(program, path, *options):
    run = subprocess.run(["llm-prof", "compare", program, path, "--format=json", *options], capture_output=True, text=True)
    require(run.returncode == 0, f"{path}: {run.stderr}")
    return json.loads(run.stdout)


def check_sums(name, found, total_ns):
    """Every nanosecond is in one place: a row, the work that is no op, or a pass that is not compared."""
    work = sum(pass_["work_ns"] for pass_ in found["passes"])
    require(work == total_ns, f"{name}: {work} ns in all passes, not {total_ns}")
    compared = [pass_ for pass_ in found["passes"] if pass_["compared"]]
    for number, pass_ in enumerate(compared):
        matched = sum(row["measured_ns_of_passes"][number] for row in found["ops"])
        left = sum(row["measured_ns_of_passes"][number] for row in found["only_measured"])
        require(matched == pass_["matched_ns"], f"{name}: pass {number} has {matched} ns in rows, not {pass_['matched_ns']}")
        require(matched + left == pass_["work_ns"], f"{name}: pass {number}: {matched} + {left} ns of {pass_['work_ns']}")
    used = [op for row in found["ops"] for op in row.get("ops", [row["name"]])]
    require(len(used) == len(set(used)), f"{name}: an op is in two rows: {used}")


def check_rows(name, found, expected, predicted):
    """`expected`: of each row its ops, the nanoseconds of each pass, and what it was matched by or None."""
    rows = {frozenset(row["ops"]): row for row in found["ops"]}
    require(set(rows) == set(expected), f"{name}: rows {[sorted(ops) for ops in rows]}")
    for ops, (of_passes, evidence) in expected.items():
        row = rows[ops]
        require(row["measured_ns_of_passes"] == of_passes, f"{name}: {sorted(ops)}: {row}, expected {of_passes}")
        seen = [time for time in of_passes if time]
        require(abs(row["measured_us"] - median(seen) / 1000) < 1e-6, f"{name}: {row['name']}: median {row['measured_us']}")
        wanted = sum(predicted[op] for op in ops)
        require(abs(row["predicted_us"] - wanted) < 1e-6 * wanted, f"{name}: {row['name']}: {row['predicted_us']}, not {wanted}")
        require(abs(row["ratio"] - row["measured_us"] / row["predicted_us"]) < 1e-9 * row["ratio"], f"{name}: {row}")
        require(evidence is None or row["matched_by"] == evidence, f"{name}: {row['name']}: by {row['matched_by']}")
    alone = {op: time for op, time in predicted.items() if not any(op in ops for ops in expected)}
    require({row["name"]: row["us"] for row in found["only_predicted"]}.keys() == alone.keys(),
            f"{name}: predicted alone: {found['only_predicted']}")
    share = found["matched"]
    for side, value in (("all_predicted_us", sum(predicted.values())),
                        ("predicted_us", sum(predicted.values()) - sum(alone.values())),
                        ("measured_us", sum(sum(times) for times, _ in expected.values()) / 1000)):
        require(abs(share[side] - value) < 1e-6 * max(value, 1), f"{name}: {side}: {share[side]}, not {value}")
