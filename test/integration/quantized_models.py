"""Small models whose linear layers are quantized: their tensors, what NumPy makes of them, and runs of them."""
import itertools
import re

import numpy as np

import oracle_models
from block_scaled import quantize
from gguf_files import unsigned_e4m3
from run_tools import run

LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "w1", "w2", "w3")


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


class QuantizedModel(oracle_models.Model):
    """Rounds what goes into linear layers and caches. `input_scales` has the scales that are known before, by the name
    of the layer; `cache_scales` those of the keys and of the values of each layer: 1 without it."""

    def __init__(self, model, activations=None, cache=None, input_scales=None, cache_scales=None):
        super().__init__(model.c, model.w)
        self.activations, self.cache_element = activations, cache
        self.input_scales, self.cache_scales = input_scales, cache_scales

    def linear(self, name, x):
        if self.activations and name.rsplit(".", 1)[-1] in LINEAR:
            known = self.input_scales and {0: np.float32(self.input_scales[name])}
            x = quantize(x, self.activations, known).numbers()
        return super().linear(name, x)

    def store(self, rows, scale):
        layers = re.findall(r"\[([^\]]*)\]", self.cache_element)
        known = {n: np.float32(scale) for n, block in enumerate(layers) if block == "?, ?, ?, ?"}
        return quantize(rows[None], self.cache_element, known).numbers()[0]

    def forward(self, *arguments):
        grown = oracle_models.grown
        scales = itertools.cycle(self.cache_scales or [(1, 1)])  # one layer behind the other
        if self.cache_element:
            oracle_models.grown = lambda cache, *new: grown(cache, *map(self.store, new, next(scales)))
        try:
            return super().forward(*arguments)
        finally:
            oracle_models.grown = grown


def worst_of(found, expected):
    return np.max(np.abs(found - expected)) / np.max(np.abs(expected))


def run_model(folder, prompt, *formats):
    """The logits of the prompt, at each of its tokens."""
    (folder / "program.mlir").write_text(run(
        "llm-translate", "--import-hf-config", folder / "config.json", "--layers=all", "--phase=verify",
        f"--seq={len(prompt)}", f"--kv-len={len(prompt)}", "--dtype=f32", *formats))
    run("llm-run", folder / "program.mlir", f"--weights={folder}", "--results-of=lm_head",
        "--tokens=" + ",".join(map(str, prompt)), f"--output={folder}/logits.npy")
    return np.load(folder / "logits.npy")
