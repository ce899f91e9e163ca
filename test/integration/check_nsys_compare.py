#!/usr/bin/env python3
"""What `llm-prof compare` says of exports of Nsight Systems whose every kernel is known (nsys_files.py).

    check_nsys_compare.py BLOCK MODEL BLOCK_REPORT MODEL_REPORT FOLDER     as check_compare.py

Kernels under NVTX ranges of modules; a CUDA graph whose nodes were recorded under them and whose kernels have names that say
nothing; graphs that were recorded as a whole; ranges without a device.
"""
import random
import sys
from pathlib import Path

from compared_rows import check_rows, check_sums, compare, predictions, require
from nsys_files import NsysFile, global_tid
from trace_makers import LAYER, kernel_of

block, model, block_report, model_report = sys.argv[1:5]
folder = Path(sys.argv[5])
LAYERS = 16
THREAD = (100, 1)


class Run:
    """One behind the other: calls of one thread in ranges, kernels of one stream, each with a length of its own."""

    def __init__(self, file, seed):
        self.file, self.random = file, random.Random(seed)
        self.host_ns, self.device_ns, self.correlation = 1_000, 5_000_000, 0
        self.lengths = {}  # (pass, key) -> [ns, ..]

    def kernel(self, number, key, name, correlation, **more):
        length = self.random.randrange(1_000, 200_000)
        self.file.kernel(THREAD[0], self.device_ns, self.device_ns + length, correlation, name, **more)
        self.device_ns += length + 500
        self.lengths.setdefault((number, key), []).append(length)

    def call(self, name="cudaLaunchKernel"):
        self.correlation += 1
        self.file.call(THREAD, self.host_ns, self.host_ns + 1_000, self.correlation, name)
        self.host_ns += 2_000
        return self.correlation

    def ranges(self, names, start):
        """That began one behind the other at `start`, and end now."""
        for depth, name in enumerate(names):
            self.file.range(THREAD, start + depth, self.host_ns + len(names) - depth, name, registered=depth % 2 == 0)
        self.host_ns += 1_000

    def ns(self, key, passes):
        return [sum(self.lengths.get((number, key), [])) for number in passes]

    def total_ns(self):
        return sum(map(sum, self.lengths.values()))


def path_of(name):
    path = folder / f"{name}.sqlite"
    path.unlink(missing_ok=True)
    return path


def kernels_of(op):
    return [kernel_of(op)] * (2 if op == "self_attn.attn" else 1)


def expected(run, prefix, passes, attention):
    return {frozenset([f"{prefix}.{op}"]): (run.ns(op, passes), [attention if op == "self_attn.attn" else "name"]) for op in LAYER}


def under_ranges():
    """Each layer of the model is a run of the block."""
    path = path_of("ranges")
    with NsysFile(path) as file:
        run = Run(file, 1)
        for number in range(6):
            for op in LAYER:
                start = run.host_ns
                run.host_ns += 10
                for name in kernels_of(op):
                    run.kernel(number, op, name, run.call())
                run.ranges(["step", f"model.layers.{number % 2}", f"model.layers.{number % 2}.{op}"], start)
        correlation = run.call("cudaMemcpyAsync")
        file.work("MEMCPY", THREAD[0], run.device_ns, run.device_ns + 777, correlation, bytes=4096, copyKind=2)
    found = compare(block, path)
    check_sums("ranges", found, run.total_ns() + 777)
    check_rows("ranges", found, expected(run, "model.layers.0", range(6), "rule"), predictions(block_report))
    require([(row["name"], row["measured_ns_of_passes"]) for row in found["only_measured"]] == [("Memcpy DtoH", [0] * 5 + [777])],
            found["only_measured"])


def replayed_graph(older=False):
    """Recorded once, cloned when it is made ready, run three times. The kernels' names say nothing; where their nodes were
    recorded does. Two layers of a model that has more: their own rows' other layers stay without work."""
    path = path_of("graph")
    with NsysFile(path, older={"CUDA_GRAPH_NODE_EVENTS": "CUDA_GRAPH_EVENTS"} if older else {}) as file:
        run = Run(file, 2)
        nodes = []  # (node, op)
        created = file.string("Graph Node Creation")

        def node_event(node, original):
            file.insert("CUDA_GRAPH_NODE_EVENTS", start=run.host_ns + 100, end=run.host_ns + 100, eventClass=97,
                        globalTid=global_tid(THREAD), nameId=created, graphNodeId=node, originalGraphNodeId=original)

        for layer in range(LAYERS):
            for op in LAYER:
                start = run.host_ns
                run.host_ns += 10
                for _ in kernels_of(op):
                    nodes.append((5000 + len(nodes), op))
                    node_event(nodes[-1][0], None)
                    run.call()
                run.ranges([f"model.layers.{layer}", f"model.layers.{layer}.{op}"], start)
        for node, _ in nodes:
            node_event(node + 100_000, node)
        run.call("cudaGraphInstantiate")
        for number in range(3):
            start = run.host_ns
            correlation = run.call("cudaGraphLaunch")
            for node, op in nodes:
                run.kernel(number, op, "fused_0", correlation, graphNodeId=node + 100_000)
            run.ranges(["replay"], start)
    found = compare(model, path)
    check_sums("graph", found, run.total_ns())
    # The name of the module is the only evidence: "self_attn.attn" has one, too.
    check_rows("graph", found, expected(run, "model.layers.{}", range(3), "rule"), predictions(model_report))
    require({row["name"] for row in found["only_predicted"]} == {"model.embed_tokens", "model.norm", "lm_head", "sample"},
            found["only_predicted"])
    only = compare(model, path, "--range=replay")
    require([pass_["work_ns"] for pass_ in only["passes"]] == [pass_["work_ns"] for pass_ in found["passes"]], only["passes"])


def whole_graphs():
    """Nobody knows what was in them: said, and listed."""
    path = path_of("whole")
    with NsysFile(path) as file:
        run = Run(file, 3)
        for number in range(2):
            correlation = run.call("cudaGraphLaunch")
            file.work("GRAPH_TRACE", THREAD[0], run.device_ns, run.device_ns + 900, correlation, graphId=3, graphExecId=4)
            run.device_ns += 1_000
    found = compare(model, path)
    check_sums("whole", found, 1800)
    require(not found["ops"] and [row["name"] for row in found["only_measured"]] == ["CUDA graph 3"], found["only_measured"])
    require(any("--cuda-graph-trace=node" in note for note in found["notes"]), found["notes"])


def ranges_alone():
    """Without a device what is measured is the ranges; of those around others what is left of them."""
    path = path_of("alone")
    total, lengths = 0, {}
    with NsysFile(path) as file:
        run = Run(file, 4)
        for layer in range(2):
            begin = run.host_ns
            run.host_ns += 50
            for op in LAYER:
                length = run.random.randrange(1_000, 200_000)
                file.range(THREAD, run.host_ns, run.host_ns + length, f"model.layers.{layer}.{op}")
                run.host_ns += length + 7
                lengths.setdefault(op, []).append(length)
            file.range(THREAD, begin, run.host_ns, f"model.layers.{layer}")
            total += run.host_ns - begin
    found = compare(block, path)
    check_sums("alone", found, total)
    # The op of a range by its name: no kernels are there for a rule.
    check_rows("alone", found, {frozenset([f"model.layers.0.{op}"]): (lengths[op], None) for op in LAYER},
               predictions(block_report))
    require([(row["name"], row["why"]) for row in found["only_measured"]] ==
            [(f"model.layers.{layer}", "around other work") for layer in range(2)], found["only_measured"])
    require([row["measured_ns_of_passes"] for row in found["only_measured"]] ==
            [[50 + 7 * len(LAYER), 0], [0, 50 + 7 * len(LAYER)]], found["only_measured"])


under_ranges()
replayed_graph()
replayed_graph(older=True)
whole_graphs()
ranges_alone()
print("nsys exports beside predictions: every nanosecond is where it belongs")
