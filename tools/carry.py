#!/usr/bin/env python3
"""Carries the fitted figures of one GPU to the datasheet of another, by the rules of docs/accuracy.md.

    tools/carry.py FITTED.json DATASHEET.json [--femtojoules=N] [--ecc] [--memory-percent=N] [--clock-hz=N] [--write]

Both are target files. The result is DATASHEET.json with FITTED.json's figures, scaled by what both datasheets say, and
with its own links as they are. It is printed, or written into DATASHEET.json. `--femtojoules` is the energy of a
16-bit multiply-accumulate in units of 1,024 per cycle, for a process other than FITTED's; `--ecc` says that the memory
has no bits of its own for error correction, so that codes take an eighth of its rate; `--memory-percent` says that the
GPU is of another vendor, and which share of its memory's rate was published as sustained. Its kernels then have no range, as no
rows of that vendor say how far off they are. `--clock-hz` is the clock at which units were measured, where it is above the
datasheet's boost clock.
"""
import argparse
import json
import re
from pathlib import Path

# What a multiply-accumulate of narrower types takes, in hundredths of a 16-bit one, where the fitted target does not say.
ENERGY_SHARES = {"f16": 100, "bf16": 100, "f8E4M3FN": 60, "f8E5M2": 60, "i8": 60, "f4E2M1FN": 36}
# Data paths of a unit are at least those of A100, whatever its multiply-accumulates, and beyond those of H100 they grow as
# the edge of the array.
LEAST_MACS, EDGE_MACS = 1024, 2048
# Measured times in percent of predicted ones, of rows on which nothing was fitted: what a tenth of them stays below, and
# what nine tenths stay below (tools/spread.py).
CARRIED_SPREADS = {"contraction": (86, 119), "attention": (80, 144), "elementwise": (77, 126), "link": (59, 154)}
# Libraries of norms and elementwise ops alone.
COMPILERS = ("torch", "vllm_0.19")
ATTENTION = ("attention", "attention_decode", "attention_decode_mha", "attention_decode_wide")
PRODUCT_OPS = ("llm.matmul", "llm.batch_matmul", "llm.grouped_matmul")
SUSTAINED_MEMORY, ECC_MEMORY = (93, 100), (93 * 7, 100 * 8)


def only(values: dict) -> dict:
    [value] = values.values()
    return value


def boost(target: dict) -> int:
    return int(only(target["engines"]).get("boost_clock_hz", target["clock_hz"]))


def macs(target: dict) -> int:
    return int(only(target["engines"])["macs_per_cycle_per_unit"]["bf16"])


def paths(target: dict) -> float:
    """The width of a unit's data paths, in multiply-accumulates that they feed on Hopper."""
    rate = max(macs(target), LEAST_MACS)
    return min(rate, (rate * EDGE_MACS) ** 0.5)


def round_to(value: float, digits: int = 4) -> int:
    """To so many digits, as fitted figures are known to no more."""
    return int(float(f"{value:.{digits}g}"))


def class_of(name: str) -> str:
    """Returns the class of a kernel whose range counts; ops that have figures of their own are elementwise, but for attention and
    products. Selections of keys were measured on one chip alone, and have the range of attention. The rest are links."""
    kernel = name.split("@")[0]
    if kernel in (*ATTENTION, "selection") or kernel.endswith("_attn") and kernel != "llm.linear_attn":
        return "attention"
    if kernel == "contraction" or kernel in PRODUCT_OPS:
        return "contraction"
    return "elementwise" if kernel == "elementwise" or "." in kernel else "link"


def with_spread(figures: dict, spread: tuple[int, int] | None) -> dict:
    known = {key: value for key, value in figures.items() if key not in ("p10_percent", "p90_percent")}
    return {**known, "p10_percent": spread[0], "p90_percent": spread[1]} if spread else known


def without_clusters(figures: dict) -> dict:
    """Units of other chips may not start together."""
    tiles = [{key: size for key, size in tile.items() if key != "cluster_rows"} for tile in figures.get("tiles", [])]
    return {**figures, **({"tiles": tiles} if tiles else {})}


def carried_kernel(figures: dict, is_product: bool, clocks: float, widths: float) -> dict:
    scales = {"replay_nanoseconds": clocks, "split_nanoseconds": clocks, "regroup_nanoseconds": clocks}
    if is_product:
        scales.update(launch_nanoseconds=clocks, operand_bytes_per_kilocycle=widths, cache_bytes_per_kilocycle=widths)
    return {key: round_to(value * scales[key]) if key in scales else value for key, value in figures.items()}


def have_one_array(fitted: dict, target: dict) -> bool:
    """Returns whether units multiply alike: libraries then run the same attention kernels on both."""
    rates = [only(each["engines"])["macs_per_cycle_per_unit"] for each in (fitted, target)]
    return all(rates[0].get(name) == rates[1].get(name) for name in ("bf16", "f8E4M3FN"))


def is_carried(kernel: str, figures: dict, fitted: dict, target: dict) -> bool:
    """Of libraries, those of plain products, which are of narrow types, and of their quantization, of what compilers make
    of norms and elementwise ops, and of attention with its cache where units are the same. Experts and other modules of
    one library are its own."""
    name, _, library = kernel.partition("@")
    if name in ("contraction", "llm.quantize") and re.search("gemm|scaled_mm|nvfp4", library):
        return "f8E4M3FN" in only(target["engines"])["macs_per_cycle_per_unit"]
    if library and (name in (*ATTENTION, "llm.gqa_attn", "selection", "llm.kv_write") or figures.get("is_default")):
        return have_one_array(fitted, target)
    return not library or library in COMPILERS and name in ("elementwise", "llm.rmsnorm")


def energies(fitted: dict, target: dict, femtojoules: float | None) -> dict:
    """The energy of operands goes with the edge of the array that they feed, and that with the root of its size. Narrower
    types take the same share of a 16-bit one."""
    own = only(fitted["calibration"]["engines"]).get("femtojoules_per_mac", {})
    if femtojoules is None:
        if "bf16" not in own:
            return {}
        femtojoules = own["bf16"] * (macs(fitted) / 1024) ** 0.5
    of16 = femtojoules * (1024 / macs(target)) ** 0.5
    shares = {name: own[name] / own["bf16"] if name in own else share / 100 for name, share in ENERGY_SHARES.items()}
    rates = only(target["engines"])["macs_per_cycle_per_unit"]
    return {name: round_to(of16 * share, 3) for name, share in shares.items() if name in rates}


def sustained_memory(target: dict, ecc: bool, percent: int | None) -> int:
    share, of = (percent, 100) if percent else ECC_MEMORY if ecc else SUSTAINED_MEMORY
    return int(target["memories"]["dram"]["bytes_per_second"]) * share // of


def carry(fitted: dict, sheet: dict, femtojoules: float | None = None, ecc: bool = False,
          memory_percent: int | None = None, clock_hz: int | None = None) -> dict:
    """Returns `sheet` with the figures of `fitted`."""
    target = json.loads(json.dumps(sheet))
    figures = only(fitted["calibration"]["engines"])
    clocks = boost(fitted) / boost(target)
    widths = paths(target) / paths(fitted)
    engine = {"sustained_clock_hz": clock_hz or boost(target),
              "stream_bytes_per_kilocycle_per_unit":
                  round_to(figures["stream_bytes_per_kilocycle_per_unit"] * widths)}
    if carried := energies(fitted, target, femtojoules):
        engine["femtojoules_per_mac"] = carried
    are_alike = have_one_array(fitted, target)
    engine["kernels"] = {
        name: with_spread(carried_kernel(kernel if are_alike else without_clusters(kernel), class_of(name) == "contraction", clocks, widths),
                          None if memory_percent else CARRIED_SPREADS[class_of(name)])
        for name, kernel in figures["kernels"].items() if is_carried(name, kernel, fitted, target)}
    [name] = target["engines"]
    links = target.get("calibration", {}).get("links")
    target["calibration"] = {
        "fitted_on": f"carried from {fitted['name']}, scaled per unit and cycle (tools/carry.py); not measured on this "
                     f"device" + (", codes of ECC take 1/8 of the memory's rate" if ecc else ""),
        "engines": {name: engine},
        "memories": {"dram": {"sustained_bytes_per_second": sustained_memory(target, ecc, memory_percent)}},
        **({"links": links} if links else {})}
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fitted", type=Path)
    parser.add_argument("datasheet", type=Path)
    parser.add_argument("--femtojoules", type=float)
    parser.add_argument("--ecc", action="store_true")
    parser.add_argument("--memory-percent", type=int)
    parser.add_argument("--clock-hz", type=int)
    parser.add_argument("--write", action="store_true", help="into DATASHEET.json")
    options = parser.parse_args()
    fitted, sheet = (json.loads(path.read_text()) for path in (options.fitted, options.datasheet))
    text = json.dumps(carry(fitted, sheet, options.femtojoules, options.ecc, options.memory_percent,
                            options.clock_hz), indent=2) + "\n"
    if options.write:
        options.datasheet.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
