"""Runs small models before and after passes, and with plain loops, which must not change what they compute.

    keep_meaning.py FOLDER [FAMILY...] [OPTION...]

OPTIONs are choices of llm-run that compute the same, such as --kernels=onednn and --threads=2.
"""
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from small_models import FAMILIES, make_config
from run_tools import TRIES_ALL, run
from small_programs import return_logits

PHASES = {"prefill": ["--phase=prefill", "--seq=37"], "ragged decode": ["--phase=decode", "--kv-len=9,5", "--seq=2"]}
TILES = ["--llm-tile", "--llm-schedule=engines=4", "--llm-materialize-tiles"]
PASSES = {
    "fuse": ["--llm-fuse"],
    "projections": ["--llm-fuse-projections"],
    "pieces": ["--llm-decompose-attention"],
    "schedule": ["--llm-tile", "--llm-schedule=engines=4"],
    "tiles": TILES,
    "all": ["--llm-decompose-attention", "--llm-fuse-projections", *TILES],
}
# Of families behind the first.
SAMPLE = {"prefill": ("fuse", "all"), "ragged decode": ("schedule", "all")}
# Another order of sums, no more.
TOLERANCE = 2e-6


def check(folder, family, choices, is_first):
    model, changes = FAMILIES[family]
    (folder / "config.json").write_text(json.dumps(make_config(model, changes)))
    for phase, options in PHASES.items():
        program = folder / "program.mlir"
        program.write_text(return_logits(run(
            "llm-translate", "--import-hf-config", folder / "config.json", "--layers=all", "--dtype=f32", *options)))
        run("llm-run", program, f"--output={folder}/logits.npy")

        def expect_same(name, *words):
            said = run("llm-run", *words, f"--check-against={folder}/logits.npy", f"--tolerance={TOLERANCE}")
            print(f"{family}, {phase}, {name}: {said.strip()}", flush=True)

        # "all" has "projections", "pieces" and "tiles", and prompts and steps share the choices.
        is_sample = not is_first and not TRIES_ALL
        tried = ["--kernels=reference", *choices]
        if is_sample:
            tried = tried[0::2] if phase == "prefill" else tried[1::2]
        for choice in tried:
            expect_same(choice, program, choice)
        for name, passes in PASSES.items():
            if is_sample and name not in SAMPLE[phase]:
                continue
            run("llm-opt", program, *passes, "-o", folder / "changed.mlir")
            expect_same(name, folder / "changed.mlir")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    choices = [word for word in sys.argv[2:] if word.startswith("--")]
    families = [word for word in sys.argv[2:] if not word.startswith("--")]
    for index, family in enumerate(families or FAMILIES):
        check(folder, family, choices, is_first=index == 0)


main()
