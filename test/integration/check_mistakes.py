"""Holds what tools say of mistakes against what they should say.

    check_mistakes.py <file with a console session> <folder in which it runs>

Below each `$ command` stand the lines that the tool should write to standard error. `[...]` in
a line stands for any text, and a line `...` for up to four lines that show the place. Any message
must end the tool with 1 and be short, have a place or name the tool, and say something.
"""
import re
import subprocess
import sys
from pathlib import Path

from console import parse_session

NEVER = (r"<unknown>", r"error:\s*$", r"Stack dump", r"Assertion", r"see current operation")
MOST_LINES = 12


def pattern_of(expected: list[str]) -> str:
    lines = [r"(?:[^\n]*\n){0,4}" if line == "..." else
             "[^\n]*".join(re.escape(piece) for piece in line.split("[...]")) + "\n"
             for line in expected]
    return "".join(lines)


def find_fault(expected: list[str], run: subprocess.CompletedProcess) -> str:
    if run.returncode != 1:
        return f"the exit code is {run.returncode}, and not 1"
    if run.stdout:
        return f"something is on standard output: {run.stdout[:200]}"
    if len(run.stderr.splitlines()) > MOST_LINES:
        return f"the message has more than {MOST_LINES} lines"
    for never in NEVER:
        if re.search(never, run.stderr, re.MULTILINE):
            return f"the message has '{never}'"
    if not re.fullmatch(pattern_of(expected), run.stderr):
        return "the message is another one"
    return ""


def main() -> None:
    session, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
    session = session[session.index("\n$ ") + 1:]
    lines = [line for line in session.splitlines() if line and not line.startswith("#")]
    faults = 0
    steps = parse_session("\n".join(lines))
    for command, expected in steps:
        run = subprocess.run(["bash", "-ec", command], cwd=folder, text=True, check=False,
                             capture_output=True)
        fault = find_fault(expected, run)
        if fault:
            faults += 1
            print(f"$ {command}\n{fault}; expected:", *expected, "said:", run.stderr, sep="\n")
    if faults:
        sys.exit(f"{faults} of {len(steps)} messages are wrong")


if __name__ == "__main__":
    main()
