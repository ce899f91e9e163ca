"""Checkpoints with values and scales in tensors of their own, run by llm-run and by NumPy.

    check_scaled_checkpoints.py FOLDER

Small models whose linear layers are stored in fp8 (one scale for 128 x 128, for a row, or for all) or, of gpt-oss, in
MXFP4 (*_blocks, *_scales). Bits are random. The logits of a prompt agree with oracle_models.py, which has the numbers
in float64; weights are handed over as values and scales, and as plain floats.

One of them has activations and caches of few bits, too, in all formats of the importer: what block_scaled.py makes of
them stands in the oracle.
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
import oracle_models
from mx_files import draw_mxfp4
from quantized_models import LINEAR, QuantizedModel, run_model, store_fp8, worst_of
from run_tools import run
from safetensors_file import write_safetensors
from small_models import FAMILIES, make_config

PROMPT = [3, 17, 5, 29, 11, 2, 38, 23, 7, 19, 31, 13, 1]
SIZES = {"hidden_size": 160, "intermediate_size": 224, "head_dim": 40}  # 128, and a part of 128
SPARSE = {"moe_intermediate_size": 144, "num_experts": 3}
MXFP4 = {"hidden_size": 64, "intermediate_size": 64, "quantization_config": {"quant_method": "mxfp4"}}
CASES = [  # family, changes, how weights are stored, and the formats in which programs have them
    ("qwen3", SIZES, "block", ["fp8_block", "f32"]),
    ("qwen3_moe", SIZES | SPARSE, "block", ["fp8_block", "f32"]),
    ("llama", SIZES, "row", ["fp8_channel", "f32"]),
    ("mixtral", SIZES | {"num_local_experts": 3}, "row", ["fp8_channel", "f32"]),
    ("qwen2", SIZES, "whole", ["fp8", "f32"]),
    ("gpt_oss", MXFP4, "mxfp4", [None, "f32"])]
ACTIVATIONS = {  # by the name that the importer has for a format
    "fp8": "!llm.block_scaled<f8E4M3FN, [?, ?], f32>", "fp8_channel": "!llm.block_scaled<f8E4M3FN, [?], f32>",
    "fp8_block": "!llm.block_scaled<f8E4M3FN, [128], f32>", "mxfp8": "!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>",
    "mxfp4": "!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>",
    "nvfp4": "!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>", "int8": "!llm.block_scaled<i8, [?], f32>"}
CACHES = {
    "fp8": "!llm.block_scaled<f8E4M3FN, [?, ?, ?, ?], f32>", "int8": "!llm.block_scaled<i8, [?], f32>",
    "mxfp8": "!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>", "mxfp4": "!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>",
    "nvfp4": "!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?, ?, ?], f32>",
    "int4_g8": "!llm.block_scaled<i4, [8], f16>"}


def make_model(folder, family, changes, kind):
    model, small = FAMILIES[family]
    config = make_config(model, small | changes)
    rng, tensors, arrays = np.random.default_rng(7), {}, {}
    for name, shape in oracle_models.weight_shapes(config).items():
        if kind == "mxfp4" and len(shape) == 3:
            stored, arrays[name] = draw_mxfp4(rng, name, shape)
        elif kind not in ("mxfp4", "plain") and name.rsplit(".", 2)[-2] in LINEAR and name.endswith(".weight"):
            stored, arrays[name] = store_fp8(rng, name, shape, kind)
        else:
            numbers = rng.uniform(0.5, 1.5, shape) if "norm" in name else rng.normal(0, shape[-1] ** -0.5, shape)
            stored = {name: ("F32", numbers.astype("<f4"))}
            arrays[name] = stored[name][1].astype(float)
        tensors |= stored
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", tensors)
    return oracle_models.Model(config, arrays)


def check_stored(folder, family, changes, kind, formats):
    expected = make_model(folder, family, changes, kind).forward([PROMPT])[0][0]
    for name in formats:
        worst = worst_of(run_model(folder, PROMPT, *[f"--weights={name}"] * bool(name)), expected)
        print(f"{family}, {kind}, as {name or kind}: {worst:.0e}", flush=True)
        if not worst < 1e-5:
            sys.exit("expected at most 1e-5")


def check_computed(folder):
    """Activations and caches that are rounded to few bits. A sum in f32 may round one number that is beside a tie the
    other way, which changes all that follow: that is so in less than half of the prompts."""
    model = make_model(folder, "llama", SIZES, "row")
    cases = [("activations", name, {"activations": element}) for name, element in ACTIVATIONS.items()]
    cases += [("kv", name, {"cache": element}) for name, element in CACHES.items()]
    prompts = [PROMPT[n:n + 3] for n in (0, 3, 6)]
    for what, name, elements in cases:
        rounded = QuantizedModel(model, **elements)
        worst, changed = [], []
        for prompt in prompts:
            expected = rounded.forward([prompt])[0][0]
            worst.append(worst_of(run_model(folder, prompt, "--weights=fp8_channel", f"--{what}={name}"), expected))
            changed.append(worst_of(model.forward([prompt])[0][0], expected))
            if sum(each < 1e-5 for each in worst) == 2:
                break
        print(f"{what} in {name}: {np.median(worst):.0e}, which rounding changed by {min(changed):.0e}", flush=True)
        if not np.median(worst) < 1e-5 < min(changed) / 100:
            sys.exit("expected at most 1e-5, and more than a hundred times that")


def check_contradiction(folder):
    """A config of MXFP4 beside experts that are plain, and lie the other way around, which their sizes do not show."""
    make_model(folder, "gpt_oss", {"hidden_size": 64, "intermediate_size": 64}, "plain")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"quantization_config": {"quant_method": "mxfp4"}}))
    said = fail("llm-translate", "--import-safetensors", folder / "config.json")
    expect_words(said, "model.layers.0.mlp.experts.", "' is F32 [", "f4E2M1FN", "'quantization_config'", "_blocks'")
    (folder / "program.mlir").write_text(run("llm-translate", "--import-hf-config", folder / "config.json", "--layers=1"))
    said = fail("llm-run", folder / "program.mlir", f"--weights={folder}")
    expect_words(said, "model.layers.0.mlp.experts.", "' holds F32", "'f4E2M1FN' with scales", "--weights=f32")
    print("plain experts beside a config of MXFP4: refused", flush=True)


def fail(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 1:
        sys.exit(f"{' '.join(map(str, words))}: expected an error, got {done.returncode}")
    return done.stderr


def expect_words(said, *words):
    for word in words:
        if word not in said:
            sys.exit(f"expected {word!r} in: {said}")


def check_steps(folder, name):
    """Tokens one behind the other, against a cache that grows."""
    # A head of its own, as one that is the embedding repeats the last token.
    model = make_model(folder, "llama", SIZES | {"tie_word_embeddings": False}, "row")
    model = QuantizedModel(model, cache=CACHES[name])
    expected = oracle_models.greedy(model, PROMPT, 8)
    (folder / "program.mlir").write_text(run(
        "llm-translate", "--import-hf-config", folder / "config.json", "--layers=all", "--seq=?", "--kv-len=?",
        "--dtype=f32", "--weights=fp8_channel", f"--kv={name}"))
    said = run("llm-run", folder / "program.mlir", f"--weights={folder}", "--steps=8",
               "--tokens=" + ",".join(map(str, PROMPT)))
    found = [int(line.split()[1]) for line in said.splitlines()]
    if found != list(expected):
        sys.exit(f"tokens {found}, expected {expected}")
    print(f"steps with kv in {name}: {' '.join(map(str, found))}", flush=True)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for case in CASES:
        check_stored(folder, *case)
    check_contradiction(folder)
    check_computed(folder)
    for name in ("fp8", "mxfp8"):
        check_steps(folder, name)


main()
