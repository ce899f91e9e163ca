#!/usr/bin/env python3
"""Checks what --llm-export-model-explorer wrote against the explorer's documented form and the JSON report.

    check_model_explorer.py GRAPHS.json REPORT PROGRAM [--no-times]

The form is that of GraphCollection and NodeDataProviderData (input_graph.ts and types.ts of google-ai-edge/model-explorer),
written down here a second time: every field that it has to have, no other one, each of its type. Which result arrives at
which input is read from the program in generic form (PROGRAM). The data for nodes lie
beside GRAPHS.json. Shares nothing with the exporter.
"""
from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict

from op_uses import Uses, kind_of, read_uses

COLOR = re.compile(r"#[0-9a-f]{6}$")


def text_map(value: object) -> None:
    assert isinstance(value, dict) and all(isinstance(each, str) for each in value.values()), value


def fields(value: object, needed: dict, optional: dict | None = None) -> None:
    """An object with these fields: of each the type, or a function that checks it."""
    assert isinstance(value, dict), value
    known = needed | (optional or {})
    assert needed.keys() <= value.keys() <= known.keys(), f"fields {list(value)}"
    for key, each in value.items():
        if isinstance(known[key], type):
            assert isinstance(each, known[key]), f"{key}: {each!r}"
        else:
            known[key](each)


def list_of(check):
    def check_list(value: object) -> None:
        assert isinstance(value, list), value
        for each in value:
            check(each)
    return check_list


def key_value(value: object) -> None:
    fields(value, {"key": str, "value": str})


def edge(value: object) -> None:
    fields(value, {"sourceNodeId": str, "sourceNodeOutputId": str, "targetNodeInputId": str}, {"metadata": text_map})


def metadata_item(value: object) -> None:
    fields(value, {"id": str, "attrs": list_of(key_value)})


def node(value: object) -> None:
    fields(value, {"id": str, "label": str, "namespace": str, "attrs": list_of(key_value),
                   "incomingEdges": list_of(edge), "outputsMetadata": list_of(metadata_item)})


def group_attributes(value: object) -> None:
    assert isinstance(value, dict), value
    for each in value.values():
        text_map(each)


def graph_form(value: object) -> None:
    fields(value, {"id": str, "nodes": list_of(node), "groupNodeAttributes": group_attributes})


def check_form(collection: object) -> None:
    fields(collection, {"label": str, "graphs": list_of(graph_form)})
    ids = [graph["id"] for graph in collection["graphs"]]
    assert len(set(ids)) == len(ids), "two graphs of one id"


def attributes_of(node: dict) -> dict[str, str]:
    found = {each["key"]: each["value"] for each in node["attrs"]}
    assert len(found) == len(node["attrs"]), f"{node['id']} has an attribute twice"
    return found


class GraphChecker:
    def __init__(self, graph: dict, function: dict, uses: Uses, has_times: bool):
        self.graph, self.function, self.has_times = graph, function, has_times
        self.uses = defaultdict(set)  # by consumer
        for producer, result, name, number, is_carried in uses.edges:
            self.uses[name].add((producer, str(result), str(number), is_carried))
        self.names = [op["name"] for op in function["ops"]]

    def microseconds(self, op: dict) -> float:
        return op["scheduled_cycles"] * op["count"] * 1e6 / self.function["clock_hz"]

    def run(self, overlays: dict[str, dict]) -> None:
        assert self.graph["id"] == self.function["function"]
        assert [node["id"] for node in self.graph["nodes"]] == self.names
        for node, op in zip(self.graph["nodes"], self.function["ops"]):
            self.check_node(node, op)
            self.check_edges(node, op)
        self.check_groups()
        if self.has_times:
            self.check_overlays(overlays)

    def check_node(self, node: dict, op: dict) -> None:
        """A module's parts have '/' between, but for dots in braces, which count through layers."""
        parts = re.sub(r"\{[^}]*\}", lambda braces: braces[0].replace(".", "\0"), op["module"]).split(".")
        space = "/".join([*parts[:31], ".".join(parts[31:])] if len(parts) > 32 else parts).replace("\0", ".")
        assert node["namespace"] == space, f"{op['name']}: {node['namespace']}"
        first, *others = op["name"].split("+")
        inside = op["module"] + "." if op["module"] else ""
        assert first.startswith(inside), op["name"]
        label = "+".join([first[len(inside):], *(other.removeprefix(inside) for other in others)])
        assert node["label"] == label, f"{op['name']}: {node['label']}"
        attributes = attributes_of(node)
        expected = {"name": op["name"], "kind": kind_of(op), "runs": str(op["count"]), "inputs": ", ".join(op["inputs"])}
        if self.has_times:
            expected |= {"cycles": str(op["scheduled_cycles"] * op["count"]), "bound": op["bound"],
                         "time_us": f"{self.microseconds(op):.3f}"}
        assert attributes == expected, (attributes, expected)
        outputs = node["outputsMetadata"]
        assert [each["id"] for each in outputs] == [str(i) for i in range(len(op["outputs"]))]
        for output, shape in zip(outputs, op["outputs"]):
            tags = {each["key"]: each["value"] for each in output["attrs"]}
            assert tags.keys() == {"__tensor_tag", "shape"} and tags["shape"] == shape, tags

    def check_edges(self, node: dict, op: dict) -> None:
        expected = {(producer, text) for field, text in (
            ("depends_on", None), ("depends_on_previous_iteration", "previous iteration"),
            ("depends_on_in_first_iteration", "first iteration")) for producer in op.get(field, [])}
        texts = [each.get("metadata", {}).get("waits_for") for each in node["incomingEdges"]]
        found = {(each["sourceNodeId"], text) for each, text in zip(node["incomingEdges"], texts)}
        assert found == expected, f"{op['name']}: {found}, not {expected}"
        uses = [(each["sourceNodeId"], each["sourceNodeOutputId"], each["targetNodeInputId"], text == "previous iteration")
                for each, text in zip(node["incomingEdges"], texts)]
        assert len(set(uses)) == len(uses) and set(uses) == self.uses[op["name"]], f"{op['name']}: uses {uses}"

    def check_groups(self) -> None:
        sums: dict[str, list[float]] = defaultdict(lambda: [0, 0])
        for node, op in zip(self.graph["nodes"], self.function["ops"]):
            parts = node["namespace"].split("/") if node["namespace"] else []
            assert len(parts) <= 32, f"{len(parts)} namespaces in each other"
            for depth in range(len(parts) + 1):
                total = sums["/".join(parts[:depth])]
                total[0] += 1
                total[1] += self.microseconds(op)
        groups = self.graph["groupNodeAttributes"]
        assert groups.keys() == sums.keys(), groups.keys() ^ sums.keys()
        for space, (ops, microseconds) in sums.items():
            assert groups[space]["ops"] == str(ops), space
            assert ("time_us" in groups[space]) == self.has_times
            if self.has_times:
                assert abs(float(groups[space]["time_us"]) - microseconds) < 0.001, (space, microseconds)

    def check_overlays(self, overlays: dict[str, dict]) -> None:
        times, bounds = (overlays[kind][self.graph["id"]] for kind in ("time", "bound"))
        fields(times, {"results": dict, "gradient": list})
        fields(bounds, {"results": dict})
        assert [stop["stop"] for stop in times["gradient"]] == [0, 1]
        assert all(COLOR.match(stop["bgColor"]) and len(stop) == 2 for stop in times["gradient"])
        assert list(times["results"]) == list(bounds["results"]) == self.names
        colors = {}
        for op in self.function["ops"]:
            result = times["results"][op["name"]]
            fields(result, {"value": float})
            assert abs(result["value"] - self.microseconds(op)) <= 0.0005 + 1e-9, op["name"]
            result = bounds["results"][op["name"]]
            fields(result, {"value": str, "bgColor": str})
            assert result["value"] == op["bound"], op["name"]
            assert COLOR.match(result["bgColor"]) and colors.setdefault(op["bound"], result["bgColor"]) == result["bgColor"]
        assert len(set(colors.values())) == len(colors), colors


def read(path: str) -> dict:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs")
    parser.add_argument("report")
    parser.add_argument("program")
    parser.add_argument("--no-times", action="store_true")
    options = parser.parse_args()
    collection, report = read(options.graphs), read(options.report)
    check_form(collection)
    overlays = {}
    if not options.no_times:
        stem = options.graphs.removesuffix(".json")
        overlays = {kind: read(f"{stem}.{kind}.json") for kind in ("time", "bound")}
    functions = report.get("functions", [report])
    assert len(functions) == len(collection["graphs"])
    for overlay in overlays.values():
        assert list(overlay) == [graph["id"] for graph in collection["graphs"]]
    for graph, function in zip(collection["graphs"], functions):
        uses = read_uses(options.program, function["function"], [op["name"] for op in function["ops"]])
        GraphChecker(graph, function, uses, not options.no_times).run(overlays)
    nodes = [node for graph in collection["graphs"] for node in graph["nodes"]]
    print(f"ok: {len(nodes)} nodes, {sum(len(node['incomingEdges']) for node in nodes)} edges")


if __name__ == "__main__":
    main()
