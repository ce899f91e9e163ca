"""Runs small models as linalg ops and compares with the interpreter: linalg_models.py FOLDER"""
import json
import sys
from pathlib import Path

import run_linalg

MODELS = Path(__file__).resolve().parents[1] / "models"
SMALL = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "vocab_size": 40,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8}
LATENT = {"num_attention_heads": 2, "num_key_value_heads": 2, "kv_lora_rank": 8, "qk_nope_head_dim": 8,
          "qk_rope_head_dim": 4, "v_head_dim": 6, "first_k_dense_replace": 2}
FAMILIES = {"llama": ("meta-llama--Llama-3.2-1B", {}), "gemma2": ("google--gemma-2-2b", {"sliding_window": 4}),
            "qwen3": ("Qwen--Qwen3-0.6B", {}), "deepseek_v2": ("deepseek-ai--DeepSeek-V2-Lite", LATENT)}
PHASES = {"decode": ["--phase=decode", "--kv-len=6", "--batch=2"], "prefill": ["--phase=prefill", "--seq=5"],
          "ragged": ["--phase=decode", "--kv-len=9,5", "--seq=2"]}
WAYS = {"plain": [], "fused": ["--llm-fuse"], "pieces": ["--llm-decompose-attention", "--llm-fuse-projections"]}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for family, (model, changes) in FAMILIES.items():
        config = json.loads((MODELS / f"{model}.json").read_text()) | SMALL | changes
        if "kv_lora_rank" in config:
            del config["head_dim"]
        (folder / f"{family}.json").write_text(json.dumps(config))
        for phase, options in PHASES.items():
            text = run_linalg.command("llm-translate", "--import-hf-config", str(folder / f"{family}.json"),
                                      "--layers=all", *options, text="")
            # Elements of f32, so that nothing but the order of sums differs.
            text = text.replace("bf16", "f32")
            for way, passes in WAYS.items():
                program = run_linalg.command("llm-opt", *passes, text=text)
                run_linalg.check(program, program, 2e-5, f"{family} {phase} {way}")


main()
