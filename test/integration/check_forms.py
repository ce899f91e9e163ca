"""Compares the two forms of recurrent layers on whole small models: token by token, and chunk by chunk.

    check_forms.py FOLDER FAMILY...

Prompts of several lengths, below, at and above a chunk of 64 tokens: logits of their last tokens are the same to 1e-5 in
f32. tie_out.py says that the first form is right.
"""
import sys
from pathlib import Path

from run_tools import TRIES_ALL
from tie_out import Subject, difference, drawn, listed

LIMIT = 1e-5
CASES = {"one prompt": (["--phase=prefill", "--seq=1"], [1]), "two chunks": (["--phase=prefill", "--seq=128"], [128]),
         "ragged prompts": (["--phase=prefill", "--seq=63,64,65,150,3"], [63, 64, 65, 150, 3])}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for family in sys.argv[2:]:
        subject = Subject(folder, family)
        for case, (options, lengths) in CASES.items():
            if case != "ragged prompts" and family != sys.argv[2] and not TRIES_ALL:
                continue
            tokens = listed(*(drawn(length, start) for start, length in enumerate(lengths)))
            logits = []
            for form in ("steps", "chunks"):
                subject.translate(*options, "--dtype=f32", f"--linear-attn={form}")
                is_chunked = " chunk " in (folder / "program.mlir").read_text()
                if is_chunked != (form == "chunks"):
                    sys.exit(f"{family}, {case}: the program is not in {form}")
                logits.append(subject.logits(tokens))
            found = difference(*logits)
            print(f"{family}, {case}: {found:.0e}", flush=True)
            if not found <= LIMIT:
                sys.exit(f"{family}, {case}: expected at most {LIMIT:.0e}")


main()
