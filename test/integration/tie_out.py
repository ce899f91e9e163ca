"""Runs small models by llm-run and by an independent NumPy implementation.

    tie_out.py FOLDER [FAMILY...] [--only=f32,steps,bf16,rounding] [--seed=N] [--table]
    tie_out.py --list

For each family a small model of the shape of a real one is made, with random weights in a
safetensors file of the names of Hugging Face. llm-translate and llm-run compute the logits of all
tokens of a prompt, oracle_models.py does in float64. Prints the largest difference, of the largest
logit: in f32, of sequences of one length; of steps of a server, which have sequences of several
lengths at once and keys that lie in a cache already, of which the oracle computes each by itself;
and in bf16, where the oracle, too, rounds what Spec.md rounds. `rounding` is how far these roundings
alone move the oracle's logits. --seed: weights of another seed for llm-run alone, which must not agree.
"""
import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
import oracle_configs
import oracle_models
from oracle_recurrent import State, model_of
from filled_caches import fill_caches
from mx_files import draw_mxfp4
from run_tools import TRIES_ALL, run
from safetensors_file import write_safetensors
from small_models import FAMILIES, make_config

SEED = 7
PROMPT = [3, 17, 5, 29, 11, 2, 38, 23, 7, 19, 31, 13, 1]


# Experts in MXFP4 have inputs by the 32.
MODELS = FAMILIES | {"gpt_oss_mxfp4": (FAMILIES["gpt_oss"][0], FAMILIES["gpt_oss"][1] | {
    "hidden_size": 64, "intermediate_size": 96, "quantization_config": {"quant_method": "mxfp4"}})}


SAID = {"gpt_oss_mxfp4": ", experts in MXFP4", "qwen3_5_text": ", dense", "kimi_linear_bounded": ", gates as in Kimi-K3"}


class Step(NamedTuple):
    """Sequences of several lengths at once: (tokens, how many of them are new), in the order of the program and in
    the groups whose caches are one. `logits`: of how many tokens of a sequence."""
    options: list
    groups: list
    logits: int


def drawn(length, start):
    """A prompt of its own."""
    return [(start + 11 * n + n * n) % 40 for n in range(length)]


# Longrope has other factors behind 8 positions: of a group, all sequences have the same.
STEPS = [
    # Four tokens of a prompt, six behind others, beside sequences that decode.
    Step(["--phase=mixed", "--kv-len=7,3,5", "--chunk=4", "--chunk-kv-len=10"],
         [[(drawn(7, 1), 1), (drawn(3, 2), 1), (drawn(5, 3), 1)], [(drawn(10, 4), 4)]], 1),
    # The first tokens of a prompt.
    Step(["--phase=mixed", "--kv-len=12,9", "--chunk=5"],
         [[(drawn(12, 5), 1), (drawn(9, 6), 1)], [(drawn(5, 7), 5)]], 1),
    # Drafts of which one begins a sequence: a batch of several lengths is one op of attention.
    Step(["--phase=verify", "--seq=3", "--kv-len=8,3,6"], [[(drawn(8, 8), 3), (drawn(3, 9), 3), (drawn(6, 10), 3)]], 3),
    Step(["--phase=decode", "--kv-len=11,9,13,10"], [[(drawn(n, n), 1) for n in (11, 9, 13, 10)]], 1),
    # Prompts, with cached prefixes and without.
    Step(["--phase=prefill", "--seq=3,6,3,2", "--kv-len=8,6,8,11"],
         [[(drawn(8, 14), 3), (drawn(8, 15), 3)], [(drawn(6, 16), 6)], [(drawn(11, 17), 2)]], 1)]


def draw_weights(config, seed):
    """Of every tensor of a checkpoint: matrices by their inputs, vectors around 1, or 0 for biases. Gives what the file
    has, and the numbers."""
    rng = np.random.default_rng(seed)
    tensors, weights = {}, {}
    for name, shape in oracle_models.weight_shapes(config).items():
        if len(shape) == 3 and config.get("quantization_config"):
            stored, weights[name] = draw_mxfp4(rng, name, shape)
            tensors |= stored
            continue
        if len(shape) > 1:
            inputs = 1 if "embed" in name else shape[-1] if "conv1d" in name else shape[-2] if len(shape) == 3 else shape[-1]
            array = rng.normal(0, inputs ** -0.5, shape)
        elif "norm" in name or "scal" in name:
            array = rng.uniform(0.5, 1.5, shape)
            if name.endswith("router.scale"):  # It undoes a division.
                array *= shape[0] ** 0.5
        else:
            array = rng.normal(0, 0.3, shape)
        weights[name] = array.astype(np.float32)
        tensors[name] = ("F32", weights[name])
    return tensors, weights


def find_seed(config):
    """The first seed with which no token chooses an expert, or a key, by so little that rounding to bf16 would choose
    another, nor rounding to f32 moves the logits far."""
    for seed in itertools.count(SEED):
        trace, weights = {}, draw_weights(config, seed)[1]
        model_of(config, weights).forward([PROMPT], trace=trace)
        margins = [margin.min() for name, (margin,) in trace.items() if name.endswith(("router_margin", "selection_margin"))]
        if min(margins, default=1) > 0.015 and rounding_error(config, weights) < 1e-5:
            return seed


def rounding_error(config, weights):
    """How far rounding moves the logits of a model with recurrent layers. What a state gives is normed: where a query
    finds next to nothing in it, that norm makes errors as large as the output."""
    if oracle_configs.resolve(config)["model_type"] not in oracle_configs.RECURRENT:
        return 0
    rng = np.random.default_rng(SEED)
    moved = {name: array * (1 + 2.0 ** -24 * rng.uniform(-1, 1, array.shape)) for name, array in weights.items()}
    prompts = [PROMPT, PROMPT[6:12], *(tokens for step in STEPS for group in step.groups for tokens, _ in group)]
    return max(map(difference, model_of(config, moved).forward(prompts)[0], model_of(config, weights).forward(prompts)[0]))


def difference(found, expected):
    return np.max(np.abs(found - expected)) / np.max(np.abs(expected))


class Subject:
    """A model of a family in files, and its oracle."""

    def __init__(self, folder, family, seed=None, tries_all=TRIES_ALL, **changes):
        self.family, self.tries_all = family, tries_all
        model, small = MODELS[family]
        config = make_config(model, small | changes)
        (folder / "config.json").write_text(json.dumps(config))
        known = find_seed(config)
        self.tensors, _ = draw_weights(config, seed or known)
        write_safetensors(folder / "model.safetensors", self.tensors)
        self.folder, self.is_latent = folder, "kv_lora_rank" in config
        self.head = "lm_head.soft_cap" if family in ("gemma2", "gemma4") else "lm_head"
        self.config, self.weights = config, draw_weights(config, known)[1]
        self.oracle = model_of(config, self.weights)

    def translate(self, *options):
        (self.folder / "program.mlir").write_text(run(
            "llm-translate", "--import-hf-config", self.folder / "config.json", "--layers=all", *options))

    def logits(self, *options, weights="model.safetensors"):
        """Of llm-run, with the weights of the files."""
        run("llm-run", self.folder / "program.mlir", f"--weights={self.folder / weights}", f"--results-of={self.head}",
            f"--output={self.folder}/logits.npy", *options)
        return np.load(self.folder / "logits.npy")

    def in_bf16(self, rounded):
        """The oracle with weights in bf16, and results of ops as `rounded` makes them."""
        weights = {name: round_bf16(array) for name, array in self.weights.items()}
        return model_of(self.config, weights, mla="absorbed", rounded=rounded)

    def whole(self, prompts, *options, oracle=None):
        """Prompts of one length at once: logits of all tokens."""
        length = len(prompts[0])
        self.translate("--phase=verify", f"--seq={length}", f"--kv-len={length}", f"--batch={len(prompts)}", *options)
        expected = np.concatenate((oracle or self.oracle).forward(prompts)[0])
        return difference(self.logits(listed(*prompts)), expected)

    def stepwise(self, *options):
        """A prompt, then tokens that the model chooses, each against the cache: logits of the last."""
        steps, prompt = 4, PROMPT[:4]
        self.translate("--phase=decode", "--seq=?", "--kv-len=?", *options)
        found = self.logits(listed(prompt), f"--steps={steps}")
        chosen = oracle_models.greedy(self.oracle, prompt, steps)
        expected = self.oracle.forward([prompt + chosen[:-1]])[0][0][-1:]
        return difference(found, expected)

    def step(self, step, *options):
        """New tokens of all sequences at once, behind what is in their caches: each is one of its own in the oracle."""
        self.translate(*step.options, *options)
        expected, groups = [], []
        for group in step.groups:
            logits, caches = zip(*(self.oracle.forward([tokens]) for tokens, _ in group))
            expected += [each[0][-step.logits:] for each in logits]
            states = [self.oracle.forward([tokens[:-new]])[1][0] for tokens, new in group]
            groups.append([old_rows(cache[0], new, before) for cache, (_, new), before in zip(caches, group, states)])
        path = self.folder / "program.mlir"
        program, tensors = fill_caches(path.read_text(), groups)
        path.write_text(program)
        write_safetensors(self.folder / "with_caches.safetensors", self.tensors | tensors)
        new_tokens = [tokens[-new:] for group in step.groups for tokens, new in group]
        return difference(self.logits(listed(*new_tokens), weights="with_caches.safetensors"), np.concatenate(expected))


def old_rows(cache, new, before):
    """By layer, without those of new tokens: keys and values; or one array of both where their sizes differ, and of
    latents and the keys that are rotated behind them. And index keys, of a cache of their own.
    Of a recurrent layer, its state before the new tokens."""
    def old(layer, state):
        if isinstance(layer, State):
            return state
        if layer is None:
            return None
        rows = (layer[:2] if layer[0].shape == layer[1].shape else [np.concatenate(layer[:2], axis=-1)], layer[2:])
        return [[part[:len(part) - new] for part in parts] for parts in rows]

    return [old(layer, state) for layer, state in zip(cache["layers"], before["layers"])]


def listed(*prompts):
    return "--tokens=" + ",".join(str(token) for prompt in prompts for token in prompt)


def one_shape(subject):
    """A prompt, two of one length, tokens after tokens; latents absorbed and expanded. Of a sample, both prompts at once."""
    forms = [[f"--mla={form}"] for form in ("absorbed", "expanded")] if subject.is_latent else []
    exact = [subject.stepwise("--dtype=f32")]
    if subject.tries_all:
        exact.append(subject.whole([PROMPT], "--dtype=f32"))
        pair, forms = [PROMPT[:6], PROMPT[6:12]], [[], *forms]
    else:
        pair, forms = [PROMPT, PROMPT[::-1]], forms or [[]]
    exact += [subject.whole(pair, "--dtype=f32", *form) for form in forms]
    return np.max(exact)


def several_shapes(subject):
    """Of a sample, two: others for each family."""
    first = 0 if subject.tries_all else sum(map(ord, subject.family)) % len(STEPS)
    steps = (STEPS + STEPS)[first:first + (len(STEPS) if subject.tries_all else 2)]
    return np.max([subject.step(step, "--dtype=f32") for step in steps])


def round_bf16(array):
    """To nearest, ties to even."""
    words = np.asarray(array, np.float32).view(np.uint32).astype(np.uint64)
    return ((words + 0x7FFF + (words >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)


def rounded_alike(subject):
    return subject.whole([PROMPT], "--dtype=bf16", oracle=subject.in_bf16(round_bf16))


def moved_by_rounding(subject):
    rounded, exact = (subject.in_bf16(each).forward([PROMPT])[0][0] for each in (round_bf16, lambda x: x))
    return difference(rounded, exact)


MEASURES = {  # how, what is said, and how much there may be
    "f32": (one_shape, "in f32", 1e-5), "steps": (several_shapes, "in steps", 1e-5),
    # A sum in another order may round to the neighbour: of thousands that are rounded, few. One rounding too many moves
    # logits by more.
    "bf16": (rounded_alike, "in bf16", lambda subject: min(2e-2, moved_by_rounding(subject) / 10)),
    "rounding": (moved_by_rounding, "by rounding", np.inf)}


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("family", nargs="*")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(MEASURES))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    options = read_options()
    if options.list:
        print(*MODELS, sep="\n")
        return
    options.folder.mkdir(exist_ok=True)
    for family in options.family or MODELS:
        subject = Subject(options.folder, family, options.seed, TRIES_ALL or options.table)
        found = {name: MEASURES[name][0](subject) for name in options.only}
        if options.table:
            model = MODELS[family][0].replace("--", "/") + SAID.get(family, "")
            cells = [f"`{family}`", model, *(f"{each:.0e}" for each in found.values())]
            print(f"| {' | '.join(cells)} |", flush=True)
        else:
            said = [f"{each:.0e} {MEASURES[name][1]}" for name, each in found.items()]
            print(f"{family}: {', '.join(said)}", flush=True)
        for name, each in found.items():
            _, words, limit = MEASURES[name]
            limit = limit(subject) if callable(limit) else limit
            if not each <= limit:  # or no number
                sys.exit(f"{family}: expected at most {limit:.0e} {words}")


if __name__ == "__main__":
    main()
