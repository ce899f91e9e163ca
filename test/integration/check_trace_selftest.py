#!/usr/bin/env python3
"""Tests the checker itself: a hand-made good trace passes, each broken one fails.

Two engines at 1 GHz, so that a cycle is a nanosecond. "a" runs before a loop of two
iterations in which "b.{}" and "c.{}" run side by side after what came before:

    core[0]  a [0,10)  b.0 [10,30)  b.1 [30,50)
    core[1]            c.0 [10,20)  c.1 [30,40)

In some tests both runs of b hold an engine of another group, too.
"""
import copy
import json
import unittest
from decimal import Decimal

from check_trace import TraceError, check
from json_trace import perfetto_nanoseconds


COST = {"work": {"alu": 2}, "overhead_cycles": 0, "serial_cycles": 1, "compute_cycles": 2, "memory_cycles": 3,
        "bound": "memory"}


def op(name, engine, start, end, count, **dependences):
    slot = {"part": 0, "engine": engine, "start_cycle": start, "end_cycle": end, "lanes": {"dram": 1}}
    loops = {"loops": [0]} if count > 1 else {}
    return {"name": name, "op": "llm.add", "count": count, "slots": [slot], "depends_on": [],
            "parts": [{"count": 1, "traffic_bytes": {"dram": {"x": 5, "out": 5}}, **COST}],
            "bytes": {"dram": 10}, **COST, **loops, **dependences}


REPORT = {
    "target": "toy", "clock_hz": 10**9, "makespan_cycles": 50,
    "engines": [{"name": "core", "count": 2, "busy_cycles": 70,
                 "idle_cycles": {"layer_boundary": 20, "no_work": 10}}],
    "memories": [{"name": "dram", "bytes_per_second": 2 * 10**9, "lanes": 2}],
    "loops": [{"start_cycle": 10, "period_cycles": 20, "trips": 2, "first_index": 0,
               "index_step": 1}],
    "ops": [
        op("a", "core[0]", 0, 10, 1),
        op("b.{}", "core[0]", 10, 30, 2, depends_on_previous_iteration=["b.{}"],
           depends_on_in_first_iteration=["a"]),
        op("c.{}", "core[1]", 10, 20, 2, depends_on=["a"]),
    ],
}


for marked in REPORT["ops"][:2]:  # the path is of a and b
    marked["slots"][0]["follows_by"] = "none"


def metadata(kind, pid, tid, key, value):
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {key: value}}


def process(pid, name):
    return [metadata("process_name", pid, pid, "name", name),
            metadata("process_sort_index", pid, pid, "sort_index", pid)]


def track(pid, tid, name):
    return [metadata("thread_name", pid, tid, "name", name),
            metadata("thread_sort_index", pid, tid, "sort_index", tid)]


def span(category, name, pid, tid, start, end, **args):
    return {"ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid, "ts": start / 1000,
            "dur": (end - start) / 1000, "args": {"start_cycle": start, "end_cycle": end, **args}}


def slice_event(name, tid, start, end, *depends_on):
    args = {"op": "llm.add", "start_cycle": start, "end_cycle": end, "lanes": {"dram": 1},
            "in": [], "out": [], "tile": {"strategy": "manual"}, "cost": {"bytes": {"dram": 10}, **COST},
            "depends_on": list(depends_on)}
    return {"ph": "X", "name": name, "cat": "op", "pid": 3, "tid": tid,
            "ts": start / 1000, "dur": (end - start) / 1000, "args": args}


def arrow(number, source_tid, leaves, tid, arrives):
    common = {"name": "dependence", "cat": "dependence", "id": number, "pid": 3}
    return [{"ph": "s", "tid": source_tid, "ts": leaves / 1000, **common},
            {"ph": "f", "bp": "e", "tid": tid, "ts": arrives / 1000, **common}]


def busy(time, engines, group="core"):
    return {"ph": "C", "name": f"engines busy {group}", "pid": 1, "ts": time / 1000,
            "args": {"engines": engines}}


def moved(time, rate):
    return {"ph": "C", "name": "dram bandwidth", "pid": 1, "ts": time / 1000, "args": {"GB/s": rate}}


TRACE = {"traceEvents": [
    *process(1, "toy"), *process(2, "layers"), *process(3, "core"),
    *track(1, 4, "critical path"), *track(2, 5, "layers[0]"),
    *track(3, 6, "core[0]"), *track(3, 7, "core[1]"),
    slice_event("a", 6, 0, 10),
    slice_event("b.0", 6, 10, 30, "a"),
    slice_event("c.0", 7, 10, 20, "a"),
    slice_event("b.1", 6, 30, 50, "b.0"),
    slice_event("c.1", 7, 30, 40, "a"),
    *arrow(1, 6, 9, 6, 11), *arrow(2, 6, 9, 7, 11), *arrow(3, 6, 29, 6, 31),
    *arrow(4, 6, 9, 7, 31),
    busy(0, 1), busy(10, 2), busy(20, 1), busy(30, 2), busy(40, 1), busy(50, 0),
    # 10 bytes each: 1 GB/s in 10 ns, 0.5 in 20.
    moved(0, 1), moved(10, 1.5), moved(20, 0.5), moved(30, 1.5), moved(40, 0.5), moved(50, 0),
    span("layer", "a", 2, 5, 0, 10, ops=1),
    span("layer", "b.0 .. c.0", 2, 5, 10, 30, ops=2),
    span("layer", "b.1 .. c.1", 2, 5, 30, 50, ops=2),
    span("idle", "idle: layer boundary", 3, 7, 0, 10, idle_cycles={"layer_boundary": 10}),
    span("idle", "idle: layer boundary", 3, 7, 20, 30, idle_cycles={"layer_boundary": 10}),
    span("idle", "idle: no work", 3, 7, 40, 50, idle_cycles={"no_work": 10}),
    span("critical path", "a", 1, 4, 0, 10, follows_by="none"),
    span("critical path", "b.0", 1, 4, 10, 30, follows_by="layer_boundary"),
    span("critical path", "b.1", 1, 4, 30, 50, follows_by="layer_boundary"),
]}


def hold_beside(report, events):
    """Both runs of b hold vpu[0] as well."""
    report["engines"].append({"name": "vpu", "count": 1, "busy_cycles": 40, "idle_cycles": {"layer_boundary": 10}})
    report["ops"][1].update({"engine": "core", "with": ["vpu"]})
    report["ops"][1]["slots"][0]["with"] = ["vpu[0]"]
    args = {"op": "llm.add", "together_with": "core"}
    events += [
        *process(8, "vpu"), *track(8, 9, "vpu[0]"),
        span("idle", "idle: layer boundary", 8, 9, 0, 10, idle_cycles={"layer_boundary": 10}),
        span("together", "b.0", 8, 9, 10, 30, iteration=[0], **args),
        span("together", "b.1", 8, 9, 30, 50, iteration=[1], **args),
        *(busy(time, engines, "vpu") for time, engines in ((10, 1), (50, 0)))]


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
        self.assertEqual(self.run_checker(), "ok: 5 slices, 4 arrows, 2 counters")

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
        self.find(name="c.0")["tid"] = 6
        self.expect_error("overlap|no slice|lies in no slice")

    def test_slice_at_another_time(self):
        self.find(name="c.1").update(ts=0.031)
        self.expect_error(r"no slice 'c.1'.*\(31, 41\)|overlap")

    def test_slice_without_duration(self):
        del self.find(name="a", cat="op")["dur"]
        self.expect_error("without 'dur'")

    def test_negative_time(self):
        self.find(name="a", cat="op")["ts"] = -0.001
        self.expect_error("negative")

    def test_finer_than_a_nanosecond(self):
        self.find(name="a", cat="op")["dur"] = 0.0095001
        self.expect_error("finer than a nanosecond")

    def test_more_decimals_than_perfetto_reads(self):
        """Of 0.00099999999999944578 it makes 13 ns: 99999999999944578 / (10**20 % 2**64) is 0.0128761..."""
        number = Decimal("0.00099999999999944578")
        self.assertEqual(perfetto_nanoseconds(number), 13)
        self.assertEqual(perfetto_nanoseconds(Decimal("0.000999999999999")), 1)
        self.assertEqual(perfetto_nanoseconds(Decimal("139.545")), 139545)

    def test_length_that_perfetto_reads_otherwise(self):
        text = json.dumps(self.trace).replace('"dur": 0.01,', '"dur": 0.00999999999999999999,', 1)
        with self.assertRaisesRegex(TraceError, "'dur' is .* ns to Perfetto"):
            check(json.loads(text, parse_float=Decimal), self.report)

    def test_length_that_is_cut(self):
        text = json.dumps(self.trace).replace('"dur": 0.01,', '"dur": 0.009999999999999,', 1)
        check(json.loads(text, parse_float=Decimal), self.report)

    def as_begin_and_end(self, **wanted):
        event = self.find(**wanted)
        end = {key: event[key] for key in ("name", "cat", "pid", "tid")}
        end.update(ph="E", ts=round(event["ts"] + event.pop("dur"), 6))
        event["ph"] = "B"
        self.events.insert(self.events.index(event) + 1, end)
        return end

    def as_begins_and_ends(self):
        """c.1, and so the gap that begins where it ends."""
        self.as_begin_and_end(name="c.1", cat="op")
        self.as_begin_and_end(name="idle: no work")

    def test_begin_and_end(self):
        self.as_begins_and_ends()
        self.run_checker()

    def test_begin_without_an_end(self):
        self.events.remove(self.as_begin_and_end(name="c.1", cat="op"))
        self.expect_error("a slice that does not end")

    def test_end_of_another(self):
        self.as_begin_and_end(name="c.1", cat="op")["name"] = "c.0"
        self.expect_error("an end of 'c.0' within 'c.1'")

    def test_end_of_nothing(self):
        self.as_begin_and_end(name="c.1", cat="op")
        self.events.remove(self.find(ph="B"))
        self.expect_error("an end of nothing that has begun|lies in no slice")

    def test_complete_slice_where_another_ends(self):
        """To older versions b.1 comes before the end of b.0, and lies in it."""
        self.as_begin_and_end(name="b.0", cat="op")
        self.expect_error("an end of nothing that has begun")

    def add_empty_slice(self):
        """In the report, too: d takes no time, on core[1] as c.1 begins there."""
        extra = op("d", "core[1]", 30, 30, 1)
        extra["parts"][0]["traffic_bytes"] = {}
        extra["bytes"] = {}
        self.report["ops"].append(extra)
        empty = slice_event("d", 7, 30, 30)
        empty["args"]["cost"]["bytes"] = {}
        self.events.insert(self.events.index(self.find(name="c.1", cat="op")), empty)
        self.find(name="b.1 .. c.1")["args"]["ops"] = 2
        layer = span("layer", "d", 2, 5, 30, 30, ops=1)
        self.events.insert(self.events.index(self.find(name="b.1 .. c.1")), layer)

    def test_empty_slice_before_another(self):
        self.add_empty_slice()
        self.as_begins_and_ends()
        self.as_begin_and_end(name="b.1 .. c.1")
        self.run_checker()

    def test_empty_slice_that_takes_the_arrows_of_another(self):
        self.add_empty_slice()
        self.as_begin_and_end(name="b.1 .. c.1")
        self.expect_error("arrow's end lies in no slice|arrows from 'a' to 'd'")

    def test_empty_slice_within_another(self):
        self.add_empty_slice()
        self.as_begins_and_ends()
        self.expect_error("'d' lies in 'b.1 .. c.1' at 30 ns")

    def test_head(self):
        head = {"function": "f"}
        self.trace["otherData"] = head
        self.expect_error("the head is not 'otherData'")
        self.events.append({"ph": "i", "s": "p", "name": "schedule", "pid": 1, "ts": 0.0, "args": head})
        self.run_checker()

    def test_partial_overlap(self):
        self.find(name="b.0", cat="op")["dur"] = 0.021
        self.expect_error("'b.0' and 'b.1' overlap|no slice 'b.0'")

    def test_name_not_expanded(self):
        self.find(name="b.0", cat="op")["name"] = "b.{}"
        self.expect_error("no slice 'b.0'")

    def test_missing_arrow(self):
        self.events[:] = [event for event in self.events if event.get("id") != 3]
        self.expect_error("0 arrows from 'b.0' to 'b.1', expected 1")

    def test_arrow_twice(self):
        self.events += arrow(5, 6, 9, 6, 11)
        self.expect_error("2 arrows from 'a' to 'b.0', expected 1")

    def test_arrow_for_no_dependence(self):
        self.events += arrow(5, 7, 19, 6, 31)
        self.expect_error("1 arrows from 'c.0' to 'b.1', expected 0")

    def test_arrow_that_leaves_at_the_end_binds_to_the_next_slice(self):
        self.find(ph="s", id=1)["ts"] = 0.010
        self.expect_error("arrows from")

    def test_arrow_end_in_no_slice(self):
        self.find(ph="f", id=4)["ts"] = 0.055
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
        self.events.remove(self.find(name="thread_name", tid=7))
        self.expect_error("has 0 x thread_name")

    def test_track_without_sort_index(self):
        self.events.remove(self.find(name="thread_sort_index", tid=7))
        self.expect_error("has 0 x thread_sort_index")

    def test_sort_index_as_text(self):
        self.find(name="thread_sort_index", tid=7)["args"]["sort_index"] = "2"
        self.expect_error("wrong type")

    def test_tracks_in_another_order(self):
        self.find(name="thread_sort_index", tid=7)["args"]["sort_index"] = 0
        self.expect_error("not in the engines' order")

    def test_missing_layer(self):
        self.events.remove(self.find(name="b.1 .. c.1"))
        self.expect_error(r"no layer 'b.1 .. c.1' on None for cycles 30 to 50")

    def test_layer_of_other_length(self):
        self.find(name="b.1 .. c.1").update(dur=0.01)
        self.expect_error("not where its cycles are")

    def test_layer_that_nobody_knows(self):
        self.events.append(span("layer", "d", 2, 5, 0, 10, ops=1))
        self.expect_error("layer slices that the report does not know")

    def test_parts_that_nobody_knows(self):
        self.events.insert(0, span("parts", "b.0", 3, 6, 10, 30, parts=2, op="llm.add"))
        self.expect_error("parts slices that the report does not know")

    def test_slice_of_no_category(self):
        del self.find(name="b.1 .. c.1")["cat"]
        self.expect_error("slices of unknown kinds")

    def test_idle_for_another_cause(self):
        self.find(cat="idle").update(name="idle: fetch", args={
            "start_cycle": 0, "end_cycle": 10, "idle_cycles": {"fetch": 10}})
        self.expect_error("'core' is idle")

    def test_idle_with_another_name(self):
        gap = self.find(cat="idle")
        gap["args"]["idle_cycles"] = {"layer_boundary": 4, "fetch": 6}
        self.expect_error("is not the main one")

    def test_idle_on_another_engine(self):
        self.find(cat="idle")["tid"] = 6
        self.expect_error("do not fill the makespan|overlap|lies in no slice|arrows from")

    def test_path_with_a_gap(self):
        self.events.remove(self.find(name="b.0", cat="critical path"))
        self.find(name="b.1", cat="critical path")["args"]["follows_by"] = "engine"
        self.expect_error("a gap before step 'b.1'")

    def test_path_that_is_no_slot(self):
        self.find(name="b.1", cat="critical path")["name"] = "c.1"
        self.expect_error("step 'c.1' is no slot of it")

    def test_path_that_is_not_marked(self):
        del self.report["ops"][1]["slots"][0]["follows_by"]
        self.expect_error("the critical path has 50 cycles, marked are 10")

    def test_path_that_ends_early(self):
        self.events.remove(self.find(name="b.1", cat="critical path"))
        self.expect_error("does not end last")

    def test_process_without_name(self):
        self.events.remove(self.find(name="process_name"))
        self.expect_error("has 0 x process_name")

    def test_idle_engine_without_track(self):
        self.report["engines"].append({"name": "dma", "count": 1})
        self.expect_error("the processes are")

    def test_track_zero(self):
        self.find(name="a", cat="op")["tid"] = 0
        self.expect_error("positive whole numbers")

    def test_counter_with_text(self):
        self.find(ph="C")["args"]["engines"] = "1"
        self.expect_error("not a number")

    def test_counter_that_stays_up(self):
        self.events.remove(self.find(ph="C", ts=0.05))
        self.expect_error("does not end at 0")

    def test_counter_that_counts_wrong(self):
        self.find(ph="C", ts=0.02)["args"]["engines"] = 2
        self.expect_error("engines are busy for")

    def test_more_bytes_than_there_are(self):
        self.find(name="dram bandwidth", ts=0.02)["args"]["GB/s"] = 1.5
        self.expect_error("60.0 bytes pass 'dram', not 50.0")

    def test_faster_than_the_memory(self):
        self.find(name="dram bandwidth", ts=0.02)["args"]["GB/s"] = 2.1
        self.expect_error("more than the bandwidth of 'dram'")

    def test_cost_of_more_than_the_slice(self):
        self.find(name="b.1", cat="op")["args"]["cost"]["bytes"]["dram"] = 20
        self.expect_error("cost is not")

    def test_fetched_bytes_of_nothing(self):
        self.find(name="b.1", cat="op")["args"]["fetched_bytes"] = {"dram": 5}
        self.expect_error("fetched_bytes are not")

    def test_no_work_where_there_is_some(self):
        self.find(cat="idle").update(name="idle: no work")
        self.find(cat="idle")["args"]["idle_cycles"] = {"no_work": 10}
        self.expect_error("work behind 'idle: no work' at 10")

    def test_boundary_with_nothing_behind(self):
        gap = self.find(name="idle: no work")
        gap.update(name="idle: layer boundary")
        gap["args"]["idle_cycles"] = {"layer_boundary": 10}
        self.expect_error("no work behind 'idle: layer boundary' at 50")

    def test_nesting_in_doubles(self):
        # 7321.204 + 0.82 is 7322.023999999999, 7321.819 + 0.205 is 7322.024.
        for start, length in ((7321.204, 0.82), (7321.819, 0.205)):
            self.events.append({"ph": "X", "name": f"from {start}", "cat": "parts", "pid": 3, "tid": 7, "ts": start,
                                "dur": length, "args": {}})
        self.expect_error("in doubles 'from 7321.819' ends behind 'from 7321.204'")

    def test_engines_beside(self):
        hold_beside(self.report, self.events)
        self.assertEqual(self.run_checker(), "ok: 7 slices, 4 arrows, 3 counters")

    def test_engine_beside_that_has_no_slice(self):
        hold_beside(self.report, self.events)
        self.events.remove(self.find(cat="together"))
        self.expect_error(r"no together 'b.0' on vpu\[0\] for cycles 10 to 30")

    def test_engine_beside_that_nobody_holds(self):
        hold_beside(self.report, self.events)
        del self.report["ops"][1]["slots"][0]["with"]
        self.expect_error("together slices that the report does not know")

    def test_engine_beside_on_another_track(self):
        hold_beside(self.report, self.events)
        self.find(cat="together").update(pid=3, tid=7)
        self.expect_error("overlap|lies in no slice|arrows from|no together")

    def test_engine_beside_that_is_held_for_longer(self):
        hold_beside(self.report, self.events)
        self.find(name="b.1", cat="together")["args"]["start_cycle"] = 29
        self.expect_error("'b.1' is not where its cycles are")

    def test_engine_beside_with_another_group(self):
        hold_beside(self.report, self.events)
        self.find(cat="together")["args"]["together_with"] = "vpu"
        self.expect_error("together 'b.0': args are")

    def test_engine_beside_of_another_iteration(self):
        hold_beside(self.report, self.events)
        self.find(cat="together")["args"]["iteration"] = [1]
        self.expect_error("together 'b.0': args are")

    def test_engine_beside_that_no_counter_counts(self):
        hold_beside(self.report, self.events)
        self.find(name="engines busy vpu")["args"]["engines"] = 0
        self.expect_error("engines are busy for 0 ns, slices of 'vpu' last 40 ns")

    def test_engine_that_idles_while_it_is_held(self):
        hold_beside(self.report, self.events)
        self.report["engines"][1]["idle_cycles"]["layer_boundary"] = 30
        self.expect_error("'vpu' is idle")

    def test_wrong_dependence_in_args(self):
        self.find(name="b.1", cat="op")["args"]["depends_on"] = ["a"]
        self.expect_error("depends_on is")

    def test_wrong_count(self):
        self.report["ops"][1]["count"] = 3
        self.expect_error("count 3, its loops give 2")


if __name__ == "__main__":
    unittest.main()
