#!/usr/bin/env python3
"""Writes a GGUF file (version 3) of a model whose layers differ, with all metadata and tensors and no data.

The keys, names, shapes and types are those that llama.cpp's converters write (conversion/qwen.py, nemotron.py,
granite.py, lfm2.py, mamba.py, falcon_h1.py and deepseek.py; gguf-py/gguf/constants.py). Vectors, and what convolves or decays, are f32,
and the rest is TYPE: f16, bf16 or q8_0.

    make_hybrid_gguf.py CONFIG.json TYPE OUT.gguf
"""
import json
import sys
from pathlib import Path

from gguf_header import ARRAY, BOOL, F32, I32, STRING, U32, pack_header


class Writer:
    def __init__(self, config, kind):
        self.c, self.kind, self.hidden = config, kind, config["hidden_size"]
        self.metadata, self.tensors = [], []

    def key(self, name, value, kind=U32):
        self.metadata.append((f"{self.arch}.{name}", kind, value))

    def keys(self, **values):
        """Keys of whole numbers, by their names with __ for a dot."""
        for name, value in values.items():
            if value is not None:
                self.key(name.replace("__", "."), value)

    def tensor(self, name, *shape, kind=None):
        """A vector is f32, and so is what has fewer than 32 elements in a row."""
        plain = len(shape) == 1 or name.split(".")[-2:][0] in ("ssm_conv1d", "ssm_norm", "ffn_gate_inp", "shortconv") or shape[-1] % 32
        self.tensors.append((name, list(shape), kind or ("f32" if plain or ".conv." in name else self.kind)))

    def layer_tensors(self, layer, **shapes):
        for name, shape in shapes.items():
            if shape is not None:
                self.tensor(f"blk.{layer}.{name.replace('__', '.')}.weight", *shape)

    def vectors(self, layer, **sizes):
        for name, size in sizes.items():
            self.tensor(f"blk.{layer}.{name.replace('__', '.')}", size)

    def common(self, arch, layers, heads, kv_heads, head_dim, epsilon, width):
        self.arch = arch
        self.metadata += [("general.architecture", STRING, arch), ("general.type", STRING, "model")]
        self.keys(block_count=layers, context_length=4096, embedding_length=self.hidden)
        self.key("attention.layer_norm_rms_epsilon", epsilon, F32)
        for name, value in (("feed_forward_length", width), ("attention.head_count", heads), ("attention.head_count_kv", kv_heads)):
            self.key(name, (I32, value) if isinstance(value, list) else value, ARRAY if isinstance(value, list) else U32)
        if head_dim:
            self.keys(attention__key_length=head_dim, attention__value_length=head_dim)
        vocabulary = self.c["vocab_size"]
        self.metadata.append(("tokenizer.ggml.tokens", ARRAY, (STRING, [f"t{i}" for i in range(vocabulary)])))
        self.tensor("token_embd.weight", vocabulary, self.hidden)
        self.tensor("token_embd_norm.weight" if arch.startswith("lfm2") else "output_norm.weight", self.hidden)
        if not self.c.get("tie_word_embeddings", arch.startswith("lfm2")):
            self.tensor("output.weight", vocabulary, self.hidden)

    def attention(self, layer, heads, kv_heads, dim, gate=1, norms=False, bias=False):
        h = self.hidden
        self.layer_tensors(layer, attn_q=(gate * heads * dim, h), attn_k=(kv_heads * dim, h), attn_v=(kv_heads * dim, h),
                           attn_output=(h, heads * dim), attn_q_norm=(dim,) if norms else None, attn_k_norm=(dim,) if norms else None)

    def mamba(self, layer, heads, dim, groups, size, taps, normed=True):
        inner = heads * dim
        channels = inner + 2 * groups * size
        self.layer_tensors(layer, ssm_in=(inner + channels + heads, self.hidden), ssm_conv1d=(channels, taps),
                           ssm_out=(self.hidden, inner), ssm_norm=(groups, inner // groups) if normed else None)
        self.tensor(f"blk.{layer}.ssm_a", heads, 1), self.tensor(f"blk.{layer}.ssm_d", heads, 1)
        self.vectors(layer, ssm_dt__bias=heads, ssm_conv1d__bias=channels)

    def ssm_keys(self, heads, dim, groups, size, taps):
        self.keys(ssm__conv_kernel=taps, ssm__inner_size=heads * dim, ssm__state_size=size, ssm__time_step_rank=heads,
                  ssm__group_count=groups)

    def network(self, layer, width, suffix="", gated=True):
        h = self.hidden
        self.layer_tensors(layer, **{"ffn_gate" + suffix: (width, h) if gated else None, "ffn_up" + suffix: (width, h),
                                     "ffn_down" + suffix: (h, width)})

    def experts(self, layer, count, width, inner=None, gated=True):
        inner = inner or self.hidden
        self.layer_tensors(layer, ffn_gate_inp=(count, self.hidden), ffn_gate_exps=(count, width, inner) if gated else None,
                           ffn_up_exps=(count, width, inner), ffn_down_exps=(count, inner, width))

    # --- Families ---

    def qwen(self):
        c, outer = self.c, self.c["model_type"]
        arch = {"qwen3_5_text": "qwen35", "qwen3_5_moe_text": "qwen35moe", "qwen3_next": "qwen3next"}[outer]
        rope = c.get("rope_parameters") or c
        heads, kv, dim = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
        further = c.get("mtp_num_hidden_layers", 0)
        layers = c["num_hidden_layers"]
        self.common(arch, layers + further, heads, kv, dim, c["rms_norm_eps"], c.get("intermediate_size", 0))
        self.key("rope.freq_base", float(rope["rope_theta"]), F32)
        self.keys(rope__dimension_count=int(dim * rope["partial_rotary_factor"]), full_attention_interval=c.get("full_attention_interval", 4))
        if arch != "qwen3next":
            self.key("rope.dimension_sections", (I32, [11, 11, 10, 0]), ARRAY)
        if further:
            self.keys(nextn_predict_layers=further)
        n, nk, dk, dv = (c["linear_" + key] for key in ("num_value_heads", "num_key_heads", "key_head_dim", "value_head_dim"))
        self.ssm_keys(n, dv, nk, dk, c["linear_conv_kernel_dim"])
        if c.get("num_experts"):
            self.keys(expert_count=c["num_experts"], expert_used_count=c["num_experts_per_tok"],
                      expert_feed_forward_length=c["moe_intermediate_size"],
                      expert_shared_feed_forward_length=c["shared_expert_intermediate_size"])
        for layer in range(layers + further):
            self.layer_tensors(layer, attn_norm=(self.hidden,), post_attention_norm=(self.hidden,))
            if layer >= layers or (layer + 1) % c.get("full_attention_interval", 4) == 0:
                self.attention(layer, heads, kv, dim, gate=2, norms=True)
            else:
                channels = 2 * nk * dk + n * dv
                self.layer_tensors(layer, attn_qkv=(channels, self.hidden), attn_gate=(n * dv, self.hidden),
                                   ssm_conv1d=(channels, c["linear_conv_kernel_dim"]), ssm_norm=(dv,), ssm_out=(self.hidden, n * dv))
                if arch == "qwen3next":
                    self.layer_tensors(layer, ssm_ba=(2 * n, self.hidden))
                else:
                    self.layer_tensors(layer, ssm_alpha=(n, self.hidden), ssm_beta=(n, self.hidden))
                self.vectors(layer, ssm_a=n, ssm_dt__bias=n)
            if c.get("num_experts"):
                self.experts(layer, c["num_experts"], c["moe_intermediate_size"])
                self.network(layer, c["shared_expert_intermediate_size"], "_shexp")
                self.layer_tensors(layer, ffn_gate_inp_shexp=(self.hidden,))
            else:
                self.network(layer, c["intermediate_size"])
        for layer in range(layers, layers + further):
            self.layer_tensors(layer, nextn__eh_proj=(self.hidden, 2 * self.hidden), nextn__enorm=(self.hidden,), nextn__hnorm=(self.hidden,))

    def nemotron(self):
        c, pattern = self.c, self.c["hybrid_override_pattern"]
        heads, kv, dim = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
        sparse = "E" in pattern
        width = c["moe_intermediate_size"] if sparse else c["intermediate_size"]
        self.common("nemotron_h_moe" if sparse else "nemotron_h", len(pattern), heads, [kv * (letter == "*") for letter in pattern],
                    dim, c["layer_norm_epsilon"], [width * (letter in "E-") for letter in pattern])
        mamba = [c[key] for key in ("mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size", "conv_kernel")]
        self.ssm_keys(*mamba)
        self.key("rope.scaling.finetuned", False, BOOL)
        if sparse:
            self.keys(expert_count=c["n_routed_experts"], expert_used_count=c["num_experts_per_tok"], expert_shared_count=c["n_shared_experts"],
                      expert_feed_forward_length=width, expert_shared_feed_forward_length=c["moe_shared_expert_intermediate_size"],
                      expert_group_count=c["n_group"], moe_latent_size=c.get("moe_latent_size"))
            self.key("expert_weights_norm", c["norm_topk_prob"], BOOL)
            self.key("expert_weights_scale", float(c["routed_scaling_factor"]), F32)
        for layer, letter in enumerate(pattern):
            self.layer_tensors(layer, attn_norm=(self.hidden,))
            if letter == "M":
                self.mamba(layer, *mamba)
            elif letter == "*":
                self.attention(layer, heads, kv, dim)
            elif letter == "-":
                self.network(layer, width, gated=False)
            else:
                latent = c.get("moe_latent_size")
                self.experts(layer, c["n_routed_experts"], width, latent, gated=False)
                self.network(layer, c["moe_shared_expert_intermediate_size"], "_shexp", gated=False)
                self.vectors(layer, exp_probs_b__bias=c["n_routed_experts"])
                if latent:
                    self.layer_tensors(layer, ffn_latent_down=(latent, self.hidden), ffn_latent_up=(self.hidden, latent))

    def lfm2(self):
        c, sparse = self.c, self.c["model_type"] == "lfm2_moe"
        heads, kv, h = c["num_attention_heads"], c["num_key_value_heads"], self.hidden
        layers = range(c["num_hidden_layers"])
        attends = [layer in c["full_attn_idxs"] if "full_attn_idxs" in c else c["layer_types"][layer] != "conv" for layer in layers]
        width = c.get("block_ff_dim", c.get("intermediate_size"))
        if not sparse and c.get("block_auto_adjust_ff_dim", True):
            step = c.get("block_multiple_of", 256)
            width = -(-int(c.get("block_ffn_dim_multiplier", 1.0) * int(2 * width / 3)) // step) * step
        self.common("lfm2moe" if sparse else "lfm2", len(layers), heads, [kv * each for each in attends], None, c["norm_eps"], width)
        self.key("rope.freq_base", float(c["rope_theta"]), F32)
        self.keys(shortconv__l_cache=c["conv_L_cache"], vocab_size=c["vocab_size"])
        if sparse:
            self.keys(expert_count=c["num_experts"], expert_used_count=c["num_experts_per_tok"], expert_gating_func=2,
                      expert_feed_forward_length=c["moe_intermediate_size"], leading_dense_block_count=c["num_dense_layers"])
        for layer in layers:
            self.layer_tensors(layer, attn_norm=(h,), ffn_norm=(h,))
            if attends[layer]:
                self.attention(layer, heads, kv, h // heads, norms=True)
            else:
                self.layer_tensors(layer, shortconv__in_proj=(3 * h, h), shortconv__conv=(h, c["conv_L_cache"]), shortconv__out_proj=(h, h))
            if sparse and layer >= c["num_dense_layers"]:
                self.experts(layer, c["num_experts"], c["moe_intermediate_size"])
                self.vectors(layer, exp_probs_b__bias=c["num_experts"])
            else:
                self.network(layer, width)

    def granite(self):
        c, heads, kv, h = self.c, self.c["num_attention_heads"], self.c["num_key_value_heads"], self.hidden
        attends = [kind == "attention" for kind in c["layer_types"]]
        self.common("granitehybrid", len(attends), heads, [kv * each for each in attends], None, c["rms_norm_eps"], c["intermediate_size"])
        mamba = [c["mamba_" + key] for key in ("n_heads", "d_head", "n_groups", "d_state", "d_conv")]
        self.ssm_keys(*mamba)
        for key, field in (("attention.scale", "attention_multiplier"), ("embedding_scale", "embedding_multiplier"),
                           ("residual_scale", "residual_multiplier"), ("logit_scale", "logits_scaling")):
            self.key(key, float(c[field]), F32)
        self.key("rope.scaling.finetuned", False, BOOL)
        self.keys(expert_count=c["num_local_experts"], expert_used_count=c["num_experts_per_tok"],
                  expert_shared_feed_forward_length=c["shared_intermediate_size"])
        for layer, attend in enumerate(attends):
            self.layer_tensors(layer, attn_norm=(h,), ffn_norm=(h,))
            if attend:
                self.attention(layer, heads, kv, h // heads)
            else:
                self.mamba(layer, *mamba)
            if c["num_local_experts"]:
                self.experts(layer, c["num_local_experts"], c["intermediate_size"])
            self.network(layer, c["shared_intermediate_size"], "_shexp" if c["num_local_experts"] else "")

    def falcon_h1(self):
        c, heads, kv, h = self.c, self.c["num_attention_heads"], self.c["num_key_value_heads"], self.hidden
        self.common("falcon-h1", c["num_hidden_layers"], heads, kv, c["head_dim"], c["rms_norm_eps"], c["intermediate_size"])
        mamba = [c["mamba_" + key] for key in ("n_heads", "d_head", "n_groups", "d_state", "d_conv")]
        self.ssm_keys(*mamba)
        self.key("rope.freq_base", float(c["rope_theta"]), F32)
        for layer in range(c["num_hidden_layers"]):
            self.layer_tensors(layer, attn_norm=(h,), ffn_norm=(h,))
            self.attention(layer, heads, kv, c["head_dim"])
            self.mamba(layer, *mamba, normed=c["mamba_rms_norm"])
            self.network(layer, c["intermediate_size"])

    def mamba2(self):
        c = self.c
        self.common("mamba2", c["num_hidden_layers"], 0, 0, None, c["layer_norm_epsilon"], 0)
        mamba = [c[key] for key in ("num_heads", "head_dim", "n_groups", "state_size", "conv_kernel")]
        self.ssm_keys(*mamba)
        for layer in range(c["num_hidden_layers"]):
            self.layer_tensors(layer, attn_norm=(self.hidden,))
            self.mamba(layer, *mamba)

    def deepseek(self):
        c, h = self.c, self.hidden
        heads, rank, nope, turned, value = (c[key] for key in ("num_attention_heads", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
        self.common("deepseek32" if "index_topk" in c else "deepseek2", c["num_hidden_layers"], heads, 1, None, c.get("rms_norm_eps", 1e-6), c["intermediate_size"])
        width, dense = c["moe_intermediate_size"], c["first_k_dense_replace"]
        self.keys(vocab_size=c["vocab_size"], leading_dense_block_count=dense, attention__q_lora_rank=c.get("q_lora_rank"), attention__kv_lora_rank=rank,
                  attention__key_length=rank + turned, attention__value_length=rank, attention__key_length_mla=nope + turned,
                  attention__value_length_mla=value, rope__dimension_count=turned, expert_feed_forward_length=width,
                  expert_count=c["n_routed_experts"], expert_used_count=c["num_experts_per_tok"], expert_shared_count=c["n_shared_experts"],
                  expert_group_count=c.get("n_group"), expert_group_used_count=c.get("topk_group"),
                  expert_gating_func={"softmax": 1, "sigmoid": 2, None: None}[c.get("scoring_func")])
        self.key("expert_weights_scale", float(c.get("routed_scaling_factor", 1)), F32)
        if c.get("norm_topk_prob"):
            self.key("expert_weights_norm", True, BOOL)
        rope = c.get("rope_parameters") or c.get("rope_scaling") or {}
        self.key("rope.freq_base", float(c.get("rope_theta") or rope.get("rope_theta", 10000)), F32)
        if rope:
            self.metadata.append((f"{self.arch}.rope.scaling.type", STRING, "yarn"))
            self.keys(rope__scaling__original_context_length=rope["original_max_position_embeddings"])
            for key, number in (("factor", rope["factor"]), ("yarn_log_multiplier", 0.1 * rope["mscale_all_dim"])):
                self.key("rope.scaling." + key, float(number), F32)
        if "index_topk" in c:
            self.keys(attention__indexer__head_count=c["index_n_heads"], attention__indexer__key_length=c["index_head_dim"], attention__indexer__top_k=c["index_topk"])
        for layer in range(c["num_hidden_layers"]):
            queries = heads * (nope + turned)
            low = c.get("q_lora_rank")
            self.layer_tensors(layer, attn_norm=(h,), ffn_norm=(h,), attn_q=None if low else (queries, h), attn_q_a=(low, h) if low else None,
                               attn_q_a_norm=(low,) if low else None, attn_q_b=(queries, low) if low else None, attn_kv_a_mqa=(rank + turned, h),
                               attn_kv_a_norm=(rank,), attn_k_b=(heads, rank, nope), attn_v_b=(heads, value, rank), attn_output=(h, heads * value))
            if "index_topk" in c:
                n, dim = c["index_n_heads"], c["index_head_dim"]
                self.layer_tensors(layer, indexer__attn_q_b=(n * dim, low), indexer__attn_k=(dim, h), indexer__k_norm=(dim,), indexer__proj=(n, h))
                self.vectors(layer, indexer__k_norm__bias=dim)
            if layer < dense:
                self.network(layer, c["intermediate_size"])
                continue
            self.experts(layer, c["n_routed_experts"], width)
            self.network(layer, width * c["n_shared_experts"], "_shexp")
            if c["topk_method"] == "noaux_tc":
                self.vectors(layer, exp_probs_b__bias=c["n_routed_experts"])


FAMILIES = {"qwen3_5_text": Writer.qwen, "qwen3_5_moe_text": Writer.qwen, "qwen3_next": Writer.qwen, "nemotron_h": Writer.nemotron,
            "lfm2": Writer.lfm2, "lfm2_moe": Writer.lfm2, "granitemoehybrid": Writer.granite, "falcon_h1": Writer.falcon_h1,
            "mamba2": Writer.mamba2, "deepseek_v2": Writer.deepseek, "deepseek_v3": Writer.deepseek, "deepseek_v32": Writer.deepseek,
            "kimi_k2": Writer.deepseek}


def make_hybrid_gguf(config, kind):
    """The metadata and the tensors: (key, type, value) and (name, shape with the outermost first, type)."""
    config = {"tie_word_embeddings": config.get("tie_word_embeddings", False), **config["text_config"]} if "text_config" in config else config
    writer = Writer(config, kind)
    FAMILIES[config["model_type"]](writer)
    return writer.metadata, writer.tensors


def write_hybrid_gguf(path, metadata, tensors):
    """The data is a hole in the file, which takes no space."""
    header, offsets = pack_header(metadata, tensors)
    with open(path, "wb") as file:
        file.write(header)
        file.truncate(len(header) + offsets[-1])


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    write_hybrid_gguf(sys.argv[3], *make_hybrid_gguf(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2]))


if __name__ == "__main__":
    main()
