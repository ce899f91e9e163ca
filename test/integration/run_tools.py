"""Runs a tool of the project, and ends where it fails.

$LLM_RUN_OPTIONS are further options of each llm-run: most tests ask what passes compute, not what LLVM
makes of it, and compile without its optimizer in less than half of the time (%quick of lit.cfg.py).
"""
import os
import subprocess
import sys

# test/all.sh tries all, where the suite takes samples.
TRIES_ALL = bool(os.environ.get("LLM_EXHAUSTIVE"))


def run(*words):
    words = [str(word) for word in words]
    if words[0] == "llm-run":
        words += os.environ.get("LLM_RUN_OPTIONS", "").split()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stderr}")
    return done.stdout
