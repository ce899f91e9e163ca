"""Random targets and random small programs, for tests of the rules of schedules."""
from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass, field

from program import COST, TILE, end_of_attribute, one_line

PART = re.compile(r"<count = (\d+), work = \{([^}]*)\}, traffic = \{(.*?)\}, working_set_bytes = "
                  r"(\d+), overhead_cycles = (\d+), serial_cycles = (\d+), "
                  r"compute_cycles = (\d+), memory_cycles = (\d+), "
                  r"(?:cycles_by_memory = \{([^}]*)\}, )?bound = (\w+)>")


# Targets


def random_target(rng: random.Random) -> dict:
    """Some engine groups of different kinds, private memories and ports; one or two shared
    memories. Every op finds an engine: one group is of both kinds, or there are groups of
    either, which do attention together."""
    memories: dict[str, dict] = {
        name: {"capacity_bytes": rng.choice([1, 2, 4, 16, 64]) * 2048 + rng.randrange(4096)}
        for name in ("sram", "scratch")}
    if rng.random() < 0.3:
        memories["llc"] = _shared_memory(rng)
    memories["dram"] = _shared_memory(rng)
    shared = {name: memory for name, memory in memories.items() if "lanes" in memory}

    apart = rng.random() < 0.4
    engines = {} if apart else {"core": _engine(rng, ["matrix", "vector"], shared)}
    if apart or rng.random() < 0.5:
        engines["mxu"] = _engine(rng, ["matrix"], shared)
    if apart or rng.random() < 0.5:
        engines["vpu"] = _engine(rng, ["vector"], shared)
    if not apart and rng.random() < 0.3:
        engines["big"] = _engine(rng, ["matrix", "vector"], shared)
    if rng.random() < 0.2:
        engines["mixed"] = _engine(rng, ["vector", "memory"], shared)
    if rng.random() < 0.8:
        engines["dma"] = _engine(rng, ["memory"], shared)
    used = {engine.get("private_memory") for engine in engines.values()}
    memories = {name: memory for name, memory in memories.items()
                if name in used or name in shared}
    items = list(engines.items())
    rng.shuffle(items)
    if "sram" in memories and rng.random() < 0.3:
        memories["sram"]["bytes_per_second"] = rng.choice([3, 20, 90]) * 1_000_000_000
    if "llc" in memories and rng.random() < 0.7:
        memories["llc"]["bytes_per_engine"] = rng.choice([1, 4, 16, 64]) * 1024
    return {"name": "random", "description": "invented at random",
            "clock_hz": rng.choice([1, 3, 7, 10]) * 100_000_000 + rng.randrange(3),
            "engines": dict(items), "memories": memories}


def _shared_memory(rng: random.Random) -> dict:
    memory = {"bytes_per_second": rng.choice([1, 3, 10, 40]) * 1_000_000_000 + rng.randrange(9),
              "lanes": rng.choice([3, 8, 10, 64, 1000])}
    if rng.random() < 0.3:
        memory["sustained_bytes_per_second"] = memory["bytes_per_second"] * rng.choice([5, 9, 10]) // 10
    return memory


def _engine(rng: random.Random, kinds: list[str], shared: dict[str, dict]) -> dict:
    engine: dict = {"kinds": kinds, "count": rng.choice([1, 1, 2, 3]),
                    "overhead_cycles": rng.choice([0, 0, 5, 40]),
                    "port_bytes_per_second": {}}
    for name, memory in shared.items():
        if rng.random() < 0.7:  # else: the full rate
            fraction = rng.choice([1, 2, 3])  # rounded up: at least one of three lanes
            engine["port_bytes_per_second"][name] = -(-memory["bytes_per_second"] // fraction)
    if kinds == ["memory"]:
        return engine
    engine["units"] = rng.choice([1, 2])
    if "matrix" in kinds:
        engine["macs_per_cycle_per_unit"] = rng.choice(
            [{"f32": 16}, {"bf16": 64, "f32": 7}, {"f16": 32, "f32": 9},
             {"f16": 48, "bf16": 40, "tf32": 10, "f64": 1}])
    for kind in ("alu", "special", "compare"):
        engine[f"{kind}_per_cycle_per_unit"] = rng.choice([3, 8, 32]) if rng.random() < 0.8 else 1000
    if rng.random() < 0.8:
        engine["private_memory"] = rng.choice(["sram", "scratch"])
    return engine


# Programs


@dataclass
class Writer:
    """Text of a function; `activations` are the values of type [rows, width] in scope."""
    rng: random.Random
    rows: int
    width: int
    element: str
    lines: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    activations: list[str] = field(default_factory=list)
    number: int = 0

    @property
    def type(self) -> str:
        return f"tensor<{self.rows}x{self.width}x{self.element}>"

    def value(self) -> str:
        self.number += 1
        return f"%v{self.number}"

    def any(self) -> str:
        """One of the values in scope, rather a late one."""
        late = self.activations[-3:]
        return self.rng.choice(late if self.rng.random() < 0.7 else self.activations)

    def name(self) -> str:
        self.number += 1
        return f'"op{self.number}"' if self.rng.random() < 0.8 else ""

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def constant(self, number: int) -> str:
        value = self.value()
        self.constants.append(f"{value} = arith.constant {number} : index")
        return value


def random_program(rng: random.Random, function: str) -> str:
    """A module with one function: chains and branches of ops, in loops and between them."""
    element = rng.choice(["f32", "bf16"])
    writer = Writer(rng, rng.choice([1, 3, 16]), rng.choice([8, 32, 64]), element)
    writer.activations.append("%x")
    _random_items(writer, index=None, depth=0)
    result = writer.activations[-1]
    body = "\n".join("    " + line for line in writer.constants + writer.lines)
    return (f"module {{\n  func.func @{function}(%x: {writer.type}) -> {writer.type} {{\n"
            f"{body}\n    return {result} : {writer.type}\n  }}\n}}\n")


def _random_items(writer: Writer, index: str | None, depth: int) -> None:
    rng = writer.rng
    for _ in range(rng.choice([1, 2, 3, 4] if depth else [2, 3, 4, 5, 6])):
        if depth < 2 and rng.random() < 0.2:
            _random_loop(writer, depth)
        else:
            rng.choice(OPS)(writer, index)


def _random_loop(writer: Writer, depth: int) -> None:
    rng = writer.rng
    first, step, trips = rng.randrange(3), rng.randrange(1, 3), rng.randrange(1, 5)
    begin, end = writer.constant(first), writer.constant(first + step * trips)
    increment, start = writer.constant(step), writer.any()
    index, carried, result = writer.value(), writer.value(), writer.value()
    writer.emit(f"{result} = scf.for {index} = {begin} to {end} step {increment} "
                f"iter_args({carried} = {start}) -> ({writer.type}) {{")
    outside = list(writer.activations)
    writer.activations.append(carried)
    _random_items(writer, index, depth + 1)
    writer.emit(f"scf.yield {writer.activations[-1]} : {writer.type}")
    writer.emit("}")
    writer.activations = outside + [result]


def _weight(writer: Writer, index: str | None, shape: str, element: str = "") -> str:
    value = writer.value()
    braces, operand = (".{}", f"[{index}]") if index else ("", "")
    writer.emit(f'{value} = llm.weight "w{writer.number}{braces}"{operand} : '
                f"tensor<{shape}x{element or writer.element}>")
    return value


def _norm(writer: Writer, index: str | None) -> None:
    source, weight = writer.any(), _weight(writer, index, f"{writer.width}")
    result = writer.value()
    writer.emit(f"{result} = llm.rmsnorm {writer.name()} {source}, {weight} epsilon 1.0e-5 : "
                f"{writer.type}, tensor<{writer.width}x{writer.element}>")
    writer.activations.append(result)


def _binary(writer: Writer, index: str | None) -> None:
    kind = writer.rng.choice(["add", "add", "mul", "swiglu"])
    lhs, rhs, result = writer.any(), writer.any(), writer.value()
    writer.emit(f"{result} = llm.{kind} {writer.name()} {lhs}, {rhs} : {writer.type}, "
                f"{writer.type}")
    writer.activations.append(result)


def _matmul(writer: Writer, index: str | None) -> None:
    """By a weight as it is stored, or seen through a view that takes no time; of the type
    of the activations or of another one, so that multiply-accumulates are of several."""
    rng, source, width = writer.rng, writer.any(), writer.width
    element = rng.choice([writer.element, writer.element, "f32", "f16"])
    weight_type = f"tensor<{width}x{width}x{element}>"
    if rng.random() < 0.8:
        weight = _weight(writer, index, f"{width}x{width}", element)
    else:
        flat, weight = _weight(writer, index, f"{width * width}", element), writer.value()
        writer.emit(f"{weight} = tensor.expand_shape {flat} [[0, 1]] output_shape "
                    f"[{width}, {width}] : tensor<{width * width}x{element}> into "
                    f"{weight_type}")
    result = writer.value()
    transpose = rng.choice(["", " transpose_rhs"])
    writer.emit(f"{result} = llm.matmul {writer.name()} {source}, {weight}{transpose} : "
                f"{writer.type}, {weight_type}")
    writer.activations.append(result)


def _attention(writer: Writer, index: str | None) -> None:
    """Over a cache that the program never writes, or over one whose last rows it writes. It is
    one op, on whatever engines there are."""
    rng, rows = writer.rng, writer.rows
    heads, capacity = 2, rows + rng.choice([0, 5, 16])
    dim = writer.width // heads
    query, cache, keys, values = (writer.value() for _ in range(4))
    cache_type = (f"<batch = 1, kv_heads = {heads}, head_dim = {dim}, "
                  f"capacity = {capacity}, {writer.element}>")
    new_type = f"tensor<1x{rows}x{heads}x{dim}x{writer.element}>"
    read_type = f"tensor<1x{capacity}x{heads}x{dim}x{writer.element}>"
    braces, operand = (".{}", f"[{index}]") if index else ("", "")
    writer.emit(_split_heads(query, writer.any(), rows, heads, dim, writer.type, new_type))
    writer.emit(f'{cache} = llm.kv_cache "cache{writer.number}{braces}"{operand} : {cache_type}')
    if rng.random() < 0.5:
        new, written = writer.value(), writer.value()
        writer.emit(_split_heads(new, writer.any(), rows, heads, dim, writer.type, new_type))
        writer.emit(f"{written} = llm.kv_write {writer.name()} {cache}, {new}, {new} at "
                    f"{capacity - rows} : {cache_type}, {new_type}, {new_type}")
        cache = written
    writer.emit(f"{keys}, {values} = llm.kv_read {cache} rows 0 to {capacity} : {cache_type}")
    heads_out, result = writer.value(), writer.value()
    writer.emit(f"{heads_out} = llm.gqa_attn {writer.name()} {query}, {keys}, {values} mask "
                f"causal scale 0.25 : {new_type}, {read_type}, {read_type}")
    writer.emit(f"{result} = tensor.collapse_shape {heads_out} [[0, 1], [2, 3]] : {new_type} "
                f"into {writer.type}")
    writer.activations.append(result)


def _split_heads(result: str, value: str, rows: int, heads: int, dim: int, flat: str,
                 split: str) -> str:
    return (f"{result} = tensor.expand_shape {value} [[0, 1], [2, 3]] output_shape "
            f"[1, {rows}, {heads}, {dim}] : {flat} into {split}")


def _lookup(writer: Writer, index: str | None) -> None:
    """Rows of a table that computed tokens select."""
    tokens, table = writer.value(), _weight(writer, index, f"{writer.width}x{writer.width}")
    result = writer.value()
    writer.emit(f"{tokens} = llm.sample {writer.name()} greedy {writer.any()} : {writer.type}")
    writer.emit(f"{result} = llm.embedding {writer.name()} {tokens}, {table} : "
                f"tensor<{writer.rows}xi32>, tensor<{writer.width}x{writer.width}x{writer.element}>")
    writer.activations.append(result)


OPS = [_norm, _binary, _binary, _matmul, _matmul, _matmul, _attention, _lookup]


# Tiles and costs by hand

# Loops whose iterations may run at once, by the dimensions of the first operand; the columns
# of a product are as many as its reduction here. Attention is cut along its KV heads.
LOOPS = {"rmsnorm": ["d0"], "add": ["d0", "d1"], "mul": ["d0", "d1"], "swiglu": ["d0", "d1"],
         "matmul": ["m", "n"], "gqa_attn": ["b", "s", "h"], "kv_write": ["b", "s", "h", "d"],
         "sample": ["m"], "embedding": ["m"]}
# Reductions, with the dimension of the second operand; parts that hold an engine of the kind
# vector are joined.
REDUCTIONS = {"matmul": ("k", 0), "gqa_attn": ("t", 1)}
JOINING_ENGINES = {"core", "big", "vpu", "mixed"}
ENGINES = re.compile(r'engine = "(\w+)"(?: with = \[([^\]]*)\])?')


def engines_of_cost(line: str) -> list[str]:
    """The groups of whose engines a part of the op on this line holds one, its own first."""
    own, beside = ENGINES.search(line).groups()
    return [own, *re.findall(r"\w+", beside or "")]


def edited_tiles(rng: random.Random, module: str) -> str:
    """Each op cut by hand, whole or into parts; the costs are void."""
    lines = []
    for line in one_line(module).split("\n"):
        at = line.find(TILE)
        if at >= 0:
            end = end_of_attribute(line, at + len(TILE))
            body = re.sub(r"^(search|theoretical)", "pinned", line[at + len(TILE):end - 1])
            line = line[:at + len(TILE)] + body + _random_split(rng, line) + line[end - 1:]
        lines.append(line)
    return "\n".join(lines)


def _random_split(rng: random.Random, line: str) -> str:
    kind = re.search(r"\bllm\.(\w+) ", line)[1]
    shapes = [[int(size) for size in shape.split("x")[:-1]]
              for shape in re.findall(r"tensor<((?:\d+x)+)", line)]
    extents = list(zip(LOOPS[kind], shapes[0]))
    if kind in REDUCTIONS and JOINING_ENGINES.intersection(engines_of_cost(line)):
        loop, dimension = REDUCTIONS[kind]
        extents.insert(0, (loop, shapes[1][dimension]))  # the last are dropped first
    counts = {}
    for loop, extent in extents:
        if rng.random() < 0.4:
            size = rng.randrange(1, extent + 1)
            counts[loop] = -(-extent // size)
    while counts and math.prod(counts.values()) > 12:
        counts.popitem()
    split = ", ".join(f"{loop} = {counts[loop]}" for loop in sorted(counts))
    return f" split = {{{split}}}" if counts else ""


def edited_costs(rng: random.Random, module: str, shared: list[str]) -> str:
    """Some parts with figures that no op of today has. The stamps do not cover figures."""
    module = one_line(module)
    pieces, position = [], 0
    for match in re.finditer(re.escape(COST), module):
        end = end_of_attribute(module, match.end())
        body = module[match.end():end]
        if rng.random() < 0.4:
            body = PART.sub(lambda part: _edited_parts(rng, part, shared), body)
        pieces += [module[position:match.end()], body]
        position = end
    return "".join(pieces) + module[position:]


def _edited_parts(rng: random.Random, match: re.Match, shared: list[str]) -> str:
    """Records of as many parts: one, or two of which one has other figures."""
    count, work, traffic, *numbers, by_memory, _ = match.groups()
    figures = [int(number) for number in numbers]
    first = rng.randrange(1, int(count) + 1)
    counts = [number for number in (first, int(count) - first) if number]
    return ", ".join(_record(rng, number, work, traffic, figures, by_memory, shared)
                     for number in counts)


def _record(rng: random.Random, count: int, work: str, traffic: str, figures: list[int],
            by_memory: str | None, shared: list[str]) -> str:
    working_set, overhead, serial, compute, memory = figures
    divisor, factor = rng.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
    traffic = re.sub(r"(\w+) = (\d+)",
                     lambda m: f"{m[1]} = {int(m[2]) * factor // divisor}", traffic)
    buffers = re.findall(r"(\w+) = \d", traffic)  # a part of hidden keys alone has none
    if "llc" in shared and buffers and rng.random() < 0.5:
        buffer = rng.choice(buffers)
        traffic += f", llc = {{{buffer} = {rng.randrange(2000)}}}"
    if rng.random() < 0.05:
        traffic = ""
    serial = rng.choice([serial, serial, 3, 17])
    compute = rng.choice([compute, compute // divisor, 0, 50])
    working_set += rng.choice([0, 0, 0, 50])
    cycles_by_memory = ""
    if by_memory is not None:  # of the private memory, more or less than it was
        by_memory = re.sub(r"sram = (\d+)", lambda m: f"sram = {int(m[1]) * factor // divisor}", by_memory)
        cycles_by_memory = f"cycles_by_memory = {{{by_memory}}}, "
        memory = max(map(int, re.findall(r"= (\d+)", by_memory)))
    return (f"<count = {count}, work = {{{work}}}, traffic = {{{traffic}}}, "
            f"working_set_bytes = {working_set}, overhead_cycles = {overhead}, "
            f"serial_cycles = {serial}, compute_cycles = {compute}, "
            f"memory_cycles = {memory}, {cycles_by_memory}bound = compute>")
