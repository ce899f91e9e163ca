"""Each rule of Spec.md of what an op computes and where it rounds, against NumPy in float64.

    check_rounding_rules.py FOLDER

A case has a program, what the rule makes of its inputs, and what one more rounding (or a sum in another type, or a cut
instead of the nearest number) would make of them. llm-run must give the first, which must differ from the second.
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
from block_scaled import quantize
from safetensors_file import read_safetensors
from small_formats import Format, round_bf16

RNG = np.random.default_rng(5)
ROWS, COLUMNS = 8, 32


def bf16(x):
    """To nearest, ties to even, by way of f32."""
    x = np.asarray(x, np.float32)
    return round_bf16(np.atleast_1d(x)).reshape(x.shape).astype(float)


def cut(x):
    """Towards 0."""
    return (np.asarray(x, np.float32).view(np.uint32) & 0xffff0000).view(np.float32).astype(float)


def draw(*shape):
    return bf16(RNG.normal(0, 1, shape))


def silu(x):
    return x / (1 + np.exp(-x))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def sum_in_steps(terms):
    """Along the last dimension, rounded after each term."""
    total = np.zeros(terms.shape[:-1])
    for i in range(terms.shape[-1]):
        total = bf16(total + terms[..., i])
    return total


def exponentials(scores, round_terms=lambda x: x):
    return round_terms(np.exp(scores - scores.max(-1, keepdims=True)))


class Case:
    """`inputs`: (name, type, numbers). The function returns %y."""

    def __init__(self, label, inputs, body, result, expected, other):
        self.label, self.inputs, self.body, self.result = label, inputs, body, result
        self.expected, self.other = np.asarray(expected, float), np.asarray(other, float)

    def text(self):
        arguments = ", ".join(f"%{name}: {kind}" for name, kind, _ in self.inputs)
        return f"func.func @rule({arguments}) -> {self.result} {{\n{self.body}\n  return %y : {self.result}\n}}\n"

    def check(self, folder):
        (folder / "rule.mlir").write_text(self.text())
        files = []
        for name, kind, numbers in self.inputs:
            wide = np.float64 if "f64" in kind else np.int32 if "i32" in kind else np.float32
            np.save(folder / f"{name}.npy", np.asarray(numbers, wide))
            files.append(f"--input={folder}/{name}.npy")
        done = subprocess.run(["llm-run", folder / "rule.mlir", *files, f"--output={folder}/y.safetensors"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{self.label}: {done.stderr}")
        found = decode(read_safetensors(folder / "y.safetensors")["result0"], self.result)
        # A sum in f32 that is beside a tie may go the other way.
        right = np.mean(found == self.expected)
        same = np.mean(self.expected == self.other)
        if not (found.shape == self.expected.shape and right >= 0.99 and same < 0.99):
            at = np.flatnonzero((found != self.expected).ravel())[:1]
            sys.exit(f"{self.label}: {right:.0%} as the rule says, {same:.0%} of it as another would; "
                     f"at {at} found {found.ravel()[at]}, expected {self.expected.ravel()[at]}")
        print(f"{self.label}: {found.size} numbers", flush=True)


def decode(stored, kind):
    if "bf16" in kind:
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(float)
    if "f8E4M3FN" in kind:
        return Format("f8E4M3FN").numbers[stored.view(np.uint8)]
    return stored.astype(float)


def tensor(*shape, element="bf16"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


X = tensor(ROWS, COLUMNS)


def unary(label, text, expected, other):
    x = draw(ROWS, COLUMNS)
    return Case(label, [("x", X, x)], f"  %y = llm.{text} : {X}", X, bf16(expected(x)), other(x))


def binary(label, text, expected, other):
    a, b = draw(ROWS, COLUMNS), draw(ROWS, COLUMNS)
    return Case(label, [("a", X, a), ("b", X, b)], f"  %y = llm.{text} %a, %b : {X}, {X}", X,
                bf16(expected(a, b)), other(a, b))


def elementwise_cases():
    yield binary("add-R1", "add", lambda a, b: a + b, lambda a, b: cut(a + b))
    yield binary("mul-R1", "mul", lambda a, b: a * b, lambda a, b: cut(a * b))
    yield binary("swiglu-R1", "swiglu", lambda a, b: silu(a) * b, lambda a, b: bf16(bf16(silu(a)) * b))
    yield binary("geglu-R1", "geglu", lambda a, b: gelu_tanh(a) * b, lambda a, b: bf16(bf16(gelu_tanh(a)) * b))
    yield unary("scale-R1", "scale %x by 1.1", lambda x: 1.1 * x, lambda x: bf16(bf16(1.1) * x))
    yield unary("soft_cap-R1", "soft_cap %x cap 3.0", lambda x: 3 * np.tanh(x / 3), lambda x: bf16(3 * bf16(np.tanh(x / 3))))
    yield unary("activation-R1", "activation silu %x", silu, lambda x: bf16(x * bf16(1 / (1 + np.exp(-x)))))
    x, weight = draw(ROWS, COLUMNS), draw(COLUMNS)
    scaled = x / np.sqrt(np.mean(x ** 2, -1, keepdims=True) + 1e-5)
    w = tensor(COLUMNS)
    yield Case("rmsnorm-R1", [("x", X, x), ("w", w, weight)],
               f"  %y = llm.rmsnorm %x, %w add_unit_offset epsilon 1.0e-5 : {X}, {w}", X,
               bf16(scaled * (1 + weight)), bf16(bf16(scaled) * bf16(1 + weight)))


def selection_cases():
    x, weight, bias = draw(ROWS, COLUMNS), draw(COLUMNS), draw(COLUMNS)
    x = bf16(x + 64)  # The mean of squares less the square of the mean would be rounded away.
    far = x - x.mean(-1, keepdims=True)
    scaled = far / np.sqrt(np.mean(far ** 2, -1, keepdims=True) + 1e-5)
    w = tensor(COLUMNS)
    yield Case("layernorm-R1", [("x", X, x), ("w", w, weight), ("b", w, bias)],
               f"  %y = llm.layernorm %x, %w, %b epsilon 1.0e-5 : {X}, {w}, {w}", X,
               bf16(scaled * weight + bias), bf16(bf16(scaled) * weight + bias))
    queries, keys, heads, width, top = 4, 400, 3, 8, 100
    q, k, shares = draw(1, queries, heads, width), draw(1, keys, 1, width), draw(1, queries, heads)
    kinds = tensor(1, queries, heads, width), tensor(1, keys, 1, width), tensor(1, queries, heads)
    products = 0.3 * np.einsum("bshd,btd->bsht", q, k[:, :, 0])
    whole = tensor(1, queries, 1, top, element="i32")

    def best(products):
        sums = np.einsum("bsh,bsht->bst", shares, np.maximum(products, 0))
        return np.argsort(-sums, -1, kind="stable")[:, :, None, :top]

    yield Case("select_keys-R1", list(zip("qkw", kinds, (q, k, shares))),
               f"  %y = llm.select_keys %q, %k weights %w mask full scale 0.3 top {top} : {', '.join(kinds)}", whole,
               best(products), best(bf16(products)))
    # Whole products of which many are equal; the first query sees 21 keys, and so 5 blocks of 4 and a part.
    keys, top = 24, 7
    q, k = np.round(draw(1, queries, heads, width)), np.round(draw(1, keys, 1, width))
    kinds = kinds[0], tensor(1, keys, 1, width)
    scores = np.einsum("bshd,btd->bsht", q, k[:, :, 0])
    seen = np.arange(keys) <= np.arange(keys - queries, keys)[:, None]
    blocks = np.where(seen[None, :, None], scores, -np.inf).reshape(1, queries, heads, keys // 4, 4).max(-1)
    blocks[..., 0] = np.inf
    for s in range(queries):
        blocks[:, s, :, (keys - queries + s) // 4] = np.inf
    order = np.argsort(-blocks, -1, kind="stable")
    order = np.where(np.take_along_axis(blocks, order, -1) > -np.inf, order, -1)
    padded = np.concatenate([order, np.full((1, queries, heads, top - keys // 4), -1)], -1)
    last = keys // 4 - 1 - np.argsort(-blocks[..., ::-1], -1, kind="stable")
    yield Case("select_keys-R2", list(zip("qk", kinds, (q, k))),
               f"  %y = llm.select_keys %q, %k mask causal scale 1.0 top {top} block 4 local 1 initial 1 : {kinds[0]}, {kinds[1]}",
               tensor(1, queries, heads, top, element="i32"), padded,
               np.concatenate([last, np.full((1, queries, heads, top - keys // 4), -1)], -1))


def product_cases():
    x, w, bias = draw(ROWS, COLUMNS), draw(16, COLUMNS), draw(16)
    terms = x[:, None] * w
    kinds = X, tensor(16, COLUMNS), tensor(16)
    yield Case("matmul-R1", list(zip("xwb", kinds, (x, w, bias))),
               f"  %y = llm.matmul %x, %w bias %b transpose_rhs : {', '.join(kinds)}", tensor(ROWS, 16),
               bf16(terms.sum(-1) + bias), bf16(bf16(terms.sum(-1)) + bias))
    x, w = draw(4, 2, COLUMNS), draw(2, 16, COLUMNS)
    terms = x[:, :, None] * w
    kinds = tensor(4, 2, COLUMNS), tensor(2, 16, COLUMNS)
    yield Case("batch_matmul-R1", list(zip("xw", kinds, (x, w))),
               f"  %y = llm.batch_matmul %x, %w transpose_rhs : {', '.join(kinds)}", tensor(4, 2, 16),
               bf16(terms.sum(-1)), sum_in_steps(terms))
    x, w, y = draw(ROWS, COLUMNS), draw(16, COLUMNS), draw(ROWS, 16)
    kinds, out = (X, tensor(16, COLUMNS), tensor(ROWS, 16)), tensor(ROWS, 16)
    yield Case("fused-R1", list(zip("xwz", kinds, (x, w, y))),
               f"""  %y = llm.fused {{
    %p = llm.matmul %x, %w transpose_rhs : {kinds[0]}, {kinds[1]}
    %s = llm.add %p, %z : {out}, {out}
    llm.yield %s : {out}
  }} : {out}""", out, bf16(bf16(x @ w.T) + y), bf16(x @ w.T + y))


def position_cases():
    begin, heads, width = 16_000_003, 2, 8
    kind = tensor(1, 4, heads, width)
    x = draw(1, 4, heads, width)

    def rotate(angle):
        cosine, sine = np.cos(angle)[None, :, None], np.sin(angle)[None, :, None]
        a, b = x[..., :width // 2], x[..., width // 2:]
        return bf16(np.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1))

    position, frequency = np.arange(begin, begin + 4.0)[:, None], 10000.0 ** (-2 * np.arange(width // 2) / width)
    yield Case("rope-R1", [("x", kind, x)], f"  %y = llm.rope %x at {begin} theta 10000.0 : {kind}", kind,
               rotate(position * frequency), rotate((position * frequency).astype(np.float32).astype(float)))
    # 2^24 + 1 is a whole number of steps, and 2^24, which f32 makes of it, is not.
    begin, step, slope = 2 ** 24 - 2, 2 ** 24 + 1, 0.5

    def scale(position):
        return bf16(x * (1 + slope * np.log(1 + np.floor(position / step)))[None, :, None, None])

    behind = np.arange(begin, begin + 4.0) + 1
    yield Case("position_scale-R1", [("x", kind, x)],
               f"  %y = llm.position_scale %x at {begin} step {step} slope {slope} : {kind}", kind,
               scale(behind), scale(behind.astype(np.float32).astype(float)))


def attention_cases():
    queries, keys, heads, width = 4, 24, 2, 8
    scores = draw(1, heads, queries, keys) * 2
    kind = tensor(1, heads, queries, keys)
    terms = exponentials(scores)
    rounded = exponentials(scores, bf16)
    yield Case("softmax-R1", [("x", kind, scores)], f"  %y = llm.softmax %x mask full : {kind}", kind,
               bf16(terms / terms.sum(-1, keepdims=True)), bf16(rounded / rounded.sum(-1, keepdims=True)))
    q, k, v = draw(1, queries, heads, width), draw(1, keys, heads, width), draw(1, keys, heads, width)
    kinds = tensor(1, queries, heads, width), tensor(1, keys, heads, width), tensor(1, keys, heads, width)
    dots = np.einsum("bshd,bthd->bhst", q, k)
    yield Case("qk-R1", list(zip("qk", kinds, (q, k))), f"  %y = llm.qk %q, %k mask full scale 0.3 : {kinds[0]}, {kinds[1]}",
               kind, bf16(0.3 * dots), bf16(bf16(0.3) * bf16(dots)))
    p = bf16(terms / terms.sum(-1, keepdims=True))
    weighted = np.einsum("bhst,bthd->bshdt", p, v)
    yield Case("pv-R1", [("p", kind, p), ("v", kinds[2], v)], f"  %y = llm.pv %p, %v mask full : {kind}, {kinds[2]}",
               kinds[0], bf16(weighted.sum(-1)), sum_in_steps(weighted))

    def attend(round_scores, round_terms):
        terms = exponentials(round_scores(0.3 * dots), round_terms)
        return bf16(np.einsum("bhst,bthd->bshd", terms, v) / terms.sum(-1).transpose(0, 2, 1)[..., None])

    same = lambda x: x
    yield Case("gqa_attn-R1", list(zip("qkv", kinds, (q, k, v))),
               f"  %y = llm.gqa_attn %q, %k, %v mask full scale 0.3 : {', '.join(kinds)}", kinds[0],
               attend(same, same), attend(bf16, bf16))
    z, value_dim = draw(1, keys, 1, width), 6
    dots = np.einsum("bshd,btd->bhst", q, z[:, :, 0])

    def attend_latents(round_terms):
        terms = exponentials(0.3 * dots, round_terms)
        return bf16(np.einsum("bhst,btd->bshd", terms, z[:, :, 0, :value_dim])
                    / terms.sum(-1).transpose(0, 2, 1)[..., None])

    kinds = kinds[0], tensor(1, keys, 1, width)
    yield Case("mla_attn-R1", list(zip("qz", kinds, (q, z))),
               f"  %y = llm.mla_attn %q, %z value_dim {value_dim} mask full scale 0.3 : {', '.join(kinds)}",
               tensor(1, queries, heads, value_dim), attend_latents(same), attend_latents(bf16))
    # Exponentials of these numbers are no floats: the greatest is subtracted first. Draws of lse are exact in f32.
    parts = 3
    x, lse = draw(1, parts, queries, heads, width), 200 + draw(1, parts, queries, heads)

    def join(round_terms):
        terms = round_terms(np.exp(lse - lse.max(1, keepdims=True)))
        return bf16(np.einsum("bpsh,bpshc->bshc", terms, x) / terms.sum(1)[..., None])

    kinds = tensor(1, parts * queries, heads, width), tensor(1, parts * queries, heads, element="f32")
    yield Case("join_attn-R1", [("x", kinds[0], x.reshape(1, -1, heads, width)), ("l", kinds[1], lse.reshape(1, -1, heads))],
               f"  %y = llm.join_attn %x, %l parts {parts} : {', '.join(kinds)}",
               tensor(1, queries, heads, width), join(same), join(bf16))


def masked_cases():
    # meaning-R5: what nobody sees counts nothing, though it be no number.
    q, k = draw(1, 2, 1, 8), draw(1, 2, 1, 8)
    v = draw(1, 2, 1, 8)
    v[0, 1] = np.nan
    kinds = [tensor(1, 2, 1, 8)] * 3
    out = np.broadcast_to(v[:, :1], v.shape).copy()
    yield Case("meaning-R5", list(zip("qkv", kinds, (q, k, v))),
               f"""  %all = llm.gqa_attn %q, %k, %v mask causal scale 1.0 : {', '.join(kinds)}
  %y = tensor.extract_slice %all[0, 0, 0, 0] [1, 1, 1, 8] [1, 1, 1, 1] : {kinds[0]} to {tensor(1, 1, 1, 8)}""",
               tensor(1, 1, 1, 8), out[:, :1], 0 * out[:, :1] + v[:, 1:])
    p = tensor(1, 1, 2, 2)
    dots = np.einsum("bshd,bthd->bhst", q, k)
    yield Case("meaning-R5", list(zip("qk", kinds, (q, k))), f"  %y = llm.qk %q, %k mask causal scale 1.0 : {kinds[0]}, {kinds[1]}",
               p, bf16(np.tril(dots[0, 0])[None, None]), bf16(dots))


def expert_cases():
    tokens, experts, top_k = 16, 8, 2
    logits = draw(tokens, experts)
    scores = exponentials(logits) / exponentials(logits).sum(-1, keepdims=True)
    chosen = np.argsort(-scores, axis=1, kind="stable")[:, :top_k]
    picked = np.take_along_axis(scores, chosen, 1)

    def shares(scores):
        return bf16(2.5 * scores / scores.sum(-1, keepdims=True))

    kind, of_tokens = tensor(tokens, experts), tensor(tokens, top_k)
    route = "%y, %e = llm.moe_route softmax %x top_k 2 normalize scale 2.5"
    yield Case("moe_route-R1", [("x", kind, logits)], f"  {route} : {kind}", of_tokens, shares(picked), shares(bf16(picked)))
    by_expert = np.full(experts, 2.5)
    route = "%y, %e = llm.moe_route softmax %x expert_scales %s top_k 2 normalize"
    yield Case("moe_route-R1", [("x", kind, logits), ("s", tensor(experts), by_expert)],
               f"  {route} : {kind} expert_scales {tensor(experts)}", of_tokens, shares(picked),
               bf16(2.5 * bf16(picked / picked.sum(-1, keepdims=True))))
    whole = tensor(tokens, top_k, element="i32")
    equal = np.round(logits)
    order = np.argsort(-equal, axis=1, kind="stable")[:, :top_k]
    last = experts - 1 - np.argsort(-equal[:, ::-1], axis=1, kind="stable")[:, :top_k]
    yield Case("moe_route-R2", [("x", kind, equal)], f"  %s, %y = llm.moe_route softmax %x top_k 2 : {kind}", whole, order, last)
    x, share = draw(tokens, 4), draw(tokens, top_k)
    rows = [(t, j) for e in range(experts) for t in range(tokens) for j in range(top_k) if chosen[t, j] == e]
    kinds, out = (tensor(tokens, 4), whole, of_tokens), tensor(tokens * top_k, 4)
    sent = np.array([x[t] * share[t, j] for t, j in rows])
    yield Case("moe_dispatch-R1", list(zip("xes", kinds, (x, chosen, share))),
               f"  %y = llm.moe_dispatch %x, %e shares %s : {', '.join(kinds)}", out, bf16(sent), cut(sent))
    expert_of = [chosen[t, j] for t, j in rows]
    x, w, bias = draw(tokens * top_k, 16), draw(experts, 4, 16), draw(experts, 4)
    sums = np.einsum("rk,rnk->rn", x, w[expert_of])
    kinds = tensor(tokens * top_k, 16), tensor(experts, 4, 16), tensor(experts, 4), whole
    # meaning-R7: rows are those of the experts that were chosen, whatever was counted.
    yield Case("grouped_matmul-R1, meaning-R7", list(zip("xwbe", kinds, (x, w, bias, chosen))),
               f"  %y = llm.grouped_matmul %x, %w bias %b experts %e transpose_rhs rows_per_expert {counts_of(chosen, experts)} "
               f"top_k {top_k} : {', '.join(kinds[:3])} experts {whole}", out,
               bf16(sums + bias[expert_of]), bf16(bf16(sums) + bias[expert_of]))
    row_of = {place: row for row, place in enumerate(rows)}
    x = draw(tokens * top_k, 4)
    terms = np.array([[share[t, j] * x[row_of[t, j]] for j in range(top_k)] for t in range(tokens)])
    kinds = out, whole, of_tokens
    yield Case("moe_combine-R1", list(zip("xes", kinds, (x, chosen, share))),
               f"  %y = llm.moe_combine %x, %e, %s : {', '.join(kinds)}", tensor(tokens, 4),
               bf16(terms.sum(1)), bf16(bf16(terms).sum(1)))


def counts_of(chosen, experts):
    """Other numbers of rows than those of the experts: the same, turned around."""
    return [int(n) for n in np.bincount(chosen.ravel(), minlength=experts)[::-1]]


def moving_cases():
    x = RNG.normal(0, 1, (1, 3, 2, 8)).astype(np.float32).astype(float)
    wide, out = tensor(1, 3, 2, 8, element="f32"), tensor(1, 3, 4, 8)
    yield Case("repeat_kv-R1", [("x", wide, x)], f"  %y = llm.repeat_kv %x heads 4 to bf16 : {wide}", out,
               bf16(np.repeat(x, 2, 2)), cut(np.repeat(x, 2, 2)))
    table, tokens = x.reshape(6, 8), np.array([4, 0, 4])
    kinds = tensor(3, element="i32"), tensor(6, 8, element="f32")
    yield Case("embedding-R1", list(zip("tw", kinds, (tokens, table))), f"  %y = llm.embedding %t, %w to bf16 : {', '.join(kinds)}",
               tensor(3, 8), bf16(table[tokens]), cut(table[tokens]))
    cache = "<batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, f8E4M3FN>"
    kind, small = tensor(1, 1, 1, 4), Format("f8E4M3FN")
    x = np.array([[[[500.0, -1000.0, 17.0, 0.3]]]])
    yield Case("kv_write-R1", [("x", kind, x)], f"""  %0 = llm.kv_cache "c" : {cache}
  %1 = llm.kv_write %0, %x, %x at 0 : {cache}, {kind}, {kind}
  %y, %v = llm.kv_read %1 rows 0 to 1 : {cache}""", tensor(1, 1, 1, 4, element="f8E4M3FN"),
               small.numbers[small.round(bf16(x))], small.numbers[small.round(bf16(x), saturates=False)])


def number_cases():
    # meaning-R1: f64 beside f64; sums of products of whole numbers are exact.
    a, b = RNG.normal(0, 1, (2, ROWS, COLUMNS))
    kind = tensor(ROWS, COLUMNS, element="f64")
    yield Case("meaning-R1", [("a", kind, a), ("b", kind, b)], f"  %y = llm.mul %a, %b : {kind}, {kind}", kind,
               a * b, (a.astype(np.float32) * b.astype(np.float32)).astype(float))
    # meaning-R2: f64 becomes bf16 by way of f32: 1 + 2^-8 is a tie there, and 1 + 2^-8 + 2^-40 is none.
    x = np.array([1 + 2.0 ** -8 + 2.0 ** -40, 1 + 3 * 2.0 ** -8 - 2.0 ** -40])
    yield Case("meaning-R2", [("x", tensor(2, element="f64"), x)], f"  %y = llm.quantize %x to bf16 : {tensor(2, element='f64')}",
               tensor(2), [1, 1 + 2.0 ** -6], [1 + 2.0 ** -7, 1 + 2.0 ** -7])
    # meaning-R4: values times scales of all layers.
    element = "!llm.block_scaled<i8, [?], f32, [?, ?], f32>"
    x = np.array([[127.0, -64.0], [1.0, 0.5]])
    kind = tensor(2, 2, element="f32")
    yield Case("meaning-R4", [("x", kind, x)], f"""  %q = llm.quantize %x to {element} : {kind}
  %one = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : {kind}
  %y = llm.matmul %one, %q to f32 : {kind}, tensor<2x2x{element}>""", kind,
               quantize(x, element).numbers().astype(np.float32), np.round(x))


def recurrent_cases():
    tokens, channels, taps = 6, 16, 4
    x, weight = draw(1, tokens, channels), draw(channels, taps)
    kept = draw(1, taps - 1, channels)
    before = np.concatenate([kept, x], axis=1)
    sums = sum(weight[:, i] * before[:, i:i + tokens] for i in range(taps))
    kinds = tensor(1, tokens, channels), tensor(channels, taps)
    state = f"!llm.state<batch = 1, {taps - 1}x{channels}xbf16>"
    yield Case("conv1d-R1", list(zip("xws", (*kinds, state), (x, weight, kept))), f"""  %y, %n = llm.conv1d %x, %w from %s activation silu : {', '.join(kinds)}, {state}""", kinds[0], bf16(silu(sums)), bf16(silu(bf16(sums))))
    width = 8
    q, k, v = (draw(1, tokens, 1, width) for _ in range(3))
    root = lambda a: np.sqrt(np.sum(a ** 2, -1, keepdims=True) + 0.5)
    kind, state = tensor(1, tokens, 1, width), f"!llm.state<batch = 1, 1x{width}x{width}xf32>"
    for label, extra, unit in (("linear_attn-R1", "", 1.0), ("linear_attn-R2", " chunk 4", 1.0),
                               ("linear_attn-R3", " qk_norm 5.0e-1", None)):
        queries, keys = (q, k) if unit else (q / root(q), k / root(k))
        visible = np.tril(queries[0, :, 0] @ keys[0, :, 0].T)
        out = (visible @ v[0, :, 0]).reshape(v.shape)
        rounded = (bf16(visible) @ v[0, :, 0]).reshape(v.shape)
        empty = np.zeros((1, 1, width, width))
        yield Case(label, list(zip("qkvs", [kind] * 3 + [state], (q, k, v, empty))), f"""  %y, %n = llm.linear_attn additive %q, %k, %v from %s{extra} scale 1.0 : {kind}, {kind}, {kind}, {state}""", kind, bf16(out), bf16(rounded))


def compressed_cases():
    # Windows of 8 tokens, all new, and none before the first position.
    window, width = 8, 64
    values, gates, bias = draw(1, window, width), draw(1, window, width), draw(window, width)
    shares = np.exp(gates[0] + bias - (gates[0] + bias).max(0))
    shares /= shares.sum(0)
    kinds, state = [tensor(1, window, width)] * 2 + [tensor(window, width)], f"!llm.state<batch = 1, 2x{window}x{width}xbf16>"
    yield Case("compress-R1", list(zip("vgbs", (*kinds, state), (values, gates, bias, np.zeros((1, 2, window, width))))), f"""  %y, %n = llm.compress %v, %g bias %b from %s at 0 : {', '.join(kinds)}, {state}""",
               tensor(1, 1, width), bf16((shares * values[0]).sum(0))[None, None], bf16((bf16(shares) * values[0]).sum(0))[None, None])
    # Two queries of 8 heads: 6 tokens and, of 10 and 11 tokens, 2 entries of 4.
    heads, width = 8, 16
    q, z, c = draw(1, 2, heads, width), draw(1, 6, 1, width), draw(1, 2, 1, width)
    vectors = np.concatenate([z[0, :, 0], c[0, :, 0]])
    scores = np.einsum("shd,td->sht", q[0], vectors)
    scores[0, :, 5] = -np.inf
    terms = exponentials(scores)

    def weighed(numbers):
        return bf16(np.einsum("sht,td->shd", numbers, vectors) / numbers.sum(-1, keepdims=True))[None]

    kinds = tensor(1, 2, heads, width), tensor(1, 6, 1, width), tensor(1, 2, 1, width)
    yield Case("compressed_attn-R1", list(zip("qzc", kinds, (q, z, c))),
               f"""  %y = llm.compressed_attn %q, %z mask causal entries %c sees causal stride 4 lengths [11] scale 1.0 : {kinds[0]}, {kinds[1]} entries {kinds[2]}""",
               kinds[0], weighed(terms), weighed(bf16(terms)))
    # Two streams, of which numbers of f32 would show the order of sums.
    rows, x = 64, draw(64, 8)
    bias, scale = draw(8), np.array([0.5, 0.75, 1.25])

    def weights(rounded):
        y = x * np.repeat(scale, [2, 2, 4]) + bias
        old = np.exp(y[:, 4:] - y[:, 4:].reshape(rows, 2, 2).max(-1).repeat(2, -1)).reshape(rows, 2, 2)
        old = rounded(old / old.sum(2, keepdims=True) + 0.25)
        for axis in (1, 2, 1):
            old = rounded(old / (old.sum(axis, keepdims=True) + 0.25))
        sigmoids = 1 / (1 + np.exp(-y[:, :4]))
        columns = [old[:, 0, 0], old[:, 1, 0], 2 * sigmoids[:, 2], old[:, 0, 1], old[:, 1, 1], 2 * sigmoids[:, 3]]
        return bf16(np.stack([*(sigmoids[:, :2] + 0.25).T, *columns], axis=1))

    kinds = tensor(rows, 8), tensor(3), tensor(8)
    yield Case("stream_weights-R1", list(zip("xsb", kinds, (x, scale, bias))),
               f"  %y = llm.stream_weights %x scale %s bias %b streams 2 iterations 2 epsilon 2.5e-1 : {', '.join(kinds)}",
               kinds[0], weights(lambda numbers: numbers), weights(bf16))
    w, x = draw(8, 3, 12), draw(8, 12, 16)
    kinds, terms = (tensor(8, 3, 12), tensor(8, 12, 16)), np.einsum("rnk,rkh->rnhk", w, x)
    yield Case("mix_streams-R1", list(zip("wx", kinds, (w, x))), f"  %y = llm.mix_streams %w, %x : {', '.join(kinds)}",
               tensor(8, 3, 16), bf16(terms.sum(-1)), sum_in_steps(terms))


def sample_cases():
    logits = np.array([[1, 3, 3, 2], [np.nan, -1, np.nan, -1], [-np.inf, -np.inf, 0, -np.inf], [5, 4, 5, 5]])
    kind, out = tensor(4, 4), tensor(4, element="i32")
    yield Case("sample-R1", [("x", kind, logits)], f"  %y = llm.sample greedy %x : {kind}", out, [1, 1, 2, 0], [2, 0, 2, 3])
    rows, words = 64, 50
    logits, random = draw(rows, words), RNG.uniform(0, 1, rows).astype(np.float32).astype(float)
    logits[:, 7] = -np.inf
    random[0] = 0
    terms = exponentials(logits)
    expected = [np.flatnonzero(np.cumsum(row) > number * row.sum())[0] for row, number in zip(terms, random)]
    kinds = tensor(rows, words), tensor(rows, element="f32")
    yield Case("sample-R2", list(zip("xr", kinds, (logits, random))), f"  %y = llm.sample categorical %x by %r : {', '.join(kinds)}",
               tensor(rows, element="i32"), expected, np.argmax(logits, 1))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    np.seterr(all="ignore")
    for cases in (elementwise_cases, product_cases, position_cases, attention_cases, masked_cases, expert_cases,
                  moving_cases, number_cases, recurrent_cases, compressed_cases, sample_cases, selection_cases):
        for case in cases():
            case.check(folder)


main()
