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
EXPERTS = {"num_local_experts": 6, "num_experts_per_tok": 2}
SINKS = EXPERTS | {"experts_per_token": 2, "sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"]}
GROUPS = LATENT | {"first_k_dense_replace": 1, "n_routed_experts": 8, "n_group": 4, "topk_group": 2, "q_lora_rank": 12,
                   "num_experts_per_tok": 3, "moe_intermediate_size": 16, "quantization_config": None}
FAMILIES = {"llama": ("meta-llama--Llama-3.2-1B", {}), "gemma2": ("google--gemma-2-2b", {"sliding_window": 4}),
            "qwen3": ("Qwen--Qwen3-0.6B", {}), "deepseek_v2": ("deepseek-ai--DeepSeek-V2-Lite", LATENT),
            "mixtral": ("mistralai--Mixtral-8x7B-v0.1", EXPERTS), "qwen3_moe": ("Qwen--Qwen3-30B-A3B",
             {"num_experts": 6, "moe_intermediate_size": 16, "num_experts_per_tok": 2}),
            "gpt_oss": ("openai--gpt-oss-20b", SINKS),
            "deepseek_v3": ("deepseek-ai--DeepSeek-V3", GROUPS)}
PHASES = {"decode": ["--phase=decode", "--kv-len=6", "--batch=2"], "prefill": ["--phase=prefill", "--seq=5"],
          "ragged": ["--phase=decode", "--kv-len=9,5", "--seq=2"]}
WAYS = {"plain": [], "fused": ["--llm-fuse"], "pieces": ["--llm-decompose-attention", "--llm-fuse-projections"]}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for family, (model, changes) in FAMILIES.items():
        if len(sys.argv) > 2 and family not in sys.argv[2:]:
            continue
        config = json.loads((MODELS / f"{model}.json").read_text()) | SMALL | changes
        if "kv_lora_rank" in config:
            del config["head_dim"]
        (folder / f"{family}.json").write_text(json.dumps(config))
        for phase, options in PHASES.items():
            text = run_linalg.command("llm-translate", "--import-hf-config", str(folder / f"{family}.json"),
                                      "--layers=all", "--weights=bf16", *options, text="")
            # Elements of f32, so that nothing but the order of sums differs.
            text = text.replace("bf16", "f32")
            for way, passes in WAYS.items():
                program = run_linalg.command("llm-opt", *passes, text=text)
                run_linalg.check(program, program, 2e-5, f"{family} {phase} {way}")


main()
