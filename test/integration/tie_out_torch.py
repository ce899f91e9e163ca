"""Small models by llm-run and by NumPy against a second implementation, in PyTorch.

    tie_out_torch.py FOLDER [FAMILY...]

Logits of a prompt, and the largest difference, of the largest logit, from those of torch_models.py (float64): of
llm-run in f32, and of oracle_models.py. Rotations are scaled for contexts so short that the prompt has all of their parts.
"""
import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
import torch_models
from tie_out import MODELS, PROMPT, Subject, difference, listed

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}
YARN = {"type": "yarn", "factor": 4.0, "beta_fast": 2.0, "beta_slow": 0.5, "original_max_position_embeddings": 16}
MSCALE = {"mscale": 1.0, "mscale_all_dim": 1.0}
CHANGES = {"llama": {"rope_scaling": LLAMA3}, "qwen3": {"rope_scaling": YARN | {"rope_type": "yarn"}},
           "gpt_oss": {"rope_scaling": YARN | {"rope_type": "yarn", "truncate": False}},
           "llama4": {"rope_scaling": LLAMA3 | {"high_freq_factor": 1.0}},
           "deepseek_v2": {"rope_scaling": YARN | MSCALE}, "deepseek_v3": {"rope_scaling": YARN | MSCALE},
           "kimi_k2": {"rope_scaling": YARN | MSCALE}, "deepseek_v32": {"rope_scaling": YARN | MSCALE}}

RECURRENT_FAMILIES = ("qwen3_next", "qwen3_5", "nemotron_h", "kimi_linear", "kimi_k3")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("family", nargs="*")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for family in options.family or [family for family in MODELS if not family.startswith(RECURRENT_FAMILIES)]:
        subject = Subject(options.folder, family, **CHANGES.get(family, {}))
        expected = torch_models.Model(options.folder).logits(PROMPT)
        numpy = difference(subject.oracle.forward([PROMPT])[0][0], expected)
        subject.translate("--phase=verify", f"--seq={len(PROMPT)}", f"--kv-len={len(PROMPT)}", "--dtype=f32")
        found = difference(subject.logits(listed(PROMPT)), expected)
        print(f"{family}: {found:.0e} of llm-run, {numpy:.0e} of NumPy", flush=True)
        if not (found <= 1e-5 and numpy <= 1e-12):
            sys.exit(f"{family}: expected at most 1e-05 of llm-run, and 1e-12 of NumPy")


main()
