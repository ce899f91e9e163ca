"""Rounding to floats of at most 8 bits, run by llm-run and held against a search in all codes, bit for bit (meaning-R3).

    check_rounding.py FOLDER

Every type by llm.quantize of f32, f64 (which goes by way of f32), f16 and bf16, and by arith.truncf alone, which does
not saturate. What is rounded: all numbers of the type, the middle of each two, their neighbours in f32, random bits,
infinities, NaN, and the smallest and largest numbers of f32.
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
from safetensors_file import read_safetensors
from small_formats import FORMATS, Format, round_bf16

QUANTIZE = """func.func @round(%x: tensor<{count}x{source}>) -> tensor<{count}x{name}> {{
  %y = llm.quantize %x to {name} : tensor<{count}x{source}>
  return %y : tensor<{count}x{name}>
}}
"""
TRUNCATE = """#id = affine_map<(d0) -> (d0)>
func.func @round(%x: tensor<{count}x{source}>) -> tensor<{count}x{name}> {{
  %out = tensor.empty() : tensor<{count}x{name}>
  %y = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
      ins(%x : tensor<{count}x{source}>) outs(%out : tensor<{count}x{name}>) {{
  ^bb0(%a: {source}, %o: {name}):
    %r = arith.truncf %a : {source} to {name}
    linalg.yield %r : {name}
  }} -> tensor<{count}x{name}>
  return %y : tensor<{count}x{name}>
}}
"""
WIDTHS = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


def make_numbers(small, rng):
    whole = np.unique(np.append(small.magnitudes, [0, 2 * small.largest]))
    exact = np.concatenate([whole, (whole[1:] + whole[:-1]) / 2])
    exact = exact.astype(np.float32)
    near = np.concatenate([exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))])
    ends = np.array([np.inf, np.nan, 0, 1e-45, 1e-39, 2.0 ** -126, 3e38, np.finfo(np.float32).max], np.float32)
    exponents = rng.integers(-20, 20, 2000)
    scattered = np.ldexp(rng.uniform(1, 2, 2000), exponents).astype(np.float32)
    bits = rng.integers(0, 1 << 32, 2000, dtype=np.uint32).view(np.float32)
    numbers = np.concatenate([near, ends, scattered, bits])
    return np.concatenate([numbers, -numbers])


def convert(x, source):
    if source == "bf16":
        return round_bf16(x)
    if source == "f64":  # neighbours that f32 does not have
        return np.concatenate([x, np.nextafter(x.astype(np.float64), np.inf), [1e300, -1e300, 1e-300]])
    return x.astype(WIDTHS[source])


def check(folder, text, small, source, x, expected):
    (folder / "round.mlir").write_text(text.format(count=len(x), source=source, name=small.name))
    np.save(folder / "x.npy", x)
    done = subprocess.run(["llm-run", folder / "round.mlir", f"--input={folder}/x.npy",
                           f"--output={folder}/y.safetensors"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    found = read_safetensors(folder / "y.safetensors")["result0"].view(np.uint8)
    wrong = np.flatnonzero(found != expected)
    if wrong.size:
        at = wrong[0]
        sys.exit(f"{source} to {small.name}: {x[at]!r} is {found[at]:#x}, expected {expected[at]:#x}; "
                 f"{wrong.size} of {x.size} differ")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    np.seterr(all="ignore")
    for name in FORMATS:
        small, count = Format(name), 0
        numbers = make_numbers(small, np.random.default_rng(1))
        for source in ("f32", "f64", "f16", "bf16"):
            x = convert(numbers, source)
            # What f64 saturates to is exact in f32.
            check(folder, QUANTIZE, small, source, x, small.round(x.astype(np.float32)))
            x = x if small.is_signed else x[~(x <= 0)]
            check(folder, TRUNCATE, small, source, x, small.round(x, saturates=False))
            count += 2 * x.size
        print(f"{name}: {count} numbers agree")


main()
