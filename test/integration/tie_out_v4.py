"""Runs a small DeepSeek-V4 by llm-run and by oracle_v4.py, an independent NumPy implementation in float64.

    tie_out_v4.py FOLDER [--seed=N]

The model has layers of all three kinds, a table of experts in the first, and random weights in a file of the names of
the release. Prints the largest difference of logits, of the largest logit, in f32: of prompts; of prompts behind cached
tokens; of decode steps behind prompts of several lengths, at which windows close and do not; of sequences of several
lengths; of drafts; of chunked prefill. Caches and states are then filled with what the oracle has behind earlier tokens.
--seed: weights of another seed for llm-run alone, which must not agree.
"""
import json
import re
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
import oracle_v4
from run_tools import TRIES_ALL, run
from safetensors_file import write_safetensors

MODEL = Path(__file__).resolve().parents[1] / "models/deepseek-ai--DeepSeek-V4-Flash.json"
# Windows of 4 tokens with overlap, of which 2 are selected, windows of 6 without, and none; 5 tokens are seen beside.
SMALL = {"hidden_size": 32, "num_hidden_layers": 5, "vocab_size": 40, "num_attention_heads": 4, "head_dim": 12,
         "q_lora_rank": 16, "qk_rope_head_dim": 4, "o_groups": 2, "o_lora_rank": 8, "hc_mult": 3, "hc_sinkhorn_iters": 4,
         "index_n_heads": 3, "index_head_dim": 8, "index_topk": 2, "moe_intermediate_size": 16, "n_routed_experts": 6,
         "num_experts_per_tok": 2, "num_hash_layers": 1, "sliding_window": 5, "swiglu_limit": 1.0,
         "compress_ratios": [0, 4, 6, 4, 6, 0], "expert_dtype": None, "quantization_config": None, "torch_dtype": "float32",
         "rope_scaling": {"type": "yarn", "factor": 4, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 8}}
SEED = 17
LIMIT = 1e-5


def draw_weights(config, seed):
    rng, weights = np.random.default_rng(seed), {}
    for name, shape in oracle_v4.weight_shapes(config).items():
        if name.endswith("tid2eid"):
            rows = [rng.permutation(config["n_routed_experts"])[:shape[1]] for _ in range(shape[0])]
            weights[name] = np.array(rows, np.int32)
        elif "norm" in name or name.endswith("_scale"):
            weights[name] = rng.uniform(0.5, 1.5, shape).astype(np.float32)
        else:
            spread = 1 if "embed" in name or len(shape) == 1 or "ape" in name else shape[-1] ** -0.5
            weights[name] = rng.normal(0, spread, shape).astype(np.float32)
    return weights


def drawn(length, start):
    """A prompt of its own."""
    return [(start + 11 * n + n * n) % 40 for n in range(length)]


CACHE = re.compile(r'^( *)%(\w+) = llm\.kv_cache "(.*?)"(\[.*?\])? : (<.*>)$', re.M)
STATE = re.compile(r'^( *)%(\w+) = llm\.state "(.*?)"(\[.*?\])? : <batch = (\d+), 2x(\d+)x(\d+)xf32>$', re.M)
GROUP = re.compile(r"\.(decode\d*|chunk|sequences\d+)$")


class Subject:
    def __init__(self, folder, seed=None):
        folder.mkdir(exist_ok=True)
        self.folder, self.config = folder, json.loads(MODEL.read_text()) | SMALL
        self.stored = draw_weights(self.config, seed or SEED)
        self.oracle = oracle_v4.Model(self.config, draw_weights(self.config, SEED))
        (folder / "config.json").write_text(json.dumps(self.config))

    def fill(self, program, groups):
        """The program with caches and states that the oracle has behind earlier tokens; groups: by their suffix, for each
        sequence what its layers keep, how many tokens are old, and how many there are."""
        tensors, filled = {}, {}

        def places(name, index, ratios):
            """Names and numbers of the layers that are meant: of a loop's, those of these ratios."""
            if not index:
                return [(name, int(re.search(r"layers\.(\d+)", name)[1]))]
            return [(name.replace("{}", str(i)), i) for i, ratio in enumerate(self.config["compress_ratios"][:-1]) if ratio in ratios]

        def group_of(name):
            suffix = GROUP.search(name)
            return groups[suffix[1] if suffix else ""]

        def fill_cache(match):
            indent, value, name, index, state = match.groups()
            batch, _, features, capacity = map(int, re.findall(r"= (\d+)", state))
            part = "keys" if "indexer" in name else "entries" if "compressor" in name else "rows"
            longest, all_ratios = max(length for *_, length in group_of(name)), set(self.config["compress_ratios"])
            ratios = all_ratios if part == "rows" else {m for m in all_ratios if m and longest // m == capacity}
            if part == "keys":
                ratios = {oracle_v4.OVERLAPPING}
            for place, layer in places(name, index, ratios):
                rows = np.full((batch, capacity, 1, features), np.nan, np.float32)
                for b, (kept, old, _) in enumerate(group_of(name)):
                    if old:
                        rows[b, :len(kept[layer][part]), 0] = kept[layer][part]
                tensors[f"{place}.old"] = ("F32", rows)
            kind = f"tensor<{batch}x{capacity}x1x{features}xf32>"
            return "\n".join(indent + line for line in (
                f'%empty_{value} = llm.kv_cache "{name}"{index or ""} : {state}',
                f'%old_{value} = llm.weight "{name}.old"{index or ""} : {kind}',
                f'%{value} = llm.kv_write "{name}.fill" %empty_{value}, %old_{value} at 0 : {state}, {kind}'))

        def fill_state(match):
            """A state is what an op has seen last: here of tokens that begin a sequence."""
            indent, value, name, index, batch, rows, channels = match.groups()
            batch, rows, channels = int(batch), int(rows), int(channels)
            part = "indexer" if "indexer" in name else "compressor"
            for place, layer in places(name, index, {self.ratio_of(rows)}):
                last = np.zeros((2, batch, rows, channels), np.float32)
                for b, (kept, old, _) in enumerate(group_of(name)):
                    for array, known in enumerate(kept[layer][part] if old else ()):
                        here = known[-rows:]
                        last[array, b, rows - len(here):] = here
                tensors[f"{place}.values"], tensors[f"{place}.gates"] = (("F32", each) for each in last)
                tensors[f"{place}.zeros"] = ("F32", np.zeros((self.ratio_of(rows), channels), np.float32))
            filled[value] = f"%filled_{value}#1"
            kinds = [f"tensor<{batch}x{rows}x{channels}xf32>"] * 2 + [f"tensor<{self.ratio_of(rows)}x{channels}xf32>"]
            state = f"<batch = {batch}, 2x{rows}x{channels}xf32>"
            lines = [f'%empty_{value} = llm.state "{name}"{index or ""} : {state}']
            lines += [f'%{word}_{value} = llm.weight "{name}.{word}"{index or ""} : {kind}'
                      for word, kind in zip(("values", "gates", "zeros"), kinds)]
            lines.append(f'%filled_{value}:2 = llm.compress "{name}.fill" %values_{value}, %gates_{value} bias %zeros_{value} '
                         f'from %empty_{value} at 0 : {", ".join(kinds)}, !llm.state{state}')
            return "\n".join(indent + line for line in lines)

        program = STATE.sub(fill_state, CACHE.sub(fill_cache, program))
        return re.sub(r"(?<=[^.]from )%(\w+)", lambda use: filled.get(use[1], use[0]), program), tensors

    def ratio_of(self, rows):
        return rows // 2 if rows == 2 * oracle_v4.OVERLAPPING else rows

    def step(self, options, groups, logits):
        """Groups by their suffix: (tokens, how many of them are new) for each sequence. Logits of the last few tokens."""
        text = run("llm-translate", "--import-hf-config", self.folder / "config.json", "--layers=all", "--dtype=f32", *options)
        expected, new_tokens, kept = [], [], {}
        for suffix, sequences in groups.items():
            kept[suffix] = []
            for tokens, new in sequences:
                old = len(tokens) - new
                expected.append(self.oracle.forward(tokens)[0][-logits:])
                kept[suffix].append((self.oracle.forward(tokens[:old])[1] if old else None, old, len(tokens)))
                new_tokens += tokens[old:]
        text, tensors = self.fill(text, kept)
        (self.folder / "program.mlir").write_text(text)
        stored = {name: ("I32" if array.dtype == np.int32 else "F32", array) for name, array in self.stored.items()}
        write_safetensors(self.folder / "model.safetensors", stored | tensors)
        run("llm-run", self.folder / "program.mlir", f"--weights={self.folder}/model.safetensors", "--results-of=lm_head",
            f"--output={self.folder}/logits.npy", "--tokens=" + ",".join(map(str, new_tokens)))
        found, wanted = np.load(self.folder / "logits.npy"), np.concatenate(expected)
        return np.max(np.abs(found - wanted)) / np.max(np.abs(wanted))


def measures(subject):
    """What is done, and the difference."""
    def prompt(length):
        return subject.step(["--phase=verify", f"--seq={length}", f"--kv-len={length}"], {"": [(drawn(length, 3), length)]}, length)

    def decode(length):
        return subject.step(["--phase=decode", f"--kv-len={length}"], {"": [(drawn(length, length), 1)]}, 1)

    yield "prompts", max(map(prompt, (3, 4, 13, 27) if TRIES_ALL else (4, 27)))
    yield "prompts behind others", max(
        subject.step(["--phase=prefill", f"--seq={new}", f"--kv-len={old + new}", "--batch=2"],
                     {"": [(drawn(old + new, start), new) for start in (1, 2)]}, 1)
        for new, old in ((9, 7), (6, 12), (3, 8), (14, 1))[::1 if TRIES_ALL else 2])
    yield "decode behind prompts", max(map(decode, (1, 2, 3, 4, 5, 6, 12, 13, 23, 24, 25) if TRIES_ALL else (4, 12, 25)))
    yield "sequences of several lengths", subject.step(
        ["--phase=decode", "--kv-len=14,9,17,24,10"],
        {"sequences0": [(drawn(n, n), 1) for n in (14, 9, 17, 10)], "sequences1": [(drawn(24, 24), 1)]}, 1)
    yield "drafts", subject.step(["--phase=verify", "--seq=5", "--kv-len=19", "--batch=2"],
                                 {"": [(drawn(19, 1), 5), (drawn(19, 2), 5)]}, 5)
    yield "chunked prefill", subject.step(
        ["--phase=mixed", "--kv-len=13,15", "--chunk=7", "--chunk-kv-len=20"],
        {"decode": [(drawn(13, 1), 1), (drawn(15, 2), 1)], "chunk": [(drawn(20, 3), 7)]}, 1)


def main():
    seed = [int(word.split("=")[1]) for word in sys.argv[2:]]
    subject = Subject(Path(sys.argv[1]), *seed)
    for what, found in measures(subject):
        print(f"{what}: {found:.0e}", flush=True)
        if not found <= LIMIT:  # or no number
            sys.exit(f"{what}: expected at most {LIMIT:.0e}")
    # Scores that are all below 0 are equal, of entries of which the first come first.
    least = min(margin for margin in subject.oracle.margins if margin)
    if least < 1e-4:
        sys.exit(f"an expert or an entry is chosen by {least:.0e} only: take another seed")


if __name__ == "__main__":
    main()
