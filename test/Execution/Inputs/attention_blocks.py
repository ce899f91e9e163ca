#!/usr/bin/env python3
"""Random attention, by llm-run with each choice of kernels and by NumPy (float64).

    attention_blocks.py FOLDER FIRST COUNT [--threads=N]

Numbers of queries, keys and heads around the sizes of blocks, masks of all kinds, sinks, caps, values of another width
and latents; sizes are known or open. What no query may see is NaN: a cache may hold anything there.
"""
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

QUERIES = (1, 2, 3, 15, 16, 17, 31, 33, 50)
WIDTHS = (4, 8, 16, 24, 32, 48, 64, 80)


class Case:
    def __init__(self, seed):
        draw = random.Random(seed)
        self.batch = draw.choice((1, 1, 2, 3))
        self.queries = draw.choice(QUERIES)
        self.keys = self.queries + draw.choice((0, 0, 1, 7, 16, 40))
        self.is_latent = draw.random() < 0.25
        self.kv_heads = 1 if self.is_latent else draw.choice((1, 2, 3))
        self.heads = self.kv_heads * draw.choice((1, 2, 3, 4, 5, 6, 8, 9))
        self.width = draw.choice(WIDTHS)
        self.value_width = draw.choice(WIDTHS) if not self.is_latent else draw.randint(1, self.width)
        self.has_sinks = not self.is_latent and draw.random() < 0.3
        self.cap = draw.choice((None, None, 2.0)) if not self.is_latent else None
        self.scale = 0.25
        self.is_open = draw.random() < 0.5
        self.draw_mask(draw)

    def draw_mask(self, draw):
        self.window = self.chunk = 0
        self.first_keys, self.lengths = [], []
        self.is_causal = draw.random() < 0.75
        if draw.random() < 0.25:
            least = self.queries if self.is_causal else 1
            self.lengths = [draw.randint(least, self.keys) for _ in range(self.batch)]
        kind = draw.choice(("plain", "window", "chunk")) if self.is_causal else "plain"
        if kind == "window":
            self.window = draw.choice((1, 5, 16, 20))
        if kind == "chunk":
            self.chunk = draw.choice((3, 8, 32))
            self.first_keys = [draw.choice((0, 1, 5)) for _ in range(draw.choice((1, self.batch)))]

    def sees(self, sequence, query, key):
        length = self.lengths[sequence % len(self.lengths)] if self.lengths else self.keys
        if key >= length:
            return False
        own = query + length - self.queries
        if not self.is_causal:
            return True
        if key > own or (self.window and key <= own - self.window):
            return False
        first = self.first_keys[sequence % len(self.first_keys)] if self.first_keys else 0
        return not self.chunk or (key + first) // self.chunk == (own + first) // self.chunk

    def mask(self):
        text = "mask causal" if self.is_causal else "mask full"
        if self.window:
            text += f" window {self.window}"
        if self.chunk:
            text += f" chunk {self.chunk}"
            one = len(set(self.first_keys)) == 1 and len(self.first_keys) == 1
            text += f" from {self.first_keys[0] if one else self.first_keys}"
        return text + (f" lengths {self.lengths}" if self.lengths else "")

    def program(self):
        open_size = (lambda size: "?") if self.is_open else str
        b, s, t = str(self.batch), open_size(self.queries), open_size(self.keys)
        query = f"tensor<{b}x{s}x{self.heads}x{self.width}xf32>"
        stored = f"tensor<{b}x{t}x{self.kv_heads}x{self.width}xf32>"
        values = f"tensor<{b}x{t}x{self.kv_heads}x{self.value_width}xf32>"
        out = f"tensor<{b}x{s}x{self.heads}x{self.value_width}xf32>"
        sinks = f"tensor<{self.heads}xf32>"
        if self.is_latent:
            arguments = f"%q: {query}, %k: {stored}"
            op = (f"llm.mla_attn %q, %k value_dim {self.value_width} {self.mask()} scale {self.scale} : "
                  f"{query}, {stored}")
        else:
            arguments = f"%q: {query}, %k: {stored}, %v: {values}" + f", %s: {sinks}" * self.has_sinks
            op = (f"llm.gqa_attn %q, %k, %v{' sinks %s' * self.has_sinks} {self.mask()} scale {self.scale}"
                  f"{f' soft_cap {self.cap}' if self.cap else ''} : {query}, {stored}, {values}"
                  + f", {sinks}" * self.has_sinks)
        return f"func.func @attention({arguments}) -> {out} {{\n  %o = {op}\n  return %o : {out}\n}}\n"

    def arrays(self, seed):
        numbers = np.random.default_rng(seed)
        query = numbers.normal(size=(self.batch, self.queries, self.heads, self.width))
        keys = numbers.normal(size=(self.batch, self.keys, self.kv_heads, self.width))
        values = numbers.normal(size=(self.batch, self.keys, self.kv_heads, self.value_width))
        for sequence in range(self.batch):
            for key in range(self.keys):
                if not any(self.sees(sequence, query_, key) for query_ in range(self.queries)):
                    keys[sequence, key] = values[sequence, key] = np.nan
        arrays = [query, keys] + [values] * (not self.is_latent)
        if self.has_sinks:
            arrays.append(numbers.normal(size=self.heads))
        return [array.astype(np.float32) for array in arrays]

    def expected(self, query, keys, values=None, sinks=None):
        values = keys[..., :self.value_width] if self.is_latent else values
        query, keys, values = (array.astype(np.float64) for array in (query, keys, values))
        out = np.zeros((self.batch, self.queries, self.heads, self.value_width))
        for b in range(self.batch):
            for s in range(self.queries):
                seen = [t for t in range(self.keys) if self.sees(b, s, t)]
                for h in range(self.heads):
                    own = h * self.kv_heads // self.heads
                    scores = self.scale * keys[b, seen, own] @ query[b, s, h]
                    scores = self.cap * np.tanh(scores / self.cap) if self.cap else scores
                    row = np.append(scores, np.float64(sinks[h])) if sinks is not None else scores
                    shares = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
                    out[b, s, h] = shares[:len(seen)] @ values[b, seen, own]
        return out


def check(folder, seed, options):
    case = Case(seed)
    arrays = case.arrays(seed)
    program = folder / f"{seed}.mlir"
    program.write_text(case.program())
    paths = [folder / f"{seed}.{i}.npy" for i in range(len(arrays))]
    for path, array in zip(paths, arrays):
        np.save(path, array)
    expected = case.expected(*arrays)
    for kernels in ("generated", "reference"):
        result = folder / f"{seed}.out.npy"
        subprocess.run(["llm-run", program, *options, f"--kernels={kernels}", f"--output={result}",
                        *(f"--input={path}" for path in paths)], check=True)
        worst = np.abs(np.load(result) - expected).max() / np.abs(expected).max()
        assert worst < 2e-6, f"{program}, {kernels}: off by {worst}"  # NaN is not less, either


if __name__ == "__main__":
    folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        check(folder, seed, sys.argv[4:])
    print(f"{count} programs agree")
