"""Tables of docs/accuracy.md about figures of libraries: attention, and programs of several ops."""
import csv
import json
import re
import statistics
from pathlib import Path

from measured_rows import PRESETS, Prof, mdape, table, write_rows
from plain_roofline import extremes, plain_error


def kernel_of(row: dict) -> str:
    """Names a framework and its kernel, without the version."""
    return re.sub(r"^(\w+?)_[\d.]+(rc\d+)?(dev\d+)?_", r"\1 ", row["backend"])


def group_of(row: dict) -> tuple:
    """Names what rows of several ops have in common."""
    kind, kernel = row["op"], kernel_of(row)
    if kind == "moe":
        return (kind, kernel, row["dtype"], "" if row["gated"] == "1" else "not gated",
                "all experts" if row["expert_parallel"] == "1" else "a share of the experts")
    if "phase" in row:
        return kind, kernel, {"context": "prompts", "generation": "decode", "verify": "drafts"}[row["phase"]]
    return kind, kernel, row.get("gemm_dtype", ""), f"{row['kv_dtype']} cache" if "kv_dtype" in row else row["dtype"]


PROGRAM_PRESETS = {"H100-SXM-80GB": "h100-sxm", "B200-SXM": "b200-sxm"}


# Figures that say how a kernel is made, and are not fitted.
CHOSEN = {"launch_nanoseconds", "item_elements", "item_rows", "packed_heads", "query_tile", "decode_query_tile", "key_tile", "packs_groups",
          "splits_unpacked", "streams_ahead", "formats", "tiles", "is_default", "p10_percent", "p90_percent"}


def held_programs(prof: Prof, preset: str, path: Path, device: str, known: dict) -> dict[str, list[dict]]:
    """Rows of programs, each predicted with figures of its library that were fitted without its sizes. Of libraries that have
    figures in the preset."""
    kernels = json.loads((PRESETS / f"{preset}.json").read_text())["calibration"]["engines"]["gpu"]["kernels"]
    held = {}
    for library in sorted({row["backend"] for row in known.values() if row["device"] == device}):
        figures = [f"engines.gpu.kernels.{name}.{figure}" for name, own in kernels.items()
                   if re.split("[@#]", f"{name}@")[1] in (library, f"{library}_default_config")  # where its rows have no tuned one
                   for figure, value in own.items() if figure not in CHOSEN and value]
        if figures:
            rows, count = prof.calibrate(preset, figures, files=[str(path)], drops_named=True, device=[device], backend=[library])
            held.update({row["row_id"]: (row, count) for row in rows})
    return held


def programs(prof: Prof) -> str:
    """Lists modules and kernels of several ops, each predicted as the program that it is."""
    lines = {}
    for name in ("gdn", "kda", "mamba2", "mhc", "mla_bmm", "mla", "moe", "dsa", "dsv4", "msa"):
        path = prof.measured / f"public2_{name}.csv"
        if not path.exists():
            continue
        known = {row["row_id"]: row for row in csv.DictReader(path.open())}
        for device in sorted({row["device"] for row in known.values()}):
            preset, groups = PROGRAM_PRESETS[device], {}
            held = held_programs(prof, preset, path, device, known) if prof.compares else {}
            peaks = extremes(prof, preset, [str(path)], device) if prof.compares else {}
            for row in prof.validate(preset, files=[str(path)], device=[device]):
                if known[row["row_id"]]["timing"].startswith("cudagraph"):  # or launched by the host, which takes longer
                    kind, *others = group_of(known[row["row_id"]])
                    kind = kind if device.startswith("H100") else f"{device}: {kind}"
                    groups.setdefault((kind, *others), []).append(row)
            for group, rows in groups.items():
                kind, kernel, *others = group
                lines[group] = [f"{kind}: {', '.join(filter(None, others))}", f"`{kernel}`",
                                *errors_of(rows, held, peaks)]
    return table(["H100, rows of", "kernel", *ERRORS], [line for _, line in sorted(lines.items())])


ERRORS = ["rows", "fitted", "error", "p90", "measured / predicted", "cross-validated", "plain, cross-validated"]


def errors_of(rows: list[dict], held: dict, peaks: dict) -> list:
    """Returns the cells of ERRORS. `held` has rows as they are predicted when their sizes are left out, and how many figures were
    fitted, and `peaks` what they take at the peaks. The plain roofline is fitted on these rows alone."""
    errors = sorted(abs(float(row["error_percent"])) for row in rows)
    ratio = statistics.median(float(row["measured_us"]) / float(row["predicted_us"]) for row in rows)
    own = [held[row["row_id"]] for row in rows if row["row_id"] in held]
    return [len(rows), own[0][1] if own else 0, mdape(rows), errors[(9 * len(errors) + 9) // 10 - 1], f"{ratio:.2f}",
            mdape([row for row, _ in own]) if own else "", plain_error(rows, peaks) if peaks else ""]


# Devices with attention of several libraries, and whose figures their presets have.
ATTENTION = {"H100-SXM-80GB": "h100-sxm", "H200-SXM-141GB": "h200-sxm", "B200-SXM": "b200-sxm", "L40S": "l40s"}


def attention_libraries(prof: Prof) -> str:
    """Lists attention of each library. The figures of H200 are H100's, so that none is fitted there."""
    files = [prof.measured / f"public2_attention_{phase}.csv" for phase in ("prefill", "decode")]
    known = {row["row_id"]: row for path in files if path.exists() for row in csv.DictReader(path.open())}
    if not known:
        return table(["attention of", "preset", *ERRORS], [])
    path = write_rows(prof.work / "attention.csv", list(next(iter(known.values()))), list(known.values()))
    lines = []
    for device, preset in ATTENTION.items():
        held = held_programs(prof, preset, path, device, known) if prof.compares and preset != "h200-sxm" else {}
        groups, peaks = {}, extremes(prof, preset, [str(path)], device) if prof.compares else {}
        for row in prof.validate(preset, files=[str(path)], device=[device]):
            cells = known[row["row_id"]]
            phase = {"attention_prefill": "prompts", "attention_decode": "decode"}[row["op_kind"]]
            groups.setdefault((kernel_of(cells), phase, f"{cells['kv_dtype']} cache"), []).append(row)
        lines += [[f"`{kernel}`, {phase}, {cache}", preset, *errors_of(rows, held, peaks)]
                  for (kernel, phase, cache), rows in sorted(groups.items())]
    return table(["attention of", "preset", *ERRORS], lines)
