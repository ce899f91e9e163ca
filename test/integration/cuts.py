"""Cuts of models over chips, and phases to try them in, for the tests of these."""
import itertools
import re

PHASES = {"prefill": ["--phase=prefill", "--seq=5"], "ragged decode": ["--phase=decode", "--kv-len=5,3", "--seq=2"]}
# Chips that share sequences run one program, so that these have one length.
EVEN_PHASES = {"prefill": ["--phase=prefill", "--batch=4", "--seq=3"], "decode": ["--phase=decode", "--batch=4", "--kv-len=5"]}


def find_cuts(words):
    """`--tp=2,4 --ep=2` is tp 2 and ep 2 together, and tp 4 and ep 2."""
    axes = {name: degrees.split(",") for name, degrees in re.findall(r"--(\w+)=([\d,]+)", " ".join(words))}
    for degrees in itertools.product(*(axes or {"tp": ["2", "4"]}).values()):
        yield " ".join(f"{name}={degree}" for name, degree in zip(axes or ["tp"], degrees))
