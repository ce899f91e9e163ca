"""No kernel of several ops is faster than one of its ops would be in the same form.

Models, phases and targets are compiled with and without --llm-fuse. Of each op inside of a kernel, the kernel must
take at least what the op takes alone

- to launch;
- to compute: its time alone on the same target with a memory, ports and items that move all bytes in nearly no time;
- to stream the bytes that do not stay on chip: those of each buffer that it moves alone, other than of values that an
  op of the kernel computes and another one reads, and of results that the kernel does not hand on.

Which values these are follows from the operands in the text of the program; bytes and times are those of ops that are
no kernels. Nothing of how kernels of several ops get their cost is used.

    check_fused_ops.py ROOT FOLDER [all | CASES [SEED]]
"""
from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from generic_mlir import Op, parse

PHASES = (("--phase=decode",), ("--phase=decode", "--batch=4"), ("--phase=decode", "--batch=64", "--kv-len=2048"),
          ("--phase=prefill", "--seq=512"), ("--phase=mixed", "--batch=8"))
# Kernels that were found to be faster than an op in them: always looked at.
KNOWN = (("openai--gpt-oss-20b", ("--phase=decode", "--batch=4"), "h200-sxm", ()),
         ("meta-llama--Meta-Llama-3.1-8B", ("--phase=decode",), "h200-sxm", ()))
CASES = 58
FAST = 10_000  # times as fast
SLACK = 2  # cycles: a launch and the rest are rounded up apart


# ------------------------------------------------------------------------------------------------- one op's cost


@dataclass
class Cost:
    engine: str
    overhead: int
    serial: int
    compute: int
    memory: int
    traffic: dict[str, int]

    @property
    def rest(self) -> int:
        return self.serial + max(self.compute, self.memory)

    @staticmethod
    def read(text: str) -> "Cost":
        numbers = {name: int(value) for name, value in re.findall(r"(\w+_cycles) = (\d+)", text)}
        traffic = re.search(r"traffic = \{\w+ = \{([^}]*)\}", text)
        moved = re.findall(r'"?([\w.]+)"? = (\d+)', traffic.group(1)) if traffic else []
        return Cost(re.search(r'"([^"]*)"', text).group(1), numbers["overhead_cycles"],
                    numbers.get("serial_cycles", 0), numbers["compute_cycles"], numbers["memory_cycles"],
                    {name: int(size) for name, size in moved})


def values_of_kinds(root: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Names of the operands and results of each op, which are those of its buffers, as the language defines them."""
    kinds, classes = {}, {}
    for path in sorted((root / "dialects/llm").glob("*.td")):
        for chunk in re.split(r"^(?=def |class )", path.read_text(), flags=re.M):
            head = re.match(r'(class )?(?:def )?(\w+)\s*(?:<string mnemonic>)?\s*: (\w+)(?:<"(\w+)")?', chunk)
            if not head:
                continue
            named = tuple([name for piece, name in re.findall(r"([^$]*?):\$(\w+)", text) if "Attr" not in piece]
                          for text in re.findall(r"let (?:arguments|results) = \((?:ins|outs) (.*?)\);", chunk, re.S))
            if head.group(1):
                classes[head.group(2)] = named
            elif head.group(4):
                kinds[f"llm.{head.group(4)}"] = named or classes.get(head.group(3), ([], []))
    return kinds


# ------------------------------------------------------------------------------------------------------- kernels


@dataclass
class Inside:
    op: Op
    read: set[str] = field(default_factory=set)  # buffers that an op of the kernel computes
    kept: set[str] = field(default_factory=set)  # results that are read inside and not handed on


class Kernel:
    def __init__(self, fused: Op, kinds: dict[str, tuple[list[str], list[str]]]):
        self.name, self.cost = fused.attrs.get("name", "?").strip('"'), Cost.read(fused.attrs["llm.cost"])
        self.ops: list[Inside] = []
        self.sources: dict[str, tuple[Inside, str]] = {}  # a value -> op and result that it is, maybe through views
        for op in fused.regions[0].ops:
            if op.name == "llm.yield":
                for inside, result in (self.sources[value] for value in op.operands):
                    inside.kept.discard(result)
            elif op.name.startswith("llm."):
                self.add(op, *kinds[op.name])
            elif op.operands[0] in self.sources:
                self.sources[op.results[0]] = self.sources[op.operands[0]]

    def add(self, op: Op, operands: list[str], results: list[str]) -> None:
        inside = Inside(op)
        self.ops.append(inside)
        groups = enumerate(operands)
        given = (zip(operands, op.operands) if "operandSegmentSizes" not in op.attrs else
                 ((name, value) for group, name in groups for value in op.segment(op.operands, group)))
        for buffer, value in given:
            if value in self.sources:
                inside.read.add(buffer)
                source, result = self.sources[value]
                source.kept.add(result)
        for result, value in zip(results, op.results):
            self.sources[value] = inside, result


def kernels(text: str, kinds: dict) -> list[Kernel]:
    return [Kernel(op, kinds) for function in parse(text).values() for op in function.walk() if op.name == "llm.fused"]


def costs(text: str) -> dict[str, Cost]:
    """By the names of the ops."""
    found = {}
    for function in parse(text).values():
        for op in function.walk():
            if "llm.cost" in op.attrs:
                name = op.attrs["name"]
                assert name not in found, f"two ops are called {name}"
                found[name] = Cost.read(op.attrs["llm.cost"])
    return found


# -------------------------------------------------------------------------------------------------------- targets


class Machine:
    def __init__(self, root: Path, folder: Path, target: str):
        self.path = root / f"lib/Target/presets/{target}.json"
        sheet = json.loads(self.path.read_text())
        calibrated = sheet.get("calibration", {})
        self.clock = sheet["clock_hz"]
        self.engines = {name: {**engine, **calibrated.get("engines", {}).get(name, {})}
                        for name, engine in sheet["engines"].items()}
        # Without an engine for all of attention it must be taken apart.
        kinds = [engine["kinds"] for engine in self.engines.values()]
        self.attends = any({"matrix", "vector"} <= set(of_engine) for of_engine in kinds)
        self.fast = folder / f"{target}-fast.json"
        self.fast.write_text(json.dumps(self.without_bytes(sheet)))

    @staticmethod
    def without_bytes(sheet: dict) -> dict:
        """The same target, on which bytes take nearly no time."""
        for part in (sheet, sheet.get("calibration", {})):
            for memory in part.get("memories", {}).values():
                for name in ("bytes_per_second", "sustained_bytes_per_second"):
                    if name in memory:
                        memory[name] *= FAST
                memory.pop("femtojoules_per_byte", None)
            for engine in part.get("engines", {}).values():
                if "stream_bytes_per_kilocycle_per_unit" in engine:
                    engine["stream_bytes_per_kilocycle_per_unit"] *= FAST
                for memory in engine.get("port_bytes_per_second", {}):
                    engine["port_bytes_per_second"][memory] *= FAST
                for figures in engine.get("kernels", {}).values():
                    if "item_bytes_per_kilocycle" in figures:
                        figures["item_bytes_per_kilocycle"] *= FAST
        return sheet

    def item_cycles(self, cost: Cost, kind: str, size: int) -> float:
        """Of elementwise ops: until the units have moved the bytes, all of them at work."""
        engine = self.engines[cost.engine]
        figures = {name: value for key in ("elementwise", kind)
                   for name, value in engine.get("kernels", {}).get(key, {}).items()}
        rate = figures.get("item_bytes_per_kilocycle", 0) / 1e3 * engine.get("units", 1)
        return size / rate * self.clock / engine.get("sustained_clock_hz", self.clock) if rate else 0


# ----------------------------------------------------------------------------------------------------------- cases


class Checker:
    def __init__(self, root: Path, folder: Path):
        self.root, self.folder, self.kinds = root, folder, values_of_kinds(root)
        self.machines: dict[str, Machine] = {}
        self.problems: list[str] = []
        self.kernels = self.ops = 0

    def compile(self, layer: Path, target: str, *passes: str) -> str:
        """Nothing where the target does not do the work: a TPU multiplies no f32, as some models do."""
        done = subprocess.run(["llm-opt", layer, f"--llm-target={target}", *passes, "--llm-tile",
                               "--mlir-print-op-generic"], capture_output=True, text=True, check=False)
        if done.returncode and "gives no rate" not in done.stderr:
            sys.exit(f"{layer} on {target} with {passes}:\n{done.stderr[:2000]}")
        return done.stdout

    def least_rest(self, inside: Inside, alone: Cost, unlimited: Cost, machine: Machine) -> float:
        """Cycles behind the launch, of an op that keeps on chip what its kernel does."""
        kept = inside.read | {buffer for buffer in inside.kept if buffer in alone.traffic}
        size = sum(moved for buffer, moved in alone.traffic.items() if buffer not in kept)
        everything = sum(alone.traffic.values())
        memory = alone.memory * size / everything if everything else 0
        is_swept = not re.search("matmul|attn", inside.op.name)
        items = machine.item_cycles(alone, inside.op.name, size) if is_swept else 0
        return max(unlimited.rest if unlimited.rest > SLACK else 0, memory, items)

    def check_kernel(self, case: str, kernel: Kernel, alone: dict, unlimited: dict, machine: Machine) -> None:
        self.kernels += 1
        for inside in kernel.ops:
            name = inside.op.attrs["name"]
            cost = alone[name]
            if cost.engine != kernel.cost.engine:
                continue
            self.ops += 1
            least = self.least_rest(inside, cost, unlimited[name], machine)
            if kernel.cost.overhead < cost.overhead or kernel.cost.rest + SLACK < least:
                self.problems.append(
                    f"{case}: {kernel.name}: {kernel.cost.overhead} + {kernel.cost.rest} cycles; of {name} alone "
                    f"{cost.overhead} + {least:.0f} remain")

    def check(self, model: str, phase: tuple[str, ...], target: str, passes: tuple[str, ...]) -> None:
        layer = self.folder / "layer.mlir"
        subprocess.run(["llm-translate", "--import-hf-config", self.root / f"test/models/{model}.json", *phase, "-o",
                        layer], check=True, capture_output=True)
        if target not in self.machines:
            self.machines[target] = Machine(self.root, self.folder, target)
        machine = self.machines[target]
        if not machine.attends:
            if "llm.mla_attn" in layer.read_text():
                return  # it has no parts
            passes = ("--llm-decompose-attention", *passes)
        compiled = self.compile(layer, f"name={target}", *passes, "--llm-fuse")
        fused = kernels(compiled, self.kinds) if compiled else []
        if not fused:
            return
        alone = costs(self.compile(layer, f"name={target}", *passes))
        unlimited = costs(self.compile(layer, f"file={machine.fast}", *passes))
        case = " ".join((model, *phase, target, *passes))
        for kernel in fused:
            self.check_kernel(case, kernel, alone, unlimited, machine)


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    models = sorted(path.stem for path in (root / "test/models").glob("*.json"))
    targets = sorted(path.stem for path in (root / "lib/Target/presets").glob("*.json"))
    cases = [(model, phase, target, passes) for model in models for phase in PHASES for target in targets
             for passes in ((), ("--llm-fuse-projections",))]
    count = sys.argv[3] if len(sys.argv) > 3 else str(CASES)
    if count != "all":
        seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
        cases = [*KNOWN, *random.Random(seed).sample(cases, int(count))]
    checker = Checker(root, folder)
    for case in cases:
        checker.check(*case)
    if checker.problems:
        sys.exit("\n".join(checker.problems))
    print(f"{len(cases)} programs, {checker.kernels} kernels of {checker.ops} ops, none faster than an op in it")


if __name__ == "__main__":
    main()
