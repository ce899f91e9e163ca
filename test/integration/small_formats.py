"""Floats of at most 8 bits, by the definitions of their formats: all codes, and rounding by search.

E4M3FN and E5M2: OCP 8-bit Floating Point Specification (OFP8) 1.0. E2M1FN, E2M3FN, E3M2FN and E8M0FNU: OCP Microscaling
Formats (MX) 1.0. FNUZ: one zero, and NaN where the negative one would be (Noune et al., 2022). E4M3 and E3M4: as IEEE
754 would have them. Numbers are float64, in which all of them are exact.
"""
import numpy as np

# Bits of exponent and fraction, bias, and which codes are no numbers: the whole last exponent (IEEE), the last code,
# that of -0, or none.
FORMATS = {"f8E4M3FN": (4, 3, 7, "last"), "f8E5M2": (5, 2, 15, "ieee"), "f8E4M3": (4, 3, 7, "ieee"),
           "f8E3M4": (3, 4, 3, "ieee"), "f8E4M3FNUZ": (4, 3, 8, "zero"), "f8E5M2FNUZ": (5, 2, 16, "zero"),
           "f8E4M3B11FNUZ": (4, 3, 11, "zero"), "f6E2M3FN": (2, 3, 1, "none"), "f6E3M2FN": (3, 2, 3, "none"),
           "f4E2M1FN": (2, 1, 1, "none"), "f8E8M0FNU": (8, 0, 127, "last")}


class Format:
    def __init__(self, name):
        exponent_bits, fraction_bits, bias, special = FORMATS[name]
        self.name, self.special = name, special
        self.is_signed = name != "f8E8M0FNU"
        self.bits = self.is_signed + exponent_bits + fraction_bits
        self.sign = 1 << self.bits - 1 if self.is_signed else 0
        codes = np.arange(1 << exponent_bits + fraction_bits)
        exponent, fraction = codes >> fraction_bits, codes & (1 << fraction_bits) - 1
        has_leading_one = (exponent > 0) | (not self.is_signed)
        first = exponent if not self.is_signed else np.maximum(exponent, 1)
        magnitudes = np.ldexp(has_leading_one + fraction / (1 << fraction_bits), first - bias)
        numbers = {"last": len(codes) - 1, "ieee": len(codes) - (1 << fraction_bits)}.get(special, len(codes))
        self.magnitudes = magnitudes[:numbers]  # by code, from the least to the largest
        self.largest = float(self.magnitudes[-1])
        self.numbers = np.full(1 << self.bits, np.nan)  # by code
        self.numbers[:numbers] = self.magnitudes
        if special == "ieee":
            self.numbers[numbers] = np.inf
        if self.is_signed:
            self.numbers[self.sign:] = -self.numbers[:self.sign]
        if special == "zero":
            self.numbers[self.sign] = np.nan
        self.nan = {"last": len(codes) - 1, "ieee": numbers + (1 << fraction_bits >> 1), "zero": self.sign,
                    "none": numbers - 1}[special]
        self.infinity = numbers if special == "ieee" else self.nan

    def round(self, x, saturates=True):
        """The codes of the nearest numbers, of two equally near ones the even code. What is above the largest number
        becomes that number, or, where it does not saturate, rounds as if codes went on, to infinity or NaN."""
        x = np.asarray(x, np.float64)
        size = np.abs(x)
        if saturates:
            size = np.minimum(size, self.largest)
        if not self.is_signed and saturates:
            size = np.maximum(np.where(x < 0, 0, size), self.magnitudes[0])
        beyond = 2 * self.magnitudes[-1] - self.magnitudes[-2] if self.is_signed else 2 * self.largest
        steps = np.append(self.magnitudes, beyond)
        high = np.clip(np.searchsorted(steps, size), 0, len(steps) - 1)
        low = np.maximum(high - 1, 0)
        below, above = size - steps[low], steps[high] - size
        nearest = np.where((below < above) | (below == above) & (low % 2 == 0), low, high)
        codes = np.where(nearest < len(self.magnitudes), nearest, self.infinity)
        if self.is_signed:
            codes = codes | np.where(np.signbit(x), self.sign, 0)
        if self.special == "zero":
            codes = np.where(nearest == 0, 0, codes)
        return np.where(np.isnan(x), self.nan, codes).astype(np.uint8)

    def to_numbers(self, x):
        return self.numbers[self.round(x)]


def round_bf16(x):
    """As f32 that a bf16 holds: to nearest, ties to even."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = np.where(np.isnan(x), bits, bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000
    return bits.astype(np.uint32).view(np.float32)
