#!/usr/bin/env python3
"""Writes how far measured times lie from predicted ones into presets, as ranges of their kernels and links.

    tools/spread.py FOLDER [--bin=build/bin] [--write]

FOLDER holds the measured CSV files (docs/accuracy.md says which). `p10_percent` of a kernel is what a tenth of the rows
stayed below, of those that its preset predicts with this kernel's figures, and `p90_percent` what nine tenths stayed
below. Kernels without rows of their own, and those of chips without rows, have the range of rows on which nothing was
fitted (tools/carry.py has these). The table says how many rows lie inside if they are left out: of a kernel a fifth of
the rows, one after the other, and of a class of carried kernels all rows of a chip. Without --write only the table is
printed.
"""
import argparse
import csv
import json
import random
import tempfile
from pathlib import Path

from accuracy import PAGE, PRESETS, PRODUCTS, ROOT, Prof, carried_products, default_attention, set_table, table
from carry import CARRIED_SPREADS, class_of, with_spread

DEVICES = {"A100-80GB": "a100-sxm", "A100-SXM-80GB": "a100-sxm", "A40": "a40", "RTX4090": "rtx4090",
           "H100-SXM-80GB": "h100-sxm", "H200-SXM-141GB": "h200-sxm", "B200-SXM": "b200-sxm", "L40S": "l40s",
           "NVIDIA H100 80GB HBM3": "h100-sxm", "NVIDIA H200": "h200-sxm"}
KERNELS = {"attention_prefill": "attention", "attention_decode": "attention", "rmsnorm": "llm.rmsnorm",
           "residual_add": "llm.add", "silu_mul": "elementwise", "rope": "elementwise", "gelu": "llm.activation",
           "softmax": "llm.softmax"}
# Kernels that compute masked blocks, and times that hold the wait for the last rank (docs/accuracy.md).
UNLIKE = ["flash_attn2_paged", "nccl_torch"]
# Fewer rows say little of a tenth of them.

FEWEST = 20


def rows_of_mha(prof: Prof) -> set[str]:
    """Names rows whose heads share no keys."""
    return {row.get("row_id") for file in prof.files for row in csv.DictReader(open(file))
            if row.get("kv_heads") and row.get("heads") == row["kv_heads"]}


def kernel_of(row: dict, preset: dict, is_mha: bool) -> str | None:
    """Names the figures that predict a row."""
    kind = row["op_kind"]
    if kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        names = preset["calibration"].get("links", {})
        name = next(iter(preset["links"]))
    else:
        names = next(iter(preset["calibration"]["engines"].values()))["kernels"]
        name = "contraction" if kind.startswith("gemm") else KERNELS.get(kind)
    if name is None or row["backend"] in UNLIKE:
        return None
    # Attention of a library may stand at the op, with all of its formats.
    steps = []
    if kind == "attention_decode":
        steps = ["attention_decode_mha", "attention_decode"] if is_mha else ["attention_decode"]
    ops = ["llm.gqa_attn"] if name == "attention" else []
    for own in (f"{kernel}@{row['backend']}" for kernel in (*steps, name, *ops)):
        if own in names and (name == "contraction" or "formats" not in names[own]):
            return own
    # What one library quantizes is no measure of another.
    is_of_library = kind.endswith("_dynquant") or (row["backend"] == "torch" and name != "contraction")
    return name if name in names and not is_of_library else None


def ratio(row: dict) -> float:
    return float(row["measured_us"]) / float(row["predicted_us"])


def spread_of(ratios: list[float]) -> tuple[int, int]:
    """Returns the percentiles, rounded away from 1."""
    ordered = sorted(ratios)
    tenth = len(ordered) // 10
    return int(100 * ordered[tenth]), -int(-100 * ordered[-1 - tenth] // 1)


def inside(ratios: list[float], spread: tuple[int, int]) -> float:
    return 100 * sum(spread[0] <= 100 * each <= spread[1] for each in ratios) / len(ratios)


def inside_left_out(ratios: list[float]) -> float:
    """Each fifth of the rows, by the range of the others."""
    shuffled = random.Random(1).sample(ratios, len(ratios))
    parts = [shuffled[part::5] for part in range(5)]
    return sum(inside(part, spread_of([each for other in parts if other is not part for each in other])) * len(part)
               for part in parts) / len(shuffled)


def own_ratios(prof: Prof) -> dict:
    """Measured by predicted times, by preset and kernel."""
    found, mha = {}, rows_of_mha(prof)
    for preset in sorted(set(DEVICES.values())):
        target = json.loads((PRESETS / f"{preset}.json").read_text())
        for row in prof.validate(preset):
            if DEVICES.get(row["device"]) == preset and (kernel := kernel_of(row, target, row["row_id"] in mha)):
                found.setdefault((preset, kernel), []).append(ratio(row))
    # The figures for attention whose library is not named.
    found["a100-sxm", "attention"] = [
        ratio(row) for row in prof.validate(default_attention(prof.work), device=["A100-SXM-80GB"],
                                            op_kind=["attention_prefill", "attention_decode"])]
    return found


# Chips on whose rows no figure of these kernels was fitted.
UNFITTED = {"attention": ["b200-sxm", "l40s", "rtx4090"], "elementwise": ["a40", "h200-sxm", "rtx4090"]}


def carried_ratios(prof: Prof, own: dict) -> dict:
    """The same by class of kernels and chip, of rows on which nothing was fitted."""
    found = {}
    for preset, device, source, backend in PRODUCTS:
        path = prof.work / f"without-{preset}.json"
        path.write_text(json.dumps(carried_products(preset)))
        rows = prof.validate(path, device=[device], op_kind=["gemm"], source=[source])
        found.setdefault("contraction", {}).setdefault(preset, []).extend(
            ratio(row) for row in rows if row["backend"].startswith(backend))
    for (preset, kernel), ratios in own.items():
        if preset in UNFITTED.get(class_of(kernel), []):
            found.setdefault(class_of(kernel), {}).setdefault(preset, []).extend(ratios)
    # What the links of one chip say of the other.
    links = {name: json.loads((PRESETS / f"{name}.json").read_text()) for name in ("a100-sxm", "h100-sxm")}
    for preset, other, backend in (("h100-sxm", "a100-sxm", "nccl_2.29.2"), ("a100-sxm", "h100-sxm", "nccl_2.27.3")):
        target = json.loads(json.dumps(links[preset]))
        rates = [links[name]["links"]["nvlink"]["bytes_per_second_per_direction"] for name in (preset, other)]
        target["calibration"]["links"] = {"nvlink": {
            key: int(value * rates[0] / rates[1]) if key.endswith("_bytes_per_second") else value
            for key, value in links[other]["calibration"]["links"]["nvlink"].items()}}
        target["links"] = {"nvlink": target["links"]["nvlink"]}
        path = prof.work / f"links-{preset}.json"
        path.write_text(json.dumps(target))
        found.setdefault("link", {})[preset] = [ratio(row) for row in prof.validate(
            path, op_kind=["all_reduce", "all_gather", "reduce_scatter", "all_to_all"], backend=[backend])]
    return found


def write(own: dict) -> None:
    """Sets the ranges of all presets that have figures of kernels."""
    for path in sorted(PRESETS.glob("*.json")):
        preset = json.loads(path.read_text())
        figures = preset.get("calibration", {})
        # What is carried by the rules has their ranges, too.
        by_rules = figures.get("fitted_on", "").startswith("carried from ")
        for parts in (*(engine.get("kernels", {}) for engine in figures.get("engines", {}).values()),
                      figures.get("links", {})):
            # Kernels that are carried from another vendor have none.
            if by_rules and not any("p10_percent" in part for part in parts.values()):
                continue
            for name, part in parts.items():
                of_class = CARRIED_SPREADS[class_of(name)]
                # Rows do not tell some formats of a library from the others.
                if "formats" in part:
                    of_class = own.get((path.stem, f"{class_of(name)}@{name.split('@')[1]}"), of_class)
                parts[name] = with_spread(part, of_class if by_rules else own.get((path.stem, name), of_class))
        if figures:
            path.write_text(json.dumps(preset, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measured", type=Path)
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--write", action="store_true", help="into the presets and docs/accuracy.md")
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        prof = Prof(options.bin, options.measured, Path(folder))
        prof.files += [str(path) for path in sorted((ROOT / "test" / "measured").glob("*-sxm-torch.csv"))]
        own = own_ratios(prof)
        carried = carried_ratios(prof, own)
    own = {key: ratios for key, ratios in own.items() if len(ratios) >= FEWEST}
    for (preset, kernel), ratios in sorted(own.items()):
        lines.append([f"{preset}: {kernel}", len(ratios), *spread_of(ratios), round(inside_left_out(ratios))])
    for kind, by_chip in sorted(carried.items()):
        every = [each for ratios in by_chip.values() for each in ratios]
        left_out = [round(inside(ratios, spread_of([each for other, rest in by_chip.items() if other != chip
                                                    for each in rest]))) for chip, ratios in by_chip.items()]
        lines.append([f"carried: {kind}", len(every), *spread_of(every), f"{min(left_out)} to {max(left_out)}"])
    text = table(["measured / predicted", "rows", "p10 %", "p90 %", "% inside if left out"], lines)
    if not options.write:
        print(text)
    else:
        PAGE.write_text(set_table(PAGE.read_text(), "ranges", text))
        write({key: spread_of(ratios) for key, ratios in own.items()})


if __name__ == "__main__":
    main()
