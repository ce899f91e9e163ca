"""A trace in Chrome's JSON format as Perfetto reads it.

Numbers: digits before the point, digits behind it and ten to their count are 64-bit integers that wrap; the double is the
first plus the second over the third, and times 1000, rounded, it is nanoseconds.

Events come by time; at equal times ends (E) first, then complete slices (X) with a length, the longer before the shorter,
then everything else as it stands in the file. Older versions take ends as they stand in the file: a trace must mean the
same to both.

A slice that begins closes those on its track that have ended; one without length stays open where the new one is as short
as it. An arrow binds to the slice on top of the track, which it does not close.
"""
import math
from collections import defaultdict, namedtuple
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


# parent: the number of the slice that it lies in, or None; read_end: in microseconds, as a reader finds it that adds in
# doubles
Slice = namedtuple("Slice", "number name track start end args category parent read_end")


def digits_of(number):
    """Of a decimal as it is written: what is before the point, what is behind it, and the count of the latter."""
    sign, digits, exponent = Decimal(number).as_tuple()
    require(not sign and exponent <= 0, f"{number} is not a decimal of digits alone")
    whole = int("".join(map(str, digits)))
    return whole // 10**-exponent, whole % 10**-exponent, -exponent


def perfetto_nanoseconds(number):
    """Microseconds, as Perfetto reads them."""
    if is_integer(number):
        return number * 1000
    whole, behind, count = digits_of(number)
    signed = (behind + 2**63) % 2**64 - 2**63
    divisor = 10**count % 2**64
    require(divisor > 0, f"{number} is a division by 0")
    return math.floor((whole + signed / divisor) * 1000 + 0.5)


def nanoseconds(event, key):
    """A time in microseconds as whole nanoseconds."""
    require(is_number(event.get(key)), f"'{key}' is not a number in {event}")
    require(event[key] >= 0, f"'{key}' is negative in {event}")
    value = Fraction(event[key]) * 1000
    require(value.denominator == 1, f"'{key}' is finer than a nanosecond in {event}")
    require(perfetto_nanoseconds(event[key]) == value, f"'{key}' is another time to Perfetto in {event}")
    return int(value)


def cut_nanoseconds(event, key):
    """A length, or an end. It may be less than a millionth of a nanosecond shorter than it is, for readers that add lengths
    to starts in doubles: these must not find an end behind the start of what follows."""
    require(is_number(event.get(key)), f"'{key}' is not a number in {event}")
    require(event[key] >= 0, f"'{key}' is negative in {event}")
    value = Fraction(event[key]) * 1000
    whole = math.ceil(value)
    require(whole - value < Fraction(1, 10**6), f"'{key}' is finer than a nanosecond in {event}")
    found = perfetto_nanoseconds(event[key])
    require(found == whole, f"'{key}' is {found} ns to Perfetto in {event}")
    return whole


def track_of(event):
    track = (event.get("pid"), event.get("tid"))
    require(all(is_integer(part) and part > 0 for part in track),
            f"pid and tid must be positive whole numbers in {event}")
    return track


Placed = namedtuple("Placed", "time event length")  # length: of X, in nanoseconds, else None


class Open:
    """A slice on the stack of its track; end: None as long as it is not known."""

    def __init__(self, number, placed, parent):
        self.number, self.event, self.start, self.parent = number, placed.event, placed.time, parent
        self.end = None if placed.length is None else placed.time + placed.length

    def is_empty(self):
        return self.end == self.start


class Binding:
    """What lies in what and which arrow binds to what, by one of the two orders."""

    def __init__(self, placed, ends_first):
        self.slices = []  # Open
        self.arrows = []  # (source, destination), positions in slices
        self.read_ends = {}  # of those that do not have a length
        self.arrow_ends = []  # (time, event, position)
        self.stacks = defaultdict(list)
        self.starts, self.ends = {}, {}
        for each in sorted(placed, key=lambda each: (each.time, *self.key(each, ends_first))):
            stack = self.stacks[track_of(each.event)]
            phase = each.event["ph"]
            if phase in "XB":
                self.begin(stack, each)
            elif phase == "E":
                self.end(stack, each)
            else:
                require(stack, f"an arrow's end lies in no slice: {each.event}")
                self.arrow_ends.append((each.time, each.event, stack[-1].number))
                self.add_arrow_end(each.event, stack[-1].number)
        open_arrows = sorted(set(self.starts) - set(self.ends))
        require(not open_arrows, f"arrows that do not end: {open_arrows}")
        for each in self.slices:
            require(each.end is not None, f"a slice that does not end: {each.event}")
        for time, event, number in self.arrow_ends:
            top = self.slices[number]
            require(top.start <= time < top.end or top.is_empty() and time == top.start,
                    f"an arrow's end lies in no slice: {event}")

    @staticmethod
    def key(placed, ends_first):
        if placed.event["ph"] == "E" and ends_first:
            return 0, 0
        return 1, -(placed.length or 0)

    @staticmethod
    def close(stack, time, is_empty):
        while stack:
            top = stack[-1]
            if top.end is None:
                require(all(each.end is None or each.end >= time for each in stack),
                        f"'{top.event['name']}' goes on behind the end of what it lies in")
                return
            if top.end > time or top.end == time and top.is_empty() and is_empty:
                return
            stack.pop()

    def begin(self, stack, placed):
        self.close(stack, placed.time, placed.length == 0)
        new = Open(len(self.slices), placed, stack[-1].number if stack else None)
        for other in stack:
            require(new.end is None or other.end is None or new.end <= other.end,
                    f"'{other.event['name']}' and '{new.event['name']}' overlap at {new.start} ns")
        stack.append(new)
        self.slices.append(new)

    def end(self, stack, placed):
        self.close(stack, placed.time, False)
        event = placed.event
        require(stack and stack[-1].end is None, f"an end of nothing that has begun: {event}")
        top = stack.pop()
        require((top.event["name"], top.event.get("cat")) == (event.get("name"), event.get("cat")),
                f"an end of '{event.get('name')}' within '{top.event['name']}'")
        top.end = placed.time
        self.read_ends[top.number] = float(event["ts"])

    def add_arrow_end(self, event, slice_number):
        require(is_integer(event.get("id")), f"an arrow's id must be a whole number: {event}")
        key = (event.get("cat"), event.get("name"), event["id"])
        if event["ph"] == "s":
            require(key not in self.starts, f"an arrow that starts twice: {event}")
            self.starts[key] = slice_number
            return
        require(event.get("bp") == "e", f"an arrow's end without 'bp': 'e': {event}")
        require(key not in self.ends, f"an arrow that ends twice: {event}")
        require(key in self.starts, f"an arrow that ends before it starts: {event}")
        self.ends[key] = slice_number
        self.arrows.append((self.starts[key], slice_number))

    def meaning(self):
        """The same for both orders; slices have other numbers, but the same events."""
        def of(number):
            return None if number is None else id(self.slices[number].event)
        return ({id(each.event): (each.end, of(each.parent)) for each in self.slices},
                sorted((of(source), of(to)) for source, to in self.arrows))


class Trace:
    """Slices, arrows between them, track names and counters."""

    def __init__(self, root):
        require(isinstance(root, dict) and isinstance(root.get("traceEvents"), list),
                "no list 'traceEvents'")
        self.head = None
        self.counters = defaultdict(list)  # (name, key) -> [(time, value)]
        self.metadata = defaultdict(list)  # (kind, pid or track) -> values
        self.placed = []  # slices and arrows
        for event in root["traceEvents"]:
            self.read(event)
        for samples in self.counters.values():
            samples.sort(key=lambda sample: sample[0])
        self.bind()
        require(self.head == root.get("otherData"), "the head is not 'otherData'")
        self.check_names()
        self.check_overlap()

    def read(self, event):
        phase = event.get("ph")
        if phase == "M":
            self.read_metadata(event)
        elif phase == "C":
            self.read_counter(event)
        elif phase in ("X", "B", "E", "s", "f"):
            track_of(event)
            if phase in "XB":
                require(isinstance(event.get("name"), str), f"a slice without a name: {event}")
            if phase == "X":
                require("dur" in event, f"a slice without 'dur': {event}")
            time = cut_nanoseconds(event, "ts") if phase == "E" else nanoseconds(event, "ts")
            length = cut_nanoseconds(event, "dur") if phase == "X" else None
            self.placed.append(Placed(time, event, length))
        elif phase == "i":
            require(self.head is None and event.get("s") == "p" and nanoseconds(event, "ts") == 0,
                    f"an instant that is not the head: {event}")
            self.head = event.get("args")
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
        binding, older = (Binding(self.placed, ends_first) for ends_first in (True, False))
        require(binding.meaning() == older.meaning(), "newer and older versions of Perfetto read something else")
        self.arrows = binding.arrows
        self.slices = [Slice(each.number, each.event["name"], track_of(each.event), each.start, each.end,
                             each.event.get("args", {}), each.event.get("cat"), each.parent,
                             binding.read_ends[each.number] if each.number in binding.read_ends
                             else float(each.event["ts"]) + float(each.event["dur"]))
                       for each in binding.slices]

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

    def check_nesting(self):
        """Slots of an op lie in a slice of it, and modules in layers; nothing else lies in anything that has a length."""
        for each in self.slices:
            if each.parent is None:
                continue
            outer = self.slices[each.parent]
            are_empty = outer.start == outer.end and each.start == each.end
            require(are_empty or (outer.category, each.category) == ("layer", "module")
                    or (outer.category, each.category, outer.name) == ("parts", "op", each.name),
                    f"'{each.name}' lies in '{outer.name}' at {each.start} ns")

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
                require(each.read_end <= each.end / 1000, f"in doubles '{each.name}' ends behind {each.end} ns")
                require(not stack or each.read_end <= stack[-1].read_end,
                        f"in doubles '{each.name}' ends behind '{stack and stack[-1].name}', which it lies in")
                stack.append(each)
