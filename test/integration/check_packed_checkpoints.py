"""Checkpoints of packed weights, and such with scales from a calibration, run by llm-run and by NumPy.

    check_packed_checkpoints.py FOLDER

Small models whose linear layers are stored as GPTQ, AWQ, compressed-tensors and ModelOpt store them, with random bits;
and in fp8 with scales of activations and caches. The logits of a prompt agree with oracle_models.py, which has the
numbers in float64; weights are handed over as plain floats and, where they are products, as values and scales.
"""
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
import oracle_models
from packed_files import awq, compressed, gptq, nvfp4
from quantized_models import LINEAR, QuantizedModel, run_model, store_fp8, worst_of
from safetensors_file import write_safetensors
from small_models import FAMILIES, make_config

PROMPT = [3, 17, 5, 29, 11, 2, 38, 23, 7, 19, 31, 13, 1]
SIZES = {"hidden_size": 160, "intermediate_size": 224, "head_dim": 32}
SPARSE = {"moe_intermediate_size": 96, "num_experts": 3}
SECOND = {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 32, "checkpoint_format": "gptq_v2"}}
CASES = [  # family, changes, what it is called, how weights are stored, and the formats in which programs have them
    ("llama", SIZES, "gptq", gptq, ["f32"]),
    ("qwen2", SIZES, "gptq of 8 bits in any order", partial(gptq, bits=8, in_order=False), ["f32"]),
    ("llama", SIZES | SECOND, "gptq_v2", partial(gptq, is_second_format=True), ["f32"]),
    ("qwen3", SIZES, "symmetric gptq", partial(gptq, is_symmetric=True), ["int4_g32", "f32"]),
    ("llama", SIZES, "awq", awq, ["f32"]),
    ("mixtral", SIZES | {"num_local_experts": 3}, "awq", awq, ["f32"]),
    ("qwen3_moe", SIZES | SPARSE, "compressed int4", compressed, ["int4_g32", "f32"]),
    ("llama", SIZES, "asymmetric compressed int8", partial(compressed, bits=8, is_symmetric=False), ["f32"]),
    ("llama", SIZES, "compressed nvfp4", partial(nvfp4, of_modelopt=False), ["nvfp4", "f32"]),
    ("qwen3_moe", SIZES | SPARSE, "modelopt nvfp4", partial(nvfp4, of_modelopt=True), ["nvfp4", "f32"])]
FP8 = "!llm.block_scaled<f8E4M3FN, [?, ?], f32>"
FP8_CACHE = "!llm.block_scaled<f8E4M3FN, [?, ?, ?, ?], f32>"
STATIC = {"quant_method": "fp8", "activation_scheme": "static",
          "kv_cache_scheme": {"num_bits": 8, "type": "float", "strategy": "tensor"}}


def is_linear(name):
    return name.endswith(".weight") and name.rsplit(".", 2)[-2] in LINEAR


def make_model(folder, family, changes, store, more=lambda rng, config: {}):
    """`more`: further tensors."""
    model, small = FAMILIES[family]
    config = make_config(model, small | changes)
    rng, tensors, arrays = np.random.default_rng(7), {}, {}
    for name, shape in oracle_models.weight_shapes(config).items():
        if is_linear(name):
            stored, arrays[name] = store(rng, name, shape)
        else:
            numbers = rng.uniform(0.5, 1.5, shape) if "norm" in name else rng.normal(0, shape[-1] ** -0.5, shape)
            stored = {name: ("F32", numbers.astype("<f4"))}
            arrays[name] = stored[name][1].astype(float)
        tensors |= stored
    tensors |= more(rng, config)
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", tensors)
    return oracle_models.Model(config, arrays), {name: array for name, (_, array) in tensors.items()}


def check_stored(folder, family, changes, kind, store, formats):
    expected = make_model(folder, family, changes, store)[0].forward([PROMPT])[0][0]
    for name in formats:
        worst = worst_of(run_model(folder, PROMPT, f"--weights={name}"), expected)
        print(f"{family}, {kind}, as {name}: {worst:.0e}", flush=True)
        if not worst < 1e-5:
            sys.exit("expected at most 1e-5")


def draw_scales(names, rng, config):
    """Of keys and values under some tool's names, and of what goes into linear layers: near amax / 448."""
    tensors = {}
    for layer in range(config["num_hidden_layers"]):
        path = f"model.layers.{layer}.self_attn."
        for name in names:
            tensors[path + name] = ("F32", np.float32(rng.uniform(0.005, 0.01)).reshape(rng.choice([0, 1]) * (1,)))
    for name in oracle_models.weight_shapes(config):
        if is_linear(name):
            tensors[name.replace(".weight", ".input_scale")] = ("F32", np.array(rng.uniform(0.005, 0.01), "<f4"))
    return tensors


READERS = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"), ("w1", "w3"))


def input_scales(arrays):
    """One for all layers that read the same, the largest; experts of one layer read the same rows."""
    scales = {}
    for name in arrays:
        if not name.endswith(".input_scale"):
            continue
        path, part = name.removesuffix(".input_scale").rsplit(".", 1)
        parts = next((group for group in READERS if part in group), (part,))
        paths = [path]
        if ".experts." in path:
            stem = path.rsplit(".", 1)[0]
            paths = sorted({other.rsplit(".", 2)[0] for other in arrays if other.startswith(stem + ".") and "input_scale" in other})
        scales[f"{path}.{part}"] = max(float(arrays[f"{each}.{reader}.input_scale"]) for each in paths for reader in parts)
    return scales


def check_calibrated(folder, family, names):
    """A sum in f32 may round one number that is beside a tie the other way, which changes all that follow: that is so in
    less than half of the prompts."""
    changes = SIZES | {"quantization_config": STATIC} | ({"num_local_experts": 3} if family == "mixtral" else {})
    model, arrays = make_model(folder, family, changes, partial(store_fp8, kind="whole"), partial(draw_scales, names))
    of_cache = [[float(np.ravel(arrays[f"model.layers.{layer}.self_attn.{names[of % len(names)]}"])[0]) for of in (0, 1)]
                for layer in range(model.c["num_hidden_layers"])]
    calibrated = QuantizedModel(model, FP8, FP8_CACHE, input_scales(arrays), of_cache)
    others = QuantizedModel(model, FP8, FP8_CACHE)
    worst, changed = [], []
    for prompt in (PROMPT[n:n + 3] for n in (0, 3, 6)):
        expected = calibrated.forward([prompt])[0][0]
        worst.append(worst_of(run_model(folder, prompt), expected))
        changed.append(worst_of(others.forward([prompt])[0][0], expected))
    print(f"{family}, calibrated, {names[0]}: {np.median(worst):.0e}, which other scales changed by {min(changed):.0e}", flush=True)
    if not np.median(worst) < 1e-5 < min(changed) / 100:
        sys.exit("expected at most 1e-5, and more than a hundred times that")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for case in CASES:
        check_stored(folder, *case)
    check_calibrated(folder, "llama", ["k_scale", "v_scale"])
    check_calibrated(folder, "qwen2", ["k_proj.k_scale", "v_proj.v_scale"])
    check_calibrated(folder, "mixtral", ["kv_scale"])


main()
