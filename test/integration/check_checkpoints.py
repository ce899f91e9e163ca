#!/usr/bin/env python3
"""Imports GGUF files and safetensors checkpoints of published models, whose data are holes, and
compares what the compiler counts with the config.json (derive_models.py) and with the bytes of
the tensors in the file; then damages the files and looks at the errors.

    check_checkpoints.py ROOT FOLDER
"""
from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import derive_models
import make_gguf

GGUF = {"meta-llama--Llama-3.2-1B": ("q4_K", "bf16", "q8_0"), "mistralai--Mixtral-8x7B-v0.1": ("q4_K",),
        "Qwen--Qwen2.5-0.5B": ("q4_0",), "Qwen--Qwen3-0.6B": ("f16",), "Qwen--Qwen3-30B-A3B": ("q4_K",),
        "meta-llama--Meta-Llama-3.1-405B": ("q4_K", "bf16")}
SAFETENSORS = {"meta-llama--Llama-3.2-1B": "bf16", "mistralai--Mixtral-8x7B-v0.1": "bf16",
               "Qwen--Qwen2.5-0.5B": "f32", "Qwen--Qwen3-0.6B": "fp8"}


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)


def make(script: str, *arguments) -> None:
    here = Path(__file__).resolve().parent
    subprocess.run([sys.executable, "-B", here / script, *map(str, arguments)], check=True)


def totals(imported: str, folder: Path) -> dict[str, int]:
    report = folder / "report.json"
    subprocess.run(["llm-opt", "--llm-tile=strategy=theoretical", "--llm-schedule=policy=earliest",
                    f"--llm-export-report=format=json file={report}", "-o", "/dev/null"],
                   input=imported, text=True, check=True)
    return json.loads(report.read_text())["totals"]


def compare(what: str, imported: subprocess.CompletedProcess, facts: dict, stored_bytes: int,
            folder: Path) -> list[str]:
    if imported.returncode:
        return [f"{what}: {imported.stderr}"]
    found = totals(imported.stdout, folder)
    expected = {"parameters": derive_models.parameters(facts), "weight_bytes": stored_bytes}
    return [f"{what}: {key} {found[key]:,}, expected {value:,}"
            for key, value in expected.items() if found[key] != value]


def gguf_bytes(config: Path, kind: str) -> int:
    """Bytes of all tensors but rope_freqs, as the generator writes them."""
    facts = json.loads(config.read_text())
    total = 0
    for name, shape, stored in make_gguf.tensors(facts, make_gguf.read_shapes(facts), kind):
        _, block_elements, block_bytes = make_gguf.TYPES[stored]
        if name != "rope_freqs.weight":
            total += math.prod(shape) // block_elements * block_bytes
    return total


def check_gguf(root: Path, folder: Path) -> tuple[int, list[str]]:
    problems, files = [], 0
    for name, types in GGUF.items():
        config = root / f"test/models/{name}.json"
        for kind in types:
            path = folder / f"{name}-{kind}.gguf"
            make("make_gguf.py", config, kind, path)
            imported = run("llm-translate", "--import-gguf", path, "--layers=all")
            problems += compare(path.name, imported, json.loads(config.read_text()), gguf_bytes(config, kind), folder)
            path.unlink()
            files += 1
    return files, problems


def safetensors_bytes(folder: Path) -> int:
    """Bytes of all tensors, from the headers."""
    total = 0
    for path in folder.glob("*.safetensors"):
        with path.open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        total += sum(end - begin for tensor, entry in header.items() if tensor != "__metadata__"
                     for begin, end in [entry["data_offsets"]])
    return total


def make_checkpoint(config: Path, dtype: str, folder: Path, *options) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    make("make_safetensors.py", config, dtype, folder, *options)
    facts = json.loads(config.read_text())
    if dtype == "fp8":
        facts["quantization_config"] = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    (folder / "config.json").write_text(json.dumps(facts))


def check_safetensors(root: Path, folder: Path) -> tuple[int, list[str]]:
    problems, checkpoints = [], 0
    for name, dtype in SAFETENSORS.items():
        config, place = root / f"test/models/{name}.json", folder / name
        for options in ((), ("--shards", "3")):
            make_checkpoint(config, dtype, place, *options)
            imported = run("llm-translate", "--import-safetensors", place / "config.json", "--layers=all")
            problems += compare(f"{name} {dtype} {' '.join(options)}", imported,
                                json.loads(config.read_text()), safetensors_bytes(place), folder)
            checkpoints += 1
    return checkpoints, problems


def expect_error(what: str, imported: subprocess.CompletedProcess, message: str) -> list[str]:
    if imported.returncode == 1 and message in imported.stderr and not imported.stdout:
        return []
    return [f"{what}: exit {imported.returncode}, {imported.stderr or 'no error'}; expected: {message}"]


def damaged_gguf(root: Path, folder: Path) -> list[str]:
    good = folder / "good.gguf"
    make("make_gguf.py", root / "test/models/Qwen--Qwen2.5-0.5B.json", "q8_0", good)
    header_bytes = 6_000_000  # more than the header, with the tokens; the rest are holes
    with good.open("rb") as file:
        header, size = file.read(header_bytes), good.stat().st_size
    cases = [
        ("another architecture", header.replace(b"qwen2", b"mamba"), "\"mamba\" is not supported"),
        ("no key", header.replace(b"qwen2.embedding_length", b"qwen2.embedding_lengtx"),
         "'qwen2.embedding_lengtx' is unknown and may change the work"),
        ("a tensor of another name", header.replace(b"blk.3.attn_q.weight", b"blk.3.attn_x.weight"),
         "tensor 'blk.3.attn_q.weight' is missing"),
        ("a tensor of no weight", header.replace(b"blk.0.attn_q.bias", b"blk.0.attn_x.bias"),
         "tensor 'blk.0.attn_"),
        ("no magic", b"GGML" + header[4:], "GGUF"),
        ("cut off", header[:5000], ""),
    ]
    problems = []
    for what, content, message in cases:
        path = folder / "bad.gguf"
        with path.open("wb") as file:
            file.write(content)
            if len(content) == header_bytes:
                file.truncate(size)
        imported = run("llm-translate", "--import-gguf", path, "--layers=all")
        problems += expect_error(what, imported, f"{path}:1:")
        problems += expect_error(what, imported, message)
    missing = run("llm-translate", "--import-gguf", folder / "none.gguf")
    return problems + expect_error("no file", missing, "cannot read")


def gguf_angles(root: Path, folder: Path) -> list[str]:
    """What a header says of angles is in the program, or an error that names it."""
    facts = json.loads((root / "test/models/Qwen--Qwen2.5-0.5B.json").read_text())
    shapes, path = make_gguf.read_shapes(facts), folder / "angles.gguf"
    pairs = shapes.head_dim // 2
    problems = []

    def imported(extra: dict, factors: list[float], name: str = "rope_freqs.weight"):
        entries = list(make_gguf.entries(facts, shapes, "f16", "angles"))
        entries += [(f"qwen2.rope.scaling.{key}", kind, value) for key, (kind, value) in extra.items()]
        tensors = [(name, [len(factors)], "f32")] * bool(factors) + list(make_gguf.tensors(facts, shapes, "f16"))
        make_gguf.write_gguf(path, entries, tensors, factors)
        return run("llm-translate", "--import-gguf", path)

    text, number, count = make_gguf.STRING, make_gguf.F32, make_gguf.U32
    yarn = {"type": (text, "yarn"), "factor": (number, 4.0)}
    ramp = "beta_fast = 32.0, beta_slow = 1.0, original_max_position_embeddings = "
    told = [
        (yarn | {"original_context_length": (count, 4096)}, [], "<yarn factor = 4.0, " + ramp + "4096, truncate"),
        (yarn, [], ramp + str(facts["max_position_embeddings"])),
        ({"factor": (number, 2.0)}, [], "<linear factor = 2.0>"),
        ({}, [1.0] * (pairs - 1) + [8.0], "1.0, 8.0]>")]
    for extra, factors, expected in told:
        found = imported(extra, factors)
        if found.returncode or expected not in found.stdout:
            problems.append(f"angles of {extra}: {found.stderr or found.stdout[:2000]}; expected: {expected}")
    for extra, factors in (({"type": (text, "none"), "factor": (number, 2.0)}, []), ({}, [1.0] * pairs)):
        found = imported(extra, factors)
        if found.returncode or "scaling" in found.stdout:
            problems.append(f"no scaling by {extra}: {found.stderr or found.stdout[:2000]}")
    refused = [
        ({"type": (text, "longrope")}, [], "'qwen2.rope.scaling.type' must be one of none, linear, yarn; got \"longrope\""),
        ({"attn_factor": (number, 1.5)}, [], "'qwen2.rope.scaling.attn_factor' other than 1 is not supported, got 1.5"),
        ({"yarn_log_multiplier": (number, 0.1)}, [], "'qwen2.rope.scaling.yarn_log_multiplier' is unknown"),
        ({"factor": (number, 2.0)}, [2.0] * pairs, "is not supported beside the tensor 'rope_freqs.weight'"),
        (yarn | {"yarn_beta_slow": (number, 64.0)}, [], "must not be above 'yarn_beta_fast'"),
        ({}, [2.0] * (pairs - 1), f"tensor 'rope_freqs.weight' must be {pairs} numbers of f32"),
        ({}, [2.0] * (pairs - 1) + [0.0], "must have positive numbers, got 0.000000e+00 for pair")]
    for extra, factors, message in refused:
        problems += expect_error(f"angles of {extra}", imported(extra, factors), message)
    return problems + expect_error("long factors", imported({}, [2.0] * pairs, "rope_factors_long.weight"),
                                   "tensor 'rope_factors_long.weight' is no weight")


def damaged_safetensors(root: Path, folder: Path) -> list[str]:
    config, place = root / "test/models/Qwen--Qwen3-0.6B.json", folder / "damaged"

    def case(what: str, dtype: str, change, message: str) -> list[str]:
        make_checkpoint(config, dtype, place)
        change(place)
        return expect_error(what, run("llm-translate", "--import-safetensors", place / "config.json"), message)

    def in_header(old: bytes, new: bytes):
        def change(place: Path) -> None:
            with (place / "model.safetensors").open("r+b") as file:
                head = file.read(1_000_000)
                assert old in head and len(old) == len(new)
                file.seek(0)
                file.write(head.replace(old, new))
        return change

    def in_config(key: str, value):
        def change(place: Path) -> None:
            facts = json.loads((place / "config.json").read_text())
            facts[key] = value
            (place / "config.json").write_text(json.dumps(facts))
        return change

    return (
        case("no checkpoint", "bf16", lambda place: (place / "model.safetensors").unlink(),
             "there is no 'model.safetensors' and no 'model.safetensors.index.json' beside the config")
        + case("another size", "bf16", in_config("intermediate_size", 3000),
               "tensor 'model.layers.0.mlp.gate_proj.weight' must be [3000, 1024] by the config, got BF16 [3072, 1024]")
        + case("a missing tensor", "bf16", in_header(b"model.layers.3.self_attn.q_proj.weight",
                                                     b"model.layers.3.self_attn.x_proj.weight"),
               "tensor 'model.layers.3.self_attn.q_proj.weight' is missing in the checkpoint")
        + case("a tensor that the config does not say", "bf16", in_config("model_type", "llama"),
               "tensor 'model.layers.0.self_attn.k_norm.weight' is no weight of the model that the config describes")
        + case("a head that the config does not say", "bf16", in_config("tie_word_embeddings", False),
               "tensor 'lm_head.weight' is missing in the checkpoint")
        + case("a format that the config does not say", "fp8", in_config("quantization_config", None),
               "is of type F8_E4M3, but the config says nothing of a format of this weight"))


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    files, problems = check_gguf(root, folder)
    checkpoints, more = check_safetensors(root, folder)
    problems += more + damaged_gguf(root, folder) + gguf_angles(root, folder) + damaged_safetensors(root, folder)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{files} GGUF files and {checkpoints} checkpoints agree")


if __name__ == "__main__":
    main()
