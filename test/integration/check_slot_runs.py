"""Slots of a scheduled program, written out as dialects/llm/Spec.md has it, against those of its report.

    check_slot_runs.py SCHEDULED.mlir REPORT.json

Prints how many slots there are, in how many runs, and how many of them have prefetches.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "judge"))
from program import FetchText, RunText, parse_program


def entry(slot: RunText | FetchText, engine: str, shift: int) -> tuple:
    return engine, slot.start_cycle + shift, slot.end_cycle + shift, dict(slot.lanes)


def spelled_out(run: RunText) -> list[tuple]:
    slots = []
    for i in range(run.count):
        shift = i * run.start_stride
        fetches = [(fetch.buffer, *entry(fetch, f"{fetch.engine}[{fetch.index}]", shift)) for fetch in run.prefetches]
        own, *beside = (f"{group}[{index}]" for group, index in run.places(i))
        slots.append((run.part + i * run.part_stride, entry(run, own, shift), sorted(beside), fetches))
    return slots


def reported(slot: dict) -> tuple:
    def fields(each: dict) -> tuple:
        return each["engine"], each["start_cycle"], each["end_cycle"], each["lanes"]
    fetches = [(each["buffer"], *fields(each)) for each in slot.get("prefetches", [])]
    return slot["part"], fields(slot), sorted(slot.get("with", [])), fetches


def main() -> None:
    program = parse_program(Path(sys.argv[1]).read_text(encoding="utf-8"))
    report = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    by_part = lambda slot: slot[0]
    count = 0
    assert len(program.slots) == len(report["ops"])
    for runs, op in zip(program.slots, report["ops"]):
        slots = sorted((slot for run in runs for slot in spelled_out(run)), key=by_part)
        assert slots == sorted(map(reported, op["slots"]), key=by_part), op["name"]
        assert [slot[0] for slot in slots] == list(range(len(slots))), op["name"]
        count += len(slots)
    runs = [run for each in program.slots for run in each]
    fetched = sum(run.count for run in runs if run.prefetches)
    print(f"ok: {count} slots in {len(runs)} runs, {fetched} with prefetches")


if __name__ == "__main__":
    main()
