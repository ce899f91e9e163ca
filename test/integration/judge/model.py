"""The report of a schedule as Python objects (its fields: docs/report.md)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator, Optional


@dataclass(frozen=True)
class Group:
    """Equal engines of one name."""
    name: str
    kinds: frozenset[str]
    count: int
    operations_per_cycle: dict
    private_memory_bytes: int  # none: 0, so that nothing but an empty working set fits
    has_private_memory: bool
    port_lanes: dict[str, int]
    port_bytes_per_second: dict[str, int]


@dataclass(frozen=True)
class SharedMemory:
    name: str
    bytes_per_second: int  # that streams reach
    peak_bytes_per_second: int  # that no stream exceeds
    lanes: int


@dataclass(frozen=True)
class Target:
    clock_hz: int
    groups: dict[str, Group]
    shared: dict[str, SharedMemory]
    private_memories: tuple[str, ...]
    dram: str  # the last memory: where values live between ops

    def streaming_cycles(self, memory: str, count_bytes: int, lanes: int) -> int:
        """ceil(bytes K clock / (lanes rate)), for at least one lane."""
        shared = self.shared[memory]
        return ceil_div(count_bytes * shared.lanes * self.clock_hz,
                        lanes * shared.bytes_per_second)


    def cycles_through_port(self, group: Group, memory: str, count_bytes: int) -> int:
        """With no one else on the machine."""
        return ceil_div(count_bytes * self.clock_hz, group.port_bytes_per_second[memory])


@dataclass(frozen=True)
class Source:
    """What fetching a buffer ahead does to private memory: the slice takes room from the
    start of the fetch on, and the part needs so much less of its working set."""
    slice_bytes: int
    staging_bytes: int
    # Ops that a fetch waits for: they write it, or compute which of it is read.
    written_by: tuple[str, ...]
    selected_by: tuple[str, ...]

    @property
    def awaited(self) -> frozenset[str]:
        return frozenset(self.written_by + self.selected_by)


@dataclass(frozen=True)
class Part:
    """What one part costs, alone on the machine."""
    traffic_bytes: dict[str, dict[str, int]]  # by memory and buffer
    working_set_bytes: int
    overhead_cycles: int
    serial_cycles: int
    compute_cycles: int
    sources: dict[str, Source]  # by buffer

    @property
    def fixed_cycles(self) -> int:
        return self.overhead_cycles + self.serial_cycles

    def streamed_bytes(self, memory: str, without: frozenset[str] = frozenset()) -> int:
        buffers = self.traffic_bytes.get(memory, {})
        return sum(size for buffer, size in buffers.items() if buffer not in without)

    def bytes_of(self, buffer: str) -> dict[str, int]:
        """What it streams of one buffer, by memory: that is what a fetch of it moves."""
        sizes = {memory: buffers.get(buffer, 0)
                 for memory, buffers in self.traffic_bytes.items()}
        return {memory: size for memory, size in sizes.items() if size}

    def room_bytes(self, fetched: Iterable[str] = ()) -> int:
        """Private memory while it runs, slices not counted."""
        return self.working_set_bytes - sum(self.sources[buffer].staging_bytes
                                            for buffer in set(fetched) & set(self.sources))


Place = tuple[str, int]  # an engine: its group and its number there


def engine_name(place: Place) -> str:
    return f"{place[0]}[{place[1]}]"


@dataclass(frozen=True)
class Slot:
    """Cycles count from the start of the enclosing iteration."""
    group: str
    index: int
    start_cycle: int
    end_cycle: int
    lanes: dict[str, int]

    @property
    def engine(self) -> str:
        return engine_name((self.group, self.index))

    @property
    def places(self) -> tuple[Place, ...]:
        """Of all engines that it holds from its start to its end, its own first."""
        return ((self.group, self.index),)

    @property
    def length_cycles(self) -> int:
        return self.end_cycle - self.start_cycle


@dataclass(frozen=True)
class Prefetch(Slot):
    buffer: str


@dataclass(frozen=True)
class PartSlot(Slot):
    part: int
    beside: tuple[Place, ...]  # engines of other groups
    prefetches: tuple[Prefetch, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        return ((self.group, self.index), *self.beside)


@dataclass(frozen=True)
class Op:
    name: str
    runs: int
    engine: str  # the group that its cost is for, in which it streams and has its private memory
    beside: tuple[str, ...]  # groups of which a part holds an engine as well
    mac_type: Optional[str]
    compulsory_bytes: int
    work: dict[str, int]  # of one run, by kind, however it is cut
    is_cut_by_hand: bool  # its tile is: no other way to cut it counts
    has_unit_tile: bool  # as a kernel of units has
    parts: tuple[Part, ...]
    last_part_combines: bool  # it joins the results of the others
    chain_length: int  # 1: its parts may run at once
    chain_stride: int
    slots: tuple[PartSlot, ...]
    depends_on: tuple[str, ...]
    loops: tuple[int, ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """Of each of which a part holds an engine."""
        return (self.engine, *self.beside)


@dataclass(frozen=True)
class Loop:
    """As `llm.schedule` says: the start counts like those of slots."""
    start_cycle: int
    period_cycles: int
    trips: int


@dataclass(frozen=True)
class Stretch:
    ops: tuple[Op, ...]


@dataclass(frozen=True)
class LoopBody:
    number: int
    loop: Loop
    items: tuple  # of Stretch and LoopBody


@dataclass(frozen=True)
class Schedule:
    function: str
    target: Target
    items: tuple  # of Stretch and LoopBody
    makespan_cycles: int
    lower_bound_cycles: int
    bounds: dict[str, int]
    roofline_cycles: int
    proven_cycles: Optional[int]  # for its options, if it says so
    recorded_loops: int  # how many loops the report lists


def ceil_div(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)


def stretches_of(items: tuple) -> Iterator[Stretch]:
    for item in items:
        if isinstance(item, Stretch):
            yield item
        else:
            yield from stretches_of(item.items)


def loops_of(items: tuple) -> Iterator[LoopBody]:
    for item in items:
        if isinstance(item, LoopBody):
            yield item
            yield from loops_of(item.items)


def ops_of(schedule: Schedule) -> list[Op]:
    """In the order of the program."""
    return [op for stretch in stretches_of(schedule.items) for op in stretch.ops]


def buffers_of(schedule: Schedule) -> list[list[str]]:
    """The names of each op's buffers that have bytes to move."""
    return [sorted({buffer for part in op.parts for buffers in part.traffic_bytes.values()
                    for buffer in buffers}) for op in ops_of(schedule)]


def read_schedule(report: dict) -> Schedule:
    """One function of a report."""
    private = {engine["name"]: engine.get("private_memory") for engine in report["engines"]}
    ops = {op["name"]: op | {"private_memory": private[op["engine"]]} for op in report["ops"]}
    return Schedule(
        function=report["function"],
        target=_read_target(report),
        items=_read_items(report["order"], report["loops"], ops, enclosing_start_cycle=0),
        makespan_cycles=report["makespan_cycles"],
        lower_bound_cycles=report["lower_bound_cycles"],
        bounds=report["bounds"],
        roofline_cycles=report["roofline_cycles"],
        proven_cycles=report.get("proven_cycles"),
        recorded_loops=len(report["loops"]))


def _read_target(report: dict) -> Target:
    memories = {memory["name"]: memory for memory in report["memories"]}
    shared = {name: _read_shared_memory(memory)
              for name, memory in memories.items() if "lanes" in memory}
    groups = {}
    for engine in report["engines"]:
        private = engine.get("private_memory")
        groups[engine["name"]] = Group(
            name=engine["name"], kinds=frozenset(engine["kinds"]), count=engine["count"],
            operations_per_cycle=engine["operations_per_cycle"],
            private_memory_bytes=memories[private]["capacity_bytes"] if private else 0,
            has_private_memory=private is not None, port_lanes=engine["port_lanes"],
            port_bytes_per_second=engine["port_bytes_per_second"])
    private_memories = tuple(name for name in memories if name not in shared)
    return Target(report["clock_hz"], groups, shared, private_memories,
                  dram=report["memories"][-1]["name"])


def _read_shared_memory(memory: dict) -> SharedMemory:
    nominal = memory["bytes_per_second"]
    sustained = memory.get("sustained_bytes_per_second", nominal)
    return SharedMemory(memory["name"], sustained, max(nominal, sustained), memory["lanes"])


def _read_items(order: list, loops: list, ops: dict, enclosing_start_cycle: int) -> tuple:
    """The report counts the first run from the start of the function; we want cycles from
    the start of the iteration."""
    items = []
    for item in order:
        if "stretch" in item:
            read = tuple(_read_op(ops[name], enclosing_start_cycle)
                         for name in item["stretch"])
            items.append(Stretch(read))
            continue
        number = item["loop"]
        loop = loops[number]
        record = Loop(loop["start_cycle"] - enclosing_start_cycle, loop["period_cycles"],
                      loop["trips"])
        body = _read_items(item["body"], loops, ops, loop["start_cycle"])
        items.append(LoopBody(number, record, body))
    return tuple(items)


def _read_op(op: dict, iteration_start_cycle: int) -> Op:
    parts: list[Part] = []
    for record in op["parts"]:
        parts += [_read_part(record, op["private_memory"])] * record["count"]
    return Op(
        name=op["name"], runs=op["count"], engine=op["engine"], beside=tuple(op.get("with", ())),
        mac_type=op.get("mac_type"), compulsory_bytes=op["compulsory_bytes"],
        work=op["work"], is_cut_by_hand=op["tile_strategy"] == "pinned",
        has_unit_tile=any(level["memory"] == "unit" for level in op.get("tile_levels", ())),
        parts=tuple(parts),
        last_part_combines=op.get("last_part_combines", False),
        chain_length=op.get("chain_length", 1), chain_stride=op.get("chain_stride", 1),
        slots=tuple(_read_part_slot(slot, iteration_start_cycle) for slot in op["slots"]),
        depends_on=tuple(op["depends_on"]), loops=tuple(op.get("loops", ())))


def _read_part(record: dict, private_memory: str | None) -> Part:
    """What arithmetic uses of its private memory takes time beside it."""
    used = record.get("cycles_by_memory", {}).get(private_memory, 0)
    return Part(record["traffic_bytes"], record["working_set_bytes"],
                record["overhead_cycles"], record["serial_cycles"],
                max(record["compute_cycles"], used),
                {buffer: Source(rooms["slice_bytes"], rooms["staging_bytes"],
                                tuple(rooms["written_by"]), tuple(rooms["selected_by"]))
                 for buffer, rooms in record["sources"].items()})


def _place(engine: str) -> Place:
    group, _, index = engine.removesuffix("]").rpartition("[")
    return group, int(index)


def _slot_fields(slot: dict, iteration_start_cycle: int) -> dict:
    group, index = _place(slot["engine"])
    return {"group": group, "index": index,
            "start_cycle": slot["start_cycle"] - iteration_start_cycle,
            "end_cycle": slot["end_cycle"] - iteration_start_cycle,
            "lanes": {m: n for m, n in slot.get("lanes", {}).items() if n != 0}}


def _read_part_slot(slot: dict, iteration_start_cycle: int) -> PartSlot:
    prefetches = tuple(
        Prefetch(buffer=fetch["buffer"], **_slot_fields(fetch, iteration_start_cycle))
        for fetch in slot.get("prefetches", ()))
    return PartSlot(part=slot["part"], beside=tuple(map(_place, slot.get("with", ()))),
                    prefetches=prefetches, **_slot_fields(slot, iteration_start_cycle))
