"""Numbers that llm-run reads from and writes to files, beside those that NumPy finds by the definitions of the types.

    conversions.py FOLDER INTEGRATION

Of each type all codes, what lies in the middle of two numbers and the doubles beside that, and what is beyond all of
them go through a program that gives back its argument.
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
folder, integration = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, integration)
from small_formats import FORMATS, Format

WIDE = {"f16": (5, 10), "bf16": (8, 7)}


def numbers_of(kind):
    """All finite numbers of a type that are not below 0, in order."""
    if kind in FORMATS:
        return Format(kind).magnitudes
    exponent_bits, fraction_bits = WIDE[kind]
    codes = np.arange(((1 << exponent_bits) - 1) << fraction_bits)
    exponent, fraction = codes >> fraction_bits, codes & (1 << fraction_bits) - 1
    return np.ldexp((exponent > 0) + fraction / (1 << fraction_bits), np.maximum(exponent, 1) - (1 << exponent_bits - 1) + 1)


def round_wide(kind, x):
    """The nearest of all numbers, of two equally near ones the even code; infinity half a step behind the largest."""
    numbers = numbers_of(kind)
    steps = np.append(numbers, 2 * numbers[-1] - numbers[-2])
    size = np.abs(x)
    high = np.clip(np.searchsorted(steps, size), 1, len(steps) - 1)
    low = high - 1
    below, above = size - steps[low], steps[high] - size
    nearest = np.where((below < above) | (below == above) & (low % 2 == 0), low, high)
    rounded = np.where(nearest < len(numbers), steps[nearest], np.inf)
    return np.copysign(np.where(np.isnan(x), np.nan, rounded), x)


def expect(kind, x):
    if kind in WIDE:
        return round_wide(kind, x)
    small = Format(kind)
    rounded = small.numbers[small.round(np.where(np.isnan(x), 0, x))]
    return np.where(np.isnan(x), small.numbers[small.nan], rounded)


def inputs_of(kind):
    numbers = numbers_of(kind)
    middles = (numbers[1:] + numbers[:-1]) / 2
    beyond = numbers[-1] * np.array([1 + 2**-20, 1.01, 1.04, 1.2, 1.5, 4, 2.0**100, 2.0**800])
    some = np.concatenate([numbers, middles, np.nextafter(middles, 0), np.nextafter(middles, np.inf), beyond,
                           [numbers[0] / 2, 5e-324, np.inf]])
    return np.concatenate([some, -some, [np.nan]])


def check(kind):
    x = inputs_of(kind)
    np.save(folder / "x.npy", x)
    (folder / "same.mlir").write_text(f"""func.func @same(%x: tensor<{len(x)}x{kind}>) -> tensor<{len(x)}x{kind}> {{
  return %x : tensor<{len(x)}x{kind}>
}}
""")
    subprocess.run(["llm-run", folder / "same.mlir", f"--input={folder}/x.npy", f"--output={folder}/y.npy"], check=True,
                   stderr=subprocess.DEVNULL)
    found, expected = np.load(folder / "y.npy").astype(float), expect(kind, x)
    is_wrong = ~((found == expected) & (np.signbit(found) == np.signbit(expected)) | np.isnan(found) & np.isnan(expected))
    if is_wrong.any():
        at = is_wrong.argmax()
        sys.exit(f"{kind}: {x[at]!r} is read as {found[at]!r}, expected {expected[at]!r} ({is_wrong.sum()} of {len(x)})")
    print(f"{kind}: {len(x)} numbers")


for kind in (*WIDE, *FORMATS):
    check(kind)
