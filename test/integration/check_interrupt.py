#!/usr/bin/env python3
"""Sends SIGINT to a search of ten minutes.

    check_interrupt.py MODEL.mlir

Standard error is a terminal, so that the search shows when it is under way. After the first signal
the tool must write a valid schedule and end well; after a second one it must be killed. The model
has several stretches of ops, so that the tool is still busy when the second signal comes.
"""
from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time

PASSES = ["--llm-target=name=npu", "--llm-tile", "--llm-schedule=engines=8 improve=600s"]
CLEAR = "\r\033[K"


def start(model: str, output: str) -> tuple[subprocess.Popen[bytes], int]:
    ours, theirs = pty.openpty()
    tool = subprocess.Popen(["llm-opt", model, *PASSES, "-o", output], stderr=theirs)
    os.close(theirs)
    return tool, ours


def drain(terminal: int, seconds: float) -> str:
    """What comes within some seconds; the tool waits while the terminal is full."""
    text = ""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and select.select([terminal], [], [], left)[0]:
        try:
            text += os.read(terminal, 4096).decode()
        except OSError:  # the other side is closed
            break
    return text


def wait_for_search(tool: subprocess.Popen[bytes], terminal: int) -> str:
    text = ""
    end = time.monotonic() + 300
    while "above the lower bound" not in text:
        if time.monotonic() > end or tool.poll() is not None:
            sys.exit(f"no search is shown on the terminal: {text!r}")
        text += drain(terminal, 1)
    return text


def wait_for_end_of_line(tool: subprocess.Popen[bytes], terminal: int) -> None:
    """Until the line is taken back, and no other one has come for some time."""
    text, more = "", drain(terminal, 0.5)
    while more or not text.endswith(CLEAR):
        if tool.poll() is not None:
            sys.exit(f"the tool ended after one signal: {text!r}")
        text += more
        more = drain(terminal, 0.5)


def main() -> None:
    # Ignored in the workers of lit, and whoever is started there inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    tool, terminal = start(sys.argv[1], "once.mlir")
    shown = wait_for_search(tool, terminal)
    if "evaluation " not in shown or "makespan " not in shown:
        sys.exit(f"the progress lacks something: {shown!r}")
    tool.send_signal(signal.SIGINT)
    shown = drain(terminal, 300)
    if tool.wait(timeout=300) != 0:
        sys.exit(f"exit code {tool.returncode} after one signal: {shown!r}")
    if not shown.endswith(CLEAR):
        sys.exit(f"the line is not taken back: {shown!r}")
    subprocess.run(["llm-opt", "once.mlir", "--llm-verify-schedule", "-o", "verified.mlir"], check=True)
    with open("verified.mlir", encoding="utf-8") as file:
        if 'policy = "list, improved 600s, interrupted"' not in file.read():
            sys.exit("the schedule does not say that it was interrupted")

    tool, terminal = start(sys.argv[1], "twice.mlir")
    wait_for_search(tool, terminal)
    tool.send_signal(signal.SIGINT)
    wait_for_end_of_line(tool, terminal)
    tool.send_signal(signal.SIGINT)
    drain(terminal, 300)
    if tool.wait(timeout=300) != -signal.SIGINT:
        sys.exit(f"exit code {tool.returncode} after two signals")
    print("ok: interrupted once and twice")


if __name__ == "__main__":
    main()
