#!/usr/bin/env python3
"""Derives the totals of a model from its config.json and compares them with llm-opt.

    derive_totals.py derive CONFIG [OPTION...]          print the totals
    derive_totals.py compare CONFIG REPORT [OPTION...]  compare with a JSON report
    derive_totals.py sweep EXAMPLES                     compare over all variants

OPTIONs are those of llm-translate: --phase --batch --seq --kv-len --layers --mask. The
figures follow from the published architecture of Llama 3 and Qwen3 and share nothing with
the compiler: per layer

    q, o: hidden x (heads head_dim); k, v: hidden x (kv_heads head_dim);
    gate, up, down: hidden x intermediate; two norms of hidden (and, in Qwen3, one of
    head_dim each for queries and keys); --layers=all: an embedding and a head of
    vocabulary x hidden, or one for both, and a norm.

A weight of a linear layer takes part in one multiply-accumulate per token; attention in
head_dim for the score and head_dim for the value, per head and visible pair of query and
key: with a causal mask the new token s of S sees the kv_len - S + s + 1 keys before and at
it. The cache holds a key and a value of kv_heads head_dim per position and sequence.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}


def parser_of_options():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--phase", choices=["decode", "prefill"], default="decode")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seq", type=int)
    parser.add_argument("--kv-len", type=int)
    parser.add_argument("--layers", default="1")
    parser.add_argument("--mask", choices=["causal", "full"], default="causal")
    return parser


def derive(config, options):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    kv_heads, inner = config["num_key_value_heads"], config["intermediate_size"]
    head_dim = config.get("head_dim", hidden // heads)
    width = BYTES[config["torch_dtype"]]
    layers = config["num_hidden_layers"] if options.layers == "all" else int(options.layers)
    seq = options.seq or (1 if options.phase == "decode" else 512)
    kv_len = options.kv_len or (512 if options.phase == "decode" else seq)
    batch = options.batch

    matmul_weights = hidden * (2 * heads + 2 * kv_heads) * head_dim + 3 * hidden * inner
    norms = 2 * hidden + (2 * head_dim if config["model_type"] == "qwen3" else 0)
    if options.mask == "full":
        pairs = seq * kv_len
    else:
        pairs = sum(kv_len - seq + s + 1 for s in range(seq))
    macs = batch * (seq * matmul_weights + 2 * heads * head_dim * pairs)
    per_position = 2 * kv_heads * head_dim
    # With all layers come the embedding, the last norm and the head, for the last tokens.
    table = config["vocab_size"] * hidden
    head, ends = (table, table + hidden + (0 if config["tie_word_embeddings"] else table)) \
        if options.layers == "all" else (0, 0)
    return {
        "macs": layers * macs + batch * head,
        "matmul_weight_elements": layers * matmul_weights + head,
        "parameters": layers * (matmul_weights + norms) + ends,
        "weight_bytes": (layers * (matmul_weights + norms) + ends) * width,
        "kv_elements": layers * batch * kv_len * per_position,
        "kv_read_bytes": layers * batch * kv_len * per_position * width,
        "kv_write_bytes": layers * batch * seq * per_position * width,
    }


def differences(derived, report):
    found = report["totals"]
    return [f"{key}: derived {derived[key]:,}, reported {found.get(key):,}"
            for key in derived if found.get(key) != derived[key]]


def run_compiler(config_path, words, passes, folder):
    """The report of llm-translate and llm-opt, as found on PATH."""
    source, report = os.path.join(folder, "block.mlir"), os.path.join(folder, "report.json")
    subprocess.run(["llm-translate", "--import-hf-config", config_path, *words, "-o", source],
                   check=True)
    subprocess.run(["llm-opt", source, *passes, "--llm-tile=strategy=theoretical",
                    "--llm-schedule=policy=earliest",
                    f"--llm-export-report=format=json file={report}", "-o", os.devnull],
                   check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


# Options, and passes that must leave the totals as they are.
VARIANTS = [
    [],
    ["--batch=3"],
    ["--seq=5", "--kv-len=37"],
    ["--seq=7", "--kv-len=7", "--batch=2"],
    ["--layers=all"],
    ["--layers=2", "--batch=2", "--seq=1", "--kv-len=1"],
    ["--seq=300", "--kv-len=8192", "--layers=3"],
]
PASSES = [[], ["--llm-decompose-attention"],
          ["--llm-fuse-projections", "--llm-decompose-attention"]]


def sweep(examples):
    configs = sorted(name for name in os.listdir(examples) if name.endswith(".json"))
    failures = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, phase, mask, (index, variant) in itertools.product(
                configs, ["decode", "prefill"], ["causal", "full"], enumerate(VARIANTS)):
            words = [f"--phase={phase}", f"--mask={mask}", *variant]
            path = os.path.join(examples, name)
            with open(path, encoding="utf-8") as file:
                derived = derive(json.load(file), parser_of_options().parse_args(words))
            passes = PASSES[index % len(PASSES)]
            report = run_compiler(path, words, passes, folder)
            runs += 1
            for line in differences(derived, report):
                print(f"{name} {' '.join(words + passes)}: {line}")
                failures += 1
    print(f"{runs} variants of {len(configs)} models, {failures} differences")
    return failures or not configs


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("derive", parents=[parser_of_options()])
    one.add_argument("config")
    two = commands.add_parser("compare", parents=[parser_of_options()])
    two.add_argument("config")
    two.add_argument("report")
    commands.add_parser("sweep").add_argument("examples")
    options = parser.parse_args()
    if options.command == "sweep":
        return 1 if sweep(options.examples) else 0
    with open(options.config, encoding="utf-8") as file:
        derived = derive(json.load(file), options)
    if options.command == "derive":
        print(json.dumps(derived, indent=2))
        return 0
    with open(options.report, encoding="utf-8") as file:
        lines = differences(derived, json.load(file))
    print("\n".join(lines) or "totals agree")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
