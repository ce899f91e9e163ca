"""Each measured op of a trace has the counters that the system has, or llm-run has said which it refuses.
Usage: check_counters.py OUTPUT.txt TRACE.json"""
import json
import sys

with open(sys.argv[1]) as file:
    output = file.read()
with open(sys.argv[2]) as file:
    events = json.load(file)["traceEvents"]
measured = [event for event in events if event.get("ph") == "X" and event["cat"] == "measured"]
assert measured, "no op was measured"
refused = [name for name in ("cpu_time_ns", "page_faults", "cycles", "instructions", "cache_misses")
           if f"{name} (" in output]
assert bool(refused) == ("warning: the system does not count" in output), output
for event in measured:
    for name in ("cpu_time_ns", "page_faults", "cycles", "instructions", "cache_misses"):
        assert (name in event["args"]) == (name not in refused), (name, event)
print(len(measured), "ops,", len(refused), "counters refused")
