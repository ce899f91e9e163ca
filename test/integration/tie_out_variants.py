"""Runs small models of the families of oracle_variants.py by llm-run, and compares logits with it.

    tie_out_variants.py FOLDER [FAMILY...] [--seed=N]

Of each family a small model with random weights: logits of all tokens of two prompts; of the last token of prompts,
which Mamba-2 takes in chunks; of tokens that are decoded behind a prompt, one after the other; and, of a model that
predicts one more token, the logits of that token behind prompts. Prints the largest difference, of the largest logit, in
f32. --seed: weights of another seed for llm-run alone, which must not agree.
"""
import json
import re
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
from oracle_variants import Decoder
from run_tools import run
from safetensors_file import write_safetensors

SEED, LIMIT = 7, 1e-5
PROMPT = [3, 17, 5, 29, 11, 2, 38, 23, 7, 19, 31, 13, 1]
BASE = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 4, "vocab_size": 40, "num_attention_heads": 4,
        "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "torch_dtype": "float32"}
HEADS = {"head_dim": 8}
SLIDING = {"sliding_window": 4, "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]}
STATES = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 2, "mamba_d_state": 8, "mamba_d_conv": 4, "mamba_expand": 2,
          "mamba_chunk_size": 4, "mamba_conv_bias": True}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8, "beta_fast": 32.0, "beta_slow": 1.0}
LFM = {"conv_L_cache": 3, "conv_bias": False, "norm_eps": 1e-5}
FAMILIES = {
    "bamba": STATES | {"num_hidden_layers": 3, "attn_layer_indices": [1]},
    "cohere2": HEADS | SLIDING | {"layer_norm_eps": 1e-5, "logit_scale": 0.25},
    "ernie4_5_moe": {"moe_intermediate_size": 16, "moe_num_experts": 6, "moe_k": 2, "moe_num_shared_experts": 2,
                     "moe_layer_start_index": 1, "moe_layer_interval": 1, "use_bias": False},
    "exaone4": HEADS | SLIDING | {"sliding_window_pattern": "LLLG"},
    "falcon_h1": HEADS | STATES | {
        "num_hidden_layers": 2, "mamba_d_head": 12, "mamba_d_ssm": 48, "attention_in_multiplier": 1.5, "attention_out_multiplier": 0.75,
        "key_multiplier": 0.5, "embedding_multiplier": 2.0, "lm_head_multiplier": 0.25, "mlp_multipliers": [0.75, 0.5],
        "ssm_in_multiplier": 1.25, "ssm_out_multiplier": 0.5, "ssm_multipliers": [0.5, 0.25, 1.5, 2.0, 0.75]},
    "gemma4_text": HEADS | {
        "absent": ["rope_theta"], "num_hidden_layers": 6, "global_head_dim": 16, "sliding_window": 4, "tie_word_embeddings": True, "num_kv_shared_layers": 2,
        "use_double_wide_mlp": True, "hidden_size_per_layer_input": 6, "vocab_size_per_layer_input": 40,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"],
        "final_logit_softcapping": 30.0, "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}},
    "glm4_moe": HEADS | {"num_hidden_layers": 3, "first_k_dense_replace": 1, "moe_intermediate_size": 16, "n_routed_experts": 6, "n_shared_experts": 1,
                         "num_experts_per_tok": 2, "routed_scaling_factor": 1.5, "attention_bias": True, "use_qk_norm": True,
                         "partial_rotary_factor": 0.5, "num_nextn_predict_layers": 1},
    "granitemoehybrid": STATES | {
        "intermediate_size": 16, "num_hidden_layers": 3, "num_local_experts": 6, "num_experts_per_tok": 2, "shared_intermediate_size": 24,
        "position_embedding_type": "nope", "attention_multiplier": 0.2, "embedding_multiplier": 3, "logits_scaling": 4,
        "residual_multiplier": 0.5, "layer_types": ["mamba", "attention", "mamba"]},
    "hunyuan_v1_dense": HEADS | {"rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}, "use_qk_norm": True},
    "lfm2": LFM | {"intermediate_size": 60, "block_multiple_of": 16, "full_attn_idxs": [1]},
    "lfm2_moe": LFM | {"layer_types": ["conv", "full_attention", "conv", "conv"], "moe_intermediate_size": 16, "num_experts": 6,
                       "num_experts_per_tok": 2, "num_dense_layers": 1, "routed_scaling_factor": 1.5},
    "mamba2": {"num_heads": 4, "head_dim": 16, "n_groups": 2, "state_size": 8, "conv_kernel": 4, "expand": 2, "chunk_size": 4,
               "layer_norm_epsilon": 1e-5, "absent": list(BASE)[1:2] + ["num_attention_heads", "num_key_value_heads", "rope_theta", "rms_norm_eps"]},
    "olmo2": {},
    "olmo3": SLIDING | {"rope_scaling": YARN},
    "seed_oss": HEADS | {"attention_bias": True},
    "smollm3": {"no_rope_layers": [1, 1, 0, 1]},
    "step3p5": HEADS | SLIDING | {
        "num_attention_groups": 2, "attention_other_setting": {"num_attention_heads": 6, "num_attention_groups": 2}, "use_head_wise_attn_gate": True,
        "moe_intermediate_size": 16, "share_expert_dim": 24, "moe_num_experts": 6, "moe_top_k": 2, "moe_layers_enum": "1,2,3",
        "moe_router_scaling_factor": 3.0, "rope_theta": [10000.0, 10000.0, 10000.0, 5000.0], "partial_rotary_factors": [1.0, 1.0, 1.0, 0.5],
        "rope_scaling": YARN, "yarn_only_types": ["full_attention"], "absent": ["num_key_value_heads"]},
}


class Subject:
    """A model of a family in files. Its tensors have the shapes that the program reads, and the names of checkpoints."""

    def __init__(self, folder, family, seed):
        folder.mkdir(exist_ok=True)
        self.folder, self.family = folder, family
        self.config = BASE | FAMILIES[family] | {"model_type": family}
        for name in self.config.pop("absent", []):
            self.config.pop(name)
        (folder / "config.json").write_text(json.dumps(self.config))
        self.predicts = ["--mtp"] if "num_nextn_predict_layers" in self.config else []
        program = run("llm-translate", "--import-hf-config", folder / "config.json", "--layers=all", "--kv-len=64", *self.predicts)
        self.shapes = self.shapes_of(program)
        stored = self.draw(seed or SEED)
        write_safetensors(folder / "model.safetensors", {name: ("F32", array) for name, array in stored.items()})
        self.oracle = Decoder(self.config, self.as_in_checkpoint(self.draw(SEED)))

    def shapes_of(self, program):
        """By the names of single layers. Those of a loop get a weight in every layer, and some are not used."""
        shapes, layers = {}, self.config["num_hidden_layers"]
        found = re.findall(r'llm\.weight "(.*?)"(?:\[.*?\])? : tensor<([\dx]*)xf32>', program)
        for name, shape in sorted(found, key=lambda each: "{}" in each[0]):
            sizes = tuple(int(size) for size in shape.split("x"))
            for layer in range(layers) if "{}" in name else [None]:
                shapes.setdefault(name.replace("{}", str(layer)), sizes)
        return shapes

    def draw(self, seed):
        rng, arrays = np.random.default_rng(seed), {}
        for name, shape in sorted(self.shapes.items()):
            if "norm" in name or "scalar" in name:
                arrays[name] = rng.uniform(0.5, 1.5, shape)
            elif len(shape) == 1:
                arrays[name] = rng.normal(0, 0.3, shape)
            else:
                arrays[name] = rng.normal(0, 1 if "embed" in name else shape[-1] ** -0.5, shape)
        return {name: array.astype(np.float32) for name, array in arrays.items()}

    def as_in_checkpoint(self, arrays):
        """Experts each by itself, and weights of all experts in one with a suffix."""
        stored = {}
        for name, array in arrays.items():
            each = re.fullmatch(r"(.*\.experts)\.(gate_proj|up_proj|down_proj)\.weight", name)
            if each and self.family != "step3p5":
                short = {"gate_proj": "w1", "up_proj": "w3", "down_proj": "w2"}[each[2]] if self.family == "lfm2_moe" else each[2]
                stored |= {f"{each[1]}.{e}.{short}.weight": matrix for e, matrix in enumerate(array)}
            elif re.search(r"(input|output)_linear$", name):
                stored[name + ".weight"] = array
            elif self.family == "mamba2":
                names = {"model.embed_tokens.weight": "backbone.embeddings.weight", "model.norm.weight": "backbone.norm_f.weight"}
                stored[names.get(name, name.replace("model.", "backbone."))] = array
            else:
                stored[name] = array
        return stored

    def logits(self, translate, run_options, of="lm_head"):
        (self.folder / "program.mlir").write_text(run(
            "llm-translate", "--import-hf-config", self.folder / "config.json", "--layers=all", "--dtype=f32", *translate))
        of += {"gemma4_text": ".soft_cap", "cohere2": ".scale", "falcon_h1": ".scale", "granitemoehybrid": ".scale"}.get(self.family, "")
        run("llm-run", self.folder / "program.mlir", f"--weights={self.folder}/model.safetensors", f"--results-of={of}",
            f"--output={self.folder}/logits.npy", *run_options)
        return np.load(self.folder / "logits.npy")


def difference(found, expected):
    return np.max(np.abs(found - expected)) / np.max(np.abs(expected))


def listed(*prompts):
    return "--tokens=" + ",".join(str(token) for prompt in prompts for token in prompt)


def measures(subject):
    """What is done, and the difference."""
    oracle, pair = subject.oracle, [PROMPT[:6], PROMPT[6:12]]
    expected = np.concatenate([oracle.forward(prompt)[0] for prompt in pair])
    yield "prompts", difference(subject.logits(["--phase=verify", "--seq=6", "--kv-len=6", "--batch=2"], [listed(*pair)]), expected)
    last = np.stack([oracle.forward(prompt)[0][-1] for prompt in pair])
    yield "last tokens", difference(subject.logits(["--phase=prefill", "--seq=6", "--batch=2"], [listed(*pair)]), last)
    prompt, steps = PROMPT[:5], 6
    chosen = list(prompt)
    for _ in range(steps):
        chosen.append(int(np.argmax(oracle.forward(chosen)[0][-1])))
    found = subject.logits(["--phase=decode", "--seq=?", "--kv-len=?"], [listed(prompt), f"--steps={steps}"])
    yield "decoded tokens", difference(found, oracle.forward(chosen[:-1])[0][-1:])
    if not subject.predicts:
        return
    # What was sampled is the token behind the last one.
    for what, options, prompts in (("further tokens", ["--phase=prefill", "--seq=6", "--batch=2"], pair),
                                   ("a further token", ["--phase=prefill", "--seq=13"], [PROMPT])):
        grown = [prompt + [int(np.argmax(oracle.forward(prompt)[0][-1]))] for prompt in prompts]
        expected = np.stack([oracle.forward(each)[1][-1] for each in grown])
        yield what, difference(subject.logits([*options, "--mtp"], [listed(*prompts)], "mtp.0.lm_head"), expected)


def main():
    words = sys.argv[1:]
    seed = [int(word.split("=")[1]) for word in words if word.startswith("--seed=")]
    folder, *families = [word for word in words if not word.startswith("--")]
    Path(folder).mkdir(exist_ok=True)
    for family in families or FAMILIES:
        subject = Subject(Path(folder) / family, family, *seed or [None])
        found = dict(measures(subject))
        print(f"{family}: " + ", ".join(f"{value:.0e} {what}" for what, value in found.items()), flush=True)
        kinds = [{re.sub(r"\d+", "#", name) for name in names} for names in (subject.oracle.w, subject.oracle.used)]
        unread = kinds[0] - kinds[1]  # a loop's weights stand for all layers here
        if unread:
            sys.exit(f"{family}: the oracle has no use for {sorted(unread)[:3]}")
        if getattr(subject.oracle, "margin", 1.0) < 1e-4:
            sys.exit(f"{family}: an expert is chosen by next to nothing: take another seed")
        if not max(found.values()) <= LIMIT:  # or no number
            sys.exit(f"{family}: expected at most {LIMIT:.0e}")


if __name__ == "__main__":
    main()
