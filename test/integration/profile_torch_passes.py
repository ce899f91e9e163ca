"""A small Llama block in PyTorch, in the profiler: two forward passes of two layers, each module in a range.

    profile_torch_passes.py TRACE.json"""

import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, INNER, TOKENS = 64, 4, 2, 16, 160, 24


class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(HIDDEN))

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = torch.nn.Linear(HIDDEN, HEADS * HEAD_DIM, bias=False)
        self.k_proj = torch.nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.v_proj = torch.nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.o_proj = torch.nn.Linear(HEADS * HEAD_DIM, HIDDEN, bias=False)

    def forward(self, x):
        heads = lambda y, count: y.view(1, TOKENS, count, HEAD_DIM).transpose(1, 2)
        q, k, v = heads(self.q_proj(x), HEADS), heads(self.k_proj(x), KV_HEADS), heads(self.v_proj(x), KV_HEADS)
        k, v = (y.repeat_interleave(HEADS // KV_HEADS, dim=1) for y in (k, v))
        scores = q @ k.transpose(2, 3) / HEAD_DIM ** 0.5
        mask = torch.full((TOKENS, TOKENS), float("-inf")).triu(1)
        y = torch.softmax(scores + mask, -1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(1, TOKENS, HEADS * HEAD_DIM))


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj = torch.nn.Linear(HIDDEN, INNER, bias=False)
        self.up_proj = torch.nn.Linear(HIDDEN, INNER, bias=False)
        self.down_proj = torch.nn.Linear(INNER, HIDDEN, bias=False)

    def forward(self, x):
        return self.down_proj(torch.nn.functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.input_norm, self.post_norm, self.attn, self.mlp = Norm(), Norm(), Attention(), Mlp()

    def forward(self, x):
        with record_function("attn"):
            x = x + self.attn(self.input_norm(x))
        with record_function("mlp"):
            return x + self.mlp(self.post_norm(x))


def main():
    torch.manual_seed(1)
    layers = [Layer() for _ in range(2)]
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        for _ in range(2):
            with record_function("fwd"):
                x = torch.rand(1, TOKENS, HIDDEN)
                for index, layer in enumerate(layers):
                    with record_function(f"layer.{index}"):
                        x = layer(x)
    profiler.export_chrome_trace(sys.argv[1])


main()
