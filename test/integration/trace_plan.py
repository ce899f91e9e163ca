"""What a JSON report says must be in a trace: the slices of each run of each op, and what it waits
for."""
import itertools
import re
from collections import Counter, namedtuple

from json_trace import require

# records: of each part the number of its record of the cost; fetched: bytes by memory, of a slot
# what is fetched for it, of a fetch its own
Expected = namedtuple("Expected", "name track start_cycle end_cycle lanes parts records fetched")


def expand(name, index, iteration):
    """The index of the loop for {}, and of {3..9} or {3,5..9} the number of this iteration."""
    def number(match):
        first, second, _ = (int(word) if word else None for word in match.groups())
        return str(first + iteration * (1 if second is None else second - first))
    return re.sub(r"\{(\d+)(?:,(\d+))?\.\.(\d+)\}", number, name.replace("{}", str(index)))


def join(slots):
    """Those that follow each other on an engine without a gap as one, by start and engine; without
    lanes where they change."""
    ends = {}  # (track, name) -> position in runs
    runs = []
    for each in sorted(slots, key=lambda slot: (slot.start_cycle, slot.end_cycle)):
        before = ends.get((each.track, each.name))
        if before is not None and runs[before].end_cycle == each.start_cycle:
            lanes = each.lanes if runs[before].lanes == each.lanes else None
            runs[before].records.extend(each.records)
            runs[before].fetched.update(each.fetched)
            runs[before] = runs[before]._replace(end_cycle=each.end_cycle, lanes=lanes,
                                                 parts=runs[before].parts + 1)
            continue
        ends[each.track, each.name] = len(runs)
        runs.append(each._replace(records=list(each.records), fetched=Counter(each.fetched)))
    return sorted(runs, key=lambda run: (run.start_cycle, run.track))


def cost_of(op, records):
    """The cost of parts of these records together, as args have it, but for the bound; and which
    bounds they can have: that of the parts that take longest."""
    total = Counter()
    work, moved, cycles = Counter(), Counter(), Counter()
    for number, count in Counter(records).items():
        part = op["parts"][number]
        for kind, each in part["work"].items():
            work[kind] += count * each
        for memory, buffers in part["traffic_bytes"].items():
            moved[memory] += count * sum(buffers.values())
        for key in ("overhead_cycles", "serial_cycles", "compute_cycles", "memory_cycles"):
            total[key] += count * part[key]
        cycles[number] = count * (part["overhead_cycles"] + part["serial_cycles"]
                                  + max(part["compute_cycles"], part["memory_cycles"]))
    bounds = {op["parts"][number]["bound"] for number in cycles
              if cycles[number] == max(cycles.values())}
    return {"work": dict(work), "bytes": dict(moved), **total}, bounds


class Plan:
    """The slices of each run of each op, and the runs that each run waits for."""

    def __init__(self, report, detail):
        self.detail = detail
        self.loops = report["loops"]
        self.ops = {op["name"]: op for op in report["ops"]}
        require(len(self.ops) == len(report["ops"]), "two ops of one name in the report")

    def loops_of(self, op):
        return [self.loops[index] for index in op.get("loops", [])]

    def runs(self, op):
        runs = list(itertools.product(*(range(loop["trips"]) for loop in self.loops_of(op))))
        require(len(runs) == op["count"],
                f"'{op['name']}' has count {op['count']}, its loops give {len(runs)} runs")
        return runs

    def name(self, op, run):
        if not run:
            return op["name"]
        loop = self.loops_of(op)[-1]
        index = range(loop["first_index"],
                      loop["first_index"] + loop["trips"] * loop["index_step"],
                      loop["index_step"])[run[-1]]
        return expand(op["name"], index, run[-1])

    def record(self, op, part):
        """The number of a part's record of the cost; they stand in the order of the parts."""
        for number, record in enumerate(op["parts"]):
            if part < record["count"]:
                return number
            part -= record["count"]
        raise AssertionError(f"'{op['name']}' has no part {part}")

    def fetched(self, op, record, fetches):
        """What fetches for a part of this record move, by memory."""
        total = Counter()
        for memory, buffers in op["parts"][record]["traffic_bytes"].items():
            total[memory] += sum(buffers.get(fetch["buffer"], 0) for fetch in fetches)
        return +total

    def place(self, op, run, slot, name, part, fetches):
        record = self.record(op, part)
        delay = sum(loop["period_cycles"] * i for loop, i in zip(self.loops_of(op), run))
        return Expected(name, slot["engine"], slot["start_cycle"] + delay,
                        slot["end_cycle"] + delay, slot["lanes"], 1, [record],
                        self.fetched(op, record, fetches))

    def slots(self, op, run):
        return [self.place(op, run, slot, self.name(op, run), slot["part"],
                           slot.get("prefetches", [])) for slot in op["slots"]]

    def slices(self, op, run):
        slots = self.slots(op, run)
        return join(slots) if self.detail == "op" else slots

    def together(self, op, run):
        """The slices on engines that parts hold beside their own; what follows each other on one of
        these is joined as slots are, though the parts may run on different engines of their own."""
        held = [each._replace(track=engine) for slot, each in zip(op["slots"], self.slots(op, run))
                for engine in slot.get("with", [])]
        return join(held) if self.detail == "op" else held

    def fetches(self, op, run):
        """Pairs of a fetch and the slot that it is for."""
        for slot, consumer in zip(op["slots"], self.slots(op, run)):
            for fetch in slot.get("prefetches", []):
                name = f"prefetch {fetch['buffer']} of {self.name(op, run)}"
                yield self.place(op, run, fetch, name, slot["part"], [fetch]), consumer

    def prefetches(self, op, run):
        """Pairs of a slice of fetches and the slice that the first of them is for."""
        fetches = list(self.fetches(op, run))
        if self.detail != "op":
            return fetches
        targets = {}
        for fetch, consumer in fetches:
            [whole] = [each for each in self.slices(op, run) if each.track == consumer.track
                       and each.start_cycle <= consumer.start_cycle < each.end_cycle]
            targets[fetch.name, fetch.track, fetch.start_cycle] = whole
        pairs = [(each, targets[each.name, each.track, each.start_cycle])
                 for each in join([fetch for fetch, _ in fetches])]
        # No arrow leads back in time.
        return [(fetch, whole if fetch.end_cycle <= whole.start_cycle else None)
                for fetch, whole in pairs]

    def producers(self, op, run):
        """The runs that this one waits for, as (op, run)."""
        found = [self.in_same_iteration(op, run, name) for name in op["depends_on"]]
        for name in op.get("depends_on_previous_iteration", []):
            found.append(self.one_iteration_back(op, run, name))
        for name in op.get("depends_on_in_first_iteration", []):
            shared = self.shared_loops(op, self.ops[name])
            if not any(run[shared:]):
                found.append(self.in_same_iteration(op, run, name))
        return [each for each in found if each]

    def shared_loops(self, a, b):
        pairs = itertools.zip_longest(a.get("loops", []), b.get("loops", []))
        return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))

    def in_same_iteration(self, op, run, name):
        producer = self.ops[name]
        shared = self.shared_loops(op, producer)
        last = [loop["trips"] - 1 for loop in self.loops_of(producer)[shared:]]
        return producer, (*run[:shared], *last)

    def one_iteration_back(self, op, run, name):
        producer = self.ops[name]
        shared = self.shared_loops(op, producer)
        if shared == 0:  # the loop hands on what came from outside
            return self.in_same_iteration(op, run, name) if not run or run[-1] else None
        if run[shared - 1] == 0:
            return None
        return self.in_same_iteration(op, (*run[:shared - 1], run[shared - 1] - 1), name)
