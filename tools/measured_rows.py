"""What tools/accuracy.py reads and runs: measured rows, and llm-prof on them."""
import csv
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRESETS = ROOT / "lib" / "Target" / "presets"
# The figures of a plain roofline, the least certain last.
PLAIN_FIGURES = ("device", "engines.gpu.overhead_cycles")
# Products that are measured with the quantization of their activations.
QUANTIZED = ["gemm_fp8_dynquant", "gemm_fp8_block128_dynquant", "gemm_nvfp4_dynquant"]


def is_plain(row: dict) -> bool:
    """Returns whether a row of the newer files says all that its time depends on. This is one product of
    random weights, with the quantization of its activations, or attention with the write of the cache."""
    if row["flag"].startswith("weights"):
        return False
    if row["op"] in QUANTIZED:
        return row["backend"].startswith("sglang")
    return row["op"].startswith("attention_") or row["op"] == "gemm" and row["dtype"] == "bf16"


def readable(path: Path, work: Path) -> Path | None:
    """Returns a file of the rows that are of one op alone, or None if there is none."""
    with path.open() as file:
        reader = csv.DictReader(file)
        if "op_kind" in reader.fieldnames or "tokens_per_chip" in reader.fieldnames:
            return path
        if not {"op", "dtype", "flag", "measured_us"} <= set(reader.fieldnames):
            return None
        if "m" not in reader.fieldnames and "q_len_tokens" not in reader.fieldnames:
            return None
        rows = [row for row in reader if is_plain(row)]
    return write_rows(work / path.name, reader.fieldnames, rows) if rows else None


def kind_of(row: dict) -> str:
    """Tables name the kind of op in one of two columns."""
    return row.get("op_kind") or row.get("op", "")


def write_rows(path: Path, columns: list[str], rows: list[dict]) -> Path:
    with path.open("w") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


class Prof:
    """llm-prof on the measured files."""

    def __init__(self, bin_folder: Path, measured: Path, work: Path, compares: bool = True):
        self.tool = bin_folder / "llm-prof"
        found = (readable(path, work) for path in sorted(measured.glob("*.csv")))
        self.files = [str(path) for path in found if path]
        self.work, self.measured = work, measured
        # Whether what was predicted is laid beside fits on the same rows.
        self.compares = compares
        # MdAPE of held-out rows, by source or backend and kind of op.
        self.cross_validated = {}

    def _run(self, *arguments: str) -> None:
        done = subprocess.run([self.tool, *arguments], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"llm-prof {' '.join(map(str, arguments))}: {done.stderr}")

    def validate(self, target, files=None, **filters) -> list[dict]:
        out = self.work / "validated.csv"
        self._run("validate", f"--target={target}", "--format=csv", f"-o={out}",
                  *_filters(filters), *(files or self.files))
        return list(csv.DictReader(out.open()))

    def calibrate_for_users(self, target, file: Path, output: Path) -> str | None:
        """Calibrates as a user does. Returns the message if no file is written."""
        done = subprocess.run([self.tool, "calibrate", f"--target={target}", f"-o={output}", file],
                              capture_output=True, text=True)
        return None if done.returncode == 0 else done.stderr

    def calibrate(self, target, figures, files=None, output="fitted.json", drops_named=False, **filters):
        """Returns the held-out predictions, and the number of fitted figures. The last figures (or with `drops_named`
        those that the message names) are left out if the rows do not determine them. The result is written even if it is no better
        than before, because presets were fitted on the same rows."""
        held, fitted = self.work / "held.csv", self.work / output
        done = subprocess.run(
            [self.tool, "calibrate", f"--target={target}", f"--figures={','.join(figures)}",
             f"--predictions={held}", f"-o={fitted}", "--force", *_filters(filters), *(files or self.files)],
            capture_output=True, text=True)
        if done.returncode and "do not determine" in done.stderr and (drops_named or len(figures) > 1):
            named = re.findall(r"'(engines\.[^']+)'", done.stderr) if drops_named else figures[-1:]
            left = [figure for figure in figures if figure not in named]
            return self.calibrate(target, left, files, output, drops_named, **filters) if left else ([], 0)
        if done.returncode and drops_named and "at least two rows for each are needed" in done.stderr:
            return [], 0
        if done.returncode:
            sys.exit(f"llm-prof calibrate: {done.stderr}")
        count = int(re.search(r"^(\d+) fitted figures", done.stdout, re.M).group(1))
        return list(csv.DictReader(held.open())), count


def _filters(filters: dict) -> list[str]:
    return [f"--{key.replace('_', '-')}={','.join(values)}" for key, values in filters.items()]


def plain_target(name: str, work: Path, overhead: int = 15000) -> Path:
    """Writes the roofline max(compute / a, memory / b) + c of a preset, without units and kernels.
    Fits look for c within a factor of 7.4 of its start, from 2,000 to 110,000 cycles."""
    target = json.loads((PRESETS / f"{name}.json").read_text())
    target.pop("calibration", None)
    target.pop("power_limit_watts", None)
    [engine] = target["engines"].values()
    engine.pop("cost_model", None)
    engine.pop("accumulator_bytes_per_unit", None)
    engine["overhead_cycles"] = overhead
    path = work / f"plain-{name}-{overhead}.json"
    path.write_text(json.dumps(target))
    return path


def mdape(rows: list[dict]) -> float:
    return statistics.median(abs(float(row["predicted_us"]) / float(row["measured_us"]) - 1) * 100
                             for row in rows)


def table(header: list[str], rows: list[list]) -> str:
    def line(cells):
        return "| " + " | ".join(f"{c:.1f}" if isinstance(c, float) else str(c) for c in cells) + " |"
    return "\n".join([line(header), "|" + "---|" * len(header), *map(line, rows)])
