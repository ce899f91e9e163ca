"""Checkpoints with values and scales in tensors of their own, run by llm-run and by NumPy.

    check_scaled_checkpoints.py FOLDER

Small models whose linear layers are stored in fp8 (one scale for 128 x 128, for a row, or for all) or, of gpt-oss, in
MXFP4 (*_blocks, *_scales). Bits are random. The logits of a prompt agree with oracle_models.py, which has the numbers
in float64; weights are handed over as values and scales, and as plain floats.
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
import oracle_models
from gguf_files import unsigned_e4m3
from mx_files import draw_mxfp4
from safetensors_file import write_safetensors
from small_models import FAMILIES, make_config

PROMPT = [3, 17, 5, 29, 11, 2, 38, 23, 7, 19, 31, 13, 1]
SIZES = {"hidden_size": 160, "intermediate_size": 224, "head_dim": 40}  # 128, and a part of 128
SPARSE = {"moe_intermediate_size": 144, "num_experts": 3}
MXFP4 = {"hidden_size": 64, "intermediate_size": 96, "quantization_config": {"quant_method": "mxfp4"}}
CASES = [  # family, changes, how weights are stored, and the formats in which programs have them
    ("qwen3", SIZES, "block", ["fp8_block", "f32"]),
    ("qwen3_moe", SIZES | SPARSE, "block", ["fp8_block", "f32"]),
    ("llama", SIZES, "row", ["fp8_channel", "f32"]),
    ("mixtral", SIZES | {"num_local_experts": 3}, "row", ["fp8_channel", "f32"]),
    ("qwen2", SIZES, "whole", ["fp8", "f32"]),
    ("gpt_oss", MXFP4, "mxfp4", [None, "f32"])]
LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "w1", "w2", "w3")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{done.stderr}")
    return done.stdout


def store_fp8(rng, name, shape, kind):
    """A weight [out, in]: its tensors and its numbers."""
    bits = rng.integers(0, 256, shape, np.uint8)
    bits[bits & 127 == 127] = 0  # no number
    values = np.where(bits & 128, -1, 1) * unsigned_e4m3(bits & 127)
    block = {"block": (128, 128), "row": (1, shape[1]), "whole": shape}[kind]
    counts = [-(-size // width) for size, width in zip(shape, block)]
    scales = (rng.uniform(0.5, 1, counts) * shape[1] ** -0.5 / np.std(values)).astype("<f4")
    spread = np.repeat(np.repeat(scales, block[0], 0), block[1], 1)[:shape[0], :shape[1]].astype(float)
    stored = scales.reshape(()) if kind == "whole" else scales
    suffix = "_scale_inv" if kind == "block" else "_scale"
    return {name: ("F8_E4M3", bits), name + suffix: ("F32", stored)}, values * spread


def make_model(folder, family, changes, kind):
    model, small = FAMILIES[family]
    config = make_config(model, small | changes)
    rng, tensors, arrays = np.random.default_rng(7), {}, {}
    for name, shape in oracle_models.weight_shapes(config).items():
        if kind == "mxfp4" and len(shape) == 3:
            stored, arrays[name] = draw_mxfp4(rng, name, shape)
        elif kind != "mxfp4" and name.rsplit(".", 2)[-2] in LINEAR and name.endswith(".weight"):
            stored, arrays[name] = store_fp8(rng, name, shape, kind)
        else:
            numbers = rng.uniform(0.5, 1.5, shape) if "norm" in name else rng.normal(0, shape[-1] ** -0.5, shape)
            stored = {name: ("F32", numbers.astype("<f4"))}
            arrays[name] = stored[name][1].astype(float)
        tensors |= stored
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", tensors)
    return oracle_models.Model(config, arrays)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for family, changes, kind, formats in CASES:
        expected = make_model(folder, family, changes, kind).forward([PROMPT])[0][0]
        for name in formats:
            (folder / "program.mlir").write_text(run(
                "llm-translate", "--import-hf-config", folder / "config.json", "--layers=all", "--phase=verify",
                f"--seq={len(PROMPT)}", f"--kv-len={len(PROMPT)}", "--dtype=f32", *[f"--weights={name}"] * bool(name)))
            run("llm-run", folder / "program.mlir", f"--weights={folder}", "--results-of=lm_head",
                "--tokens=" + ",".join(map(str, PROMPT)), f"--output={folder}/logits.npy")
            worst = np.max(np.abs(np.load(folder / "logits.npy") - expected)) / np.max(np.abs(expected))
            print(f"{family}, {kind}, as {name or kind}: {worst:.0e}", flush=True)
            if not worst < 1e-5:
                sys.exit("expected at most 1e-5")


main()
