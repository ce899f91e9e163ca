"""S1 to S8 of dialects/llm/Spec.md, stretch by stretch. Each check yields what is broken."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Iterable, Iterator

from model import LoopBody, Op, PartSlot, Schedule, Slot, Stretch, Target, engine_name


@dataclass(frozen=True)
class Broken:
    rule: str
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.rule} {self.where}: {self.why}"


def check_slots(schedule: Schedule) -> list[Broken]:
    """All that is broken of S1 to S8."""
    broken: list[Broken] = []
    _check_items(schedule.target, schedule.items, broken)
    return broken


def end_of_items(items: tuple) -> int:
    """The cycle at which a function or an iteration ends, from its own slots alone."""
    cycle = 0
    for item in items:
        cycle = end_of_item(item, cycle)
    return cycle


def end_of_item(item: Stretch | LoopBody, start_cycle: int) -> int:
    if isinstance(item, LoopBody):
        return start_cycle + item.loop.trips * end_of_items(item.items)
    return max([start_cycle] + [slot.end_cycle for op in item.ops for slot in op.slots])


def _check_items(target: Target, items: tuple, broken: list[Broken]) -> None:
    cycle = 0
    for item in items:
        if isinstance(item, LoopBody):
            _check_items(target, item.items, broken)
        else:
            broken += _check_stretch(target, item, cycle)
        cycle = end_of_item(item, cycle)


def _check_stretch(target: Target, stretch: Stretch, start_cycle: int) -> Iterator[Broken]:
    for op in stretch.ops:
        yield from check_s1(op)
        for slot in op.slots:
            yield from _check_engine_exists(target, op, slot)
            for fetch in slot.prefetches:
                yield from _check_engine_exists(target, op, fetch)
            if slot.part < len(op.parts):
                yield from check_s2_s3_of_part(target, op, slot)
            yield from check_s8(target, op, slot, start_cycle)
            yield from check_fetched_once(op, slot)
    yield from check_s4(target, stretch)
    yield from check_s5(stretch, start_cycle)
    yield from check_awaited(stretch)
    yield from check_s6(target, stretch)
    yield from check_s7(target, stretch)


def check_s1(op: Op) -> Iterator[Broken]:
    slots_of_part = defaultdict(int)
    for slot in op.slots:
        slots_of_part[slot.part] += 1
        if slot.part >= len(op.parts):
            yield Broken("S1", op.name, f"there is no part {slot.part}")
    for part in range(len(op.parts)):
        if slots_of_part[part] != 1:
            yield Broken("S1", op.name, f"part {part} has {slots_of_part[part]} slots")


def _check_engine_exists(target: Target, op: Op, slot: Slot) -> Iterator[Broken]:
    for place in slot.places:
        group = target.groups.get(place[0])
        if group is None or place[1] >= group.count:
            yield Broken("S4", op.name, f"there is no engine {engine_name(place)}")


def check_s2_s3_of_part(target: Target, op: Op, slot: PartSlot) -> Iterator[Broken]:
    part = op.parts[slot.part]
    fetched = frozenset(fetch.buffer for fetch in slot.prefetches)
    streamed_bytes = {memory: part.streamed_bytes(memory, without=fetched)
                      for memory in part.traffic_bytes}
    yield from check_s2_s3(target, op.name, slot, streamed_bytes, part.fixed_cycles,
                           part.compute_cycles)


def check_s2_s3(target: Target, where: str, slot: Slot, streamed_bytes: dict[str, int],
                fixed_cycles: int, compute_cycles: int) -> Iterator[Broken]:
    """The length follows from the lanes (S2), and they are the fewest that give it (S3)."""
    for memory in slot.lanes:
        if memory not in target.shared:
            yield Broken("S3", where, f"no lanes of {memory} can be held")
    busy_cycles = compute_cycles
    group = target.groups.get(slot.group)
    for memory in target.shared:
        size, lanes = streamed_bytes.get(memory, 0), slot.lanes.get(memory, 0)
        if size and not lanes:
            yield Broken("S3", where, f"it holds no lane of {memory} for {size} bytes")
            return
        if size:
            busy_cycles = max(busy_cycles, target.streaming_cycles(memory, size, lanes))
        if size and group:
            busy_cycles = max(busy_cycles, target.cycles_through_port(group, memory, size))
    if slot.length_cycles != fixed_cycles + busy_cycles:
        yield Broken("S2", where, f"its lanes give {fixed_cycles + busy_cycles} cycles, "
                                  f"it has {slot.length_cycles}")
    for memory in target.shared:
        yield from _check_s3(target, where, slot, memory, streamed_bytes.get(memory, 0),
                             slot.length_cycles - fixed_cycles)


def _check_s3(target: Target, where: str, slot: Slot, memory: str, size_bytes: int,
              streaming_cycles: int) -> Iterator[Broken]:
    lanes = slot.lanes.get(memory, 0)
    group = target.groups.get(slot.group)
    if group and lanes > group.port_lanes.get(memory, 0):
        yield Broken("S3", where, f"{lanes} lanes of {memory} are above the port")
    if size_bytes == 0:
        fewest = 0
    elif streaming_cycles <= 0:
        return  # S2 says so
    else:
        fewest = target.streaming_cycles(memory, size_bytes, streaming_cycles)
    if lanes != fewest:
        yield Broken("S3", where, f"{fewest} lanes of {memory} would do, it holds {lanes}")


def check_s8(target: Target, op: Op, slot: PartSlot, stretch_start_cycle: int
             ) -> Iterator[Broken]:
    for fetch in slot.prefetches:
        where = f"{op.name}, prefetch of {fetch.buffer}"
        group = target.groups.get(fetch.group)
        if group and "memory" not in group.kinds:
            yield Broken("S8", where, f"{fetch.engine} is of no kind memory")
        if fetch.end_cycle > slot.start_cycle:
            yield Broken("S8", where, "it ends after the start of its part")
        if fetch.start_cycle < stretch_start_cycle:
            yield Broken("S8", where, f"its stretch starts at {stretch_start_cycle}")
        if slot.part >= len(op.parts):
            continue
        if fetch.buffer not in op.parts[slot.part].sources:
            yield Broken("S8", where, "there is no source behind this buffer")
        sizes = op.parts[slot.part].bytes_of(fetch.buffer)
        for broken in check_s2_s3(target, where, fetch, sizes, 0, 0):
            yield Broken("S8", where, f"({broken.rule}) {broken.why}")


def check_awaited(stretch: Stretch) -> Iterator[Broken]:
    """What writes a source or selects it, in the same stretch, has ended when a fetch starts."""
    ops = {op.name: op for op in stretch.ops}
    for op in stretch.ops:
        for slot in op.slots:
            sources = op.parts[slot.part].sources if slot.part < len(op.parts) else {}
            for fetch in slot.prefetches:
                awaited = sources[fetch.buffer].awaited if fetch.buffer in sources else ()
                for other in sorted(awaited):
                    if other in ops and any(fetch.start_cycle < before.end_cycle
                                            for before in ops[other].slots):
                        yield Broken("S8", f"{op.name}, prefetch of {fetch.buffer}",
                                     f"{other} still writes or selects it")


def check_fetched_once(op: Op, slot: PartSlot) -> Iterator[Broken]:
    buffers = [fetch.buffer for fetch in slot.prefetches]
    for buffer in sorted(set(buffers)):
        if buffers.count(buffer) > 1:
            yield Broken("S8", op.name, f"{buffer} is fetched {buffers.count(buffer)} times "
                                        f"for part {slot.part}")


def _slots_with_names(stretch: Stretch) -> Iterator[tuple[str, Slot]]:
    for op in stretch.ops:
        for slot in op.slots:
            yield op.name, slot
            for fetch in slot.prefetches:
                yield f"{op.name}, prefetch of {fetch.buffer}", fetch


def check_s4(target: Target, stretch: Stretch) -> Iterator[Broken]:
    for op in stretch.ops:
        for slot in op.slots:
            if slot.group != op.engine:
                yield Broken("S4", op.name, f"{slot.engine} is none of its {op.engine}")
            yield from _check_beside(op, slot)
    by_engine = defaultdict(list)
    for name, slot in _slots_with_names(stretch):
        for place in slot.places if slot.length_cycles > 0 else ():
            by_engine[engine_name(place)].append((slot.start_cycle, slot.end_cycle, name))
    for engine, busy in by_engine.items():
        busy.sort()
        latest_end_cycle, latest = 0, ""
        for start_cycle, end_cycle, name in busy:
            if start_cycle < latest_end_cycle:
                yield Broken("S4", name, f"{engine} is still busy with {latest}")
            if end_cycle > latest_end_cycle:
                latest_end_cycle, latest = end_cycle, name


def _check_beside(op: Op, slot: PartSlot) -> Iterator[Broken]:
    """One engine of each group that the cost names, and no other one; without length, too."""
    held = sorted(group for group, _ in slot.beside)
    if held != sorted(op.beside):
        yield Broken("S4", op.name, f"beside {slot.engine} part {slot.part} holds engines of "
                                    f"{held}, its cost names {sorted(op.beside)}")


def check_s5(stretch: Stretch, start_cycle: int) -> Iterator[Broken]:
    ops = {op.name: op for op in stretch.ops}
    for op in stretch.ops:
        if any(slot.start_cycle < start_cycle for slot in op.slots):
            yield Broken("S5", op.name, f"its stretch starts at {start_cycle}")
        for other in op.depends_on:
            if other not in ops:
                continue  # of an earlier stretch: the barrier between them is enough
            end_cycle = max((slot.end_cycle for slot in ops[other].slots), default=0)
            if any(slot.start_cycle < end_cycle for slot in op.slots):
                yield Broken("S5", op.name, f"it depends on {other}, which ends at {end_cycle}")
        if op.last_part_combines:
            yield from _check_combined(op)
        yield from _check_chains(op)


def _check_chains(op: Op) -> Iterator[Broken]:
    """Box by box: the parts of a chain differ in the interval of one loop only."""
    slots = {slot.part: slot for slot in op.slots}
    for first in range(0, len(op.parts), op.chain_length * op.chain_stride):
        for chain in range(first, first + op.chain_stride):
            parts = range(chain, chain + op.chain_length * op.chain_stride, op.chain_stride)
            for before, behind in zip(parts, parts[1:]):
                if before in slots and behind in slots and (
                        slots[behind].start_cycle < slots[before].end_cycle):
                    yield Broken("S5", op.name, f"part {behind} comes behind part {before}, which "
                                                f"ends at {slots[before].end_cycle}")


def _check_combined(op: Op) -> Iterator[Broken]:
    last = len(op.parts) - 1
    end_cycle = max((slot.end_cycle for slot in op.slots if slot.part != last), default=0)
    if any(slot.start_cycle < end_cycle for slot in op.slots if slot.part == last):
        yield Broken("S5", op.name, f"its last part joins others that end at {end_cycle}")


def _peak(intervals: Iterable[tuple[int, int, int]]) -> int:
    """The largest sum of amounts at any cycle of intervals (start, end, amount)."""
    changes = []
    for start_cycle, end_cycle, amount in intervals:
        if start_cycle < end_cycle:
            changes += [(start_cycle, amount), (end_cycle, -amount)]
    held = peak = 0
    for _, change in sorted(changes):  # at one cycle what ends comes before what starts
        held += change
        peak = max(peak, held)
    return peak


def check_s6(target: Target, stretch: Stretch) -> Iterator[Broken]:
    for memory in target.shared.values():
        peak = _peak((slot.start_cycle, slot.end_cycle, slot.lanes.get(memory.name, 0))
                     for _, slot in _slots_with_names(stretch))
        if peak > memory.lanes:
            yield Broken("S6", memory.name, f"{peak} of {memory.lanes} lanes are held")


def check_s7(target: Target, stretch: Stretch) -> Iterator[Broken]:
    by_engine = defaultdict(list)
    for op in stretch.ops:
        for slot in op.slots:
            group = target.groups.get(slot.group)
            if group is None or slot.part >= len(op.parts):
                continue
            if slot.prefetches and not group.has_private_memory:
                yield Broken("S7", op.name, f"{slot.engine} has no private memory")
            by_engine[slot.engine, group.private_memory_bytes] += _held_by(op, slot)
    for (engine, capacity_bytes), held in by_engine.items():
        peak_bytes = _peak(held)
        if peak_bytes > capacity_bytes:
            yield Broken("S7", engine, f"{peak_bytes} of {capacity_bytes} bytes are held")


def _held_by(op: Op, slot: PartSlot) -> Iterator[tuple[int, int, int]]:
    part = op.parts[slot.part]
    fetched = [fetch.buffer for fetch in slot.prefetches]
    yield slot.start_cycle, slot.end_cycle, part.room_bytes(fetched)
    for fetch in slot.prefetches:
        if fetch.buffer in part.sources:
            yield fetch.start_cycle, slot.end_cycle, part.sources[fetch.buffer].slice_bytes
