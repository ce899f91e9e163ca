#!/usr/bin/env python3
"""Derives from slots, work and machine what the JSON report says of times, rates and shares of the peak.

    check_figures.py REPORT

Shares nothing with the exporter but the words of docs/report.md.
"""
from __future__ import annotations

import json
import math
import sys


def close(found: float, wanted: float, what: str) -> None:
    assert math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12), f"{what} is {found}, not {wanted}"


class Machine:
    def __init__(self, report: dict):
        self.engines = report["engines"]
        self.clock = report["clock_hz"]
        self.peak_clock = max([self.clock] + [engine.get("sustained_clock_hz", 0) for engine in self.engines])
        self.rates = {memory["name"]: memory["bytes_per_second"] for memory in report["memories"] if "lanes" in memory}

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
    close(op["gb_per_second"], 1e-9 * op["bytes"][dram] / with_fetches if with_fetches else 0, "gb_per_second")
    compute = max([percent(op["macs"], machine.macs_per_second(op.get("mac_rate_type")), seconds)] + [
        percent(work_of(op, kind), machine.operations_per_second(kind), seconds) for kind in ("alu", "special", "compare")])
    memory = max(percent(op["bytes"][name], rate, with_fetches) for name, rate in machine.rates.items())
    close(op["percent_of_limit"], max(compute, memory), f"{op['name']}: percent_of_limit")


def check(report: dict) -> None:
    machine = Machine(report)
    ops = report["ops"]
    for op in ops:
        check_op(op, machine)
    total = sum(op["total_time_us"] for op in ops)
    for op in ops:
        close(op["share_percent"], 100 * op["total_time_us"] / total, "share_percent")
    shares = {bound: sum(op["share_percent"] for op in ops if op["bound"] == bound) for bound in report["bound_percent"]}
    for bound, share in shares.items():
        close(report["bound_percent"][bound], share, f"bound_percent of {bound}")
    assert shares[report["bound"]] == max(shares.values()), report["bound"]
    seconds = report["makespan_cycles"] / machine.clock
    macs = sum(op["count"] * op["macs"] / machine.macs_per_second(op["mac_rate_type"]) for op in ops if op["macs"])
    close(report["mfu_percent"], 100 * macs / seconds, "mfu_percent")
    touched = sum(op["count"] * op["compulsory_bytes"] for op in ops)
    close(report["mbu_percent"], 100 * touched / list(machine.rates.values())[-1] / seconds, "mbu_percent")
    # The roofline is the larger of these where no other work takes longer, rounded up to whole cycles.
    assert max(report["mfu_percent"], report["mbu_percent"]) <= 100 * report["roofline_cycles"] / report["makespan_cycles"] + 1e-6


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        root = json.load(file)
    reports = root.get("functions", [root])
    for report in reports:
        check(report)
    print(f"ok: {sum(len(report['ops']) for report in reports)} ops")


if __name__ == "__main__":
    main()
