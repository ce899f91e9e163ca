"""check_queues.py finds each of these faults in good queues.

    check_queues_selftest.py QUEUES REPORT
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

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


def run(queues: dict, report: str) -> subprocess.CompletedProcess:
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(queues, file)
        file.flush()
        return subprocess.run([sys.executable, "-B", CHECK, file.name, report], capture_output=True, text=True,
                              check=False)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        good = json.load(file)
    assert run(good, sys.argv[2]).returncode == 0
    for breaks in (drop_wait, drop_fetch_wait, drop_room_waits, never_end, imply, overlap, lose_part, be_late):
        bad = copy.deepcopy(good)
        breaks(bad)
        assert bad != good, breaks.__doc__
        assert run(bad, sys.argv[2]).returncode != 0, f"not found: {breaks.__doc__}"


if __name__ == "__main__":
    main()
