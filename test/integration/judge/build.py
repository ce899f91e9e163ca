"""Valid schedules by hand, with fetches ahead where no policy has them, and slots longer
than they need be. Each part goes where a throw of the dice puts it, as early as there is
room from then on."""
from __future__ import annotations

import copy
import random
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Optional

from model import Group, LoopBody, Op, Part, Place, Schedule, Stretch, Target, engine_name, ops_of
from program import Amounts, FetchText, LoopText, Program, RunText

Interval = tuple[int, int, int]  # from, to, how much


@dataclass
class Held:
    """What is taken in a stretch, at which cycles."""
    engines: dict[str, list[Interval]] = field(default_factory=lambda: defaultdict(list))
    lanes: dict[str, list[Interval]] = field(default_factory=lambda: defaultdict(list))
    bytes: dict[str, list[Interval]] = field(default_factory=lambda: defaultdict(list))

    def ends(self, start_cycle: int) -> list[int]:
        """Where room may begin."""
        taken = [end for held in self.engines.values() for _, end, _ in held]
        return sorted({start_cycle, *(end for end in taken if end >= start_cycle)})


def most_held(held: list[Interval], start_cycle: int, end_cycle: int) -> int:
    """The most at any cycle of a span: it grows only where an interval starts."""
    cycles = [start_cycle] + [start for start, _, _ in held if start_cycle < start < end_cycle]
    return max(sum(much for start, end, much in held if start <= cycle < end)
               for cycle in cycles)


def build(program: Program, schedule: Schedule, rng: random.Random) -> Program:
    """Other slots for the program of a report; its bounds do not depend on slots."""
    runs: dict[str, list[RunText]] = {}
    loops: dict[int, LoopText] = {}
    makespan_cycles = _build_items(schedule.target, schedule.items, rng, runs, loops)
    summary = replace(program.summary, policy="dice", makespan_cycles=makespan_cycles,
                      loops=tuple(loops[number] for number in sorted(loops)))
    slots = tuple(tuple(runs[op.name]) for op in ops_of(schedule))
    return replace(program, summary=summary, slots=slots)


def _build_items(target: Target, items: tuple, rng: random.Random,
                 runs: dict[str, list[RunText]], loops: dict[int, LoopText]) -> int:
    cycle = 0
    for item in items:
        if isinstance(item, LoopBody):
            period_cycles = _build_items(target, item.items, rng, runs, loops)
            loops[item.number] = LoopText(cycle, period_cycles, item.loop.trips)
            cycle += period_cycles * item.loop.trips
        else:
            cycle = _build_stretch(target, item, cycle, rng, runs)
    return cycle


def _build_stretch(target: Target, stretch: Stretch, start_cycle: int, rng: random.Random,
                   runs: dict[str, list[RunText]]) -> int:
    held, end_cycle = Held(), {}
    for op in stretch.ops:
        ready_cycle = max([start_cycle] + [end_cycle.get(name, 0) for name in op.depends_on])
        placed: list[RunText] = []
        for part in range(len(op.parts)):
            there_cycle = {
                buffer: max([start_cycle] + [end_cycle.get(name, 0) for name in source.awaited])
                for buffer, source in op.parts[part].sources.items()}
            if op.last_part_combines and part == len(op.parts) - 1:
                ready_cycle = max([ready_cycle] + [run.end_cycle for run in placed])
            placed.append(_place(target, op, part, held, (there_cycle, ready_cycle), rng))
        end_cycle[op.name] = max(run.end_cycle for run in placed)
        rng.shuffle(placed)
        runs[op.name] = placed
    return max(end_cycle.values(), default=start_cycle)


def _place(target: Target, op: Op, number: int, held: Held,
           starts: tuple[dict[str, int], int], rng: random.Random) -> RunText:
    part = op.parts[number]
    for attempt in range(6):
        group = target.groups[op.engine]
        places = [(name, rng.randrange(target.groups[name].count)) for name in op.groups]
        buffers = [] if attempt == 5 else _to_fetch(target, part, group, rng)
        fetches = _place_fetches(target, op, number, buffers, held, starts[0], rng)
        run = _place_part(target, op, number, places, held, starts[1], fetches, rng)
        if run:
            return run
    raise ValueError(f"no room for {op.name}")


def _to_fetch(target: Target, part: Part, group: Group, rng: random.Random) -> list[str]:
    if not any("memory" in other.kinds for other in target.groups.values()):
        return []
    def fits(buffers: list[str]) -> bool:
        slices_bytes = sum(part.sources[buffer].slice_bytes for buffer in buffers)
        return part.room_bytes(buffers) + slices_bytes <= group.private_memory_bytes

    fitting = [buffer for buffer in part.sources
               if part.bytes_of(buffer) and fits([buffer]) and group.has_private_memory]
    chosen = rng.sample(fitting, min(len(fitting), rng.choice([0, 1, 1, 2])))
    return chosen if fits(chosen) else chosen[:1]


def _lanes(target: Target, group: Group, sizes: dict[str, int], compute_cycles: int,
           rng: random.Random) -> tuple[int, dict[str, int]]:
    """Busy cycles and lanes: some lanes of the port for each memory, then, as the slowest
    stream sets the time, the fewest for all."""
    busy_cycles = compute_cycles
    for memory, size in sizes.items():
        port = group.port_lanes[memory]
        lanes = rng.choice([port, rng.randrange(1, port + 1)])
        busy_cycles = max(busy_cycles, target.streaming_cycles(memory, size, lanes),
                          target.cycles_through_port(group, memory, size))
    return busy_cycles, {memory: target.streaming_cycles(memory, size, busy_cycles)
                         for memory, size in sizes.items()}


def _fits(target: Target, held: Held, places: list[Place], span: tuple[int, int],
          lanes: dict[str, int]) -> bool:
    if span[0] == span[1]:
        return True
    return (all(most_held(held.engines[engine_name(place)], *span) == 0 for place in places)
            and all(most_held(held.lanes[memory], *span) + count <= target.shared[memory].lanes
                    for memory, count in lanes.items()))


def _take(held: Held, places: list[Place], span: tuple[int, int], lanes: dict[str, int]) -> None:
    for place in places:
        held.engines[engine_name(place)].append((*span, 1))
    for memory, count in lanes.items():
        held.lanes[memory].append((*span, count))


def _place_fetches(target: Target, op: Op, number: int, buffers: list[str], held: Held,
                   starts: dict[str, int], rng: random.Random) -> list[FetchText]:
    """Those that find room; each takes it at once for the next, and the part tries again
    elsewhere if there is none left for itself."""
    fetches: list[FetchText] = []
    tried = copy.deepcopy(held)
    for buffer in buffers:
        fetch = _place_fetch(target, op.parts[number], buffer, tried, starts[buffer], rng)
        if fetch:
            span = (fetch.start_cycle, fetch.end_cycle)
            _take(tried, [(fetch.engine, fetch.index)], span, dict(fetch.lanes))
            fetches.append(fetch)
    return fetches


def _place_fetch(target: Target, part: Part, buffer: str, held: Held, start_cycle: int,
                 rng: random.Random) -> Optional[FetchText]:
    group = rng.choice([g for g in target.groups.values() if "memory" in g.kinds])
    index = rng.randrange(group.count)
    busy_cycles, lanes = _lanes(target, group, part.bytes_of(buffer), 0, rng)
    place = (group.name, index)
    for cycle in held.ends(start_cycle):
        if rng.random() < 0.8 and _fits(target, held, [place], (cycle, cycle + busy_cycles),
                                        lanes):
            return FetchText(buffer, group.name, index, cycle, cycle + busy_cycles,
                             _amounts(lanes))
    return None


def _place_part(target: Target, op: Op, number: int, places: list[Place], held: Held,
                ready_cycle: int, fetches: list[FetchText], rng: random.Random
                ) -> Optional[RunText]:
    """`places`: of its own engine, in whose private memory it works, and of those beside."""
    part, group, (own, *beside) = op.parts[number], target.groups[op.engine], places
    without = frozenset(fetch.buffer for fetch in fetches)
    sizes = {memory: part.streamed_bytes(memory, without) for memory in target.shared}
    sizes = {memory: size for memory, size in sizes.items() if size}
    busy_cycles, lanes = _lanes(target, group, sizes, part.compute_cycles, rng)
    length_cycles = part.fixed_cycles + busy_cycles
    first_cycle = max([ready_cycle] + [fetch.end_cycle for fetch in fetches])
    fetching = [([(f.engine, f.index)], (f.start_cycle, f.end_cycle), dict(f.lanes))
                for f in fetches]
    for cycle in held.ends(first_cycle):
        cycle += rng.choice([0, 0, 0, 1, 5])
        span = (cycle, cycle + length_cycles)
        holds = [(*span, part.room_bytes(without))] if length_cycles else []
        holds += [(f.start_cycle, span[1], part.sources[f.buffer].slice_bytes) for f in fetches]
        holding = held.bytes[engine_name(own)]
        if _fits(target, held, places, span, lanes) and _room(group, holding, holds):
            for taken in [(places, span, lanes), *fetching]:
                _take(held, *taken)
            holding += holds
            return RunText(number, *own, *span, _amounts(lanes), prefetches=tuple(fetches),
                           beside=tuple(sorted(beside)))
    return None


def _room(group: Group, held: list[Interval], more: list[Interval]) -> bool:
    if not more:
        return True
    first_cycle = min(start for start, _, _ in more)
    last_cycle = max(end for _, end, _ in more)
    return most_held(held + more, first_cycle, last_cycle) <= group.private_memory_bytes


def _amounts(lanes: dict[str, int]) -> Amounts:
    return tuple(sorted(lanes.items()))
