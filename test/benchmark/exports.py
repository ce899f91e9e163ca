#!/usr/bin/env python3
"""CPU time and memory of the exports by the number of slots.

    exports.py BUILD [SLOTS...]

A chain of four additions, each cut into a quarter of the slots, on the default chip. "runs": on one engine, where the
IR is four runs of slots, whatever their number; "slots": on all engines, and each slot written out, as if none
repeated. Of each: the size of the output, the CPU of the export alone (with it less without), output per second of that
CPU, and the most memory of the process, without the export and with it.
"""
from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 3
OPS = 4
EXPORTS = (
    ("perfetto", "--llm-export-perfetto=file=out"),
    ("perfetto json.gz", "--llm-export-perfetto=file=out format=json.gz"),
    ("perfetto pftrace", "--llm-export-perfetto=file=out format=pftrace"),
    ("perfetto detail=op", "--llm-export-perfetto=file=out detail=op"),
    ("queues", "--llm-export-queues=file=out"),
)
RUN = re.compile(
    r'<part = (\d+), engine = ("\w+")\[(\d+)\], start_cycle = (\d+), end_cycle = (\d+), lanes = (\{[^}]*\})'
    r"(?: count = (\d+))?(?: part_stride = (\d+))?(?: index_stride = (\d+))?(?: start_stride = (\d+))?>")


def program(slots: int) -> str:
    rows = slots // OPS
    tensor = f"tensor<{rows}x64xbf16>"
    lines = [f'''#tile = #llm.tile<pinned levels = [<"sram", sizes = {{d0 = 1, d1 = 64}}, order = [d0, d1],
  buffers = {{lhs = 1, out = 1, rhs = 1}}>] split = {{d0 = {rows}}}>
func.func @chain(%v0: {tensor}) {{''']
    for op in range(OPS):
        lines.append(f'  %v{op + 1} = llm.add "add.{op}" %v{op}, %v{op} {{llm.tile = #tile}} : {tensor}, {tensor}')
    return "\n".join([*lines, "  return", "}"])


def measure(command: list[str]) -> tuple[float, float]:
    """CPU seconds and MiB at most."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"{command} failed"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median(command: list[str]) -> tuple[float, float]:
    runs = [measure(command) for _ in range(RUNS)]
    return tuple(statistics.median(column) for column in zip(*runs))


def spell_out(match: re.Match) -> str:
    part, engine, index, start, end, lanes, count, part_stride, index_stride, start_stride = match.groups()
    return ", ".join(
        f"<part = {int(part) + i * int(part_stride or 1)}, engine = {engine}[{int(index) + i * int(index_stride or 0)}], "
        f"start_cycle = {int(start) + i * int(start_stride or 0)}, end_cycle = {int(end) + i * int(start_stride or 0)}, "
        f"lanes = {lanes}>" for i in range(int(count or 1)))


def main() -> None:
    # In a process of its own: what a child measures as its memory begins with that of its parent.
    if sys.argv[1] == "--spell-out":
        Path(sys.argv[3]).write_text(RUN.sub(spell_out, Path(sys.argv[2]).read_text(encoding="ascii")), encoding="ascii")
        return
    tool = str(Path(sys.argv[1]).resolve() / "bin/llm-opt")
    script = str(Path(__file__).resolve())
    counts = [int(word) for word in sys.argv[2:]] or [10_000, 100_000, 1_000_000]
    print(f"{'slots':>9} {'form':<6} {'IR MB':>7} {'export':<20} {'MB':>8} {'CPU s':>7} {'MB/s':>6} "
          f"{'MiB without':>11} {'with':>6}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for count in counts:
            Path("program.mlir").write_text(program(count), encoding="ascii")
            subprocess.run([tool, "program.mlir", "--llm-target=engines=1", "--llm-cost",
                            "--llm-schedule=policy=earliest", "--emit-bytecode", "-o", "runs.mlirbc"], check=True)
            subprocess.run([tool, "program.mlir", "--llm-target", "--llm-cost", "--llm-schedule", "-o", "list.mlir"],
                           check=True)
            subprocess.run([sys.executable, script, "--spell-out", "list.mlir", "slots.mlir"], check=True)
            subprocess.run([tool, "slots.mlir", "--emit-bytecode", "-o", "slots.mlirbc"], check=True)
            for form in ("runs", "slots"):
                source = f"{form}.mlirbc"
                base, base_memory = median([tool, source, "-o", os.devnull])
                for export, option in EXPORTS:
                    cpu, memory = median([tool, source, option, "-o", os.devnull])
                    megabytes, seconds = os.path.getsize("out") / 1e6, max(cpu - base, 1e-3)
                    print(f"{count:>9} {form:<6} {os.path.getsize(source) / 1e6:>7.2f} {export:<20} {megabytes:>8.1f} "
                          f"{seconds:>7.2f} {megabytes / seconds:>6.0f} {base_memory:>11.0f} {memory:>6.0f}", flush=True)


if __name__ == "__main__":
    main()
