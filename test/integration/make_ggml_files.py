"""Small files of captured graphs and of ggml-viz, written from what is known of the formats (GgmlCaptureFormat.h,
GgmlViz.cpp), not by the programs that write such files.

    make_ggml_files.py FOLDER
"""
from __future__ import annotations

import struct
import sys
from pathlib import Path

NONE = 0xFFFFFFFF
TYPES = [("f32", 1, 4), ("f16", 1, 2), ("i32", 1, 4), ("q8_0", 32, 34)]
F32, F16, I32, Q8 = range(4)
WEIGHTS, CACHES, COMPUTE = range(3)  # buffers
BUFFERS = [("CPU", 1, 1, 100000), ("CPU", 0, 1, 4096), ("CPU", 2, 1, 8192)]


def text(string: str) -> bytes:
    return struct.pack("<H", len(string.encode())) + string.encode()


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<2I", kind, len(body)) + body


def bits(*numbers: float) -> list[int]:
    return [struct.unpack("<I", struct.pack("<f", number))[0] for number in numbers]


class Graph:
    """Nodes are added first, in their order; what they read by `leaf`, whose numbers are known when all nodes are."""

    def __init__(self) -> None:
        self.nodes: list[dict] = []
        self.leaves: list[dict] = []

    def leaf(self, name, ne, kind=F32, buffer=WEIGHTS):
        self.leaves.append({"name": name, "op": "NONE", "ne": ne, "type": kind, "buffer": buffer, "sources": []})
        return ("leaf", len(self.leaves) - 1)

    def node(self, op, name, ne, sources, kind=F32, parameters=(), view=None, offset=0, nb=None):
        self.nodes.append({"name": name, "op": op, "ne": ne, "type": kind, "buffer": COMPUTE, "sources": sources,
                           "parameters": list(parameters), "view": view, "offset": offset, "nb": nb})
        return ("node", len(self.nodes) - 1)

    def number(self, place):
        if place is None:
            return NONE
        return place[1] + (len(self.nodes) if place[0] == "leaf" else 0)

    def pack_tensor(self, tensor, is_node):
        ne = list(tensor["ne"]) + [1] * (4 - len(tensor["ne"]))
        _, block, size = TYPES[tensor["type"]]
        nb = tensor.get("nb")
        if not nb:
            nb = [size, size * ne[0] // block]
            nb += [nb[1] * ne[1], nb[1] * ne[1] * ne[2]]
        parameters = tensor.get("parameters", [])
        return b"".join([
            text(tensor["name"]), text(tensor["op"]),
            struct.pack("<5I", tensor["type"], 0, tensor.get("backend", 0) if is_node else NONE, tensor["buffer"],
                        self.number(tensor.get("view"))),
            struct.pack("<4q", *ne), struct.pack("<4Q", *nb),
            struct.pack(f"<B{len(parameters)}I", len(parameters), *parameters),
            struct.pack(f"<B{len(tensor['sources'])}I", len(tensor["sources"]), *map(self.number, tensor["sources"]))])

    def pack(self, number: int) -> bytes:
        every = [(node, True) for node in self.nodes] + [(leaf, False) for leaf in self.leaves]
        backends = 1 + max(node.get("backend", 0) for node in self.nodes)
        body = struct.pack("<6I", number, len(self.nodes), len(every), len(TYPES), backends, len(BUFFERS))
        body += b"".join(text(name) + struct.pack("<2I", block, size) for name, block, size in TYPES)
        body += text("CPU") + text("a processor")
        body += b"".join(text(f"GPU{other}") + text("an accelerator") for other in range(backends - 1))
        body += b"".join(text(name) + struct.pack("<2BQ", *rest) for name, *rest in BUFFERS)
        body += b"".join(self.pack_tensor(*each) for each in every)
        body += b"".join(struct.pack("<Q", tensor.get("offset", 0)) for tensor, _ in every)
        return record(2, body)


def layer() -> Graph:
    """Width 64, 4 heads of 16 on 2 KV heads, 1 new token, 32 keys; then nodes that are not recognised."""
    g = Graph()
    tokens, positions = g.leaf("tokens", [1], I32, COMPUTE), g.leaf("positions", [1], I32, COMPUTE)
    mask = g.leaf("mask", [32, 1], F32, COMPUTE)
    cache_k, cache_v = g.leaf("cache_k", [32, 32], F16, CACHES), g.leaf("cache_v", [32, 32], F16, CACHES)
    x = g.node("GET_ROWS", "embd", [64], [g.leaf("embd.weight", [64, 100], Q8), tokens])
    norm = g.node("RMS_NORM", "norm", [64], [x], parameters=bits(1e-5))
    norm = g.node("MUL", "attn_norm", [64], [norm, g.leaf("attn_norm.weight", [64])])
    q = g.node("MUL_MAT", "q", [64], [g.leaf("q.weight", [64, 64], F16), norm])
    q = g.node("ADD", "q_bias", [64], [q, g.leaf("q.bias", [64])])
    q = g.node("RESHAPE", "q", [16, 4], [q], view=q)
    rope = [0, 16, 2, 0, 0, *bits(10000.0, 1.0, 0.0, 1.0)]
    q = g.node("ROPE", "q_rope", [16, 4], [q, positions], parameters=rope)
    k = g.node("MUL_MAT", "k", [32], [g.leaf("k.weight", [64, 32], F16), norm])
    k = g.node("RESHAPE", "k", [16, 2], [k], view=k)
    k = g.node("ROPE", "k_rope", [16, 2], [k, positions], parameters=rope)
    v = g.node("MUL_MAT", "v", [32], [g.leaf("v.weight", [64, 32], F16), norm])
    rows = g.leaf("rows", [1], I32, COMPUTE)
    g.node("SET_ROWS", "cache_k (view)", [32, 32], [k, rows, cache_k], F16, view=cache_k)
    g.node("SET_ROWS", "cache_v (view)", [32, 32], [v, rows, cache_v], F16, view=cache_v)
    q = g.node("PERMUTE", "q_p", [16, 1, 4], [q], parameters=[0, 2, 1, 3], view=q)
    parts = []
    for cache in (cache_k, cache_v):
        shown = g.node("VIEW", "shown", [16, 2, 32], [cache], F16, view=cache, nb=[2, 32, 64, 2048])
        parts.append(g.node("PERMUTE", "permuted", [16, 32, 2], [shown], F16, parameters=[0, 2, 1, 3], view=cache))
    a = g.node("FLASH_ATTN_EXT", "attn", [16, 4], [q, *parts, mask], parameters=bits(0.25))
    a = g.node("RESHAPE", "attn_rows", [64], [a], view=a)
    a = g.node("MUL_MAT", "o", [64], [g.leaf("o.weight", [64, 64], F16), a])
    x = g.node("ADD", "residual", [64], [a, x])
    gate = g.node("MUL_MAT", "gate", [128], [g.leaf("gate.weight", [64, 128], Q8), x])
    up = g.node("MUL_MAT", "up", [128], [g.leaf("up.weight", [64, 128], Q8), x])
    h = g.node("SILU", "silu", [128], [gate])
    h = g.node("MUL", "gated", [128], [h, up])
    y = g.node("MUL_MAT", "down", [64], [g.leaf("down.weight", [128, 64], Q8), h])
    y = g.node("MUL", "scaled", [64], [y, g.leaf("scale", [1])])
    y = g.node("SQRT", "root", [64], [y])
    g.node("SUM", "sum", [1], [y])
    return g


def ropes() -> Graph:
    """Ways to turn 16 features of 4 heads of 2 tokens, and products of experts that are chosen: 2 of 4 for each token."""
    g = Graph()
    x, positions = g.leaf("x", [16, 4, 2], F32, COMPUTE), g.leaf("positions", [2], I32, COMPUTE)
    words = {"plain": [0, 16, 0, 0, 0, *bits(500.0, 1.0, 0.0, 1.0)],
             "linear": [0, 16, 2, 0, 0, *bits(500.0, 0.5, 0.0, 1.0)],
             "louder": [0, 16, 2, 0, 0, *bits(500.0, 1.0, 0.0, 1.5)],
             "yarn": [0, 16, 2, 0, 4096, *bits(500.0, 0.25, 1.0, 1.0, 32.0, 1.0)],
             "half yarn": [0, 16, 2, 0, 4096, *bits(500.0, 0.25, 0.5, 1.0, 32.0, 1.0)],
             "inside": [0, 8, 2, 0, 0, *bits(500.0, 1.0, 0.0, 1.0, 32.0, 1.0), 0, 0, 0, 0, 4]}
    for name, parameters in words.items():
        g.node("ROPE", name, [16, 4, 2], [x, positions], parameters=parameters)
    factors = g.leaf("rope_freqs.weight", [8])
    g.node("ROPE", "factors", [16, 4, 2], [x, positions, factors], parameters=words["plain"])
    g.node("ROPE", "both", [16, 4, 2], [x, positions, factors], parameters=words["yarn"])
    ids, y = g.leaf("ids", [2, 2], I32, COMPUTE), g.leaf("y", [16, 1, 2], F32, COMPUTE)
    g.node("MUL_MAT_ID", "experts", [8, 2, 2], [g.leaf("up_exps.weight", [16, 8, 4], F16), y, ids])
    return g


FACTORS = [1.0, 1.0, 1.25, 2.0, 4.0, 8.0, 8.0, 9.5]
# Of each run, rows of each expert: the tokens chose 2, 4, 3 and 3 of 4.
CHOICES = {0: {0: 2, 3: 2}, 1: {0: 1, 1: 1, 2: 1, 3: 1}, 2: {1: 2, 2: 1, 3: 1}, 3: {0: 1, 2: 1, 3: 2}}


def numbers(graph: int, tensor: int, values: list[float]) -> bytes:
    return record(5, struct.pack(f"<3I{len(values)}f", graph, tensor, len(values), *values))


def experts(number: int, graph: int, tensor: int, rows: dict[int, int]) -> bytes:
    return record(6, struct.pack("<5I", number, graph, 1, tensor, len(rows)) +
                  b"".join(struct.pack("<2I", *each) for each in rows.items()))


def choices() -> bytes:
    """Of version 2: what ropes() has, with its factors and the experts of four runs, one of which is in two records."""
    graph = ropes()
    number = {leaf["name"]: len(graph.nodes) + at for at, leaf in enumerate(graph.leaves)}
    parts = [head(2), graph.pack(0), numbers(0, number["rope_freqs.weight"], FACTORS)]
    for each, rows in CHOICES.items():
        start = 1000 * each
        if each == 3:
            parts.append(run(each, 0, 1, 1, start, start + 100))
        parts += [experts(each, 0, number["ids"], rows), run(each, 0, 1, 0, start, start + 500)]
    return b"".join(parts)


def splits() -> bytes:
    """Five sums, the third and the fourth on another backend; the first run is in two records, one of which ends in a split."""
    g = Graph()
    x = g.leaf("x", [8], F32, COMPUTE)
    for number in range(5):
        x = g.node("ADD", f"sum{number}", [8], [x, x])
        g.nodes[-1]["backend"] = int(number in (2, 3))
    ops = [(number, 100 + 10 * number, 105 + 10 * number) for number in range(5)]
    return b"".join([head(2), g.pack(0), run(0, 0, 1, 1, 90, 130, ops[:3]), run(0, 0, 1, 0, 90, 150, ops[3:]),
                     run(1, 0, 1, 0, 1090, 1150, [(number, start + 1000, end + 1000) for number, start, end in ops])])


def run(number: int, graph: int, thread: int, state: int, start: int, end: int, ops=()) -> bytes:
    body = struct.pack("<3IB2qI", number, graph, thread, state, start, end, len(ops))
    return record(3, body + b"".join(struct.pack("<I2q", *op) for op in ops))


def head(version: int = 1) -> bytes:
    return b"llmggml\n" + struct.pack("<I", version)


def capture() -> bytes:
    """Two threads; a run in two records; a wait; a run that failed, and one that was under way."""
    process = record(1, struct.pack("<IqB", 77, 0, 1) + text("/bin/program") + text("0.1"))
    return b"".join([
        head(), process, layer().pack(0),
        run(0, 0, 10, 1, 1000, 1500, [(0, 1010, 1100), (1, 1110, 1200)]),
        run(1, 0, 11, 2, 1200, 1300),
        run(0, 0, 10, 0, 1000, 2000, [(3, 1600, 1900)]),
        record(4, struct.pack("<I2q", 10, 2100, 2300)),
        run(2, 0, 10, 1, 3000, 3500, [(0, 3010, 3100)])])


def viz_record(kind: int, time: int, thread: int, data: bytes, label: str | None = None) -> bytes:
    packed = struct.pack("<BQI", kind, time, thread) + data.ljust(32, b"\0")
    if label is None:
        return packed + b"\0"
    return packed + b"\1" + struct.pack("<I", len(label)) + label.encode()


def viz() -> bytes:
    """A graph whose ops all begin before they end, one whose op was timed, and memory."""
    def graph(kind, time):
        return viz_record(kind, time, 5, struct.pack("<Q2I", 0x1000, 2, 4))

    def op(kind, time, tensor, name):
        return viz_record(kind, time, 5, struct.pack("<QIIQ", tensor, 29, 0, 256), name)

    return b"".join([
        b"GGMLVIZ1" + struct.pack("<I", 1),
        viz_record(4, 900, 5, struct.pack("<2Q", 0x5000, 4096)),
        graph(0, 1000), op(2, 1001, 1, "a"), op(2, 1002, 2, "b"), op(3, 1991, 1, "a"), op(3, 1992, 2, "b"),
        graph(1, 2000),
        graph(0, 3000), op(2, 3100, 1, "a"), op(3, 3400, 1, "a"), graph(1, 3500),
        viz_record(5, 3600, 5, struct.pack("<2Q", 0x5000, 0)),
        viz_record(7, 3700, 5, b"")])


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    whole = capture()
    (folder / "small.capture").write_bytes(whole)
    (folder / "cut.capture").write_bytes(whole[:-7])
    (folder / "empty.capture").write_bytes(head())
    (folder / "version.capture").write_bytes(head(9) + whole[12:])
    (folder / "kind.capture").write_bytes(whole + record(9, b""))
    (folder / "node.capture").write_bytes(whole + run(5, 0, 1, 0, 10, 20, [(900, 11, 12)]))
    (folder / "backwards.capture").write_bytes(whole + run(5, 0, 1, 0, 20, 10))
    (folder / "ropes.capture").write_bytes(head() + ropes().pack(0))
    (folder / "splits.capture").write_bytes(splits())
    chosen = choices()
    (folder / "choices.capture").write_bytes(chosen)
    (folder / "newer.capture").write_bytes(head() + chosen[12:])
    (folder / "tensor.capture").write_bytes(chosen + experts(9, 0, 99, {}))
    (folder / "order.capture").write_bytes(chosen + experts(9, 0, 9, {2: 1, 1: 1}))
    (folder / "rows.capture").write_bytes(chosen + experts(9, 0, 9, {1: 1000}))
    (folder / "count.capture").write_bytes(chosen + numbers(0, 11, [1.0]))
    (folder / "graph.capture").write_bytes(chosen + numbers(7, 0, [1.0]))
    broken = layer()
    broken.nodes[3]["type"] = len(TYPES)
    TYPES.append(("f9", 1, 4))
    (folder / "type.capture").write_bytes(head() + broken.pack(0))
    (folder / "small.ggmlviz").write_bytes(viz())
    (folder / "cut.ggmlviz").write_bytes(viz()[:-20])
    (folder / "old.ggmlviz").write_bytes(b"GGMLVIZ1" + struct.pack("<I", 1) + bytes([0]) * 38 + b"\xff" * 38)


if __name__ == "__main__":
    main()
