"""Holds predictions of rows that are programs against the programs, expanded here and run through llm-opt.

    check_row_programs.py PROGRAMS WORK

PROGRAMS is the folder of programs that are built in. Each program gets rows of random sizes. llm-prof's time of a row must
be the sum over the ops of the program, in which "$(..)" is what Python makes of it. Programs that are beside attention come with
those of an attention and the write of its cache, which stand here.
"""
import csv
import json
import random
import re
import subprocess
import sys
from pathlib import Path

TARGET = "h100-sxm"
ROOT = Path(__file__).resolve().parents[2]


ATTENTION = """
func.func @row(%q: tensor<$(batch)x$(q_len_tokens)x$(heads)x$(head_dim)xbf16>,
    %k: tensor<$(batch)x$(kv_len_tokens)x$(kv_heads)x$(head_dim)x$(cache)>,
    %v: tensor<$(batch)x$(kv_len_tokens)x$(kv_heads)x$(v_head_dim)x$(cache)>,
    %new: tensor<$(batch)x$(q_len_tokens)x$(kv_heads)x$((head_dim + v_head_dim) // 2)xbf16>) {
  %y = llm.gqa_attn %q, %k, %v mask causal scale 1.0 : tensor<$(batch)x$(q_len_tokens)x$(heads)x$(head_dim)xbf16>,
      tensor<$(batch)x$(kv_len_tokens)x$(kv_heads)x$(head_dim)x$(cache)>, tensor<$(batch)x$(kv_len_tokens)x$(kv_heads)x$(v_head_dim)x$(cache)>
  %c = llm.kv_cache "cache" : <batch = $(batch), kv_heads = $(kv_heads), head_dim = $((head_dim + v_head_dim) // 2), capacity = $(kv_len_tokens), $(cache)>
  %w = llm.kv_write %c, %new, %new at $(kv_len_tokens - q_len_tokens)
      : <batch = $(batch), kv_heads = $(kv_heads), head_dim = $((head_dim + v_head_dim) // 2), capacity = $(kv_len_tokens), $(cache)>,
        tensor<$(batch)x$(q_len_tokens)x$(kv_heads)x$((head_dim + v_head_dim) // 2)xbf16>, tensor<$(batch)x$(q_len_tokens)x$(kv_heads)x$((head_dim + v_head_dim) // 2)xbf16>
  return
}
"""


def programs(folder: Path):
    """Yields kind, conditions, names that the program defines, and text, which heads that follow each other share."""
    for path in sorted(folder.glob("*.mlir")):
        parts = re.split(r"^//! ", path.read_text(), flags=re.M)[1:]
        texts = [part.split("\n", 1) for part in parts]
        for number, (head, _) in enumerate(texts):
            text = next(text for _, text in texts[number:] if text)
            conditions, _, own = head.removeprefix("beside ").partition(" with ")
            kind, *conditions = conditions.split()
            yield kind, words_of(conditions), words_of(own.split()), text + (ATTENTION if head.startswith("beside ") else "")


def words_of(pairs: list[str]) -> dict[str, str]:
    """Of several words that a column may have, the first."""
    return {name: words.split("|")[0] for name, words in (pair.split("=") for pair in pairs)}


def share(rows: int, most: int, weights: list[float]) -> list[int]:
    """Rounds shares. One by one, the smallest gets a row that is missing, and the largest loses one too many."""
    counts = [min(most, int(weight / sum(weights) * rows + 0.5)) for weight in weights]
    while sum(counts) < rows:
        counts[counts.index(min(counts))] += 1
    while sum(counts) > rows:
        counts[len(counts) - 1 - counts[::-1].index(max(counts))] -= 1
    return counts


def rows_per_expert(row: dict) -> list[int]:
    tokens, topk, experts, own = (int(row[name]) for name in ("tokens", "topk", "experts", "experts_per_rank"))
    weights = [1.0] * experts
    if row["routing"] == "balanced" and row.get("flag") == "half_experts_read":
        weights = weights[:max(topk, experts // 2)]
    elif row["routing"] != "balanced":
        power = 1 - float(row["routing"].removeprefix("power_law_"))
        low, high = (0.01, 2) if tokens * topk <= experts else (1, max(1.5, 0.8 * tokens))
        quantiles = [(expert + 0.5) / experts for expert in reversed(range(experts))]
        weights = [((high ** power - low ** power) * q + low ** power) ** (1 / power) for q in quantiles]
    counts = share(tokens * topk, tokens, weights)
    if own > len(counts):
        counts += [0] * (experts - len(counts))
    return [counts[expert * len(counts) // own] for expert in range(own)]


def value_of(expression: str, row: dict) -> str:
    if expression == "rows_per_expert":
        return str(rows_per_expert(row))
    if " of " in expression:
        count, each = expression.split(" of ")
        return str([int(value_of(each, row))] * int(value_of(count, row)))
    numbers = {name: int(word) if str(word).isdigit() else word for name, word in row.items()}
    if "rows_of_rank" in expression:
        numbers["rows_of_rank"] = sum(rows_per_expert(row))
    return str(eval(re.sub(r"(\w+|\([^()]*\)) ceildiv (\d+)", r"-(-\1 // \2)", expression), {}, numbers))


def expand(text: str, row: dict) -> str:
    expanded, *rest = text.split("$(")
    for part in rest:
        end = next(at for at in range(len(part)) if part[:at + 1].count(")") > part[:at + 1].count("("))
        expanded += value_of(part[:end], row) + part[end + 1:]
    return expanded


def random_row(rng: random.Random, conditions: dict) -> dict:
    own = int(conditions.get("experts_per_rank", 8))
    ranks = 1 if conditions.get("expert_parallel") == "1" else rng.choice([2, 4])
    q_len = rng.choice([1, 64, 200])
    return {"batch": rng.randint(1, 8), "q_len_tokens": q_len, "kv_len_tokens": q_len + rng.randint(0, 500),
            "heads_per_rank": rng.choice([1, 8, 16]), "tokens": rng.randint(1, 300), "k": 128, "n": 512,
            "hidden": 1024, "expert_inter_per_rank": 512, "topk": rng.choice([2, 4]), "experts": own * ranks,
            "experts_per_rank": own, "expert_parallel": ranks, "seq_len_tokens": rng.randint(2, 300),
            "conv_channels": 1024, "d_conv": 4, "k_heads_per_rank": 4, "head_k_dim": 128, "v_heads_per_rank": 8,
            "head_v_dim": 128, "heads": 8, "kv_heads": 2, "head_dim": 64, "dtype": "bf16", "kv_dtype": "bf16", "d_state": 128, "groups": 2, "chunk": 128, "streams": 4,
            "sinkhorn_iters": 20, "routing": rng.choice(["balanced", "power_law_1.2", "power_law_1.01"]),
            "flag": rng.choice(["", "half_experts_read"]), **conditions}


def with_attention(row: dict) -> dict:
    """Adds what ATTENTION names."""
    return {"v_head_dim": row["head_dim"], **row, "cache": {"bf16": "bf16", "fp8": "f8E4M3FN"}[row["kv_dtype"]]}


def times_of(functions: list[str], library: str, work: Path) -> dict[str, float]:
    """What llm-opt says of each function, with the figures that the target has of a library, if it has any."""
    program, report = work / "rows.mlir", work / "report.json"
    program.write_text("\n".join(functions))
    preset = json.loads((ROOT / "lib" / "Target" / "presets" / f"{TARGET}.json").read_text())
    kernels = preset["calibration"]["engines"]["gpu"]["kernels"]
    chosen = f" library={library}" if any(name.partition("@")[2].partition("#")[0] == library for name in kernels) else ""
    subprocess.run(["llm-opt", program, f"--llm-target=name={TARGET}{chosen}", "--llm-tile", "--llm-schedule",
                    f"--llm-export-report=format=json file={report}", "-o", work / "planned.mlir"], check=True)
    decoded = json.loads(report.read_text())
    times: dict[str, float] = {}
    for each in decoded.get("functions", [decoded]):
        name = each["function"].rstrip(".")  # of several functions that are one row
        times[name] = times.get(name, 0) + sum(op["cycles"] for op in each["ops"]) / each["clock_hz"] * 1e6
    return times


def main() -> None:
    folder, work = map(Path, sys.argv[1:])
    rng = random.Random(3)
    rows, functions = [], {}
    for kind, conditions, own, text in programs(folder):
        for _ in range(1 if own else 3):  # models and types are many
            row = random_row(rng, conditions)
            known = with_attention(row) if kind.startswith("attention_") else row
            first, *others = expand(text, known | own).split("@row")
            text_of_row = first + "".join(f"@row{len(rows)}{'.' * at}{part}" for at, part in enumerate(others))
            functions.setdefault(own.get("library", conditions.get("backend", "")), []).append(text_of_row)
            rows.append({"row_id": f"row{len(rows)}", "op": kind, **row, "measured_us": 1})
    table = work / "rows.csv"
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with table.open("w") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    expected = {}
    for library, own in functions.items():
        expected.update(times_of(own, library, work))
    out = work / "predicted.csv"
    subprocess.run(["llm-prof", "validate", f"--target={TARGET}", "--format=csv", "-o", out, table], check=True)
    predicted = {row["row_id"]: float(row["predicted_us"]) for row in csv.DictReader(out.open())}
    assert predicted.keys() == expected.keys(), predicted.keys() ^ expected.keys()
    for name, time in expected.items():
        assert abs(predicted[name] - time) < 0.002, (name, predicted[name], time)
    print(f"{len(expected)} rows of {len(set(row['op'] for row in rows))} kinds")


if __name__ == "__main__":
    main()
