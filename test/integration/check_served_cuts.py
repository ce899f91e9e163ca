"""`llm-prof serve --chips=`: which cuts there are, what each takes, and which are best, all found again.

    check_served_cuts.py LLM_BIN CONFIG FOLDER CHIPS REQUESTS EXPERTS LAYERS

EXPERTS is 0 for a dense model. A cut is tried if its copies, stages and chips make up CHIPS (docs/many-chips.md). Times are those of
two programs, each made and timed by itself.
"""
import csv
import io
import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

BIN, CONFIG, FOLDER = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
CHIPS, REQUESTS, EXPERTS, LAYERS = map(int, sys.argv[4:])
TARGET, ISL, OSL = "h100-sxm", 256, 100
NAMES = ("tp", "cp", "ep", "dp", "pp")
HEADS, KV_HEADS = (json.loads(Path(CONFIG).read_text())[key] for key in ("num_attention_heads", "num_key_value_heads"))


def run(tool, *words):
    return subprocess.run([BIN / tool, *map(str, words)], check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def possible():
    """Copies, tp, cp, ep, dp and pp, by trying all numbers. Chips with the same KV head share its keys, or none does."""
    for copies, tp, ep, dp, pp in itertools.product(range(1, CHIPS + 1), repeat=5):
        batch = math.ceil(REQUESTS / copies)
        if copies * tp * ep * pp != CHIPS or copies > REQUESTS or pp > LAYERS or ep % dp or batch % dp:
            continue
        if ep == 1 or (EXPERTS and EXPERTS % ep == 0):
            yield copies, tp, 1, ep, dp, pp
            chips = tp * ep // dp
            if chips > math.gcd(chips, KV_HEADS) and HEADS % chips == 0:
                yield copies, tp, chips // math.gcd(chips, KV_HEADS), ep, dp, pp


def reports(cut, batch, groups, *sizes):
    pp = cut[-1]
    module, out = FOLDER / "model.mlir", FOLDER / "report.json"
    run("llm-translate", "--import-hf-config", CONFIG, "--layers=all", f"--batch={batch}", *sizes, "-o", module)
    degrees = " ".join(f"{name}={n}" for name, n in zip(NAMES, cut))
    stages = f" microbatches={groups}" if pp > 1 else ""
    run("llm-opt", module, f"--llm-target=name={TARGET}", f"--llm-pipeline={degrees}{stages} fuse=true fuse-projections=true",
        f"--llm-export-report=format=json file={out}", "-o", "/dev/null")
    decoded = json.loads(out.read_text())
    return decoded.get("functions", [decoded])


def expected(copies, tp, cp, ep, dp, pp):
    most = lambda keys: math.ceil(keys / cp) * cp  # the chip with most of them
    batch = math.ceil(REQUESTS / copies)
    groups = max(1, min(pp, batch // dp))  # so many groups of requests are in the pipeline
    group = math.ceil(batch / (groups * dp)) * dp
    steps = reports((tp, cp, ep, dp, pp), group, groups, "--phase=decode", f"--kv-len={most(ISL + OSL // 2)}")
    prompts = reports((tp, cp, ep, dp, pp), dp, 1, "--phase=prefill", f"--seq={most(ISL)}")
    step = steps[0]["pipeline"]["period_us"] if pp > 1 else steps[0]["makespan_us"]
    prompt = prompts[0]["pipeline"]["makespan_us"] if pp > 1 else prompts[0]["makespan_us"]
    token = step + (batch - 1) / (OSL - 1) * prompt / dp  # dp prompts are read at once
    rate = REQUESTS * OSL / (prompt + (OSL - 1) * token) / CHIPS
    need = max(each["capacity"]["needed_bytes"] for each in steps + prompts)
    return {"tpot_ms": token / 1e3, "ttft_ms": prompt / 1e3, "step_ms": step / 1e3, "tokens_per_second_per_user": 1e6 / token,
            "tokens_per_second_per_chip": 1e6 * rate, "needed_bytes": need}


def describe(copies, *cut):
    words = " ".join(f"{name}={n}" for name, n in zip(NAMES, cut) if n > 1) or "one chip"
    return words if copies == 1 else f"{copies} x {words}"


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    load = [CONFIG, f"--target={TARGET}", f"--chips={CHIPS}", f"--requests={REQUESTS}", f"--isl={ISL}", f"--osl={OSL}"]
    rows = list(csv.DictReader(io.StringIO(run("llm-prof", "serve", *load, "--format=csv"))))
    found = {tuple(int(row[name]) for name in ("workers", *NAMES)): row for row in rows}
    assert len(found) == len(rows) and set(found) == set(possible()), (set(found) ^ set(possible()))
    for cut, row in found.items():
        for column, value in expected(*cut).items():
            assert math.isclose(float(row[column]), value, rel_tol=2e-5), (cut, column, row[column], value)
    figures = {cut: (float(row["tokens_per_second_per_user"]), float(row["tokens_per_second_per_chip"])) for cut, row in found.items()}
    best = {describe(*cut) for cut, (user, chip) in figures.items()
            if not any(u >= user and c >= chip and (u, c) != (user, chip) for u, c in figures.values())}
    text = run("llm-prof", "serve", *load, "--most=1000").splitlines()
    marked = {line.split("  ")[0] for line in text if line.rstrip().endswith(" *")}
    assert marked == best, (marked, best)
    print(f"{len(rows)} cuts of {CHIPS} chips, {len(best)} of them best")


main()
