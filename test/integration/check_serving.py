"""`llm-prof serve` against its two programs, each made and timed by itself.

    check_serving.py LLM_BIN CONFIG FOLDER

The formulas are those of docs/many-chips.md, written down again. Served rows that are measured times by construction
(predictions with known factors) come back with those errors.
"""
import csv
import io
import json
import math
import subprocess
import sys
from pathlib import Path

BIN, CONFIG, FOLDER = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
FORMATS = ["--weights=fp8", "--activations=fp8", "--kv=fp8"]
TARGET = "h100-sxm"


def run(tool: str, *words) -> str:
    return subprocess.run([BIN / tool, *map(str, words)], check=True, text=True, stdout=subprocess.PIPE).stdout


def report(tp: int, *sizes: str) -> dict:
    module, out = FOLDER / "model.mlir", FOLDER / "report.json"
    run("llm-translate", "--import-hf-config", CONFIG, "--layers=all", *sizes, *FORMATS, "-o", module)
    cut = [f"--llm-shard=tp={tp}", "--llm-partition"] if tp > 1 else []
    run("llm-opt", module, f"--llm-target=name={TARGET} set=burst_percent=100", *cut, "--llm-fuse-projections", "--llm-fuse",
        "--llm-tile", "--llm-schedule", f"--llm-export-report=format=json file={out}", "-o", "/dev/null")
    return json.loads(out.read_text())


def seconds_of(found: dict) -> float:
    return found["makespan_us"] / 1e6


def serve(*words) -> list[dict]:
    text = run("llm-prof", "serve", CONFIG, f"--target={TARGET}", *FORMATS, "--format=csv", *words)
    return list(csv.DictReader(io.StringIO(text)))


def expect(row: dict, column: str, value: float) -> None:
    assert math.isclose(float(row[column]), value, rel_tol=2e-5), (row, column, value)


def check(tp, requests, isl, osl, workers=1, prompt_workers=0, host_step=0.0, host_sequence=0.0, rate=0.0):
    [row] = serve(f"--tp={tp}", f"--requests={requests}", f"--isl={isl}", f"--osl={osl}", f"--workers={workers}",
                  f"--prompt-workers={prompt_workers}", f"--host-us-per-step={host_step * 1e6}",
                  f"--host-us-per-sequence={host_sequence * 1e6}", f"--cache-bytes-per-second={rate}")
    each = math.ceil(requests / workers)
    step = seconds_of(report(tp, "--phase=decode", f"--batch={each}", f"--kv-len={isl + osl // 2}"))
    read = report(tp, "--phase=prefill", f"--seq={isl}")
    prompt = seconds_of(read)
    first = prompt + host_step + host_sequence
    token = step + host_step + each * host_sequence
    if prompt_workers == 0:
        token += (each - 1) * prompt / (osl - 1)  # each other request reads one prompt in the time of one answer
    elif rate:
        first += read["capacity"]["cache_bytes"] * tp / rate
    per_second = requests / (first + (osl - 1) * token)
    queues = prompt_workers > 0 and per_second > prompt_workers / prompt
    if queues:
        per_second = prompt_workers / prompt
    chips = tp * (workers + prompt_workers)
    for column, value in {"tpot_ms": 1e3 * token, "ttft_ms": 1e3 * first, "step_ms": 1e3 * step, "prompt_ms": 1e3 * prompt,
                          "tokens_per_second_per_user": 1 / token, "chips": chips,
                          "tokens_per_second_per_chip": per_second * osl / chips}.items():
        expect(row, column, value)
    assert row["is_served"] == str(int(not queues)), row
    return token


def check_rows() -> None:
    """Measured times that are predictions by 0.8, 1, 1.25 (errors of 25, 0 and -20 %)."""
    factors = {(1, 1): 0.8, (1, 4): 1.0, (2, 1): 1.0, (2, 4): 1.25}
    lines = ["model,isl,osl,requests,tp,pp_size,attention_dp_size,tpot_ms", "other,8,8,1,1,1,1,1", "this,8,8,1,1,1,2,1"]
    for (tp, requests), factor in factors.items():
        [row] = serve(f"--tp={tp}", f"--requests={requests}", "--isl=64", "--osl=16")
        lines.append(f"this,64,16,{requests},{tp},1,,{float(row['tpot_ms']) * factor}")
    staged = next(row for row in serve("--chips=2", "--requests=2", "--isl=64", "--osl=16") if row["pp"] == "2")
    lines.append(f"this,64,16,2,1,2,1,{float(staged['tpot_ms']) * 2}")  # -50 %
    table = FOLDER / "served.csv"
    table.write_text("\n".join(lines) + "\n")
    said = run("llm-prof", "serve", CONFIG, f"--target={TARGET}", *FORMATS, f"--measured={table}", "--where=model=this")
    # Ratios of tp 1 to tp 2: 1.25 / 1 and 1 / 0.8, both 25 % too large.
    for line in ("tp 1: 2 rows, median error 12.5 %, median +12.5 %", "tp 2: 2 rows, median error 10.0 %, median -10.0 %",
                 "pp 2: 1 rows, median error 50.0 %, median -50.0 %", "all: 5 rows, median error 20.0 %, median +0.0 %",
                 "ratio of tp 1 to tp 2: 2 rows, median error 25.0 %, median +25.0 %", "left out: 1 rows with attention_dp_size 2 without moe_ep_size"):
        assert line in said.splitlines(), (line, said)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    check(1, 1, 128, 32)
    check(1, 16, 512, 64, host_step=3e-4, host_sequence=2e-5)
    check(2, 9, 256, 100, workers=2)
    check(2, 8, 1024, 1024, prompt_workers=1, rate=5e10)
    check(1, 64, 4096, 2, prompt_workers=1)  # prompts queue
    check_rows()
    print("ok")


main()
