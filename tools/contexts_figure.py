#!/usr/bin/env python3
"""Writes docs/images/contexts.svg and the tables of docs/hybrids.md: what a longer context costs decoders.

    tools/contexts_figure.py [--bin=build/bin] [--models=NAME,..] [--contexts=KEYS,..] [--write] [--svg=FILE]

One sequence decodes one token, with the whole model on one H100 (whether its weights fit or not): ops that
can are fused, each schedule is verified. Without --write the tables are printed.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from line_chart import Axis, Line, Panel, svg

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "hybrids.md"
MARK = "<!-- tables: tools/contexts_figure.py -->\n"
TARGET = "h100-sxm"
MODELS = {  # the others are compared with the first one
    "Qwen--Qwen3-30B-A3B": "#7f7f7f", "Qwen--Qwen3.5-35B-A3B": "#1f77b4",
    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "#2ca02c", "google--gemma-4-26B-A4B": "#ff7f0e",
    "deepseek-ai--DeepSeek-V3.2": "#d62728", "moonshotai--Kimi-K3": "#9467bd"}
CONTEXTS = [1 << power for power in range(10, 21, 2)]
SAME_STEP = 1024  # in keys: the precision of the context at which two models take the same time
PASSES = [f"--llm-target=name={TARGET}", "--llm-fuse-projections", "--llm-fuse", "--llm-tile", "--llm-schedule",
          "--llm-verify-cost", "--llm-verify-schedule=capacity=false"]


@dataclass
class Step:
    """The cost of one token of one sequence."""
    milliseconds: float
    kept_bytes: int  # of states, and of caches as far as layers see them
    state_bytes: int

    @property
    def tokens_per_second(self) -> float:
        return 1000 / self.milliseconds


def run(*command) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")


class Decoder:
    """A model whose steps are computed once for each context."""

    def __init__(self, model: str, bin_folder: Path, work: Path):
        self.model, self.bin_folder, self.work = model, bin_folder, work
        self.steps: dict[int, Step] = {}

    @property
    def name(self) -> str:
        return self.model.partition("--")[2].removeprefix("NVIDIA-").removesuffix("-BF16")

    def step(self, keys: int) -> Step:
        if keys not in self.steps:
            program, report = self.work / "program.mlir", self.work / "report.json"
            run(self.bin_folder / "llm-translate", "--import-hf-config", ROOT / "test" / "models" / f"{self.model}.json",
                "--layers=all", f"--kv-len={keys}", "-o", program)
            run(self.bin_folder / "llm-opt", program, *PASSES, f"--llm-export-report=format=json file={report}",
                "-o", "/dev/null")
            found = json.loads(report.read_text())
            totals = found["totals"]
            self.steps[keys] = Step(found["makespan_us"] / 1000, totals["kv_read_bytes"] + totals["state_bytes"],
                                    totals["state_bytes"])
        return self.steps[keys]


def where_faster(decoder: Decoder, other: Decoder, contexts: list[int]) -> str:
    """Says at which contexts in the range of these a decoder takes less time than another one."""
    def is_faster(keys: int) -> bool:
        return decoder.step(keys).milliseconds < other.step(keys).milliseconds
    low, high = contexts[0], contexts[-1]
    begins, ends = is_faster(low), is_faster(high)
    if begins == ends:
        return "" if decoder is other else "everywhere" if begins else "nowhere"
    while high - low > SAME_STEP:
        middle = (low + high) // 2
        low, high = (middle, high) if is_faster(middle) == begins else (low, middle)
    return f"{'up to' if begins else 'from'} {round(high / SAME_STEP) * SAME_STEP:,}"


def keys_text(keys: int) -> str:
    return f"{keys >> 20}M" if keys >= 1 << 20 else f"{keys >> 10}k" if keys >= 1 << 10 else str(keys)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1),
            *("| " + " | ".join(row) + " |" for row in rows), ""]


def tables(decoders: list[Decoder], contexts: list[int]) -> str:
    columns = [keys_text(keys) for keys in contexts]
    lines = ["### Tokens per second", ""]
    lines += table(["keys", *columns], [
        [each.name, *(f"{each.step(keys).tokens_per_second:.1f}" for keys in contexts)] for each in decoders])
    lines += ["### Megabytes of a sequence", ""]
    lines += table(["keys", *columns], [
        [each.name, *(f"{each.step(keys).kept_bytes / 1e6:,.1f}" for keys in contexts)] for each in decoders])
    lines += ["### What does not grow, and what does", ""]
    rows = []
    before, last = contexts[-2:]
    for each in decoders:
        of_key = (each.step(last).kept_bytes - each.step(before).kept_bytes) // (last - before)
        fixed = each.step(last).kept_bytes - last * of_key
        longer = each.step(last).milliseconds - each.step(contexts[0]).milliseconds
        rows.append([each.name, f"{of_key:,}", f"{each.step(last).state_bytes:,}",
                     f"{fixed - each.step(last).state_bytes:,}", f"{fixed / of_key:,.0f}", f"{longer:.2f}",
                     f"{100 * longer / each.step(last).milliseconds:.0f} %", where_faster(each, decoders[0], contexts)])
    lines += table(["model", "bytes of a key", "bytes of states", "bytes of windows", "both, in keys",
                    f"ms longer at {columns[-1]} than at {columns[0]}", "of the step",
                    f"keys where it is faster than {decoders[0].name}"], rows)
    return "\n".join(lines).rstrip() + "\n"


def ticks(values: list[float], names: dict[float, str]) -> dict[float, str]:
    """Returns the names between the least and the largest value, and one more on either side."""
    steps = sorted(names)
    first = max(step for step in steps if step <= min(values))
    last = min(step for step in steps if step >= max(values))
    return {step: names[step] for step in steps if first <= step <= last}


def draw(decoders: list[Decoder], contexts: list[int]) -> str:
    across = Axis("keys that the token sees", {keys: keys_text(keys) for keys in contexts})
    speeds = {10.0 ** power * digit: f"{10 ** power * digit}" for power in range(5) for digit in (1, 2, 5)}
    sizes = {10.0 ** power: f"{10 ** (power % 3)} {'kMGT'[power // 3 - 1]}B" for power in range(3, 15)}
    panels = []
    for title, unit, names, value in (
            (f"One sequence on {TARGET}", "tokens/s", speeds, lambda step: step.tokens_per_second),
            ("What a sequence keeps", "caches and states", sizes, lambda step: step.kept_bytes)):
        lines = [Line(each.name, [(keys, value(each.step(keys))) for keys in contexts], MODELS[each.model])
                 for each in decoders]
        upright = Axis(unit, ticks([y for line in lines for _, y in line.points], names))
        panels.append(Panel(across, upright, lines, left=75 + 600 * len(panels), top=40, width=340, title=title))
    return svg(1200, 400, panels)


def write_page(text: str) -> None:
    head, mark, _ = PAGE.read_text().partition(MARK)
    if not mark:
        sys.exit(f"{PAGE} has no place for the tables")
    beside = PAGE.with_suffix(".tmp")
    beside.write_text(head + mark + "\n" + text)
    beside.rename(PAGE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(MODELS))
    parser.add_argument("--contexts", type=lambda text: sorted(map(int, text.split(","))), default=CONTEXTS)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    unknown = [model for model in options.models if model not in MODELS]
    if unknown:
        parser.error(f"'{unknown[0]}' is none of {', '.join(MODELS)}")
    if len(options.contexts) < 2:
        parser.error("--contexts needs two numbers of keys or more")
    with tempfile.TemporaryDirectory() as folder:
        decoders = [Decoder(model, options.bin.resolve(), Path(folder)) for model in options.models]
        text = tables(decoders, options.contexts)
    picture = draw(decoders, options.contexts)
    if options.write:
        write_page(text)
        (ROOT / "docs/images/contexts.svg").write_text(picture)
    else:
        print(text, end="")
    if options.svg:
        options.svg.write_text(picture)


if __name__ == "__main__":
    main()
