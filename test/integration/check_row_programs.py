"""Holds predictions of rows that are programs against the programs, expanded here and run through llm-opt.

    check_row_programs.py PROGRAMS WORK

PROGRAMS is the folder of programs that are built in. Each program gets rows of random sizes. llm-prof's time of a row must
be the sum over the ops of the program, in which "$(..)" is what Python makes of it.
"""
import csv
import json
import random
import re
import subprocess
import sys
from pathlib import Path

TARGET = "h100-sxm"


def programs(folder: Path):
    """Yields kind, conditions and text."""
    for path in sorted(folder.glob("*.mlir")):
        for part in re.split(r"^//! ", path.read_text(), flags=re.M)[1:]:
            head, text = part.split("\n", 1)
            kind, *conditions = head.split()
            yield kind, dict(condition.split("=") for condition in conditions), text


def share(rows: int, most: int, weights: list[float]) -> list[int]:
    """Rounds shares in order, and gives what is left to the first that have room."""
    total, left, counts = sum(weights), rows, []
    for weight in weights:
        counts.append(min(most, left, int(weight / total * rows + 0.5)))
        left -= counts[-1]
    at = 0
    while left:
        if counts[at] < most:
            counts[at] += 1
            left -= 1
        at = (at + 1) % len(counts)
    return counts


def rows_per_expert(row: dict) -> list[int]:
    tokens, topk, experts, own = (row[name] for name in ("tokens", "topk", "experts", "experts_per_rank"))
    weights = [1.0] * experts
    if row["routing"] != "balanced":
        power = 1 - float(row["routing"].removeprefix("power_law_"))
        low, high = (0.01, 2) if tokens * topk <= experts else (1, max(1.5, 0.8 * tokens))
        quantiles = [(expert + 0.5) / experts for expert in reversed(range(experts))]
        weights = [((high ** power - low ** power) * q + low ** power) ** (1 / power) for q in quantiles]
    return share(tokens * topk, tokens, weights)[::experts // own]


def expand(text: str, row: dict) -> str:
    def value(match: re.Match) -> str:
        if match[1] == "rows_per_expert":
            return str(rows_per_expert(row))
        if match[1] == "rows_of_rank":
            return str(sum(rows_per_expert(row)))
        return str(eval(match[1], {}, row))
    return re.sub(r"\$\((.*?)\)", value, text)


def random_row(rng: random.Random, conditions: dict) -> dict:
    experts = rng.choice([16, 32])
    ranks = 1 if conditions.get("expert_parallel") == "1" else rng.choice([2, 4])
    q_len = rng.choice([1, 64, 200])
    return {"batch": rng.randint(1, 8), "q_len_tokens": q_len, "kv_len_tokens": q_len + rng.randint(0, 500),
            "heads_per_rank": rng.choice([1, 8, 16]), "tokens": rng.randint(1, 300), "k": 128, "n": 512,
            "hidden": 1024, "expert_inter_per_rank": 512, "topk": rng.choice([2, 4]), "experts": experts,
            "experts_per_rank": experts // ranks, "expert_parallel": ranks, "seq_len_tokens": rng.randint(1, 300),
            "conv_channels": 1024, "d_conv": 4, "k_heads_per_rank": 4, "head_k_dim": 128, "v_heads_per_rank": 8,
            "head_v_dim": 128, "routing": rng.choice(["balanced", "power_law_1.2", "power_law_1.01"]), **conditions}


def main() -> None:
    folder, work = map(Path, sys.argv[1:])
    rng = random.Random(3)
    rows, functions = [], []
    for kind, conditions, text in programs(folder):
        for _ in range(3):
            row = random_row(rng, conditions)
            functions.append(expand(text, row).replace("@row", f"@row{len(rows)}"))
            rows.append({"row_id": f"row{len(rows)}", "op": kind, **row, "measured_us": 1})
    table, program = work / "rows.csv", work / "rows.mlir"
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with table.open("w") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    program.write_text("\n".join(functions))
    report = work / "report.json"
    subprocess.run(["llm-opt", program, f"--llm-target=name={TARGET}", "--llm-tile", "--llm-schedule",
                    f"--llm-export-report=format=json file={report}", "-o", work / "planned.mlir"], check=True)
    expected = {each["function"]: sum(op["cycles"] for op in each["ops"]) / each["clock_hz"] * 1e6
                for each in json.loads(report.read_text())["functions"]}
    out = work / "predicted.csv"
    subprocess.run(["llm-prof", "validate", f"--target={TARGET}", "--format=csv", "-o", out, table], check=True)
    predicted = {row["row_id"]: float(row["predicted_us"]) for row in csv.DictReader(out.open())}
    assert predicted.keys() == expected.keys(), predicted.keys() ^ expected.keys()
    for name, time in expected.items():
        assert abs(predicted[name] - time) < 0.002, (name, predicted[name], time)
    print(f"{len(expected)} rows of {len(set(row['op'] for row in rows))} kinds")


if __name__ == "__main__":
    main()
