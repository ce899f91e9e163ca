#!/usr/bin/env python3
"""Checks what was made of a trace of PyTorch's profiler against the trace itself.

    check_kineto.py TRACE.json[.gz] EXPORT.json

Reads both with nothing but the facts of the two formats: every event must be there with its name, its times to the
nanosecond, its kind and its args, those numbers left out that differ from event to event; and one arrow from each call to
the kernel, copy or fill with its correlation, or from the op with its external id where no call has it.
"""
import gzip
import json
import sys
from collections import Counter
from decimal import Decimal

import json_trace
from json_trace import TraceError, require

KINDS = {"cpu_op": "op", "user_annotation": "range", "gpu_user_annotation": "range", "python_function": "function",
         "cuda_runtime": "call", "cuda_driver": "call", "kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "fill"}
NUMBERS = {"correlation", "External id", "external id", "Ev Idx", "Record function id", "Sequence number", "Python id",
           "Python parent id", "Python module id"}


def load(path):
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
        return json.load(file, parse_float=Decimal)


def plain(value):
    """As our traces have it: what is no whole number, no flag and no text is a text."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, Decimal):
        return "null" if value is None else repr(float(value))
    return value


def nanoseconds(number):
    scaled = Decimal(number) * 1000
    require(scaled == int(scaled), f"{number} is finer than a nanosecond")
    return int(scaled)


def kind_of(event):
    if event["cat"] == "python_function" and event["name"].startswith("nn.Module: "):
        return "range"
    return KINDS.get(event["cat"], "other")


class Source:
    def __init__(self, root):
        self.events = [event for event in root["traceEvents"] if event["ph"] == "X"]
        require(self.events, "a trace without events")
        self.first = min(nanoseconds(event["ts"]) for event in self.events)

    def describe(self, event):
        start = nanoseconds(event["ts"]) - self.first
        args = {key: plain(value) for key, value in event.get("args", {}).items() if key not in NUMBERS}
        return (event["name"], kind_of(event), start, start + nanoseconds(event["dur"]), json.dumps(args))

    def launches(self):
        calls = {event["args"]["correlation"]: event for event in self.events if kind_of(event) == "call"}
        ops = {event["args"]["External id"]: event for event in self.events if kind_of(event) == "op"}
        for event in self.events:
            if kind_of(event) not in ("kernel", "copy", "fill"):
                continue
            args = event["args"]
            launcher = calls.get(args.get("correlation")) or ops.get(args.get("External id"))
            if launcher:
                yield self.describe(launcher), self.describe(event)


def check(source_path, export_path):
    source = Source(load(source_path))
    export = json_trace.Trace(load(export_path))

    def describe(each):
        return (each.name, each.category, each.start, each.end, json.dumps(each.args))

    wanted = Counter(source.describe(event) for event in source.events)
    found = Counter(describe(each) for each in export.slices)
    require(wanted == found, f"missing: {list((wanted - found).elements())[:3]}, too many: {list((found - wanted).elements())[:3]}")
    wanted = Counter(source.launches())
    found = Counter((describe(export.slices[start]), describe(export.slices[end])) for start, end in export.arrows)
    require(wanted == found, f"arrows missing: {list((wanted - found).elements())[:3]}, too many: {list((found - wanted).elements())[:3]}")
    return f"ok: {len(export.slices)} slices, {len(export.arrows)} launches"


if __name__ == "__main__":
    try:
        print(check(*sys.argv[1:]))
    except TraceError as error:
        sys.exit(f"{sys.argv[2]}: {error}")
