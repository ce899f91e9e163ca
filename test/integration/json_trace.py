"""A trace in Chrome's JSON format as Perfetto reads it: events sorted by time, slices that nest on a
(pid, tid), arrows that bind to the slice on top where their ends lie."""
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


# read_end: in microseconds, as a reader finds it that adds in doubles
Slice = namedtuple("Slice", "number name track start end args category read_end")


def nanoseconds(event, key):
    """A time in microseconds as whole nanoseconds."""
    require(is_number(event.get(key)), f"'{key}' is not a number in {event}")
    value = Fraction(event[key]) * 1000
    require(value.denominator == 1, f"'{key}' is finer than a nanosecond in {event}")
    require(value >= 0, f"'{key}' is negative in {event}")
    return int(value)


def end_of(event, start):
    """Where a slice ends. A length may be less than a millionth of a nanosecond shorter than it is, for readers that
    add it to the start in doubles: these must not find an end behind the start of what follows."""
    require(is_number(event["dur"]), f"'dur' is not a number in {event}")
    length = Fraction(event["dur"]) * 1000
    whole = round(length)
    require(0 <= whole - length < Fraction(1, 10**6), f"'dur' is finer than a nanosecond in {event}")
    require(whole >= 0, f"'dur' is negative in {event}")
    end = start + whole
    require(read_end(event) <= end / 1000, f"in doubles ends behind {end} ns: {event}")
    return end


def read_end(event):
    return float(event["ts"]) + float(event["dur"])


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
        end = end_of(event, time)
        new = Slice(len(self.slices), event["name"], track_of(event), time, end,
                    event.get("args", {}), event.get("cat"), read_end(event))
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
                require(not stack or each.read_end <= stack[-1].read_end,
                        f"in doubles '{each.name}' ends behind '{stack and stack[-1].name}', which it lies in")
                stack.append(each)
