"""Two stages on each of two chips hold and work as much as one stage each: check_rounds.py ONE.json TWO.json TWO.mlir

The weights of all chips are those of the model, and its table, which the first and the last stage read, is there twice.
"""
import json
import re
import sys

one, two = (json.load(open(path, encoding="utf-8"))["functions"] for path in sys.argv[1:3])
weights = lambda stage: stage["capacity"]["weight_bytes"]
caches = lambda stage: stage["capacity"]["cache_bytes"]
assert len(one) == 2 and len(two) == 4
for place in range(2):
    assert weights(two[place]) == weights(two[place + 2]) and caches(two[place]) == caches(two[place + 2])
    busy = {stage["pipeline"]["stage_busy_percent"] for stage in two[place::2]}
    assert len(busy) == 1, busy
assert sum(map(weights, one)) == sum(map(weights, two[:2])), (list(map(weights, one)), list(map(weights, two)))
assert sum(map(caches, one)) == sum(map(caches, two[:2]))
# A chip works for all microbatches in both of its stages.
slots = re.findall(r"<@\w+stage(\d), microbatch = \d+, start_cycle = (\d+), end_cycle = (\d+)>", open(sys.argv[3], encoding="utf-8").read())
clock = 1e6 * sum(int(end) - int(start) for stage, start, end in slots if stage == "1") / 3 / two[1]["makespan_us"]
for place in range(2):
    work = sum(int(end) - int(start) for stage, start, end in slots if int(stage) % 2 == place)
    share = 100 * work / clock * 1e6 / two[place]["pipeline"]["period_us"]
    assert abs(share - two[place]["pipeline"]["stage_busy_percent"]) < 1e-6, (share, two[place]["pipeline"])
print("chips hold and work as much as with one stage each")
