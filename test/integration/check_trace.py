#!/usr/bin/env python3
"""Checks a trace of llm-opt against the JSON report of the same run.

    check_trace.py TRACE REPORT [--function NAME] [--time ns|cycles] [--detail tile|op|layer]

It knows the trace only as Perfetto reads it: events sorted by time, slices that nest on a
(pid, tid), arrows that bind to the slice on top where their ends lie. From the report it
derives what must be there: each op once per slot and iteration, each dependence as one
arrow, layers from their first slot to their last, idle cycles by cause. It shares nothing
with the exporter. Exit status 1 and a message where they differ.
"""
import argparse
import itertools
import json
import math
import re
import sys
from collections import Counter, defaultdict, namedtuple
from decimal import Decimal
from fractions import Fraction


class TraceError(Exception):
    pass


def require(condition, message):
    if not condition:
        raise TraceError(message)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value):
    if is_integer(value):
        return True
    return isinstance(value, Decimal) and value.is_finite()


# --------------------------------------------------------------------------------------
# The trace, as a viewer reads it
# --------------------------------------------------------------------------------------

Slice = namedtuple("Slice", "number name track start end args category")


def nanoseconds(event, key):
    """A time in microseconds as whole nanoseconds."""
    require(is_number(event.get(key)), f"'{key}' is not a number in {event}")
    value = Fraction(event[key]) * 1000
    require(value.denominator == 1, f"'{key}' is finer than a nanosecond in {event}")
    require(value >= 0, f"'{key}' is negative in {event}")
    return int(value)


def track_of(event):
    track = (event.get("pid"), event.get("tid"))
    require(all(is_integer(part) and part > 0 for part in track),
            f"pid and tid must be positive whole numbers in {event}")
    return track


class Trace:
    """Slices, arrows between them, track names and counters."""

    def __init__(self, root):
        require(isinstance(root, dict) and isinstance(root.get("traceEvents"), list),
                "no list 'traceEvents'")
        self.slices = []
        self.arrows = []  # (source, destination), positions in slices
        self.counters = defaultdict(list)  # (name, key) -> [(time, value)]
        self.metadata = defaultdict(list)  # (kind, pid or track) -> values
        self.placed = []  # (time, event) of slices and arrows
        for event in root["traceEvents"]:
            self.read(event)
        for samples in self.counters.values():
            samples.sort(key=lambda sample: sample[0])
        self.bind()
        self.check_names()
        self.check_overlap()

    def read(self, event):
        phase = event.get("ph")
        if phase == "M":
            self.read_metadata(event)
        elif phase == "C":
            self.read_counter(event)
        elif phase in ("X", "s", "f"):
            track_of(event)
            self.placed.append((nanoseconds(event, "ts"), event))
        else:
            raise TraceError(f"an event of unknown kind: {event}")

    def read_metadata(self, event):
        kind, args = event.get("name"), event.get("args", {})
        keys = {"process_name": "name", "thread_name": "name",
                "process_sort_index": "sort_index", "thread_sort_index": "sort_index"}
        require(kind in keys, f"metadata that Perfetto does not know: {event}")
        value = args.get(keys[kind])
        right = isinstance(value, str) if keys[kind] == "name" else is_integer(value)
        require(right, f"'{keys[kind]}' has the wrong type in {event}")
        pid, tid = track_of(event)
        self.metadata[kind, pid if kind.startswith("process") else (pid, tid)].append(value)

    def read_counter(self, event):
        args = event.get("args")
        require(isinstance(args, dict) and args, f"a counter without values: {event}")
        time = nanoseconds(event, "ts")
        for key, value in args.items():
            require(is_number(value), f"a counter that is not a number: {event}")
            self.counters[event.get("name"), key].append((time, value))

    def bind(self):
        """Walks the events in the order of time, as a viewer does."""
        open_slices = defaultdict(list)  # track -> stack
        starts, ends = {}, {}
        for time, event in sorted(self.placed, key=lambda placed: placed[0]):
            stack = open_slices[track_of(event)]
            if event["ph"] == "X":
                while stack and stack[-1].end <= time:
                    stack.pop()
                stack.append(self.add_slice(time, event))
                continue
            top = stack[-1] if stack else None
            # A slice without length is on top until the next one starts.
            inside = top and (top.start <= time < top.end or top.start == top.end == time)
            require(inside, f"an arrow's end lies in no slice: {event}")
            self.add_arrow_end(event, top.number, starts, ends)
        open_arrows = sorted(set(starts) - set(ends))
        require(not open_arrows, f"arrows that do not end: {open_arrows}")

    def add_slice(self, time, event):
        require(isinstance(event.get("name"), str), f"a slice without a name: {event}")
        require("dur" in event, f"a slice without 'dur': {event}")
        end = time + nanoseconds(event, "dur")
        new = Slice(len(self.slices), event["name"], track_of(event), time, end,
                    event.get("args", {}), event.get("cat"))
        self.slices.append(new)
        return new

    def add_arrow_end(self, event, slice_number, starts, ends):
        require(is_integer(event.get("id")), f"an arrow's id must be a whole number: {event}")
        key = (event.get("cat"), event.get("name"), event["id"])
        if event["ph"] == "s":
            require(key not in starts, f"an arrow that starts twice: {event}")
            starts[key] = slice_number
            return
        require(event.get("bp") == "e", f"an arrow's end without 'bp': 'e': {event}")
        require(key not in ends, f"an arrow that ends twice: {event}")
        require(key in starts, f"an arrow that ends before it starts: {event}")
        ends[key] = slice_number
        self.arrows.append((starts[key], slice_number))

    def check_names(self):
        tracks = {each.track for each in self.slices}
        tracks |= {key for kind, key in self.metadata if kind.startswith("thread")}
        for kind in ("thread_name", "thread_sort_index"):
            for track in sorted(tracks):
                require(len(self.metadata[kind, track]) == 1,
                        f"track {track} has {len(self.metadata[kind, track])} x {kind}")
        for kind in ("process_name", "process_sort_index"):
            for pid in sorted({track[0] for track in tracks}):
                require(len(self.metadata[kind, pid]) == 1,
                        f"process {pid} has {len(self.metadata[kind, pid])} x {kind}")
        tids = [track[1] for track in tracks]
        require(len(tids) == len(set(tids)), "a tid stands for two tracks")
        pids = {track[0] for track in tracks}
        require(not pids & set(tids), "a tid is also a pid")

    def track_name(self, track):
        return self.metadata["thread_name", track][0]

    def processes(self):
        """Pids in the order of their sort indexes."""
        indices = sorted((values[0], pid) for (kind, pid), values in self.metadata.items()
                         if kind == "process_sort_index")
        return [pid for _, pid in indices]

    def tracks_of(self, pid):
        """The names of a process's tracks, in order."""
        indices = sorted((values[0], track) for (kind, track), values in self.metadata.items()
                         if kind == "thread_sort_index" and track[0] == pid)
        return [self.track_name(track) for _, track in indices]

    def check_overlap(self):
        by_track = defaultdict(list)
        for each in self.slices:
            by_track[each.track].append(each)
        for slices in by_track.values():
            stack = []
            for each in sorted(slices, key=lambda s: (s.start, -s.end)):
                while stack and stack[-1].end <= each.start:
                    stack.pop()
                require(not stack or each.end <= stack[-1].end,
                        f"'{stack and stack[-1].name}' and '{each.name}' overlap on "
                        f"{self.track_name(each.track)} at {each.start} ns")
                stack.append(each)


# --------------------------------------------------------------------------------------
# What the report says must be there
# --------------------------------------------------------------------------------------

Expected = namedtuple("Expected", "name track start_cycle end_cycle lanes parts")


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
            runs[before] = runs[before]._replace(end_cycle=each.end_cycle, lanes=lanes,
                                                 parts=runs[before].parts + 1)
            continue
        ends[each.track, each.name] = len(runs)
        runs.append(each)
    return sorted(runs, key=lambda run: (run.start_cycle, run.track))


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

    def place(self, op, run, slot, name):
        delay = sum(loop["period_cycles"] * i for loop, i in zip(self.loops_of(op), run))
        return Expected(name, slot["engine"], slot["start_cycle"] + delay,
                        slot["end_cycle"] + delay, slot["lanes"], 1)

    def slots(self, op, run):
        return [self.place(op, run, slot, self.name(op, run)) for slot in op["slots"]]

    def slices(self, op, run):
        slots = self.slots(op, run)
        return join(slots) if self.detail == "op" else slots

    def fetches(self, op, run):
        """Pairs of a fetch and the slot that it is for."""
        for slot, consumer in zip(op["slots"], self.slots(op, run)):
            for fetch in slot.get("prefetches", []):
                name = f"prefetch {fetch['buffer']} of {self.name(op, run)}"
                yield self.place(op, run, fetch, name), consumer

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


# --------------------------------------------------------------------------------------
# The comparison
# --------------------------------------------------------------------------------------


class Checker:
    def __init__(self, trace, report, time, detail):
        self.trace, self.report, self.time, self.detail = trace, report, time, detail
        self.plan = Plan(report, detail)
        self.found = defaultdict(list)  # (track name, name) -> slices
        self.others = defaultdict(list)  # category -> slices
        for each in trace.slices:
            if each.category in ("op", "prefetch"):
                self.found[trace.track_name(each.track), each.name].append(each)
            else:
                self.others[each.category].append(each)

    def is_at(self, cycle, ns):
        """Whether a time is the cycle's, rounded to a neighbouring nanosecond."""
        exact = Fraction(cycle)
        if self.time == "ns":
            exact = Fraction(cycle * 10**9, self.report["clock_hz"])
        return abs(exact - ns) <= (Fraction(1, 2) if self.time == "ns" else 0)

    def match(self, expected):
        """The slice for an expectation; it is used up."""
        candidates = self.found[expected.track, expected.name]
        for each in candidates:
            if (self.is_at(expected.start_cycle, each.start)
                    and self.is_at(expected.end_cycle, each.end)):
                candidates.remove(each)
                return each
        seen = [(each.start, each.end) for each in candidates]
        raise TraceError(f"no slice '{expected.name}' on {expected.track} for cycles "
                         f"{expected.start_cycle} to {expected.end_cycle}"
                         + (f"; it is at {seen} ns" if seen else ""))

    def check(self):
        self.check_tracks()
        if self.detail == "layer":
            require(not self.found and not self.trace.arrows, "more than layers")
        else:
            self.check_arrows(self.check_slices())
        self.check_counters()
        unknown = set(self.others) - {"parts", "idle", "layer", "critical path"}
        require(not unknown, f"slices of unknown kinds: {sorted(map(str, unknown))}")
        if self.detail == "tile":
            self.check_parts()
        else:
            require(not self.others["parts"], "parts without slots in them")
        self.check_layers()
        if self.detail == "layer":
            require(not self.others["idle"], "gaps without engines")
        else:
            self.check_idle()
        self.check_path()

    def check_tracks(self):
        """The machine, then layers, then each group of engines with its tracks."""
        engines = self.report["engines"] if self.detail != "layer" else []
        pids = self.trace.processes()
        names = [self.trace.metadata["process_name", pid][0] for pid in pids]
        wanted = [self.report["target"], "layers", *(engine["name"] for engine in engines)]
        require(names == wanted, f"the processes are {names}, not {wanted}")
        own = self.trace.tracks_of(pids[0])
        require(own in ([], ["critical path"]), f"the machine has the tracks {own}")
        lanes = self.trace.tracks_of(pids[1])
        require(lanes == [f"layers[{lane}]" for lane in range(len(lanes))],
                f"the lanes of layers are {lanes}")
        for engine, pid in zip(engines, pids[2:]):
            wanted = [f"{engine['name']}[{index}]" for index in range(engine["count"])]
            found = self.trace.tracks_of(pid)
            require(Counter(found) == Counter(wanted),
                    f"the tracks are {sorted(found)}, the engines {sorted(wanted)}")
            require(found == wanted, "the tracks are not in the engines' order")

    def check_slices(self):
        """Each expectation has its slice, and none is left over."""
        numbers = {}  # (expected, op, run, place) -> slice
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                wanted = list(enumerate(self.plan.slices(op, run)))
                for place, expected in wanted:
                    found = self.match(expected)
                    self.check_args(op, run, expected, found)
                    numbers[op["name"], run, place] = found.number
        self.fetches = Counter()
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                for fetch, consumer in self.plan.prefetches(op, run):
                    source = self.match(fetch).number
                    if consumer:
                        place = self.plan.slices(op, run).index(consumer)
                        self.fetches[source, numbers[op["name"], run, place]] += 1
        extra = [each.name for rest in self.found.values() for each in rest]
        require(not extra, f"slices that the report does not know: {sorted(extra)}")
        return numbers

    def check_args(self, op, run, expected, found):
        where = f"args of '{found.name}'"
        args = found.args
        require(args.get("op") == op["op"], f"{where}: op is {args.get('op')}")
        for key in ("start_cycle", "end_cycle", "lanes"):
            require(args.get(key) == getattr(expected, key),
                    f"{where}: {key} is {args.get(key)}, not {getattr(expected, key)}")
        names = [self.plan.name(*each) for each in self.plan.producers(op, run)]
        require(sorted(args.get("depends_on", [])) == sorted(names),
                f"{where}: depends_on is {args.get('depends_on')}, not {names}")
        for key in ("in", "out"):
            require(isinstance(args.get(key), list), f"{where}: no shapes '{key}'")
        require("bound" in args.get("cost", {}), f"{where}: no cost with a bound")
        if self.detail == "op":
            require(args.get("parts") == expected.parts, f"{where}: {args.get('parts')} parts")
            work = Counter()  # cut ops may do some of it twice
            for part in op["parts"]:
                work.update({kind: part["count"] * each for kind, each in part["work"].items()})
            require(args["cost"]["work"] == dict(work), f"{where}: work is not {dict(work)}")
            for key in ("bytes", "compute_cycles", "memory_cycles", "overhead_cycles",
                        "serial_cycles", "bound"):
                require(args["cost"][key] == op[key], f"{where}: {key} is not that of the op")
        require("strategy" in args.get("tile", {}), f"{where}: no tile with a strategy")

    def check_arrows(self, numbers):
        """From the part of each producer that ends last to each slice of the consumer."""
        wanted = Counter(self.fetches)
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                for producer, producer_run in self.plan.producers(op, run):
                    parts = self.plan.slices(producer, producer_run)
                    last = max(range(len(parts)), key=lambda part: parts[part].end_cycle)
                    source = numbers[producer["name"], producer_run, last]
                    for place in range(len(self.plan.slices(op, run))):
                        wanted[source, numbers[op["name"], run, place]] += 1
        found = Counter(self.trace.arrows)
        for (source, to), count in ((wanted - found) + (found - wanted)).items():
            name = [self.trace.slices[number].name for number in (source, to)]
            raise TraceError(f"{found[source, to]} arrows from '{name[0]}' to '{name[1]}', "
                             f"expected {wanted[source, to]}")

    def check_counters(self):
        engines = {engine["name"]: engine["count"] for engine in self.report["engines"]}
        require(self.trace.counters or not self.trace.slices, "no counters")
        for (name, key), samples in self.trace.counters.items():
            require(all(value >= 0 for _, value in samples), f"counter '{name}' is below 0")
            if name == "KV cache written":
                self.check_cache(samples)
                continue
            floor = samples[-1][1] if name == "power" else 0  # idle watts
            require(samples[-1][1] == floor, f"counter '{name}' does not end at 0")
            require(min(value for _, value in samples) >= floor, f"counter '{name}' is below its end")
            if name == "engines busy":
                require(max(value for _, value in samples) <= engines.get(key, math.inf),
                        f"more than all '{key}' are busy")
        if self.detail != "layer":
            self.check_busy_time()

    def check_cache(self, samples):
        values = [value for _, value in samples]
        require(values == sorted(values), "the cache loses bytes")
        wanted = self.report.get("totals", {}).get("kv_write_bytes")
        require(values[-1] == wanted, f"{values[-1]} bytes are written to caches, not {wanted}")

    def check_busy_time(self):
        """The area under 'engines busy' is the time of all slices."""
        area = 0
        for (name, _), samples in self.trace.counters.items():
            if name == "engines busy":
                area += sum((after[0] - before[0]) * before[1]
                            for before, after in zip(samples, samples[1:]))
        length = sum(each.end - each.start for each in self.trace.slices
                     if each.category in ("op", "prefetch"))
        require(area == length, f"engines are busy for {area} ns, slices last {length} ns")

    def take(self, category, wanted):
        """Each of (track, name, start, end, args) has its slice of the category, and none is
        left over; args: those that must be there. A track of None may be any."""
        found = defaultdict(list)
        for each in self.others[category]:
            cycles = [each.args.get(key) for key in ("start_cycle", "end_cycle")]
            require(all(map(is_integer, cycles)), f"{category} '{each.name}' without cycles")
            require(self.is_at(cycles[0], each.start) and self.is_at(cycles[1], each.end),
                    f"{category} '{each.name}' is not where its cycles are")
            found[each.name, *cycles].append(each)
        for track, name, start, end, args in wanted:
            fits = [each for each in found[name, start, end]
                    if track in (None, self.trace.track_name(each.track))]
            require(fits, f"no {category} '{name}' on {track} for cycles {start} to {end}")
            require(args.items() <= fits[0].args.items(),
                    f"{category} '{name}': args are {fits[0].args}, not {args}")
            found[name, start, end].remove(fits[0])
        extra = [each.name for rest in found.values() for each in rest]
        require(not extra, f"{category} slices that the report does not know: {sorted(extra)}")

    def check_parts(self):
        """Around slots of a run of an op that follow each other on an engine."""
        wanted = []
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                for each in join(self.plan.slots(op, run)):
                    if each.parts > 1:
                        wanted.append((each.track, each.name, each.start_cycle, each.end_cycle,
                                       {"parts": each.parts, "op": op["op"]}))
        self.take("parts", wanted)

    def check_layers(self):
        """From the first start to the last end of a layer's ops in one iteration; of ops in no
        layer, of those between two boundaries of loops."""
        groups, outside, previous = {}, None, None
        for op in self.plan.ops.values():
            loops = tuple(op.get("loops", []))
            if loops != previous:
                outside, previous = object(), loops
            groups.setdefault((op.get("layer") or outside, loops), []).append(op)
        wanted = []
        for (layer, _), ops in groups.items():
            for run in self.plan.runs(ops[0]):
                names = [self.plan.name(op, run) for op in ops]
                name = names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]}"
                if isinstance(layer, str):
                    name = self.plan.name({**ops[0], "name": layer}, run)
                slots = [slot for op in ops for slot in self.plan.slices(op, run)]
                wanted.append((None, name, min(slot.start_cycle for slot in slots),
                               max(slot.end_cycle for slot in slots), {"ops": len(ops)}))
        self.take("layer", wanted)

    def check_idle(self):
        """With slots and fetches they fill each engine's time; causes add up to the report's."""
        if not self.is_explained():
            require(not self.others["idle"], "gaps without an explanation")
            return
        causes, cycles = defaultdict(Counter), Counter()
        for each in self.others["idle"]:
            group = self.trace.metadata["process_name", each.track[0]][0]
            own = each.args["idle_cycles"]
            require(sum(own.values()) == each.args["end_cycle"] - each.args["start_cycle"],
                    f"the causes of '{each.name}' are not its cycles: {own}")
            main = max(own.values())
            require(own[each.name.removeprefix("idle: ").replace(" ", "_")] == main,
                    f"'{each.name}' is not the main one of {own}")
            causes[group].update(own)
        for engine in self.report["engines"]:
            found = dict(causes[engine["name"]])
            require(found == engine["idle_cycles"],
                    f"'{engine['name']}' is idle {found}, not {engine['idle_cycles']}")
        for each in self.trace.slices:
            if each.category in ("op", "prefetch", "idle"):
                cycles[each.track] += each.args["end_cycle"] - each.args["start_cycle"]
        require(set(cycles.values()) <= {self.report["makespan_cycles"]},
                f"slots and gaps do not fill the makespan: {dict(cycles)}")

    def is_explained(self):
        return any("busy_cycles" in engine for engine in self.report["engines"])

    def check_path(self):
        """One step after the other, each a slot or a fetch, or several of one op; gaps only
        where nothing ended."""
        steps = sorted(self.others["critical path"], key=lambda each: each.args["start_cycle"])
        if not self.is_explained() or not steps:
            require(not steps, "a critical path without an explanation")
            return
        spans = defaultdict(set)
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                fetches = [fetch for fetch, _ in self.plan.fetches(op, run)]
                for each in self.plan.slots(op, run) + fetches:
                    spans[each.name, "start"].add(each.start_cycle)
                    spans[each.name, "end"].add(each.end_cycle)
        before = 0
        for each in steps:
            start, end = each.args["start_cycle"], each.args["end_cycle"]
            require(start in spans[each.name, "start"] and end in spans[each.name, "end"],
                    f"step '{each.name}' is no slot of it")
            require(start >= before, f"step '{each.name}' starts before the one ahead of it ends")
            require(start == before or each.args["follows_by"] in ("choice", "none"),
                    f"a gap before step '{each.name}'")
            before = end
        require(before == self.report["makespan_cycles"], "the critical path does not end last")


def pick_function(report, name):
    functions = report.get("functions", [report])
    if name is not None:
        functions = [each for each in functions if each["function"] == name]
    require(len(functions) == 1, f"the report has {len(functions)} functions that fit; "
                                 "name one with --function")
    return functions[0]


def check(trace_root, report_root, function=None, time="ns", detail="tile"):
    """Raises TraceError where the trace is not what the report says; else a summary."""
    trace = Trace(trace_root)
    Checker(trace, pick_function(report_root, function), time, detail).check()
    work = [each for each in trace.slices if each.category in ("op", "prefetch")]
    return (f"ok: {len(work)} slices, {len(trace.arrows)} arrows, "
            f"{len(trace.counters)} counters")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("report")
    parser.add_argument("--function", help="which one, where the report has several")
    parser.add_argument("--time", choices=("ns", "cycles"), default="ns")
    parser.add_argument("--detail", choices=("tile", "op", "layer"), default="tile")
    options = parser.parse_args()
    try:
        print(check(load(options.trace), load(options.report), options.function, options.time,
                    options.detail))
    except (TraceError, OSError, ValueError, KeyError) as error:
        print(f"{options.trace}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
