"""Imports GGUF files with one thing wrong in each, and prints what the importer says, at the name of the key.

    check_hybrid_gguf_errors.py ROOT FOLDER
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from gguf_header import ARRAY, I32, STRING, U32
from make_hybrid_gguf import make_hybrid_gguf, write_hybrid_gguf

QWEN, NEMOTRON, NEXT = "Qwen--Qwen3.5-35B-A3B", "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "Qwen--Qwen3-Next-80B-A3B-Instruct"

LATENT = "deepseek-ai--DeepSeek-V2-Lite"


def key_at(path, byte):
    """The key whose value's type stands at the byte of the file."""
    with open(path, "rb") as file:
        before = file.read(byte)
    found = re.search(rb"[a-z0-9_.]+$", before)
    return found[0].decode() if found else "the file"


def main():
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])

    def attempt(what, model=QWEN, drop=(), keys=(), change=lambda tensor: tensor, more=()):
        metadata, tensors = make_hybrid_gguf(json.loads((root / "test/models" / f"{model}.json").read_text()), "f16")
        arch = metadata[0][2]
        new = {f"{arch}.{name}" if not name.startswith("general") else name: (kind, value) for name, kind, value in keys}
        metadata = [(name, *new.pop(name, (kind, value))) for name, kind, value in metadata if name not in [f"{arch}.{each}" for each in drop]]
        metadata += [(name, *rest) for name, rest in new.items()]
        path = folder / "wrong.gguf"
        write_hybrid_gguf(path, metadata, [each for each in map(change, tensors) if each] + list(more))
        done = subprocess.run(["llm-translate", "--import-gguf", path], capture_output=True, text=True)
        line = next(line for line in done.stderr.splitlines() if "error:" in line)
        byte, text = re.match(r".*?wrong\.gguf:1:(\d+): (error: .*)", line).groups()
        place = "" if "tensor '" in text else f"at '{key_at(path, int(byte) - 1) if int(byte) > 1 else 'general.architecture'}': "
        print(f"{what}: {place}{text}")

    def tensor(name, **fields):
        def change(each):
            return (each[0], fields.get("shape", each[1]), fields.get("kind", each[2])) if each[0] == name else each
        return change

    attempt("missing key", drop=["ssm.time_step_rank"])
    attempt("unknown key", keys=[("ssm.dt_b_c_rms", U32, 1)])
    attempt("heads that do not divide", keys=[("ssm.inner_size", U32, 4097)])
    attempt("no head at all", keys=[("attention.head_count", U32, 0)])
    attempt("layers that are listed", keys=[("attention.recurrent_layers", ARRAY, (I32, [1] * 41))])
    attempt("short list", NEMOTRON, keys=[("attention.head_count_kv", ARRAY, (I32, [0, 2, 0]))])
    attempt("another shape", change=tensor("blk.0.ssm_conv1d.weight", shape=[8192, 5]))
    attempt("two types", NEXT, change=tensor("blk.0.attn_gate.weight", kind="q8_0"))
    attempt("blocks in a vector", change=tensor("blk.0.ssm_norm.weight", kind="q8_0"))
    attempt("missing tensor", change=lambda each: None if each[0] == "blk.0.ssm_a" else each)
    attempt("a tensor more", more=[("blk.0.ssm_b", [4], "f32")])
    attempt("no reader", keys=[("general.architecture", STRING, "kimi-linear")])
    attempt("halves of two ranks", LATENT, change=tensor("blk.0.attn_k_b.weight", shape=[16, 256, 128]))
    attempt("other scores", LATENT, keys=[("expert_gating_func", U32, 4)])
    attempt("angles", LATENT, keys=[("rope.scaling.type", STRING, "longrope")])


if __name__ == "__main__":
    main()
