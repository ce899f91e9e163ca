"""Runs random programs before and after passes, which must not change what they compute.

    random_meaning.py FOLDER FIRST COUNT [--open] [--passes=NAME,..] [--batch=N] [--jobs=N] [--coverage]
                      [--interpret] [--weights-seed=N] [--shrink=N] [--draw=N] [--seconds=N]

Programs are those of random_programs.py. All run as plain loops, which compile quickest; as it stands
each runs with the kernels that people run, too (a pass called `generated`). --draw: each program goes
through as many passes, drawn by its seed. FOLDER gets what was run, and of some programs that are
wrong the smallest one found that still is. --interpret: holds llm-run against interpret.py, too.
--seconds, and Ctrl-C, end a run with the sums of what was run. --coverage prints what the programs had in them.
"""
import argparse
import math
import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
import interpret_random
import random_programs
import run_together
from run_together import SEPARATOR, Failure, call, functions_of
from shrink_program import shrink

INTEGRATION = Path(__file__).resolve().parent
TINY = f"--llm-target=file={INTEGRATION}/Inputs/tiny.json"
SMALL = f"--llm-target=file={INTEGRATION}/Inputs/small.json"
NPU = "--llm-target=name=npu"
TILES = ["--llm-tile", "--llm-schedule", "--llm-materialize-tiles"]
SIZES = "--llm-bind-shapes=sizes=SIZES"
CLOSED = {
    "tidy": ["--canonicalize", "--cse"],
    "projections": ["--llm-fuse-projections"],
    "pieces": ["--llm-decompose-attention"],
    "fuse": [NPU, "--llm-fuse"],
    "fuse legal": [NPU, "--llm-fuse=when=legal"],
    "schedule": [NPU, "--llm-tile", "--llm-schedule=policy=earliest"],
    "tiles npu": [NPU, *TILES],
    "tiles small": [SMALL, *TILES],
    "tiles tiny": [TINY, *TILES],
    "pieces tiny": ["--llm-decompose-attention", TINY, *TILES],
    "fused small": ["--llm-fuse-projections", SMALL, "--llm-fuse=when=legal", *TILES],
    "all": ["--llm-decompose-attention", "--llm-fuse-projections", "--canonicalize", "--cse", SMALL, "--llm-fuse", *TILES],
    "pipeline": ["--llm-pipeline=decompose-attention fuse-projections fuse"],
}
OPEN = {
    "tidy": CLOSED["tidy"],
    "projections": CLOSED["projections"],
    "pieces": CLOSED["pieces"],
    "bind": [SIZES],
    "bind tidy": ["--canonicalize", "--cse", SIZES, "--canonicalize", "--cse"],
    "bind tiny": ["--llm-fuse-projections", SIZES, TINY, *TILES],
    "bind all": ["--llm-decompose-attention", "--llm-fuse-projections", SIZES, SMALL, "--llm-fuse=when=legal", *TILES],
}
# No pass: what --kernels=generated computes.
GENERATED = "generated"
# Passes that compute probabilities and scores as values of the program's type, which round.
ROUNDS = {"pieces", "pieces tiny", "all", "pipeline", "bind all"}
LOWER = ["--convert-llm-to-linalg", "--canonicalize", "--cse"]
# Of the largest magnitude. In f32 the order of sums may be another one. A bf16 has 8 bits and a
# half one 11: a sum that is off by its last bit in f32 may round to the neighbour, once in each op
# of a chain of about eight.
TOLERANCE = {"F32": 1e-5, "BF16": 8 * 2**-8, "F16": 8 * 2**-11}


class Batch:
    """Some programs, what passes make of them, and what all of that computes."""

    def __init__(self, programs, folder, options):
        self.programs = {program.name: program for program in programs}
        self.folder, self.options = folder, options
        self.found = []  # (program, passes, what is wrong)
        self.refused = Counter()
        self.compared = Counter()
        self.weights = {}  # the numbers that programs got, by name

    def passes(self):
        known = OPEN if self.options.open else CLOSED
        return {name: passes for name, passes in known.items() if not self.options.passes or name in self.options.passes}

    def takes(self, program, passes):
        """Whether a program goes through these passes: through all, or through as many as are drawn for it."""
        if self.options.passes:
            return passes in self.options.passes
        known = [*(OPEN if self.options.open else CLOSED), GENERATED]
        return passes in random.Random(program.name).sample(known, min(self.options.draw, len(known)))

    def check(self):
        functions = self.lower("before", [])
        for name, passes in self.passes().items():
            functions += self.lower(name, passes)
        # Of one program at a time: LLVM's time grows faster than the module.
        results = {}
        for name in self.programs:
            results |= self.run_different([function for function in functions if function.name == name])
        for name, program in self.programs.items():
            before = results.get(f"{name}_before")
            if before is None:
                continue
            for passes in self.passes():
                after = results.get(f"{name}_{tag_of(passes)}")
                if after is not None:
                    self.compare(program, passes, before, after)
            if self.takes(program, GENERATED):
                self.run_generated(program, before, [function for function in functions if function.called == f"{name}_before"])
            if self.options.interpret:
                self.interpret(program, before)
        return self

    def run_generated(self, program, before, functions):
        """Holds plain loops, which everything else runs as, against the kernels that people run."""
        for after in self.run(functions, "generated").values():
            self.compare(program, GENERATED, before, after)

    def interpret(self, program, before):
        """Holds what was computed against the interpreter."""
        generic, _, _ = call("llm-opt", "-", "--mlir-print-op-generic", "--mlir-print-elementsattrs-with-hex-if-larger=-1",
                             text=str(program))
        try:
            expected = interpret_random.interpret_program(program, generic, self.weights)
        except interpret_random.NotCovered as reason:
            self.refused[f"not interpreted: {reason}"] += 1
            return
        self.compare(program, "interpreter", expected, before)

    def lower(self, name, passes):
        """The functions that passes make of the programs. Where one refuses, or worse, it is run alone."""
        made = {}
        sizes = {program.name: program.sizes for program in self.programs.values()}
        groups = [[program for program in self.programs.values() if name == "before" or self.takes(program, name)]]
        if any(SIZES in word for word in passes):
            groups = [[program] for program in groups[0]]
        for group in filter(None, groups):
            words = [word.replace("SIZES", ",".join(f"{k}={int(v)}" for k, v in sizes[group[0].name].items())) for word in passes]
            made |= self.lower_group(name, words, group)
        return list(made.values())

    def lower_group(self, name, words, group):
        text = f"\n{SEPARATOR}\n".join(map(str, group))
        if self.options.wrong and name != "before":
            text = re.sub(r"= llm\.(mul|geglu) ", "= llm.add ", text)
        try:
            out, said, _ = call("llm-opt", "-", "--split-input-file", *words, *LOWER, text=text)
        except Failure as failure:
            if len(group) == 1:
                self.found.append((group[0], name, f"{failure.kind}: {failure.said}"))
                return {}
            half = len(group) // 2
            return self.lower_group(name, words, group[:half]) | self.lower_group(name, words, group[half:])
        # Of some that are refused the others are written all the same.
        made = functions_of(out, tag_of(name))
        left = [program for program in group if program.name not in made]
        if left and len(group) == 1:
            self.note_refusal(group[0], name, said)
            return {}
        for program in left:
            made |= self.lower_group(name, words, [program])
        return made

    def note_refusal(self, program, name, said):
        reason = next((line for line in said.splitlines() if "error:" in line), said[:200])
        reason = re.sub(r"^.*?error: ", "", reason)
        self.refused[f"{name}: {re.sub(r'[0-9]+', 'N', reason)[:160]}"] += 1
        if name == "before" or re.search(r"failed to verify|dominate|has no lowering|left over|does not leave|expects|must be", said):
            self.found.append((program, name, f"refused: {said[:1500]}"))

    def run_different(self, functions):
        """Functions that compute in the same way are run once."""
        first = {}
        for function in functions:
            first.setdefault(function.key, function)
        results = self.run(list(first.values()))
        self.refused["ran as another one"] += len(functions) - len(first)
        same = {function.called: first[function.key].called for function in functions}
        return {called: results[ran] for called, ran in same.items() if ran in results}

    def run(self, functions, kernels="reference"):
        """Results by function; functions that cannot be run with others are run alone."""
        if not functions:
            return {}
        try:
            results = run_together.run(self.programs, functions, self.folder, self.options.weights_seed, kernels=kernels)
            self.weights |= run_together.read_safetensors(self.folder / "weights.safetensors")
            return results
        except Failure as failure:
            if len(functions) == 1:
                function = functions[0]
                passes = function.called[len(function.name) + 1 :].replace("_", " ") if kernels == "reference" else kernels
                self.found.append((self.programs[function.name], passes, f"{failure.kind}: {failure.said[:1500]}"))
                return {}
            if self.options.verbose:
                print(f"{len(functions)} functions: {failure.kind}: {failure.said[:300]}", flush=True)
            half = len(functions) // 2
            return self.run(functions[:half], kernels) | self.run(functions[half:], kernels)

    def compare(self, program, passes, before, after):
        self.compared[passes] += 1
        if set(before) != set(after):
            self.found.append((program, passes, f"gives other results: {sorted(map(str, before))}, {sorted(map(str, after))}"))
            return
        for place, (shape, expected) in before.items():
            wrong = f"has the shape {after[place][0]}, not {shape}"
            if shape == after[place][0]:
                wrong = differs(expected, after[place][1], tolerance_of(program, passes))
            if wrong and not self.is_shaky(program, passes, before, after):
                self.found.append((program, passes, f"result {place}: {wrong}"))
                return


    def is_shaky(self, program, passes, before, after):
        """Whether as much changes where the numbers that the program gets change by their last bits."""
        try:
            functions = functions_of(call("llm-opt", "-", *LOWER, text=str(program))[0], "before")
            folder = self.folder / "shaken"
            folder.mkdir(exist_ok=True)
            run_together.run(self.programs, list(functions.values()), folder, self.options.weights_seed)
            run_together.shake(folder / "weights.safetensors", folder / "shaken.safetensors")
            other, = run_together.run(self.programs, list(functions.values()), folder,
                                      weights=folder / "shaken.safetensors").values()
        except Failure:
            return False
        for place, (_, expected) in before.items():
            noise = 10 * difference(expected, other[place][1])
            if differs(expected, after[place][1], max(noise, tolerance_of(program, passes))):
                return False
        self.refused["shaky: hangs on last bits"] += 1
        return True


def tag_of(passes):
    return passes.replace(" ", "_")


def tolerance_of(program, passes):
    """That of the coarsest type in the program."""
    text = str(program)
    if "bf16" in text:
        return TOLERANCE["BF16"] * (4 if passes in ROUNDS else 1)
    if re.search(r"\bf16|xf16", text):
        return TOLERANCE["F16"] * (4 if passes in ROUNDS else 1)
    return TOLERANCE["F32"]


def differs(expected, found, tolerance):
    """What is wrong with numbers, if anything."""
    largest = largest_of(expected)
    for n, (want, got) in enumerate(zip(expected, found, strict=True)):
        if want == got or (math.isnan(want) and math.isnan(got)):
            continue
        error = abs(want - got) / largest
        if not error <= tolerance:
            return f"element {n} is {got}, not {want}: {error:.1e} of the largest"
    return None


def largest_of(numbers):
    return max((abs(n) for n in numbers if math.isfinite(n)), default=0) or 1e-30


def difference(expected, found):
    largest = largest_of(expected)
    return max((abs(a - b) / largest for a, b in zip(expected, found) if math.isfinite(a - b)), default=0)


def check_batch(first, options):
    programs = [random_programs.draw(seed, options.open) for seed in range(first, min(first + options.batch, options.end))]
    folder = Path(options.folder) / f"batch{first}"
    folder.mkdir(parents=True, exist_ok=True)
    batch = Batch(programs, folder, options).check()
    uses = sum((program.uses() for program in programs), Counter())
    return batch.found, batch.refused, batch.compared, uses, len(programs)


def check_batches(pool, options):
    """What comes of each batch, until all are done, the time is over, or Ctrl-C."""
    end = time.monotonic() + options.seconds
    firsts = iter(range(options.first, options.end, options.batch))
    running = {pool.submit(check_batch, first, options) for first in islice(firsts, options.jobs)}
    try:
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            if time.monotonic() < end:
                running |= {pool.submit(check_batch, first, options) for first in islice(firsts, len(done))}
            yield from (batch.result() for batch in done)
    except KeyboardInterrupt:
        print("interrupted: what follows is of the programs that were done")


def shrink_wrong(program, passes, wrong, options):
    """The smallest program found that is wrong in the same way, in a file."""
    folder = Path(options.folder) / "shrunk"
    folder.mkdir(parents=True, exist_ok=True)
    alone = argparse.Namespace(**vars(options) | {"passes": [passes], "interpret": passes == "interpreter"})

    def is_wrong(candidate):
        found = Batch([candidate], folder, alone).check().found
        return any(each[1] == passes and each[2].split(":")[0][:6] == wrong.split(":")[0][:6] for each in found)

    path = folder / f"{program.name}-{tag_of(passes)}.mlir"
    path.write_text(f"// {passes}: {wrong.splitlines()[0]}\n{shrink(program, is_wrong)}\n")
    return path


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--passes", type=lambda text: text.split(","), default=[])
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--draw", type=int, default=99, help="how many of the lists of passes each program goes through")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=math.inf, help="no batch begins behind so many seconds")
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("--shrink", type=int, default=3, help="how many of the programs that are wrong are made smaller")
    parser.add_argument("--wrong", action="store_true", help="passes that change products into sums, to test this test")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--weights-seed", type=int, default=1)
    options = parser.parse_args()
    options.end = options.first + options.count
    return options


def main():
    options = read_options()
    found, refused, compared, uses = [], Counter(), Counter(), Counter()
    count = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for some in check_batches(pool, options):
            count += some[4]
            for program, passes, wrong in some[0]:
                path = shrink_wrong(program, passes, wrong, options) if len(found) < options.shrink else ""
                print(f"{program.name}, {passes}: {wrong} {path}", flush=True)
                found.append((program, passes, wrong))
            refused += some[1]
            compared += some[2]
            uses += some[3]
    if options.verbose:
        print(f"seeds {options.first} to {options.end - 1}")
    print(f"{count} programs, {sum(compared.values())} comparisons, {len(found)} wrong")
    for passes, count in sorted(compared.items()):
        print(f"  {passes}: {count}")
    for reason, count in refused.most_common():
        print(f"refused {count}: {reason}")
    if options.coverage:
        for use, count in sorted(uses.items()):
            print(f"{count:6} {use}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
