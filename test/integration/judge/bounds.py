"""Bounds of dialects/llm/Spec.md, for ops of which each is cut in one way only."""
from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Callable, Iterable, Iterator, Optional, Union

from model import (Group, LoopBody, Op, Part, Schedule, Stretch, Target, ceil_div, ops_of)

# What sums of real numbers may lose: a bound that is a real number is so much smaller.
LOSS = Fraction(1, 10**9)
MOST_SOURCES = 4  # with more of them a fetched byte may save any time


def knows_bounds(schedule: Schedule) -> bool:
    """Whether the ops are cut in the only way that counts: by hand, or as the only kernel of
    units where parts would follow each other. Of others the bounds range over all ways."""
    can_fetch = _memory_engines(schedule.target) != []
    return all(op.is_cut_by_hand or (op.has_unit_tile and len(op.parts) == 1 and not can_fetch
                                     and schedule.target.groups[op.engine].count == 1)
               for op in ops_of(schedule))


def lower_bound_cycles(schedule: Schedule) -> int:
    return sum(trips * max(_bounds_of_stretch(schedule.target, stretch).values(), default=0)
               for trips, stretch in _stretches_with_trips(schedule.items))


def bounds_cycles(schedule: Schedule) -> dict[str, int]:
    sums: dict[str, int] = defaultdict(int)
    for trips, stretch in _stretches_with_trips(schedule.items):
        for name, cycles in _bounds_of_stretch(schedule.target, stretch).items():
            sums[name] += trips * cycles
    return sums


def _stretches_with_trips(items: tuple, trips: int = 1) -> Iterator[tuple[int, Stretch]]:
    for item in items:
        if isinstance(item, LoopBody):
            yield from _stretches_with_trips(item.items, trips * item.loop.trips)
        else:
            yield trips, item


def _bounds_of_stretch(target: Target, stretch: Stretch) -> dict[str, int]:
    tasks = _make_tasks(target, stretch)
    groups = sorted({group.name for task in tasks for group in task.groups})
    bounds = {"critical_path": max(task.head + task.span_cycles for task in tasks)}
    bounds |= {f"work_{name}": _work(tasks, target.groups[name]) for name in groups}
    for memory in target.shared:
        size = sum(task.all_bytes(memory) for task in tasks)
        bounds[f"bytes_{memory}"] = _streaming(target, memory, size)
    limits = _fetch_limits(target)
    for kind, own in limits.items():
        bounds |= {f"{kind}_{name}": max(_fetched(tasks, target.groups[name], limit)
                                         for limit in own)
                   for name in groups}
    return bounds | {"stages": _stages(target, tasks, sum(limits.values(), []))}


# Ops, each for itself


@dataclass(eq=False)
class Task:
    """An op with the longest ways to its start and from its end, without itself."""
    target: Target
    op: Op
    head: int = 0
    tail: int = 0
    curves: dict[Limit, Curve] = field(default_factory=dict)

    @property
    def group(self) -> Group:
        """Through whose port it streams, and in whose private memory it works."""
        return self.target.groups[self.op.engine]

    @property
    def groups(self) -> list[Group]:
        """Of each of which a part holds an engine."""
        return [self.target.groups[name] for name in self.op.groups]

    @property
    def teams(self) -> int:
        """How many parts find engines at once."""
        return min(group.count for group in self.groups)

    def _sum(self, of_part) -> int:
        """Over the parts, most of which are equal."""
        known: dict[int, int] = {}
        for part in self.op.parts:
            if id(part) not in known:
                known[id(part)] = of_part(part)
        return sum(known[id(part)] for part in self.op.parts)

    def _fetchable(self, part: Part) -> frozenset[str]:
        if not _memory_engines(self.target) or not self.group.has_private_memory:
            return frozenset()
        all_sources = frozenset(part.sources)
        # What takes no time holds nothing.
        room_bytes = part.room_bytes(all_sources) if self.shortest(part, all_sources) else 0
        return frozenset(
            buffer for buffer, source in part.sources.items()
            if source.slice_bytes + room_bytes <= self.group.private_memory_bytes)

    def shortest(self, part: Part, without: frozenset[str]) -> int:
        """Alone on the machine, at the rate of the port."""
        busy_cycles = part.compute_cycles
        for memory in self.target.shared:
            size = part.streamed_bytes(memory, without)
            if size:
                busy_cycles = max(busy_cycles,
                                  self.target.cycles_through_port(self.group, memory, size))
        return part.fixed_cycles + busy_cycles

    def _fetched(self, part: Part) -> int:
        return self.shortest(part, self._fetchable(part))

    @cached_property
    def engine_cycles(self) -> int:
        """On all engines of a group together, with all that fits fetched ahead: a part takes
        as long on each engine that it holds."""
        return self._sum(self._fetched)

    @cached_property
    def span_cycles(self) -> int:
        joining_cycles = self._fetched(self.op.parts[-1]) if self.op.last_part_combines else 0
        parts = self.op.parts[:-1] if self.op.last_part_combines else self.op.parts
        longest = max(map(self._fetched, set_of(parts)))
        if len(parts) > 1:
            at_once_cycles = self.engine_cycles - joining_cycles
            longest = max(longest, ceil_div(at_once_cycles, self._most_at_once(len(parts))))
        return longest + joining_cycles

    def _most_at_once(self, parts: int) -> int:
        """Of each chain one part runs at a time."""
        return min(self.teams, parts // self.op.chain_length)

    def all_bytes(self, memory: str) -> int:
        return self._sum(lambda part: part.streamed_bytes(memory))

    def own_bytes(self, memory: str) -> int:
        """That no memory engine can take over."""
        return self._sum(lambda part: part.streamed_bytes(memory, self._fetchable(part)))

    def curve(self, limit: Limit) -> Curve:
        """Of all parts together: that is spent first which saves most."""
        if limit in self.curves:
            return self.curves[limit]
        total = Curve(Fraction(0), Fraction(0), [])
        for part in set_of(self.op.parts):
            count = sum(other is part for other in self.op.parts)
            own = self._curve_of(part, limit)
            total.least += count * own.least
            total.cycles += count * own.cycles
            total.pieces += [(per_unit, count * saved) for per_unit, saved in own.pieces]
        self.curves[limit] = total
        return total

    def _curve_of(self, part: Part, limit: Limit) -> Curve:
        points = []
        if len(part.sources) <= MOST_SOURCES:
            for count in range(len(part.sources) + 1):
                for fetched in map(frozenset, itertools.combinations(part.sources, count)):
                    run = self.run(part, fetched)
                    if not run.cycles or run.held_bytes <= self.group.private_memory_bytes:
                        points.append((limit.amount(run), run.cycles))
        return _hull(points or [(Fraction(0), self._fetched(part))])

    def run(self, part: Part, fetched: frozenset[str]) -> Run:
        return Run(self.group, part, fetched, self.shortest(part, fetched),
                   part.room_bytes(fetched)
                   + sum(part.sources[buffer].slice_bytes for buffer in fetched))


@dataclass(frozen=True)
class Run:
    """A part with some sources fetched, alone on the machine."""
    group: Group
    part: Part
    fetched: frozenset[str]
    cycles: int
    held_bytes: int


@dataclass
class Curve:
    """Cycles of engines by what is spent on fetching: falling and convex."""
    least: Fraction
    cycles: Fraction  # when no more than the least is spent
    pieces: list[tuple[Fraction, Fraction]]  # cycles saved by each unit, and in all


def _hull(points: list[tuple[Fraction, int]]) -> Curve:
    """The largest such curve above none of the points: from each on to the one that the
    steepest line leads to, the farthest of these."""
    least = at = min(points)
    pieces = []
    while lower := [point for point in points if point[0] > at[0] and point[1] < at[1]]:
        per_unit, amount, cycles = max(
            ((at[1] - cycles) / (amount - at[0]), amount, cycles) for amount, cycles in lower)
        pieces.append((per_unit, Fraction(at[1] - cycles)))
        at = (amount, cycles)
    return Curve(Fraction(least[0]), Fraction(least[1]), pieces)


def set_of(parts: Iterable[Part]) -> list[Part]:
    """Each once: equal parts of a record are one object."""
    return list({id(part): part for part in parts}.values())


def _memory_engines(target: Target) -> list[Group]:
    return [group for group in target.groups.values() if "memory" in group.kinds]


def _make_tasks(target: Target, stretch: Stretch) -> list[Task]:
    """In the order of the program, so that what one depends on comes before it."""
    tasks = {op.name: Task(target, op) for op in stretch.ops}
    for task in tasks.values():
        for before in _predecessors(tasks, task):
            task.head = max(task.head, before.head + before.span_cycles)
    for task in reversed(tasks.values()):
        for before in _predecessors(tasks, task):
            before.tail = max(before.tail, task.tail + task.span_cycles)
    return list(tasks.values())


def _predecessors(tasks: dict[str, Task], task: Task) -> list[Task]:
    return [tasks[name] for name in task.op.depends_on if name in tasks]


# All of them


def _work(tasks: list[Task], group: Group) -> int:
    """Of the ops from some (head, tail) on: none starts before the smallest head, and none
    has less behind it than the smallest tail."""
    own = [task for task in tasks if group in task.groups and task.engine_cycles]
    bound = 0
    for least in own:
        late = [task for task in own if (task.head, task.tail) >= (least.head, least.tail)]
        cycles = ceil_div(sum(task.engine_cycles for task in late), group.count)
        bound = max(bound, least.head + cycles + min(task.tail for task in late))
    return bound


def _streaming(target: Target, memory: str, size: int) -> int:
    """At the rate of all ports together."""
    rate = sum(group.count * group.port_bytes_per_second[memory]
               for group in target.groups.values())
    return ceil_div(size * target.clock_hz, min(rate, target.shared[memory].bytes_per_second))


# What limits fetching ahead


@dataclass(eq=False)
class MovingLimit:
    """Memory engines move only so many bytes, and while a part runs no more for its engine
    than there is room for beside it; the share says how much of the second counts."""
    target: Target
    memory: str
    room_share: Fraction

    @cached_property
    def bytes_per_cycle(self) -> Fraction:
        shared = self.target.shared[self.memory]
        rate = sum(engine.count * engine.port_bytes_per_second[self.memory]
                   for engine in _memory_engines(self.target))
        return Fraction(min(rate, shared.bytes_per_second), self.target.clock_hz)

    def amount(self, run: Run) -> Fraction:
        moved = {buffer: run.part.bytes_of(buffer).get(self.memory, 0) for buffer in run.fetched}
        amount = (1 - self.room_share) * sum(moved.values())
        if not run.cycles:
            return amount
        slices = sum(min(size, run.part.sources[buffer].slice_bytes)
                     for buffer, size in moved.items())
        beside_bytes = run.group.private_memory_bytes - run.held_bytes
        unused = max(Fraction(0), self.bytes_per_cycle * run.cycles - beside_bytes)
        return amount + self.room_share * (slices + unused)

    def per_cycle(self, engines: int) -> Fraction:
        return self.bytes_per_cycle * (1 - self.room_share + self.room_share * engines)

    def held(self, held: Held, engines: int) -> Optional[Fraction]:
        moved_bytes = held.moved_bytes[self.memory]
        if moved_bytes is None:
            return None
        return (1 - self.room_share) * moved_bytes + self.room_share * held.room_bytes


@dataclass(eq=False)
class RoomLimit:
    """A slice is held from the start of its fetch to the end of its part."""
    target: Target
    shares: int

    def _share_of(self, size: int, group: Group) -> Fraction:
        if not size or not self.shares:
            return Fraction(size, group.private_memory_bytes) if size else Fraction(0)
        whole = ceil_div(size * (self.shares + 1), group.private_memory_bytes)
        return Fraction(whole - 1, self.shares)

    def amount(self, run: Run) -> Fraction:
        fetches = sum(self._share_of(run.part.sources[buffer].slice_bytes, run.group)
                      * _fetch_cycles(self.target, run.part, buffer) for buffer in run.fetched)
        return Fraction(fetches + self._share_of(run.held_bytes if run.cycles else 0, run.group)
                        * run.cycles)

    def per_cycle(self, engines: int) -> Fraction:
        return Fraction(engines)

    def held(self, held: Held, engines: int) -> Optional[Fraction]:
        return Fraction(engines * held.fetch_cycles)


Limit = Union[MovingLimit, RoomLimit]


def _fetch_limits(target: Target) -> dict[str, list[Limit]]:
    if not _memory_engines(target):
        return {}
    streams, mean, room = ([MovingLimit(target, memory, Fraction(share))
                            for memory in target.shared] for share in (0, "1/6", 1))
    return {"streams": streams,
            "room": mean + room + [RoomLimit(target, shares) for shares in range(5)]}


def _fetch_cycles(target: Target, part: Part, buffer: str) -> int:
    return min(max((target.cycles_through_port(engine, memory, size)
                    for memory, size in part.bytes_of(buffer).items() if size), default=0)
               for engine in _memory_engines(target))


def _fetched(tasks: Iterable[Task], group: Group, limit: Limit,
             held: Fraction = Fraction(0)) -> int:
    """The least T with engines x T >= cycles without fetches - what is saved by what there
    is in T and is held at the start, of the ops whose own engine is of the group: those that
    only hold one beside theirs fetch nothing for it. Both sides are straight between the bends
    of the right one: T is looked for from bend to bend."""
    curves = [task.curve(limit) for task in tasks if task.group is group]
    if not curves:
        return 0
    per_cycle = limit.per_cycle(group.count)
    left_cycles = sum((curve.cycles for curve in curves), Fraction(0))
    least = sum((curve.least for curve in curves), Fraction(0))
    sums = left_cycles / group.count + (held + least) / per_cycle
    free = held - least
    cycle = max(Fraction(0), -free / per_cycle)
    free = max(Fraction(0), free)
    for per_unit, saved_cycles in sorted((piece for curve in curves for piece in curve.pieces),
                                         reverse=True):
        amount = saved_cycles / per_unit
        at_once = min(amount, free)
        free -= at_once
        left_cycles -= at_once * per_unit
        amount -= at_once
        until = cycle + amount / per_cycle
        if group.count * cycle >= left_cycles:
            break
        if group.count * until >= left_cycles - amount * per_unit:
            rate = group.count + per_cycle * per_unit
            left_cycles -= group.count * cycle
            return _rounded(cycle + left_cycles / rate, sums)
        left_cycles -= amount * per_unit
        cycle = until
    return _rounded(max(cycle, left_cycles / group.count), sums)


def _rounded(cycles: Fraction, sums: Fraction) -> int:
    lessened = cycles * (1 - LOSS) - LOSS - sums * LOSS / 1000
    return max(0, ceil_div(lessened.numerator, lessened.denominator))


def _stages(target: Target, tasks: list[Task], limits: list[Limit]) -> int:
    stages = _split_into_stages(tasks)
    held = _held_ahead(target, tasks)
    ended_cycle = [0]  # at the earliest, when so many stages have ended
    for last in range(1, len(stages) + 1):
        bounds = [ended_cycle[last - 1] + _stage(target, stages[last - 1])]
        for first in range(last):
            row = [task for stage in stages[first:last] for task in stage]
            bounds.append(ended_cycle[first] + _row(target, row, limits, held if first else None))
        ended_cycle.append(max(bounds))
    return ended_cycle[-1]


def _row(target: Target, tasks: list[Task], limits: list[Limit], held: Optional[Held]) -> int:
    """Stages in a row stream what private memories do not hold when they begin: nothing is
    held before the first one."""
    longest = 0
    for memory in target.shared:
        held_bytes = held.moved_bytes[memory] if held else 0
        if held_bytes is not None:
            size = sum(task.all_bytes(memory) for task in tasks)
            longest = max(longest, _streaming(target, memory, max(0, size - held_bytes)))
    for limit in limits:
        for group in {task.group.name: task.group for task in tasks}.values():
            amount = limit.held(held, group.count) if held else Fraction(0)
            if amount is not None:
                longest = max(longest, _fetched(tasks, group, limit, amount))
    return longest


def _split_into_stages(tasks: list[Task]) -> list[list[Task]]:
    """An op that waits for all before it, and that all behind it wait for, is a stage; so
    are those between two of them."""
    names = {task.op.name: number for number, task in enumerate(tasks)}
    ancestors: list[set[int]] = []
    for task in tasks:
        direct = [names[name] for name in task.op.depends_on if name in names]
        ancestors.append(set(direct).union(*(ancestors[number] for number in direct)))
    stages: list[list[Task]] = [[]]
    for number, task in enumerate(tasks):
        separates = (len(ancestors[number]) == number
                     and all(number in later for later in ancestors[number + 1:]))
        if separates:
            stages += [[task], []]
        else:
            stages[-1].append(task)
    return [stage for stage in stages if stage]


def _stage(target: Target, stage: list[Task]) -> int:
    first_cycle = min(task.head for task in stage)
    last_tail = min(task.tail for task in stage)
    ways = {task: (task.head - first_cycle, task.tail - last_tail) for task in stage}
    lengths = [head + task.span_cycles + tail for task, (head, tail) in ways.items()]
    for group in {group.name: group for task in stage for group in task.groups}.values():
        own = [(task.engine_cycles, *ways[task]) for task in stage if group in task.groups]
        lengths.append(_shared(own, lambda cycles: ceil_div(cycles, group.count)))
    for memory in target.shared:
        own = [(task.own_bytes(memory), *ways[task]) for task in stage]
        lengths.append(_shared(own, lambda size: _streaming(target, memory, size)))
    return max(lengths)


def _shared(amounts: list[tuple[int, int, int]], cycles_of: Callable[[int], int]) -> int:
    """Of (amount, head, tail): those that start late pass after the least of their heads, and
    before the least of their tails; so do those that end early."""
    amounts = [amount for amount in amounts if amount[0]]
    bound = 0
    for way in (1, 2):
        for least in amounts:
            some = [amount for amount in amounts if amount[way] >= least[way]]
            bound = max(bound, cycles_of(sum(amount for amount, _, _ in some))
                        + min(head for _, head, _ in some) + min(tail for _, _, tail in some))
    return bound


@dataclass
class Held:
    """The most that private memories hold of what was fetched before a row of stages."""
    room_bytes: int
    moved_bytes: dict[str, Optional[int]]  # None: any number
    fetch_cycles: int


def _held_ahead(target: Target, tasks: list[Task]) -> Held:
    """A slice may stand for more bytes than it takes, where they are streamed more than
    once."""
    if not _memory_engines(target):
        return Held(0, {memory: 0 for memory in target.shared}, 0)
    room_bytes = sum(group.count * group.private_memory_bytes for group in target.groups.values())
    largest_bytes = max(group.private_memory_bytes for group in target.groups.values())
    held = Held(room_bytes, {memory: 0 for memory in target.shared}, 0)
    for part in (part for task in tasks for part in set_of(task.op.parts)):
        for buffer, source in part.sources.items():
            if source.slice_bytes <= largest_bytes:
                held.fetch_cycles = max(held.fetch_cycles, _fetch_cycles(target, part, buffer))
            for memory, size in part.bytes_of(buffer).items():
                most = held.moved_bytes.get(memory)
                if size and most is not None:
                    held.moved_bytes[memory] = max(
                        most, ceil_div(room_bytes * size, source.slice_bytes)
                    ) if source.slice_bytes else None
    return held
