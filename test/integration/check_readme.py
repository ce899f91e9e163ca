"""Runs the examples of README.md as a reader would, in an empty folder that has examples/.

A block after `<!-- run -->` is a console session, see console.py. The block after
`<!-- demo -->` must be how the output of the demo begins.

    check_readme.py README.md [demo-output]
"""
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from console import run_session

FENCE = re.compile(r"<!-- (run|demo) -->\n```\w*\n(.*?)```", re.S)


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
                run_session(text, Path(folder))
            elif len(sys.argv) > 2:
                check_demo(text, sys.argv[2])


if __name__ == "__main__":
    main()
