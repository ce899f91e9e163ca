"""Prints a digest of everything that the tools write for a set of jobs: the imported IR, the
annotated IR as text and as bytecode, the trace, the queues and the reports. Two runs, two builds, or one
thread and many must print the same lines.

    digests.py BIN_FOLDER EXAMPLES_FOLDER LINALG_FILE [llm-opt options...]
"""
import hashlib
import itertools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PHASES = ["--phase=prefill", "--phase=decode"]
PIPELINES = [
    ["--llm-target=name=npu", "--llm-tile", "--llm-schedule=engines=4"],
    ["--llm-target=name=npu", "--llm-fuse-projections", "--llm-tile", "--llm-schedule=policy=earliest"],
    ["--llm-target=name=h100-sxm", "--llm-decompose-attention", "--llm-tile", "--llm-schedule"],
    ["--llm-target=name=h100-sxm", "--llm-fuse-projections", "--llm-fuse", "--llm-tile", "--llm-schedule"],
    ["--llm-target=name=nvl-ax", "--llm-tile=strategy=theoretical", "--llm-schedule"],
]
EXPORTS = ["--llm-export-perfetto", "--llm-export-perfetto=format=pftrace detail=op",
           "--llm-export-perfetto=format=json.gz detail=layer", "--llm-export-queues",
           "--llm-export-report=format=json file=report.json", "--llm-export-report=format=csv file=report.csv",
           "--llm-export-report=file=report.txt", "--llm-export-dot", "--llm-export-model-explorer"]  # fmt: skip


def run_job(bin_folder: Path, source: str, pipeline: list[str], options: list[str], folder: Path) -> None:
    """Leaves everything that one job writes in the folder."""
    # Locations hold the name of the input: it must not depend on where this runs.
    shutil.copy(source, folder / "in.mlir")
    command = [bin_folder / "llm-opt", "in.mlir", *pipeline, *EXPORTS, *options]
    subprocess.run([*command, "-o", "out.mlir"], cwd=folder, check=True, capture_output=True)
    subprocess.run([*command, "--emit-bytecode", "-o", "out.mlirbc"], cwd=folder, check=True, capture_output=True)


def digests(folder: Path) -> list[str]:
    """One line per file."""
    return [f"  {path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in sorted(folder.iterdir())]


def import_all(bin_folder: Path, examples: Path, folder: Path) -> str:
    """Each example in each phase; the file that has them all as functions of one module."""
    sources = []
    for config, phase in itertools.product(sorted(examples.glob("*.json")), PHASES):
        name = f"{config.stem}.{phase.removeprefix('--phase=')}"
        target = folder / f"{name}.mlir"
        command = [bin_folder / "llm-translate", "--import-hf-config", config, phase, "--kv-len=512", "-o", target]
        subprocess.run(command, check=True, capture_output=True)
        sources.append(str(target))
    # The functions between the braces of each module, with names of their own.
    bodies = [Path(source).read_text().split("{", 1)[1].rsplit("}", 1)[0] for source in sources]
    many = "".join(body.replace("@", f"@m{i}_") for i, body in enumerate(bodies))
    (folder / "many.mlir").write_text(f"module {{{many}}}\n")
    return str(folder / "many.mlir")


def main() -> None:
    bin_folder, examples = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    linalg, options = str(Path(sys.argv[3]).resolve()), sys.argv[4:]
    with tempfile.TemporaryDirectory() as imported:
        sources = [import_all(bin_folder, examples, Path(imported)), linalg]
        print("\n".join(["imported", *digests(Path(imported))]))
        for source, pipeline in itertools.product(sources, PIPELINES):
            with tempfile.TemporaryDirectory() as folder:
                run_job(bin_folder, source, pipeline, options, Path(folder))
                print("\n".join([f"{Path(source).name} {' '.join(pipeline)}", *digests(Path(folder))]))


if __name__ == "__main__":
    main()
