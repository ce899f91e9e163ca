"""A scheduled program as text in which slots and summary can be exchanged."""
from __future__ import annotations

import re
from dataclasses import dataclass, replace

from model import Place

SLOTS = "llm.slots = #llm.slots<"
SUMMARY = "llm.schedule = #llm.schedule<"
COST = "llm.cost = #llm.cost<"
TILE = "llm.tile = #llm.tile<"
RUN = re.compile(
    r'<part = (\d+), engine = "(\w+)"\[(\d+)\](?: with = \{([^}]*)\})?, '
    r"start_cycle = (\d+), end_cycle = (\d+), lanes = \{([^}]*)\}"
    r"(?: count = (\d+))?(?: part_stride = (\d+))?(?: index_stride = (\d+))?"
    r"(?: start_stride = (\d+))?"
    r"(?: prefetches = \[((?:<[^>]*>(?:, )?)*)\])?")
FETCH = re.compile(
    r'<"([^"]+)", engine = "(\w+)"\[(\d+)\], start_cycle = (\d+), end_cycle = (\d+), '
    r"lanes = \{([^}]*)\}>")
LOOP = re.compile(r"<start_cycle = (\d+), period_cycles = (\d+), trips = (\d+)>")
SUMMARY_FIELDS = re.compile(
    r'policy = "(\w+)", makespan_cycles = (\d+), lower_bound_cycles = (\d+), '
    r"bounds = \{([^}]*)\}, roofline_cycles = (\d+)")

Amounts = tuple[tuple[str, int], ...]  # as in {dram = 256}


@dataclass(frozen=True)
class FetchText:
    """#llm.prefetch"""
    buffer: str
    engine: str
    index: int
    start_cycle: int
    end_cycle: int
    lanes: Amounts

    def __str__(self) -> str:
        return (f'<"{self.buffer}", engine = "{self.engine}"[{self.index}], '
                f"start_cycle = {self.start_cycle}, end_cycle = {self.end_cycle}, "
                f"lanes = {amounts_text(self.lanes)}>")


@dataclass(frozen=True)
class RunText:
    """#llm.slot_run"""
    part: int
    engine: str
    index: int
    start_cycle: int
    end_cycle: int
    lanes: Amounts
    count: int = 1
    part_stride: int = 1
    index_stride: int = 0
    start_stride: int = 0
    prefetches: tuple[FetchText, ...] = ()
    beside: Amounts = ()  # `with`, the index of an engine by group

    def places(self, slot: int) -> tuple[Place, ...]:
        """Of the engines that a slot of the run holds, its own first."""
        first = ((self.engine, self.index), *self.beside)
        return tuple((group, index + slot * self.index_stride) for group, index in first)

    def __str__(self) -> str:
        fetches = ", ".join(map(str, self.prefetches))
        beside = f" with = {amounts_text(self.beside)}" if self.beside else ""
        return (f'<part = {self.part}, engine = "{self.engine}"[{self.index}]{beside}, '
                f"start_cycle = {self.start_cycle}, end_cycle = {self.end_cycle}, "
                f"lanes = {amounts_text(self.lanes)} count = {self.count} "
                f"part_stride = {self.part_stride} "
                f"index_stride = {self.index_stride} start_stride = {self.start_stride}"
                + (f" prefetches = [{fetches}]>" if fetches else ">"))


@dataclass(frozen=True)
class LoopText:
    """#llm.loop_period"""
    start_cycle: int
    period_cycles: int
    trips: int

    def __str__(self) -> str:
        return (f"<start_cycle = {self.start_cycle}, period_cycles = {self.period_cycles}, "
                f"trips = {self.trips}>")


@dataclass(frozen=True)
class SummaryText:
    """#llm.schedule"""
    policy: str
    makespan_cycles: int
    lower_bound_cycles: int
    roofline_cycles: int
    bounds: Amounts
    loops: tuple[LoopText, ...]

    def __str__(self) -> str:
        loops = ", ".join(map(str, self.loops))
        return (f'policy = "{self.policy}", makespan_cycles = {self.makespan_cycles}, '
                f"lower_bound_cycles = {self.lower_bound_cycles}, "
                f"bounds = {amounts_text(self.bounds)}, "
                f"roofline_cycles = {self.roofline_cycles}"
                + (f", loops = [{loops}]" if loops else ""))


@dataclass(frozen=True)
class Program:
    """One function: `slots` are those of its ops, in the order of the text (and of the
    report); `pieces` is the text around them."""
    pieces: tuple[str, ...]
    summary: SummaryText
    slots: tuple[tuple[RunText, ...], ...]

    def with_slots(self, op: int, runs: tuple[RunText, ...]) -> "Program":
        return replace(self, slots=self.slots[:op] + (runs,) + self.slots[op + 1:])

    def with_run(self, op: int, run: int, new: RunText) -> "Program":
        runs = self.slots[op]
        return self.with_slots(op, runs[:run] + (new,) + runs[run + 1:])

    def text(self, function: str) -> str:
        values = [f"{SUMMARY}{self.summary}>"]
        values += [f"{SLOTS}[{', '.join(map(str, runs))}]>" if runs else "llm.none = 0"
                   for runs in self.slots]
        text = self.pieces[0]
        for value, piece in zip(values, self.pieces[1:]):
            text += value + piece
        text = text.replace(", llm.none = 0", "").replace("llm.none = 0, ", "")
        return renamed(text, function)


def amounts_text(amounts: Amounts) -> str:
    return "{" + ", ".join(f"{name} = {count}" for name, count in amounts) + "}"


def parse_amounts(text: str) -> Amounts:
    return tuple((name, int(count)) for name, count in re.findall(r"(\w+) = (\d+)", text))


def renamed(module: str, function: str) -> str:
    return re.sub(r"func\.func @\w+", f"func.func @{function}", module, count=1)


def end_of_attribute(text: str, begin: int) -> int:
    """Behind the `>` that closes the `<` before `begin`; names hold neither."""
    depth = 1
    for position in range(begin, len(text)):
        depth += {"<": 1, ">": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    raise ValueError("an attribute is not closed")


def one_line(text: str) -> str:
    """The decisions of each op on its line, as test/one-line.sed writes them."""
    text = re.sub(r"([\[<])\n +", r"\1", text)
    text = re.sub(r"\n +([\]>])", r"\1", text)
    return re.sub(r",\n +", ", ", text)


def parse_program(text: str) -> Program:
    """Of a scheduled module as llm-opt prints it."""
    text = one_line(text)
    pieces, slots, summary, position = [], [], None, 0
    for match in re.finditer(f"{re.escape(SUMMARY)}|{re.escape(SLOTS)}", text):
        end = end_of_attribute(text, match.end())
        body = text[match.end():end - 1]
        pieces.append(text[position:match.start()])
        position = end
        if match.group() == SUMMARY:
            summary = _parse_summary(body)
        else:
            slots.append(tuple(map(_parse_run, RUN.finditer(body))))
    if summary is None:
        raise ValueError("the program has no llm.schedule")
    return Program(tuple(pieces + [text[position:]]), summary, tuple(slots))


def _parse_run(match: re.Match) -> RunText:
    (part, engine, index, beside, start_cycle, end_cycle, lanes, count, part_stride,
     index_stride, start_stride, fetches) = match.groups()
    return RunText(int(part), engine, int(index), int(start_cycle), int(end_cycle),
                   parse_amounts(lanes), int(count or 1), int(part_stride or 1),
                   int(index_stride or 0), int(start_stride or 0),
                   tuple(map(_parse_fetch, FETCH.finditer(fetches or ""))),
                   parse_amounts(beside or ""))


def _parse_fetch(match: re.Match) -> FetchText:
    buffer, engine, index, start_cycle, end_cycle, lanes = match.groups()
    return FetchText(buffer, engine, int(index), int(start_cycle), int(end_cycle),
                     parse_amounts(lanes))


def _parse_summary(body: str) -> SummaryText:
    match = SUMMARY_FIELDS.match(body)
    policy, makespan, lower_bound, bounds, roofline = match.groups()
    loops = tuple(LoopText(*map(int, fields)) for fields in LOOP.findall(body))
    return SummaryText(policy, int(makespan), int(lower_bound), int(roofline),
                       parse_amounts(bounds), loops)
