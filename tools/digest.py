#!/usr/bin/env python3
"""Prints what a build answers, one line each, so that two builds are compared by `diff`.

    tools/digest.py [--bin=build/bin] [--only=TEXT] [--sample=N --seed=S] [--keep=FOLDER]

Every model of test/models, whole, in four phases on every preset: the SHA-256 of the scheduled IR, of each
file that an exporter writes of it, and of the diagnostics.
For a change that must not change an answer:

    tools/digest.py --bin=before/bin > before.txt; tools/digest.py > after.txt; diff before.txt after.txt

--only restricts the cases to those whose name contains a text, --sample to N drawn at random; --keep
leaves the files there, to look at what differs.
"""
import argparse
import hashlib
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PHASES = {"decode": ["--phase=decode", "--kv-len=4096"],
          "decode8": ["--phase=decode", "--batch=8", "--kv-len=4096"],
          "prefill": ["--phase=prefill", "--seq=1024"],
          "mixed": ["--phase=mixed", "--batch=16", "--kv-len=2048", "--chunk=512", "--chunk-kv-len=1536"]}
EXPORTS = {"report.json": "--llm-export-report=format=json", "report.csv": "--llm-export-report=format=csv",
           "report.txt": "--llm-export-report=format=table", "perfetto.json": "--llm-export-perfetto=format=json",
           "pftrace": "--llm-export-perfetto=format=pftrace", "queues.json": "--llm-export-queues=",
           "dot": "--llm-export-dot=", "graph.json": "--llm-export-model-explorer=", "page.html": "--llm-export-html="}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


class Case:
    def __init__(self, model: Path, phase: str, preset: str) -> None:
        self.model, self.phase, self.preset = model, phase, preset
        self.name = f"{model.stem} {phase} {preset}"

    def digest(self, tools: Path, folder: Path) -> list[str]:
        """Runs the tools in the folder with relative paths, so that no answer contains its name."""
        work = folder / self.name.replace(" ", ".")
        shutil.rmtree(work, ignore_errors=True)  # left by an earlier run
        work.mkdir()

        def run(tool: str, *words: str) -> subprocess.CompletedProcess:
            return subprocess.run([tools / tool, *words], cwd=work, capture_output=True)

        shutil.copy(self.model, work / "config.json")
        made = run("llm-translate", "--import-hf-config", "config.json", "--layers=all",
                   *PHASES[self.phase], "-o", "program.mlir")
        if made.returncode:
            return [f"{sha256(made.stderr)} {self.name} refused"]
        decompose = ["--llm-decompose-attention"] if self.preset == "npu-mxu-vpu" else []
        exports = [f"{option} file={file}".replace("= ", "=") for file, option in EXPORTS.items()]
        done = run("llm-opt", "program.mlir", *decompose, f"--llm-target=name={self.preset}", "--llm-tile",
                   "--llm-schedule", "--llm-verify-schedule=capacity=false", *exports, "-o", "scheduled.mlir")
        lines = [f"{sha256(done.stderr)} {self.name} diagnostics"]
        if done.returncode == 0:
            lines += [f"{sha256((work / file).read_bytes())} {self.name} {file}"
                      for file in ["scheduled.mlir", *EXPORTS]]
        return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    tools = options.bin.resolve()
    if not (tools / "llm-opt").exists():
        sys.exit(f"{tools} has no llm-opt: build first, or name another folder by --bin")
    presets = sorted(path.stem for path in (ROOT / "lib/Target/presets").glob("*.json"))
    cases = [Case(model, phase, preset) for model in sorted((ROOT / "test/models").glob("*.json"))
             for phase in PHASES for preset in presets]
    cases = [case for case in cases if options.only in case.name]
    if not cases:
        sys.exit(f"no case has '{options.only}' in its name, such as 'Qwen--Qwen3-8B decode npu'")
    if options.sample and options.sample < len(cases):
        chosen = set(random.Random(options.seed).sample(range(len(cases)), options.sample))
        cases = [case for number, case in enumerate(cases) if number in chosen]
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(2) as pool:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)

        def digest(case: Case) -> list[str]:
            lines = case.digest(tools, folder)
            if not options.keep:
                shutil.rmtree(folder / case.name.replace(" ", "."))
            return lines

        for lines in pool.map(digest, cases):
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
