#!/usr/bin/env python3
"""Compares what the compiler counts in whole models with derive_models.py, which reads only
their config.json, and with the table of docs/models.md.

    check_models.py ROOT FOLDER           compare; intermediate files go to FOLDER
    check_models.py ROOT FOLDER --write   write the table
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import derive_models

CONTEXT = 1024  # keys that a decode step sees, and tokens of a prompt
NOT_YET: set[str] = set()


def import_model(config: Path, phase: str) -> subprocess.CompletedProcess:
    length = "--kv-len" if phase == "decode" else "--seq"
    return subprocess.run(["llm-translate", "--import-hf-config", config, "--layers=all",
                           f"--phase={phase}", f"{length}={CONTEXT}"],
                          capture_output=True, text=True, check=False)


def totals_of(config: Path, phase: str, folder: Path) -> dict[str, int]:
    """What the report of the compiler says of the whole model."""
    imported = import_model(config, phase)
    if imported.returncode:
        sys.exit(f"{config.name}: {imported.stderr}")
    report = folder / "report.json"
    subprocess.run(["llm-opt", "--llm-tile=strategy=theoretical", "--llm-schedule=policy=earliest",
                    f"--llm-export-report=format=json file={report}", "-o", "/dev/null"],
                   input=imported.stdout, text=True, check=True)
    return json.loads(report.read_text())["totals"]


def differences(config: Path, folder: Path) -> list[str]:
    facts = json.loads(config.read_text())
    decode, prefill = (totals_of(config, phase, folder) for phase in ("decode", "prefill"))
    kv_elements = CONTEXT * derive_models.kv_elements_per_token(facts)
    expected = [
        ("parameters", decode["parameters"], derive_models.parameters(facts)),
        ("parameters in prefill", prefill["parameters"], derive_models.parameters(facts)),
        ("active_parameters", decode["active_parameters"], derive_models.active_parameters(facts)),
        ("kv_elements", decode["kv_elements"], kv_elements),
        ("kv_elements in prefill", prefill["kv_elements"], kv_elements),
        ("macs of decode", decode["macs"], derive_models.macs_decode(facts, CONTEXT)),
        ("macs of prefill", prefill["macs"], derive_models.macs_prefill(facts, CONTEXT)),
    ]
    return [f"{config.stem}: {what} {found:,}, derived {derived:,}"
            for what, found, derived in expected if found != derived]


def check_refused(config: Path, model_type: str) -> list[str]:
    """A family that is not supported yet says so."""
    imported = import_model(config, "decode")
    if imported.returncode and f"'model_type' \"{model_type}\" is not supported" in imported.stderr:
        return []
    return [f"{config.stem}: {model_type} is supported now: take it out of NOT_YET"]


def row(config: Path) -> str:
    facts = json.loads(config.read_text())
    element_bytes = 2
    decode = 2 * derive_models.macs_decode(facts, CONTEXT) / 1e9
    prefill = 2 * derive_models.macs_prefill(facts, CONTEXT) / CONTEXT / 1e9
    parameters = derive_models.parameters(facts)
    active = derive_models.active_parameters(facts)
    cells = [config.stem.split("--")[1], f"{parameters:,}", f"{active:,}" if active != parameters else "all",
             f"{element_bytes * derive_models.kv_elements_per_token(facts):,}",
             f"{decode:.3f}", f"{prefill:.3f}"]
    return "| " + " | ".join(cells) + " |"


def check_table(root: Path, rows: list[str], write: bool) -> list[str]:
    page = root / "docs/models.md"
    text = page.read_text()
    head, table = re.search(r"(\| model .*\n\|---.*\n)((?:\|.*\n)*)", text).groups()
    if write:
        page.write_text(text.replace(head + table, head + "\n".join(rows) + "\n"))
        return []
    found = table.splitlines()
    return [f"docs/models.md: {line}" for line in sorted(set(rows) ^ set(found))]


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    problems, rows = [], []
    for config in sorted((root / "test/models").glob("*.json")):
        facts = json.loads(config.read_text())
        model_type = facts.get("text_config", facts).get("model_type", "llama4_text")
        if model_type in NOT_YET:
            problems += check_refused(config, model_type)
            continue
        problems += differences(config, folder)
        rows.append(row(config))
    problems += check_table(root, rows, write="--write" in sys.argv)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(rows)} models agree")


if __name__ == "__main__":
    main()
