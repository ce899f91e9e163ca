#!/usr/bin/env python3
"""Checks a trace of llm-opt against the JSON report of the same run.

    check_trace.py TRACE REPORT [--function NAME] [--time ns|cycles] [--detail tile|op|layer]

It knows the trace only as Perfetto reads it (json_trace.py): numbers, the order of events, slices
that nest on a (pid, tid), arrows that bind to the slice on top where their ends lie. From the report it
derives what must be there: each op once per slot and iteration, and so on each engine that the slot
holds beside its own, each dependence as one arrow, layers from their first slot to their last, idle
cycles by cause. It shares nothing with the exporter. Exit status 1 and a message where they differ.
"""
import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

from json_trace import Trace, TraceError, is_integer, require
from trace_plan import Plan, cost_of, join


# Slices of engines at work: on their own, for a fetch, or beside the engine that an op runs on.
BUSY = ("op", "prefetch", "together")
# What a click on a slice says of all runs of its op, as the report does.
SHOWN_OF_OPS = ("count", "time_us", "total_time_us", "share_percent", "tflop_per_second", "gb_per_second",
                "percent_of_limit", "bound")
# What a time rests on, where that is known.
ORIGIN_OF_TIMES = ("time_from", "time_per_formula", "time_p10_us", "time_p90_us")


def almost_equal(found, wanted):
    """Real numbers may be sums in another order."""
    return found.keys() == wanted.keys() and all(
        found[key] == value or not isinstance(value, str) and math.isclose(found[key], value, rel_tol=1e-9)
        for key, value in wanted.items())


class Checker:
    def __init__(self, trace, report, time, detail):
        self.trace, self.report, self.time, self.detail = trace, report, time, detail
        self.plan = Plan(report, detail)
        self.found = defaultdict(list)  # (track name, name) -> slices
        self.others = defaultdict(list)  # category -> slices
        for each in trace.slices:
            if each.category in ("op", "prefetch"):
                self.found[self.engine_of(each), each.name].append(each)
            else:
                self.others[each.category].append(each)

    def engine_of(self, each):
        """What overlaps another slice of an engine is on a track of its own."""
        return self.trace.track_name(each.track).split(" overlap ")[0]

    def has_overlaps(self):
        return any(" overlap " in self.trace.track_name(each.track) for each in self.trace.slices)

    def is_at(self, cycle, ns):
        """Whether a time is the cycle's, rounded to a neighbouring nanosecond."""
        exact = Fraction(cycle)
        if self.time == "ns":
            exact = Fraction(cycle * 10**9, self.report["clock_hz"])
        return abs(exact - ns) <= (Fraction(1, 2) if self.time == "ns" else 0)

    def match(self, expected):
        """The slice for an expectation; it is used up."""
        candidates = self.found[expected.track, expected.name]
        for each in candidates:
            if (self.is_at(expected.start_cycle, each.start)
                    and self.is_at(expected.end_cycle, each.end)):
                candidates.remove(each)
                return each
        seen = [(each.start, each.end) for each in candidates]
        raise TraceError(f"no slice '{expected.name}' on {expected.track} for cycles "
                         f"{expected.start_cycle} to {expected.end_cycle}"
                         + (f"; it is at {seen} ns" if seen else ""))

    def check(self):
        self.check_tracks()
        if self.detail == "layer":
            require(not self.found and not self.others["together"] and not self.trace.arrows,
                    "more than layers")
        else:
            self.check_arrows(self.check_slices())
            self.check_together()
        self.check_counters()
        unknown = set(self.others) - {"parts", "together", "idle", "layer", "module", "critical path"}
        require(not unknown, f"slices of unknown kinds: {sorted(map(str, unknown))}")
        if self.detail == "tile":
            self.check_parts()
        else:
            require(not self.others["parts"], "parts without slots in them")
        self.check_layers()
        self.check_modules()
        if not self.has_overlaps():
            self.trace.check_nesting()
        if self.detail == "layer":
            require(not self.others["idle"], "gaps without engines")
        else:
            self.check_idle()
        self.check_path()

    def check_tracks(self):
        """The machine, then layers, then each group of engines with its tracks."""
        engines = self.report["engines"] if self.detail != "layer" else []
        pids = self.trace.processes()
        names = [self.trace.metadata["process_name", pid][0] for pid in pids]
        # A schedule that holds may still not fit into memory, which is said elsewhere.
        broken = [problem for problem in self.report.get("problems", []) if "does not fit" not in problem]
        machine = self.report["target"] + (": DOES NOT HOLD" if broken else "")
        wanted = [machine, "layers", *(engine["name"] for engine in engines)]
        require(names == wanted, f"the processes are {names}, not {wanted}")
        own = self.trace.tracks_of(pids[0])
        require(own in ([], ["critical path"]), f"the machine has the tracks {own}")
        lanes = self.trace.tracks_of(pids[1])
        require(lanes == [f"layers[{lane}]" for lane in range(len(lanes))],
                f"the lanes of layers are {lanes}")
        for engine, pid in zip(engines, pids[2:]):
            wanted = [f"{engine['name']}[{index}]" for index in range(engine["count"])]
            found = self.trace.tracks_of(pid)
            own = found[:len(wanted)]
            require(Counter(own) == Counter(wanted),
                    f"the tracks are {sorted(found)}, the engines {sorted(wanted)}")
            require(own == wanted, "the tracks are not in the engines' order")
            self.check_overlaps(found[len(wanted):], wanted)

    def check_overlaps(self, tracks, engines):
        """There are more tracks where slices overlap, and what is on those overlaps."""
        numbers = Counter()
        for track in tracks:
            engine = track.split(" overlap ")[0]
            numbers[engine] += 1
            require(engine in engines and track == f"{engine} overlap {numbers[engine]}",
                    f"'{track}' is no track of an engine")
            slices = [each for each in self.trace.slices if self.engine_of(each) == engine]
            for each in slices:
                require(self.trace.track_name(each.track) != track or any(
                    other.track != each.track and other.start <= each.start < other.end < each.end
                    for other in slices), f"'{each.name}' on '{track}' overlaps nothing")

    def check_slices(self):
        """Each expectation has its slice, and none is left over."""
        numbers = {}  # (expected, op, run, place) -> slice
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                costs = []
                for place, expected in enumerate(self.plan.slices(op, run)):
                    found = self.match(expected)
                    self.check_args(op, run, expected, found, place == 0)
                    costs.append(found.args["cost"])
                    numbers[op["name"], run, place] = found.number
                self.check_sum(op, costs)
        self.fetches = Counter()
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                for fetch, consumer in self.plan.prefetches(op, run):
                    found = self.match(fetch)
                    require(found.args.get("bytes") == dict(fetch.fetched),
                            f"args of '{fetch.name}': bytes are not {dict(fetch.fetched)}")
                    source = found.number
                    if consumer:
                        place = self.plan.slices(op, run).index(consumer)
                        self.fetches[source, numbers[op["name"], run, place]] += 1
        extra = [each.name for rest in self.found.values() for each in rest]
        require(not extra, f"slices that the report does not know: {sorted(extra)}")
        return numbers

    def check_args(self, op, run, expected, found, is_first):
        """`is_first`: of the slices of a run; by ops it alone has what is of the whole run."""
        where = f"args of '{found.name}'"
        args = found.args
        require(args.get("op") == op["op"], f"{where}: op is {args.get('op')}")
        for key in ("start_cycle", "end_cycle", "lanes"):
            require(args.get(key) == getattr(expected, key),
                    f"{where}: {key} is {args.get(key)}, not {getattr(expected, key)}")
        cost, bounds = cost_of(op, expected.records)
        bound = args.get("cost", {}).get("bound")
        require(bound in bounds, f"{where}: the bound is {bound}, not one of {bounds}")
        require(args["cost"] == {**cost, "bound": bound}, f"{where}: cost is not {cost}")
        require(args.get("fetched_bytes", {}) == dict(expected.fetched),
                f"{where}: fetched_bytes are not {dict(expected.fetched)}")
        if self.detail == "op":
            require(args.get("parts") == expected.parts, f"{where}: {args.get('parts')} parts")
            if not is_first:
                require(not {"in", "out", "tile", "depends_on"} & set(args), f"{where}: twice the same")
                return
        names = [self.plan.name(*each) for each in self.plan.producers(op, run)]
        require(sorted(args.get("depends_on", [])) == sorted(names),
                f"{where}: depends_on is {args.get('depends_on')}, not {names}")
        for key in ("in", "out"):
            require(isinstance(args.get(key), list), f"{where}: no shapes '{key}'")
        require("strategy" in args.get("tile", {}), f"{where}: no tile with a strategy")
        has_figures = "time_us" in op and args.get("part", 0) == 0
        figures = {key: op[key] for key in SHOWN_OF_OPS + ORIGIN_OF_TIMES if has_figures and key in op}
        require(almost_equal(args.get("all_runs", {}), figures), f"{where}: all_runs is not {figures}")

    def check_sum(self, op, costs):
        """Over the slices of a run, costs are those of the op."""
        for key in ("compute_cycles", "memory_cycles", "overhead_cycles", "serial_cycles"):
            require(sum(cost[key] for cost in costs) == op[key],
                    f"'{op['name']}': {key} of slices do not add up")
        moved = Counter()
        for cost in costs:
            moved.update(cost["bytes"])
        require(+moved == +Counter(op["bytes"]), f"'{op['name']}': bytes of slices do not add up")

    def check_arrows(self, numbers):
        """From the part of each producer that ends last to each slice of the consumer."""
        wanted = Counter(self.fetches)
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                for producer, producer_run in self.plan.producers(op, run):
                    parts = self.plan.slices(producer, producer_run)
                    last = max(range(len(parts)), key=lambda part: parts[part].end_cycle)
                    source = numbers[producer["name"], producer_run, last]
                    for place in range(len(self.plan.slices(op, run))):
                        wanted[source, numbers[op["name"], run, place]] += 1
        found = Counter(self.trace.arrows)
        for (source, to), count in ((wanted - found) + (found - wanted)).items():
            name = [self.trace.slices[number].name for number in (source, to)]
            raise TraceError(f"{found[source, to]} arrows from '{name[0]}' to '{name[1]}', "
                             f"expected {wanted[source, to]}")

    def check_counters(self):
        engines = {engine["name"]: engine["count"] for engine in self.report["engines"]}
        require(self.trace.counters or not self.trace.slices, "no counters")
        for (name, _), samples in self.trace.counters.items():
            require(all(value >= 0 for _, value in samples), f"counter '{name}' is below 0")
            if name.startswith("KV cache"):
                self.check_cache(samples)
                continue
            floor = samples[-1][1] if name.startswith("power") else 0  # idle watts
            require(samples[-1][1] == floor, f"counter '{name}' does not end at 0")
            require(min(value for _, value in samples) >= floor, f"counter '{name}' is below its end")
            if name.startswith("engines busy "):
                group = name.removeprefix("engines busy ")
                require(self.has_overlaps() or max(value for _, value in samples) <= engines.get(group, math.inf),
                        f"more than all '{group}' are busy")
        for memory in self.report.get("memories", []):
            if "lanes" in memory:
                self.check_bytes(memory)
        if self.detail != "layer":
            self.check_busy_time()

    def check_cache(self, samples):
        values = [value for _, value in samples]
        require(values == sorted(values), "the cache loses bytes")
        wanted = self.report.get("totals", {}).get("kv_write_bytes")
        written = values[-1] - values[0]
        require(written == wanted, f"{written} bytes are written to caches, not {wanted}")

    def check_bytes(self, memory):
        """The area under a memory's bandwidth is the bytes of all slots and fetches, as far as the
        memory can move them in their time, up to the rounding of samples and of times."""
        samples = self.trace.counters[f"{memory['name']} bandwidth", "GB/s"]
        rate = memory.get("sustained_bytes_per_second", memory["bytes_per_second"])
        require(Fraction(max(value for _, value in samples)) <= Fraction(rate, 10**9),
                f"more than the bandwidth of '{memory['name']}'")
        seconds = Fraction(1, self.report["clock_hz"])
        wanted = error = 0
        for op in self.plan.ops.values():
            for slot in op["slots"]:
                number = self.plan.record(op, slot["part"])
                traffic = op["parts"][number]["traffic_bytes"].get(memory["name"], {})
                fetches = slot.get("prefetches", [])
                own = sum(traffic.values())
                moves = [(fetch, traffic.get(fetch["buffer"], 0)) for fetch in fetches]
                for span, moved in [(slot, own - sum(bytes for _, bytes in moves)), *moves]:
                    length = (span["end_cycle"] - span["start_cycle"]) * seconds
                    moved = min(moved, rate * length)
                    wanted += op["count"] * moved
                    error += op["count"] * length  # of a rate that is rounded to a byte per second
                    if self.time == "ns" and length > 0:  # both ends are off by half a nanosecond
                        error += op["count"] * min(moved, moved / length / 10**9)
        area = sum((after[0] - before[0]) * Fraction(before[1])
                   for before, after in zip(samples, samples[1:]))  # GB/s in ns: bytes
        if self.time == "cycles":
            area *= 10**9 * seconds
        require(abs(area - wanted) <= error + 1,
                f"{float(area)} bytes pass '{memory['name']}', not {float(wanted)}")

    def group_of(self, each):
        return self.trace.metadata["process_name", each.track[0]][0]

    def check_busy_time(self):
        """The area under 'engines busy' is the time of all slices of the group, those of engines
        that are held beside another one included."""
        area, length = Counter(), Counter()
        for (name, _), samples in self.trace.counters.items():
            if name.startswith("engines busy "):
                area[name.removeprefix("engines busy ")] += sum(
                    (after[0] - before[0]) * before[1] for before, after in zip(samples, samples[1:]))
        for each in self.trace.slices:
            if each.category in BUSY:
                length[self.group_of(each)] += each.end - each.start
        for group in area.keys() | length.keys():
            require(area[group] == length[group], f"engines are busy for {area[group]} ns, slices "
                                                  f"of '{group}' last {length[group]} ns")

    def take(self, category, wanted):
        """Each of (track, name, start, end, args) has its slice of the category, and none is
        left over; args: those that must be there. A track of None may be any."""
        found = defaultdict(list)
        for each in self.others[category]:
            cycles = [each.args.get(key) for key in ("start_cycle", "end_cycle")]
            require(all(map(is_integer, cycles)), f"{category} '{each.name}' without cycles")
            require(self.is_at(cycles[0], each.start) and self.is_at(cycles[1], each.end),
                    f"{category} '{each.name}' is not where its cycles are")
            found[each.name, *cycles].append(each)
        for track, name, start, end, args in wanted:
            fits = [each for each in found[name, start, end]
                    if track in (None, self.engine_of(each))]
            require(fits, f"no {category} '{name}' on {track} for cycles {start} to {end}")
            require(args.items() <= fits[0].args.items(),
                    f"{category} '{name}': args are {fits[0].args}, not {args}")
            found[name, start, end].remove(fits[0])
        extra = [each.name for rest in found.values() for each in rest]
        require(not extra, f"{category} slices that the report does not know: {sorted(extra)}")

    def check_together(self):
        """On each engine that a part holds beside its own, as long as the part takes."""
        wanted = []
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                args = {"op": op["op"], "together_with": op["engine"]} if "with" in op else {}
                if run:
                    args["iteration"] = list(run)
                wanted += [(each.track, each.name, each.start_cycle, each.end_cycle, args)
                           for each in self.plan.together(op, run)]
        self.take("together", wanted)

    def check_parts(self):
        """Around slots of a run of an op that follow each other on an engine."""
        wanted = []
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                for each in join(self.plan.slots(op, run)):
                    if each.parts > 1:
                        wanted.append((each.track, each.name, each.start_cycle, each.end_cycle,
                                       {"parts": each.parts, "op": op["op"]}))
        self.take("parts", wanted)

    def check_layers(self):
        """From the first start to the last end of a layer's ops in one iteration; of ops in no
        layer, of those between two boundaries of loops."""
        groups, outside, previous = {}, None, None
        for op in self.plan.ops.values():
            loops = tuple(op.get("loops", []))
            if loops != previous:
                outside, previous = object(), loops
            groups.setdefault((op.get("layer") or outside, loops), []).append(op)
        wanted = []
        for (layer, _), ops in groups.items():
            for run in self.plan.runs(ops[0]):
                names = [self.plan.name(op, run) for op in ops]
                name = names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]}"
                if isinstance(layer, str):
                    name = self.plan.name({**ops[0], "name": layer}, run)
                slots = [slot for op in ops for slot in self.plan.slices(op, run)]
                wanted.append((None, name, min(slot.start_cycle for slot in slots),
                               max(slot.end_cycle for slot in slots), {"ops": len(ops)}))
        self.take("layer", wanted)

    def check_modules(self):
        """In a layer, from the first start to the last end of each module right below it, unless
        two overlap."""
        layers = defaultdict(lambda: defaultdict(list))
        for op in self.plan.ops.values():
            layer, module = op.get("layer"), op.get("module", "")
            if layer and module.startswith(layer + "."):
                name = layer + "." + module[len(layer) + 1:].split(".")[0]
                layers[layer, tuple(op.get("loops", []))][name].append(op)
        wanted = []
        for modules in layers.values():
            for run in self.plan.runs(next(iter(modules.values()))[0]):
                spans = []
                for name, ops in modules.items():
                    slots = [slot for op in ops for slot in self.plan.slices(op, run)]
                    spans.append((None, self.plan.name({**ops[0], "name": name}, run),
                                  min(slot.start_cycle for slot in slots),
                                  max(slot.end_cycle for slot in slots), {"ops": len(ops)}))
                spans.sort(key=lambda span: span[2])
                if all(before[3] <= after[2] for before, after in zip(spans, spans[1:])):
                    wanted += spans
        self.take("module", wanted)
        inside = [(each.track, each.start, each.end) for each in self.others["layer"]]
        for each in self.others["module"]:
            require(any(track == each.track and start <= each.start and each.end <= end
                        for track, start, end in inside), f"'{each.name}' lies in no layer")

    def last_starts(self):
        """Of each group, the last start of its slots and fetches that take time."""
        last = Counter()
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                fetches = [fetch for fetch, _ in self.plan.fetches(op, run)]
                for each in self.plan.slots(op, run) + self.plan.together(op, run) + fetches:
                    group = each.track.rsplit("[", 1)[0]
                    if each.start_cycle < each.end_cycle:
                        last[group] = max(last[group], each.start_cycle)
        return last

    def check_idle(self):
        """With slots and fetches they fill each engine's time; causes add up to the report's."""
        if not self.is_explained():
            require(not self.others["idle"], "gaps without an explanation")
            return
        causes, cycles = defaultdict(Counter), Counter()
        last = self.last_starts()
        for each in self.others["idle"]:
            group = self.group_of(each)
            own = each.args["idle_cycles"]
            require(sum(own.values()) == each.args["end_cycle"] - each.args["start_cycle"],
                    f"the causes of '{each.name}' are not its cycles: {own}")
            main = max(own.values())
            require(own[each.name.removeprefix("idle: ").replace(" ", "_")] == main,
                    f"'{each.name}' is not the main one of {own}")
            causes[group].update(own)
            end = each.args["end_cycle"]
            if "no_work" in own:
                require(end - own["no_work"] >= last[group], f"work behind '{each.name}' at {end}")
            if "layer_boundary" in own:
                require(end <= last[group], f"no work behind '{each.name}' at {end}")
        for engine in self.report["engines"]:
            found = dict(causes[engine["name"]])
            require(found == engine["idle_cycles"],
                    f"'{engine['name']}' is idle {found}, not {engine['idle_cycles']}")
        for each in self.trace.slices:
            if each.category in (*BUSY, "idle"):
                cycles[each.track] += each.args["end_cycle"] - each.args["start_cycle"]
        require(set(cycles.values()) <= {self.report["makespan_cycles"]},
                f"slots and gaps do not fill the makespan: {dict(cycles)}")

    def is_explained(self):
        return any("busy_cycles" in engine for engine in self.report["engines"])

    def check_path(self):
        """One step after the other, each a slot or a fetch, or several of one op; gaps only
        where nothing ended."""
        steps = sorted(self.others["critical path"], key=lambda each: each.args["start_cycle"])
        if not self.is_explained() or not steps:
            require(not steps, "a critical path without an explanation")
            return
        spans = defaultdict(set)
        for op in self.plan.ops.values():
            for run in self.plan.runs(op):
                fetches = [fetch for fetch, _ in self.plan.fetches(op, run)]
                for each in self.plan.slots(op, run) + fetches:
                    spans[each.name, "start"].add(each.start_cycle)
                    spans[each.name, "end"].add(each.end_cycle)
        before = 0
        for each in steps:
            start, end = each.args["start_cycle"], each.args["end_cycle"]
            require(start in spans[each.name, "start"] and end in spans[each.name, "end"],
                    f"step '{each.name}' is no slot of it")
            require(start >= before, f"step '{each.name}' starts before the one ahead of it ends")
            follows = each.args["follows_by"]
            require(start == before or follows in ("choice", "none", "layer_boundary"),
                    f"a gap before step '{each.name}'")
            require((follows == "none") == (each is steps[0]), f"'{each.name}' follows by {follows}")
            before = end
        require(before == self.report["makespan_cycles"], "the critical path does not end last")
        self.check_marks(steps)

    def check_marks(self, steps):
        """What the report marks with `follows_by`, in all runs, takes the time of the path."""
        marked = sum((span["end_cycle"] - span["start_cycle"]) * op["count"]
                     for op in self.report["ops"] for slot in op["slots"]
                     for span in [slot, *slot.get("prefetches", [])] if "follows_by" in span)
        path = sum(each.args["end_cycle"] - each.args["start_cycle"] for each in steps)
        require(marked == path, f"the critical path has {path} cycles, marked are {marked}")


def pick_function(report, name):
    functions = report.get("functions", [report])
    if name is not None:
        functions = [each for each in functions if each["function"] == name]
    require(len(functions) == 1, f"the report has {len(functions)} functions that fit; "
                                 "name one with --function")
    return functions[0]


def check(trace_root, report_root, function=None, time="ns", detail="tile"):
    """Raises TraceError where the trace is not what the report says; else a summary."""
    trace = Trace(trace_root)
    Checker(trace, pick_function(report_root, function), time, detail).check()
    work = [each for each in trace.slices if each.category in BUSY]
    return (f"ok: {len(work)} slices, {len(trace.arrows)} arrows, "
            f"{len(trace.counters)} counters")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("report")
    parser.add_argument("--function", help="which one, where the report has several")
    parser.add_argument("--time", choices=("ns", "cycles"), default="ns")
    parser.add_argument("--detail", choices=("tile", "op", "layer"), default="tile")
    options = parser.parse_args()
    try:
        print(check(load(options.trace), load(options.report), options.function, options.time,
                    options.detail))
    except (TraceError, OSError, ValueError, KeyError) as error:
        print(f"{options.trace}: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
