"""What llm-prof import makes of small files of captures and of ggml-viz, against what was put into them.

    check_ggml_files.py FOLDER     with the files of make_ggml_files.py
"""
import json
import math
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from make_ggml_files import CHOICES, FACTORS


def read_trace(path: Path) -> list[dict]:
    written = path.with_suffix(".json")
    subprocess.run(["llm-prof", "import", path, f"--perfetto={written}"], check=True, stdout=subprocess.DEVNULL)
    return json.loads(written.read_text())["traceEvents"]


def slices(events: list[dict]) -> list[tuple]:
    """Name, kind, thread, start and end in nanoseconds."""
    threads = {event["tid"]: event["args"]["name"] for event in events
               if event["ph"] == "M" and event["name"] == "thread_name"}
    return sorted((event["name"], event["cat"], threads[event["tid"]], round(event["ts"] * 1000),
                   round((event["ts"] + event["dur"]) * 1000)) for event in events if event["ph"] == "X")


def expect(what: str, found, expected) -> None:
    if found != expected:
        sys.exit(f"{what}: found {found}, expected {expected}")


def counters(events: list[dict]) -> list[tuple]:
    return sorted((event["name"], round(event["ts"] * 1000), event["args"]["bytes"]) for event in events
                  if event["ph"] == "C")


def check_capture(folder: Path) -> None:
    """Times start with the first event, which in the file is at 1000."""
    events = read_trace(folder / "small.capture")
    expect("capture", slices(events), sorted([
        ("graph 0", "range", "thread 10", 0, 1000), ("GET_ROWS embd", "op", "thread 10", 10, 100),
        ("RMS_NORM norm", "op", "thread 10", 110, 200), ("MUL_MAT q", "op", "thread 10", 600, 900),
        ("graph 0", "range", "thread 11", 200, 300), ("graph 0", "range", "thread 10", 2000, 2500),
        ("GET_ROWS embd", "op", "thread 10", 2010, 2100),
        ("ggml_backend_sched_synchronize", "call", "thread 10", 1100, 1300)]))
    expect("buffers", counters(events), [("CPU, any use", 0, 4096), ("CPU, compute", 0, 8192),
                                         ("CPU, weights", 0, 100000)])
    # The norm reads what the rows are; the product reads the norm's product, which was not timed.
    expect("arrows", sum(event["ph"] == "s" for event in events), 1)
    [product] = [event["args"] for event in events if event["name"] == "MUL_MAT q"]
    expect("args", product, {
        "backend": "CPU", "name": "q", "ne": [64, 1, 1, 1], "node": 3, "op": "MUL_MAT", "type": "f32",
        "sources": [{"name": "q.weight", "ne": [64, 64, 1, 1], "type": "f16"},
                    {"name": "attn_norm", "ne": [64, 1, 1, 1], "type": "f32"}]})


def check_viz(folder: Path) -> None:
    """The first event is memory, at 900. Ops of the first graph overlap: they have no time of their own."""
    events = read_trace(folder / "small.ggmlviz")
    expect("ggml-viz", slices(events), sorted([
        ("graph", "range", "thread 5", 100, 1100), ("a", "other", "thread 5", 101, 101),
        ("b", "other", "thread 5", 102, 102), ("graph", "range", "thread 5", 2100, 2600),
        ("a", "op", "thread 5", 2200, 2500)]))
    expect("memory", counters(events), [("allocated", 0, 4096), ("allocated", 2700, 0)])


def check_program(folder: Path) -> None:
    """MACs of the layer that make_ggml_files.py describes, by hand."""
    program, report = folder / "program.mlir", folder / "report.json"
    subprocess.run(["llm-prof", "import", folder / "small.capture", f"--program={program}"], check=True,
                   stderr=subprocess.DEVNULL)
    expected = {"q+q_bias": 64 * 64, "k": 64 * 32, "v": 64 * 32, "attn": 4 * 32 * 16 * 2, "o": 64 * 64,
                "gate": 64 * 128, "up": 64 * 128, "down": 128 * 64}
    for target in ("h100-sxm", "npu"):
        subprocess.run(["llm-opt", program, f"--llm-target=name={target}", "--llm-tile", "--llm-schedule",
                        "--llm-verify-cost", "--llm-verify-schedule",
                        f"--llm-export-report=format=json file={report}", "-o", "/dev/null"], check=True)
        found = {op["name"]: op["macs"] for op in json.loads(report.read_text())["ops"] if op["macs"]}
        expect(f"MACs on {target}", found, expected)


def write_program(folder: Path, capture: str, *options: str) -> tuple[str, str]:
    program = folder / "chosen.mlir"
    done = subprocess.run(["llm-prof", "import", folder / capture, f"--program={program}", *options], check=True,
                          capture_output=True, text=True)
    return program.read_text(), done.stderr


def divisors(factors: list[float], scale: float, extrapolated: float) -> list[float]:
    """By what ggml divides the angle of each pair of 16 features: 500 is theta, 4096 the original positions, 32 and 1 the
    turns from which and down to which pairs are scaled (ggml_rope_yarn_corr_dims, rope_yarn)."""
    low, high = (16 * math.log(4096 / (turns * 2 * math.pi)) / (2 * math.log(500)) for turns in (32, 1))
    low, high = max(0, math.floor(low)), min(15, math.ceil(high))
    shares = [(1 - min(1, max(0, (pair - low) / (high - low)))) * extrapolated for pair in range(8)]
    return [factor / (scale * (1 - share) + share) for factor, share in zip(factors, shares)]


def check_choices(folder: Path) -> None:
    """Factors of angles and chosen experts of version 2."""
    text, said = write_program(folder, "choices.capture")
    expect("assumptions", said, "")
    for name, wanted, amplitude in (("factors", FACTORS, 1), ("both", divisors(FACTORS, 0.25, 1), 1 + 0.1 * math.log(4)),
                                    ("half yarn", divisors([1] * 8, 0.25, 0.5), 1 + 0.1 * math.log(4))):
        found = re.search(rf'llm.rope "{name}" .* scaling <listed factors = \[([^]]*)\](?:, attention_factor = ([0-9.]+))?>', text)
        numbers = [float(number) for number in found[1].split(",")] + [float(found[2] or 1)]
        if not all(map(math.isclose, numbers, [*wanted, amplitude])):
            sys.exit(f"factors of {name}: found {numbers}, expected {wanted} and {amplitude}")
    # The median run by the number of experts: 2, 3, 3, 4.
    for options, rows in (((), CHOICES[2]), (("--run=0",), CHOICES[0]), (("--run=1",), CHOICES[1]), (("--run=3",), CHOICES[3])):
        text, _ = write_program(folder, "choices.capture", *options)
        found = re.search(r"rows_per_expert \[([0-9, ]+)\]", text)[1]
        expect(f"rows of experts {options}", [int(count) for count in found.split(",")], [rows.get(expert, 0) for expert in range(4)])
    events = read_trace(folder / "choices.capture")
    expect("experts in the trace", [(round(event["ts"] * 1000), event["args"]["experts"]) for event in events
                                    if event["ph"] == "C" and event["name"] == "chosen experts"],
           [(1000 * number, len(rows)) for number, rows in CHOICES.items()])


def check_splits(folder: Path) -> None:
    """What follows each other on one backend is a range; times begin at 90."""
    wanted = []
    for at in (10, 1010):
        wanted += [("graph 0", "range", "thread 1", at - 10, at + 50), ("split 0, CPU", "range", "thread 1", at, at + 15),
                   ("split 1, GPU0", "range", "thread 1", at + 20, at + 35), ("split 2, CPU", "range", "thread 1", at + 40, at + 45)]
    expect("splits", [each for each in slices(read_trace(folder / "splits.capture")) if each[1] == "range"], sorted(wanted))


def main() -> None:
    folder = Path(sys.argv[1])
    check_splits(folder)
    check_choices(folder)
    check_capture(folder)
    check_viz(folder)
    check_program(folder)
    print("files of ggml: traces and programs are what was put in")


main()
