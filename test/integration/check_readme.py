"""Runs the examples of README.md as a reader would, in an empty folder that has examples/.

A block after `<!-- run -->` is a console session: each `$ command` must succeed and print the
lines that follow it. The block after `<!-- demo -->` must be how the output of the demo begins.

    check_readme.py README.md [demo-output]
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FENCE = re.compile(r"<!-- (run|demo) -->\n```\w*\n(.*?)```", re.S)


def run_session(text, folder):
    """The commands of one session with what is expected after each."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        else:
            steps[-1][1].append(line)
    for command, expected in steps:
        run = subprocess.run(["bash", "-ec", command], cwd=folder, text=True, capture_output=True)
        assert run.returncode == 0, f"$ {command}\n{run.stdout}{run.stderr}"
        printed = run.stdout.splitlines()
        assert printed == expected, f"$ {command}\nprinted {printed}\nREADME says {expected}"


def check_demo(text, output):
    assert text.strip(), "the demo's table is missing"
    printed = Path(output).read_text().splitlines()
    expected = text.splitlines()
    assert printed[: len(expected)] == expected, "the demo prints another table:\n" + "\n".join(printed)


def main():
    readme = Path(sys.argv[1])
    blocks = FENCE.findall(readme.read_text())
    kinds = [kind for kind, _ in blocks]
    assert kinds.count("demo") == 1 and kinds.count("run") >= 3, f"blocks found: {kinds}"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(readme.parent / "examples", Path(folder) / "examples")
        for kind, text in blocks:
            if kind == "run":
                run_session(text, folder)
            elif len(sys.argv) > 2:
                check_demo(text, sys.argv[2])


if __name__ == "__main__":
    main()
