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
    check_dumb()
    print("ok: progress on a terminal only")


if __name__ == "__main__":
    main()
