"""Runs small models by llm-run and by an independent NumPy implementation.

    tie_out.py FOLDER [FAMILY...] [--seed=N] [--table]
    tie_out.py --list

For each family a small model of the shape of a real one is made, with random weights in a
safetensors file of the names of Hugging Face. llm-translate and llm-run compute the logits of all
tokens of a prompt, oracle_models.py does in float64. Prints the largest difference, of the largest
logit. --seed: weights of another seed for llm-run alone, which must not agree.
"""
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
import oracle_models
from safetensors_file import write_safetensors
from small_models import FAMILIES, make_config

SEED = 7
PROMPT = [3, 17, 5, 29, 11, 2, 38, 23, 7, 19, 31, 13, 1]


def draw_weights(config, seed):
    """Of every tensor of a checkpoint: matrices by their inputs, vectors around 1, or 0 for biases."""
    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in oracle_models.weight_shapes(config).items():
        if len(shape) > 1:
            inputs = 1 if "embed" in name else shape[-2] if len(shape) == 3 else shape[-1]
            weights[name] = rng.normal(0, inputs ** -0.5, shape)
        elif "norm" in name:
            weights[name] = rng.uniform(0.5, 1.5, shape)
        else:
            weights[name] = rng.normal(0, 0.3, shape)
    return {name: array.astype(np.float32) for name, array in weights.items()}


def find_seed(config):
    """The first seed with which no token chooses an expert by so little that rounding to bf16 would choose another."""
    for seed in itertools.count(SEED):
        trace = {}
        oracle_models.Model(config, draw_weights(config, seed)).forward([PROMPT], trace=trace)
        margins = [margin.min() for name, (margin,) in trace.items() if name.endswith("router_margin")]
        if min(margins, default=1) > 0.015:
            return seed


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words[0]} failed:\n{done.stderr}")
    return done.stdout


def file_layout(family, arrays):
    """As the files have them: the fused experts of gpt-oss are transposed where they are not dequantized."""
    if family != "gpt_oss":
        return arrays
    return {name: np.ascontiguousarray(array.transpose(0, 2, 1)) if array.ndim == 3 else array
            for name, array in arrays.items()}


def difference(found, expected):
    return np.max(np.abs(found - expected)) / np.max(np.abs(expected))


class Subject:
    """A model of a family in files, and its oracle."""

    def __init__(self, folder, family, seed):
        model, changes = FAMILIES[family]
        config = make_config(model, changes)
        (folder / "config.json").write_text(json.dumps(config))
        known = find_seed(config)
        arrays = file_layout(family, draw_weights(config, seed or known))
        write_safetensors(folder / "model.safetensors", {name: ("F32", array) for name, array in arrays.items()})
        self.folder, self.is_latent = folder, "kv_lora_rank" in config
        self.head = "lm_head.soft_cap" if family == "gemma2" else "lm_head"
        self.oracle = oracle_models.Model(config, draw_weights(config, known))

    def translate(self, *options):
        (self.folder / "program.mlir").write_text(run(
            "llm-translate", "--import-hf-config", self.folder / "config.json", "--layers=all", *options))

    def logits(self, *options):
        """Of llm-run, with the weights of the files."""
        run("llm-run", self.folder / "program.mlir", f"--weights={self.folder}", f"--results-of={self.head}",
            f"--output={self.folder}/logits.npy", *options)
        return np.load(self.folder / "logits.npy")

    def whole(self, prompts, *options):
        """Prompts of one length at once: logits of all tokens."""
        length = len(prompts[0])
        self.translate("--phase=verify", f"--seq={length}", f"--kv-len={length}", f"--batch={len(prompts)}", *options)
        expected = np.concatenate(self.oracle.forward(prompts)[0])
        return difference(self.logits(listed(*prompts)), expected)

    def stepwise(self, *options):
        """A prompt, then tokens that the model chooses, each against the cache: logits of the last."""
        steps, prompt = 4, PROMPT[:4]
        self.translate("--phase=decode", "--seq=?", "--kv-len=?", *options)
        found = self.logits(listed(prompt), f"--steps={steps}")
        chosen = oracle_models.greedy(self.oracle, prompt, steps)
        expected = self.oracle.forward([prompt + chosen[:-1]])[0][0][-1:]
        return difference(found, expected)


def listed(*prompts):
    return "--tokens=" + ",".join(str(token) for prompt in prompts for token in prompt)


def tie_out(folder, family, seed):
    """The largest differences in f32 and in bf16, of several shapes."""
    subject = Subject(folder, family, seed)
    pair = [PROMPT[:6], PROMPT[6:12]]
    exact = [subject.whole([PROMPT], "--dtype=f32"), subject.whole(pair, "--dtype=f32"), subject.stepwise("--dtype=f32")]
    if subject.is_latent:
        exact += [subject.whole(pair, "--dtype=f32", f"--mla={form}") for form in ("absorbed", "expanded")]
    return max(exact), subject.whole([PROMPT], "--dtype=bf16")


def main():
    if sys.argv[1] == "--list":
        print(*FAMILIES, sep="\n")
        return
    folder, *families = [Path(word) if n == 0 else word for n, word in enumerate(sys.argv[1:])]
    options = [word for word in families if word.startswith("--")]
    seed = next((int(word.removeprefix("--seed=")) for word in options if word.startswith("--seed=")), None)
    folder.mkdir(exist_ok=True)
    for family in [word for word in families if word not in options] or FAMILIES:
        exact, rounded = tie_out(folder, family, seed)
        if "--table" in options:
            print(f"| `{family}` | {FAMILIES[family][0].replace('--', '/')} | {exact:.0e} | {rounded:.0e} |", flush=True)
        else:
            print(f"{family}: {exact:.0e} in f32, {rounded:.0e} in bf16", flush=True)
        if exact > 1e-5 or rounded > 2e-2:
            sys.exit(f"{family}: expected at most 1e-5 in f32, and 2e-2 in bf16")


main()
