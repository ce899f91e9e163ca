"""A scheduled program on a target that has as much private memory as it holds at most, and not a byte more.

    shrink_memory.py PROGRAM QUEUES CAPACITY

QUEUES is what --llm-export-queues wrote of it, CAPACITY the bytes of private memory that it was scheduled for.
"""
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

STAMP = re.compile(r'stamp = "[0-9a-f]+"')


def stretches(body):
    for item in body:
        yield from [item["stretch"]] if "stretch" in item else stretches(item["loop"]["body"])


def most_held(stretch) -> int:
    entries = [(queue, entry) for queue in stretch["queues"] for entry in queue["entries"]]
    end_of = {(entry["op"], entry["part"]): entry["end_cycle"] for _, entry in entries if "fetch" not in entry}
    changes = defaultdict(list)  # of an engine: when, by how many bytes
    for queue, entry in entries:
        place = entry.get("into") or queue
        held = entry["slice_bytes" if "fetch" in entry else "working_set_bytes"]
        end = end_of[entry["op"], entry["part"]]
        if entry["start_cycle"] < end:
            changes[place["engine"], place["index"]] += [(entry["start_cycle"], held), (end, -held)]
    most = 0
    for own in changes.values():
        held = 0
        for _, change in sorted(own):  # at one time, what is given back first
            held += change
            most = max(most, held)
    return most


def main() -> None:
    program, queues, capacity = sys.argv[1:]
    document = json.loads(Path(queues).read_text(encoding="utf-8"))
    most = max(most_held(stretch) for function in document["functions"] for stretch in stretches(function["body"]))
    text = Path(program).read_text(encoding="utf-8").replace(f'capacity_bytes" = {capacity} ',
                                                             f'capacity_bytes" = {most} ')
    # Costs are the same, but their stamps know the target.
    costed = subprocess.run(["llm-opt", "-", "--llm-cost"], input=text, capture_output=True, text=True, check=True)
    stamps = iter(STAMP.findall(costed.stdout))
    sys.stdout.write(STAMP.sub(lambda _: next(stamps), text))


if __name__ == "__main__":
    main()
