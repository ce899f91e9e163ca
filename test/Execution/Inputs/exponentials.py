#!/usr/bin/env python3
"""Exponentials in f32, by llm-run with each choice of kernels and by NumPy (float64): exponentials.py FOLDER"""
import subprocess
import sys
from pathlib import Path

import numpy as np

COUNT = 100_000
PROGRAM = f"""
func.func @exponentials(%x: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{
  %empty = tensor.empty() : tensor<{COUNT}xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x : tensor<{COUNT}xf32>) outs(%empty : tensor<{COUNT}xf32>) {{
    ^bb0(%in: f32, %out: f32):
      %exp = math.exp %in : f32
      linalg.yield %exp : f32
  }} -> tensor<{COUNT}xf32>
  return %y : tensor<{COUNT}xf32>
}}
"""
SPECIAL = [np.inf, -np.inf, np.nan, 0, -0.0, 89, 1e30, -1e30, -88, -100]

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "exp.mlir").write_text(PROGRAM)
x = np.random.default_rng(1).uniform(-87, 88, COUNT).astype("<f4")
x[:len(SPECIAL)] = SPECIAL
np.save(folder / "x.npy", x)
with np.errstate(over="ignore"):
    expected = np.exp(x.astype(float)).astype("<f4").astype(float)
normal = (expected >= 2.0 ** -126) & np.isfinite(expected)
for kernels in ("generated", "reference"):
    subprocess.run(["llm-run", folder / "exp.mlir", f"--kernels={kernels}", f"--input={folder / 'x.npy'}",
                    f"--output={folder / 'y.npy'}"], check=True)
    y = np.load(folder / "y.npy").astype(float)
    units = np.abs(y[normal] / np.exp(x[normal].astype(float)) - 1).max() * 2 ** 24
    assert units <= 2, f"{kernels}: off by {units} halves of the last place"
    # What is too small for a normal number may be 0.
    rest = ~normal
    assert np.all((y[rest] == expected[rest]) | (np.isnan(y[rest]) & np.isnan(expected[rest]))
                  | (expected[rest] < 2.0 ** -126) & (y[rest] >= 0) & (y[rest] <= 2.0 ** -126)), (x[rest], y[rest])
print("exponentials agree")
