"""What ops of llm compute, for interpret.py: written from Spec.md anew, on nested numbers of Python."""
import itertools
import math
import re
import zlib


class Tensor:
    """Elements by index, as a dictionary: slices are cheap to write."""

    def __init__(self, shape, value=None):
        self.shape = tuple(shape)
        self.data = {}
        for index in self.indices():
            self.data[index] = value(index) if callable(value) else value

    def indices(self):
        return itertools.product(*map(range, self.shape))

    def __getitem__(self, index):
        value = self.data[tuple(index)]
        assert value is not None, "reads what nobody wrote"
        return value


def elementwise(function):
    return lambda op, *xs: Tensor(xs[0].shape, lambda i: function(op, *(x[i] for x in xs)))


def mul(op, a, b):
    """The last dimensions of a are those of b, of which those of size 1 have one index."""
    at = lambda i: tuple(n if size != 1 else 0 for n, size in zip(i[len(i) - len(b.shape):], b.shape))
    return Tensor(a.shape, lambda i: a[i] * b[at(i)])


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def swiglu(op, g, u):
    if "gateCap" in op.attrs:
        a, b = op.number("gateCap"), op.number("upCap")
        return a * math.tanh(g / a) * sigmoid(g) * b * math.tanh(u / b)
    if "clamp" in op.attrs:
        clamp = op.number("clamp")
        g = min(g, clamp)
        return g * sigmoid(g) * max(-clamp, min(u, clamp))
    if "limit" not in op.attrs:
        return g * sigmoid(g) * u
    limit = op.number("limit")
    g, u = min(g, limit), max(-limit, min(u, limit))
    return g * sigmoid(1.702 * g) * (u + 1)


def gelu_tanh(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {
    "silu": lambda x: x * sigmoid(x),
    "gelu": lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))),
    "gelu_tanh": gelu_tanh,
    "relu": lambda x: max(x, 0),
    "relu2": lambda x: max(x, 0) ** 2,
    "sigmoid": sigmoid,
    "softplus": lambda x: math.log(1 + math.exp(x)),
}


def activation(op, x, bias=None):
    function = ACTIVATIONS[re.findall(r"\w+", op.attrs["kind"])[-1]]
    return Tensor(x.shape, lambda i: function(x[i] + (bias[(i[-1],)] if bias else 0)))


def matmul(op, lhs, rhs, bias=None):
    swap = "transposeRhs" in op.attrs
    (rows, depth), columns = lhs.shape, rhs.shape[0 if swap else 1]
    return Tensor(
        (rows, columns),
        lambda i: sum(lhs[i[0], k] * (rhs[i[1], k] if swap else rhs[k, i[1]]) for k in range(depth))
        + (bias[(i[1],)] if bias else 0),
    )


def batch_matmul(op, lhs, rhs):
    swap = "transposeRhs" in op.attrs
    (rows, heads, depth), columns = lhs.shape, rhs.shape[1 if swap else 2]
    return Tensor(
        (rows, heads, columns),
        lambda i: sum(
            lhs[i[0], i[1], k] * (rhs[i[1], i[2], k] if swap else rhs[i[1], k, i[2]]) for k in range(depth)
        ),
    )


def grouped_matmul(op, lhs, rhs, *others):
    # Rows go where the router sends them; without its word, as many to each expert as are counted.
    _, _, bias, chosen = (op.segment([lhs, rhs, *others], group) for group in range(4))
    bias = bias[0] if bias else None
    swap = "transposeRhs" in op.attrs
    expert = [e for e, rows in enumerate(op.numbers("rowsPerExpert")) for _ in range(rows)]
    if chosen:
        # Arguments are drawn without a look at how many experts there are.
        named = Tensor(chosen[0].shape, lambda i: abs(chosen[0][i]) % rhs.shape[0])
        expert = [e for e, _, _ in rows_of_experts(named)]
    assert len(expert) == lhs.shape[0]
    columns, depth = rhs.shape[1 if swap else 2], lhs.shape[1]

    def element(i):
        e = expert[i[0]]
        products = (lhs[i[0], k] * (rhs[e, i[1], k] if swap else rhs[e, k, i[1]]) for k in range(depth))
        return sum(products) + (bias[e, i[1]] if bias else 0)

    return Tensor((lhs.shape[0], columns), element)


def rmsnorm(op, x, weight=None):
    width = x.shape[-1]

    def element(i):
        mean = sum(x[i[:-1] + (h,)] ** 2 for h in range(width)) / width
        return x[i] / math.sqrt(mean + op.number("epsilon")) * ((weight[i[-len(weight.shape):]] + ("addUnitOffset" in op.attrs)) if weight else 1)

    return Tensor(x.shape, element)


def positions(op, values):
    """Of each sequence, the first; an open one is the next operand."""
    values = iter(values)
    return [next(values) if begin == op.DYNAMIC else begin for begin in op.numbers("begin")]


def frequency(op, pair, width):
    """Radians per position, and what cosines and sines are multiplied by."""
    theta = op.number("theta")
    plain = theta ** (-2 * pair / width)
    if "scaling" not in op.attrs:
        return plain, 1
    scaling = op.attrs["scaling"]
    kind = re.search(r"rope_scaling<(\w+)", scaling).group(1)
    figure = lambda name, absent=None: float((re.search(rf"\b{name} = ([^,>]*)", scaling) or [0, absent])[1])
    amplitude = figure("attention_factor", 1)
    if kind == "listed":
        factors = re.search(r"factors = \[([^\]]*)\]", scaling).group(1).split(", ")
        return plain / float(factors[pair]), amplitude
    if kind == "proportional":
        return plain if pair < int(figure("factor") * (width // 2)) else 0, amplitude
    kept = 0
    if kind == "llama3":
        turns = figure("original_max_position_embeddings") * plain / (2 * math.pi)
        low, high = figure("low_freq_factor"), figure("high_freq_factor")
        kept = 1 if turns > high else 0 if turns < low else (turns - low) / (high - low)
    if kind == "yarn":
        positions = figure("original_max_position_embeddings")
        pair_of = lambda turns: width * math.log(positions / (turns * 2 * math.pi)) / (2 * math.log(theta))
        first, last = pair_of(figure("beta_fast")), pair_of(figure("beta_slow"))
        if "truncate = true" in scaling:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, width - 1)
        kept = 1 - min(max((pair - first) / (last - first if last != first else 0.001), 0), 1)
    return kept * plain + (1 - kept) * plain / figure("factor"), amplitude


def rope(op, x, *values):
    begins, width = positions(op, values), x.shape[3]
    half, turns_neighbours = width // 2, "interleaved" in op.attrs

    def element(i):
        b, s, h, d = i
        pair = d // 2 if turns_neighbours else d % half
        radians, amplitude = frequency(op, pair, width)
        angle = (begins[b if len(begins) > 1 else 0] + s) * radians
        first, second = (2 * pair, 2 * pair + 1) if turns_neighbours else (pair, pair + half)
        other = -x[b, s, h, second] if d == first else x[b, s, h, first]
        return amplitude * (x[i] * math.cos(angle) + other * math.sin(angle))

    return Tensor(x.shape, element)


def position_scale(op, x, *values):
    begins = positions(op, values)

    def element(i):
        position = begins[i[0] if len(begins) > 1 else 0] + i[1]
        return x[i] * (1 + op.number("slope") * math.log(1 + (position + 1) // op.number("step")))

    return Tensor(x.shape, element)


class Mask:
    def __init__(self, op, queries, keys):
        text, self.queries, self.keys = op.attrs["mask"], queries, keys
        self.is_causal = "causal" in text
        assert not self.is_causal or keys >= queries, "a query before the first key"
        self.window, self.chunk = ([int(n) for n in re.findall(f"{w} (\\d+)", text)] for w in ("window", "chunk"))
        self.first = [int(n) for n in self.list_of("from", text)] or [0]
        self.lengths = [int(n) for n in self.list_of("lengths", text)]

    @staticmethod
    def list_of(word, text):
        found = re.search(word + r" \[?([\d, ]+)", text)
        return found.group(1).replace(",", " ").split() if found else []

    def visible(self, b, s):
        """The keys that query s of sequence b sees."""
        keys = self.lengths[b] if self.lengths else self.keys
        own = s + keys - self.queries
        first = self.first[b if len(self.first) > 1 else 0]
        for t in range(keys):
            if self.is_causal and t > own:
                break
            if self.window and t <= own - self.window[0]:
                continue
            if self.chunk and (t + first) // self.chunk[0] != (own + first) // self.chunk[0]:
                continue
            yield t


def capped(op, scores):
    cap = op.number("softCap") if "softCap" in op.attrs else None
    return {t: cap * math.tanh(x / cap) for t, x in scores.items()} if cap else scores


def softmax_row(op, scores, sink):
    """Scores by key to probabilities by key."""
    scores = capped(op, scores)
    largest = max([*scores.values(), *sink])
    total = sum(math.exp(x - largest) for x in [*scores.values(), *sink])
    return {t: math.exp(x - largest) / total for t, x in scores.items()}


def softmax(op, x, sinks=None):
    mask, rows = Mask(op, x.shape[2], x.shape[3]), {}
    for b, h, s in itertools.product(*map(range, x.shape[:3])):
        scores = {t: x[b, h, s, t] for t in mask.visible(b, s)}
        rows[b, h, s] = softmax_row(op, scores, [sinks[(h,)]] if sinks else [])
    return Tensor(x.shape, lambda i: rows[i[:3]].get(i[3], 0))


def layernorm(op, x, weight, bias=None):
    def element(i):
        row = [x[(*i[:-1], c)] for c in range(x.shape[-1])]
        mean = sum(row) / len(row)
        variance = sum((value - mean) ** 2 for value in row) / len(row)
        scaled = (x[i] - mean) / math.sqrt(variance + op.number("epsilon")) * weight[i[-1:]]
        return scaled + bias[i[-1:]] if bias else scaled

    return Tensor(x.shape, element)


def score(op, q, k, b, s, h, t):
    group = q.shape[2] // k.shape[2]
    return op.number("scale") * sum(q[b, s, h, d] * k[b, t, h // group, d] for d in range(q.shape[3]))


def index_scores(op, q, k, weights, b, s, t):
    """Of each group."""
    scores = [score(op, q, k, b, s, h, t) for h in range(q.shape[2])]
    return [sum(weights[b, s, h] * max(0, x) for h, x in enumerate(scores))] if weights else scores


def select_keys(op, q, k, weights=None):
    mask, top, block = Mask(op, q.shape[1], k.shape[1]), int(op.number("top")), whole(op, "block", 1)
    out = Tensor((*q.shape[:2], 1 if weights else q.shape[2], top), -1)
    for b, s, g in itertools.product(*map(range, out.shape[:3])):
        best = {}
        for t in mask.visible(b, s):
            best[t // block] = max(best.get(t // block, -math.inf), index_scores(op, q, k, weights, b, s, t)[g])
        first, last = whole(op, "initial", 0), max(best) - whole(op, "local", 0)
        order = sorted(best, key=lambda n: (n >= first and n <= last, -best[n] if first <= n <= last else 0, n))
        for slot, n in enumerate(order[:top]):
            out.data[b, s, g, slot] = n
    return out


def whole(op, name, otherwise):
    return int(op.number(name)) if name in op.attrs else otherwise


def chosen_keys(op, selected, b, s, group, keys):
    """Of `keys` those that are selected."""
    block = whole(op, "block", 1)
    numbers = {selected[b, s, group if selected.shape[2] > 1 else 0, slot] for slot in range(selected.shape[3])}
    return [t for t in keys if t // block in numbers]


def attend(op, q, k, v, value_dim, sinks=None, selected=None):
    mask, out, lse = Mask(op, q.shape[1], k.shape[1]), Tensor((*q.shape[:3], value_dim)), Tensor(q.shape[:3])
    group = q.shape[2] // v.shape[2]
    assert group * v.shape[2] == q.shape[2]
    for b, s, h in itertools.product(*map(range, q.shape[:3])):
        keys = mask.visible(b, s)
        if selected:
            keys = chosen_keys(op, selected, b, s, h // group, keys)
        scores = {t: score(op, q, k, b, s, h, t) for t in keys}
        row = softmax_row(op, scores, [sinks[(h,)]] if sinks else [])
        for c in range(value_dim):
            out.data[b, s, h, c] = sum(p * v[b, t, h // group, c] for t, p in row.items())
        if "returnLse" in op.attrs:
            lse.data[b, s, h] = math.log(sum(map(math.exp, [*capped(op, scores).values(), *([sinks[(h,)]] if sinks else [])])))
    return [out, lse] if "returnLse" in op.attrs else out


def join_attn(op, x, lse, sinks=None):
    parts = int(op.number("parts"))
    queries = x.shape[1] // parts

    def element(i):
        b, s, h, c = i
        weights = [math.exp(lse[b, p * queries + s, h]) for p in range(parts)]
        total = sum(weights) + (math.exp(sinks[(h,)]) if sinks else 0)
        return sum(w * x[b, p * queries + s, h, c] for p, w in enumerate(weights)) / total

    return Tensor((x.shape[0], queries, *x.shape[2:]), element)


def compressed_attn(op, *operands):
    """Tokens and entries in one softmax. An entry stands for `stride` tokens, and a length is a number of tokens."""
    q, z, sinks, entries, selected = ((op.segment(list(operands), n) or [None])[0] for n in range(5))
    tokens, out = Mask(op, q.shape[1], z.shape[1]), Tensor(q.shape)
    sees = op.attrs.get("sees", "")
    stride = int((re.search(r"stride (\d+)", sees) or [0, 1])[1])
    lengths = [int(n) for n in Mask.list_of("lengths", sees)]
    for b, s, h in itertools.product(*map(range, q.shape[:3])):
        vectors = {(0, t): z for t in tokens.visible(b, s)}
        if entries:
            position = (lengths[b] if lengths else stride * entries.shape[1]) - q.shape[1] + s
            seen = [t for t in range(entries.shape[1]) if "causal" not in sees or (t + 1) * stride <= position + 1]
            seen = chosen_keys(op, selected, b, s, 0, seen) if selected else seen
            vectors |= {(1, t): entries for t in seen}
        scores = {key: score(op, q, of, b, s, h, key[1]) for key, of in vectors.items()}
        row = softmax_row(op, scores, [sinks[(h,)]] if sinks else [])
        for c in range(q.shape[3]):
            out.data[b, s, h, c] = sum(p * vectors[key][b, key[1], 0, c] for key, p in row.items())
    return out


def qk(op, q, k):
    mask = Mask(op, q.shape[1], k.shape[1])
    out = Tensor((q.shape[0], q.shape[2], q.shape[1], k.shape[1]), HIDDEN)
    for b, h, s in itertools.product(*map(range, out.shape[:3])):
        for t in mask.visible(b, s):
            out.data[b, h, s, t] = score(op, q, k, b, s, h, t)
    return out


def pv(op, p, v):
    mask, group = Mask(op, p.shape[2], p.shape[3]), p.shape[1] // v.shape[2]
    return Tensor(
        (p.shape[0], p.shape[2], p.shape[1], v.shape[3]),
        lambda i: sum(p[i[0], i[2], i[1], t] * v[i[0], t, i[2] // group, i[3]] for t in mask.visible(i[0], i[1])),
    )


def repeat_kv(op, x):
    heads = int(op.number("heads"))
    group = heads // x.shape[2]
    return Tensor((*x.shape[:2], heads, x.shape[3]), lambda i: x[i[0], i[1], i[2] // group, i[3]])


def largest(numbers, count):
    """Where the largest numbers of a list are, the first of equal ones first."""
    return sorted(range(len(numbers)), key=lambda n: (-numbers[n], n))[:count]


def keep_groups(op, numbers, is_biased):
    """Numbers of the best groups; none of the others can be selected."""
    groups = int(op.number("groups"))
    size = len(numbers) // groups
    of_group = lambda g: sorted(numbers[g * size : (g + 1) * size], reverse=True)
    best = largest([sum(of_group(g)[: 2 if is_biased else 1]) for g in range(groups)], int(op.number("topGroups")))
    return [x if e // size in best else -math.inf for e, x in enumerate(numbers)]


def route_token(op, logits, bias):
    """The experts of a token, and their shares."""
    scoring = re.findall(r"\w+", op.attrs["scoring"])[-1]
    sigmoid = lambda x: 1 / (1 + math.exp(-x))
    softmax_of = lambda row: [math.exp(x - max(row)) / sum(math.exp(y - max(row)) for y in row) for x in row]
    scores = softmax_of(logits) if scoring == "softmax" else [*map(sigmoid, logits)] if scoring == "sigmoid" else logits
    selectable = [x + bias[e,] for e, x in enumerate(scores)] if bias else scores
    if "groups" in op.attrs:
        selectable = keep_groups(op, selectable, bias is not None)
    experts = largest(selectable, int(op.number("topK")))
    shares = [scores[e] for e in experts]
    shares = softmax_of(shares) if scoring == "topk_softmax" else shares
    shares = [*map(sigmoid, shares)] if scoring == "topk_sigmoid" else shares
    if "normalize" in op.attrs:
        shares = [x / sum(shares) for x in shares]
    scale = op.number("scale") if "scale" in op.attrs else 1
    return experts, [scale * x for x in shares]


def moe_route(op, logits, *others):
    """The largest scores, and their shares, each times the scale of its expert."""
    (bias,), (scales,) = (op.segment([logits, *others], group) or [None] for group in (1, 2))
    shape = (logits.shape[0], int(op.number("topK")))
    chosen = [route_token(op, [logits[m, e] for e in range(logits.shape[1])], bias) for m in range(shape[0])]
    scale = lambda expert: scales[expert,] if scales else 1
    return (Tensor(shape, lambda i: chosen[i[0]][1][i[1]] * scale(chosen[i[0]][0][i[1]])),
            Tensor(shape, lambda i: chosen[i[0]][0][i[1]]))


def rows_of_experts(experts):
    """Expert, token and number of the choice of each row: by expert, then by token."""
    return sorted((experts[m, j], m, j) for m, j in experts.indices())


def moe_dispatch(op, x, experts, shares=None):
    rows = rows_of_experts(experts)
    share = lambda m, j: shares[m, j] if shares else 1
    return Tensor((len(rows), x.shape[1]), lambda i: x[rows[i[0]][1], i[1]] * share(*rows[i[0]][1:]))


def moe_combine(op, x, experts, shares=None):
    row = {(m, j): r for r, (_, m, j) in enumerate(rows_of_experts(experts))}
    choices = range(experts.shape[1])
    return Tensor((experts.shape[0], x.shape[1]),
                  lambda i: sum((shares[i[0], j] if shares else 1) * x[row[i[0], j], i[1]] for j in choices))


def sample(op, logits):
    return Tensor(
        logits.shape[:1], lambda i: max(range(logits.shape[1]), key=lambda v: (logits[i[0], v], -v))
    )


def embedding(op, tokens, table):
    # Arguments are drawn without a look at their types, and no token is below 0.
    return Tensor((tokens.shape[0], table.shape[1]), lambda i: table[abs(tokens[i[:1]]), i[1]])


def spell(op, indices):
    """The name of a source, with the indices in it."""
    name = op.attrs["name"].strip('"')
    for index in indices:
        name = name.replace("{}", str(index), 1)
    return name


def draw_source(name, shape):
    """What a weight or a cache of this name holds at the start: quarters in [-3/4, 3/4]."""
    state = zlib.crc32(name.encode())

    def number(_):
        nonlocal state
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        return ((state >> 16) % 7 - 3) / 4

    return Tensor(shape, number)


def draw_weight(op, indices, shape):
    """A weight of this shape, behind whose own elements (`llm.unpadded`) there are zeros."""
    stored = op.numbers("llm.unpadded") if "llm.unpadded" in op.attrs else shape
    drawn = draw_source(spell(op, indices), stored)
    return Tensor(shape, lambda i: drawn.data.get(tuple(i), 0)) if list(stored) != list(shape) else drawn


def weight(op, *indices):
    return draw_weight(op, indices, op.result_shapes()[0])


class Cache:
    """One state of a cache: its tensors by what they are."""

    def __init__(self, parts):
        self.parts = parts
        self.shape = ()

    def copy(self):
        return Cache({what: Tensor(x.shape, lambda i, x=x: x.data[i]) for what, x in self.parts.items()})


def kv_cache(op, *operands):
    indices = op.segment(list(operands), 0)
    batch, heads, width, capacity = (int(n) for n in re.findall(r"= (\d+)", op.types.split("->")[1])[:4])
    name, kinds = spell(op, indices), ["latents"] if "latents" in op.types else ["keys", "values"]
    return Cache({k: draw_source(f"{name}.{k}", (batch, capacity, heads, width)) for k in kinds})


def kv_write(op, cache, *rows):
    state, begins = cache.copy(), op.numbers("begin")
    for part, written in zip(state.parts.values(), rows, strict=True):
        for b, s, h, d in written.indices():
            part.data[b, begins[b if len(begins) > 1 else 0] + s, h, d] = written[b, s, h, d]
    return state


def kv_read(op, cache):
    begins, ends = op.numbers("begin"), op.numbers("end")
    longest = max(end - begin for begin, end in zip(begins, ends))
    of = lambda numbers, b: numbers[b if len(numbers) > 1 else 0]

    def element(part, i):
        b, t = i[:2]
        return part[b, of(begins, b) + t, i[2], i[3]] if of(begins, b) + t < of(ends, b) else HIDDEN

    shape = lambda part: (part.shape[0], longest, *part.shape[2:])
    return [Tensor(shape(part), lambda i, part=part: element(part, i)) for part in cache.parts.values()]


# What an op leaves uncomputed: equal to anything (qk of keys that a query does not see).
HIDDEN = float("nan")

LLM_OPS = {
    "matmul": matmul,
    "batch_matmul": batch_matmul,
    "grouped_matmul": grouped_matmul,
    "rmsnorm": rmsnorm,
    "rope": rope,
    "position_scale": position_scale,
    "softmax": softmax,
    "gqa_attn": lambda op, *x: attend(op, *x[:3], x[2].shape[3], *(next(iter(op.segment(x, n)), None) for n in (3, 4))),
    "mla_attn": lambda op, q, z, *x: attend(op, q, z, z, int(op.number("valueDim")), None, *x),
    "join_attn": join_attn,
    "compressed_attn": compressed_attn,
    "select_keys": select_keys,
    "layernorm": layernorm,
    "qk": qk,
    "pv": pv,
    "repeat_kv": repeat_kv,
    "embedding": embedding,
    "weight": weight,
    "kv_cache": kv_cache,
    "kv_write": kv_write,
    "kv_read": kv_read,
    "moe_route": moe_route,
    "moe_dispatch": moe_dispatch,
    "moe_combine": moe_combine,
    "sample": sample,
    "quantize": elementwise(lambda op, x: x),
    "add": elementwise(lambda op, a, b: a + b),
    "mul": mul,
    "scale": elementwise(lambda op, x: op.number("factor") * x),
    "soft_cap": elementwise(lambda op, x: op.number("cap") * math.tanh(x / op.number("cap"))),
    "swiglu": elementwise(swiglu),
    "geglu": elementwise(lambda op, a, b: gelu_tanh(a) * b),
    "activation": activation,
}
