#!/usr/bin/env python3
"""A schedule that takes seconds shows that it proceeds on a terminal, and nothing in a pipe.

    check_progress.py TILED.mlir

Both ways the schedule is the same, and has slots for as many ops as the line says there are. The line is not wider
than the terminal, shows nothing of a function's name that moves the cursor, and leaves with the tool; a terminal that
cannot take a line back (TERM=dumb) shows none.
"""
from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys

from check_interrupt import CLEAR, drain, set_columns, wait_for

LINE = re.compile(r"'\w+': op (\d+) of (\d+)(?:, (\d+) schedules tried)?$")


def command(output: str) -> list[str]:
    return ["llm-opt", sys.argv[1], "--llm-schedule", "-o", output]


def check_narrow() -> None:
    """A line of 20 columns, for a function whose name clears the screen and is long; Ctrl-C leaves an empty line."""
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    with open("odd.mlir", "w", encoding="utf-8") as file:
        file.write(re.sub(r"func @\w+", lambda _: r'func @"\1B[2J\0A' + 10000 * "n" + '"', text, count=1))
    ours, theirs = pty.openpty()
    set_columns(theirs, 21)
    tool = subprocess.Popen(["llm-opt", "odd.mlir", "--llm-schedule", "-o", "odd.out"], stderr=theirs)
    os.close(theirs)
    shown = wait_for(CLEAR, tool, ours)
    tool.send_signal(signal.SIGINT)
    shown += drain(ours, 300)
    assert tool.wait(timeout=300) == -signal.SIGINT, (tool.returncode, shown)
    first, *lines = shown.split(CLEAR)
    assert first == lines[-1] == "" and lines[0] == r"'\1B[2J\0A..nnnnnnnn", shown
    assert all(len(line) <= 20 and line.isprintable() for line in lines), shown


def check_dumb() -> None:
    ours, theirs = pty.openpty()
    tool = subprocess.Popen(command("dumb.mlir"), stderr=theirs, env=os.environ | {"TERM": "dumb"})
    os.close(theirs)
    assert drain(ours, 300) == "" and tool.wait(timeout=300) == 0


def run_on_terminal(arguments: list[str], code: int) -> str:
    ours, theirs = pty.openpty()
    tool = subprocess.Popen(["llm-opt", *arguments], stderr=theirs, env=os.environ | {"NO_COLOR": "1"})
    os.close(theirs)
    shown = drain(ours, 300)
    assert tool.wait(timeout=300) == code, shown[-1000:]
    return shown


def check_ops() -> None:
    """What looks at op after op says at which one it is. An error comes on an empty line."""
    count = 20000
    with open("many.mlir", "w", encoding="utf-8") as file:
        file.write("func.func @many(%x: tensor<64x4096xbf16>) {\n")
        for i in range(count):
            kind = f"tensor<{4096 + 8 * i}x4096xbf16>"
            file.write(f'  %w{i} = llm.weight "w{i}" : {kind}\n')
            file.write(f'  %{i} = llm.matmul "m{i}" %x, %w{i} transpose_rhs : tensor<64x4096xbf16>, {kind}\n')
        file.write("  return\n}\n")
    shown = run_on_terminal(["many.mlir", "--llm-tile", "-o", "many.tiled.mlir"], 0)
    first, *lines, last = shown.split(CLEAR)
    seen = [int(re.fullmatch(rf"tiles for 'many': op (\d+) of {count}", line)[1]) for line in lines]
    assert seen and seen == sorted(seen) and first == last == "", shown
    with open("many.tiled.mlir", encoding="utf-8") as file:
        before, stamp, behind = file.read().rpartition('stamp = "')
    with open("many.tiled.mlir", "w", encoding="utf-8") as file:
        file.write(before + stamp + "?" + behind)
    shown = run_on_terminal(["many.tiled.mlir", "--llm-verify-cost", "-o", "many.out"], 1)
    *lines, error = shown.split(CLEAR)
    assert lines[1].startswith("costs of 'many': op ") and error.startswith("many.tiled.mlir:"), (lines, error[:100])


def main() -> None:
    # Ignored in the workers of lit, and whoever is started there inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    piped = subprocess.run(command("piped.mlir"), capture_output=True, check=True)
    assert piped.stdout == piped.stderr == b"", (piped.stdout, piped.stderr)
    ours, theirs = pty.openpty()
    tool = subprocess.Popen(command("shown.mlir"), stderr=theirs)
    os.close(theirs)
    text = drain(ours, 300)
    assert tool.wait(timeout=300) == 0, text
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
    check_dumb()
    print("ok: progress on a terminal only")


if __name__ == "__main__":
    main()
