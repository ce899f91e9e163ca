"""Single-field mutations of a schedule: every field of every slot, prefetch and summary."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterable, Iterator

from bounds import knows_bounds
from model import Schedule, Target, buffers_of
from program import FetchText, LoopText, Program, RunText, SummaryText

LARGEST = 2**61 - 1  # the largest number that the language allows


@dataclass(frozen=True)
class Mutant:
    what: str
    program: Program


def mutants_of(program: Program, schedule: Schedule) -> list[Mutant]:
    """All of them; of bounds that the judge does not know, those that no bound can be."""
    target, buffers = schedule.target, buffers_of(schedule)
    mutants = list(_of_summary(program, knows_bounds(schedule)))
    for op, runs in enumerate(program.slots):
        mutants += _of_runs(program, op)
        for number in range(len(runs)):
            what = f"op {op}, run {number}: "
            neighbours = _neighbours(program, op, number)
            mutants += (Mutant(what + field, program.with_run(op, number, run))
                        for field, run in _of_run(runs[number], neighbours, target,
                                                  buffers[op]))
    return mutants


def _numbers(value: int, others: Iterable[int] = ()) -> list[int]:
    """Near it, 0, double, too large, and the same field of its neighbours."""
    near = [value - 1, value + 1, 0, 2 * value, LARGEST, *others]
    return sorted({number for number in near if number >= 0 and number != value})


def _neighbours(program: Program, op: int, run: int) -> list[RunText]:
    """The runs before and behind this one, of any op."""
    flat = [(o, r) for o, runs in enumerate(program.slots) for r in range(len(runs))]
    at = flat.index((op, run))
    near = flat[max(at - 1, 0):at] + flat[at + 1:at + 2]
    return [program.slots[o][r] for o, r in near]


# Slots


def _of_runs(program: Program, op: int) -> Iterator[Mutant]:
    """A slot that is dropped or there twice."""
    runs = program.slots[op]
    for number in range(len(runs)):
        what = f"op {op}, run {number}: "
        yield Mutant(what + "dropped", program.with_slots(op, runs[:number] + runs[number + 1:]))
        yield Mutant(what + "doubled", program.with_slots(op, runs + (runs[number],)))


def _of_run(run: RunText, neighbours: list[RunText], target: Target,
            buffers: list[str]) -> Iterator[tuple[str, RunText]]:
    yield from _of_slot(run, neighbours, target)
    for field in ("part", "count", "part_stride", "index_stride", "start_stride"):
        near = [getattr(other, field) for other in neighbours]
        for number in _numbers(getattr(run, field), near):
            yield f"{field} = {number}", replace(run, **{field: number})
    yield from _of_beside(run, neighbours, target)
    yield from _of_prefetches(run, target, buffers)


def _of_beside(run: RunText, neighbours: list[RunText], target: Target
               ) -> Iterator[tuple[str, RunText]]:
    """An engine beside its own that is not there, another one, or one too many."""
    beside = dict(run.beside)
    for name, index in run.beside:
        rest = {n: i for n, i in beside.items() if n != name}
        changed = [(f"nothing with it of {name}", rest)]
        counts = [group.count for group in target.groups.values()]
        near = [other_index for other in neighbours for _, other_index in other.beside]
        changed += [(f"with {name}[{number}]", beside | {name: number})
                    for number in _numbers(index, counts + near)]
        changed += [(f"with {other} for {name}", rest | {other: index})
                    for other in [*target.groups, "nowhere"] if other not in beside]
        for what, new in changed:
            yield what, replace(run, beside=tuple(new.items()))
    for name in [*target.groups, "nowhere"]:
        if name not in beside:
            yield f"also with {name}[0]", replace(run, beside=(*run.beside, (name, 0)))


def _of_slot(slot: RunText | FetchText, neighbours: list, target: Target
             ) -> Iterator[tuple[str, RunText | FetchText]]:
    """What a slot and a prefetch have in common."""
    cycles = [cycle for other in neighbours for cycle in (other.start_cycle, other.end_cycle)]
    length_cycles = slot.end_cycle - slot.start_cycle
    for number in _numbers(slot.start_cycle, cycles):
        yield f"start_cycle = {number}", replace(slot, start_cycle=number)
        if number + length_cycles <= LARGEST:
            yield (f"moved to {number}",
                   replace(slot, start_cycle=number, end_cycle=number + length_cycles))
    for number in _numbers(slot.end_cycle, cycles):
        yield f"end_cycle = {number}", replace(slot, end_cycle=number)
    counts = [group.count for group in target.groups.values()]
    for number in _numbers(slot.index, counts + [other.index for other in neighbours]):
        yield f"index = {number}", replace(slot, index=number)
    for name in [*target.groups, "nowhere"]:
        if name != slot.engine:
            yield f"engine = {name}", replace(slot, engine=name)
    near = [count for other in neighbours for _, count in other.lanes]
    for what, lanes in _of_lanes(dict(slot.lanes), near, target):
        yield what, replace(slot, lanes=tuple(lanes.items()))


def _of_lanes(lanes: dict[str, int], near: list[int], target: Target
              ) -> Iterator[tuple[str, dict[str, int]]]:
    for name, count in lanes.items():
        yield f"no lanes of {name}", {n: c for n, c in lanes.items() if n != name}
        for number in _numbers(count, near + [target.shared[name].lanes]):
            yield f"lanes of {name} = {number}", lanes | {name: number}
    for name in [*target.shared, *target.private_memories, "nothing"]:
        if name not in lanes:
            yield f"a lane of {name}", lanes | {name: 1}


def _of_prefetches(run: RunText, target: Target, buffers: list[str]
                   ) -> Iterator[tuple[str, RunText]]:
    fetches = run.prefetches
    for number, fetch in enumerate(fetches):
        rest = fetches[:number] + fetches[number + 1:]
        what = f"prefetch {number}: "
        yield what + "dropped", replace(run, prefetches=rest)
        yield what + "doubled", replace(run, prefetches=fetches + (fetch,))
        changed = [(f"buffer = {name}", replace(fetch, buffer=name))
                   for name in [*buffers, "nothing"] if name != fetch.buffer]
        changed += _of_slot(fetch, [run, *rest], target)
        for field, new in changed:
            yield what + field, replace(run, prefetches=fetches[:number] + (new,)
                                        + fetches[number + 1:])
    if not fetches:
        yield from _added_prefetches(run, target, buffers)


def _added_prefetches(run: RunText, target: Target, buffers: list[str]
                      ) -> Iterator[tuple[str, RunText]]:
    """Of each buffer, on the first memory engine (or any): all the time before the part
    with its lanes, or no time without lanes."""
    names = [group.name for group in target.groups.values() if "memory" in group.kinds]
    engine = (names or list(target.groups))[0]
    for buffer in buffers:
        fetch = FetchText(buffer, engine, 0, 0, run.start_cycle, run.lanes)
        empty = FetchText(buffer, engine, 0, run.start_cycle, run.start_cycle, ())
        yield f"prefetch of {buffer} added", replace(run, prefetches=(fetch,))
        yield f"empty prefetch of {buffer} added", replace(run, prefetches=(empty,))


# Summary


def _of_summary(program: Program, knows_bounds: bool) -> Iterator[Mutant]:
    for what, summary in _summaries(program.summary, knows_bounds):
        yield Mutant("summary: " + what, replace(program, summary=summary))


def _summaries(summary: SummaryText, knows_bounds: bool
               ) -> Iterator[tuple[str, SummaryText]]:
    yield "policy", replace(summary, policy="another")
    for field in ("makespan_cycles", "lower_bound_cycles", "roofline_cycles"):
        is_known = knows_bounds or field != "lower_bound_cycles"
        for number in _numbers(getattr(summary, field)):
            if is_known or number in (0, LARGEST):
                yield f"{field} = {number}", replace(summary, **{field: number})
    bounds = dict(summary.bounds)
    for name, cycles in bounds.items():
        rest = {n: c for n, c in bounds.items() if n != name}
        yield f"no bound {name}", replace(summary, bounds=tuple(rest.items()))
        yield (f"bound {name} under another name",
               replace(summary, bounds=tuple((rest | {"other": cycles}).items())))
        for number in _numbers(cycles):
            if knows_bounds or number == LARGEST:
                changed = tuple((bounds | {name: number}).items())
                yield f"bound {name} = {number}", replace(summary, bounds=changed)
    for number in (0, 1):
        yield (f"a bound of {number} more",
               replace(summary, bounds=summary.bounds + (("other", number),)))
    for what, loops in _loops(summary.loops):
        yield what, replace(summary, loops=loops)


def _loops(loops: tuple[LoopText, ...]) -> Iterator[tuple[str, tuple[LoopText, ...]]]:
    yield "a loop more", loops + (LoopText(0, 0, 1),)
    for at, loop in enumerate(loops):
        before, behind = loops[:at], loops[at + 1:]
        yield f"no loop {at}", before + behind
        yield f"loop {at} twice", before + (loop, loop) + behind
        for field in ("start_cycle", "period_cycles", "trips"):
            near = [getattr(other, field) for other in before[-1:] + behind[:1]]
            for number in _numbers(getattr(loop, field), near):
                changed = replace(loop, **{field: number})
                yield f"loop {at}: {field} = {number}", before + (changed,) + behind
