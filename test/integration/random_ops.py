"""Random ops for random_programs.py: each draws what it reads and adds one op, or a few."""
import math

from random_programs import Open

FLOATS = ["f32", "bf16", "f16"]
SCALED = ["!llm.block_scaled<f8E4M3FN, [?], f32>", "!llm.block_scaled<f8E4M3FN, [2, 2], f32>",
          "!llm.block_scaled<f8E5M2, [3], f32>", "!llm.block_scaled<f4E2M1FN, [4], f8E8M0FNU>",
          "!llm.block_scaled<f4E2M1FN, [2], f8E4M3FN, [?, ?], f32>"]
SCALINGS = ["<linear factor = 4.0>",
            "<llama3 factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_max_position_embeddings = 64>",
            "<yarn factor = 4.0, beta_fast = 8.0, beta_slow = 1.0, original_max_position_embeddings = 64, "
            "attention_factor = 1.35>",
            "<yarn factor = 4.0, beta_fast = 8.0, beta_slow = 1.0, original_max_position_embeddings = 64, "
            "truncate = true>", "<proportional factor = 0.5>"]


def other_float(p, element, probability=0.25):
    return p.random.choice(FLOATS) if p.chance(probability) else element


def of_rank(rank, element=None):
    return lambda v: len(v.shape) == rank and v.element in (FLOATS if element is None else [element])


def types(*values):
    return ", ".join(value.type for value in values)


def activation_rows(p):
    """A matrix of activations, mostly one of the program's rows."""
    return p.find(of_rank(2), lambda: p.input((p.rows, p.hidden), p.element), reuse=0.95)


def heads_of(p, heads=None):
    """Queries, keys or values of the new tokens: [batch, seq, heads, width]."""
    shape = (p.batch, p.seq, heads or p.heads, p.width)
    return p.find(lambda v: v.shape == shape and v.element in FLOATS, lambda: p.input(shape, p.element))


def right_operand(p, shape, element):
    """A weight, mostly; or a value that fits."""
    if p.chance(0.12):
        return p.weight(shape, p.random.choice(SCALED)), "scaled"
    if p.chance(0.15):
        found = p.find(lambda v: v.shape == tuple(shape) and v.element in FLOATS and not v.is_open)
        if found:
            return found, "value"
    return p.weight(shape, other_float(p, element, 0.15)), "weight"


def matmul(p, lhs=None, columns=None, same=None):
    """`same`: traits of another product, which this one shares."""
    lhs = lhs or activation_rows(p)
    depth = lhs.shape[1]
    columns = columns or p.random.choice([p.hidden, p.heads * p.width, p.kv_heads * p.width, 1, 3, 7, 12, 17])
    if same is None:
        same = {"swap": p.chance(0.7), "bias": p.chance(0.3), "to": p.random.choice(FLOATS) if p.chance(0.15) else None}
    if isinstance(depth, Open):
        return None
    rhs, what = right_operand(p, (columns, depth) if same["swap"] else (depth, columns), lhs.element)
    bias = p.weight((columns,), lhs.element) if same["bias"] else None
    text = f"{lhs.name}, {rhs.name}" + (f" bias {bias.name}" if bias else "")
    text += (" transpose_rhs" if same["swap"] else "") + (f" to {same['to']}" if same["to"] else "")
    uses = ["matmul", f"matmul of a {what}"] + [f"matmul {key}" for key, value in same.items() if value]
    return p.op("matmul", f"{text} : {types(lhs, rhs, *([bias] if bias else []))}", (lhs.shape[0], columns),
                same["to"] or lhs.element, uses)


def batch_matmul(p):
    shape = (p.rows, p.heads, p.width)
    lhs = p.find(of_rank(3), lambda: p.input(shape, p.element))
    if any(isinstance(n, Open) for n in lhs.shape[1:]):
        return None
    heads, depth, columns = lhs.shape[1], lhs.shape[2], p.random.choice([1, 3, 5, 8])
    swap, to = p.chance(0.5), p.random.choice(FLOATS) if p.chance(0.15) else None
    rhs, what = right_operand(p, (heads, columns, depth) if swap else (heads, depth, columns), lhs.element)
    text = f"{lhs.name}, {rhs.name}" + (" transpose_rhs" if swap else "") + (f" to {to}" if to else "")
    uses = ["batch_matmul", f"batch_matmul of a {what}"]
    uses += ["batch_matmul swap"] * swap + ["batch_matmul to"] * bool(to)
    return p.op("batch_matmul", f"{text} : {types(lhs, rhs)}", (lhs.shape[0], heads, columns), to or lhs.element, uses)


def any_floats(p):
    return p.find(lambda v: v.element in FLOATS, lambda: activation_rows(p))


def rmsnorm(p, x=None):
    x = x or any_floats(p)
    weight = None
    if not isinstance(x.shape[-1], Open) and p.chance(0.75):
        weight = p.weight((x.shape[-1],), other_float(p, x.element))
    offset = weight is not None and p.chance(0.3)
    epsilon = p.random.choice(["1.0e-5", "1.0e-3", "0.1"])
    text = x.name + (f", {weight.name}" if weight else "") + (" add_unit_offset" if offset else "")
    uses = ["rmsnorm", f"rmsnorm of rank {len(x.shape)}"] + ["rmsnorm without weight"] * (not weight)
    return p.op("rmsnorm", f"{text} epsilon {epsilon} : {types(x, *([weight] if weight else []))}", x.shape, x.element,
                uses + ["rmsnorm add_unit_offset"] * offset, apart=x.apart and not weight)


def layernorm(p):
    x = any_floats(p)
    if isinstance(x.shape[-1], Open):
        return None
    weight, bias = (p.weight((x.shape[-1],), other_float(p, x.element)) for _ in range(2))
    return p.op("layernorm", f"{x.name}, {weight.name}, {bias.name} epsilon 0.1 : {types(x, weight, bias)}", x.shape, x.element,
                ["layernorm"])


def position(p, sequences):
    """Where tokens begin, and what is counted of it."""
    if p.is_open:
        return "%begin", "open position"
    if p.chance(0.3):
        return "[" + ", ".join(str(p.random.randint(0, 20)) for _ in range(sequences)) + "]", "positions"
    if p.chance(0.15):
        name, = p.add_raw(["index"], f"arith.constant {p.random.randint(0, 20)} : index")
        return name, "position value"
    return str(p.random.choice([0, 1, 11, 300])), "position"


def rope(p, x=None):
    x = x or p.find(lambda v: of_rank(4)(v) and not isinstance(v.shape[3], Open) and v.shape[3] % 2 == 0,
                    lambda: heads_of(p))
    begin, what = position(p, x.shape[0])
    text, uses = f"{x.name} at {begin} theta {p.random.choice(['1.0e4', '5.0e5', '100.0'])}", ["rope", f"rope {what}"]
    if p.chance(0.5):
        factors = ", ".join(p.number(1, 8) for _ in range(x.shape[3] // 2))
        scaling = p.random.choice([*SCALINGS, f"<listed factors = [{factors}], attention_factor = 1.2>"])
        text += f" scaling {scaling}"
        uses.append(f"rope {scaling[1:].split()[0]}")
    interleaved = p.chance(0.4)
    uses += ["rope interleaved"] * interleaved
    return p.op("rope", f"{text}{' interleaved' if interleaved else ''} : {x.type}", x.shape, x.element, uses)


def position_scale(p):
    x = p.find(of_rank(4), lambda: heads_of(p))
    begin, what = position(p, x.shape[0])
    return p.op("position_scale", f"{x.name} at {begin} step {p.random.randint(1, 5)} slope {p.number(-1, 1)} : {x.type}",
                x.shape, x.element, ["position_scale", f"position_scale {what}"])


def binary(p):
    kind = p.random.choice(["add", "add", "mul", "mul", "swiglu", "swiglu", "geglu"])
    x = any_floats(p)
    if kind == "mul" and p.chance(0.5):
        return multiply_broadcast(p, x)
    y = p.find(lambda v: v.is_like(x.shape, x.element), lambda: x)
    limit = kind == "swiglu" and p.chance(0.4)
    text = f"{x.name}, {y.name}" + (f" limit {p.number(0.3, 2)}" if limit else "")
    return p.op(kind, f"{text} : {types(x, y)}", x.shape, x.element, [kind] + ["swiglu limit"] * limit)


def multiply_broadcast(p, x):
    """By a tensor of the last dimensions of x, of which some have size 1."""
    shape = tuple(1 if isinstance(size, Open) or p.chance(0.3) else size for size in x.shape[p.random.randint(0, len(x.shape)):])
    y = p.weight(shape, other_float(p, x.element))
    return p.op("mul", f"{x.name}, {y.name} : {types(x, y)}", x.shape, x.element, ["mul", "mul broadcast"])


def unary(p):
    x = any_floats(p)
    kind = p.random.choice(["scale", "soft_cap", "activation", "activation"])
    if kind == "scale":
        factor = p.random.choice(["1.0", "-1.0", "0.0", p.number(-2, 2), p.number(0.5, 2)])
        return p.op("scale", f"{x.name} by {factor} : {x.type}", x.shape, x.element, ["scale"],
                    apart=x.apart and float(factor) >= 0.5)
    if kind == "soft_cap":
        return p.op("soft_cap", f"{x.name} cap {p.number(0.5, 3)} : {x.type}", x.shape, x.element, ["soft_cap"])
    how = p.random.choice(["silu", "gelu", "gelu_tanh", "relu", "relu2"])
    return p.op("activation", f"{how} {x.name} : {x.type}", x.shape, x.element, ["activation", f"activation {how}"])


def quantize(p):
    x = any_floats(p)
    to = p.random.choice(FLOATS)
    static = p.chance(0.3)
    return p.op("quantize", f"{x.name}{' static' if static else ''} to {to} : {x.type}", x.shape, to,
                ["quantize", f"quantize {x.element} to {to}"] + ["quantize static"] * static, apart=x.apart)


def whole_numbers(p):
    """Activations and weights of 8 bits, whose product is a float again."""
    x = activation_rows(p)
    if x.element != "f32" or p.is_open:
        return None
    larger = p.op("scale", f"{x.name} by 40.0 : {x.type}", x.shape, x.element, ["scale"])
    small = p.op("quantize", f"{larger.name} to i8 : {larger.type}", x.shape, "i8", ["quantize to i8"], is_counted=True)
    columns = p.random.choice([1, 3, 8])
    weight = p.weight((columns, x.shape[1]), "i8")
    to = p.random.choice(["f32", "i32"])
    return p.op("matmul", f"{small.name}, {weight.name} transpose_rhs to {to} : {types(small, weight)}",
                (x.shape[0], columns), to, ["matmul of i8", f"matmul of i8 to {to}"], is_counted=to == "i32")


def mask(p, queries, keys, sequences):
    """Words behind `mask`, and what is counted of it."""
    if keys < queries or p.chance(0.2):
        kind = "full"
    else:
        kind = "causal"
    words, uses = kind, [kind]
    if p.is_open:
        return words, uses
    lengths = []
    if p.chance(0.25):
        low = queries if kind == "causal" else 1
        lengths = [p.random.randint(low, keys) for _ in range(sequences)]
    if kind == "causal" and p.chance(0.3):
        words += f" window {p.random.randint(1, keys + 1)}"
        uses.append("window")
    elif kind == "causal" and p.chance(0.3):
        words += f" chunk {p.random.randint(1, keys)}"
        uses.append("chunk")
        if p.chance(0.5):
            starts = [p.random.randint(0, 9) for _ in lengths]
            words += f" from {starts if lengths and p.chance(0.5) else p.random.randint(1, 9)}"
            uses.append("chunk from")
    if lengths:
        words += f" lengths {lengths}"
        uses.append("lengths")
    return words, uses


def softmax(p):
    shape = (p.batch, p.heads, p.seq, p.keys)
    x = p.find(of_rank(4), lambda: p.input(shape, p.element))
    if p.is_open and x.shape != shape:
        return None
    words, uses = mask(p, x.shape[2], x.shape[3], x.shape[0])
    return softmax_of(p, x, words, uses)


def softmax_of(p, x, words, uses):
    sinks = p.weight((x.shape[1],), x.element) if not isinstance(x.shape[1], Open) and p.chance(0.3) else None
    cap = f" soft_cap {p.number(1, 5)}" if p.chance(0.3) else ""
    text = x.name + (f" sinks {sinks.name}" if sinks else "") + f" mask {words}{cap}"
    uses = ["softmax"] + [f"softmax {use}" for use in uses] + ["softmax sinks"] * bool(sinks) + ["softmax soft_cap"] * bool(cap)
    return p.op("softmax", f"{text} : {types(x, *([sinks] if sinks else []))}", x.shape, x.element, uses)


def scale_of(p, width):
    return f"{p.random.uniform(0.5, 1.5) / math.sqrt(width):.4f}"


def repeat_kv(p):
    x = p.find(of_rank(4), lambda: heads_of(p, p.kv_heads))
    if isinstance(x.shape[2], Open):
        return None
    heads = x.shape[2] * p.random.randint(1, 3)
    to = p.random.choice(FLOATS) if p.chance(0.2) else None
    return p.op("repeat_kv", f"{x.name} heads {heads}{f' to {to}' if to else ''} : {x.type}",
                (*x.shape[:2], heads, x.shape[3]), to or x.element, ["repeat_kv"] + ["repeat_kv to"] * bool(to))


def separated_row(p, count):
    """Numbers that all float types have, in any order, far from each other."""
    return p.random.sample([(n - count // 2) / 4 for n in range(count)], count)


def separated(p, shape, element):
    rows = [separated_row(p, shape[1]) for _ in range(shape[0])]
    return p.input(shape, element, [number for row in rows for number in row], apart=True)


def sample(p):
    shape = (p.rows, p.random.choice([1, 5, 17]))
    logits = p.find(lambda v: len(v.shape) == 2 and v.apart, lambda: separated(p, shape, p.element), reuse=0.5)
    return p.op("sample", f"greedy {logits.name} : {logits.type}", (logits.shape[0],), "i32", ["sample greedy"],
                is_counted=True)


def embedding(p):
    entries, to = p.random.choice([2, 7, 11]), p.random.choice(FLOATS) if p.chance(0.2) else None
    tokens = p.input((p.rows,), "i32", [p.random.randrange(entries) for _ in range(p.rows)], is_counted=True)
    table = p.weight((entries, p.hidden), p.element)
    return p.op("embedding", f"{tokens.name}, {table.name}{f' to {to}' if to else ''} : {types(tokens, table)}",
                (p.rows, p.hidden), to or p.element, ["embedding"] + ["embedding to"] * bool(to))
