"""The verdict on a report: what is broken, by function."""
from __future__ import annotations

from model import Schedule, read_schedule
from rules import Broken, check_slots
from summary import check_summary


def judge(schedule: Schedule) -> list[Broken]:
    broken = check_slots(schedule) + check_summary(schedule)
    bounds = {"lower bound": schedule.lower_bound_cycles} | schedule.bounds
    if not broken:
        broken += [Broken("S9", name, "a valid schedule is shorter")
                   for name, cycles in bounds.items() if cycles > schedule.makespan_cycles]
    return broken


def judge_function(report: dict) -> list[Broken]:
    return judge(read_schedule(report))


def judge_report(report: dict) -> dict[str, list[Broken]]:
    functions = report.get("functions", [report])
    return {function["function"]: judge_function(function) for function in functions}
