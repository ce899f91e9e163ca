#!/usr/bin/env python3
"""Profiles a decoder layer of Llama in PyTorch on this CPU: the modules by their paths, as record_function names them.

    profile_torch.py CONFIG.json TOKENS PASSES TRACE.json LENGTHS.json

A prompt of TOKENS against an empty cache. LENGTHS: of each pass and each module, the microseconds of the
ops right under it, added up from the profiler's own tree of events, which no reader of the file is asked for.
"""
import json
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function

config, tokens, passes, trace_path, lengths_path = sys.argv[1:]
config = json.load(open(config))
tokens, passes = int(tokens), int(passes)
hidden, heads, kv_heads = (config[key] for key in ("hidden_size", "num_attention_heads", "num_key_value_heads"))
head = hidden // heads
sizes = {"self_attn.q_proj": (heads * head, hidden), "self_attn.k_proj": (kv_heads * head, hidden),
         "self_attn.v_proj": (kv_heads * head, hidden), "self_attn.o_proj": (hidden, heads * head),
         "mlp.gate_proj": (config["intermediate_size"], hidden), "mlp.up_proj": (config["intermediate_size"], hidden),
         "mlp.down_proj": (hidden, config["intermediate_size"])}
torch.manual_seed(1)
weights = {name: torch.randn(shape) * 0.02 for name, shape in sizes.items()}
gain = torch.ones(hidden)
angles = torch.outer(torch.arange(tokens).float(), 10000 ** (-torch.arange(0, head, 2).float() / head))
cos, sin = (torch.cat([f(angles)] * 2, -1) for f in (torch.cos, torch.sin))


def named(name, function, *args):
    with record_function(f"model.layers.0.{name}"):
        return function(*args)


def linear(name, x):
    return named(name, torch.nn.functional.linear, x, weights[name])


def norm(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * gain


def rotate(x):
    half = x.shape[-1] // 2
    return x * cos[:, None] + torch.cat([-x[..., half:], x[..., :half]], -1) * sin[:, None]


def attend(q, k, v):
    k, v = (x.repeat_interleave(heads // kv_heads, 1) for x in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) / head ** 0.5
    scores = scores + torch.full((tokens, tokens), float("-inf")).triu(1)
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1), v).reshape(tokens, heads * head)


def layer(x):
    h = named("input_layernorm", norm, x)
    q, k, v = (linear(f"self_attn.{name}_proj", h).view(tokens, -1, head) for name in "qkv")
    q, k = named("self_attn.q_rope", rotate, q), named("self_attn.k_rope", rotate, k)
    x = named("attn_residual", torch.add, x, linear("self_attn.o_proj", named("self_attn.attn", attend, q, k, v)))
    h = named("post_attention_layernorm", norm, x)
    gate, up = linear("mlp.gate_proj", h), linear("mlp.up_proj", h)
    gated = named("mlp.swiglu", lambda: torch.nn.functional.silu(gate) * up)
    return named("mlp_residual", torch.add, x, linear("mlp.down_proj", gated))


x = torch.randn(tokens, hidden)
with torch.no_grad():
    layer(x)  # what is done once
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        for _ in range(passes):
            layer(x)
profiler.export_chrome_trace(trace_path)
lengths = {}
for event in sorted(profiler.events(), key=lambda event: event.time_range.start):
    if event.name.startswith("model.layers.0."):
        lengths.setdefault(event.name, []).append(sum(child.time_range.elapsed_us() for child in event.cpu_children))
json.dump(lengths, open(lengths_path, "w"))
