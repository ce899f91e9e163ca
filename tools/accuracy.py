#!/usr/bin/env python3
"""Writes the tables of docs/accuracy.md from measurements.

    tools/accuracy.py FOLDER [--bin=build/bin] [--write]

FOLDER holds the measured CSV files (docs/accuracy.md says which). Without --write the tables
are printed. Errors are computed here, from the rows that llm-prof predicts.
"""
import argparse
import csv
import functools
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from accuracy_libraries import attention_libraries, programs
from carry import carry
from measured_rows import PLAIN_FIGURES, PRESETS, QUANTIZED, ROOT, Prof, kind_of, mdape, plain_target, table, write_rows
from plain_roofline import Peaks, carried as carried_plain, extremes, fit, held_out, plain_error, triples

PAGE = ROOT / "docs" / "accuracy.md"
A100 = ["A100-80GB", "A100-SXM-80GB"]
KERNEL_OPS = ["rmsnorm", "rope", "silu_mul", "residual_add"]
COLLECTIVES = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]
STREAM = "engines.gpu.stream_bytes_per_kilocycle_per_unit"
ENERGY = "engines.gpu.femtojoules_per_mac.bf16"
ELEMENTWISE = [f"engines.gpu.kernels.elementwise.{figure}"
               for figure in ("launch_nanoseconds", "item_bytes_per_kilocycle")]
EXPERTS = ["expert_dispatch", "expert_combine"]
# What is fitted together: preset, device, backend, figures, kinds of ops.
EXCHANGES = [
    *(("a100-sxm", "A100-SXM-80GB", backend, "collective", COLLECTIVES)
      for backend in ("nccl_2.27.3", "sglang_custom_ar", "nccl")),
    *(("h100-sxm", "H100-SXM-80GB", backend, "collective", COLLECTIVES)
      for backend in ("nccl_2.29.2", "vllm_0.24.0_graph", "vllm_0.24.0_eager")),
    ("gb200", "GB200", "trtllm_1.2.0rc6_one_sided", "experts", EXPERTS),
]


def eight_rows(prof: Prof, preset: str, device: str, source: str, backend: str) -> tuple[Path, Path]:
    """Chooses eight rows as `llm-prof plan` does. Returns the other rows, too."""
    rows = [row for file in prof.files for row in csv.DictReader(open(file))
            if row.get("device") == device and kind_of(row) == "gemm" and row["source"] == source
            and row["backend"].startswith(backend)]
    paths = prof.work / "candidates.csv", prof.work / "eight.csv", prof.work / "others.csv"
    columns = list(rows[0])
    write_rows(paths[0], columns, rows)
    prof._run("plan", f"--target={preset}", "--budget=8", f"-o={paths[1]}", paths[0])
    chosen = {row["row_id"] for row in csv.DictReader(paths[1].open())}
    for path, is_chosen in zip(paths[1:], (True, False)):
        write_rows(path, columns, [row for row in rows if (row["row_id"] in chosen) == is_chosen])
    return paths[1:]


M_CLASSES = ["m <= 16", "m 17-128", "m 129-1024", "m > 1024"]


def by_class(rows: list[dict]) -> list[float]:
    return [mdape(rows)] + [mdape([r for r in rows if r["size_class"] == c]) for c in M_CLASSES]


PRODUCTS_OF_A100 = {"device": A100, "op_kind": ["gemm"], "source": ["vidur", "aiconfigurator"]}


@functools.cache
def plain_products(prof: Prof):
    """The held-out predictions of A100's plain roofline, the number of its figures, and its target."""
    held, count = prof.calibrate(plain_target("a100-sxm", prof.work), PLAIN_FIGURES, output="plain.json", **PRODUCTS_OF_A100)
    return held, count, json.loads((prof.work / "plain.json").read_text())


def products(prof: Prof) -> str:
    def lines(name, rows, figures):
        labs = [("both labs", rows)] + [(lab, [r for r in rows if r["source"] == lab])
                                        for lab in ("vidur", "aiconfigurator")]
        return [[f"{name}, {lab}", figures, len(of), *by_class(of)] for lab, of in labs]
    held, count = prof.calibrate("a100-sxm", ["contraction", STREAM], **PRODUCTS_OF_A100)
    for device, lab in zip(A100, ("vidur", "aiconfigurator")):
        prof.cross_validated[device, lab, "gemm"] = mdape([r for r in held if r["source"] == lab])
    plain, plain_count, _ = plain_products(prof)
    naive = prof.validate(plain_target("a100-sxm", prof.work, overhead=5000), **PRODUCTS_OF_A100)
    return table(["A100, products", "fitted", "rows", "all", *M_CLASSES],
                 lines("cross-validated", held, count) + lines("plain, cross-validated", plain, plain_count)
                 + [["datasheet roofline", 0, len(naive), *by_class(naive)]])


def carried(prof: Prof) -> str:
    *_, plain = plain_products(prof)
    lines = []
    for device, preset in (("A40", "a40"), ("RTX4090", "rtx4090")):
        rows = prof.validate(preset, device=[device], op_kind=["gemm"])
        roofline = prof.validate(carry_plain(plain, preset, prof.work), device=[device], op_kind=["gemm"])
        lines += [[f"{device}, by its datasheet", 0, len(rows), *by_class(rows)],
                  [f"{device}, plain by its datasheet", 0, len(roofline), *by_class(roofline)]]
    return table(["products, carried", "fitted here", "rows", "all", *M_CLASSES], lines)


# Where fits of products start for figures that A100's preset does not have.
START = {"first_byte_nanoseconds": 500, "written_byte_percent": 110, "resident_bytes_per_kilocycle": 4000}


# H100 is nearer to these, and is not predicted by them: from A100's figures their fits end in a valley that is worse by 2 points.
STARTED_FROM_H100 = ["b200-sxm", "l40s"]


@functools.cache
def peaks_of(prof: Prof, preset: str, device: str) -> Peaks:
    """What all rows of a device take at the peaks of its datasheet. Several tables ask."""
    return extremes(prof, preset, None, device)


def left_out(prof: Prof, preset: str) -> list[dict]:
    """Returns the products of a chip as they are predicted when their shape is left out. The fit starts from the figures of A100
    or H100, carried."""
    nearest = "h100-sxm" if preset in STARTED_FROM_H100 else "a100-sxm"
    start, sheet = (json.loads((PRESETS / f"{name}.json").read_text()) for name in (nearest, preset))
    kernels = start["calibration"]["engines"]["gpu"]["kernels"]
    kernels["contraction"] = {**START, **kernels["contraction"]}
    path = prof.work / f"start-{preset}.json"
    path.write_text(json.dumps(carry(start, sheet, ecc=preset in IN_LINE_ECC)))
    device, source, backend = next(rest for name, *rest in PRODUCTS if name == preset)
    backends = {row["backend"] for file in prof.files for row in csv.DictReader(open(file))
                if row["device"] == device and row["backend"].startswith(backend)}
    held, _ = prof.calibrate(path, ["contraction", STREAM, ENERGY], device=[device], source=[source], op_kind=["gemm"],
                             **({"backend": sorted(backends)} if backend else {}))
    return held


def source_of(preset: str) -> str:
    """Returns the preset whose products are carried to this one: H100's, or H200's to H100 itself."""
    return "h200-sxm" if preset == "h100-sxm" else "h100-sxm"


def carried_products(preset: str) -> dict:
    """Returns a preset with the products of its source, which were fitted on the source's own rows alone."""
    fitted, sheet = (json.loads((PRESETS / f"{name}.json").read_text()) for name in (source_of(preset), preset))
    return carry(fitted, sheet, FEMTOJOULES.get(preset), preset in IN_LINE_ECC)


LENGTHS = [(0, 5, "< 5 us"), (5, 20, "5-20"), (20, 100, "20-100"), (100, 1e3, "0.1-1 ms"), (1e3, 1e4, "1-10"),
           (1e4, 1e9, "> 10 ms")]


def by_length(rows: list[dict]) -> list[str]:
    """Medians of predicted over measured, where there are at least three rows."""
    found = []
    for low, high, _ in LENGTHS:
        ratios = [float(row["predicted_us"]) / float(row["measured_us"]) for row in rows
                  if low <= float(row["measured_us"]) < high]
        found.append(f"{statistics.median(ratios):.2f}" if len(ratios) > 2 else "")
    return found


def chips(prof: Prof) -> str:
    """Products of each chip as its preset predicts them, and with figures that were fitted on another one."""
    plain = {}
    for preset, device, _, backend in PRODUCTS:
        if backend == "sglang":
            held = left_out(prof, preset)
            prof.cross_validated[device, backend, "gemm"] = mdape(held)
            plain[preset] = fit(triples(held, peaks_of(prof, preset, device)))
    lines = []
    for preset, device, source, backend in PRODUCTS:
        def of(target):
            return [row for row in prof.validate(target, device=[device], op_kind=["gemm"], source=[source])
                    if row["backend"].startswith(backend)]
        other = source_of(preset)
        path = prof.work / f"without-{preset}.json"
        path.write_text(json.dumps(carried_products(preset)))
        rows, peaks = of(preset), peaks_of(prof, preset, device)
        for name, rows in (("as it is", rows), ("plain, cross-validated", held_out(rows, peaks)),
                           (f"fitted on {other} alone", of(path)),
                           (f"plain, fitted on {other} alone", carried_plain(rows, peaks, plain[other]))):
            lines.append([f"{preset}, {source}, {name}", len(rows), *by_class(rows), *by_length(rows)])
    return table(["products of a chip", "rows", "all", *M_CLASSES, *(f"{name}: ratio" for *_, name in LENGTHS)], lines)


# Processes other than TSMC 4N, and memories without bits of their own for error correction.
FEMTOJOULES = {"a100-sxm": 3260, "a40": 4100}
IN_LINE_ECC = ["a40", "l40s"]


# Products that one lab measured: preset, device, source and beginning of the backend.
PRODUCTS = [("a100-sxm", "A100-SXM-80GB", "aiconfigurator", ""), ("a100-sxm", "A100-80GB", "vidur", ""),
            ("a40", "A40", "vidur", ""), ("rtx4090", "RTX4090", "llmservingsim", ""),
            ("h100-sxm", "H100-SXM-80GB", "aiconfigurator", "sglang"),
            ("h200-sxm", "H200-SXM-141GB", "aiconfigurator", "sglang"),
            ("b200-sxm", "B200-SXM", "aiconfigurator", "sglang"),
            ("l40s", "L40S", "aiconfigurator", "sglang")]


def eight(prof: Prof) -> str:
    """Tests targets that were calibrated on eight rows on all other rows: presets, and what `chips` carried."""
    lines = []
    for preset, device, source, backend in PRODUCTS:
        for name, target in ("preset", preset), ("carried", prof.work / f"without-{preset}.json"):
            chosen, others = eight_rows(prof, target, device, source, backend)
            before = prof.validate(target, files=[others])
            refused = prof.calibrate_for_users(target, chosen, prof.work / "eight.json")
            if refused and "is not written" not in refused:
                sys.exit(f"llm-prof calibrate: {refused}")
            after = before if refused else prof.validate(prof.work / "eight.json", files=[others])
            lines.append([f"{device}, {source}, {name}", len(after), mdape(before), mdape(after),
                          "refused" if refused else "written", *by_class(after)[1:]])
    return table(["calibrated on eight rows", "other rows", "before", "after", "file", *M_CLASSES], lines)


def carry_plain(fitted: dict, preset: str, work: Path) -> Path:
    """Gives another device the fractions of A100's peaks, and its launch."""
    target = json.loads(plain_target(preset, work).read_text())
    [of] = fitted["calibration"]["engines"].values()
    dram = fitted["calibration"]["memories"]["dram"]["sustained_bytes_per_second"]
    [engine] = target["engines"].values()
    clock = target["clock_hz"]
    engine["sustained_clock_hz"] = round(clock * of["sustained_clock_hz"] / fitted["clock_hz"])
    engine["overhead_cycles"] = round(clock * of["overhead_cycles"] / fitted["clock_hz"])
    memory = target["memories"]["dram"]
    memory["sustained_bytes_per_second"] = round(
        memory["bytes_per_second"] * dram / fitted["memories"]["dram"]["bytes_per_second"])
    target["calibration"] = {"fitted_on": "plain roofline of A100"}
    path = work / f"carried-{preset}.json"
    path.write_text(json.dumps(target))
    return path


# What is measured together: device, preset, backend, kinds of ops.
TABLES = [("a100-sxm", "A100-SXM-80GB", "cublas_torch_linear", ["gemm"]),
          *(("a100-sxm", "A100-SXM-80GB", backend, ["attention_prefill", "attention_decode"])
            for backend in ("vllm_0.14.0_fa", "sglang_0.5.10_fa")),
          *((preset, device, backend, [kind])
            for preset, device in (("h100-sxm", "H100-SXM-80GB"), ("h200-sxm", "H200-SXM-141GB"),
                                   ("b200-sxm", "B200-SXM"), ("l40s", "L40S"))
            for backend, kind in (("sglang_0.5.14_torch_linear", "gemm"),
                                  ("sglang_0.5.14_sgl_kernel_fp8_scaled_mm", "gemm_fp8_dynquant"),
                                  ("sglang_0.5.14_deepgemm_gemm_nt_f8f8bf16", "gemm_fp8_block128_dynquant"),
                                  ("sglang_0.5.14_flashinfer_cutedsl_nvfp4", "gemm_nvfp4_dynquant")))]


def in_parts(rows: list[dict], count: int = 5) -> list[list[dict]]:
    """Divides rows so that all of one weight, or of one head, are in one part."""
    names = ("n", "k", "heads", "kv_heads", "head_dim")
    shapes = sorted({tuple(row.get(name) or "" for name in names) for row in rows})
    random.Random(1).shuffle(shapes)
    part = {shape: at % count for at, shape in enumerate(shapes)}
    parts = [[] for _ in range(count)]
    for row in rows:
        parts[part[tuple(row.get(name) or "" for name in names)]].append(row)
    return [part for part in parts if part]


def beside_formula(prof: Prof, preset: str, rows: list[dict], parts: list[list[dict]]) -> list[dict]:
    """Returns predictions of each part by the formula and the rows of the other parts."""
    found, columns = [], list(rows[0])
    for part in parts:
        known = [row for other in parts if other is not part for row in other]
        tables = [write_rows(prof.work / name, columns, some) for name, some in (("known.csv", known), ("part.csv", part))]
        found += prof.validate(preset, files=[tables[1]], measured=[str(tables[0])])
    return found


def measured(prof: Prof) -> str:
    """Lists errors of rows that were left out, with the others beside the formula."""
    lines = []
    for preset, device, backend, kinds in TABLES:
        rows = [row for file in prof.files for row in csv.DictReader(open(file))
                if row.get("device") == device and row.get("backend") == backend
                and kind_of(row) in kinds]
        if not rows:
            continue
        whole = write_rows(prof.work / "whole.csv", list(rows[0]), rows)
        formula = prof.validate(preset, files=[whole])
        by_weight = beside_formula(prof, preset, rows, in_parts(rows))
        shuffled = random.Random(1).sample(rows, len(rows))
        by_row = beside_formula(prof, preset, rows, [shuffled[at::5] for at in range(5)])
        lines.append([f"{device}: {', '.join(kinds)}, {backend}", len(rows), mdape(formula), mdape(by_weight), mdape(by_row),
                      mdape(prof.validate(preset, files=[whole], measured=[str(whole)]))])
    return table(["measured times beside the formula", "rows", "formula alone", "weights or heads left out", "rows left out",
                  "nothing left out"], lines)


def attention(prof: Prof) -> str:
    lines = []
    old = json.loads((PRESETS / "a100-sxm.json").read_text())
    old["calibration"]["engines"]["gpu"]["kernels"]["attention@flash_attn2_paged"] = {
        "skips_masked": 0, "item_cycles": 15000, "alu_per_1000_scores": 15000}
    no_skip = prof.work / "no-skip.json"
    no_skip.write_text(json.dumps(old))
    for backend, jobs in {
            "vllm_0.14.0_fa": [("a100-sxm", "attention_prefill,attention_decode")],
            "sglang_0.5.10_fa": [("a100-sxm", "attention_prefill,attention_decode")],
            "flash_attn2_paged": [(no_skip, "attention_prefill"), ("a100-sxm", "attention_decode")],
    }.items():
        for target, kinds in jobs:
            chosen = {"device": A100, "backend": [backend], "op_kind": kinds.split(",")}
            held, count = prof.calibrate(target, ["attention"], **chosen)
            plain, _ = prof.calibrate(plain_target("a100-sxm", prof.work), PLAIN_FIGURES, **chosen)
            default = prof.validate(default_attention(prof.work), **chosen)
            for kind in kinds.split(","):
                def of(rows):
                    return [row for row in rows if row["op_kind"] == kind]
                prof.cross_validated[of(held)[0]["device"], backend, kind] = mdape(of(held))
                lines.append([f"A100, {backend}, {kind.removeprefix('attention_')}", count, len(of(held)),
                              mdape(of(held)), mdape(of(plain)), mdape(of(default))])
    for kind in ("attention_prefill", "attention_decode"):
        rows = prof.validate("rtx4090", device=["RTX4090"], op_kind=[kind])
        lines.append([f"RTX4090 by its datasheet, {kind.removeprefix('attention_')}", 0, len(rows),
                      "", "", mdape(rows)])
    return table(["attention", "fitted", "rows", "own figures, cross-validated",
                  "plain, cross-validated", "default figures"], lines)


def default_attention(work: Path) -> Path:
    """Writes A100 without the figures of any library."""
    target = json.loads((PRESETS / "a100-sxm.json").read_text())
    kernels = target["calibration"]["engines"]["gpu"]["kernels"]
    target["calibration"]["engines"]["gpu"]["kernels"] = {
        name: figures for name, figures in kernels.items() if "@" not in name}
    path = work / "default.json"
    path.write_text(json.dumps(target))
    return path


def spread(prof: Prof) -> str:
    """Lists the deciles of measured over predicted times with the default figures."""
    lines = []
    for kind in ("attention_prefill", "attention_decode"):
        rows = prof.validate(default_attention(prof.work), device=A100, op_kind=[kind],
                             source=["aiconfigurator"])
        rows += prof.validate("rtx4090", device=["RTX4090"], op_kind=[kind])
        ratios = sorted(float(r["measured_us"]) / float(r["predicted_us"]) for r in rows)
        deciles = statistics.quantiles(ratios, n=10)
        lines.append([kind.removeprefix("attention_"), len(rows),
                      *(f"{value:.2f}" for value in (deciles[0], deciles[4], deciles[8]))])
    return table(["attention, default figures: measured / predicted", "rows", "p10", "p50", "p90"], lines)


def elementwise(prof: Prof) -> str:
    chosen = {"device": A100, "op_kind": KERNEL_OPS, "source": ["vidur"]}
    held, count = prof.calibrate("a100-sxm", ELEMENTWISE, **chosen)
    plain = []
    for kind in KERNEL_OPS:
        rows, _ = prof.calibrate(plain_target("a100-sxm", prof.work),
                                 ("memories.dram.sustained_bytes_per_second", PLAIN_FIGURES[1]),
                                 **{**chosen, "op_kind": [kind]})
        plain += rows
    a40 = prof.validate("a40", device=["A40"], op_kind=KERNEL_OPS)
    lines = []
    for kind in KERNEL_OPS:
        def of(rows):
            return [row for row in rows if row["op_kind"] == kind]
        def long(rows):
            return [row for row in of(rows) if float(row["measured_us"]) >= 20]
        prof.cross_validated[A100[0], "vidur", kind] = mdape(of(held))
        lines.append([kind, count, len(of(held)), mdape(of(held)), mdape(of(plain)), len(long(held)),
                      mdape(long(held)), mdape(long(plain)), mdape(of(a40)), mdape(long(a40))])
    return table(["A100, norms and elementwise", "fitted (shared)", "rows", "all", "plain, 2 for each",
                  "rows >= 20 us", ">= 20 us", "plain", "A40 carried", "A40 >= 20 us"], lines)


def collectives(prof: Prof) -> str:
    lines = []
    for preset, device, backend, figures, kinds in EXCHANGES:
        held, count = prof.calibrate(preset, [figures], backend=[backend], device=[device], op_kind=kinds)
        for kind in kinds:
            rows = [row for row in held if row["op_kind"] == kind]
            if rows:
                prof.cross_validated[device, backend, kind] = mdape(rows)
                lines.append([f"{preset}: {backend}, {kind}", count, len(rows), mdape(rows)])
    return table(["collectives", "fitted (shared)", "rows", "cross-validated"], lines)


# Each entry has a preset, and what was measured: device, op kinds, source or beginning of the backend.
SHIPPED = [
    *((preset, device, kind, source, backend) for kind in ("gemm", *QUANTIZED)
      for preset, device, source, backend in PRODUCTS if kind == "gemm" or backend == "sglang"),
    *(("a100-sxm", "A100-SXM-80GB", f"attention_{phase}", "aiconfigurator", library)
      for library in ("vllm_0.14.0_fa", "sglang_0.5.10_fa") for phase in ("prefill", "decode")),
    *(("a100-sxm", "A100-80GB", f"attention_{phase}", "vidur", "flash_attn2_paged") for phase in ("prefill", "decode")),
    *(("rtx4090", "RTX4090", f"attention_{phase}", "llmservingsim", "") for phase in ("prefill", "decode")),
    *((preset, device, kind, source, "") for preset, device, source in
      (("a100-sxm", "A100-80GB", "vidur"), ("a40", "A40", "vidur"), ("rtx4090", "RTX4090", "llmservingsim"))
      for kind in KERNEL_OPS if device != "RTX4090" or kind in ("rope", "silu_mul")),
    *(("a100-sxm", "A100-SXM-80GB", kind, "aiconfigurator", "nccl_2.27.3") for kind in COLLECTIVES),
    ("a100-sxm", "A100-SXM-80GB", "all_reduce", "aiconfigurator", "sglang_custom_ar"),
    ("a100-sxm", "A100-SXM-80GB", "all_reduce", "llmcompass", "nccl"),
    ("a100-sxm", "A100-SXM-80GB", "all_reduce", "vidur", "nccl_torch"),
    *(("h100-sxm", "H100-SXM-80GB", kind, "aiconfigurator", "nccl_2.29.2") for kind in COLLECTIVES),
    *(("h100-sxm", "H100-SXM-80GB", "all_reduce", "aiconfigurator", f"vllm_0.24.0_{way}") for way in ("graph", "eager")),
    *(("gb200", "GB200", kind, "aiconfigurator", "trtllm_1.2.0rc6_one_sided") for kind in EXPERTS),
]


def cross_validate_quantized(prof: Prof, preset: str, rows: list[dict]) -> float:
    """Products with the quantization of their activations, of one library."""
    [(device, kind, backend)] = {(row["device"], row["op_kind"], row["backend"]) for row in rows}
    rate = f"engines.gpu.kernels.llm.quantize@{backend}.item_bytes_per_kilocycle"
    held, _ = prof.calibrate(preset, ["contraction", rate], device=[device], op_kind=[kind], backend=[backend])
    return mdape(held)


def shipped(prof: Prof) -> str:
    """Lists what the presets predict as they are. Must come behind the sections that cross-validate."""
    lines, known = [], {}
    for preset, device, kind, source, backend in SHIPPED:
        if preset not in known:
            known[preset] = prof.validate(preset, device=sorted({device for of, device, *_ in SHIPPED if of == preset}))
        rows = [row for row in known[preset] if row["device"] == device and row["op_kind"] == kind
                and row["source"] == source and row["backend"].startswith(backend)]
        if not rows:
            continue
        if kind.endswith("_dynquant") and prof.compares:
            prof.cross_validated[device, backend, kind] = cross_validate_quantized(prof, preset, rows)
        errors = sorted(abs(float(row["error_percent"])) for row in rows)
        ratio = statistics.median(float(row["measured_us"]) / float(row["predicted_us"]) for row in rows)
        lines.append([f"{preset}: {kind}, {backend or source}", len(rows), mdape(rows),
                      errors[(9 * len(errors) + 9) // 10 - 1], f"{ratio:.2f}",
                      prof.cross_validated.get((device, backend or source, kind), ""),
                      plain_error(rows, peaks_of(prof, preset, device)) if kind.startswith("gemm") and prof.compares else ""])
    return table(["preset as it is", "rows", "error", "p90", "measured / predicted", "cross-validated", "plain, cross-validated"],
                 lines)


# The sums of the ops of one layer, in microseconds, as they were measured and as other tools predict them.
LAYER_HEADER = ["us", "predicted", "vidur (2024)", "aiconfigurator (2026), missing ops from vidur",
                "LLMCompass", "LLM-Viewer", "GenZ"]
LAYERS = [("prefill 2048", ["--phase=prefill", "--seq=2048", "--kv-len=2048"], [4730, 3976, 4163, 3495, 3084]),
          ("decode at 2048", ["--phase=decode", "--kv-len=2048"], [330, 358, 220, 218, 203])]


def layer(prof: Prof) -> str:
    lines = []
    for name, options, others in LAYERS:
        block, report = prof.work / "block.mlir", prof.work / "report.json"
        folder = prof.tool.parent
        subprocess.run([folder / "llm-translate", "--import-hf-config", ROOT / "examples" / "llama-3.1-8b.json",
                        *options, "-o", block], check=True)
        subprocess.run([folder / "llm-opt", block, "--llm-target=name=a100-sxm", "--llm-fuse-projections",
                        "--llm-tile", "--llm-schedule",
                        f"--llm-export-report=format=json file={report}", "-o", prof.work / "out.mlir"], check=True)
        run = json.loads(report.read_text())
        lines.append([name, round(sum(op["cycles"] for op in run["ops"]) / run["clock_hz"] * 1e6), *others])
    return table(LAYER_HEADER, lines)


SECTIONS = {"products": products, "carried": carried, "chips": chips, "eight": eight, "measured": measured, "attention": attention,
            "spread": spread, "elementwise": elementwise, "programs": programs, "attention_libraries": attention_libraries,
            "collectives": collectives, "shipped": shipped, "layer": layer}


def set_table(page: str, name: str, text: str) -> str:
    begin, end = f"<!-- table: {name} -->", "<!-- end -->"
    if begin not in page:
        sys.exit(f"{PAGE} has no '{begin}'")
    before, rest = page.split(begin, 1)
    return before + begin + "\n" + text + "\n" + end + rest.split(end, 1)[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measured", type=Path)
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--write", action="store_true", help="into docs/accuracy.md")
    parser.add_argument("--only", choices=SECTIONS, help="one table; most follow from the sections before them")
    parser.add_argument("--without", default="", help="tables to leave out, such as chips,eight")
    parser.add_argument("--as-it-is", action="store_true",
                        help="what libraries and presets give alone: no cross-validation and no plain roofline beside it")
    arguments = parser.parse_args()
    if not list(arguments.measured.glob("*.csv")):
        sys.exit(f"{arguments.measured} holds no CSV files")
    with tempfile.TemporaryDirectory() as folder:
        prof = Prof(arguments.bin, arguments.measured, Path(folder), compares=not arguments.as_it_is)
        for name, make in SECTIONS.items():
            if arguments.only not in (None, name) or name in arguments.without.split(","):
                continue
            text = make(prof)
            if not arguments.write:
                print(f"{text}\n")
                continue
            # A later section may fail, and the page may change meanwhile.
            PAGE.write_text(set_table(PAGE.read_text(), name, text))


if __name__ == "__main__":
    main()
