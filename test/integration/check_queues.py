"""Replays the queues of --llm-export-queues beside the JSON report of the same schedule.

    check_queues.py QUEUES REPORT [SCHEMA]

Every stretch is run by waits and the order of queues alone (docs/queues.md), with the lengths of the schedule and,
several times, with lengths at random. Each replay must reach the end; parts start after all parts of what the report
says their op depends on, and after their fetches; private memory is never used twice at a time, by addresses and, where
an engine has none, in sum. With the schedule's lengths nothing starts later than it says. Every part is there once, and
the boxes of an op cover its loops. No wait is implied by the others (small stretches only).

A part that holds engines of several groups has one entry with all that is said of it, which leads, and one in the
queue of each other engine (`together_with`): these start with it, once each of them is the next of its queue, and end
with it. Parts are on the engines that the report says.
"""
from __future__ import annotations

import functools
import json
import operator
import random
import sys
from collections import defaultdict
from dataclasses import dataclass, field

MINIMALITY_LIMIT = 5000  # entries: finding what implies what takes their square


@dataclass
class Entry:
    queue: int
    position: int
    data: dict
    beside: list[Entry] = field(default_factory=list)  # of other engines, which it leads

    @property
    def is_beside(self) -> bool:
        return "together_with" in self.data

    @property
    def is_part(self) -> bool:
        return "fetch" not in self.data and not self.is_beside

    @property
    def key(self) -> tuple[int, int]:
        return self.data["together_with" if self.is_beside else "op"], self.data["part"]

    @property
    def team(self) -> list[Entry]:
        return [self, *self.beside]

    @property
    def length(self) -> int:
        return self.data["end_cycle"] - self.data["start_cycle"]


class Stretch:
    def __init__(self, data: dict, engines: dict[str, dict]):
        self.data = data
        self.engines = engines
        self.entries = [Entry(q, i, entry) for q, queue in enumerate(data["queues"])
                        for i, entry in enumerate(queue["entries"])]
        self.queues = defaultdict(list)
        self.parts_of = defaultdict(list)
        for entry in self.entries:
            self.queues[entry.queue].append(entry)
            if entry.is_part:
                self.parts_of[entry.data["op"]].append(entry)
        leaders = {entry.key: entry for entry in self.entries if entry.is_part}
        for entry in self.entries:
            if entry.is_beside:
                assert entry.key in leaders, f"together with nothing: {entry.data}"
                leaders[entry.key].beside.append(entry)
        self.leading = [entry for entry in self.entries if not entry.is_beside]

    def engine_of(self, entry: Entry) -> tuple[str, int]:
        queue = self.data["queues"][entry.queue]
        return queue["engine"], queue.get("index")

    # Replays.

    def replay(self, lengths: dict[int, int]) -> dict[int, int]:
        """The start of each entry (by id), by events alone."""
        now, starts, ended_parts = 0, {}, defaultdict(int)
        ended_entries, next_of = defaultdict(int), defaultdict(int)
        running: list[tuple[int, Entry]] = []

        def is_next(entry: Entry) -> bool:
            return next_of[entry.queue] == ended_entries[entry.queue] == entry.position

        while len(starts) < len(self.entries) or running:
            progress = True
            while progress:
                progress = False
                for q, entries in self.queues.items():
                    entry = entries[next_of[q]] if next_of[q] < len(entries) else None
                    if entry is None or entry.is_beside or not all(map(is_next, entry.team)):
                        continue
                    if all((ended_parts[w["op"]] if "op" in w else ended_entries[w["queue"]]) >= w["count"]
                           for w in entry.data.get("waits_for", [])):
                        for each in entry.team:
                            starts[id(each)] = now
                            running.append((now + lengths[id(entry)], each))
                            next_of[each.queue] += 1
                        progress = True
                for end, entry in [r for r in running if r[0] == now]:
                    running.remove((end, entry))
                    ended_entries[entry.queue] += 1
                    ended_parts[entry.key[0]] += entry.is_part
                    progress = True
            if running:
                now = min(end for end, _ in running)
            elif len(starts) < len(self.entries):
                blocked = [e[next_of[q]].data for q, e in self.queues.items() if next_of[q] < len(e)]
                sys.exit(f"check_queues: blocked: {blocked[:3]}")
        return starts

    def check_replay(self, depends_on: dict[str, set[str]], lengths: dict[int, int], is_given: bool) -> None:
        starts = self.replay(lengths)
        ends = {id(e): starts[id(e)] + lengths[id(e)] for e in self.leading}
        if is_given:
            for entry in self.entries:
                assert starts[id(entry)] + self.data["start_cycle"] <= entry.data["start_cycle"], entry.data
        names = [op["name"] for op in self.data["ops"]]
        last_end = {names[op]: max(ends[id(e)] for e in parts) for op, parts in self.parts_of.items()}
        for op, parts in self.parts_of.items():
            ready = max((last_end[name] for name in depends_on[names[op]] if name in last_end), default=0)
            assert all(starts[id(e)] >= ready for e in parts), f"{names[op]} starts before {ready}"
        part_of = {e.key: e for e in self.entries if e.is_part}
        for entry in self.leading:
            if not entry.is_part:
                assert ends[id(entry)] <= starts[id(part_of[entry.key])], entry.data
        self.check_memory(starts, ends, part_of)

    def check_memory(self, starts, ends, part_of) -> None:
        """Ranges that are in use at a time are apart; sums stay below what there is."""
        blocks = defaultdict(list)
        for entry in self.leading:  # engines that are held beside another one lend it no memory
            part = part_of[entry.key]
            start, end = starts[id(entry)], ends[id(part)]
            if start == end:
                continue
            into = entry.data.get("into") or self.data["queues"][entry.queue]
            size = entry.data["working_set_bytes" if entry.is_part else "slice_bytes"]
            if size:
                blocks[into["engine"], into["index"]].append((start, end, size, entry.data.get("address")))
        for (engine, _), used in blocks.items():
            capacity = self.engines[engine]["private_bytes"]
            changes = sorted([(end, 0, i) for i, (_, end, _, _) in enumerate(used)] +
                             [(start, 1, i) for i, (start, _, _, _) in enumerate(used)])
            live: set[int] = set()
            for _, begins, i in changes:
                if not begins:
                    live.remove(i)
                    continue
                _, _, size, address = used[i]
                assert sum(used[j][2] for j in live) + size <= capacity, f"{engine} is full"
                if address is not None:
                    assert address + size <= capacity
                    for j in live:
                        other = used[j]
                        assert address >= other[3] + other[2] or other[3] >= address + size, f"{engine}: overlap"
                live.add(i)

    # What is written.

    def check_parts(self) -> None:
        for number, op in enumerate(self.data["ops"]):
            parts = sorted(e.data["part"] for e in self.parts_of[number])
            assert parts == list(range(op["parts"])), f"{op['name']}: parts {parts[:9]}"
            whole = volume(op["loops"].values())
            # That which joins the others is no box of the iterations.
            joining = op["parts"] - 1 if op.get("last_part_combines") else None
            boxes = [{loop: e.data.get("box", {}).get(loop, [0, extent]) for loop, extent in op["loops"].items()}
                     for e in self.parts_of[number] if e.data["part"] != joining]
            assert sum(volume(end - begin for begin, end in box.values()) for box in boxes) == whole, op["name"]
            assert len({json.dumps(box) for box in boxes}) == len(boxes), op["name"]
            assert all(0 <= begin < end <= op["loops"][loop] for box in boxes for loop, (begin, end) in box.items())

    def check_engines(self, slots: dict[tuple[str, int], dict]) -> None:
        """Each part holds what the report says: by its `with`, and by entries that say the same of it. What takes no
        time holds no engine."""
        for entry in self.leading:
            if not entry.is_part:
                continue
            said = [(place["engine"], place["index"]) for place in entry.data.get("with", [])]
            assert sorted(said) == sorted(map(self.engine_of, entry.beside)), f"not where it says: {entry.data}"
            for each in entry.beside:
                assert each.length == entry.length and each.data["start_cycle"] == entry.data["start_cycle"], each.data
            slot = slots[self.data["ops"][entry.key[0]]["name"], entry.key[1]]
            assert slot["end_cycle"] - slot["start_cycle"] == entry.length, entry.data
            if entry.length:
                places = [self.engine_of(entry), *sorted(said)]
                wanted = [slot["engine"], *sorted(slot.get("with", []))]
                assert [f"{engine}[{index}]" for engine, index in places] == wanted, (places, wanted)

    def check_order(self) -> None:
        for entries in self.queues.values():
            for before, behind in zip(entries, entries[1:]):
                assert before.data["end_cycle"] <= behind.data["start_cycle"]

    def check_minimal(self) -> None:
        """Sets of entries are bits of whole numbers: those that are over when an entry starts."""
        if len(self.entries) > MINIMALITY_LIMIT:
            return
        bit = {id(entry): 1 << number for number, entry in enumerate(self.entries)}
        until: dict[int, int] = {}  # an entry and what is over when it starts

        def before(entry: Entry, waits: list[dict]) -> int:
            over = 0
            for each in entry.team:
                over |= until[id(self.queues[each.queue][each.position - 1])] if each.position else 0
            for wait in waits:
                over |= awaited(wait, entry)
            return over

        def awaited(wait: dict, by: Entry) -> int:
            if "queue" in wait:
                return until[id(self.queues[wait["queue"]][wait["count"] - 1])]
            others = [e for e in self.parts_of[wait["op"]] if e is not by]
            assert wait["count"] == len(others)
            return functools.reduce(operator.or_, (until[id(e)] for e in others))

        for entry in sorted(self.leading, key=lambda e: (e.data["start_cycle"], e.data["end_cycle"], e.key, e.is_part)):
            waits = entry.data.get("waits_for", [])
            for wait in waits:
                others = [other for other in waits if other is not wait]
                assert awaited(wait, entry) & ~before(entry, others), f"implied: {wait} of {entry.data}"
            over = before(entry, waits) | bit[id(entry)]
            until.update((id(each), over) for each in entry.team)

    def check(self, depends_on: dict[str, set[str]], slots: dict[tuple[str, int], dict], dice: random.Random) -> int:
        self.check_parts()
        self.check_engines(slots)
        self.check_order()
        self.check_minimal()
        given = {id(e): e.length for e in self.leading}
        self.check_replay(depends_on, given, True)
        for _ in range(50 if len(self.entries) < 100 else 5 if len(self.entries) < 5000 else 1):
            self.check_replay(depends_on, {k: v * dice.randint(0, 9) for k, v in given.items()}, False)
        return len(self.entries)


def volume(extents) -> int:
    product = 1
    for extent in extents:
        product *= extent
    return product


def check_body(body: list, engines, depends_on, slots, dice) -> tuple[int, int]:
    """The number of entries, and the cycles that the body takes."""
    entries, now = 0, 0
    for item in body:
        if "loop" in item:
            loop = item["loop"]
            inner, period = check_body(loop["body"], engines, depends_on, slots, dice)
            assert loop["start_cycle"] == now and loop["period_cycles"] == period, (now, period)
            now += period * loop["trips"]
            entries += inner
        else:
            stretch = item["stretch"]
            assert stretch["start_cycle"] == now
            now = stretch["end_cycle"]
            entries += Stretch(stretch, engines).check(depends_on, slots, dice)
    return entries, now


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        queues = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    if len(sys.argv) > 3:
        from jsonschema import Draft202012Validator
        with open(sys.argv[3], encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(queues)
    engines = {engine["name"]: engine for engine in queues["engines"]}
    reports = report.get("functions", [report])
    dice, total = random.Random(1), 0
    assert [r["function"] for r in reports] == [f["function"] for f in queues["functions"]]
    for function, of_report in zip(queues["functions"], reports):
        depends_on = {op["name"]: set(op["depends_on"]) for op in of_report["ops"]}
        slots = {(op["name"], slot["part"]): slot for op in of_report["ops"] for slot in op["slots"]}
        entries, end = check_body(function["body"], engines, depends_on, slots, dice)
        assert end == function["makespan_cycles"] == of_report["makespan_cycles"], end
        total += entries
    print(f"ok: {total} entries")


if __name__ == "__main__":
    main()
