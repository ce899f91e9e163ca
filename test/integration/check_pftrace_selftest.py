#!/usr/bin/env python3
"""Tests the checker itself: a hand-made good trace passes, each broken one fails.

Two tracks in a group; on one "a" [0,10) and in it "b" [2,4), on the other "c" [10,12), to which
an arrow leads from "b"; and a counter.
"""
import copy
import struct
import unittest

from check_pftrace import TraceError, check


def varint(value):
    value &= (1 << 64) - 1
    digits = []
    while value >= 128:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def encode(fields):
    """(number, value): whole numbers, floats, texts, messages as lists, flows as ("flow", id)."""
    data = b""
    for number, value in fields:
        if isinstance(value, int):
            data += varint(number << 3) + varint(value)
            continue
        if isinstance(value, (float, tuple)):
            data += varint(number << 3 | 1)
            data += struct.pack("<d", value) if isinstance(value, float) else \
                struct.pack("<Q", value[1])
            continue
        part = value if isinstance(value, bytes) else \
            value.encode() if isinstance(value, str) else encode(value)
        data += varint(number << 3 | 2) + varint(len(part)) + part
    return data


def packet(*fields):
    return [(10, 1), *fields]


def descriptor(uuid, name, *fields):
    return packet((60, [(1, uuid), (2, name), (11, 3), (12, uuid), (15, 2), *fields]))


def event(time, track, kind, *fields):
    return packet((8, time), (11, [(9, kind), (11, track), *fields]))


def begin(time, track, name, *fields):
    return event(time, track, 1, (22, "op"), (23, name), *fields)


PACKETS = [
    [(13, 1), *descriptor(1, "toy")],
    descriptor(2, "core", (5, 1)),
    descriptor(3, "core[0]", (5, 2)),
    descriptor(4, "core[1]", (5, 2)),
    descriptor(5, "power", (5, 1), (8, [(6, "W")])),
    event(0, 1, 3, (23, "schedule"), (4, [(10, "clock_hz"), (4, 7)])),
    begin(0, 3, "a", (4, [(10, "bytes"), (11, [(10, "dram"), (4, -1)])]),
          (4, [(10, "in"), (12, [(6, "f32")])]), (4, [(10, "is"), (2, 1)])),
    [(12, [(1, [(1, 5), (2, "op")]), (2, [(1, 9), (2, "b")])]), (13, 2),
     *event(2, 3, 1, (3, 5), (10, 9), (47, ("flow", 8)))],
    event(4, 3, 2),
    event(10, 3, 2),
    begin(10, 4, "c", (48, ("flow", 8))),
    event(12, 4, 2),
    event(12, 5, 4, (44, 0.5)),
    event(14, 5, 4, (44, 0.0)),
]


def json_slice(name, tid, start, length, **args):
    return {"ph": "X", "name": name, "cat": "op", "pid": 2, "tid": tid, "ts": f"0.{start:03}",
            "dur": f"0.{length:03}", "args": args}


def metadata(kind, pid, tid, name):
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}


def sort_index(kind, pid, tid, index):
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"sort_index": index}}


ROOT = {"traceEvents": [
    metadata("process_name", 1, 1, "toy"), metadata("process_name", 2, 2, "core"),
    metadata("thread_name", 2, 3, "core[0]"), metadata("thread_name", 2, 4, "core[1]"),
    sort_index("process_sort_index", 1, 1, 0), sort_index("process_sort_index", 2, 2, 1),
    sort_index("thread_sort_index", 2, 3, 3), sort_index("thread_sort_index", 2, 4, 4),
    {"ph": "i", "s": "p", "name": "schedule", "pid": 1, "ts": "0.000", "args": {"clock_hz": 7}},
    json_slice("a", 3, 0, 10, bytes={"dram": -1}, **{"in": ["f32"], "is": True, "none": []}),
    json_slice("b", 3, 2, 2),
    {"ph": "s", "name": "d", "cat": "d", "id": 4, "pid": 2, "tid": 3, "ts": "0.003"},
    json_slice("c", 4, 10, 2),
    {"ph": "f", "name": "d", "cat": "d", "id": 4, "pid": 2, "tid": 4, "ts": "0.011"},
    {"ph": "C", "name": "power", "pid": 1, "ts": "0.012", "args": {"W": "0.500"}},
    {"ph": "C", "name": "power", "pid": 1, "ts": "0.014", "args": {"W": "0.000"}},
]}


class CheckProto(unittest.TestCase):
    def setUp(self):
        self.packets = copy.deepcopy(PACKETS)
        self.root = copy.deepcopy(ROOT)
        self.means = False

    def find(self, **wanted):
        return next(each for each in self.root["traceEvents"] if wanted.items() <= each.items())

    def run_checker(self):
        return check(encode([(1, each) for each in self.packets]), self.root, self.means)

    def expect_error(self, text):
        with self.assertRaisesRegex(TraceError, text):
            self.run_checker()

    def test_good(self):
        self.assertEqual(self.run_checker(), "ok: 3 slices, 1 flows, 2 samples")

    def test_cut_off(self):
        data = encode([(1, each) for each in self.packets])
        with self.assertRaisesRegex(TraceError, "cut off"):
            check(data[:-1], self.root)

    def test_field_that_nobody_knows(self):
        self.packets[7].append((99, 1))
        self.expect_error("field 99 is not one of")

    def test_text_that_is_no_utf8(self):
        self.packets[7] = begin(2, 3, b"\xff", (47, ("flow", 8)))
        with self.assertRaises(UnicodeDecodeError):
            self.run_checker()

    def test_no_sequence(self):
        self.packets[8].pop(0)
        self.expect_error("sequence is missing")

    def test_text_without_a_number(self):
        self.packets[7][0] = (12, [(1, [(1, 5), (2, "op")])])
        self.expect_error(r"\('event', 9\) has no text")

    def test_number_of_two_texts(self):
        self.packets[10].append((12, [(1, [(1, 5), (2, "op")])]))
        self.expect_error("is said twice")

    def test_numbers_without_need(self):
        del self.packets[7][1]
        self.expect_error("without need")

    def test_texts_that_are_not_forgotten(self):
        del self.packets[0][0]
        self.expect_error("must forget")

    def test_track_that_is_not_described(self):
        del self.packets[3]
        self.expect_error("on track 4, which is not described")

    def test_parent_that_is_not_described(self):
        del self.packets[1]
        self.expect_error("track 3 is in 2, which is not described")

    def test_slice_that_does_not_end(self):
        del self.packets[11]
        self.expect_error("1 slices on track 4 do not end")

    def test_end_of_nothing(self):
        self.packets.insert(12, event(12, 4, 2))
        self.expect_error("where nothing has begun")

    def test_out_of_order(self):
        self.packets[8:10] = [event(10, 3, 2), event(4, 3, 2)]
        self.expect_error("an event at 4 behind one at 10")

    def test_flow_without_a_sink(self):
        self.packets[10] = begin(10, 4, "c")
        self.expect_error("flows with one end")

    def test_flow_that_ends_before_it_starts(self):
        self.packets[6] = begin(0, 3, "a", (48, ("flow", 8)))
        self.expect_error("ends before it starts")

    def test_flow_with_two_sources(self):
        self.packets[6] = begin(0, 3, "a", (47, ("flow", 8)))
        self.expect_error("two ends of one kind")

    def test_counter_that_goes_back(self):
        self.packets[12:] = self.packets[:11:-1]
        self.expect_error("an event at 12 behind one at 14")
        self.means = True
        self.expect_error("goes back to 12")

    def test_samples_of_intervals(self):
        self.packets[12:12] = [event(10, 5, 4, (44, 0.25))]
        self.root["traceEvents"].append(
            {"ph": "C", "name": "power", "pid": 1, "ts": "0.010", "args": {"W": "0.250"}})
        self.expect_error("an event at 10 behind one at 12")
        self.means = True
        self.run_checker()

    def test_slice_on_a_counter(self):
        self.packets[6] = begin(0, 5, "a")
        self.expect_error("an event of kind 1 on track 5")

    def test_other_name(self):
        self.packets[10] = begin(10, 4, "d", (48, ("flow", 8)))
        self.expect_error("slices: 1 only in JSON, 1 only here")

    def test_other_end(self):
        self.packets[11] = event(11, 4, 2)
        self.expect_error("slices: 1 only in JSON, 1 only here")

    def test_other_argument(self):
        self.find(name="a")["args"]["bytes"]["dram"] = 1
        self.expect_error("slices: 1 only in JSON, 1 only here")

    def test_other_arrow(self):
        events = self.root["traceEvents"]
        flow = self.find(ph="s")
        events.remove(flow)
        events.insert(events.index(self.find(name="b")), flow)
        self.expect_error("flows: 1 only in JSON, 1 only here")

    def test_other_sample(self):
        self.packets[12] = event(12, 5, 4, (44, 0.25))
        self.expect_error("counters: 1 only in JSON, 1 only here")

    def test_begin_and_end(self):
        events = self.root["traceEvents"]
        begin = self.find(name="b")
        at = events.index(begin)
        del begin["dur"]
        begin["ph"] = "B"
        events.insert(at + 2, {"ph": "E", "name": "b", "pid": 2, "tid": 3, "ts": "0.004"})
        self.run_checker()
        events[at + 2]["ts"] = "0.005"
        self.expect_error("slices: 1 only in JSON, 1 only here")

    def test_process(self):
        """As the first track was: Perfetto then orders what is in it by name."""
        self.packets[0] = [(13, 1), *descriptor(1, "toy", (3, [(1, 1), (6, "toy")]))]
        self.expect_error("track 1 is a process, which does not order its children")

    def test_tracks_in_another_order(self):
        self.packets[2], self.packets[3] = descriptor(4, "core[0]", (5, 2)), descriptor(3, "core[1]", (5, 2))
        for each in (6, 7, 8, 9, 10, 11):
            fields = self.packets[each][-1][1]
            fields[1] = (11, 7 - fields[1][1])
        self.expect_error("the order of tracks is")

    def test_tracks_of_one_rank(self):
        fields = self.packets[3][1][1]
        fields[fields.index((12, 4))] = (12, 3)
        self.expect_error("tracks of one rank")

    def test_description_that_the_head_does_not_have(self):
        self.packets[4] = descriptor(5, "power", (5, 1), (8, [(6, "W")]), (14, "all of it"))
        self.expect_error("the head does not say of 'power' what its track does")

    def test_other_head(self):
        self.find(ph="i")["args"]["clock_hz"] = 8
        self.expect_error("the head is")


if __name__ == "__main__":
    unittest.main()
