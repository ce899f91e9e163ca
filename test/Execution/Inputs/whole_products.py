#!/usr/bin/env python3
"""Products of whole numbers, by llm-run with each choice of kernels and by hand.

    whole_products.py FOLDER [--threads=N] MxNxK..

Plain products with both layouts of the right side; products of bf16, which CPUs add up in pairs; also the largest
element of each row, as a reduction that is no sum.
"""
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
import npy

PROGRAM = """
func.func @product(%a: tensor<{m}x{k}xf64>, %b: tensor<{n}x{k}xf64>, %c: tensor<{k}x{n}xf64>) -> tensor<{m}x{n}xf64> {{
  %x = llm.matmul %a, %b transpose_rhs : tensor<{m}x{k}xf64>, tensor<{n}x{k}xf64>
  %y = llm.matmul %a, %c : tensor<{m}x{k}xf64>, tensor<{k}x{n}xf64>
  %z = llm.add %x, %y : tensor<{m}x{n}xf64>, tensor<{m}x{n}xf64>
  return %z : tensor<{m}x{n}xf64>
}}
"""
MAXIMUM = """
func.func @maximum(%a: tensor<{m}x{k}xf64>) -> tensor<{m}xf64> {{
  %least = arith.constant -1.0e9 : f64
  %empty = tensor.empty() : tensor<{m}xf64>
  %init = linalg.fill ins(%least : f64) outs(%empty : tensor<{m}xf64>) -> tensor<{m}xf64>
  %max = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}}
      ins(%a : tensor<{m}x{k}xf64>) outs(%init : tensor<{m}xf64>) {{
    ^bb0(%x: f64, %most: f64):
      %position = linalg.index 1 : index
      %number = arith.index_cast %position : index to i64
      %weight = arith.sitofp %number : i64 to f64
      %scaled = arith.mulf %x, %weight : f64
      %next = arith.maximumf %scaled, %most : f64
      linalg.yield %next : f64
  }} -> tensor<{m}xf64>
  return %max : tensor<{m}xf64>
}}
"""
BF16_PRODUCT = """
func.func @product(%a: tensor<{m}x{k}xbf16>, %b: tensor<{n}x{k}xbf16>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{m}x{n}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %sum = linalg.generic {{
      indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (j, l)>, affine_map<(i, j, l) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : tensor<{m}x{k}xbf16>, tensor<{n}x{k}xbf16>) outs(%init : tensor<{m}x{n}xf32>) {{
    ^bb0(%x: bf16, %y: bf16, %out: f32):
      %lhs = arith.extf %x : bf16 to f32
      %rhs = arith.extf %y : bf16 to f32
      %product = arith.mulf %lhs, %rhs : f32
      %next = arith.addf %out, %product : f32
      linalg.yield %next : f32
  }} -> tensor<{m}x{n}xf32>
  return %sum : tensor<{m}x{n}xf32>
}}
"""


def matrix(rows, columns, seed):
    return [[(seed + 7 * i + 3 * j + i * j) % 11 - 5 for j in range(columns)] for i in range(rows)]


def write(path, rows):
    npy.write(path, f"{len(rows)},{len(rows[0])}", *(number for row in rows for number in row))


def check(program, inputs, expected):
    for kernels in ("generated", "reference"):
        result = program.with_suffix(".npy")
        subprocess.run(["llm-run", program, *options, f"--kernels={kernels}", f"--output={result}",
                        *(f"--input={path}" for path in inputs)], check=True)
        _, found = npy.read(result)
        assert list(found) == expected, f"{program}, {kernels}: {found}, expected {expected}"


folder, rest = Path(sys.argv[1]), sys.argv[2:]
options = [word for word in rest if word.startswith("--")]
for sizes in (word for word in rest if not word.startswith("--")):
    m, n, k = map(int, sizes.split("x"))
    a, b, c = matrix(m, k, 1), matrix(n, k, 2), matrix(k, n, 3)
    paths = [folder / f"{sizes}.{name}.npy" for name in "abc"]
    for path, rows in zip(paths, (a, b, c)):
        write(path, rows)
    program = folder / f"{sizes}.mlir"
    program.write_text(PROGRAM.format(m=m, n=n, k=k))
    check(program, paths, [sum(a[i][t] * (b[j][t] + c[t][j]) for t in range(k)) for i in range(m) for j in range(n)])
    program = folder / f"{sizes}.bf16.mlir"
    program.write_text(BF16_PRODUCT.format(m=m, n=n, k=k))
    check(program, paths[:2], [sum(a[i][t] * b[j][t] for t in range(k)) for i in range(m) for j in range(n)])
    program = folder / f"{sizes}.max.mlir"
    program.write_text(MAXIMUM.format(m=m, k=k))
    check(program, paths[:1], [max(t * a[i][t] for t in range(k)) for i in range(m)])
