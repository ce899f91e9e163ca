"""What predicts further tokens, derived from config.json alone: multi-token prediction, DeepSeek-V3, arXiv 2412.19437.

A module norms the hidden state and the embedding of the next token, joins both by a matrix, has layers of the model's kinds
and a norm behind them. Embedding and head are the model's; the head is used once more.
"""
from __future__ import annotations

import derive_models
from derive_layers import Config, Layer

# The parameters of a module, published or told apart by hand on the model's page.
KNOWN: dict[str, int] = {
    "XiaomiMiMo--MiMo-7B-Base": 177_223_680 + 2 * 4096 * 4096 + 3 * 4096,
    "zai-org--GLM-5-FP8": 9_953_000_000,  # to a million
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 2_942_000_000}  # to a million
LIKE_THE_LAST = derive_models.MLA | {"glm4_moe", "qwen2"}


def modules(config: Config) -> int:
    """How many there are of a known form."""
    c = derive_models.text_config(config)
    count = c.get("num_nextn_predict_layers") or c.get("mtp_num_hidden_layers") or 0
    return count if c["model_type"] in LIKE_THE_LAST | derive_models.QWEN_DELTA | {"nemotron_h"} else 0


def layers(config: Config) -> list[Layer]:
    """Of one module."""
    c, every = derive_models.text_config(config), derive_models.layers(config)
    if c["model_type"] == "nemotron_h":
        return [every[c["hybrid_override_pattern"].index(letter)] for letter in c["mtp_hybrid_override_pattern"]]
    if c["model_type"] in derive_models.QWEN_DELTA:  # the first that attends
        return [next(layer for layer in every if not layer.state_elements)]
    return every[-1:]


def parameters(config: Config, active: bool = False) -> int:
    hidden = derive_models.text_config(config)["hidden_size"]
    of_layers = sum(layer.parameters(layer.selected if active else layer.experts) for layer in layers(config))
    return of_layers + 2 * hidden * hidden + 3 * hidden


def macs_decode(config: Config, context: int) -> int:
    hidden = derive_models.text_config(config)["hidden_size"]
    return 2 * hidden * hidden + derive_models.head_elements(config) + sum(
        derive_models.layer_macs_decode(layer, context) for layer in layers(config))


def macs_prefill(config: Config, seq: int) -> int:
    hidden = derive_models.text_config(config)["hidden_size"]
    return seq * 2 * hidden * hidden + derive_models.head_elements(config) + sum(
        derive_models.layer_macs_prefill(layer, seq) for layer in layers(config))


def kv_elements(config: Config, context: int) -> int:
    return sum(layer.cached(context) for layer in layers(config))
