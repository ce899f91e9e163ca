#!/usr/bin/env python3
"""Sends SIGINT to searches of ten minutes and more.

    check_interrupt.py MODEL.mlir

With improve=, and with policy=exact on ops that no one can prove a schedule of in that time.
Standard error is a terminal, so that the search shows when it is under way. After the first signal
the tool must write a valid schedule and end well; after a second one it must be killed. The model
has several stretches of ops, so that what comes after the first one still says that it was noted. All lines are
shown, at once, so that nothing depends on the speed of the machine.
"""
from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

IMPROVE = ["--llm-tile", "--llm-schedule=engines=8 improve=600s"]
EXACT = ["--llm-target=file=ports.json", "--llm-tile", "--llm-schedule=granularity=op policy=exact exact-nodes=0"]
CLEAR = "\r\033[K"
NOTED = "interrupted, finishing with the best so far (Ctrl-C again: stop): op "


def set_columns(terminal: int, columns: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def start(model: str, passes: list[str], output: str) -> tuple[subprocess.Popen[bytes], int]:
    ours, theirs = pty.openpty()
    set_columns(theirs, 200)
    tool = subprocess.Popen(["llm-opt", model, *passes, "-o", output], stderr=theirs,
                            env=os.environ | {"LLM_PROGRESS_SECONDS": "0"})
    os.close(theirs)
    return tool, ours


def interrupt_twice(tool: subprocess.Popen[bytes]) -> None:
    """A process that is stopped gets the signal before it does anything else, and a second stop, which is a signal, too,
    comes right behind it: so the second signal comes before the tool has ended, as quick as it may be."""
    for _ in range(2):
        tool.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, tool.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        tool.send_signal(signal.SIGINT)
        tool.send_signal(signal.SIGCONT)


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


def wait_for(expected: str, tool: subprocess.Popen[bytes], terminal: int) -> str:
    """What is shown until then."""
    text = ""
    end = time.monotonic() + 300
    while expected not in text:
        if time.monotonic() > end or tool.poll() is not None:
            sys.exit(f"not shown on the terminal: {expected!r} in {text!r}")
        text += drain(terminal, 0.2)
    return text


def write_adds(model: str, target: str) -> None:
    """Forty adds of other lengths on two engines that share nothing: there are 2^39 ways to share the adds.

    All take an even number of cycles, and all together twice an odd number, so none of them is as
    short as the bound, half of all cycles. (An add moves 6 bytes per value, 2 per cycle.)
    """
    values = [1000 + 2 * i * i for i in range(40)]
    values[-1] += 2 * (sum(values) * 3 // 2 % 2 == 0)
    arguments = ", ".join(f"%a{i}: tensor<{n}xbf16>, %b{i}: tensor<{n}xbf16>" for i, n in enumerate(values))
    with open(model, "w", encoding="utf-8") as file:
        file.write(f"func.func @adds({arguments}) {{\n")
        for i, n in enumerate(values):
            file.write(f"  %s{i} = llm.add %a{i}, %b{i} : tensor<{n}xbf16>, tensor<{n}xbf16>\n")
        file.write("  return\n}\n")
    core = {"kinds": ["matrix", "vector"], "count": 2, "private_memory": "sram",
            "macs_per_cycle_per_unit": {"bf16": 64}, "alu_per_cycle_per_unit": 65536, "port_bytes_per_second": {"dram": 2000}}
    memories = {"sram": {"capacity_bytes": 65536}, "dram": {"bytes_per_second": 4000}}
    with open(target, "w", encoding="utf-8") as file:
        json.dump({"name": "ports", "clock_hz": 1000, "engines": {"core": core}, "memories": memories}, file)


def check_once(model: str, passes: list[str], steps: str, policy: str, goes_on: bool) -> None:
    """One signal: the tool takes the best schedule so far, and goes on with the next stretch if there is one."""
    tool, terminal = start(model, passes, "once.mlir")
    shown = wait_for("makespan ", tool, terminal)
    if f", {steps} " not in shown or "above what is proven" not in shown:
        sys.exit(f"the progress lacks something: {shown!r}")
    tool.send_signal(signal.SIGINT)
    shown = drain(terminal, 300)
    if tool.wait(timeout=300) != 0:
        sys.exit(f"exit code {tool.returncode} after one signal: {shown!r}")
    if goes_on and NOTED not in shown:
        sys.exit(f"the progress lacks that the signal was noted: {shown!r}")
    if not shown.endswith(CLEAR):
        sys.exit(f"the line is not taken back: {shown!r}")
    subprocess.run(["llm-opt", "once.mlir", "--llm-verify-schedule", "-o", "verified.mlir"], check=True)
    with open("verified.mlir", encoding="utf-8") as file:
        if not re.search(f'policy = "{policy}, interrupted"', file.read()):
            sys.exit("the schedule does not say that it was interrupted")


def check_twice(model: str) -> None:
    tool, terminal = start(model, IMPROVE, "twice.mlir")
    wait_for("makespan ", tool, terminal)
    interrupt_twice(tool)
    shown = drain(terminal, 300)
    if tool.wait(timeout=300) != -signal.SIGINT:
        sys.exit(f"exit code {tool.returncode} after two signals")
    if not shown.endswith(CLEAR):
        sys.exit(f"the line is not taken back: {shown!r}")


def main() -> None:
    # Ignored in the workers of lit, and whoever is started there inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    write_adds("adds.mlir", "ports.json")
    check_once("adds.mlir", EXACT, "node", r"exact, feasible, gap [0-9.]+ %", goes_on=False)
    check_once(sys.argv[1], IMPROVE, "evaluation", "list, improved 600s", goes_on=True)
    check_twice(sys.argv[1])
    print("ok: interrupted once and twice")


if __name__ == "__main__":
    main()
