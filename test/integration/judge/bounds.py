"""Bounds of dialects/llm/Spec.md, for ops of which each is cut in one way only."""
from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Iterable, Iterator, Optional

from model import (Group, LoopBody, Op, Part, Schedule, Stretch, Target, ceil_div, ops_of)

# What sums of real numbers may lose: a bound that is a real number is so much smaller.
LOSS = Fraction(1, 10**9)
MOST_SOURCES = 4  # with more of them a fetched byte may save any time


def knows_bounds(schedule: Schedule) -> bool:
    """Whether the ops are cut in the only way that counts: by hand, or whole where no one
    would cut them."""
    can_fetch = _memory_engines(schedule.target) != []
    return all(op.is_cut_by_hand or (len(op.parts) == 1 and not can_fetch
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
    groups = sorted({task.group.name for task in tasks})
    bounds = {"critical_path": max(task.head + task.span_cycles for task in tasks)}
    bounds |= {f"work_{name}": _work(tasks, target.groups[name]) for name in groups}
    for memory in target.shared:
        size = sum(task.all_bytes(memory) for task in tasks)
        bounds[f"bytes_{memory}"] = _streaming(target, memory, size)
    if _memory_engines(target):
        bounds |= {f"streams_{name}": max(_streams(tasks, target.groups[name], memory)
                                          for memory in target.shared)
                   for name in groups}
    return bounds | {"stages": _stages(target, tasks)}


# Ops, each for itself


@dataclass(eq=False)
class Task:
    """An op with the longest ways to its start and from its end, without itself."""
    target: Target
    op: Op
    head: int = 0
    tail: int = 0

    @property
    def group(self) -> Group:
        return self.target.groups[self.op.engine]

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
        """Alone on the machine, with all lanes of the port."""
        busy_cycles = part.compute_cycles
        for memory in self.target.shared:
            size = part.streamed_bytes(memory, without)
            if size:
                lanes = self.group.port_lanes[memory]
                busy_cycles = max(busy_cycles, self.target.streaming_cycles(memory, size, lanes))
        return part.fixed_cycles + busy_cycles

    def _fetched(self, part: Part) -> int:
        return self.shortest(part, self._fetchable(part))

    @cached_property
    def engine_cycles(self) -> int:
        """On all engines together, with all that fits fetched ahead."""
        return self._sum(self._fetched)

    @cached_property
    def span_cycles(self) -> int:
        longest = max(map(self._fetched, set_of(self.op.parts)))
        if len(self.op.parts) == 1:
            return longest
        return max(longest, ceil_div(self.engine_cycles, self.group.count))

    def all_bytes(self, memory: str) -> int:
        return self._sum(lambda part: part.streamed_bytes(memory))

    def own_bytes(self, memory: str) -> int:
        """That no memory engine can take over."""
        return self._sum(lambda part: part.streamed_bytes(memory, self._fetchable(part)))

    def curve(self, memory: str) -> Curve:
        """Of all parts together: those bytes are fetched first that save most."""
        total = Curve(Fraction(0), [])
        for part in set_of(self.op.parts):
            count = sum(other is part for other in self.op.parts)
            own = self._curve_of(part, memory)
            total.without_cycles += count * own.without_cycles
            total.pieces += [(per_byte, count * saved) for per_byte, saved in own.pieces]
        return total

    def _curve_of(self, part: Part, memory: str) -> Curve:
        streamed, fetched = self.shortest(part, frozenset()), self._fetched(part)
        points = [(0, streamed)]
        if not _memory_engines(self.target):
            return _hull(points)
        if len(part.sources) > MOST_SOURCES:
            return _hull(points + [(0, fetched)])
        for count in range(1, len(part.sources) + 1):
            for chosen in map(frozenset, itertools.combinations(part.sources, count)):
                size = sum(part.bytes_of(buffer).get(memory, 0) for buffer in chosen)
                points.append((size, max(fetched, self.shortest(part, chosen))))
        return _hull(points)


@dataclass
class Curve:
    """Cycles of engines by the bytes that are fetched ahead: falling and convex."""
    without_cycles: Fraction
    pieces: list[tuple[Fraction, Fraction]]  # cycles saved for each byte, and in all


def _hull(points: list[tuple[int, int]]) -> Curve:
    """The largest such curve above none of the points: from each on to the one that the
    steepest line leads to, the farthest of these."""
    at = min(points)
    pieces = []
    without_cycles = Fraction(at[1])
    while lower := [point for point in points if point[0] > at[0] and point[1] < at[1]]:
        per_byte, size, cycles = max(
            (Fraction(at[1] - cycles, size - at[0]), size, cycles) for size, cycles in lower)
        pieces.append((per_byte, Fraction(at[1] - cycles)))
        at = (size, cycles)
    return Curve(without_cycles, pieces)


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
    own = [task for task in tasks if task.group is group and task.engine_cycles]
    bound = 0
    for least in own:
        late = [task for task in own if (task.head, task.tail) >= (least.head, least.tail)]
        cycles = ceil_div(sum(task.engine_cycles for task in late), group.count)
        bound = max(bound, least.head + cycles + min(task.tail for task in late))
    return bound


def _streaming(target: Target, memory: str, size: int) -> int:
    """Through as many lanes as all ports together have."""
    lanes = sum(group.count * group.port_lanes[memory] for group in target.groups.values())
    return target.streaming_cycles(memory, size, min(lanes, target.shared[memory].lanes))


def _streams(tasks: Iterable[Task], group: Group, memory: str, held_bytes: int = 0) -> int:
    """The least T with engines x T >= cycles without fetches - what is saved by the bytes
    that memory engines move in T and those that are held at the start. Both sides are
    straight between the bends of the right one: T is looked for from bend to bend."""
    own = [task for task in tasks if task.group is group]
    if not own:
        return 0
    target = own[0].target
    shared = target.shared[memory]
    lanes = sum(engine.count * engine.port_lanes[memory] for engine in _memory_engines(target))
    bytes_per_cycle = Fraction(min(lanes, shared.lanes) * shared.bytes_per_second,
                               shared.lanes * target.clock_hz)
    curves = [task.curve(memory) for task in own]
    left_cycles = sum((curve.without_cycles for curve in curves), Fraction(0))
    bends = [piece for curve in curves for piece in curve.pieces]
    free_bytes = Fraction(held_bytes)
    cycle = Fraction(0)
    for per_byte, saved_cycles in sorted(bends, reverse=True):
        size = saved_cycles / per_byte
        at_once = min(size, free_bytes)
        free_bytes -= at_once
        left_cycles -= at_once * per_byte
        size -= at_once
        until = cycle + size / bytes_per_cycle
        if group.count * cycle >= left_cycles:
            break
        if group.count * until >= left_cycles - size * per_byte:
            rate = group.count + bytes_per_cycle * per_byte
            left_cycles -= group.count * cycle
            return _rounded(cycle + left_cycles / rate)
        left_cycles -= size * per_byte
        cycle = until
    return _rounded(max(cycle, left_cycles / group.count))


def _rounded(cycles: Fraction) -> int:
    lessened = cycles * (1 - LOSS) - LOSS
    return max(0, ceil_div(lessened.numerator, lessened.denominator))


def _stages(target: Target, tasks: list[Task]) -> int:
    stages = _split_into_stages(tasks)
    held_bytes = {memory: _held_bytes(target, tasks, memory) for memory in target.shared}
    ended_cycle = [0]  # at the earliest, when so many stages have ended
    for last in range(1, len(stages) + 1):
        bounds = [ended_cycle[last - 1] + _stage(target, stages[last - 1])]
        for first in range(last):
            row = [task for stage in stages[first:last] for task in stage]
            bounds.append(ended_cycle[first] + _row(target, row, held_bytes))
        ended_cycle.append(max(bounds))
    return ended_cycle[-1]


def _row(target: Target, tasks: list[Task], held_bytes: dict[str, Optional[int]]) -> int:
    """Stages in a row stream what private memories do not hold when they begin."""
    longest = 0
    for memory, held in held_bytes.items():
        if held is None:
            continue
        size = sum(task.all_bytes(memory) for task in tasks)
        longest = max(longest, _streaming(target, memory, max(0, size - held)))
        if _memory_engines(target):
            for group in {task.group.name: task.group for task in tasks}.values():
                longest = max(longest, _streams(tasks, group, memory, held))
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
    lengths = [task.head + task.span_cycles - first_cycle for task in stage]
    for group in {task.group.name: task.group for task in stage}.values():
        cycles = sum(task.engine_cycles for task in stage if task.group is group)
        lengths.append(ceil_div(cycles, group.count))
    for memory in target.shared:
        lengths.append(_streaming(target, memory, sum(task.own_bytes(memory) for task in stage)))
    return max(lengths)


def _held_bytes(target: Target, tasks: list[Task], memory: str) -> Optional[int]:
    """At most so many bytes of later ops were moved ahead at any time: a slice may stand for
    more bytes than it takes, where they are streamed more than once. None: any number."""
    if not _memory_engines(target):
        return 0
    room_bytes = sum(group.count * group.private_memory_bytes for group in target.groups.values())
    most_bytes = 0
    for task in tasks:
        for part in set_of(task.op.parts):
            for buffer, source in part.sources.items():
                size = part.bytes_of(buffer).get(memory, 0)
                if size and not source.slice_bytes:
                    return None
                if size:
                    most_bytes = max(most_bytes, ceil_div(room_bytes * size, source.slice_bytes))
    return most_bytes
