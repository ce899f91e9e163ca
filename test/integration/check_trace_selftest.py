#!/usr/bin/env python3
"""Tests the checker itself: a hand-made good trace passes, each broken one fails.

Two engines at 1 GHz, so that a cycle is a nanosecond. "a" runs before a loop of two
iterations in which "b.{}" and "c.{}" run side by side after what came before:

    core[0]  a [0,10)  b.0 [10,30)  b.1 [30,50)
    core[1]            c.0 [10,20)  c.1 [30,40)
"""
import copy
import json
import unittest
from decimal import Decimal

from check_trace import TraceError, check


def op(name, engine, start, end, count, **dependences):
    slot = {"engine": engine, "start_cycle": start, "end_cycle": end, "lanes": {"dram": 1}}
    loops = {"loops": [0]} if count > 1 else {}
    return {"name": name, "op": "llm.add", "count": count, "slots": [slot], "depends_on": [],
            **loops, **dependences}


REPORT = {
    "target": "toy", "clock_hz": 10**9, "engines": [{"name": "core", "count": 2}],
    "loops": [{"start_cycle": 10, "period_cycles": 20, "trips": 2, "first_index": 0,
               "index_step": 1}],
    "ops": [
        op("a", "core[0]", 0, 10, 1),
        op("b.{}", "core[0]", 10, 30, 2, depends_on_previous_iteration=["b.{}"],
           depends_on_in_first_iteration=["a"]),
        op("c.{}", "core[1]", 10, 20, 2, depends_on=["a"]),
    ],
}


def metadata(kind, tid, key, value):
    return {"ph": "M", "name": kind, "pid": 1, "tid": tid, "args": {key: value}}


def slice_event(name, tid, start, end, *depends_on):
    args = {"op": "llm.add", "start_cycle": start, "end_cycle": end, "lanes": {"dram": 1},
            "in": [], "out": [], "tile": {"strategy": "manual"}, "cost": {"bound": "memory"},
            "depends_on": list(depends_on)}
    return {"ph": "X", "name": name, "cat": "op", "pid": 1, "tid": tid,
            "ts": start / 1000, "dur": (end - start) / 1000, "args": args}


def arrow(number, source_tid, leaves, tid, arrives):
    common = {"name": "dependence", "cat": "dependence", "id": number, "pid": 1}
    return [{"ph": "s", "tid": source_tid, "ts": leaves / 1000, **common},
            {"ph": "f", "bp": "e", "tid": tid, "ts": arrives / 1000, **common}]


def busy(time, engines):
    return {"ph": "C", "name": "engines busy", "pid": 1, "ts": time / 1000,
            "args": {"core": engines}}


TRACE = {"traceEvents": [
    metadata("process_name", 1, "name", "toy"),
    metadata("process_sort_index", 1, "sort_index", 0),
    metadata("thread_name", 2, "name", "core[0]"),
    metadata("thread_sort_index", 2, "sort_index", 1),
    metadata("thread_name", 3, "name", "core[1]"),
    metadata("thread_sort_index", 3, "sort_index", 2),
    slice_event("a", 2, 0, 10),
    slice_event("b.0", 2, 10, 30, "a"),
    slice_event("c.0", 3, 10, 20, "a"),
    slice_event("b.1", 2, 30, 50, "b.0"),
    slice_event("c.1", 3, 30, 40, "a"),
    *arrow(1, 2, 9, 2, 11), *arrow(2, 2, 9, 3, 11), *arrow(3, 2, 29, 2, 31),
    *arrow(4, 2, 9, 3, 31),
    busy(0, 1), busy(10, 2), busy(20, 1), busy(30, 2), busy(40, 1), busy(50, 0),
]}


class CheckTrace(unittest.TestCase):
    def setUp(self):
        self.trace = copy.deepcopy(TRACE)
        self.report = copy.deepcopy(REPORT)
        self.events = self.trace["traceEvents"]

    def find(self, **wanted):
        return next(event for event in self.events
                    if all(event.get(key) == value for key, value in wanted.items()))

    def run_checker(self):
        trace = json.loads(json.dumps(self.trace), parse_float=Decimal)
        return check(trace, self.report)

    def expect_error(self, text):
        with self.assertRaisesRegex(TraceError, text):
            self.run_checker()

    def test_good(self):
        self.assertEqual(self.run_checker(), "ok: 5 slices, 4 arrows, 1 counters")

    def test_order_of_the_file_does_not_matter(self):
        slices = [event for event in self.events if event["ph"] == "X"]
        rest = [event for event in self.events if event["ph"] != "X"]
        self.trace["traceEvents"] = slices[::-1] + rest
        self.run_checker()

    def test_no_events(self):
        self.trace = []
        self.expect_error("no list 'traceEvents'")

    def test_missing_slice(self):
        self.events.remove(self.find(name="c.1"))
        self.events[:] = [event for event in self.events if event.get("id") != 4]
        self.expect_error(r"no slice 'c.1' on core\[1\] for cycles 30 to 40")

    def test_slice_twice(self):
        self.events.append(self.find(name="c.1"))
        self.expect_error("slices that the report does not know")

    def test_slice_on_another_track(self):
        self.find(name="c.0")["tid"] = 2
        self.expect_error("overlap|no slice|lies in no slice")

    def test_slice_at_another_time(self):
        self.find(name="c.1").update(ts=0.031)
        self.expect_error(r"no slice 'c.1'.*\(31, 41\)")

    def test_slice_without_duration(self):
        del self.find(name="a")["dur"]
        self.expect_error("without 'dur'")

    def test_negative_time(self):
        self.find(name="a")["ts"] = -0.001
        self.expect_error("negative")

    def test_finer_than_a_nanosecond(self):
        self.find(name="a")["dur"] = 0.0095001
        self.expect_error("finer than a nanosecond")

    def test_partial_overlap(self):
        self.find(name="b.0")["dur"] = 0.021
        self.expect_error("'b.0' and 'b.1' overlap|no slice 'b.0'")

    def test_name_not_expanded(self):
        self.find(name="b.0")["name"] = "b.{}"
        self.expect_error("no slice 'b.0'")

    def test_missing_arrow(self):
        self.events[:] = [event for event in self.events if event.get("id") != 3]
        self.expect_error("0 arrows from 'b.0' to 'b.1', expected 1")

    def test_arrow_twice(self):
        self.events += arrow(5, 2, 9, 2, 11)
        self.expect_error("2 arrows from 'a' to 'b.0', expected 1")

    def test_arrow_for_no_dependence(self):
        self.events += arrow(5, 3, 19, 2, 31)
        self.expect_error("1 arrows from 'c.0' to 'b.1', expected 0")

    def test_arrow_that_leaves_at_the_end_binds_to_the_next_slice(self):
        self.find(ph="s", id=1)["ts"] = 0.010
        self.expect_error("arrows from")

    def test_arrow_end_in_no_slice(self):
        self.find(ph="f", id=4)["ts"] = 0.025
        self.expect_error("lies in no slice")

    def test_arrow_without_binding_point(self):
        del self.find(ph="f", id=1)["bp"]
        self.expect_error("without 'bp'")

    def test_arrow_with_a_string_id(self):
        self.find(ph="s", id=1)["id"] = "1"
        self.expect_error("id must be a whole number")

    def test_arrow_that_does_not_end(self):
        self.events.remove(self.find(ph="f", id=1))
        self.expect_error("do not end")

    def test_arrow_that_ends_before_it_starts(self):
        self.find(ph="s", id=1)["ts"] = 0.015
        self.expect_error("ends before it starts")

    def test_track_without_name(self):
        self.events.remove(self.find(name="thread_name", tid=3))
        self.expect_error("has 0 x thread_name")

    def test_track_without_sort_index(self):
        self.events.remove(self.find(name="thread_sort_index", tid=3))
        self.expect_error("has 0 x thread_sort_index")

    def test_sort_index_as_text(self):
        self.find(name="thread_sort_index", tid=3)["args"]["sort_index"] = "2"
        self.expect_error("wrong type")

    def test_tracks_in_another_order(self):
        self.find(name="thread_sort_index", tid=3)["args"]["sort_index"] = 0
        self.expect_error("not in the engines' order")

    def test_process_without_name(self):
        self.events.remove(self.find(name="process_name"))
        self.expect_error("has 0 x process_name")

    def test_idle_engine_without_track(self):
        self.report["engines"].append({"name": "dma", "count": 1})
        self.expect_error("the tracks are")

    def test_track_zero(self):
        self.find(name="a")["tid"] = 0
        self.expect_error("positive whole numbers")

    def test_counter_with_text(self):
        self.find(ph="C")["args"]["core"] = "1"
        self.expect_error("not a number")

    def test_counter_that_stays_up(self):
        self.events.pop()
        self.expect_error("does not end at 0")

    def test_counter_that_counts_wrong(self):
        self.find(ph="C", ts=0.02)["args"]["core"] = 2
        self.expect_error("engines are busy for")

    def test_wrong_dependence_in_args(self):
        self.find(name="b.1")["args"]["depends_on"] = ["a"]
        self.expect_error("depends_on is")

    def test_wrong_count(self):
        self.report["ops"][1]["count"] = 3
        self.expect_error("count 3, its loops give 2")


if __name__ == "__main__":
    unittest.main()
