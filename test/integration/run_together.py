"""Runs many functions by one llm-run: start-up and equal loops are paid for once.

Functions come as modules of linalg ops, as --convert-llm-to-linalg writes them; a function that
calls them all takes their arguments by name, gives all results, and is what runs. So a program
before and after a pass sees the same numbers.
"""
import json
import os
import re
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from generic_mlir import split

sys.path.insert(0, str(Path(__file__).parent / "judge"))
from program import one_line

SEPARATOR = "// -----"
APART = '["noinline"]'


class Failure(Exception):
    """A tool did not do what it was asked for: `kind` is how, `said` its words."""

    def __init__(self, kind, said):
        super().__init__(f"{kind}: {said}")
        self.kind, self.said = kind, said


def call(*words, text=None, seconds=60):
    """What a tool prints and says, and whether it liked the input. A crash or a hang is a Failure."""
    try:
        done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failure("hang", f"{words[0]} ran for {seconds} s") from None
    if done.returncode < 0 or done.returncode > 1:
        raise Failure("crash", f"{words[0]} ended with {done.returncode}: {done.stderr[-1500:]}")
    return done.stdout, done.stderr, done.returncode == 0


@dataclass
class Argument:
    type: str
    source: str = ""
    size: str = ""


class Function:
    """One function of linalg ops, and what it takes and gives."""

    def __init__(self, module, tag):
        self.name = re.search(r"@(\w+)", module[module.index("  func.func "):]).group(1)
        self.called = f"{self.name}_{tag}"
        # Equal where two compute in the same way.
        self.key = re.sub(r" attributes \{.*\} \{$", " {", module[module.find("#map"):] if "#map" in module else module, flags=re.M)
        module = re.sub(r"#(map\w*|set\w*|target\w*)\b", rf"#{self.called}_\1", module)
        self.aliases = re.findall(r"^#\w+ = .*$", module, re.M)
        begin = module.index("  func.func ")
        body = module[begin:module.rindex("}")].rstrip()
        self.body = body.replace(f"@{self.name}(", f"@{self.called}(", 1)
        head = self.body[: self.body.index("\n")]
        taken, given = re.match(r".*?@\w+\((.*?)\)(?: -> (.*?))?(?: attributes .*)? \{$", head).groups()
        self.arguments = [self.read(word.partition(":")[2]) for word in split(taken)]
        # Compiled as they stand: put into one function they would take LLVM minutes.
        self.body = head.partition(" attributes ")[0].removesuffix(" {") + f" attributes {{passthrough = {APART}}} {{" + self.body[len(head):]
        given = given or ""
        self.results = [self.read(word) for word in split(given[1:-1] if given.startswith("(") else given)]

    @staticmethod
    def read(text):
        facts = dict(re.findall(r'llm\.(\w+) = "([^"]*)"', text))
        return Argument(re.sub(r" \{llm\..*", "", text).strip(), facts.get("source", facts.get("cache", "")), facts.get("size", ""))


def functions_of(text, tag):
    """Of modules with separators between them, by name."""
    made = [Function(module, tag) for module in one_line(text).split(SEPARATOR) if "func.func" in module]
    return {function.name: function for function in made}


class Caller:
    """The function that calls others. `programs`: Text by name, whose inputs they take."""

    def __init__(self, programs, functions):
        self.programs, self.functions = programs, functions
        self.taken, self.lines, self.given, self.places = {}, [], [], []
        for n, function in enumerate(functions):
            self.call(function, n)

    def call(self, function, n):
        inputs = iter(self.programs[function.name].inputs)
        operands = [self.operand(function, argument, inputs, f"{n}_{i}") for i, argument in enumerate(function.arguments)]
        types = ", ".join(argument.type for argument in function.arguments)
        given = [result.type for result in function.results]
        if given:
            self.lines.append(f"  %r{n}:{len(given)} = call @{function.called}({', '.join(operands)}) : ({types}) -> "
                              f"({', '.join(given)})")
        for i, result in enumerate(function.results):
            self.places.append((function, result.source or i))
            self.given.append((f"%r{n}#{i}", result.type))

    def operand(self, function, argument, inputs, where):
        if argument.size:
            self.lines.append(f"  %s{where} = arith.constant {self.programs[function.name].sizes[argument.size]} : index")
            return f"%s{where}"
        program = self.programs[function.name]
        name, data, kind = argument.source, None, argument.type.replace("?", str(program.sizes.get("kv_len")))
        if not name:
            each = next(inputs)
            name, data, kind = f"{function.name}.{each.name[1:]}", each.data, each.closed_type
        if data is not None:
            self.lines.append(f"  %s{where} = arith.constant {dense(data, kind)} : {kind}")
            value = f"%s{where}"
        else:
            value = self.taken.setdefault(name, (f"%t{len(self.taken)}", kind))[0]
        if kind == argument.type:
            return value
        self.lines.append(f"  %d{where} = tensor.cast {value} : {kind} to {argument.type}")
        return f"%d{where}"

    def text(self):
        arguments = ", ".join(f'{value}: {kind} {{llm.source = "{name}"}}' for name, (value, kind) in self.taken.items())
        types = ", ".join(kind for _, kind in self.given)
        lines = [alias for function in self.functions for alias in function.aliases]
        lines += ["module {"] + [f.body.replace("func.func @", "func.func private @", 1) for f in self.functions]
        lines += [f"func.func @main({arguments}) -> ({types}) attributes {{passthrough = {APART}}} {{", *self.lines,
                  f"  return {', '.join(name for name, _ in self.given)} : {types}", "}", "}"]
        return "\n".join(lines)


def dense(data, kind):
    shape = [int(n) for n in kind[len("tensor<"):].split("x")[:-1]]

    def nest(first, shape):
        if not shape:
            return str(data[first])
        step = 1
        for size in shape[1:]:
            step *= size
        return "[" + ", ".join(nest(first + n * step, shape[1:]) for n in range(shape[0])) + "]"

    return f"dense<{nest(0, shape)}>"


DTYPES = {"F32": "f", "F16": "e", "I32": "i", "I8": "b", "F64": "d", "I64": "q"}


def read_safetensors(path):
    """Numbers of each tensor, flat; of types that Python does not know none."""
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<Q", data[:8])
    header, tensors = json.loads(data[8 : 8 + length]), {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = entry["shape"], decode(data[begin:end], entry["dtype"])
    return tensors


def decode(data, dtype):
    if dtype == "BF16":
        words = struct.unpack(f"<{len(data) // 2}H", data)
        return list(struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *(word << 16 for word in words))))
    if dtype not in DTYPES:
        return None
    letter = DTYPES[dtype]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data))


def shake(path, other):
    """A copy of a file of weights in which the last bits of floats are others."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    length, = struct.unpack("<Q", data[:8])
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__" or entry["dtype"] not in ("F32", "F16", "BF16"):
            continue
        size = 4 if entry["dtype"] == "F32" else 2
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        for n, at in enumerate(range(begin, end, size)):
            data[at] ^= (2 if size == 4 else 1) * (n % 3 != 0)
    with open(other, "wb") as file:
        file.write(data)


def run(programs, functions, folder, seed=1, weights=None, kernels="reference", seconds=300):
    """Results by function and by number, or by name of a cache; and the numbers of the arguments."""
    caller = Caller(programs, functions)
    path = folder / "together.mlir"
    path.write_text(caller.text())
    chosen = [f"--weights={weights}"] if weights else [f"--random-weights={seed}", f"--save-weights={folder}/weights.safetensors"]
    _, said, is_done = call("llm-run", path, "--function=main", "--optimize=false", f"--kernels={kernels}",
                            f"--output={folder}/results.safetensors", *chosen, seconds=seconds)
    if not is_done:
        raise Failure("not run", said)
    tensors = read_safetensors(folder / "results.safetensors")
    results = {}
    for n, (function, place) in enumerate(caller.places):
        results.setdefault(function.called, {})[place] = tensors[f"result{n}"]
    return results
