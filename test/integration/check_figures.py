#!/usr/bin/env python3
"""Derives from slots, work and machine what the JSON report says of times, rates and shares of the peak.

    check_figures.py REPORT

Shares nothing with the exporter but the words of docs/report.md.
"""
from __future__ import annotations

import collections
import json
import math
import sys


def close(found: float, wanted: float, what: str, tolerance: float = 1e-12) -> None:
    assert math.isclose(found, wanted, rel_tol=1e-9, abs_tol=tolerance), f"{what} is {found}, not {wanted}"


class Machine:
    def __init__(self, report: dict):
        self.engines = report["engines"]
        self.clock = report["clock_hz"]
        self.peak_clock = max([self.clock] + [engine.get("sustained_clock_hz", 0) for engine in self.engines])
        self.rates = {memory["name"]: memory["bytes_per_second"] for memory in report["memories"] if "lanes" in memory}
        self.links = {link["name"]: link["bytes_per_second"] for link in report.get("links", [])}

    def macs_per_second(self, kind: str | None) -> float:
        return self.peak_clock * sum(engine["count"] * engine["operations_per_cycle"].get("mac", {}).get(kind, 0)
                                     for engine in self.engines)

    def operations_per_second(self, kind: str) -> float:
        return self.peak_clock * sum(engine["count"] * engine["operations_per_cycle"].get(kind, 0)
                                     for engine in self.engines)


def percent(amount: float, peak: float, seconds: float) -> float:
    return 100 * amount / peak / seconds if peak and seconds else 0.0


def work_of(op: dict, kind: str) -> int:
    return sum(part["count"] * part["work"].get(kind, 0) for part in op["parts"])


def check_op(op: dict, machine: Machine) -> None:
    slots = op["slots"]
    end = max(slot["end_cycle"] for slot in slots)
    first = min(slot["start_cycle"] for slot in slots)
    fetched = min([first] + [fetch["start_cycle"] for slot in slots for fetch in slot.get("prefetches", [])])
    seconds, with_fetches = (end - first) / machine.clock, (end - fetched) / machine.clock
    close(op["time_us"], 1e6 * sum(slot["end_cycle"] - slot["start_cycle"] for slot in slots) / machine.clock, "time_us")
    close(op["total_time_us"], op["count"] * op["time_us"], "total_time_us")
    dram = list(machine.rates)[-1]
    close(op["tflop_per_second"], 2e-12 * op["macs"] / seconds if seconds else 0, "tflop_per_second")
    counted = op["engine"] if op["engine"] in machine.links else dram  # an exchange is about its link
    close(op["gb_per_second"], 1e-9 * op["bytes"][counted] / with_fetches if with_fetches else 0, "gb_per_second")
    compute = max([percent(op["macs"], machine.macs_per_second(op.get("mac_rate_type")), seconds)] + [
        percent(work_of(op, kind), machine.operations_per_second(kind), seconds) for kind in ("alu", "special", "compare")])
    memory = max(percent(op["bytes"][name], rate, with_fetches) for name, rate in (machine.rates | machine.links).items())
    close(op["percent_of_limit"], max(compute, memory), f"{op['name']}: percent_of_limit")


class OpTerms:
    """The cycles of one run of an op, and what binds it on the whole machine."""

    def __init__(self, op: dict, report: dict):
        parts = op["parts"]
        self.overhead, self.serial, self.compute, self.memory, self.alone = (
            sum(part["count"] * length(part) for part in parts) for length in (
                lambda part: part["overhead_cycles"], lambda part: part["serial_cycles"], lambda part: part["compute_cycles"],
                lambda part: part["memory_cycles"], lambda part: max(part["compute_cycles"], part["memory_cycles"])))
        # A measured run follows no cost: its slots say nothing of bandwidth.
        scheduled = op["scheduled_cycles"]
        self.launches = min(self.overhead, scheduled)
        self.rest = scheduled - self.launches
        self.overlapped = max(0, self.rest - self.serial)
        self.is_slowed = self.overlapped > 1.01 * self.alone and not report["policy"].startswith("measured")
        self.of_parts = max(parts, key=lambda part: part["count"] * (
            part["overhead_cycles"] + part["serial_cycles"] + max(part["compute_cycles"], part["memory_cycles"])))["bound"]
        self.bound = self.find_bound(op, report)
        self.waits_for_bytes = self.do_units_wait(op, report)
        self.has_limit = "power_limit_watts" in report
        watts = report.get("power_limit_watts", math.inf) - report.get("idle_watts", 0)
        steady = op.get("energy_picojoules", 0) * 1e-12 / watts
        share, burst = report.get("burst_percent", 100) / 100, report.get("burst_microseconds", 0) / 1e6
        seconds = steady / share if steady <= share * burst else steady - (share - 1) * burst
        self.power = seconds * report["clock_hz"]
        self.energy_follows_clock = bool(report.get("energy_follows_clock", 0))
        group = next(engine for engine in report["engines"] if engine["name"] == op["engine"])
        dram = [memory["name"] for memory in report["memories"] if "lanes" in memory][-1]
        ports = group.get("unit_bytes_per_second")
        self.ports = op["bytes"][dram] * report["clock_hz"] / ports if ports else 0

    @staticmethod
    def do_units_wait(op: dict, report: dict) -> bool:
        """Do the bytes that units have in flight take longer than the arithmetic?"""
        if "kernel_bytes_per_second" not in op:
            return False
        group = next(engine for engine in report["engines"] if engine["name"] == op["engine"])
        dram = [memory["name"] for memory in report["memories"] if "lanes" in memory][-1]
        clock = group.get("sustained_clock_hz", report["clock_hz"])
        moving = op["bytes"][dram] / op["kernel_bytes_per_second"]
        rates = group["operations_per_cycle"]
        return all(work_of(op, kind) / (rates[kind] * clock) < moving for kind in ("alu", "special", "compare") if kind in rates)

    def find_bound(self, op: dict, report: dict) -> str:
        group = next(engine for engine in report["engines"] if engine["name"] == op["engine"])
        engines = min(sum(part["count"] for part in op["parts"]), group["count"])
        shared = max(op["bytes"][memory["name"]] * report["clock_hz"] / memory.get("sustained_bytes_per_second", memory["bytes_per_second"])
                     for memory in report["memories"] if "lanes" in memory)
        self.engines, self.group, self.shared = engines, group["count"], shared
        if self.of_parts == "memory" or (engines > 1 and shared * engines > max(self.compute, self.overhead)):
            return "memory"
        is_launch = self.of_parts == "overhead" and self.launches >= self.overlapped
        return "memory" if self.is_slowed and not is_launch else self.of_parts

    def is_memory(self) -> bool:
        return self.bound == "memory" or (self.bound == "overhead" and (self.memory > self.compute or self.waits_for_bytes))

    def saved_under_limit(self) -> float:
        """What twice the arithmetic would save of what a power limit stretches: t = (e^3 u)^(1/4), where e is the time that the limit
        gives the energy of the full clock, and u that without a limit."""
        now, unlimited = self.overlapped + self.serial, max(self.compute, self.memory)
        is_held, energy = self.power > 0.999 * now, self.power
        if is_held and self.energy_follows_clock:
            energy = (now ** 4 / unlimited) ** (1 / 3)
        later = max(self.compute / 2, self.memory)
        limited = energy ** 0.75 * later ** 0.25 if self.energy_follows_clock else energy
        beside = 0 if is_held else self.serial
        return max(0, now - max(later, limited if energy > later else 0) - beside)

    def saved(self) -> tuple[float, float]:
        """What twice the bandwidth and twice the arithmetic would save."""
        if not self.is_memory():
            now, memory = (self.compute / self.engines, self.shared) if self.engines > 1 else (self.overlapped, self.memory)
            return 0, min(self.overlapped * saved_share(now, memory), self.saved_under_limit() if self.has_limit else math.inf)
        in_flight = self.waits_for_bytes and self.compute > 1.01 * self.ports
        if self.of_parts == "memory" and self.compute >= self.memory and not self.is_slowed and not in_flight:
            return self.memory / 2, 0
        if self.group > 1:
            return self.overlapped * saved_share(self.shared, self.compute / self.group), 0
        return max(0, self.overlapped - max(self.overlapped / 2, self.compute)), 0


def saved_share(now: float, other: float) -> float:
    """The share of a time that twice a rate saves, if the other rate allows that."""
    return 1 - min(now, max(now / 2, other)) / now if now else 0


def time_by_op(ops: list[dict], is_held, links: set[str]) -> tuple[dict[str, float], float, dict[str, float]]:
    """Goes from one start or end of a slot to the next. The time between is that of the ops that have slots then, by their
    number; if there are none, that of exchanges, or of fetches."""
    times: dict[str, float] = {op["name"]: 0.0 for op in ops if is_held(op)}
    exposed: dict[str, float] = {op["name"]: 0.0 for op in ops if op["engine"] in links}
    fetching = 0.0
    for loops in {tuple(op.get("loops", [])) for op in ops}:
        together = [op for op in ops if tuple(op.get("loops", [])) == loops]
        events: list[tuple[int, int, str, str]] = []
        for op in together:
            kind = "slot" if is_held(op) else "exchange" if op["engine"] in links else ""
            for slot in op["slots"]:
                spans = [(slot, kind)] * bool(kind) + [(fetch, "fetch") for fetch in slot.get("prefetches", [])]
                for span, what in spans:
                    events += [(span["start_cycle"], 1, what, op["name"]), (span["end_cycle"], -1, what, op["name"])]
        before, count = 0, collections.Counter()
        for cycle, step, what, name in sorted(events):
            elapsed, before = together[0]["count"] * (cycle - before), cycle
            slots = sum(number for (kind, _), number in count.items() if kind == "slot")
            exchanges = sum(number for (kind, _), number in count.items() if kind == "exchange")
            if slots:
                for (kind, each), number in count.items():
                    if kind == "slot":
                        times[each] += elapsed * number / slots
            elif exchanges:
                for (kind, each), number in count.items():
                    if kind == "exchange":
                        exposed[each] += elapsed * number / exchanges
            elif any(number for (kind, _), number in count.items() if kind == "fetch"):
                fetching += elapsed
            count[what, name] += step
            if not count[what, name]:
                del count[what, name]
    return times, fetching, exposed


def covered(ops: list[dict]) -> float:
    """The cycles of all runs in which one of the ops is under way."""
    cycles = 0
    for loops in {tuple(op.get("loops", [])) for op in ops}:
        together = [op for op in ops if tuple(op.get("loops", [])) == loops]
        end = -1
        for first, last in sorted((min(slot["start_cycle"] for slot in op["slots"]), max(slot["end_cycle"] for slot in op["slots"]))
                                  for op in together):
            cycles += together[0]["count"] * max(0, last - max(first, end))
            end = max(end, last)
    return cycles


def check_binding(report: dict) -> None:
    """Derives what the time goes to, and what more of each would save."""
    ops, links = report["ops"], {link["name"] for link in report.get("links", [])}
    groups = [engine for engine in report["engines"] if engine["name"] not in links]
    runs_on = lambda op, name: name in [op["engine"], *op.get("with", [])]
    busy = {engine["name"]: sum(op["count"] * op["scheduled_cycles"] for op in ops if runs_on(op, engine["name"])) / engine["count"]
            for engine in groups}
    engine = max(groups, key=lambda each: busy[each["name"]])
    assert report["bound_engine"] == engine["name"], report["bound_engine"]
    makespan = report["makespan_cycles"]
    time_of, fetching, exposed = time_by_op(ops, lambda op: runs_on(op, engine["name"]), links)
    cycles = {"compute": 0.0, "memory": fetching, "overhead": 0.0, "exchange": sum(exposed.values())}
    saved = {"bandwidth": fetching / 2, "arithmetic": 0.0, "launches": 0.0}
    for op in ops:
        assert (op["name"] in exposed) == ("exposed_us" in op), op["name"]
        if op["name"] in exposed:
            close(op["exposed_us"], exposed[op["name"]] * 1e6 / report["clock_hz"], f"exposed_us of {op['name']}")
        terms = OpTerms(op, report)
        assert op["bound"] == terms.bound, f"{op['name']}: bound is {op['bound']}, not {terms.bound}"
        if op["name"] not in time_of or op["scheduled_cycles"] == 0:
            continue
        time, scheduled = time_of[op["name"]], op["scheduled_cycles"]
        cycles["memory" if terms.is_memory() else "compute"] += time * terms.rest / scheduled
        cycles["overhead"] += time * terms.launches / scheduled
        for key, amount in zip(saved, (*terms.saved(), terms.launches / 2)):
            saved[key] += time * amount / scheduled
    found = dict(report["bound_percent"])
    for bound, amount in cycles.items():
        close(found[bound], 100 * amount / makespan, f"bound_percent of {bound}")
    close(sum(found.values()), 100, "sum of bound_percent")
    exchanges = [op for op in ops if op["engine"] in links]
    assert (report.get("exchange_percent") is None) == ("links" not in report)
    if "links" in report:
        close(report["exchange_percent"], 100 * covered(exchanges) / makespan, "exchange_percent")
    assert found[report["bound"]] == max(found.values()), report["bound"]
    if report["policy"].startswith("measured"):
        return
    assert ("power" in report["savings_percent"]) == ("power_limit_watts" in report)
    for key, amount in saved.items():
        # Under a power limit the kernel's own form also counts what units wait for, which this reading has not.
        tolerance = 3.0 if key == "arithmetic" and "power_limit_watts" in report else 1e-12
        close(report["savings_percent"][key], 100 * amount / sum(cycles.values()), f"savings_percent of {key}", tolerance)


def check(report: dict) -> None:
    machine = Machine(report)
    ops = report["ops"]
    for op in ops:
        check_op(op, machine)
    total = sum(op["total_time_us"] for op in ops)
    for op in ops:
        close(op["share_percent"], 100 * op["total_time_us"] / total, "share_percent")
    check_binding(report)
    seconds = report["makespan_cycles"] / machine.clock
    # MFU is a share of the peak at the target's clock; engines may run faster.
    overclock = machine.peak_clock / machine.clock
    macs = sum(op["count"] * op["macs"] / machine.macs_per_second(op["mac_rate_type"]) * overclock for op in ops if op["macs"])
    close(report["mfu_percent"], 100 * macs / seconds, "mfu_percent")
    touched = sum(op["count"] * op["compulsory_bytes"] for op in ops)
    close(report["mbu_percent"], 100 * touched / list(machine.rates.values())[-1] / seconds, "mbu_percent")
    # The roofline is the larger of these where no other work takes longer, rounded up to whole cycles.
    assert max(report["mfu_percent"] / overclock, report["mbu_percent"]) <= 100 * report["roofline_cycles"] / report["makespan_cycles"] + 1e-6


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        root = json.load(file)
    reports = root.get("functions", [root])
    for report in reports:
        check(report)
    print(f"ok: {sum(len(report['ops']) for report in reports)} ops")


if __name__ == "__main__":
    main()
