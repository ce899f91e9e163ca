"""Runs programs of llm ops as linalg ops on this CPU, and compares with an interpreter.

    run_linalg.py PROGRAM.mlir [--tolerance=2e-5] [--interpreted=OTHER.mlir]

Every function of the program is lowered by --convert-llm-to-linalg, bufferized and compiled by
upstream passes, and run by mlir-runner on the arguments of interpret.py, which was written from
Spec.md and computes in float64. Weights and caches hold what their names say there. Results are
f32 or i32; the last states of caches are compared, too. An element that the interpreter leaves uncomputed agrees
with anything.
"""
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import interpret
import interpret_ops
from generic_mlir import parse, shape_of

LIBRARIES = Path(shutil.which("mlir-runner")).resolve().parents[1] / "lib"
LOWERING = """one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},
func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,
convert-math-to-llvm,convert-math-to-libm,arith-expand,convert-arith-to-llvm,convert-index-to-llvm,finalize-memref-to-llvm,
convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts""".replace("\n", "")
# Printed as numbers of this type, by a function of mlir-runner's library.
PRINTERS = {"f32": "printMemrefF32", "i32": "printMemrefI32"}


def command(*words, text):
    made = subprocess.run(words, input=text, capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{words[0]} failed:\n{made.stderr}")
    return made.stdout


def dense(tensor, element):
    """A tensor as an MLIR constant."""
    def nest(prefix, shape):
        if not shape:
            value = tensor.data[prefix]
            return f"{float(value):.9e}" if element.startswith(("f", "bf")) else str(abs(int(value)))
        return "[" + ", ".join(nest((*prefix, n), shape[1:]) for n in range(shape[0])) + "]"

    return f"dense<{nest((), tensor.shape)}>"


def make_main(name, arguments, types, results):
    """A function that calls another one with constants and prints what it gives."""
    lines = ["func.func @main() attributes {llvm.emit_c_interface} {"]
    for n, (argument, kind) in enumerate(zip(arguments, types, strict=True)):
        element = re.search(r"(?:x|<)([a-z]+\d+)>$", kind).group(1)
        lines.append(f"  %a{n} = arith.constant {dense(argument, element)} : {kind}")
    names = ", ".join(f"%a{n}" for n in range(len(types)))
    lines.append(f"  %r:{len(results)} = call @{name}({names}) : ({', '.join(types)}) -> ({', '.join(results)})")
    for n, kind in enumerate(results):
        element = re.search(r"(?:x|<)([a-z]+\d+)>$", kind).group(1)
        lines.append(f"  %u{n} = tensor.cast %r#{n} : {kind} to tensor<*x{element}>")
        lines.append(f"  call @{PRINTERS[element]}(%u{n}) : (tensor<*x{element}>) -> ()")
    lines.append("  return\n}")
    for element, printer in PRINTERS.items():
        lines.append(f"func.func private @{printer}(tensor<*x{element}>) attributes {{llvm.emit_c_interface}}")
    return "\n".join(lines)


def signature(text, name):
    """Types of arguments and of results of a function, as printed without attributes."""
    found = re.search(r'"func.func"\(\) <\{[^}]*?function_type = \((.*?)\) -> (\(?.*?\)?), sym_name = "' + name + '"', text)
    assert found, name
    tensors = lambda part: re.findall(r"tensor<[^>]*>", part)
    return tensors(found.group(1)), tensors(found.group(2))


def run_lowered(program, name, function):
    """The numbers of each result, flat."""
    text = command("llm-opt", "--convert-llm-to-linalg", text=program)
    generic = command("mlir-opt", "--mlir-print-op-generic", "--allow-unregistered-dialect",
                      text=strip_attributes(text))
    types, results = signature(generic, name)
    arguments = interpret.draw_arguments(function)
    sources = re.findall(r'llm\.(?:source|cache) = "([^"]*)"', next(line for line in text.splitlines() if f"@{name}(" in line).split(" -> ")[0])
    for source, kind in zip(sources, types[len(arguments):], strict=True):
        arguments.append(interpret_ops.draw_source(source, shape_of(kind)))
    module = strip_attributes(text).rstrip().removesuffix("}") + make_main(name, arguments, types, results) + "\n}\n"
    lowered = command("mlir-opt", f"--pass-pipeline=builtin.module({LOWERING})", text=module)
    printed = command("mlir-runner", "-e", "main", "-entry-point-result=void",
                      f"--shared-libs={LIBRARIES}/libmlir_runner_utils.so,{LIBRARIES}/libmlir_c_runner_utils.so",
                      text=lowered)
    blocks = printed.split("data = ")[1:]
    return [[float(n) for n in re.findall(r"[-+]?(?:nan|inf|\d[\d.]*(?:e[-+]?\d+)?)", block.split("Unranked")[0])]
            for block in blocks]


def strip_attributes(text):
    """Without what upstream tools do not know."""
    text = re.sub(r' \{llm\.\w+ = "[^"]*"\}', "", text)
    text = re.sub(r"^module attributes \{.*\} \{$", "module {", text, flags=re.M)
    return re.sub(r" attributes \{llm\.program = [^{}]*\}", "", text)


def compare(name, expected, found, tolerance):
    worst = 0.0
    for whole, made in zip(expected, found, strict=True):
        numbers = [whole.data[i] for i in whole.indices()]
        assert len(numbers) == len(made), f"{name}: {len(made)} elements, expected {len(numbers)}"
        largest = max([abs(n) for n in numbers if not math.isnan(n)] + [1e-30])
        for want, got in zip(numbers, made):
            if math.isnan(want):
                continue
            error = abs(want - got) / largest
            if not error <= tolerance:
                sys.exit(f"{name}: {got}, expected {want}")
            worst = max(worst, error)
    print(f"{name}: {sum(map(len, found))} elements agree")
    return worst


def last_states(machine):
    """Tensors of the newest state of each cache, in the order in which the caches were named."""
    return [part for cache in machine.caches.values() for part in cache.parts.values()]


def check(program, interpreted, tolerance, title=None):
    """Every function of a program against the same one of another text, which is interpreted."""
    for name, function in parse(command("llm-opt", "--mlir-print-op-generic", text=interpreted)).items():
        alone = command("llm-opt", "--symbol-privatize=exclude=" + name, "--symbol-dce", text=program)
        machine = interpret.Machine()
        expected = machine.block(function.regions[0], interpret.draw_arguments(function))
        expected += last_states(machine)
        compare(title or name, expected, run_lowered(alone, name, function), tolerance)


def main():
    options = dict(word.removeprefix("--").split("=") for word in sys.argv[2:])
    text = open(sys.argv[1], encoding="utf-8").read()
    interpreted = open(options["interpreted"], encoding="utf-8").read() if "interpreted" in options else text
    check(text, interpreted, float(options.get("tolerance", "2e-5")))


if __name__ == "__main__":
    main()
