#!/usr/bin/env python3
"""A schedule that takes seconds shows that it proceeds on a terminal, and nothing in a pipe.

    check_progress.py TILED.mlir

Both ways the schedule is the same, and has slots for as many ops as the line says there are.
"""
from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

from check_interrupt import CLEAR, drain

LINE = re.compile(r"'\w+': op (\d+) of (\d+), (\d+) schedules tried$")


def command(output: str) -> list[str]:
    return ["llm-opt", sys.argv[1], "--llm-schedule", "-o", output]


def main() -> None:
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
    shown = [tuple(map(int, LINE.match(line).groups())) for line in lines]
    with open("piped.mlir", encoding="utf-8") as file:
        scheduled = file.read().count("llm.slots = ")
    assert all(seen <= ops == scheduled for seen, ops, _ in shown), (scheduled, shown)
    assert shown == sorted(shown) and all(len(line) < 80 for line in lines), shown
    with open("piped.mlir", "rb") as one, open("shown.mlir", "rb") as other:
        assert one.read() == other.read(), "another schedule"
    print("ok: progress on a terminal only")


if __name__ == "__main__":
    main()
