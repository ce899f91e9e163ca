"""Console sessions in documents: each `$ command` with what it prints below it."""
import subprocess
from pathlib import Path


def parse_session(text: str) -> list[tuple[str, list[str]]]:
    """The commands (`\\` at the end of a line continues one) and the lines that they print."""
    steps: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps[-1][0].endswith("\\") and not steps[-1][1]:
            steps[-1] = (f"{steps[-1][0]}\n{line}", [])
        else:
            steps[-1][1].append(line)
    return steps


def run_step(command: str, folder: Path) -> tuple[list[str], list[str], int]:
    """What the command prints to standard output and to standard error, and its exit status."""
    run = subprocess.run(["bash", "-ec", command], cwd=folder, text=True, check=False, capture_output=True)
    return run.stdout.splitlines(), run.stderr.splitlines(), run.returncode


def run_session(text: str, folder: Path) -> None:
    """Every command must print exactly what is shown, and fail where that has an error. What
    goes to standard error may be left out as a whole."""
    for command, expected in parse_session(text):
        output, errors, status = run_step(command, folder)
        said = "\n".join([f"$ {command}", "shown:", *expected, "printed:", *output, *errors])
        assert expected in (output, output + errors), said
        fails = any("error:" in line for line in expected)
        assert fails == (status != 0), f"{said}\nexit code: {status}"


def rewrite_session(text: str, folder: Path) -> str:
    """The session as its commands print it today. What went to standard error is shown where
    it was shown, and where the command fails."""
    lines = []
    for command, shown in parse_session(text):
        output, errors, status = run_step(command, folder)
        shows_errors = status != 0 or len(shown) > len(output)
        lines += [f"$ {command}", *output, *(errors if shows_errors else [])]
    return "".join(f"{line}\n" for line in lines)
