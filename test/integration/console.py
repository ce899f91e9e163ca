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


def run_session(text: str, folder: Path) -> None:
    """Every command must print exactly what is shown, and fail where that has an error. What
    goes to standard error may be left out as a whole."""
    for command, expected in parse_session(text):
        run = subprocess.run(["bash", "-ec", command], cwd=folder, text=True, check=False,
                             capture_output=True)
        output, errors = run.stdout.splitlines(), run.stderr.splitlines()
        said = "\n".join([f"$ {command}", "shown:", *expected, "printed:", *output, *errors])
        assert expected in (output, output + errors), said
        fails = any("error:" in line for line in expected)
        assert fails == (run.returncode != 0), f"{said}\nexit code: {run.returncode}"
