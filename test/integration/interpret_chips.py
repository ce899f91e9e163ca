"""Runs a program whole and cut over chips, and compares: what each chip computes, in Python's arithmetic.

    interpret_chips.py WHOLE CUT

Both are MLIR in generic form; CUT is what one chip runs. All chips run it op by op, side by side, and meet in
collectives, which are written here from Spec.md anew. A weight or cache with `llm.piece` is drawn as a whole, as in
interpret.py, and each chip takes its own interval of it. Every chip must end with the results of the whole program.
"""
import itertools
import re
import sys

from generic_mlir import parse
from interpret import Machine, draw_arguments, equal
from interpret_ops import Cache, Tensor, draw_source, draw_weight, rows_of_experts, spell

TOLERANCE = 1e-9


class Grid:
    """Axes with their sizes; chips are numbered in row-major order, the last axis fastest."""

    def __init__(self, text):
        self.axes = {name: int(size) for name, size in re.findall(r"(\w+) = (\d+)", text)}
        self.places = [dict(zip(self.axes, place)) for place in itertools.product(*map(range, self.axes.values()))]

    def size(self, axes):
        count = 1
        for axis in axes:
            count *= self.axes[axis]
        return count

    def rank(self, chip, axes):
        rank = 0
        for axis in axes:
            rank = rank * self.axes[axis] + self.places[chip][axis]
        return rank

    def group(self, chip, axes):
        """The chips that differ from this one along these axes only, in the order of their ranks."""
        others = [a for a in self.axes if a not in axes]
        same = lambda c: all(self.places[c][a] == self.places[chip][a] for a in others)
        return sorted(filter(same, range(len(self.places))), key=lambda c: self.rank(c, axes))


def names(text):
    return re.findall(r"\w+", text)


class Axes(list):
    """Axes that cut a dimension, and the sizes of what lies side by side along it, if each of these is cut for itself."""
    segments = ()


def read_piece(text):
    """`{d0 = [tp] of [8, 4, 4], capacity = [tp_cp] of 512 x 8}`"""
    piece = {}
    for name, axes, segments, count, size in re.findall(r"(\w+) = \[([^\]]*)\](?: of (?:\[([^\]]*)\]|(\d+) x (\d+)))?", text):
        piece[name] = Axes(names(axes))
        piece[name].segments = (int(size),) * int(count) if count else tuple(map(int, names(segments)))
    return piece


def indices_of(size, axes, grid, chip):
    """The indices of a dimension that a chip has, in its own order."""
    chips, rank, begin, own = grid.size(axes), grid.rank(chip, axes), 0, []
    for segment in axes.segments or (size,):
        assert segment % chips == 0, f"{chips} chips do not divide {segment}"
        own += range(begin + rank * (segment // chips), begin + (rank + 1) * (segment // chips))
        begin += segment
    assert begin == size, f"segments of {begin} in a dimension of {size}"
    return own


def piece_of(whole, dims, grid, chip):
    own = [indices_of(size, axes, grid, chip) for size, axes in zip(whole.shape, dims, strict=True)]
    return Tensor([len(each) for each in own], lambda i: whole.data[tuple(each[at] for each, at in zip(own, i))])


def part_of(name):
    """Of "attn_batch1", the name of the whole batch's object, and which of two parts it is; of others, no part."""
    whole, of_batch, part = name.rpartition("_batch")
    return (whole, int(part)) if of_batch and part.isdecimal() else (name, None)


class Chip(Machine):
    def __init__(self, grid, number):
        super().__init__()
        self.grid, self.number = grid, number

    def run(self, op):
        isPart = op.name in ("llm.kv_cache", "llm.state") and part_of(op.attrs["name"].strip(chr(34)))[1] is not None
        if "llm.piece" in op.attrs or isPart:
            self.values[op.results[0]] = self.source(op)
        elif op.name == "llm.kv_write" and "own" in op.attrs:
            cache, *rows = (self.values[name] for name in op.operands)
            self.values[op.results[0]] = self.write_own(op, cache, rows)
        elif "own" in op.attrs:
            result = OF_OWN_EXPERTS[op.name](self, op, *(self.values[name] for name in op.operands))
            assert list(result.shape) == op.result_shapes()[0], f"{op.name}: {result.shape}"
            self.values[op.results[0]] = result
        else:
            super().run(op)

    def own_rows(self, op, experts, room):
        """Number among its own experts, token and number of the choice, for each row of the chip's own experts."""
        axes = names(op.attrs["own"])
        chips, rank = self.grid.size(axes), self.grid.rank(self.number, axes)
        rows = [(e // chips, m, j) for e, m, j in rows_of_experts(experts) if e >= 0 and e % chips == rank]
        assert len(rows) <= room, f"{op.name}: {len(rows)} rows of chip {self.number} in a room of {room}"
        return rows

    def write_own(self, op, cache, rows):
        """Position p is that of the chip of rank p mod n, which has it in row p / n."""
        state, begins, axes = cache.copy(), op.numbers("begin"), names(op.attrs["own"])
        chips, rank = self.grid.size(axes), self.grid.rank(self.number, axes)
        for part, written in zip(state.parts.values(), rows, strict=True):
            for b, s, h, d in written.indices():
                position = begins[b if len(begins) > 1 else 0] + s
                if position % chips == rank:
                    assert (b, position // chips, h, d) in part.data, f"{op.name}: no row for position {position}"
                    part.data[b, position // chips, h, d] = written[b, s, h, d]
        return state

    def source(self, op):
        piece = read_piece(op.attrs["llm.piece"]) if "llm.piece" in op.attrs else {}
        of = lambda name: piece.get(name, Axes())
        grid, chip = self.grid, self.number
        if op.name == "llm.weight":
            indices = [self.values[name] for name in op.operands]
            shape = op.result_shapes()[0]
            dims = [of(f"d{n}") for n in range(len(shape))]
            whole = draw_weight(op, indices, [s * grid.size(axes) for s, axes in zip(shape, dims)])
            mine = piece_of(whole, dims, grid, chip)
            if grid.rank(chip, of("summand")):
                return Tensor(mine.shape, 0)  # the first chip has all of it
            return mine
        indices = [self.values[name] for name in op.segment(op.operands, 0)]
        if op.name == "llm.state":
            return self.state(op, spell(op, indices), of)
        assert op.name == "llm.kv_cache", op.name
        batch, heads, width, capacity = (int(n) for n in re.findall(r"= (\d+)", op.types.split("->")[1])[:4])
        dims = [of("batch"), of("capacity"), of("kv_heads"), of("head_dim")]
        shape = (batch, capacity, heads, width)
        name, kinds = spell(op, indices), ["latents"] if "latents" in op.types else ["keys", "values"]
        cache = Cache({k: self.draw(name, f".{k}", shape, dims) for k in kinds})
        cache.name = name
        return cache

    def draw(self, name, kind, shape, dims):
        """The chip's piece, of this shape, of a cache or a state. Both parts of a chip's sequences stand one behind the other."""
        shape = [size * self.grid.size(axes) for size, axes in zip(shape, dims)]
        whole, part = part_of(name)
        parts = 1 if part is None else 2
        mine = piece_of(draw_source(whole + kind, [parts * shape[0], *shape[1:]]), dims, self.grid, self.number)
        rows = mine.shape[0] // parts
        return Tensor([rows, *mine.shape[1:]], lambda i: mine.data[(i[0] + rows * (part or 0), *i[1:])])

    def state(self, op, name, of):
        batch, shape = re.search(r"batch = (\d+), ([\dx]+)x", op.types.split("->")[1]).groups()
        shape = [int(batch), *map(int, shape.split("x"))]
        dims = [of(f"d{n}") for n in range(len(shape))]
        found = Cache({"": self.draw(name, "", shape, dims)})
        found.name = name
        return found


def moe_dispatch(chip, op, x, experts, shares=None):
    room = int(op.number("ownRows"))
    rows = chip.own_rows(op, experts, room)
    share = lambda m, j: shares[m, j] if shares else 1
    element = lambda i: x[rows[i[0]][1], i[1]] * share(*rows[i[0]][1:]) if i[0] < len(rows) else 0
    return Tensor((room, x.shape[1]), element)


def grouped_matmul(chip, op, lhs, rhs, *others):
    _, _, bias, chosen = (op.segment([lhs, rhs, *others], group) for group in range(4))
    rows = chip.own_rows(op, chosen[0], lhs.shape[0])
    swap = "transposeRhs" in op.attrs
    columns, depth = rhs.shape[1 if swap else 2], lhs.shape[1]

    def element(i):
        if i[0] >= len(rows):
            return 0
        e = rows[i[0]][0]
        products = (lhs[i[0], k] * (rhs[e, i[1], k] if swap else rhs[e, k, i[1]]) for k in range(depth))
        return sum(products) + (bias[0][e, i[1]] if bias else 0)

    return Tensor((lhs.shape[0], columns), element)


def moe_combine(chip, op, x, experts, shares=None):
    rows = chip.own_rows(op, experts, x.shape[0])
    of_token = {}
    for row, (_, m, j) in enumerate(rows):
        of_token.setdefault(m, []).append((row, j))
    term = lambda m, row, j, h: (shares[m, j] if shares else 1) * x[row, h]
    element = lambda i: sum(term(i[0], row, j, i[1]) for row, j in of_token.get(i[0], ()))
    return Tensor((experts.shape[0], x.shape[1]), element)


OF_OWN_EXPERTS = {f"llm.{f.__name__}": f for f in (moe_dispatch, grouped_matmul, moe_combine)}


def all_reduce(op, group, rank):
    join = max if re.search(r"\bmax\b", op.attrs["join"]) else sum
    return Tensor(group[0].shape, lambda i: join([x[i] for x in group]))


def all_gather(op, group, rank):
    dim = int(op.number("dim"))
    size = group[0].shape[dim]
    shape = [s * len(group) if d == dim else s for d, s in enumerate(group[0].shape)]
    return Tensor(shape, lambda i: group[i[dim] // size][(*i[:dim], i[dim] % size, *i[dim + 1 :])])


def reduce_scatter(op, group, rank):
    dim, whole = int(op.number("dim")), all_reduce(op, group, rank)
    size = whole.shape[dim] // len(group)
    shape = [size if d == dim else s for d, s in enumerate(whole.shape)]
    return Tensor(shape, lambda i: whole[(*i[:dim], rank * size + i[dim], *i[dim + 1 :])])


def all_to_all(op, group, rank):
    cut, joined = int(op.number("from")), int(op.number("to"))
    piece, size = group[0].shape[cut] // len(group), group[0].shape[joined]
    shape = list(group[0].shape)
    shape[cut], shape[joined] = piece, size * len(group)

    def element(i):
        sender, i = i[joined] // size, list(i)
        i[joined] %= size
        i[cut] += rank * piece
        return group[sender][i]

    return Tensor(shape, element)


def take_piece(op, group, rank):
    dim = int(op.number("dim"))
    size = group[rank].shape[dim] // len(group)
    shape = [size if d == dim else s for d, s in enumerate(group[rank].shape)]
    return Tensor(shape, lambda i: group[rank][(*i[:dim], rank * size + i[dim], *i[dim + 1 :])])


COLLECTIVES = {f"llm.{f.__name__}": f for f in (all_reduce, all_gather, reduce_scatter, all_to_all, take_piece)}


class Tokens:
    """Which tokens go to which chip, by expert_dispatch-R1 and expert_combine-R1: those that choose one of its experts."""

    def __init__(self, chips, op, number):
        self.grid, self.own = chips[number].grid, names(op.attrs["own"])
        self.group = self.grid.group(number, names(op.attrs["axes"]))
        self.experts = {chip: chips[chip].values[op.operands[1]] for chip in self.group}

    def goes(self, sender, token, receiver):
        owner, owners, experts = self.grid.rank(receiver, self.own), self.grid.size(self.own), self.experts[sender]
        chosen = (experts[token, j] for j in range(experts.shape[1]))
        return any(expert >= 0 and expert % owners == owner for expert in chosen)

    def come_to(self, receiver):
        """Sender and number of each token that a chip gets, in order."""
        return [(s, m) for s in self.group for m in range(self.experts[s].shape[0]) if self.goes(s, m, receiver)]


def expert_dispatch(chips, op, chip):
    tokens = Tokens(chips, op, chip.number)
    rows, room = tokens.come_to(chip.number), int(op.number("rows"))
    assert len(rows) <= room, f"{op.name}: {len(rows)} tokens for chip {chip.number} in a room of {room}"

    def received(name, rest):
        width = chip.values[name].shape[1]
        element = lambda i: chips[rows[i[0]][0]].values[name][rows[i[0]][1], i[1]] if i[0] < len(rows) else rest
        return Tensor((room, width), element)

    x, experts, *shares = op.operands
    return [received(x, 0), received(experts, -1), *(received(each, 0) for each in shares)]


def expert_combine(chips, op, chip):
    tokens = Tokens(chips, op, chip.number)
    place = {c: {token: row for row, token in enumerate(tokens.come_to(c))} for c in tokens.group}
    mine = lambda c, m: place[c].get((chip.number, m))
    values = {c: chips[c].values[op.operands[0]] for c in tokens.group}
    term = lambda c, m, h: values[c][mine(c, m), h] if mine(c, m) is not None else 0
    shape = (tokens.experts[chip.number].shape[0], values[chip.number].shape[1])
    return [Tensor(shape, lambda i: sum(term(c, *i) for c in tokens.group))]


OF_EXPERTS = {f"llm.{f.__name__}": f for f in (expert_dispatch, expert_combine)}


def exchange_rows(chips, op):
    by_number = {chip.number: chip for chip in chips}
    results = [OF_EXPERTS[op.name](by_number, op, chip) for chip in chips]
    for chip, own in zip(chips, results):
        assert [list(each.shape) for each in own] == op.result_shapes(), op.name
        chip.values.update(zip(op.results, own, strict=True))


def run_block(chips, block, arguments):
    """All chips run the ops of a block side by side."""
    for chip, own in zip(chips, arguments):
        chip.values.update(zip(block.arguments, own, strict=True))
    for op in block.ops[:-1]:
        if op.name in COLLECTIVES:
            exchange(chips, op)
        elif op.name in OF_EXPERTS:
            exchange_rows(chips, op)
        elif op.name == "scf.for":
            run_loop(chips, op)
        else:
            for chip in chips:
                chip.run(op)
    return [[chip.values[name] for name in block.ops[-1].operands] for chip in chips]


def run_loop(chips, op):
    operands = [[chip.values[name] for name in op.operands] for chip in chips]
    begin, end, step = operands[0][:3]
    carried = [own[3:] for own in operands]
    for index in range(begin, end, step):
        carried = run_block(chips, op.regions[0], [[index, *own] for own in carried])
    for chip, own in zip(chips, carried):
        chip.values.update(zip(op.results, own))


def exchange(chips, op):
    axes, grid = names(op.attrs["axes"]), chips[0].grid
    values = {chip.number: chip.values[op.operands[0]] for chip in chips}
    for chip in chips:
        group = grid.group(chip.number, axes)
        result = COLLECTIVES[op.name](op, [values[c] for c in group], grid.rank(chip.number, axes))
        assert list(result.shape) == op.result_shapes()[0], f"{op.name}: {result.shape}"
        chip.values[op.results[0]] = result


def run_chips(function, grid):
    chips = [Chip(grid, number) for number in range(len(grid.places))]
    return run_block(chips, function.regions[0], [draw_arguments(function) for _ in chips])


def inputs_of(function):
    """The number of the argument of the whole program that each argument is; None for one that the stage receives."""
    count = len(function.regions[0].arguments)
    entries = re.findall(r"\{[^{}]*\}", function.attrs.get("arg_attrs", "")) or [""] * count
    assert len(entries) == count, f"{len(entries)} entries for {count} arguments"
    found = [re.search(r"llm\.input = (\d+)", entry) for entry in entries]
    return [int(each.group(1)) if each else None for each in found]


def run_stages(whole, stages, grid):
    """The results of the last stage, whose chips have received what those of the stage before had made."""
    drawn = draw_arguments(whole)
    handed = None
    for number, function in enumerate(stages):
        assert re.search(rf"#llm\.stage<{number} of {len(stages)}( in {len(stages) // grid.axes['pp']} rounds)?,", function.attrs["llm.stage"]), function.attrs
        chips = [Chip(grid, n) for n, place in enumerate(grid.places) if place["pp"] == number % grid.axes["pp"]]
        inputs = inputs_of(function)
        received = inputs.count(None)
        assert all(i is None for i in inputs[:received]) and received == (len(handed[0]) if handed else 0)
        given = [drawn[i] for i in inputs[received:]]
        handed = run_block(chips, function.regions[0], [(handed[n] if handed else []) + given for n in range(len(chips))])
    return handed


def close(a, b):
    return equal(a, b) or abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1)


def compare(name, whole, chips):
    """How many elements agree on each chip."""
    for number, own in enumerate(chips):
        for a, b in zip(whole, own, strict=True):
            assert a.shape == b.shape, f"{name}, chip {number}: {b.shape} for {a.shape}"
            for i in a.indices():
                if not close(a.data[i], b.data[i]):
                    sys.exit(f"{name}, chip {number}: {list(i)} is {b.data[i]}, not {a.data[i]}")
    return sum(len(x.data) for x in whole)


def check(before, after):
    """Programs by name in two texts, of which the second has a grid."""
    grid = Grid(re.search(r"#llm\.grid<([^>]*)>", after).group(1))
    whole, cut = parse(before), parse(after)
    rounds = int((re.search(r"#llm\.stage<0 of \d+ in (\d+) rounds", after) or [0, 1])[1])
    count = grid.axes.get("pp", 1) * rounds
    stages = {name: [f"{name}_stage{n}" for n in range(count)] if count > 1 else [name] for name in whole}
    assert sum(stages.values(), []) == list(cut) and whole
    for name, function in whole.items():
        expected = Machine().block(function.regions[0], draw_arguments(function))
        own = [cut[stage] for stage in stages[name]]
        found = run_stages(function, own, grid) if count > 1 else run_chips(*own, grid)
        isExchange = lambda op: op.name in OF_EXPERTS or (op.name in COLLECTIVES and op.name != "llm.take_piece")
        exchanges = sum(isExchange(op) for each in own for op in each.walk())
        yield name, compare(name, expected, found), len(grid.places), exchanges


def main():
    before, after = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
    for name, count, chips, exchanges in check(before, after):
        print(f"{name}: {count} elements agree on {chips} chips with {exchanges} collectives")


if __name__ == "__main__":
    main()
