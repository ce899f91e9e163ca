#!/usr/bin/env python3
"""Checks a graph of --llm-export-dot against the JSON report of the same schedule.

    check_dot.py GRAPH.dot REPORT PROGRAM [--color time|bound|kind]

Reads the file by the grammar of the DOT language (graphviz.org/doc/info/lang.html), of which it knows what the exporter
needs, and more strictly: statements end with ';', and strings are quoted. Then: each op is a node, or inside a node that
stands for a module; what a node says is what the report says, summed up for a module; each dependence is an edge between
these nodes, and no other is; an edge names the shapes of the results that the program in generic form (PROGRAM) has the
consumer use; clusters are modules that the names have. Shares nothing with the exporter.
"""
from __future__ import annotations

import argparse
import html
import json
import re
from collections import defaultdict

from op_uses import Uses, kind_of, main_kind_of, read_uses

TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(->|[{}\[\];=,])|([A-Za-z_#0-9.]+))', re.S)


def tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        assert match, f"no token: {text[at:at + 40]!r}"
        found.append(match[0].strip())
        at = match.end()
    return found


def read_text(token: str) -> str:
    """The letters that Graphviz draws for a string: escapes, then entities. In tooltips it also replaces what looks like
    the name of a node behind a backslash that is left of two: a blank without a width has to keep them apart."""
    assert token[0] == token[-1] == '"' and len(token) > 1, f"not quoted: {token}"
    assert "<" not in token and "\n" not in token, f"not escaped: {token[:60]}"
    known = {"\\": "\\", "n": "\n"}
    once = re.sub(r"\\(.)", lambda escape: known[escape[1]], token[1:-1])
    assert not re.search(r"\\[EGHLNT]", once), f"replaced: {token[:60]}"
    return html.unescape(once).replace("\\\u200b", "\\")


class Graph:
    """Nodes with their clusters around them, and edges."""

    def __init__(self, text: str):
        self.nodes: dict[str, dict[str, str]] = {}
        self.around: dict[str, list[str]] = {}  # of a node: the modules of its clusters
        self.edges: list[tuple[str, str, dict[str, str]]] = []
        self.left = tokens(text)[::-1]
        self.expect("digraph")
        self.name = read_text(self.left.pop())
        self.root = ""  # the module that has all ops: names leave it out, and the graph's label says it
        self.read_body([])
        assert not self.left, f"behind the graph: {self.left[-1]}"

    def expect(self, token: str) -> None:
        found = self.left.pop()
        assert found == token, f"expected {token}, found {found}"

    def read_body(self, clusters: list[str]) -> None:
        self.expect("{")
        own = {}
        while self.left[-1] != "}":
            first = self.left.pop()
            if first == "subgraph":
                assert self.left.pop().startswith("cluster_")
                self.read_body(clusters + [""])
                continue
            if self.left[-1] == "=":
                self.left.pop()
                own[first] = self.left.pop()
                if first == "tooltip":
                    clusters[-1] = read_text(own[first]).split("\n")[0]
                assert self.left.pop() == ";"
                continue
            self.read_statement(first, clusters)
        if not clusters:
            self.root = next((line for line in read_text(own["label"]).split("\n")[1:] if " us, " not in line), "")
        self.expect("}")
        assert clusters == [] or clusters[-1], "a cluster without a name"

    def read_statement(self, first: str, clusters: list[str]) -> None:
        to = None
        if self.left[-1] == "->":
            self.left.pop()
            to = self.left.pop()
        attributes = self.read_attributes()
        self.expect(";")
        if to:
            self.edges.append((first, to, attributes))
        elif first not in ("node", "edge", "graph"):
            assert first not in self.nodes, f"{first} twice"
            self.nodes[first] = attributes
            self.around[first] = list(clusters)

    def read_attributes(self) -> dict[str, str]:
        self.expect("[")
        found = {}
        while self.left[-1] != "]":
            key = self.left.pop()
            self.expect("=")
            found[key] = self.left.pop()
            if self.left[-1] == ",":
                self.left.pop()
        self.expect("]")
        return found


def printable(text: str) -> str:
    return "".join(f"\\{ord(c):02X}" if ord(c) < 32 or ord(c) == 127 else c for c in text)


def show(number: float, decimals: int) -> str:
    """What rounds to 0 and is none is below one unit of the last digit."""
    text = f"{number:,.{decimals}f}"
    return "<" + text[:-1] + "1" if number > 0 and not text.strip("0.") else text


class Checker:
    def __init__(self, graph: Graph, report: dict, uses: Uses, color: str):
        self.graph, self.report, self.uses, self.color = graph, report, uses, color
        self.ops = {printable(op["name"]): op for op in report["ops"]}
        self.cycles = {name: op["scheduled_cycles"] * op["count"] for name, op in self.ops.items()}
        self.all_cycles = sum(self.cycles.values())
        self.node_of: dict[str, str] = {}  # of an op
        self.fills: dict[str, tuple] = {}  # of a node: what its colour tells

    def run(self) -> str:
        assert self.graph.name == printable(self.report["function"])
        modules = 0
        for node, attributes in self.graph.nodes.items():
            name, *details = read_text(attributes["tooltip"]).split("\n")
            label = read_text(attributes["label"]).split("\n")
            assert label[1:] == details, f"{name}: {label[1:]} and {details}"
            self.check_label(node, name, label[0])
            if node.startswith("op"):
                self.check_op(node, name, details)
            else:
                self.check_module(node, name, details)
                modules += 1
        assert set(self.node_of) == set(self.ops), set(self.ops) - set(self.node_of)
        self.check_colors()
        self.check_edges()
        return f"ok: {len(self.graph.nodes)} nodes, {modules} of them modules, {len(self.graph.edges)} edges"

    def check_label(self, node: str, name: str, label: str) -> None:
        """The name without that of its cluster, and not too long; each cluster is a module around the next one."""
        around = self.graph.root + "." if self.graph.root else ""
        for module in self.graph.around[node]:
            assert not around or module.startswith(around), f"{module} in {around}"
            around = module + "."
        assert name.startswith(around), f"{name} stands in {around}"
        first, *others = name.split("+")
        short = "+".join([first.removeprefix(around), *(other.removeprefix(around) for other in others)])
        if len(short) > 40:
            front, back = label.split("..", 1) if ".." in label else ("", "")
            assert len(label) == 40 and short.startswith(front) and short.endswith(back), f"{label} of {short}"
        elif "+" not in name or not around:
            assert label == short, f"{label} is not {short}"

    def time_lines(self, names: list[str]) -> list[str]:
        cycles = sum(self.cycles[name] for name in names)
        microseconds = cycles * 1e6 / self.report["clock_hz"]
        return [f"{show(microseconds, 3)} us, {show(100 * cycles / self.all_cycles, 1)} %"]

    def bound_of(self, names: list[str]) -> str:
        sums: dict[str, int] = defaultdict(int)
        for name in names:
            sums[self.ops[name]["bound"]] += self.cycles[name]
        most = max(sums.values())
        return next(bound for bound in ("compute", "memory", "overhead") if sums.get(bound) == most)

    def check_op(self, node: str, name: str, details: list[str]) -> None:
        op = self.ops[name]
        runs = "" if op["count"] == 1 else f", {op['count']} runs"
        assert details == [kind_of(op) + runs, *self.time_lines([name]), op["bound"]], (name, details)
        self.node_of[name] = node
        self.fills[node] = {"time": self.cycles[name], "bound": op["bound"], "kind": main_kind_of(op)}[self.color]

    def check_module(self, node: str, name: str, details: list[str]) -> None:
        inside = [op for op in self.ops if op.startswith(name + ".")]
        assert len(inside) > 1, f"a module of {len(inside)} ops: {name}"
        bound = self.bound_of(inside)
        assert details == [f"{len(inside)} ops", *self.time_lines(inside), bound], (name, details)
        for op in inside:
            assert op not in self.node_of, f"{op} has two nodes"
            self.node_of[op] = node
        cycles = sum(self.cycles[op] for op in inside)
        self.fills[node] = {"time": cycles, "bound": bound, "kind": None}[self.color]

    def check_colors(self) -> None:
        """Equal things have equal colours and others others; of times, the shorter is not the darker."""
        colors = {}
        for node, told in self.fills.items():
            color = self.graph.nodes[node].get("fillcolor")
            assert (color is None) == (told is None), f"{node} has colour {color}"
            if told is not None:
                assert colors.setdefault(told, color) == color, f"two colours for {told}"
        if self.color != "time":
            assert len(set(colors.values())) == len(colors) or len(colors) > 12, colors
            return
        # Red stays, green goes from white on.
        greens = [int(colors[cycles][4:6], 16) for cycles in sorted(colors)]
        assert greens == sorted(greens, reverse=True) and greens[-1] == 0x4A, greens

    def check_edges(self) -> None:
        expected: dict[tuple[str, str, bool], list[str]] = {}
        for name, op in self.ops.items():
            for field, carried in (("depends_on", False), ("depends_on_previous_iteration", True),
                                   ("depends_on_in_first_iteration", False)):
                for producer in map(printable, op.get(field, [])):
                    ends = (self.node_of[producer], self.node_of[name], carried)
                    if ends[0] != ends[1] or carried:
                        expected[ends] = []
        for producer, result, name, _, carried in self.uses.edges:
            shape = self.ops[printable(producer)]["outputs"][result]
            ends = (self.node_of[printable(producer)], self.node_of[printable(name)], carried)
            if ends[0] != ends[1] or carried:
                expected[ends].append(shape)
        found = set()
        for producer, consumer, attributes in self.graph.edges:
            ends = (producer, consumer, attributes.get("style") == "dashed")
            assert ends in expected, f"no dependence: {ends}"
            assert ends not in found, f"twice: {ends}"
            found.add(ends)
            shapes, among = read_text(attributes["tooltip"]), sorted(set(expected[ends]))
            assert len(shapes) == len(", ".join(among)) and all(each in shapes for each in among), (ends, shapes, among)
        assert found == set(expected), set(expected) - found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    parser.add_argument("report")
    parser.add_argument("program")
    parser.add_argument("--color", default="time")
    options = parser.parse_args()
    with open(options.graph, encoding="utf-8") as file:
        graph = Graph(file.read())
    with open(options.report, encoding="utf-8") as file:
        report = json.load(file)
    uses = read_uses(options.program, report["function"], [op["name"] for op in report["ops"]])
    print(Checker(graph, report, uses, options.color).run())


if __name__ == "__main__":
    main()
