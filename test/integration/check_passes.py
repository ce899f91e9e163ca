"""Runs every pass of llm-opt where it does not belong, and looks at how it takes that.

The passes are those that `llm-opt --help` lists, which must be those of the two Passes.td and
the pipeline, so that a new pass is covered without a change here. What must hold:

- no run crashes, and a run that fails says so in an error with a place;
- an error about a step that is missing names a pass to run;
- on a module without functions, every pass succeeds;
- on every start, a pass that succeeds does the same again on what it wrote;
- in every order of two passes, on all these programs together, the same rules hold. A fifth of the orders is tried, in
  which every pass comes first and second, and all by test/all.sh.

    check_passes.py <root> <folder for files>
"""
import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from run_tools import TRIES_ALL

PASS_IN_HELP = re.compile(r"^ {2}--(llm-[a-z-]+)\s", re.M)
PASS_IN_TABLEGEN = re.compile(r'Pass<"(llm-[a-z-]+)"')
ERROR = re.compile(r"^(\S.*?): error: (.*)$", re.M)
CONFIG = (
    '{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,'
    ' "num_attention_heads": 4, "num_key_value_heads": 2}'
)
LINALG = """
func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
"""


class Checker:
    def __init__(self, root, folder):
        self.folder = Path(folder)
        self.passes = self.find_passes(Path(root))
        self.problems = []
        self.numbers = itertools.count()  # threads take turns at it

    def find_passes(self, root):
        text = subprocess.run(["llm-opt", "--help"], capture_output=True, text=True, check=True).stdout
        passes = text[: text.index("\nOptions\n")]
        listed = sorted(PASS_IN_HELP.findall(passes))
        files = [root / "include/llm" / kind / "Passes.td" for kind in ("Transforms", "Export")]
        defined = sorted(name for file in files for name in PASS_IN_TABLEGEN.findall(file.read_text()))
        defined = sorted([*defined, "llm-pipeline"])  # has no definition there; as good as a pass
        assert listed == defined, f"--help lists {listed}, Passes.td define {defined}"
        return listed

    def run(self, source, passes, name):
        """Runs the passes in a folder of their own; the IR that they wrote, or None."""
        next(self.numbers)
        folder = self.folder / name
        folder.mkdir(parents=True)
        command = ["llm-opt", str(source), *(f"--{each}" for each in passes), "-o", "out.mlir"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            return folder / "out.mlir"
        self.check_failure(name, passes, done)
        return None

    def check_failure(self, name, passes, done):
        errors = [text for _, text in ERROR.findall(done.stderr)]
        if done.returncode != 1 or not errors:
            self.problems.append(f"{name}: exit {done.returncode}: {done.stderr[-400:]}")
        for text in errors:
            named = set(re.findall(r"--(llm-[a-z-]+)", text)) & set(self.passes)
            if not named:
                self.problems.append(f"{name}: names no pass to run: {text}")
        # Of several programs those that went well are written.
        wrote = [file.name for file in (self.folder / name).iterdir() if "tmp" in file.name]
        if "split-input-file" not in passes:
            wrote += [file.name for file in (self.folder / name).glob("out.mlir")]
        if wrote:
            self.problems.append(f"{name}: failed and left {wrote}")

    def check_empty(self, source, name):
        if self.run(source, [name], f"empty-{name}") is None:
            self.problems.append(f"{name} fails on a module without functions")

    def check_again(self, start, source, name):
        first = self.run(source, [name], f"{start}-{name}-once")
        if first is None:
            return
        second = self.run(first, [name], f"{start}-{name}-again")
        if second is None:
            self.problems.append(f"{name} on {start} fails on what it wrote")
        elif first.read_text() != second.read_text():
            self.problems.append(f"{name} on {start} changes what it wrote")

    def check_pair(self, source, pair):
        self.run(source, ["split-input-file", *pair], "-".join(pair))


def make_starts(folder):
    """Programs at each step of the way, from nothing to a schedule."""
    (folder / "config.json").write_text(CONFIG)
    starts = {}

    def add(name, command):
        starts[name] = folder / f"{name}.mlir"
        subprocess.run([*command, "-o", starts[name]], check=True)

    add("block", ["llm-translate", "--import-hf-config", folder / "config.json", "--kv-len=16"])
    loop = folder / "loop.mlir"
    translate = ["llm-translate", "--import-hf-config", folder / "config.json", "--layers=2"]
    subprocess.run([*translate, "-o", loop], check=True)
    add("tiled", ["llm-opt", starts["block"], "--llm-tile"])
    starts["linalg"] = folder / "linalg.mlir"
    starts["linalg"].write_text(LINALG)
    add("scheduled", ["llm-opt", loop, "--llm-tile", "--llm-schedule"])
    return starts


def main():
    root, folder = sys.argv[1], Path(sys.argv[2])
    checker = Checker(root, folder)
    starts = make_starts(folder)
    (folder / "empty.mlir").write_text("module {}\n")
    together = folder / "together.mlir"
    together.write_text("\n// -----\n".join(source.read_text() for source in starts.values()))
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(checker.check_empty, folder / "empty.mlir", name) for name in checker.passes]
        for start, source in starts.items():
            for name in checker.passes:
                jobs.append(pool.submit(checker.check_again, start, source, name))
        pairs = list(itertools.product(checker.passes, repeat=2))[::1 if TRIES_ALL else 5]
        for place in range(2):
            assert {pair[place] for pair in pairs} == set(checker.passes), "a pass is in no order"
        for pair in pairs:
            jobs.append(pool.submit(checker.check_pair, together, pair))
        for job in jobs:
            job.result()
    for problem in sorted(checker.problems):
        print(problem)
    least = len(checker.passes) * (1 + len(starts)) + len(pairs)
    assert next(checker.numbers) > least, "too few runs"
    sys.exit(1 if checker.problems else 0)


if __name__ == "__main__":
    main()
