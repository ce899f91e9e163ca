#!/usr/bin/env python3
"""Shows that the judge knows each rule: schedules that obey it with equality, and the same
ones cycle, lane or byte further, which break it.

The machine: 1 GHz, DRAM of 10 bytes per cycle in 10 lanes, so that a lane is a byte per
cycle. Two cores (matrix, vector; 8 mac and 4 alu per cycle; a port of 6 lanes; 100 bytes of
private memory) and one memory engine with a port of 6 lanes.

An op, where nothing else is said: cut by hand, so that the bounds are known; 60 bytes (x 30,
out 30), overhead 2, serial 0, compute 5.
With 6 lanes it streams 60 / 6 = 10 cycles and takes 2 + max(5, 10) = 12; with 5 lanes 12 and
14; with 3 lanes 20 and 22.
"""
from __future__ import annotations

import copy
import sys
from typing import Callable

from verdict import judge_function

CASES: list[tuple[str, dict, set[str]]] = []


def core(index: int, start_cycle: int, end_cycle: int, lanes: int, **more: object) -> dict:
    return {"part": 0, "engine": f"core[{index}]", "start_cycle": start_cycle,
            "end_cycle": end_cycle, "lanes": {"dram": lanes} if lanes else {}} | more


def fetch(start_cycle: int, end_cycle: int, lanes: int, engine: str = "dma[0]",
          buffer: str = "w") -> dict:
    return {"buffer": buffer, "engine": engine, "start_cycle": start_cycle,
            "end_cycle": end_cycle, "lanes": {"dram": lanes}}


def part(count: int = 1, x: int = 30, out: int = 30, w: int = 0, working_set: int = 40,
         overhead: int = 2, serial: int = 0, compute: int = 5, slice_bytes: int = 0,
         staging: int = 0, written_by: list[str] | None = None,
         selected_by: list[str] | None = None) -> dict:
    traffic = {name: size for name, size in (("x", x), ("out", out), ("w", w)) if size}
    room = {"slice_bytes": slice_bytes, "staging_bytes": staging, "written_by": written_by or [],
            "selected_by": selected_by or []}
    sources = {"w": room} if slice_bytes else {}
    return {"count": count, "sources": sources, "traffic_bytes": {"dram": traffic},
            "working_set_bytes": working_set, "overhead_cycles": overhead,
            "serial_cycles": serial, "compute_cycles": compute}


def op(name: str, slots: list[dict], parts: list[dict] | None = None,
       after: list[str] | None = None, runs: int = 1, loops: list[int] | None = None,
       engine: str = "core", alu: int = 20, strategy: str = "pinned") -> dict:
    parts = parts or [part()]
    size = sum(p["count"] * sum(p["traffic_bytes"]["dram"].values()) for p in parts)
    return {"name": name, "op": "llm.add", "count": runs, "loops": loops or [],
            "engine": engine, "compulsory_bytes": size, "parts": parts, "work": {"alu": alu},
            "tile_strategy": strategy,
            "slots": slots, "depends_on": after or []}


def report(ops: list[dict], makespan: int, lower_bound: int, bounds: tuple[int, ...],
           roofline: int, order: list | None = None, loops: list | None = None) -> dict:
    """`bounds`: of the critical path, of work on the cores, of bytes, of streams to them, of
    room and of stages. Without the last three: nothing can be fetched, so that streams and
    room bound as work does, and there is one stage, of all of it."""
    names = ("critical_path", "work_core", "bytes_dram", "streams_core", "room_core", "stages")
    bounds = bounds if len(bounds) == 6 else (*bounds, bounds[1], bounds[1], max(bounds))
    engines = [
        {"name": "core", "kinds": ["matrix", "vector"], "count": 2, "private_memory": "sram",
         "operations_per_cycle": {"mac": {"f32": 8}, "alu": 4}, "port_lanes": {"dram": 6},
         "port_bytes_per_second": {"dram": 6_000_000_000}},
        {"name": "dma", "kinds": ["memory"], "count": 1, "operations_per_cycle": {},
         "port_lanes": {"dram": 6}, "port_bytes_per_second": {"dram": 6_000_000_000}}]
    memories = [{"name": "sram", "capacity_bytes": 100},
                {"name": "dram", "bytes_per_second": 10_000_000_000, "lanes": 10}]
    return {"function": "f", "clock_hz": 1_000_000_000, "engines": engines,
            "memories": memories, "makespan_cycles": makespan, "ops": ops,
            "lower_bound_cycles": lower_bound, "bounds": dict(zip(names, bounds)),
            "roofline_cycles": roofline, "loops": loops or [],
            "order": order or [{"stretch": [each["name"] for each in ops]}]}


def case(what: str, given: dict, *broken: str) -> None:
    CASES.append((what, given, set(broken)))


def one(slot: dict, parts: list[dict] | None = None) -> dict:
    """One op. Bounds of the usual one: its shortest slot is 12 on the path, ceil(12 / 2) = 6
    of work, ceil(60 / 10) = 6 of bytes; the roofline is 6 of bytes, ceil(20 / 8) = 3 of alu."""
    return report([op("a", [slot], parts)], slot["end_cycle"], 12, (12, 6, 6), 6)


def s1() -> None:
    # Two parts of 12 cycles each: path 12, as there are two cores, work ceil(24 / 2) = 12,
    # bytes ceil(120 / 10) = 12;
    # roofline 12 of bytes, 40 / 8 = 5 of alu. 5 + 5 lanes are all 10, so that both take 14.
    def two(first: int, second: int, count: int = 2) -> dict:
        slots = [core(0, 0, 14, 5, part=first), core(1, 0, 14, 5, part=second)]
        given = report([op("a", slots, [part(count=count)])], 14, 12, (12, 12, 12), 12)
        return given
    case("S1: each of two parts has its slot", two(0, 1))
    case("S1: in any order", two(1, 0))
    case("S1: two slots for the first, none for the second", two(0, 0), "S1")
    case("S1: a slot for a third part of two", two(0, 2), "S1")
    # Three parts: 36 / 2 = 18 cycles on the path and of work, as on two cores one waits;
    # bytes 18. The third part runs when the others have ended.
    slots = [core(0, 0, 14, 5), core(1, 0, 14, 5, part=1), core(0, 14, 26, 6, part=2)]
    three = report([op("a", slots, [part(count=3)])], 26, 18, (18, 18, 18), 18)
    case("S1: three parts on two cores", three)


def s2() -> None:
    case("S2: 2 + 60 / 6", one(core(0, 0, 12, 6)))
    case("S2: a longer slot with fewer lanes, 2 + 60 / 5", one(core(0, 0, 14, 5)))
    # 13 - 2 = 11 cycles need ceil(60 / 11) = 6 lanes, which give 10 again.
    case("S2: a cycle too long", one(core(0, 0, 13, 6)), "S2")
    # 11 - 2 = 9 cycles need ceil(60 / 9) = 7 lanes.
    case("S2: a cycle too short", one(core(0, 0, 11, 6)), "S2", "S3")
    # Overhead 2 and serial 3 come before max(compute 10, streaming 10): with 6 lanes 15.
    both = [part(serial=3, compute=10)]
    given = report([op("a", [core(0, 0, 15, 6)], both)], 15, 15, (15, 8, 6), 6)
    case("S2: overhead, serial and compute as long as streaming", given)


def s3() -> None:
    # Compute takes 15 cycles, so that 60 / 15 = 4 lanes do; 5 lanes stream 12 cycles, and
    # the slot is still 2 + 15. Path 17, work ceil(17 / 2) = 9.
    def slow(lanes: int) -> dict:
        given = op("a", [core(0, 0, 17, lanes)], [part(compute=15)])
        return report([given], 17, 17, (17, 9, 6), 6)
    case("S3: the fewest lanes behind compute", slow(4))
    case("S3: one lane more than needed", slow(5), "S3")
    # 66 bytes: 6 lanes take 11 cycles, 2 + 11 = 13; 7 lanes take ceil(66 / 7) = 10, and 10
    # cycles need ceil(66 / 10) = 7. Work ceil(13 / 2) = 7, bytes ceil(66 / 10) = 7.
    def port(end_cycle: int, lanes: int) -> dict:
        given = op("a", [core(0, 0, end_cycle, lanes)], [part(x=36)])
        return report([given], end_cycle, 13, (13, 7, 7), 7)
    case("S3: all lanes of the port", port(13, 6))
    # A slot below the lower bound of 13: it holds more than the port allows, which would give 13.
    case("S3: a lane more than the port has", port(12, 7), "S2", "S3")
    case("S3: a lane that the port does not pass", port(13, 7), "S3")
    # No bytes, no lanes: 2 + 5 cycles; roofline 20 / 8 = 2.5, rounded up.
    def dry(lanes: int) -> dict:
        given = op("a", [core(0, 0, 7, lanes)], [part(x=0, out=0)])
        return report([given], 7, 7, (7, 4, 0), 3)
    case("S3: no lanes where no bytes are streamed", dry(0))
    case("S3: a lane where no bytes are streamed", dry(1), "S3")


def pair(first: dict, second: dict, makespan: int, after: list[str] | None = None) -> dict:
    """Two ops. Path 12, work ceil((12 + 12) / 2) = 12, bytes 120 / 10 = 12, alu 40 / 8 = 5.
    Where one depends on the other, the path is 24, and each is a stage; the work of the
    second comes 12 cycles later, 12 + 12 / 2 = 18."""
    ops = [op("a", [first]), op("b", [second], after=after)]
    bounds = (24, 18, 12, 12, 12, 24) if after else (12, 12, 12)
    return report(ops, makespan, bounds[0], bounds, 12)


def s4() -> None:
    case("S4: one engine, end to end", pair(core(0, 0, 14, 5), core(0, 14, 28, 5), 28))
    case("S4: a cycle of overlap", pair(core(0, 0, 14, 5), core(0, 13, 27, 5), 27), "S4")
    case("S4: on two engines", pair(core(0, 0, 14, 5), core(1, 13, 27, 5), 27))
    # A slot without length overlaps nothing: b has neither work nor bytes. Path 12, work
    # ceil(12 / 2) = 6.
    nothing = [part(x=0, out=0, working_set=0, overhead=0, compute=0)]
    ops = [op("a", [core(0, 0, 12, 6)]), op("b", [core(0, 5, 5, 0)], nothing, alu=0)]
    case("S4: an empty slot amid another", report(ops, 12, 12, (12, 6, 6), 6))
    # The memory engine has a port as the cores have, but is of no kind vector (and has no
    # private memory, which breaks S7).
    wrong = core(0, 0, 12, 6) | {"engine": "dma[0]"}
    case("S4: an engine without the kind", one(wrong), "S4", "S7")
    # As a core, but not of the group that the cost is for.
    other = one(core(0, 0, 12, 6) | {"engine": "twin[0]"})
    other["engines"].append(other["engines"][0] | {"name": "twin"})
    case("S4: an engine of another group", other, "S4")
    case("S4: the last core", one(core(1, 0, 12, 6)))
    case("S4: a core too many", one(core(2, 0, 12, 6)), "S4")


def s5() -> None:
    def chain(start_cycle: int) -> dict:
        second = core(1, start_cycle, start_cycle + 14, 5)
        return pair(core(0, 0, 14, 5), second, start_cycle + 14, after=["a"])
    case("S5: at the end of what it depends on", chain(14))
    case("S5: a cycle before", chain(13), "S5")
    # Two parts, then one that joins them: path 12 + 12, work ceil(36 / 2) = 18, bytes 18.
    def joined(start_cycle: int) -> dict:
        slots = [core(0, 0, 14, 5), core(1, 0, 14, 5, part=1),
                 core(0, start_cycle, start_cycle + 12, 6, part=2)]
        given = op("a", slots, [part(count=2), part()]) | {"last_part_combines": True}
        return report([given], start_cycle + 12, 24, (24, 18, 18), 18)
    case("S5: a part that joins the others, at their end", joined(14))
    case("S5: a cycle before their end", joined(13), "S5", "S4", "S6")
    # Two parts in one chain, on whichever cores: path 12 + 12, work 24 / 2, bytes 12.
    def chain_of(stride: int, start_cycle: int) -> dict:
        slots = [core(0, 0, 12, 6), core(1, start_cycle, start_cycle + 12, 6, part=1)]
        given = op("a", slots, [part(count=2)]) | {"chain_length": 2, "chain_stride": stride}
        return report([given], start_cycle + 12, 24, (24, 12, 12), 12)
    case("S5: a part of a chain, at the end of the one before it", chain_of(1, 12))
    case("S5: a cycle before that", chain_of(1, 11), "S5", "S6")
    # Four parts in two chains, 2 behind 0 and 3 behind 1: of 48 cycles half on each core.
    def chains(last_cycle: int) -> dict:
        slots = [core(0, 0, 14, 5), core(1, 0, 14, 5, part=1), core(0, 14, 28, 5, part=2),
                 core(1, last_cycle, last_cycle + 14, 5, part=3)]
        given = op("a", slots, [part(count=4)]) | {"chain_length": 2, "chain_stride": 2}
        return report([given], max(28, last_cycle + 14), 24, (24, 24, 24), 24)
    case("S5: chains side by side", chains(14))
    case("S5: a cycle before the end of the part ahead in the chain", chains(13), "S5", "S4", "S6")
    # An op behind a loop of 3 x 12 cycles starts at cycle 36. The bounds are of two
    # stretches, 3 x 12 + 12 = 48 on the path and of stages, 3 x 6 + 6 = 24 of work, streams
    # and bytes; roofline 4 x 60 / 10 = 24, alu 80 / 8.
    def behind(start_cycle: int) -> dict:
        given = looped()
        given["ops"].append(op("b", [core(1, start_cycle, start_cycle + 12, 6)]))
        given["order"].append({"stretch": ["b"]})
        end_cycle = max(start_cycle + 12, 36)
        return given | {"makespan_cycles": end_cycle, "lower_bound_cycles": 48,
                        "roofline_cycles": 24,
                        "bounds": {"critical_path": 48, "work_core": 24, "bytes_dram": 24,
                                   "streams_core": 24, "room_core": 24, "stages": 48}}
    case("S5: where its stretch starts", behind(36))
    case("S5: a cycle before its stretch", behind(35), "S5")


def s6() -> None:
    case("S6: all 10 lanes", pair(core(0, 0, 14, 5), core(1, 0, 14, 5), 14))
    case("S6: 6 + 5 of 10 lanes", pair(core(0, 0, 12, 6), core(1, 0, 14, 5), 14), "S6")
    case("S6: 6 lanes end where 5 start", pair(core(0, 0, 12, 6), core(1, 12, 26, 5), 26))
    case("S6: and a cycle before", pair(core(0, 0, 12, 6), core(1, 11, 25, 5), 25), "S6")


def fetched(fetching: dict, start_cycle: int, slice_bytes: int = 60, working_set: int = 40,
            staging: int = 0, second: dict | None = None) -> dict:
    """An op with 60 more bytes of a weight, fetched ahead in 10 cycles with 6 lanes. Its own
    slot is 2 + 60 / 6 = 12 as before, which is the path if the slice fits (at most 100 bytes
    with the working set less the room for staging) and else 2 + 120 / 6 = 22. Work 6 or 11,
    bytes 120 / 10 = 12, alu 20 / 8 = 3. Streams: 22 cycles with nothing fetched, of which
    the memory engine saves 10 with 60 bytes, 6 in each cycle, if the slice fits:
    2 T = 22 - T, T = 22 / 3. Room: in 22 cycles 132 bytes could be moved, and there is room
    for 60 (or 40) beside 40 (60); the slice takes 60, and in 12 cycles beside it 72 could be
    moved: 2 T = 22 - (12 T - 72) 10 / 60, T = 8.5 (2 T = 22 - (12 T - 92) 10 / 40, T = 9).
    More than half of it are 60 bytes, for 22 cycles on one core or the other: 11. One stage,
    before which nothing is fetched."""
    fits = working_set - staging + slice_bytes <= 100
    room_cycles = 11 if working_set > 50 else 9
    bounds = (12, 6, 12, 8, room_cycles, 12) if fits else (22, 11, 12)
    slot = core(0, start_cycle, start_cycle + 12, 6)
    slot["prefetches"] = [fetching] + ([second] if second else [])
    given = op("a", [slot], [part(w=60, working_set=working_set, slice_bytes=slice_bytes,
                                  staging=staging)])
    return report([given], start_cycle + 12, max(bounds), bounds, 12)


def s7() -> None:
    case("S7: 40 bytes beside a slice of 60", fetched(fetch(0, 10, 6), 10))
    case("S7: a byte more of slice", fetched(fetch(0, 10, 6), 10, slice_bytes=61), "S7")
    case("S7: a byte more of working set", fetched(fetch(0, 10, 6), 10, working_set=41), "S7")
    case("S7: which is the room that the slice makes free",
         fetched(fetch(0, 10, 6), 10, working_set=60, staging=20))
    case("S7: a byte less of that",
         fetched(fetch(0, 10, 6), 10, working_set=60, staging=19), "S7")
    # A working set of 100 bytes alone, and of 101.
    full = one(core(0, 0, 12, 6), [part(working_set=100)])
    case("S7: all of the private memory", full)
    more = report([op("a", [core(0, 0, 12, 6)], [part(working_set=101)])], 12, 12, (12, 6, 6), 6)
    case("S7: a byte more than it has", more, "S7")
    # The slice lies there while another op runs before: b, with 40 bytes, from 0 to 15 on
    # the same core (4 lanes beside the 6 of the fetch: 2 + 60 / 4 = 17). 40 + 60 fit, 41 + 60
    # do not. Path 12, work (12 + 12) / 2 = 12, bytes 180 / 10 = 18, alu 40 / 8 = 5; streams
    # 2 T = 12 + 22 - T, T = 34 / 3; room: of 72 bytes beside b 60 (59) fit, and then as above,
    # 2 T = 34 - (12 T - 72 - 12) / 6, T = 12 (more by 1 / 24); one stage, of 180 bytes.
    def beside(working_set: int) -> dict:
        slot = core(0, 17, 29, 6, prefetches=[fetch(0, 10, 6)])
        ops = [op("b", [core(0, 0, 17, 4)], [part(working_set=working_set)]),
               op("a", [slot], [part(w=60, slice_bytes=60)])]
        return report(ops, 29, 18, (12, 12, 18, 12, working_set - 28, 18), 18)
    case("S7: a slice beside the op that runs before", beside(40))
    case("S7: a byte more of that op", beside(41), "S7")


def s8() -> None:
    case("S8: ends where its part starts", fetched(fetch(0, 10, 6), 10))
    case("S8: ends a cycle later", fetched(fetch(1, 11, 6), 10), "S6", "S8")
    case("S8: with fewer lanes, 60 / 5", fetched(fetch(0, 12, 5), 12))
    case("S8: a cycle longer than its lanes give", fetched(fetch(0, 11, 6), 11), "S8")
    case("S8: on an engine that is of no kind memory",
         fetched(fetch(0, 10, 6, engine="core[1]"), 10), "S8")
    # Of out there is no source; and w, no longer fetched, gives the part 90 bytes to stream
    # (15 cycles with 6 lanes).
    case("S8: of a buffer without a source",
         fetched(fetch(0, 10, 6, buffer="out"), 10), "S2", "S3", "S8")
    # The slices of two fetches are 120 bytes and do not fit beside the working set.
    case("S8: the same source twice",
         fetched(fetch(0, 10, 6), 20, second=fetch(10, 20, 6)), "S7", "S8")
    case("S8: two fetches on one engine at a time",
         fetched(fetch(0, 10, 6), 10, second=fetch(0, 10, 6)), "S4", "S6", "S7", "S8")
    # b writes the source, or selects it, until cycle 12; a runs behind it. Path 12 + 12 = 24, work (6 + 6) / 2
    # and no less than a's head of 12 and its work: 12 + 3; bytes 180 / 10 = 18, alu 5. Streams
    # and room as in S7, 12; two stages of 12 each, as each engine waits for the other's part.
    def behind(fetching: dict, **awaited: list[str]) -> dict:
        start_cycle = fetching["end_cycle"]
        slot = core(0, start_cycle, start_cycle + 12, 6, prefetches=[fetching])
        ops = [op("b", [core(1, 0, 12, 6)]),
               op("a", [slot], [part(w=60, slice_bytes=60, **awaited)], after=["b"])]
        return report(ops, start_cycle + 12, 24, (24, 18, 18, 12, 12, 24), 18)
    for how in ("written_by", "selected_by"):
        case(f"S8: fetched at the end of what it is {how}", behind(fetch(12, 22, 6), **{how: ["b"]}))
        case(f"S8: {how}, a cycle before", behind(fetch(11, 21, 6), **{how: ["b"]}), "S6", "S8")


def looped() -> dict:
    """One op of 12 cycles, three times: 36 cycles; 3 x 6 of work and bytes; alu 60 / 8 = 8."""
    given = op("a.{}", [core(0, 0, 12, 6)], runs=3, loops=[0])
    return report([given], 36, 36, (36, 18, 18), 18,
                  order=[{"loop": 0, "body": [{"stretch": ["a.{}"]}]}],
                  loops=[{"start_cycle": 0, "period_cycles": 12, "trips": 3}])


def with_change(given: dict, change: Callable[[dict], None]) -> dict:
    changed = copy.deepcopy(given)
    change(changed)
    return changed


def s9() -> None:
    case("S9: a loop", looped())
    for name in ("makespan_cycles", "lower_bound_cycles", "roofline_cycles"):
        for step in (-1, 1):
            case(f"S9: {name} {step:+d}", looped() | {name: looped()[name] + step}, "S9")
    for name, cycles in looped()["bounds"].items():
        for step in (-1, 1):
            bounds = looped()["bounds"] | {name: cycles + step}
            case(f"S9: bound {name} {step:+d}", looped() | {"bounds": bounds}, "S9")
    for name, step in (("period_cycles", 1), ("period_cycles", -1), ("trips", 1),
                       ("trips", -1)):
        def change(given: dict) -> None:
            given["loops"][0][name] += step
        case(f"S9: {name} of a loop {step:+d}", with_change(looped(), change), "S9")

    # All starts and ends a cycle later: the loop says 1, and 0 is where it starts.
    def later(given: dict) -> None:
        given["loops"][0]["start_cycle"] += 1
        for field in ("start_cycle", "end_cycle"):
            given["ops"][0]["slots"][0][field] += 1
    case("S9: start of a loop", with_change(looped(), later), "S9")
    case("S9: a bound that is not there",
         looped() | {"bounds": {"critical_path": 36, "work_core": 18, "stages": 36}}, "S9")
    case("S9: a bound of nothing", looped() | {"bounds": looped()["bounds"] | {"b": 0}}, "S9")
    s9_of_ports()
    s9_over_all_ways_to_cut()


def s9_of_ports() -> None:
    """One core and no memory engine: 60 bytes through the 6 lanes of its port take 10
    cycles, and there are neither streams nor room. With a tile by hand the bounds are known; with
    a searched one they range over all tiles, and may be less."""
    def alone(strategy: str, size_cycles: int) -> dict:
        given = report([op("a", [core(0, 0, 12, 6)], strategy=strategy)], 12, 12,
                       (12, 12, 10), 6)
        del given["engines"][1], given["bounds"]["streams_core"], given["bounds"]["room_core"]
        given["engines"][0]["count"] = 1
        given["bounds"]["bytes_dram"] = size_cycles
        return given
    for strategy, rules in (("pinned", ["S9"]), ("search", [])):
        case(f"S9: bytes through one port, {strategy}", alone(strategy, 10))
        case(f"S9: through all lanes, {strategy}", alone(strategy, 6), *rules)
    case("S9: above the bytes as it is cut", alone("search", 11), "S9")


def s9_over_all_ways_to_cut() -> None:
    """Bounds over ways to cut an op are not known here: what they cannot be is."""
    def cut(makespan: int, lower_bound: int, **bounds: int) -> dict:
        given = report([op("a", [core(0, 0, 12, 6)], strategy="search")], makespan,
                       lower_bound, (7, 6, 6, 5, 5, 8), 6)
        return given | {"bounds": given["bounds"] | bounds}
    case("S9: below the bounds of the whole op", cut(12, 8))
    case("S9: the makespan is one", cut(12, 12, stages=12))
    case("S9: above the makespan", cut(12, 13, stages=13), "S9")
    case("S9: not the largest one", cut(12, 7), "S9")
    case("S9: above the largest one", cut(12, 9), "S9")
    for proven, rules in ((7, ["S9"]), (8, []), (12, []), (13, ["S9"])):
        case(f"S9: {proven} cycles proven", cut(12, 8) | {"proven_cycles": proven}, *rules)
    case("S9: of engines that no op runs on", cut(12, 8, work_dma=1), "S9")


# Parts that hold engines of several groups: four matrix engines (8 mac per cycle, 100 bytes of
# private memory, a port of 6 lanes) and two vector engines (4 alu per cycle, a port of 2 lanes,
# no private memory); one memory engine with a port of 6 lanes where it is said.


def apart(ops: list[dict], makespan: int, bounds: dict[str, int], roofline: int,
          *more: dict) -> dict:
    """`more`: groups of engines beside the two."""
    given = report(ops, makespan, max(bounds.values()), (0, 0, 0), roofline)
    core_group, dma_group = given["engines"]
    mxu = core_group | {"name": "mxu", "kinds": ["matrix"], "count": 4,
                        "operations_per_cycle": {"mac": {"f32": 8}}}
    vpu = dma_group | {"name": "vpu", "kinds": ["vector"], "count": 2,
                       "operations_per_cycle": {"alu": 4}, "port_lanes": {"dram": 2},
                       "port_bytes_per_second": {"dram": 2_000_000_000}}
    return given | {"engines": [mxu, vpu, *more], "bounds": bounds}


def memory_engine() -> dict:
    return {"name": "dma", "kinds": ["memory"], "count": 1, "operations_per_cycle": {},
            "port_lanes": {"dram": 6}, "port_bytes_per_second": {"dram": 6_000_000_000}}


def dry(count: int, compute: int, working_set: int = 0) -> dict:
    """Parts that compute alone."""
    return part(count, x=0, out=0, working_set=working_set, overhead=0, compute=compute)


def held(number: int, start_cycle: int, end_cycle: int, own: str, *beside: str) -> dict:
    slot = {"part": number, "engine": own, "start_cycle": start_cycle, "end_cycle": end_cycle,
            "lanes": {}}
    return slot | ({"with": list(beside)} if beside else {})


def joint(slots: list[dict], parts: list[dict], **more: object) -> dict:
    """An op whose parts hold a matrix and a vector engine."""
    return op("a", slots, parts, engine="mxu", **more) | {"with": ["vpu"]}


def s4_beside() -> None:
    """Two parts of 30 cycles, or others. Bounds say nothing here: they are over all ways to cut
    the ops. 20 / 8 cycles of alu for each op."""
    def placed(*slots: dict, parts: list[dict] | None = None, v: list[dict] | None = None,
               more: tuple = ()) -> dict:
        ops = [joint(list(slots), parts or [dry(2, 30)], strategy="search")]
        ops += [op("v", v, [dry(1, 20)], engine="vpu", strategy="search")] if v else []
        names = ("critical_path", "work_mxu", "work_vpu", "bytes_dram", "stages")
        makespan = max(slot["end_cycle"] for each in ops for slot in each["slots"])
        return apart(ops, makespan, dict.fromkeys(names, 0), 5 if v else 3, *more)

    first = held(0, 0, 30, "mxu[0]", "vpu[0]")
    case("S4: beside two engines two others", placed(first, held(1, 0, 30, "mxu[1]", "vpu[1]")))
    case("S4: both beside one", placed(first, held(1, 0, 30, "mxu[1]", "vpu[0]")), "S4")
    case("S4: one beside both, end to end", placed(first, held(1, 30, 60, "mxu[1]", "vpu[0]")))
    case("S4: and a cycle of overlap", placed(first, held(1, 29, 59, "mxu[1]", "vpu[0]")), "S4")
    case("S4: their own one for both", placed(first, held(1, 29, 59, "mxu[0]", "vpu[1]")), "S4")
    for what, beside in (("nothing beside it", []), ("another group", ["mxu[2]"]),
                         ("one more group", ["vpu[1]", "mxu[2]"]),
                         ("two of a group", ["vpu[0]", "vpu[1]"]),
                         ("one that there is not", ["vpu[2]"]), ("no such group", ["npu[0]"])):
        case(f"S4: {what}", placed(first, held(1, 30, 60, "mxu[1]", *beside)), "S4")
    case("S4: the engine of the other group as its own",
         placed(first, held(1, 30, 60, "vpu[1]", "mxu[1]")), "S4")
    # An op that runs on vector engines alone, where one of them is held until cycle 30.
    second = held(1, 0, 30, "mxu[1]", "vpu[1]")
    case("S4: on what was held", placed(first, second, v=[held(0, 30, 50, "vpu[1]")]))
    case("S4: a cycle before", placed(first, second, v=[held(0, 29, 49, "vpu[1]")]), "S4")
    case("S4: beside an op that needs nothing there",
         placed(first, second, v=[held(0, 30, 50, "vpu[1]", "mxu[0]")]), "S4")
    # A part without length holds nothing, but its engines have to be there.
    nothing = [dry(1, 30), dry(1, 0)]
    for what, beside, rules in (("two engines", ["vpu[0]"], []), ("one", [], ["S4"]),
                                ("one that there is not", ["vpu[2]"], ["S4"])):
        empty = held(1, 5, 5, "mxu[0]", *beside)
        case(f"S4: no time amid another part on {what}", placed(first, empty, parts=nothing),
             *rules)
    s4_beside_a_fetch()


def s4_beside_a_fetch() -> None:
    """Two vector engines that fetch as well, one of which is held until cycle 30; f, as in S8,
    runs behind a fetch of 10 cycles."""
    def fetched_at(start_cycle: int, engine: str) -> dict:
        lender = memory_engine() | {"name": "lend", "kinds": ["vector", "memory"], "count": 2}
        slot = held(0, start_cycle + 10, start_cycle + 22, "mxu[1]")
        slot |= {"lanes": {"dram": 6},
                 "prefetches": [fetch(start_cycle, start_cycle + 10, 6, engine)]}
        a = joint([held(0, 0, 30, "mxu[0]", "lend[0]")], [dry(1, 30)], strategy="search")
        f = op("f", [slot], [part(w=60, slice_bytes=60)], engine="mxu", strategy="search")
        names = ["critical_path", "bytes_dram", "stages"]
        names += [f"{what}_{group}" for what in ("work", "streams", "room")
                  for group in ("mxu", "lend")]
        # 120 / 10 cycles of bytes.
        return apart([a | {"with": ["lend"]}, f], max(30, start_cycle + 22),
                     dict.fromkeys(names, 0), 12, lender)
    case("S4: fetched by another engine than the one held", fetched_at(0, "lend[1]"))
    case("S4: fetched by one that is held", fetched_at(20, "lend[0]"), "S4")
    case("S4: fetched by one that was held", fetched_at(30, "lend[0]"))


def own_engine() -> None:
    """The port and the private memory are those of the part's own engine: 60 bytes through 6
    lanes, 2 cycles of overhead, 100 bytes. Path 12, work 12 / 4 and 12 / 2, bytes 60 / 10."""
    def streamed(end_cycle: int, lanes: int, working_set: int) -> dict:
        slot = held(0, 0, end_cycle, "mxu[0]", "vpu[0]") | {"lanes": {"dram": lanes}}
        bounds = {"critical_path": 12, "work_mxu": 3, "work_vpu": 6, "bytes_dram": 6,
                  "stages": 12}
        return apart([joint([slot], [part(working_set=working_set)])], end_cycle, bounds, 6)
    case("S3: the port of its own engine", streamed(12, 6, 100))
    case("S7: the private memory of its own engine", streamed(12, 6, 101), "S7")


def s9_beside() -> None:
    """Four parts of 30 cycles: two at a time, as there are two vector engines, so that the span
    is 4 x 30 / 2 = 60. v has 20 cycles on vector engines alone: work is 120 / 4 = 30 on matrix
    engines and (120 + 20) / 2 = 70 on vector engines, as on the only stage; roofline 40 / 8."""
    def four() -> dict:
        slots = [held(number, number // 2 * 30, number // 2 * 30 + 30, f"mxu[{number}]",
                      f"vpu[{number % 2}]") for number in range(4)]
        return joint(slots, [dry(4, 30, working_set=40)])

    bounds = {"critical_path": 60, "work_mxu": 30, "work_vpu": 70, "bytes_dram": 0, "stages": 70}
    whole = op("v", [held(0, 60, 80, "vpu[0]")], [dry(1, 20)], engine="vpu")
    case("S9: four parts beside two engines, and an op on these",
         apart([four(), whole], 80, bounds, 5))
    halves = op("v", [held(number, 60, 70, f"vpu[{number}]") for number in range(2)],
                [dry(2, 10)], engine="vpu")
    given = apart([four(), halves], 70, bounds, 5)
    case("S9: as short as its bound", given)
    for name, cycles in (("critical_path", 30), ("critical_path", 120), ("work_mxu", 60),
                         ("work_vpu", 10), ("work_vpu", 60), ("stages", 60)):
        case(f"S9: bound {name} {cycles}", given | {"bounds": bounds | {name: cycles}}, "S9")

    # v waits for all parts: work on matrix engines has its span of 10 cycles behind it, and there
    # are two stages, 60 + 10.
    behind = halves | {"depends_on": ["a"]}
    tail = bounds | {"critical_path": 70, "work_mxu": 40}
    case("S9: and one that waits for them", apart([four(), behind], 70, tail, 5))

    # With a memory engine: no bytes are fetched, so that streams are work, of ops whose own
    # engine is of the group; and so is room, as 40 of 100 bytes are held, and the 6 bytes that
    # could move in a cycle, 180 beside a part of which 60 fit, are 4 x 120 of 24 in each cycle.
    fetching = bounds | {"streams_mxu": 30, "room_mxu": 30, "streams_vpu": 10, "room_vpu": 10}
    case("S9: streams and room of own engines",
         apart([four(), halves], 70, fetching, 5, memory_engine()))
    alone = fetching | {"work_vpu": 60, "stages": 60, "streams_vpu": 0, "room_vpu": 0}
    given = apart([four()], 60, alone, 3, memory_engine())
    case("S9: of engines that are only held beside others", given)
    for name in ("work_vpu", "streams_vpu", "room_vpu"):
        rest = {other: cycles for other, cycles in alone.items() if other != name}
        case(f"S9: no bound {name}", given | {"bounds": rest}, "S9")
        case(f"S9: more than {alone[name]} of {name}",
             given | {"bounds": alone | {name: alone[name] + 1}}, "S9")


def main() -> int:
    for group in (s1, s2, s3, s4, s5, s6, s7, s8, s9, s4_beside, own_engine, s9_beside):
        group()
    failures = 0
    for what, given, expected in CASES:
        broken = judge_function(given)
        if {each.rule for each in broken} != expected:
            failures += 1
            print(f"FAILED: {what}: expected {sorted(expected) or 'valid'}, got "
                  f"{[str(each) for each in broken] or 'valid'}", file=sys.stderr)
    print(f"{len(CASES)} cases, {failures} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
