"""check_queues.py finds each of these faults in good queues.

    check_queues_selftest.py QUEUES REPORT

Those of parts that hold engines of several groups are in queues by hand. Cycles 0 to 50; both parts of b start at 10,
the first because the queue of vpu[0] has come to it, the other one because it waits for a; so c, behind the first one
in the queue of vpu[0], has to wait for the other one alone:

    mxu[0]                 b 0 [10,30)               d [40,50)
    mxu[1]                 b 1 [10,30)
    vpu[0]     a [0,10)   (b 0 [10,30))  c [30,40)
    vpu[1]                (b 1 [10,30))
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

from check_queues import Stretch

CHECK = os.path.join(os.path.dirname(__file__), "check_queues.py")


def stretches(body: list) -> list:
    """All stretches; the longest one first."""
    found = []
    for item in body:
        found += stretches(item["loop"]["body"]) if "loop" in item else [item["stretch"]]
    return sorted(found, key=lambda s: -sum(len(q["entries"]) for q in s["queues"]))


def entries(queues: dict) -> list[tuple[int, dict]]:
    stretch = stretches(queues["functions"][0]["body"])[0]
    return [(q, entry) for q, queue in enumerate(stretch["queues"]) for entry in queue["entries"]]


def is_wait(entry: dict, counter: str) -> bool:
    return "fetch" not in entry and any(counter in wait for wait in entry.get("waits_for", []))


def drop_wait(queues: dict) -> None:
    """A part no longer waits for what it depends on."""
    del next(e for _, e in entries(queues) if is_wait(e, "op"))["waits_for"]


def drop_fetch_wait(queues: dict) -> None:
    """No part waits for its fetch."""
    for _, entry in entries(queues):
        if is_wait(entry, "queue"):
            entry["waits_for"] = [wait for wait in entry["waits_for"] if "queue" not in wait]


def drop_room_waits(queues: dict) -> None:
    """Fetches write where something lies."""
    for _, entry in entries(queues):
        if "fetch" in entry:
            entry.pop("waits_for", None)


def never_end(queues: dict) -> None:
    """The first entry of a queue waits for the last one of the same queue."""
    all_entries = entries(queues)
    count = sum(q == 0 for q, _ in all_entries)
    all_entries[0][1]["waits_for"] = [{"queue": 0, "count": count}]


def imply(queues: dict) -> None:
    """An entry waits for the one before it in its queue."""
    all_entries = entries(queues)
    all_entries[1][1].setdefault("waits_for", []).append({"queue": 0, "count": 1})


def overlap(queues: dict) -> None:
    """All slices at one address."""
    for _, entry in entries(queues):
        if "fetch" in entry:
            entry["address"] = 0


def lose_part(queues: dict) -> None:
    """A queue ends before its last part."""
    stretches(queues["functions"][0]["body"])[0]["queues"][0]["entries"].pop()


def be_late(queues: dict) -> None:
    """The second entry is said to start one cycle earlier than it can."""
    next(e for _, e in entries(queues) if e["start_cycle"] > 0)["start_cycle"] -= 1


# Queues by hand.


def part(op: int, number: int, start_cycle: int, end_cycle: int, **more: object) -> dict:
    return {"op": op, "part": number, "start_cycle": start_cycle, "end_cycle": end_cycle, "lanes": {},
            "working_set_bytes": 0} | more


def of_b(number: int, **more: object) -> dict:
    """It needs more private memory than vpu[.] has."""
    return part(1, number, 10, 30, box={"h": [number, number + 1]}, working_set_bytes=100, address=0) \
        | {"with": [{"engine": "vpu", "index": number}]} | more


def beside(number: int) -> dict:
    return {"together_with": 1, "part": number, "start_cycle": 10, "end_cycle": 30}


def queue(engine: str, index: int, *of_queue: dict) -> dict:
    return {"engine": engine, "index": index, "entries": list(of_queue)}


def together() -> dict:
    ops = [{"name": name, "op": "llm.add", "parts": parts, "loops": {"h": parts}}
           for name, parts in (("a", 1), ("b", 2), ("c", 1), ("d", 1))]
    all_queues = [
        queue("mxu", 0, of_b(0), part(3, 0, 40, 50, waits_for=[{"op": 2, "count": 1}])),
        queue("mxu", 1, of_b(1, waits_for=[{"op": 0, "count": 1}])),
        queue("vpu", 0, part(0, 0, 0, 10), beside(0), part(2, 0, 30, 40, waits_for=[{"op": 1, "count": 2}])),
        queue("vpu", 1, beside(1))]
    stretch = {"start_cycle": 0, "end_cycle": 50, "ops": ops, "queues": all_queues}
    engines = [{"name": name, "kinds": [kind], "count": 2, "private_bytes": room}
               for name, kind, room in (("mxu", "matrix", 100), ("vpu", "vector", 10))]
    function = {"function": "f", "policy": "hand", "makespan_cycles": 50, "body": [{"stretch": stretch}]}
    return {"format": "llm-queues", "version": 1, "target": "toy", "clock_hz": 1, "engines": engines, "memories": [],
            "functions": [function]}


def report_of_together() -> dict:
    def slot(number: int, engine: str, start_cycle: int, end_cycle: int, **more: object) -> dict:
        return {"part": number, "engine": engine, "start_cycle": start_cycle, "end_cycle": end_cycle} | more

    slots = {"a": [slot(0, "vpu[0]", 0, 10)],
             "b": [slot(number, f"mxu[{number}]", 10, 30, **{"with": [f"vpu[{number}]"]}) for number in range(2)],
             "c": [slot(0, "vpu[0]", 30, 40)],
             "d": [slot(0, "mxu[0]", 40, 50)]}
    ops = [{"name": name, "depends_on": list(before), "slots": slots[name]}
           for name, before in (("a", ""), ("b", "a"), ("c", "b"), ("d", "c"))]
    return {"function": "f", "makespan_cycles": 50, "ops": ops}


def queues_of(queues: dict) -> list[list[dict]]:
    """Of mxu[0], mxu[1], vpu[0] and vpu[1]."""
    return [each["entries"] for each in stretches(queues["functions"][0]["body"])[0]["queues"]]


def lose_beside(queues: dict) -> None:
    """The queue of an engine that a part holds beside its own does not know."""
    del queues_of(queues)[2][1]


def hold_nothing_beside(queues: dict) -> None:
    """A part runs on its own engine alone, which the report does not say."""
    del queues_of(queues)[2][1], queues_of(queues)[0][0]["with"]


def hold_another(queues: dict) -> None:
    """A part says that it holds another engine than the one in whose queue it is."""
    queues_of(queues)[0][0]["with"][0]["index"] = 1


def exchange_beside(queues: dict) -> None:
    """Each of two parts holds the engine of the other one."""
    first, second, of_first, of_second = queues_of(queues)
    first[0]["with"], second[0]["with"] = second[0]["with"], first[0]["with"]
    of_first[1], of_second[0] = of_second[0], of_first[1]


def hold_longer(queues: dict) -> None:
    """An engine is held for longer than the part takes."""
    queues_of(queues)[3][0]["end_cycle"] += 1


def hold_for_nothing(queues: dict) -> None:
    """An entry together with a part that there is not."""
    queues_of(queues)[3][0]["part"] = 2


def imply_beside(queues: dict) -> None:
    """A part waits for what is over where the queue of an engine beside its own comes to it."""
    queues_of(queues)[0][0]["waits_for"] = [{"op": 0, "count": 1}]


def drop_wait_for_other(queues: dict) -> None:
    """Behind one part in its queue, an op does not wait for the other one."""
    del queues_of(queues)[2][2]["waits_for"]


def never_meet(queues: dict) -> None:
    """Two parts hold the same two engines, and each of them comes first in the queue of one."""
    first, second, of_first, of_second = queues_of(queues)
    first.insert(1, second.pop())
    of_first.insert(1, of_second.pop())
    first[1]["with"][0]["index"] = 0


def check_blocked(queues: dict) -> None:
    """Nothing but a replay says it where cycles and reports agree."""
    stretch = Stretch(stretches(queues["functions"][0]["body"])[0], {})
    try:
        stretch.replay({id(entry): entry.length for entry in stretch.leading})
    except SystemExit as error:
        assert "blocked" in str(error)
        return
    raise AssertionError("engines that never meet are not found")


def run(queues: dict, report: str) -> subprocess.CompletedProcess:
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(queues, file)
        file.flush()
        return subprocess.run([sys.executable, "-B", CHECK, file.name, report], capture_output=True, text=True,
                              check=False)


def check(good: dict, report: str, faults: tuple) -> None:
    done = run(good, report)
    assert done.returncode == 0, done.stderr
    for breaks in faults:
        bad = copy.deepcopy(good)
        breaks(bad)
        assert bad != good, breaks.__doc__
        assert run(bad, report).returncode != 0, f"not found: {breaks.__doc__}"


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        good = json.load(file)
    check(good, sys.argv[2], (drop_wait, drop_fetch_wait, drop_room_waits, never_end, imply, overlap, lose_part,
                              be_late))
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(report_of_together(), file)
        file.flush()
        check(together(), file.name, (lose_beside, hold_nothing_beside, hold_another, exchange_beside, hold_longer,
                                      hold_for_nothing, imply_beside, drop_wait_for_other))
    bad = together()
    never_meet(bad)
    check_blocked(bad)


if __name__ == "__main__":
    main()
