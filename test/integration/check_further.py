#!/usr/bin/env python3
"""Compares what the compiler counts in models that predict further tokens (--mtp) with derive_further.py.

    check_further.py ROOT FOLDER     intermediate files go to FOLDER
"""
from __future__ import annotations

import json
import sys
from pathlib import Path

import derive_further
import derive_models
from check_models import totals_of

CONTEXT = 4096  # where an indexer selects 2048 keys


def differences(config: Path, facts: dict, folder: Path) -> list[str]:
    decode, prefill = (totals_of(config, phase, CONTEXT, folder, "--mtp") for phase in ("decode", "prefill"))
    of_kv = derive_models.kv_elements(facts, CONTEXT) + derive_further.kv_elements(facts, CONTEXT)
    expected = [
        ("parameters", decode["parameters"], derive_models.parameters(facts) + derive_further.parameters(facts)),
        ("active_parameters", decode["active_parameters"],
         derive_models.active_parameters(facts) + derive_further.parameters(facts, active=True)),
        ("kv_elements", decode["kv_elements"], of_kv), ("kv_elements in prefill", prefill["kv_elements"], of_kv),
        ("macs of decode", decode["macs"],
         derive_models.macs_decode(facts, CONTEXT) + derive_further.macs_decode(facts, CONTEXT)),
        ("macs of prefill", prefill["macs"],
         derive_models.macs_prefill(facts, CONTEXT) + derive_further.macs_prefill(facts, CONTEXT))]
    return [f"{config.stem}: {what} {found:,}, derived {derived:,}" for what, found, derived in expected if found != derived]


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    problems, checked = [], 0
    for config in sorted((root / "test/models").glob("*.json")):
        facts = json.loads(config.read_text())
        if not derive_further.modules(facts):
            continue
        assert derive_further.modules(facts) == 1, config.name
        known = derive_further.KNOWN.get(config.stem)
        derived = derive_further.parameters(facts)
        if known and (round(derived, -6) if known % 10 ** 6 == 0 else derived) != known:
            problems.append(f"{config.stem}: {derived:,} parameters derived, published {known:,}")
        problems += differences(config, facts, folder)
        checked += 1
    if problems:
        sys.exit("\n".join(problems))
    print(f"{checked} models agree")


if __name__ == "__main__":
    main()
