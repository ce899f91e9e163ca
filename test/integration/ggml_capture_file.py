"""Files of captured ggml graphs, read from what GgmlCaptureFormat.h says of them."""
from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NONE = 0xFFFFFFFF
PROCESS, GRAPH, RUN, WAIT, NUMBERS, EXPERTS = range(1, 7)
DONE, GOES_ON, FAILED = 0, 1, 2


class Reader:
    def __init__(self, content: bytes):
        self.content, self.at = content, 0

    def take(self, form: str) -> Any:
        values = struct.unpack_from("<" + form, self.content, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text(self) -> str:
        size = self.take("H")
        self.at += size
        return self.content[self.at - size:self.at].decode()


@dataclass
class Tensor:
    name: str
    op: str
    type: str
    backend: str | None
    buffer: int | None
    view: int | None
    ne: tuple[int, ...]
    nb: tuple[int, ...]
    parameters: list[int]
    sources: list[int | None]
    flags: int
    offset: int = 0
    numbers: tuple[float, ...] = ()


@dataclass
class Graph:
    nodes: int
    tensors: list[Tensor]
    buffers: list[tuple[str, int, bool, int]]  # kind, usage, whether the host can read it, bytes


@dataclass
class Run:
    graph: int
    thread: int
    start: int
    end: int = 0
    state: int = GOES_ON
    ops: list[tuple[int, int, int]] = field(default_factory=list)
    experts: dict[int, dict[int, int]] = field(default_factory=dict)  # by tensor: rows of each expert


@dataclass
class Capture:
    process: int = 0
    times_ops: bool = False
    program: str = ""
    version: str = ""
    graphs: list[Graph] = field(default_factory=list)
    runs: dict[int, Run] = field(default_factory=dict)
    waits: list[tuple[int, int, int]] = field(default_factory=list)
    is_cut: bool = False


def read_tensor(body: Reader, types: list, backends: list) -> Tensor:
    name, op = body.text(), body.text()
    kind, flags, backend, buffer, view = body.take("5I")
    ne, nb = body.take("4q"), body.take("4Q")
    parameters = [body.take("I") for _ in range(body.take("B"))]
    sources = [body.take("I") for _ in range(body.take("B"))]
    return Tensor(name, op, types[kind][0], None if backend == NONE else backends[backend][0],
                  None if buffer == NONE else buffer, None if view == NONE else view, ne, nb, parameters,
                  [None if source == NONE else source for source in sources], flags)


def read_graph(body: Reader) -> Graph:
    _, nodes, tensors, types, backends, buffers = body.take("6I")
    type_table = [(body.text(), *body.take("2I")) for _ in range(types)]
    backend_table = [(body.text(), body.text()) for _ in range(backends)]
    buffer_table = [(body.text(), body.take("B"), bool(body.take("B")), body.take("Q")) for _ in range(buffers)]
    found = [read_tensor(body, type_table, backend_table) for _ in range(tensors)]
    for tensor in found:
        tensor.offset = body.take("Q")
    return Graph(nodes, found, buffer_table)


def read_run(body: Reader, runs: dict[int, Run]) -> None:
    number, graph, thread, state, start, end, ops = body.take("3IB2qI")
    run = runs.setdefault(number, Run(graph, thread, start))
    run.thread, run.start, run.end, run.state = thread, start, end, state
    run.ops += [body.take("I2q") for _ in range(ops)]


def read_experts(body: Reader, runs: dict[int, Run]) -> None:
    """Of a run whose own record comes behind."""
    number, graph, choices = body.take("3I")
    run = runs.setdefault(number, Run(graph, 0, 0))
    for _ in range(choices):
        tensor, experts = body.take("2I")
        run.experts[tensor] = dict(body.take("2I") for _ in range(experts))


def read_capture(path: Path) -> Capture:
    content = path.read_bytes()
    if content[:8] != b"llmggml\n" or struct.unpack_from("<I", content, 8) != (2,):
        raise ValueError(f"{path} is no capture")
    capture, at = Capture(), 12
    while at < len(content):
        if at + 8 > len(content) or at + 8 + struct.unpack_from("<I", content, at + 4)[0] > len(content):
            capture.is_cut = True
            break
        kind, size = struct.unpack_from("<2I", content, at)
        body = Reader(content[at + 8:at + 8 + size])
        if kind == PROCESS:
            capture.process, _, times_ops = body.take("IqB")
            capture.times_ops, capture.program, capture.version = bool(times_ops), body.text(), body.text()
        elif kind == GRAPH:
            capture.graphs.append(read_graph(body))
        elif kind == RUN:
            read_run(body, capture.runs)
        elif kind == NUMBERS:
            graph, tensor, count = body.take("3I")
            capture.graphs[graph].tensors[tensor].numbers = tuple(body.take("f") for _ in range(count))
        elif kind == EXPERTS:
            read_experts(body, capture.runs)
        elif kind == WAIT:
            capture.waits.append(body.take("I2q"))
        if body.at != size:
            raise ValueError(f"{path}: record at byte {at} has {size} bytes, of which {body.at} are known")
        at += 8 + size
    return capture
