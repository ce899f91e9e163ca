"""Unrolls the loops of a whole model, in the text of the IR: what an importer without loops would write.

    unroll.py [--barriers] FILE

With --barriers each iteration becomes a loop of one trip, whose boundaries are barriers. Names are expanded, and the
slots of a scheduled loop are shifted to the iteration's start. For programs as llm-translate writes them: one op a
line, loops not nested, each with values that it carries.
"""
from __future__ import annotations

import re
import sys

FOR = re.compile(r"^\s*(%\w+)(?::(\d+))? = scf\.for (%\w+) = (%\w+) to (%\w+) step (%\w+) iter_args\((.*)\) -> \((.*)\) \{$")
VALUE = re.compile(r"%\w+(?:#\d+)?")
OP_NAME = re.compile(r'(= llm\.(?!weight|kv_cache|kv_read)\w+ ")([^"]*)"')
CYCLES = re.compile(r"(start_cycle|end_cycle) = (\d+)")
PERIOD = re.compile(r"<start_cycle = (\d+), period_cycles = (\d+), trips = (\d+)>")


def expand(name: str, index: int, iteration: int) -> str:
    """The name of one iteration (Spec.md, Names and sources)."""
    def number(match: re.Match) -> str:
        if not match[1]:
            return str(index)
        first, second = int(match[1]), int(match[2] or int(match[1]) + 1)
        return str(first + iteration * (second - first))
    return re.sub(r"\{(?:(\d+)(?:,(\d+))?\.\.\d+)?\}", number, name)


class Unroller:
    def __init__(self, lines: list[str], with_barriers: bool):
        self.lines, self.with_barriers = lines, with_barriers
        self.constants = dict(re.findall(r"(%\w+) = arith\.constant (\d+) : index", "\n".join(lines)))
        self.periods = [tuple(map(int, found)) for found in PERIOD.findall("\n".join(lines))]
        self.renamed: dict[str, str] = {}
        self.out: list[str] = []

    def run(self) -> str:
        at = 0
        while at < len(self.lines):
            loop = FOR.match(self.lines[at])
            if not loop:
                self.out.append(self.rename(self.lines[at], self.renamed))
                at += 1
                continue
            end = next(i for i in range(at, len(self.lines)) if "scf.yield" in self.lines[i])
            self.unroll(loop, self.lines[at + 1:end], self.lines[end])
            at = end + 2
        text = "\n".join(self.out)
        return text if self.with_barriers else re.sub(r", loops = \[[^\]]*\]", "", text)

    @staticmethod
    def rename(line: str, names: dict[str, str]) -> str:
        return VALUE.sub(lambda value: names.get(value[0], value[0]), line)

    def unroll(self, loop: re.Match, body: list[str], end: str) -> None:
        result, count, variable, low, high, step, carried, types = loop.groups()
        first, last, by = (int(self.constants[name]) for name in (low, high, step))
        start, period, _ = self.periods.pop(0) if self.periods else (0, 0, 0)
        pairs = [pair.split(" = ") for pair in carried.split(", ")]
        values = [self.renamed.get(value, value) for _, value in pairs]
        for iteration, index in enumerate(range(first, last, by)):
            named = [OP_NAME.sub(lambda m: f'{m[1]}{expand(m[2], index, iteration)}"', line) for line in body]
            if self.with_barriers:
                values = self.add_loop(f"{result[1:]}_{iteration}", variable, index, by, pairs, values, types,
                                       [*named, end])
            else:
                values = self.add_iteration(iteration, variable, index, pairs, values,
                                            self.shift(named, start + iteration * period), end)
        results = [result] if not count else [f"{result}#{i}" for i in range(int(count))]
        self.renamed |= dict(zip(results, values))

    @staticmethod
    def shift(body: list[str], cycles: int) -> list[str]:
        return [CYCLES.sub(lambda m: f"{m[1]} = {int(m[2]) + cycles}", line) for line in body]

    def add_loop(self, name: str, variable: str, index: int, by: int, pairs, values, types, body) -> list[str]:
        low, high, step = (f"%{bound}_{name}" for bound in ("low", "high", "step"))
        for bound, number in ((low, index), (high, index + by), (step, by)):
            self.out.append(f"    {bound} = arith.constant {number} : index")
        count = f":{len(values)}" if len(values) > 1 else ""
        carried = ", ".join(f"{argument} = {value}" for (argument, _), value in zip(pairs, values))
        self.out.append(f"    %loop_{name}{count} = scf.for {variable} = {low} to {high} step {step} "
                        f"iter_args({carried}) -> ({types}) {{")
        self.out += [self.rename(line, self.renamed) for line in body] + ["    }"]
        return [f"%loop_{name}"] if not count else [f"%loop_{name}#{i}" for i in range(len(values))]

    def add_iteration(self, iteration: int, variable: str, index: int, pairs, values, body, end) -> list[str]:
        names = self.renamed | {argument: value for (argument, _), value in zip(pairs, values)}
        names[variable] = f"%index_{iteration}_{variable[1:]}"
        self.out.append(f"    {names[variable]} = arith.constant {index} : index")
        for line in body:
            for name in VALUE.findall(line.split(" = ")[0]) if re.match(r"\s*%", line) else []:
                names[name] = f"%i{iteration}_{name[1:]}"
            self.out.append(self.rename(line, names))
        return [names.get(value, value) for value in VALUE.findall(end.split(" : ")[0])]


def main() -> None:
    with_barriers = sys.argv[1] == "--barriers"
    with open(sys.argv[1 + with_barriers], encoding="utf-8") as file:
        print(Unroller(file.read().splitlines(), with_barriers).run())


if __name__ == "__main__":
    main()
