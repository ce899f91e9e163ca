#!/usr/bin/env python3
"""Checks traces of blocks of models on presets as check_trace.py and check_pftrace.py do.

    check_all_traces.py ROOT FOLDER [--all] [--jobs N]

Of the models in test/models, decode and prefill, on the presets: a sample in which each preset and about each model
comes, or with --all each with each. Files go to FOLDER. The last line says how many there were, and how many of their
slices are written as few are: as a begin and an end, or with a length that is cut.
"""
from __future__ import annotations

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CHECKERS = Path(__file__).parent
PHASES = ("decode", "prefill")

# Traces that Perfetto's own engine once read otherwise: lengths with 20 decimals, and slices shorter than a nanosecond; and
# one of slices beside others without length.
KNOWN = [("meta-llama--Llama-3.2-1B", "decode", preset) for preset in ("tpu-v6e", "jgs", "nvl-ax", "mi210")] \
    + [("openai--gpt-oss-20b", "prefill", "npu"), ("MiniMaxAI--MiniMax-M2", "decode", "jgs")]


def run(*command: object) -> str:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def sample(models: list[str], presets: list[str]) -> list[tuple[str, str, str]]:
    """Each preset with one model in decode and with another one in prefill."""
    count, cases = len(models), dict.fromkeys(KNOWN)
    for number, preset in enumerate(presets):
        for place, phase in enumerate(PHASES):
            cases[models[(2 * number + place) * 7 % count], phase, preset] = None
    return list(cases)


def check(root: Path, folder: Path, case: tuple[str, str, str]) -> tuple[int, int]:
    """The slices that are begins and ends, and those whose length is cut."""
    model, phase, preset = case
    block, trace, proto, report = (folder / f"{'-'.join(case)}.{kind}" for kind in ("mlir", "json", "pftrace", "report"))
    run("llm-translate", "--import-hf-config", root / f"test/models/{model}.json", f"--phase={phase}", "-o", block)
    run("llm-opt", block, f"--llm-target=name={preset}", "--llm-tile", "--llm-schedule",
        f"--llm-export-report=format=json file={report}", f"--llm-export-perfetto=file={trace}",
        f"--llm-export-perfetto=file={proto}", "-o", "/dev/null")
    run(sys.executable, "-B", CHECKERS / "check_trace.py", trace, report)
    run(sys.executable, "-B", CHECKERS / "check_pftrace.py", proto, trace)
    text = trace.read_text(encoding="utf-8")
    for each in (block, trace, proto, report):
        each.unlink()
    return text.count('{"ph":"B"'), len(re.findall(r'"dur":\d+\.\d{4,}', text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    models = sorted(path.stem for path in (options.root / "test/models").glob("*.json"))
    presets = sorted(path.stem for path in (options.root / "lib/Target/presets").glob("*.json"))
    cases = [(model, phase, preset) for model in models for phase in PHASES for preset in presets] \
        if options.all else sample(models, presets)
    problems, begun, cut = [], 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, found in [(case, pool.submit(check, options.root, options.folder, case)) for case in cases]:
            try:
                begun, cut = (each + more for each, more in zip((begun, cut), found.result()))
            except RuntimeError as error:
                problems.append(f"{' '.join(case)}: {error}")
    if problems:
        sys.exit("\n".join([*problems, f"{len(problems)} of {len(cases)} traces are wrong"]))
    print(f"ok: {len(cases)} traces, {begun} slices with begin and end, {cut} with a length that is cut")


if __name__ == "__main__":
    main()
