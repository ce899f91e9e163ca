#!/usr/bin/env python3
"""Holds the table of whole models in docs/accuracy.md against what presets predict of qwen3-8b-torch.csv.

    check_model.py docs/accuracy.md qwen3-8b-torch.csv CONFIG

Predictions are those of the commands on that page. Prints the table as it should be if the page has another one.
"""
import csv
import json
import re
import subprocess
import sys
from pathlib import Path


def predict(row, config):
    sizes = ["--phase=prefill", f"--seq={row['seq']}"] if row["phase"] == "prefill" else [f"--batch={row['batch']}", f"--kv-len={row['kv_len']}"]
    subprocess.run(["llm-translate", "--import-hf-config", config, "--layers=all", *sizes, "-o", "model.mlir"], check=True)
    subprocess.run(["llm-opt", "model.mlir", f"--llm-target=name={row['preset']} library=torch,torch_cudnn", "--llm-tile", "--llm-schedule",
                    "--llm-export-report=format=json file=model.json", "-o", "planned.mlir"], check=True)
    return json.load(open("model.json"))["makespan_us"] / 1000


def line_of(row, predicted):
    measured = float(row["measured_ms"])
    what = f"prompt of {row['seq']}" if row["phase"] == "prefill" else f"decode, batch {row['batch']}, {row['kv_len']} keys"
    return f"| {row['preset']}: {what} | {measured:.2f} | {predicted:.2f} | {100 * (predicted / measured - 1):+.1f} |"


lines = [line_of(row, predict(row, sys.argv[3])) for row in csv.DictReader(open(sys.argv[2]))]
shown = re.search(r"<!-- table: model -->\n.*?\n\|---.*?\n(.*?)<!-- end -->", Path(sys.argv[1]).read_text(), re.S)
if not shown or shown[1].splitlines() != lines:
    sys.exit("the table should be:\n" + "\n".join(lines))
print(f"ok: {len(lines)} lines")
