"""What a page of --llm-export-html holds is the JSON report, as an independent reader of HTML finds it.

    check_page.py PAGE REPORT [BASELINE]

With a baseline of the same ops, each op is matched with itself, with the time of all its runs: each from the first start
of its slots to their last end.
"""
import json
import sys
from html.parser import HTMLParser


class Reader(HTMLParser):
    """The text of the element `reports`, and everything that would be loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.is_inside = False
        self.text = ""
        self.loads = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.is_inside = found.get("id") == "reports"
        self.loads += [found[key] for key in ("src", "href") if key in found and not found[key].startswith("data:")]

    def handle_endtag(self, tag):
        self.is_inside = False

    def handle_data(self, data):
        if self.is_inside:
            self.text += data


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def elapsed_us(report, op):
    start = min(slot["start_cycle"] for slot in op["slots"])
    end = max(slot["end_cycle"] for slot in op["slots"])
    return (end - start) * op["count"] * 1e6 / report["clock_hz"]


reader = Reader()
with open(sys.argv[1], encoding="utf-8") as page:
    reader.feed(page.read())
expected = {"report": read(sys.argv[2])}
if len(sys.argv) > 3:
    expected["baseline"] = read(sys.argv[3])
    report, baseline = expected["report"], expected["baseline"]
    others = [op["name"] for op in baseline["ops"]]
    matches = []
    for at, op in enumerate(report["ops"]):
        there = others.index(op["name"])
        matches.append([[at], [there], elapsed_us(report, op), elapsed_us(baseline, baseline["ops"][there])])
    # Modules are held against a derivation in check_run_comparison.py.
    page = json.loads(reader.text)
    modules = page["matches"][0]["modules"]
    assert all(len(times) == 3 for times in modules), "every op has one of the same name"
    expected["matches"] = [{"baseline": 0, "ops": matches, "modules": modules}]
assert json.loads(reader.text) == expected, "the page holds another report"
assert "<" not in reader.text
assert not reader.loads, f"the page loads {reader.loads}"
print("ok: the page holds the report")
