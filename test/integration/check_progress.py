#!/usr/bin/env python3
"""Work shows that it proceeds on a terminal, and nothing in a pipe.

    check_progress.py TILED.mlir

Both ways the schedule is the same, and has slots for as many ops as the line says there are. The line is not wider
than the terminal, shows nothing of a function's name that moves the cursor, and leaves with the tool; a terminal that
cannot take a line back (TERM=dumb) shows none. A line comes after a time that the test chooses, 0 or an hour, so that
nothing here depends on the speed of the machine.
"""
from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys

from check_interrupt import CLEAR, drain, interrupt_twice, set_columns, wait_for

AT_ONCE = {"LLM_PROGRESS_SECONDS": "0", "NO_COLOR": "1"}
LINE = re.compile(r"'\w+': op (\d+) of (\d+)(?:, (\d+) schedules tried)?$")


def command(output: str) -> list[str]:
    return ["llm-opt", sys.argv[1], "--llm-schedule", "-o", output]


def check_narrow() -> None:
    """A line of 20 columns, for a function whose name clears the screen and is long; Ctrl-C leaves an empty line. The
    search goes on for ten minutes, and takes note of the first of two signals."""
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    with open("odd.mlir", "w", encoding="utf-8") as file:
        file.write(re.sub(r"func @\w+", lambda _: r'func @"\1B[2J\0A' + 10000 * "n" + '"', text, count=1))
    ours, theirs = pty.openpty()
    set_columns(theirs, 21)
    tool = subprocess.Popen(["llm-opt", "odd.mlir", "--llm-schedule=improve=600s", "-o", "odd.out"], stderr=theirs,
                            env=os.environ | AT_ONCE)
    os.close(theirs)
    shown = wait_for(CLEAR, tool, ours)
    interrupt_twice(tool)
    shown += drain(ours, 300)
    assert tool.wait(timeout=300) == -signal.SIGINT, (tool.returncode, shown)
    first, *lines = shown.split(CLEAR)
    assert first == lines[-1] == "" and lines[0] == r"'\1B[2J\0A..nnnnnnnn", shown
    assert all(len(line) <= 20 and line.isprintable() for line in lines), shown


def check_silent(changes: dict[str, str]) -> None:
    """On a terminal that cannot take a line back, and before there is one."""
    assert run_on_terminal([sys.argv[1], "--llm-schedule", "-o", "silent.mlir"], 0, AT_ONCE | changes) == ""


def run_on_terminal(arguments: list[str], code: int, changes: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    tool = subprocess.Popen(["llm-opt", *arguments], stderr=theirs, env=os.environ | changes)
    os.close(theirs)
    shown = drain(ours, 300)
    assert tool.wait(timeout=300) == code, shown[-1000:]
    return shown


def check_ops() -> None:
    """What looks at op after op says at which one it is. An error comes on an empty line."""
    count = 100
    with open("many.mlir", "w", encoding="utf-8") as file:
        file.write("func.func @many(%x: tensor<64x4096xbf16>) {\n")
        for i in range(count):
            kind = f"tensor<{4096 + 8 * i}x4096xbf16>"
            file.write(f'  %w{i} = llm.weight "w{i}" : {kind}\n')
            file.write(f'  %{i} = llm.matmul "m{i}" %x, %w{i} transpose_rhs : tensor<64x4096xbf16>, {kind}\n')
        file.write("  return\n}\n")
    def is_every_op(work: str, lines: list[str]) -> bool:
        return [line for line in lines if line] == [f"{work} 'many': op {i} of {count}" for i in range(1, count + 1)]

    shown = run_on_terminal(["many.mlir", "--llm-tile", "-o", "many.tiled.mlir"], 0, AT_ONCE)
    assert is_every_op("tiles for", shown.split(CLEAR)) and shown.startswith(CLEAR) and shown.endswith(CLEAR), shown
    with open("many.tiled.mlir", encoding="utf-8") as file:
        before, stamp, behind = file.read().rpartition('stamp = "')
    with open("many.tiled.mlir", "w", encoding="utf-8") as file:
        file.write(before + stamp + "?" + behind)
    shown = run_on_terminal(["many.tiled.mlir", "--llm-verify-cost", "-o", "many.out"], 1, AT_ONCE)
    *lines, error = shown.split(CLEAR)
    assert is_every_op("costs of", lines) and error.startswith("many.tiled.mlir:"), (lines, error[:100])


def main() -> None:
    # Ignored in the workers of lit, and whoever is started there inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    piped = subprocess.run(command("piped.mlir"), capture_output=True, check=True, env=os.environ | AT_ONCE)
    assert piped.stdout == piped.stderr == b"", (piped.stdout, piped.stderr)
    text = run_on_terminal([sys.argv[1], "--llm-schedule", "-o", "shown.mlir"], 0, AT_ONCE)
    assert text.startswith(CLEAR) and text.endswith(CLEAR), repr(text)
    lines = [line for line in text.split(CLEAR) if line]
    assert lines, "nothing is shown"
    shown = [tuple(int(number or 0) for number in LINE.match(line).groups()) for line in lines]
    with open("piped.mlir", encoding="utf-8") as file:
        scheduled = file.read().count("llm.slots = ")
    assert all(seen <= ops == scheduled for seen, ops, _ in shown), (scheduled, shown)
    assert [seen for seen, _, _ in shown] == sorted(seen for seen, _, _ in shown) and all(len(line) < 80 for line in lines), shown
    with open("piped.mlir", "rb") as one, open("shown.mlir", "rb") as other:
        assert one.read() == other.read(), "another schedule"
    check_narrow()
    check_ops()
    check_silent({"TERM": "dumb"})
    check_silent({"LLM_PROGRESS_SECONDS": "3600"})
    print("ok: progress on a terminal only")


if __name__ == "__main__":
    main()
