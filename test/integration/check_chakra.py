"""Reads the files of --llm-export-chakra by a reader of its own of protocol buffers, and replays them.

    check_chakra.py PREFIX REPORT_JSON CHIPS

The schema is that of MLCommons' Chakra 0.0.4 (schema/protobuf/et_def.proto). Collectives take as long as the report says:
a replay of all nodes by their dependences then ends where the schedule ends.
"""
import json
import sys
from collections import Counter
from pathlib import Path

COMPUTES, EXCHANGES = 4, 7
KINDS = {0: "all_reduce", 2: "all_gather", 6: "all_to_all", 7: "reduce_scatter"}


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data: bytes) -> list[tuple[int, object]]:
    """Fields of a message: numbers of wire type 0, and bytes of wire type 2."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        assert key & 7 in (0, 2), key
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found.append((key >> 3, value))
    assert at == len(data)
    return found


def messages(data: bytes) -> list[list[tuple[int, object]]]:
    found, at = [], 0
    while at < len(data):
        size, at = varint(data, at)
        assert at + size <= len(data)
        found.append(fields(data[at:at + size]))
        at += size
    return found


def read_node(message) -> dict:
    node = {"deps": [], "attrs": {}}
    for field, value in message:
        if field == 5:
            node["deps"].append(value)
        elif field == 10:
            attribute = dict(fields(value))
            [payload] = [each for number, each in attribute.items() if number != 1]
            node["attrs"][attribute[1].decode()] = payload
        else:
            node[{1: "id", 2: "name", 3: "type", 7: "micros"}[field]] = value
    return node


def read_chip(path: Path) -> list[dict]:
    metadata, *nodes = messages(path.read_bytes())
    assert metadata == [(1, b"0.0.4")], metadata
    return [read_node(node) for node in nodes]


def check_nodes(nodes: list[dict], groups: dict, rank: int) -> None:
    known = set()
    for node in nodes:
        assert node["id"] > 0 and node["id"] not in known and set(node["deps"]) <= known, node
        known.add(node["id"])
        assert node["attrs"]["is_cpu_op"] == 0, node
        if node["type"] == EXCHANGES:
            assert rank in groups[node["attrs"]["pg_name"].decode()] and node["attrs"]["comm_type"] in KINDS, node
            assert node["attrs"]["comm_size"] > 0
        else:
            assert node["type"] == COMPUTES and node["micros"] > 0, node


def replay(nodes: list[dict], micros_of: dict) -> float:
    ends = {}
    for node in nodes:
        micros = node["micros"] if node["type"] == COMPUTES else micros_of[node["name"].decode()]
        ends[node["id"]] = max((ends[other] for other in node["deps"]), default=0) + micros
    return max(ends.values())


def expand(op: dict, loops: list[dict]) -> list[str]:
    if not op.get("loops"):
        return [op["name"]]
    [number] = op["loops"]
    loop = loops[number]
    return [op["name"].replace("{}", str(loop["first_index"] + i * loop["index_step"])) for i in range(loop["trips"])]


def main() -> None:
    prefix, report, chips = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), int(sys.argv[3])
    groups = json.loads(Path(prefix + ".groups.json").read_text())
    files = sorted(Path(prefix).parent.glob(Path(prefix).name + ".*.et"))
    assert len(files) == chips, files
    exchanges = [op for op in report["ops"] if op["kind"] in KINDS.values()]
    micros_of = {name: op["time_us"] for op in exchanges for name in expand(op, report["loops"])}
    # Each chip is in one group of each set, and the groups of a set share out all chips.
    seen = Counter(rank for members in groups.values() for rank in members)
    assert len(set(seen.values())) <= 1 and (not groups or set(seen) == set(range(chips))), groups
    ends = []
    for rank in range(chips):
        nodes = read_chip(Path(f"{prefix}.{rank}.et"))
        check_nodes(nodes, groups, rank)
        found = Counter((KINDS[node["attrs"]["comm_type"]], node["name"].decode())
                        for node in nodes if node["type"] == EXCHANGES)
        assert found == Counter((op["kind"], name) for op in exchanges for name in expand(op, report["loops"]))
        flops = sum(node["attrs"]["num_ops"] for node in nodes if node["type"] == COMPUTES)
        assert flops == 2 * sum(op["macs"] * op["count"] for op in report["ops"]), flops
        ends.append(replay(nodes, micros_of))
    makespan = report["makespan_us"]
    assert len(set(ends)) == 1 and abs(ends[0] - makespan) <= 0.5 + 1e-3 * len(micros_of), (ends, makespan)
    print(f"ok: {chips} chips, {sum(found.values())} collectives, {len(nodes)} nodes, {len(groups)} groups")


main()
