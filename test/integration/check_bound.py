#!/usr/bin/env python3
"""A program with open sizes, once these are bound, is the program that is imported with them.

    check_bound.py ROOT

Compared is the text after --canonicalize --cse; of models with windows or chunks, whose masks
keep what has no effect at this length, what the compiler counts. Models with an indexer are bound
to more keys than it selects: with fewer, a program that is imported with its sizes has none.
"""
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PHASES = [  # options of the open program, values, options of the other
    (["--batch=?", "--kv-len=?"], {"batch": 8, "kv_len": 2048}),
    (["--phase=prefill", "--seq=?", "--kv-len=?"], {"seq": 96, "kv_len": 160}),
    (["--phase=prefill", "--batch=?", "--seq=?", "--kv-len=?"], {"batch": 3, "seq": 64, "kv_len": 64}),
    (["--phase=verify", "--batch=?", "--kv-len=?"], {"batch": 2, "kv_len": 9000}),
    (["--kv-len=?"], {"kv_len": 10000}),
]
MODELS = ["meta-llama--Llama-3.2-1B", "Qwen--Qwen3-30B-A3B", "deepseek-ai--DeepSeek-V3", "mistralai--Mixtral-8x7B-v0.1"]
WITH_WINDOWS = ["openai--gpt-oss-20b", "google--gemma-2-2b", "meta-llama--Llama-4-Scout-17B-16E-Instruct"]
SELECTING = ["deepseek-ai--DeepSeek-V3.2", "MiniMaxAI--MiniMax-M3"]
SELECTING_PHASES = [
    (["--phase=verify", "--batch=?", "--kv-len=?"], {"batch": 2, "kv_len": 9000}),
    (["--kv-len=?"], {"kv_len": 10000}),
    (["--phase=prefill", "--batch=?", "--seq=?", "--kv-len=?"], {"batch": 3, "seq": 64, "kv_len": 9000}),
]
# Which windows of keys are closed hangs on positions, so that these are known.
COMPRESSING = "deepseek-ai--DeepSeek-V4-Flash"
COMPRESSING_PHASES = [
    (["--batch=?", "--kv-len=9000"], {"batch": 4}),
    (["--batch=?", "--kv-len=8191"], {"batch": 1}),
    (["--batch=?", "--kv-len=1000"], {"batch": 8}),
    (["--phase=prefill", "--batch=?", "--seq=300"], {"batch": 3}),
    (["--phase=prefill", "--batch=?", "--seq=64", "--kv-len=3000"], {"batch": 2}),
    (["--phase=verify", "--batch=?", "--seq=4", "--kv-len=9000"], {"batch": 2}),
]
COUNT = ["--llm-target=name=h100-sxm", "--llm-tile=strategy=theoretical", "--llm-schedule=policy=earliest",
         "--llm-export-report=format=json file=-", "-o", "/dev/null"]


def run(command: list[str], text: str = "") -> str:
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr}")
    return result.stdout


def compare(config: Path, options: list[str], values: dict[str, int], counts: bool) -> str | None:
    translate = ["llm-translate", "--import-hf-config", str(config), "--layers=all"]
    text = ",".join(f"{name}={value}" for name, value in values.items())
    bound = run(["llm-opt", f"--llm-bind-shapes=sizes={text}"], run([*translate, *options]))
    closed = [option for option in options if not option.endswith("=?")]
    closed += [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]
    expected = run([*translate, *closed])
    passes = COUNT if counts else ["--canonicalize", "--cse"]
    found, wanted = (run(["llm-opt", *passes], program) for program in (bound, expected))
    if counts:
        found, wanted = (json.loads(report)["totals"] for report in (found, wanted))
    return None if found == wanted else f"{config.stem} {' '.join(options)} {text}: differs"


def main() -> None:
    root = Path(sys.argv[1])
    cases = [(model, phase) for model in MODELS + WITH_WINDOWS for phase in PHASES]
    cases += [(model, phase) for model in SELECTING for phase in SELECTING_PHASES]
    cases += [(COMPRESSING, phase) for phase in COMPRESSING_PHASES]
    problems = [compare(root / f"test/models/{model}.json", options, values, model in WITH_WINDOWS)
                for model, (options, values) in cases]
    problems = [problem for problem in problems if problem]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(cases)} bound programs are those that are imported with their sizes")


if __name__ == "__main__":
    main()
