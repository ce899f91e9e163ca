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
SELECTIVE_CONTEXT = 4096  # where an indexer selects 2048 of them


def context_of(facts: dict) -> int:
    return SELECTIVE_CONTEXT if any(layer.top for layer in derive_models.layers(facts)) else CONTEXT


def blocks_bytes(rows: int, columns: int) -> int:
    """An FP8 matrix with an f32 scale for each 128 x 128."""
    return rows * columns + 4 * -(-rows // 128) * -(-columns // 128)


def stored_bytes(c: dict) -> int | None:
    """Bytes of all weights of DeepSeek-V3 and its like in blocks of FP8 and of gpt-oss in MXFP4 (17 bytes for 32
    values of experts), what is not quantized in 2 bytes each; None for other formats."""
    method = c.get("quantization_config", {}).get("quant_method")
    if method == "mxfp4":
        experts = sum(layer.experts * layer.expert_matrices for layer in derive_models.layers(c))
        return experts * 17 // 32 + 2 * (derive_models.parameters(c) - experts)
    if method != "fp8" or c["model_type"] not in {"deepseek_v3"} | derive_models.DSA:
        return None
    hidden, heads = c["hidden_size"], c["num_attention_heads"]
    features = c["qk_nope_head_dim"] + c["qk_rope_head_dim"]
    attention = [(c["q_lora_rank"], hidden), (heads * features, c["q_lora_rank"]),
                 (c["kv_lora_rank"] + c["qk_rope_head_dim"], hidden),
                 (heads * (c["qk_nope_head_dim"] + c["v_head_dim"]), c["kv_lora_rank"]),
                 (hidden, heads * c["v_head_dim"])]
    if c["model_type"] in derive_models.DSA:  # of an indexer all but the weights of heads
        attention += [(c["index_n_heads"] * c["index_head_dim"], c["q_lora_rank"]), (c["index_head_dim"], hidden)]
    dense_layers, layers = c["first_k_dense_replace"], c["num_hidden_layers"]

    def gated(width: int) -> list[tuple[int, int]]:
        return [(width, hidden), (width, hidden), (hidden, width)]

    experts = (layers - dense_layers) * (c["n_routed_experts"] + c["n_shared_experts"])
    counted = [(layers, attention), (dense_layers, gated(c["intermediate_size"])),
               (experts, gated(c["moe_intermediate_size"]))]
    quantized = sum(count * rows * columns for count, shapes in counted for rows, columns in shapes)
    return (sum(count * blocks_bytes(*shape) for count, shapes in counted for shape in shapes)
            + 2 * (derive_models.parameters(c) - quantized))


def import_model(config: Path, phase: str, context: int, *options: str) -> subprocess.CompletedProcess:
    length = "--kv-len" if phase == "decode" else "--seq"
    return subprocess.run(["llm-translate", "--import-hf-config", config, "--layers=all",
                           f"--phase={phase}", f"{length}={context}", *options],
                          capture_output=True, text=True, check=False)


def totals_of(config: Path, phase: str, context: int, folder: Path, *options: str) -> dict[str, int]:
    """What the report of the compiler says of the whole model, imported with these options."""
    imported = import_model(config, phase, context, *options)
    if imported.returncode:
        sys.exit(f"{config.name}: {imported.stderr}")
    report = folder / "report.json"
    subprocess.run(["llm-opt", "--llm-tile=strategy=theoretical", "--llm-schedule=policy=earliest",
                    f"--llm-export-report=format=json file={report}", "-o", "/dev/null"],
                   input=imported.stdout, text=True, check=True)
    return json.loads(report.read_text())["totals"]


def differences(config: Path, folder: Path) -> list[str]:
    facts = json.loads(config.read_text())
    context = context_of(facts)
    decode, prefill = (totals_of(config, phase, context, folder) for phase in ("decode", "prefill"))
    kv_elements = derive_models.kv_elements(facts, context)
    expected = [
        ("parameters", decode["parameters"], derive_models.parameters(facts)),
        ("parameters in prefill", prefill["parameters"], derive_models.parameters(facts)),
        ("active_parameters", decode["active_parameters"], derive_models.active_parameters(facts)),
        ("kv_elements", decode["kv_elements"], kv_elements),
        ("kv_elements in prefill", prefill["kv_elements"], kv_elements),
        ("state_elements", decode["state_elements"], derive_models.state_elements(facts)),
        ("macs of decode", decode["macs"], derive_models.macs_decode(facts, context)),
        ("macs of prefill", prefill["macs"], derive_models.macs_prefill(facts, context)),
    ]
    stored = stored_bytes(facts)
    if stored is not None:
        expected.append(("weight_bytes", decode["weight_bytes"], stored))
    return [f"{config.stem}: {what} {found:,}, derived {derived:,}"
            for what, found, derived in expected if found != derived]


def row(config: Path) -> str:
    facts = json.loads(config.read_text())
    element_bytes = 2
    context = context_of(facts)
    decode = 2 * derive_models.macs_decode(facts, context) / 1e9
    prefill = 2 * derive_models.macs_prefill(facts, context) / context / 1e9
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
        problems += differences(config, folder)
        rows.append(row(config))
    problems += check_table(root, rows, write="--write" in sys.argv)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(rows)} models agree")


if __name__ == "__main__":
    main()
