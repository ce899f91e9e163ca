"""Cuts of models over chips, and phases to try them in, for the tests of these."""
import itertools
import re

PHASES = {"prefill": ["--phase=prefill", "--seq=5"], "ragged decode": ["--phase=decode", "--kv-len=5,3", "--seq=2"]}
# Chips that share sequences run one program, so that these have one length.
# So many tokens that two and four chips divide them.
ROW_PHASES = {"prefill": ["--phase=prefill", "--batch=2", "--seq=4"], "ragged decode": ["--phase=decode", "--kv-len=5,3", "--seq=2"]}
# Two or four chips that share keys divide the lengths of sequences with one query each.
KEY_PHASES = {"prefill": ["--phase=prefill", "--batch=2", "--seq=4"], "ragged decode": ["--phase=decode", "--kv-len=8,4"]}
EVEN_KEY_PHASES = {"prefill": ["--phase=prefill", "--batch=4", "--seq=4"], "decode": ["--phase=decode", "--batch=4", "--kv-len=8"]}
EVEN_PHASES = {"prefill": ["--phase=prefill", "--batch=4", "--seq=3"], "decode": ["--phase=decode", "--batch=4", "--kv-len=5"]}


def phases_of(cut, only=""):
    """Both, or the one whose name ends in `only`."""
    areEven = "dp=" in cut or "interleave=" in cut
    if "cp=" in cut:
        phases = EVEN_KEY_PHASES if areEven else KEY_PHASES
    else:
        phases = EVEN_PHASES if areEven else ROW_PHASES if "sp" in cut.split() else PHASES
    chosen = {name: options for name, options in phases.items() if name.endswith(only)}
    assert chosen, f"no phase is called {only}"
    return chosen


def find_families(words, default):
    """(family, phase): `llama` is tried in all phases, `llama:decode` in one, and where none is named, all of `default` are."""
    for word in [word for word in words if not word.startswith("--")] or default:
        family, _, phase = word.partition(":")
        yield family, phase


def passes_of(cut):
    """The passes that cut a program, with room for the rows of any routing; "tp=2 chunks=3" has sums in chunks, and with
    "gather" all tokens are gathered for experts."""
    words = cut.split()
    options = ["expert-rows=all", *(f"overlap-{word}" for word in words if word.startswith("chunks="))]
    options += ["expert-exchange=all-gather"] * ("gather" in words)
    return [shard_of(cut), f"--llm-partition={' '.join(options)}"]


def shard_of(cut):
    """The pass that decides on a cut; "pp=2 rounds=2" has two stages on each chip."""
    degrees = [word for word in cut.split() if word != "gather" and not word.startswith("chunks=")]
    return f"--llm-shard={' '.join(degrees).replace('rounds=', 'pp-rounds=')}"


def find_cuts(words):
    """`--tp=2,4 --ep=2` is tp 2 and ep 2 together, and tp 4 and ep 2; with `--sp` rows between products are cut, too."""
    axes = {name: degrees.split(",") for name, degrees in re.findall(r"--(\w+)=([\d,]+)", " ".join(words))}
    for degrees in itertools.product(*(axes or {"tp": ["2", "4"]}).values()):
        yield " ".join([*(f"{name}={degree}" for name, degree in zip(axes or ["tp"], degrees)), *(flag for flag in ("sp", "gather") if f"--{flag}" in words)])
