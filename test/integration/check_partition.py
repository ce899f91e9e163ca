"""Small models of all families, cut over chips: every chip ends with the results of the whole program, and no weight
is lost or has elements twice but for those that are copied.

    check_partition.py FOLDER [--tp=2,4] [--ep=2] [--dp=2] [--pp=2] [--rounds=2] [--interleave=2] [--chunks=2] [--sp] [--odd] [FAMILY[:PHASE]...]

With --odd, chips do not divide the vocabulary and the features between products: there are zeros behind them.
"""
import math
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from cuts import find_cuts, find_families, passes_of, phases_of
from interpret_chips import check
from small_models import FAMILIES, write_config
from run_tools import run
from small_programs import return_logits

# Families with ops that interpret.py does not know.
UNKNOWN = {"deepseek_v4"}


def numbers(text):
    return [int(n) for n in re.findall(r"(\d+)x", text)]


def weights_of(text, chips):
    """Elements of each weight on a chip, and of the whole weight, by what is said of its pieces."""
    sizes = {name: int(size) for name, size in re.findall(r"(\w+) = (\d+)", chips)}
    found = {}
    for name, rest, shape in re.findall(r'llm\.weight "([^"]*)"(.*?) : tensor<([\dx]*x)\w', text):
        elements = 1
        for size in numbers(shape):
            elements *= size
        whole = elements
        for dim, axes in re.findall(r"(d\d+) = \[([^\]]*)\]", rest):
            for axis in re.findall(r"\w+", axes):
                whole *= sizes[axis]
        if unpadded := re.search(r"llm\.unpadded = array<i64: ([\d, ]+)>", rest):
            padded, whole = whole, math.prod(map(int, unpadded.group(1).split(",")))
            assert padded > whole, f"{name}: {padded} elements with zeros behind {whole}"
        found.setdefault(name, set()).add((elements, whole))
    return found


def check_weights(name, before, after):
    grid = re.search(r"#llm\.grid<([^>]*)>", after).group(1)
    whole, cut = weights_of(before, grid), weights_of(after, grid)
    assert whole.keys() == cut.keys(), f"{name}: {whole.keys() ^ cut.keys()}"
    for weight, pieces in cut.items():
        for _, of in pieces:
            assert {(of, of)} == whole[weight], f"{name}: {weight} has pieces of {of} elements, not {whole[weight]}"
    share = sum(max(e for e, _ in pieces) for pieces in cut.values()) / sum(next(iter(w))[0] for w in whole.values())
    return f"{100 * share:.0f} % of the weights on a chip"


def check_family(folder, family, only, cut, areOdd):
    config = write_config(folder, family, areOdd=areOdd)
    for phase, options in phases_of(cut, only).items():
        program = folder / f"{family}.mlir"
        run("llm-translate", "--import-hf-config", config, "--layers=all", "--dtype=f32", *options, "-o", program)
        program.write_text(return_logits(program.read_text()))
        if "ep=" in cut and "llm.moe_dispatch" not in program.read_text():
            return  # no experts
        passes = passes_of(cut)
        after = run("llm-opt", program, *passes)
        label = f"{family}, {phase}, {cut.replace('=', ' ')}"
        assert not areOdd or "llm.unpadded" in after, f"{label}: no weight has zeros behind it"
        # A decode may have fewer rows than chunks.
        assert ("_chunk1" in after) == ("chunks=" in cut) or "decode" in phase, f"{label}: chunks are there, or not"
        share = check_weights(label, program.read_text(), after)
        generic = [run("llm-opt", program, "--mlir-print-op-generic"),
                   run("llm-opt", program, *passes, "--mlir-print-op-generic")]
        for _, count, chips, exchanges in check(*generic):
            print(f"{label}: {count} elements agree on {chips} chips, {exchanges} collectives, {share}", flush=True)


def main():
    folder, *words = sys.argv[1:]
    Path(folder).mkdir(exist_ok=True, parents=True)
    cuts = list(find_cuts(words))
    for family, phase in find_families(words, [f for f in FAMILIES if f not in UNKNOWN]):
        for cut in cuts:
            check_family(Path(folder), family, phase, cut, "--odd" in words)


main()
