"""Follows recipes (docs/recipes) as a reader would.

    run_recipe.py [--shown-in] [--without-sessions | --write] <folder> <page>...

What the fenced blocks of a page do in the folder:

- ```diff is applied to it;
- ```console is a session in it, see console.py, left out with --without-sessions, and with
  --write brought up to what the tools print today;
- any other block is a file, named by the line above it, "`path`:". It is created; with
  --shown-in it is there already, and the block is a part of it.

Several pages are followed together: first all that they write, then their sessions, so that
one build does for all.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from console import rewrite_session, run_session

# The line above, the kind, the text.
BLOCK = re.compile(r"^(.*)\n```(\w+)\n((?:.*\n)*?)```$", re.M)
PATH = re.compile(r"`([^`]+)`:$")


def apply_diff(diff: str, folder: Path) -> None:
    # The context must be there; the lines may have moved since.
    run = subprocess.run(["git", "apply", "--recount", "-"], cwd=folder, input=diff, text=True,
                         capture_output=True, check=False)
    assert run.returncode == 0, f"{run.stderr}{diff}"


def write_file(above: str, text: str, folder: Path, is_there: bool) -> None:
    named = PATH.search(above)
    assert named, f"no path above the block: {above!r}\n{text}"
    path = folder / named[1]
    if is_there:
        assert f"\n{text}" in "\n" + path.read_text(), f"{path} does not have:\n{text}"
    else:
        assert not path.exists(), f"{path} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def bring_up_to_date(page: Path, folder: Path) -> None:
    def rewrite(block: re.Match) -> str:
        above, kind, text = block.groups()
        return block[0] if kind != "console" else f"{above}\n```console\n{rewrite_session(text, folder)}```"

    page.write_text(BLOCK.sub(rewrite, page.read_text()))


def main(arguments: list[str]) -> None:
    is_there, has_sessions = "--shown-in" in arguments, "--without-sessions" not in arguments
    folder, *pages = (Path(each) for each in arguments if not each.startswith("--"))
    blocks = []
    for page in pages:
        text = page.read_text()
        found = BLOCK.findall(text)
        assert 2 * len(found) == len(re.findall("^ *```", text, re.M)) > 0, f"{page}: odd fences"
        blocks += found
    for above, kind, text in blocks:
        if kind == "diff":
            apply_diff(text, folder)
        elif kind != "console":
            write_file(above, text, folder, is_there)
    if "--write" in arguments:
        for page in pages:
            bring_up_to_date(page, folder)
        return
    for _, kind, text in blocks:
        if kind == "console" and has_sessions:
            run_session(text, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
