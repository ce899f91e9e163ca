#!/usr/bin/env python3
"""Checks a trace in Perfetto's own format against the JSON trace of the same schedule.

    check_pftrace.py TRACE.pftrace TRACE.json

Reads protocol buffers byte by byte, with nothing but the numbers of the fields. Every packet
must be one that is known, in the order of time (`--means`: counters have samples of intervals,
which are written when these end; `--unsorted`: stages stand one behind the other); begins and
ends must balance on each track and nest; each arrow has one source and one sink; counters move
on in time. Slices with their arguments, arrows and counters must be the same as in the JSON
trace, neither more nor less, and the tracks in the same order, that of the descriptors as
Perfetto obeys them. Exit status 1 and a message where that is not so.
"""
import argparse
import json
import struct
import sys
from collections import Counter, defaultdict
from fractions import Fraction


class TraceError(Exception):
    pass


def require(condition, message):
    if not condition:
        raise TraceError(message)


# --------------------------------------------------------------------------------------
# The wire format
# --------------------------------------------------------------------------------------

VARINT, FIXED64, BYTES = 0, 1, 2


def read_varint(data, at):
    value = shift = 0
    while True:
        require(at < len(data), "a number that does not end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            require(value < 1 << 64, "a number of more than 64 bits")
            return value, at


def fields_of(data):
    """(number, kind, value) of a message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
        elif kind == FIXED64:
            require(at + 8 <= len(data), f"field {number} is cut off")
            value, at = data[at:at + 8], at + 8
        elif kind == BYTES:
            length, at = read_varint(data, at)
            require(at + length <= len(data), f"field {number} is cut off")
            value, at = data[at:at + length], at + length
        else:
            raise TraceError(f"field {number} is of kind {kind}")
        yield number, kind, value


def message(data, known):
    """The fields of a message by name; `known`: number -> (name, kind). Lists of values."""
    result = defaultdict(list)
    for number, kind, value in fields_of(data):
        require(number in known, f"field {number} is not one of {sorted(known)}")
        name, wanted = known[number]
        require(kind == wanted, f"field {number} ({name}) is of kind {kind}")
        result[name].append(value)
    return result


def one(fields, name, default=None):
    require(len(fields[name]) <= 1, f"{name} stands there {len(fields[name])} times")
    if fields[name]:
        return fields[name][0]
    require(default is not None, f"{name} is missing")
    return default


def text(data):
    return data.decode("utf-8")  # raises on what is no UTF-8


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


PACKET = {8: ("timestamp", VARINT), 10: ("sequence", VARINT), 11: ("event", BYTES),
          12: ("numbered", BYTES), 13: ("flags", VARINT), 60: ("descriptor", BYTES)}
NUMBERED = {1: ("category", BYTES), 2: ("event", BYTES), 3: ("annotation", BYTES),
            29: ("text", BYTES)}
NUMBERED_TEXT = {1: ("number", VARINT), 2: ("text", BYTES)}
CLEARED, NEEDS = 1, 2
DESCRIPTOR = {1: ("uuid", VARINT), 2: ("name", BYTES), 3: ("process", BYTES), 5: ("parent", VARINT),
              8: ("counter", BYTES), 11: ("ordering", VARINT), 12: ("rank", VARINT),
              14: ("description", BYTES), 15: ("merging", VARINT)}
COUNTER = {6: ("unit", BYTES)}
EVENT = {3: ("category_number", VARINT), 4: ("annotations", BYTES), 9: ("type", VARINT),
         10: ("name_number", VARINT), 11: ("track", VARINT),
         22: ("categories", BYTES), 23: ("name", BYTES), 30: ("integer", VARINT),
         44: ("real", FIXED64), 47: ("out", FIXED64), 48: ("into", FIXED64)}
ANNOTATION = {1: ("name_number", VARINT), 2: ("flag", VARINT), 4: ("integer", VARINT),
              5: ("real", FIXED64), 6: ("text", BYTES), 10: ("name", BYTES), 11: ("entries", BYTES),
              12: ("elements", BYTES), 17: ("text_number", VARINT)}
BEGIN, END, INSTANT, SAMPLE = 1, 2, 3, 4
EXPLICIT = 3
NEVER = 2


class Texts:
    """Texts that stand in packets by number: each must have one before, or in the same packet,
    which must say that it needs them."""

    def __init__(self):
        self.known = {}  # (kind, number) -> text
        self.used = False  # by the packet

    def learn(self, data):
        for kind, entries in message(data, NUMBERED).items():
            for entry in entries:
                fields = message(entry, NUMBERED_TEXT)
                key = kind, one(fields, "number")
                require(key[1] > 0 and key not in self.known, f"{key} is said twice")
                self.known[key] = text(one(fields, "text"))

    def read(self, fields, kind, by_text, by_number):
        require(len(fields[by_text]) + len(fields[by_number]) == 1, f"a {kind} needs one text")
        if fields[by_text]:
            return text(fields[by_text][0])
        self.used = True
        key = kind, fields[by_number][0]
        require(key in self.known, f"{key} has no text")
        return self.known[key]

    def value(self, fields):
        kinds = [kind for kind in ("flag", "integer", "real", "text", "text_number", "entries", "elements")
                 if fields[kind]]
        require(len(kinds) == 1, f"an annotation with {kinds}")
        if kinds == ["flag"]:
            return bool(one(fields, "flag"))
        if kinds == ["integer"]:
            return signed(one(fields, "integer"))
        if kinds == ["real"]:
            return struct.unpack("<d", one(fields, "real"))[0]
        if kinds == ["entries"]:
            return self.members(fields["entries"])
        if kinds != ["elements"]:
            return self.read(fields, "text", "text", "text_number")
        elements = [message(each, ANNOTATION) for each in fields["elements"]]
        require(not any(each["name"] or each["name_number"] for each in elements),
                "an element with a name")
        return [self.value(each) for each in elements]

    def members(self, annotations):
        members = {}
        for each in annotations:
            fields = message(each, ANNOTATION)
            name = self.read(fields, "annotation", "name", "name_number")
            require(name not in members, f"'{name}' stands there twice")
            members[name] = self.value(fields)
        return members


# --------------------------------------------------------------------------------------
# The trace
# --------------------------------------------------------------------------------------


class Exact(str):
    """A number of JSON as it is written."""


def freeze(value):
    """As a key. Empty lists and objects have no form in the protocol; nor have they a meaning."""
    if isinstance(value, dict):
        return tuple(sorted((key, freeze(each)) for key, each in value.items()
                            if each not in ({}, [])))
    if isinstance(value, list):
        return tuple(freeze(each) for each in value if each not in ({}, []))
    return float(value) if isinstance(value, Exact) else value


class ProtoTrace:
    def __init__(self, data, means, unsorted):
        self.means, self.unsorted = means, unsorted
        self.texts = Texts()
        self.tracks = {}  # uuid -> descriptor
        self.of_events = set()  # tracks
        self.slices = []  # [track, name, category, start, end, args]
        self.open = defaultdict(list)  # track -> positions in slices
        self.sources, self.sinks = {}, {}  # flow -> position
        self.samples = Counter()  # (counter, unit, time, value)
        self.last = {}  # counter -> time
        self.now = 0
        self.head = None
        for number, kind, value in fields_of(data):
            require((number, kind) == (1, BYTES), f"a trace with field {number}")
            self.read_packet(message(value, PACKET))
        for track, stack in self.open.items():
            require(not stack, f"{len(stack)} slices on track {track} do not end")
        require(self.sources.keys() == self.sinks.keys(),
                f"flows with one end: {sorted(self.sources.keys() ^ self.sinks.keys())[:9]}")

    def read_packet(self, packet):
        require(one(packet, "sequence") > 0, "a packet of no sequence")
        flags = packet["flags"] or [0]
        require((flags == [CLEARED]) == (not self.tracks), "the first packet must forget all texts")
        self.texts.used = False
        if packet["numbered"]:
            self.texts.learn(one(packet, "numbered"))
        if packet["descriptor"]:
            require(not packet["event"], "a packet with both")
            self.read_descriptor(message(one(packet, "descriptor"), DESCRIPTOR))
            return
        time = one(packet, "timestamp")
        event = message(one(packet, "event"), EVENT)
        kind, track = one(event, "type"), one(event, "track")
        require(track in self.tracks, f"an event on track {track}, which is not described")
        self.of_events.add(track)
        require((kind == SAMPLE) == bool(self.tracks[track]["counter"]),
                f"an event of kind {kind} on track {track}")
        if kind != SAMPLE or not self.means:
            require(time >= self.now or self.unsorted, f"an event at {time} behind one at {self.now}")
            self.now = time
        {BEGIN: self.begin, END: self.end, INSTANT: self.instant, SAMPLE: self.sample}[kind](
            track, time, event)
        require(flags == [NEEDS] or not self.texts.used, "texts by number in a packet without need")

    def read_descriptor(self, fields):
        uuid = one(fields, "uuid")
        require(uuid > 0 and uuid not in self.tracks, f"track {uuid} is described twice")
        require(one(fields, "ordering") == EXPLICIT, f"track {uuid} does not order its children")
        require(one(fields, "merging") == NEVER, f"track {uuid} becomes one with those of its name")
        self.tracks[uuid] = fields
        text(one(fields, "name"))
        # The order of what is in a process is that of names, whatever its descriptor says.
        require(not fields["process"], f"track {uuid} is a process, which does not order its children")
        for about in fields["description"]:
            text(about)
        if uuid == next(iter(self.tracks)):
            require(not fields["parent"], "the first track is within another")
            return
        parent = one(fields, "parent")
        require(parent in self.tracks, f"track {uuid} is in {parent}, which is not described")
        if fields["counter"]:
            text(one(message(one(fields, "counter"), COUNTER), "unit"))

    def descriptions(self):
        """What is said of counters."""
        return {text(one(fields, "name")): text(one(fields, "description"))
                for fields in self.tracks.values() if fields["description"]}

    def order(self):
        """(group, name) as they stand below each other; counters come last, as (name,)."""
        children = defaultdict(list)
        for uuid, fields in self.tracks.items():
            children[fields["parent"][0] if fields["parent"] else None].append(uuid)
        for siblings in children.values():
            ranks = [one(self.tracks[uuid], "rank") for uuid in siblings]
            require(len(set(ranks)) == len(ranks), f"tracks of one rank: {ranks}")
            siblings.sort(key=lambda uuid: one(self.tracks[uuid], "rank"))
        [root] = children[None]
        tracks, counters = [], []
        for uuid in children[root]:
            if self.tracks[uuid]["counter"]:
                counters.append((text(one(self.tracks[uuid], "name")),))
                continue
            require(not counters, "a track behind counters")
            # A group without engines has no children, and stands in JSON as a process alone.
            is_group = uuid in children or uuid not in self.of_events
            tracks += [self.place_of(child) for child in children[uuid]] if is_group else [self.place_of(uuid)]
        return tracks + counters

    def place_of(self, uuid):
        """(group, name) as in JSON, where the machine is a group as well."""
        fields = self.tracks[uuid]
        return text(one(self.tracks[one(fields, "parent")], "name")), text(one(fields, "name"))

    def begin(self, track, time, event):
        number = len(self.slices)
        name = self.texts.read(event, "event", "name", "name_number")
        category = self.texts.read(event, "category", "categories", "category_number")
        self.slices.append([track, name, category, time, None,
                            self.texts.members(event["annotations"])])
        self.open[track].append(number)
        for ends, name in ((self.sources, "out"), (self.sinks, "into")):
            for flow in event[name]:
                require(flow not in ends, f"flow {flow.hex()} has two ends of one kind")
                ends[flow] = number
        for flow in event["into"]:
            require(flow in self.sources, f"flow {flow.hex()} ends before it starts")

    def end(self, track, time, event):
        require(set(name for name in event if event[name]) == {"type", "track"}, "an end with more")
        require(self.open[track], f"an end on track {track} where nothing has begun")
        self.slices[self.open[track].pop()][4] = time

    def instant(self, track, time, event):
        require(self.head is None and time == 0 and not self.tracks[track]["parent"],
                "an instant that is not the head")
        self.head = self.texts.members(event["annotations"])

    def sample(self, track, time, event):
        require(time >= self.last.get(track, 0), f"counter {track} goes back to {time}")
        require(len(event["integer"]) + len(event["real"]) == 1, "a sample needs one value")
        self.last[track] = time
        value = signed(event["integer"][0]) if event["integer"] else \
            Fraction(struct.unpack("<d", event["real"][0])[0])
        unit = text(one(message(one(self.tracks[track], "counter"), COUNTER), "unit"))
        self.samples[text(one(self.tracks[track], "name")), unit, time, value] += 1

    def slice_key(self, number):
        track, name, category, start, end, args = self.slices[number]
        return (*self.place_of(track), name, category, start, end, freeze(args))

    def all_slices(self):
        return Counter(map(self.slice_key, range(len(self.slices))))

    def all_flows(self):
        return Counter((self.slice_key(self.sources[flow]), self.slice_key(self.sinks[flow]))
                       for flow in self.sources)


class JsonTrace:
    """The same of the other format; what it must obey is check_trace.py's business."""

    def __init__(self, root):
        self.events = root["traceEvents"]
        self.named = {(each["name"], each["pid"], each["tid"]): each["args"].get("name")
                      for each in self.events if each["ph"] == "M"}
        [self.head] = [each["args"] for each in self.events if each["ph"] == "i"]
        self.slices, self.samples, self.flows = Counter(), Counter(), Counter()
        ends, last, begun = {"s": {}, "f": {}}, None, self.ends_of_begins()
        for position, each in enumerate(self.events):
            if each["ph"] in "XB":
                start = nanoseconds(each["ts"])
                end = start + nanoseconds(each["dur"]) if each["ph"] == "X" else begun[position]
                last = (*self.place_of(each), each["name"], each["cat"], start, end, freeze(each["args"]))
                self.slices[last] += 1
            elif each["ph"] in "sf":  # stands right behind its slice
                ends[each["ph"]][each["cat"], each["id"]] = last
            elif each["ph"] == "C":
                [(key, value)] = each["args"].items()
                self.samples[each["name"], key, nanoseconds(each["ts"]), float_of(value)] += 1
        require(ends["s"].keys() == ends["f"].keys(), "arrows of the JSON trace with one end")
        self.flows = Counter((source, ends["f"][key]) for key, source in ends["s"].items())

    def place_of(self, event):
        pid = event["pid"]
        return self.named["process_name", pid, pid], self.named["thread_name", pid, event["tid"]]

    def ends_of_begins(self):
        """By the position of the event: the innermost one of its track ends first."""
        stacks, ends = defaultdict(list), {}
        for position, each in enumerate(self.events):
            if each["ph"] == "B":
                stacks[each["tid"]].append(position)
            elif each["ph"] == "E":
                ends[stacks[each["tid"]].pop()] = nanoseconds(each["ts"])
        return ends

    def order(self):
        """(group, name) of tracks by sort indexes, then (name,) of counters as they first come."""
        def indexes(kind):
            return {(each["pid"], each["tid"]): each["args"]["sort_index"]
                    for each in self.events if each["ph"] == "M" and each["name"] == kind}
        processes = {pid: index for (pid, _), index in indexes("process_sort_index").items()}
        threads = indexes("thread_sort_index")
        tracks = sorted(threads, key=lambda track: (processes[track[0]], threads[track]))
        counters = dict.fromkeys((each["name"],) for each in self.events if each["ph"] == "C")
        return [self.place_of({"pid": pid, "tid": tid}) for pid, tid in tracks] + list(counters)


def nanoseconds(value):
    return round(Fraction(value) * 1000)  # a length may be shorter by less than a millionth


def float_of(value):
    """What a double makes of a number with decimals."""
    return value if isinstance(value, int) else Fraction(float(value))


def compare(what, found, wanted):
    missing, extra = wanted - found, found - wanted
    require(not missing and not extra,
            f"{what}: {sum(missing.values())} only in JSON, {sum(extra.values())} only here, as "
            f"{next(iter(missing), None)} and {next(iter(extra), None)}")


def check(data, root, means=False, unsorted=False):
    trace, wanted = ProtoTrace(data, means, unsorted), JsonTrace(root)
    require(freeze(trace.head) == freeze(wanted.head), f"the head is {trace.head}")
    compare("slices", trace.all_slices(), wanted.slices)
    compare("flows", trace.all_flows(), wanted.flows)
    compare("counters", trace.samples, wanted.samples)
    require(trace.order() == wanted.order(),
            f"the order of tracks is {trace.order()}, in JSON {wanted.order()}")
    for name, about in trace.descriptions().items():
        require(trace.head.get(name) == about, f"the head does not say of '{name}' what its track does")
    return (f"ok: {len(trace.slices)} slices, {len(trace.sources)} flows, "
            f"{sum(trace.samples.values())} samples")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("json")
    parser.add_argument("--means", action="store_true", help="counters have means of intervals")
    parser.add_argument("--unsorted", action="store_true", help="events come stage by stage, and not in the order of time")
    options = parser.parse_args()
    try:
        with open(options.trace, "rb") as file:
            data = file.read()
        with open(options.json, encoding="utf-8") as file:
            root = json.load(file, parse_float=Exact)
        print(check(data, root, options.means, options.unsorted))
    except (TraceError, OSError, ValueError, KeyError) as error:
        print(f"{options.trace}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
