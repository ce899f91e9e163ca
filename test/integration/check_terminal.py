#!/usr/bin/env python3
"""Where the table has colours and blocks: on terminals, and nowhere else.

    check_terminal.py SCHEDULED.mlir

A pseudo terminal stands for a person's. The text is the same everywhere, but for colours and bars.
"""
from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
BLOCKS = "▏▎▍▌▋▊▉█"


def run(options: list[str], stream: str, changes: dict[str, str]) -> str:
    """What comes on a terminal that is the standard output or error of the tool."""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG")}
    environment.update({"TERM": "xterm", "LANG": "C.UTF-8"} | changes)
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    tool = subprocess.Popen(["llm-opt", sys.argv[1], *options], env=environment, **streams)
    os.close(theirs)
    data = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not more:
            break
        data += more
    assert tool.wait() == 0, data
    return data.decode().replace("\r\n", "\n")


def diagnostic(**changes: str) -> str:
    """What MLIR itself says of a wrong program, on a terminal."""
    with open("wrong.mlir", "w", encoding="utf-8") as file:
        file.write("nonsense\n")
    ours, theirs = pty.openpty()
    tool = subprocess.Popen(["llm-opt", "wrong.mlir"], stderr=theirs, env=os.environ | {"TERM": "xterm"} | changes)
    os.close(theirs)
    assert tool.wait(timeout=60) != 0
    return os.read(ours, 4096).decode()


def plain(text: str) -> list[str]:
    """The table's rows without colours, bars and what the legend says of them."""
    text = ESCAPE.sub("", text)
    return [re.sub(rf" +([{BLOCKS}]+|[#-]+)? +", " ", line) for line in text.split("\nop ")[1].split("\n")]


def table(options: str = "", stream: str = "stdout", **changes: str) -> str:
    report = f"--llm-export-report={options}" if options else "--llm-export-report"
    return run([report, "-o", "/dev/null"], stream, changes)


def main() -> None:
    piped = subprocess.run(["llm-opt", sys.argv[1], "--llm-export-report", "-o", "/dev/null"], capture_output=True,
                           text=True, check=True, env=os.environ | {"TERM": "xterm", "LANG": "C.UTF-8"}).stdout
    assert piped.isascii() and "\x1b" not in piped and "#" in piped, "a pipe gets more than text"
    shown = table()
    assert ESCAPE.search(shown) and "█" in shown and "#" not in plain(shown), shown
    assert plain(shown) == plain(piped), (plain(shown), plain(piped))
    assert all(len(line) <= 100 for line in ESCAPE.sub("", shown).split("\n")), "too wide"
    # Bold: names of columns, modules and the last row; the bounds have colours.
    assert re.search(r"\x1b\[1mtotal ", shown) and re.search(r"\x1b\[[0-9;]*m(memory|compute|overhead)\x1b\[0m", shown), shown
    output = table("file=-", "stdout")
    assert ESCAPE.search(output) and "█" in output, output
    # no-color.org: set, and not empty.
    uncoloured = table(NO_COLOR="1")
    assert "\x1b" not in uncoloured and "█" in uncoloured, uncoloured
    assert "\x1b" not in table("file=-", "stdout", NO_COLOR="yes")
    assert ESCAPE.search(table(NO_COLOR=""))
    assert ESCAPE.search(diagnostic(NO_COLOR="")) and "error" in diagnostic(NO_COLOR="1")
    assert "\x1b" not in diagnostic(NO_COLOR="1")
    # What the terminal or its locale cannot show.
    assert "\x1b" not in table(TERM="dumb")
    for locale in ({"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LC_CTYPE": "de_DE.ISO-8859-1"}):
        assert table(**locale).isascii(), locale
    assert "█" in table(LANG="C", LC_ALL="en_US.utf8")
    # A file is the same, wherever the tool runs.
    assert table("file=table.txt") == ""
    with open("table.txt", encoding="ascii") as file:
        assert file.read() == piped
    print("ok: colours and blocks on terminals only")


if __name__ == "__main__":
    main()
