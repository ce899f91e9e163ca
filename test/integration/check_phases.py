#!/usr/bin/env python3
"""Batches of several kinds against their parts, by what the compiler reports of each op.

- Chunked prefill: attention of the mixed batch is the sum of that of its parts, operations and
  bytes; the weights are the same and are streamed once for all tokens, not once for each part.
- A ragged batch: attention is the sum of that of its sequences; what is kept, too.
- Decode with latents moves the compressed cache: 576 elements for each token of a layer of
  DeepSeek-V3.
- Drafts: verification computes what a prefill of as many tokens behind a cached prefix does.

    check_phases.py ROOT FOLDER
"""
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

DENSE, LATENT = "meta-llama--Meta-Llama-3.1-8B", "deepseek-ai--DeepSeek-V3"
WINDOW = "openai--gpt-oss-20b"


class Report:
    """One layer of a model, tiled by the search for a target whose engines are alike."""

    def __init__(self, root: Path, folder: Path, model: str, *options: str, layers: str = "1"):
        imported = subprocess.run(
            ["llm-translate", "--import-hf-config", root / f"test/models/{model}.json", f"--layers={layers}",
             *options], capture_output=True, text=True, check=True).stdout
        path = folder / "report.json"
        subprocess.run(["llm-opt", "--llm-target=name=h100-sxm", "--llm-tile", "--llm-schedule=policy=earliest",
                        f"--llm-export-report=format=json file={path}", "-o", "/dev/null"],
                       input=imported, text=True, check=True)
        self.json = json.loads(path.read_text())

    def ops(self, kind: str) -> list[dict]:
        return [op for op in self.json["ops"] if op["op"] == kind]

    def attention(self) -> dict[str, int]:
        """Work and bytes of all attention ops, added up."""
        total: dict[str, int] = {}
        for op in self.ops("llm.gqa_attn") + self.ops("llm.mla_attn"):
            for part in op["parts"]:
                for kind, amount in part["work"].items():
                    total[kind] = total.get(kind, 0) + amount * part["count"]
                for buffer, amount in part["traffic_bytes"].get("hbm", part["traffic_bytes"].get("dram", {})).items():
                    total[buffer] = total.get(buffer, 0) + amount * part["count"]
        return total

    def buffer_bytes(self, kind: str, buffer: str) -> int:
        """Of one buffer of all ops of a kind, through every memory that is not on chip."""
        return sum(levels[buffer] * part["count"] for op in self.ops(kind) for part in op["parts"]
                   for memory, levels in part["traffic_bytes"].items()
                   if memory in ("dram", "hbm") and buffer in levels)

    def total(self, key: str) -> int:
        return self.json["totals"][key]


def add(*parts: dict[str, int]) -> dict[str, int]:
    return {key: sum(part.get(key, 0) for part in parts) for key in set().union(*parts)}


def expect(problems: list[str], what: str, found, expected) -> None:
    if found != expected or not expected:
        problems.append(f"{what}: {found}, expected {expected}")


def check_mixed(root: Path, folder: Path, model: str, problems: list[str]) -> None:
    mixed = Report(root, folder, model, "--phase=mixed", "--batch=16", "--kv-len=2048", "--chunk=512",
                   "--chunk-kv-len=1536")
    decode = Report(root, folder, model, "--batch=16", "--kv-len=2048")
    chunk = Report(root, folder, model, "--phase=prefill", "--seq=512", "--kv-len=1536")
    expect(problems, f"{model}: attention of a mixed batch", mixed.attention(),
           add(decode.attention(), chunk.attention()))
    for key in ("parameters", "weight_bytes"):
        expect(problems, f"{model}: {key} of a mixed batch", mixed.total(key), decode.total(key))
    for key in ("kv_elements", "kv_read_bytes", "kv_write_bytes", "macs"):
        if key != "macs" or model == DENSE:  # experts meet other tokens
            expect(problems, f"{model}: {key} of a mixed batch", mixed.total(key),
                   decode.total(key) + chunk.total(key))
    if model != DENSE:
        return
    streamed = [report.buffer_bytes("llm.matmul", "rhs") for report in (mixed, decode, chunk)]
    norms = 2 * 2 * 4096  # bytes of two norms
    for found in streamed:
        expect(problems, "weights that linear layers stream", found, decode.total("weight_bytes") - norms)


def check_ragged(root: Path, folder: Path, model: str, problems: list[str]) -> None:
    lengths = (4096, 1000, 130, 17)
    ragged = Report(root, folder, model, "--kv-len=" + ",".join(map(str, lengths)))
    single = [Report(root, folder, model, f"--kv-len={length}") for length in lengths]
    work = {key: value for key, value in ragged.attention().items() if key in ("mac", "special", "compare")}
    expected = add(*(report.attention() for report in single))
    expect(problems, f"{model}: work of ragged attention", work, {key: expected[key] for key in work})
    for key in ("kv_elements", "kv_read_bytes", "kv_write_bytes"):
        expect(problems, f"{model}: {key} of a ragged batch", ragged.total(key),
               sum(report.total(key) for report in single))
    keys = ragged.buffer_bytes("llm.gqa_attn", "keys")
    expect(problems, f"{model}: keys that ragged attention reads", keys,
           sum(report.buffer_bytes("llm.gqa_attn", "keys") for report in single))


def check_latents(root: Path, folder: Path, problems: list[str]) -> None:
    batch, keys = 4, 4096
    decode = Report(root, folder, LATENT, f"--batch={batch}", f"--kv-len={keys}")
    expected = batch * keys * 576 * 2
    expect(problems, "latents that a step reads", decode.buffer_bytes("llm.mla_attn", "latents"), expected)
    expect(problems, "kv_read_bytes of latents", decode.total("kv_read_bytes"), expected)
    expect(problems, "kv_elements of latents", decode.total("kv_elements"), batch * keys * 576)
    # A head's scores over 576 features, its values over 512.
    expect(problems, "macs among latents", decode.attention()["mac"], batch * keys * 128 * (576 + 512))
    expanded = Report(root, folder, LATENT, f"--batch={batch}", f"--kv-len={keys}", "--mla=expanded")
    expect(problems, "macs of expanded attention", expanded.attention()["mac"], batch * keys * 128 * (192 + 128))
    up = [op["macs"] for op in expanded.ops("llm.matmul") if op["name"].endswith("kv_b_proj")]
    expect(problems, "macs of expanding all keys", up, [batch * keys * 512 * 128 * 256])


def check_verify(root: Path, folder: Path, problems: list[str]) -> None:
    verify = Report(root, folder, DENSE, "--phase=verify", "--seq=5", "--kv-len=1024", "--batch=8")
    prefill = Report(root, folder, DENSE, "--phase=prefill", "--seq=5", "--kv-len=1024", "--batch=8")
    for key in ("macs", "kv_elements", "weight_bytes", "kv_read_bytes"):
        expect(problems, f"{key} of verification", verify.total(key), prefill.total(key))


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    problems: list[str] = []
    for model in (DENSE, LATENT):
        check_mixed(root, folder, model, problems)
    for model in (DENSE, WINDOW):
        check_ragged(root, folder, model, problems)
    check_latents(root, folder, problems)
    check_verify(root, folder, problems)
    if problems:
        sys.exit("\n".join(problems))
    print("all phases agree with their parts")


if __name__ == "__main__":
    main()
