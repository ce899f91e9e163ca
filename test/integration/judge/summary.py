"""S9 of dialects/llm/Spec.md: the summary, derived anew from slots, parts and target."""
from __future__ import annotations

from collections import defaultdict
from typing import Iterator, Optional

from bounds import bounds_cycles, knows_bounds, lower_bound_cycles
from model import Group, LoopBody, Schedule, Target, ceil_div, loops_of, stretches_of
from rules import Broken, end_of_item, end_of_items

# Classes of element types, each from narrow to wide (lib/Target/presets/README.md); types of
# one width stand for each other.
FLOAT_WIDTHS = (("f4",), ("f6",), ("f8",), ("f16", "bf16"), ("tf32",), ("f32",), ("f64",))
INTEGER_WIDTHS = (("i4",), ("i8",), ("i16",), ("i32",), ("i64",))


def check_summary(schedule: Schedule) -> list[Broken]:
    """All that is broken of S9."""
    said = {"makespan": schedule.makespan_cycles, "roofline": schedule.roofline_cycles}
    derived = {"makespan": end_of_items(schedule.items), "roofline": roofline_cycles(schedule)}
    if knows_bounds(schedule):
        said |= {"lower bound": schedule.lower_bound_cycles}
        derived |= {"lower bound": lower_bound_cycles(schedule)}
        said |= {f"bound {name}": cycles for name, cycles in schedule.bounds.items()}
        derived |= {f"bound {name}": cycles for name, cycles in bounds_cycles(schedule).items()}
    broken = [Broken("S9", name, f"it says {said.get(name)}, derived are {derived.get(name)}")
              for name in sorted(said | derived) if said.get(name) != derived.get(name)]
    broken += _check_bounds(schedule)
    broken += _check_proven(schedule)
    broken += _check_loops(schedule.items)
    broken += _check_trips(schedule)
    return broken


def _check_bounds(schedule: Schedule) -> Iterator[Broken]:
    """What holds of bounds over any ways to cut the ops: this one is among them."""
    names = bounds_cycles(schedule)
    for name in sorted(set(names) ^ set(schedule.bounds)):
        yield Broken("S9", f"bound {name}", "missing" if name in names else "of nothing")
    for name in sorted(set(names) & set(schedule.bounds)):
        if schedule.bounds[name] > names[name]:
            yield Broken("S9", f"bound {name}", f"as the ops are cut it is {names[name]}")
    largest_cycles = max(schedule.bounds.values(), default=0)
    is_one_stretch = sum(1 for _ in stretches_of(schedule.items)) == 1
    if (schedule.lower_bound_cycles < largest_cycles
            or is_one_stretch and schedule.lower_bound_cycles > largest_cycles):
        yield Broken("S9", "lower bound", f"the largest bound is {largest_cycles}")


def _check_proven(schedule: Schedule) -> Iterator[Broken]:
    """What a search has proven lies between the lower bound and the makespan."""
    proven = schedule.proven_cycles
    if (proven is not None
            and not schedule.lower_bound_cycles <= proven <= schedule.makespan_cycles):
        yield Broken("S9", "proven", f"{proven} cycles are not between the lower bound and the makespan")


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
