"""Puts mutants before both judges, the one here and --llm-verify-schedule.

Many mutants share a process: they stand in one file, with `// -----` between them.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Iterator, Optional, Sequence

from model import Schedule, read_schedule
from mutate import Mutant
from verdict import judge_function

SPLIT = "// -----\n"
MUTANTS_PER_FILE = 100
RULES = [f"S{number}" for number in range(1, 10)]
REPORT = "--llm-export-report=format=json file=-"


@dataclass
class ToolRun:
    """What llm-opt says of each of several modules in one file."""
    errors: list[list[str]]
    reports: dict[str, dict]  # by function
    modules: str


def run_tool(modules: Sequence[str], *passes: str, output: str = "/dev/null") -> ToolRun:
    file_of_modules = tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8")
    with file_of_modules as file:
        first_lines, line = [], 1
        for module in modules:
            module = module if module.endswith("\n") else module + "\n"
            first_lines.append(line)
            file.write(module + SPLIT)
            line += module.count("\n") + 1
        file.flush()
        done = subprocess.run(
            ["llm-opt", "--split-input-file", "--mlir-disable-threading",
             "--mlir-print-op-on-diagnostic=false", file.name, *passes, "-o", output],
            capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"llm-opt ended with {done.returncode}: {done.stderr[-2000:]}")
        errors = _errors_by_module(done.stderr, file.name, first_lines)
    if bool(done.returncode) != any(errors):
        raise RuntimeError(f"exit status {done.returncode}, but errors are {done.stderr!r}")
    reports = {} if output == "-" else {
        function["function"]: function for report in _objects(done.stdout)
        for function in report.get("functions", [report])}
    return ToolRun(errors, reports, done.stdout)


def _errors_by_module(stderr: str, name: str, first_lines: list[int]) -> list[list[str]]:
    errors: list[list[str]] = [[] for _ in first_lines]
    module = -1
    for place, text in re.findall(re.escape(name) + r":(\d+):\d+: error: (.*)", stderr):
        module = sum(first <= int(place) for first in first_lines) - 1
        errors[module].append(text)
    return errors


def _objects(text: str) -> Iterator[dict]:
    decoder, position = json.JSONDecoder(), 0
    while position < len(text):
        value, position = decoder.raw_decode(text, position)
        yield value
        while position < len(text) and text[position].isspace():
            position += 1


# Verdicts


@dataclass
class Verdicts:
    """`refused`: the text is no program, or the report cannot show it. `rules` are those
    that are broken by each judge; the verifier's errors may name none."""
    what: str
    module: str
    tool_errors: list[str]
    broken: list[str] = field(default_factory=list)
    refused: Optional[str] = None

    @property
    def tool_rules(self) -> set[str]:
        return {match.group(1) for error in self.tool_errors
                if (match := re.search(r"\b(S\d): ", error))}

    @property
    def rules(self) -> set[str]:
        return {text[:2] for text in self.broken}

    @property
    def agree(self) -> bool:
        """Both accept, or both reject; and, where the verifier names rules, a common one."""
        if bool(self.tool_errors) != bool(self.broken or self.refused):
            return False
        return bool(self.refused) or not self.tool_rules or bool(self.tool_rules & self.rules)


def verdicts_on(mutants: Sequence[Mutant]) -> list[Verdicts]:
    starts = range(0, len(mutants), MUTANTS_PER_FILE)
    batches = [mutants[start:start + MUTANTS_PER_FILE] for start in starts]
    with ThreadPoolExecutor(max_workers=2) as pool:
        return [verdict for batch in pool.map(_verdicts_on_batch, batches)
                for verdict in batch]


def _verdicts_on_batch(mutants: Sequence[Mutant]) -> list[Verdicts]:
    modules = [mutant.program.text(f"m{at}") for at, mutant in enumerate(mutants)]
    verdicts = [Verdicts(mutant.what, module, errors) for mutant, module, errors
                in zip(mutants, modules, run_tool(modules, "--llm-verify-schedule").errors)]
    reports, refusals = _reports_on(verdicts)
    for at, verdict in enumerate(verdicts):
        report = reports.get(f"m{at}")
        verdict.broken = [str(b) for b in judge_function(report)] if report else []
        verdict.refused = None if report else refusals.get(at, "no report")
    return verdicts


def _reports_on(verdicts: Sequence[Verdicts]) -> tuple[dict[str, dict], dict[int, str]]:
    """The reports by function, and why the others are refused. One bad function spoils a
    module: what may be refused stands alone, and the others share a module."""
    alone, shared = [], []
    for at, verdict in enumerate(verdicts):
        may_be_refused = verdict.tool_errors and verdict.tool_rules <= {"S1"}
        (alone if may_be_refused else shared).append(at)
    joined = joined_modules([verdicts[at].module for at in shared])
    run = run_tool(joined, REPORT)
    if any(run.errors):
        alone, run = [*alone, *shared], ToolRun([], {}, "")
    run_alone = run_tool([verdicts[at].module for at in alone], REPORT)
    refusals = {at: "; ".join(errors) for at, errors in zip(alone, run_alone.errors)}
    return run.reports | run_alone.reports, refusals


def joined_modules(modules: Sequence[str]) -> list[str]:
    """Modules of one function each; those for one target become one."""
    functions_by_head: dict[str, list[str]] = {}
    for module in modules:
        begin, end = module.index("func.func"), module.rindex("}")
        functions_by_head.setdefault(module[:begin], []).append(module[begin:end])
    return [head + "".join(functions) + "}\n"
            for head, functions in functions_by_head.items()]


def schedules_of(modules: Sequence[str]) -> list[Schedule]:
    """The report of each module, read; functions are m0, m1, ..."""
    run = run_tool(modules, REPORT)
    if any(run.errors):
        raise SystemExit(f"there is no report: {run.errors}")
    return [read_schedule(run.reports[f"m{at}"]) for at in range(len(modules))]


# Counts


@dataclass
class Tally:
    """Counts of verdicts, and what the judges do not agree on."""
    judged: int = 0
    accepted: int = 0
    rejected: int = 0
    refused: int = 0
    by_rule: Counter = field(default_factory=Counter)
    only_rule: Counter = field(default_factory=Counter)
    disagreements: list[Verdicts] = field(default_factory=list)

    def add(self, verdicts: Sequence[Verdicts]) -> None:
        for verdict in verdicts:
            self.judged += 1
            if not verdict.agree:
                self.disagreements.append(verdict)
            elif verdict.refused:
                self.refused += 1
            elif verdict.broken:
                self.rejected += 1
                self.by_rule.update(verdict.rules)
                if len(verdict.rules) == 1:
                    self.only_rule.update(verdict.rules)
            else:
                self.accepted += 1

    def print(self, title: str) -> None:
        print(f"{title}: {self.judged} judged, {self.accepted} accepted and {self.rejected} "
              f"rejected by both, {self.refused} refused before any rule is read, "
              f"{len(self.disagreements)} disagreements")

    def print_rules(self) -> None:
        for rule in RULES:
            print(f"  {rule}: broken by {self.by_rule[rule]}, nothing else broken in "
                  f"{self.only_rule[rule]}")

    def failures(self, is_sample: bool) -> list[str]:
        """What makes a test of mutants fail; empty if it passes. A sample need not break
        every rule."""
        failures = []
        if not is_sample:
            failures += [f"no mutant breaks {r}" for r in RULES if not self.by_rule[r]]
        if not self.accepted:
            failures.append("no mutant is accepted")
        for verdict in self.disagreements[:10]:
            failures.append(
                f"{verdict.what}:\n    verifier: {verdict.tool_errors[:3] or 'accepts'}\n"
                f"    judge: {verdict.refused or verdict.broken[:3] or 'accepts'}")
        return failures


def finish(tally: Tally, title: str, folder: Optional[str], is_sample: bool = False) -> int:
    """Prints the counts and what went wrong; returns the exit status."""
    tally.print(title)
    tally.print_rules()
    if folder:
        os.makedirs(folder, exist_ok=True)
        for at, verdict in enumerate(tally.disagreements):
            with open(os.path.join(folder, f"{at}.mlir"), "w", encoding="utf-8") as file:
                file.write(f"// {verdict.what}\n{verdict.module}")
    failures = tally.failures(is_sample)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return bool(failures)
