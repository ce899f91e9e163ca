"""What layers with a state compute, for interpret.py: token by token, from Spec.md."""
import math
import re

from interpret_ops import ACTIVATIONS, Cache, Tensor, draw_source, sigmoid, spell


def state(op, *operands):
    """One array, which has the name of the state itself."""
    name = spell(op, op.segment(list(operands), 0))
    batch, shape = re.search(r"batch = (\d+), ([\dx]+)x", op.types.split("->")[1]).groups()
    return Cache({"": draw_source(name, [int(batch), *map(int, shape.split("x"))])})


def conv1d(op, x, weight, *others):
    old = others[-1].parts[""]
    kept = old.shape[1]
    bias = others[0] if len(others) > 1 else None
    activation = ACTIVATIONS[re.findall(r"\w+", op.attrs["activation"])[-1]] if "activation" in op.attrs else lambda y: y
    at = lambda b, s, c: x[b, s, c] if s >= 0 else old[b, kept + s, c]

    def element(i):
        b, s, c = i
        taps = sum(weight[c, n] * at(b, s - kept + n, c) for n in range(kept + 1))
        return activation(taps + (bias[(c,)] if bias else 0))

    first = 1 - kept if "everyStep" in op.attrs else x.shape[1] - kept
    rows = x.shape[1] - first
    last = Tensor((old.shape[0], rows, old.shape[2]), lambda i: at(i[0], first + i[1], i[2]))
    return [Tensor(x.shape, element), Cache({"": last})]


def unit(op, x):
    """Rows divided by the root of their sum of squares."""
    if "qkNorm" not in op.attrs:
        return x
    root = {i[:3]: math.sqrt(sum(x[*i[:3], d] ** 2 for d in range(x.shape[3])) + op.number("qkNorm"))
            for i in x.indices()}
    return Tensor(x.shape, lambda i: x[i] / root[i[:3]])


def log_decay(op, decay, rate, where, channel):
    """Of a token of a head (where) and a channel of the key."""
    head = where[2]
    if decay is None and rate is None:
        return 0.0
    if decay is None:
        return -math.exp(rate[(head,)])
    given = decay[where] if len(decay.shape) == 3 else decay[*where, channel]
    if rate is None:
        return given
    if "limit" in op.attrs:
        return op.number("limit") * sigmoid(math.exp(rate[(head,)]) * given)
    return -math.exp(rate[(head,)]) * given


def linear_attn(op, *operands):
    group = lambda n: (op.segment(list(operands), n) or [None])[0]
    q, k, v, decay, rate, beta, skip, old = (group(n) for n in range(8))
    q, k = unit(op, q), unit(op, k)
    is_delta = "delta" in op.attrs["rule"]
    new, out = old.copy(), Tensor(v.shape, 0.0)
    matrix = new.parts[""].data
    batch, tokens, heads, value_dim = v.shape
    steps = {}
    key_heads, key_dim = q.shape[2:]
    for b in range(batch):
        for h in range(heads):
            shared = h // (heads // key_heads)
            for s in range(tokens):
                key = [k[b, s, shared, d] for d in range(key_dim)]
                query = [q[b, s, shared, d] for d in range(key_dim)]
                strength = beta[b, s, h] if beta else 1.0
                for d in range(key_dim):
                    factor = math.exp(log_decay(op, decay, rate, (b, s, h), d))
                    for c in range(value_dim):
                        matrix[b, h, d, c] *= factor
                for c in range(value_dim):
                    known = sum(matrix[b, h, d, c] * key[d] for d in range(key_dim)) if is_delta else 0
                    update = strength * (v[b, s, h, c] - known)
                    for d in range(key_dim):
                        matrix[b, h, d, c] += key[d] * update
                    read = sum(matrix[b, h, d, c] * query[d] for d in range(key_dim))
                    out.data[b, s, h, c] = op.number("scale") * read + (skip[(h,)] * v[b, s, h, c] if skip else 0)
                steps |= {(b, s, h, d, c): matrix[b, h, d, c] for d in range(key_dim) for c in range(value_dim)}
    if "everyStep" in op.attrs:
        new = Cache({"": Tensor((batch, tokens, heads, key_dim, value_dim), lambda i: steps[i])})
    return [out, new]


def compress(op, values, gates, bias, old):
    """A window of m tokens is an entry once its last token is there."""
    kept, (m, channels), tokens = old.parts[""], bias.shape, values.shape[1]
    rows = kept.shape[2]
    halves, begins = rows // m, op.numbers("begin")
    depth = channels // halves

    def token(b, array, position, c):
        new = position - begins[b if len(begins) > 1 else 0]
        return (gates if array else values)[b, new, c] if new >= 0 else kept[b, array, rows + new, c]

    def entry(i):
        b, number, d = i
        window = begins[b if len(begins) > 1 else 0] // m + number
        of = [(p, (p // m - window + halves - 1) * depth + d)
              for p in range((window - halves + 1) * m, (window + 1) * m) if p >= 0]
        weights = [math.exp(token(b, 1, p, c) + bias[p % m, c]) for p, c in of]
        return sum(w * token(b, 0, p, c) for w, (p, c) in zip(weights, of)) / sum(weights)

    last = rows - 1 + tokens if "everyStep" in op.attrs else rows
    state = Tensor((kept.shape[0], 2, last, channels), lambda i: token(
        i[0], i[1], begins[i[0] if len(begins) > 1 else 0] + tokens - last + i[2], i[3]))
    windows = (begins[0] + tokens) // m - begins[0] // m  # the same for all sequences
    entries = [Tensor((values.shape[0], windows, depth), entry)] if windows else []
    return [*entries, Cache({"": state})]


def state_cast(_, x, before=None):
    """One array, with a name or without."""
    return x.parts[""] if isinstance(x, Cache) else Cache({"": x})


RECURRENT_OPS = {"state": state, "conv1d": conv1d, "linear_attn": linear_attn, "compress": compress,
                 "state_cast": state_cast}
