"""S9 of dialects/llm/Spec.md: the summary, derived anew from slots, parts and target."""
from __future__ import annotations

from collections import defaultdict
from typing import Iterator, Optional

from model import (Group, LoopBody, Op, Part, Schedule, Stretch, Target, ceil_div, loops_of,
                   stretches_of)
from rules import Broken, end_of_item, end_of_items

# Classes of element types, each from narrow to wide (lib/Target/presets/README.md); types of
# one width stand for each other.
FLOAT_WIDTHS = (("f4",), ("f6",), ("f8",), ("f16", "bf16"), ("tf32",), ("f32",), ("f64",))
INTEGER_WIDTHS = (("i4",), ("i8",), ("i16",), ("i32",), ("i64",))


def check_summary(schedule: Schedule) -> list[Broken]:
    """All that is broken of S9."""
    said = {"makespan": schedule.makespan_cycles,
            "lower bound": schedule.lower_bound_cycles,
            "roofline": schedule.roofline_cycles}
    derived = {"makespan": end_of_items(schedule.items),
               "lower bound": lower_bound_cycles(schedule),
               "roofline": roofline_cycles(schedule)}
    said |= {f"bound {name}": cycles for name, cycles in schedule.bounds.items()}
    derived |= {f"bound {name}": cycles for name, cycles in bounds_cycles(schedule).items()}
    broken = [Broken("S9", name, f"it says {said.get(name)}, derived are {derived.get(name)}")
              for name in sorted(said | derived) if said.get(name) != derived.get(name)]
    broken += _check_loops(schedule.items)
    broken += _check_trips(schedule)
    return broken


def _check_loops(items: tuple) -> Iterator[Broken]:
    cycle = 0
    for item in items:
        if isinstance(item, LoopBody):
            where = f"loop {item.number}"
            if item.loop.start_cycle != cycle:
                yield Broken("S9", where, f"it starts at {cycle}")
            period_cycles = end_of_items(item.items)
            if item.loop.period_cycles != period_cycles:
                yield Broken("S9", where, f"its period is {period_cycles}")
            yield from _check_loops(item.items)
        cycle = end_of_item(item, cycle)


def _check_trips(schedule: Schedule) -> Iterator[Broken]:
    """An op runs as often as the trips of the loops around it say."""
    trips = {body.number: body.loop.trips for body in loops_of(schedule.items)}
    if len(trips) != schedule.recorded_loops:
        yield Broken("S9", "loops", f"the program has {len(trips)}")
    for stretch in stretches_of(schedule.items):
        for op in stretch.ops:
            runs = 1
            for number in op.loops:
                runs *= trips[number]
            if runs != op.runs:
                yield Broken("S9", op.name, f"it runs {op.runs} times, its loops {runs}")


# Bounds


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
    bounds = {"critical_path": _critical_path_cycles(target, stretch)}
    bounds |= _work_bounds(target, stretch)
    for memory in target.shared.values():
        size = sum(part.streamed_bytes(memory.name) for op in stretch.ops for part in op.parts)
        bounds[f"bytes_{memory.name}"] = ceil_div(size * target.clock_hz,
                                                  memory.bytes_per_second)
    return bounds


def _critical_path_cycles(target: Target, stretch: Stretch) -> int:
    """Ops come in the order of the program, so that what one depends on is done."""
    end_cycle: dict[str, int] = {}
    for op in stretch.ops:
        ready_cycle = max((end_cycle.get(name, 0) for name in op.depends_on), default=0)
        longest_cycles = max(shortest_cycles(target, op, part) for part in op.parts)
        end_cycle[op.name] = ready_cycle + longest_cycles
    return max(end_cycle.values(), default=0)


def _work_bounds(target: Target, stretch: Stretch) -> dict[str, int]:
    """One bound for each group that the cost of an op is for."""
    cycles_of_group: dict[str, int] = defaultdict(int)
    for op in stretch.ops:
        cycles_of_group[op.engine] += sum(shortest_cycles(target, op, part)
                                          for part in op.parts)
    return {f"work_{name}": ceil_div(cycles, target.groups[name].count)
            for name, cycles in cycles_of_group.items()}


def shortest_cycles(target: Target, op: Op, part: Part) -> int:
    """Alone on the machine, with all lanes of the port, what fits fetched ahead."""
    group = target.groups[op.engine]
    fetched = _fetchable(target, op, part, group)
    busy_cycles = part.compute_cycles
    for memory in target.shared:
        size = part.streamed_bytes(memory, without=fetched)
        if size:
            lanes = group.port_lanes[memory]
            busy_cycles = max(busy_cycles, target.streaming_cycles(memory, size, lanes))
    return part.fixed_cycles + busy_cycles


def _fetchable(target: Target, op: Op, part: Part, group: Group) -> frozenset[str]:
    has_memory_engine = any("memory" in other.kinds for other in target.groups.values())
    if not has_memory_engine or not group.has_private_memory:
        return frozenset()
    room_bytes = group.private_memory_bytes - part.working_set_bytes
    return frozenset(b for b, size in op.source_bytes.items() if size <= room_bytes)


# Roofline


def roofline_cycles(schedule: Schedule) -> int:
    target = schedule.target
    work: dict[tuple[str, Optional[str]], int] = defaultdict(int)
    compulsory_bytes = 0
    for stretch in stretches_of(schedule.items):
        for op in stretch.ops:
            compulsory_bytes += op.runs * op.compulsory_bytes
            for kind, operations in op.work.items():
                element_type = op.mac_type if kind == "mac" else None
                work[kind, element_type] += op.runs * operations
    dram = target.shared[target.dram]
    cycles = [ceil_div(compulsory_bytes * target.clock_hz, dram.peak_bytes_per_second)]
    for kind in {kind for kind, _ in work}:
        cycles.append(_peak_cycles(target, kind, work))
    return max(cycles)


def _peak_cycles(target: Target, kind: str, work: dict) -> int:
    """All work of a kind: rounded up at one rate, down at each of several."""
    work_by_rate: dict[int, int] = defaultdict(int)
    for (other, element_type), operations in work.items():
        if other == kind:
            rate = sum(group.count * _rate(group, kind, element_type)
                       for group in target.groups.values())
            work_by_rate[rate] += operations
    work_by_rate.pop(0, None)
    if len(work_by_rate) == 1:
        [(rate, operations)] = work_by_rate.items()
        return ceil_div(operations, rate)
    return sum(operations // rate for rate, operations in work_by_rate.items())


def _rate(group: Group, kind: str, element_type: Optional[str]) -> int:
    """Operations per cycle of one engine; 0 without a rate."""
    rates = group.operations_per_cycle.get(kind, 0)
    if kind != "mac" or not rates:
        return rates if kind != "mac" else 0
    if element_type in rates:
        return rates[element_type]
    for classes in (FLOAT_WIDTHS, INTEGER_WIDTHS):
        widths = [_width(classes, name) for name in rates]
        wanted = _width(classes, element_type)
        if wanted is not None:
            wide = [(width, name) for width, name in zip(widths, rates)
                    if width is not None and width >= wanted]
            return rates[min(wide)[1]] if wide else 0
    return 0


def _width(classes: tuple, element_type: Optional[str]) -> Optional[int]:
    """Where a type stands in its class: `f8E5M2` is an f8."""
    for position, names in enumerate(classes):
        for name in names:
            rest = (element_type or "").removeprefix(name)
            if element_type and element_type.startswith(name) and not rest[:1].isdigit():
                return position
    return None
