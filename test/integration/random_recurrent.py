"""Random layers with a state for random_programs.py: short convolutions, linear attention and compressed keys."""
import random_ops as ops
from random_ops import heads_of, types
from random_programs import Open, Value


def state_of(p, shape, kind):
    """A new state of that name, and its type."""
    p.numbers["state"] += 1
    kind = f"!llm.state<batch = {p.batch}, {shape}x{kind}>"
    name, = p.add_raw([kind], f'llm.state "{p.name}.s{p.numbers["state"]}" : {kind}', ["state"])
    return name, kind


def has_room(p):
    """For one more state, of which each has a name in the program and none in the layers of a loop."""
    return p.loop is None and p.numbers["state"] < 3


def conv1d(p):
    if not has_room(p):
        return None
    channels, taps = p.random.choice([1, 3, 8, p.heads * p.width]), p.random.randint(2, 4)
    x = p.find(lambda v: v.is_like((p.batch, p.seq, channels), v.element) and v.element in ops.FLOATS,
               lambda: p.input((p.batch, p.seq, channels), p.element))
    weight = p.weight((channels, taps), ops.other_float(p, x.element))
    bias = p.weight((channels,), x.element) if p.chance(0.4) else None
    element = p.random.choice([x.element, "f32"])
    state, kind = state_of(p, f"{taps - 1}x{channels}", element)
    for again in range(p.random.randint(1, 2)):
        every_step = not again and not p.is_open and p.chance(0.25)
        text = f"{x.name}, {weight.name}" + (f" bias {bias.name}" if bias else "") + f" from {state}"
        activation = p.random.choice(["", "silu", "gelu_tanh", "relu"])
        text += (f" activation {activation}" if activation else "") + (" every_step" if every_step else "")
        kept = taps - 2 + p.seq if every_step else taps - 1
        given = f"!llm.state<batch = {p.batch}, {kept}x{channels}x{element}>"
        uses = ["conv1d"] + ["conv1d bias"] * bool(bias) + ["conv1d every_step"] * every_step + ["conv1d from its state"] * again
        x, state = p.op_with_state("conv1d", f"{text} : {types(x, weight, *([bias] if bias else []))}, {kind}", x, given, uses)
        if every_step:
            break
    return x


def linear_attn(p):
    if not has_room(p):
        return None
    query, values = heads_of(p, p.kv_heads), heads_of(p, p.heads)
    keys = p.find(lambda v: v.is_like(query.shape, query.element), lambda: query, reuse=0.7)
    rule, element = p.random.choice(["additive", "delta"]), p.random.choice(["f32", "f32", values.element])
    state, kind = state_of(p, f"{p.heads}x{query.shape[3]}x{values.shape[3]}", element)
    words, operands, uses = draw_gates(p, query.shape[3])
    is_chunked = not isinstance(p.seq, Open) and p.chance(0.5)
    every_step = not p.is_open and not is_chunked and p.chance(0.25)
    text = f"{rule} {query.name}, {keys.name}, {values.name}{words} from {state}"
    text += f" chunk {p.random.randint(1, p.seq)}" if is_chunked else ""
    text += f" qk_norm {p.random.choice(['1.0e-1', '5.0e-1'])}" if p.chance(0.5) or rule == "delta" else ""
    text += f" scale {ops.scale_of(p, query.shape[3])}" + (" every_step" if every_step else "")
    steps = f"{p.seq}x" if every_step else ""
    given = kind.replace(", ", f", {steps}")
    uses = [f"linear_attn {rule}"] + uses + ["linear_attn chunk"] * is_chunked + ["linear_attn every_step"] * every_step
    out, _ = p.op_with_state("linear_attn", f"{text} : {types(query, keys, values, *operands)}, {kind}", values, given,
                             ["linear_attn"] + uses)
    return out


def draw_gates(p, width):
    """What decays, how strong updates are, and what skips the state: words, operands, and what is counted of it."""
    tokens, words, operands, uses = (p.batch, p.seq, p.heads), "", [], []

    def take(word, shape):
        nonlocal words
        value = p.input(shape, p.element) if len(shape) > 1 else p.weight(shape, ops.other_float(p, p.element))
        words += f" {word} {value.name}"
        operands.append(value)
        uses.append(f"linear_attn {word}")

    has_decay, by_channel = p.chance(0.6), p.chance(0.4)
    if has_decay:
        take("decay", (*tokens, width) if by_channel else tokens)
        uses += ["linear_attn decay of channels"] * by_channel
    if p.chance(0.5):
        take("rate", (p.heads,))
        if has_decay and p.chance(0.4):
            words += f" limit {p.number(-3, -0.5)}"
            uses.append("linear_attn limit")
    if p.chance(0.5):
        take("beta", tokens)
    if p.chance(0.4):
        take("skip", (p.heads,))
    return words, operands, uses


def compress(p):
    """Windows that new tokens close, perhaps of tokens in the state, and perhaps none."""
    if not has_room(p) or isinstance(p.seq, Open):
        return None
    window, halves, depth = p.random.randint(2, 4), p.random.randint(1, 2), p.random.choice([1, 3, 8])
    shape = (p.batch, p.seq, halves * depth)
    values = p.find(lambda v: v.is_like(shape, v.element) and v.element in ops.FLOATS, lambda: p.input(shape, p.element))
    gates = p.input(shape, p.element)
    bias = p.weight((window, halves * depth), ops.other_float(p, p.element))
    element, rows = p.random.choice([values.element, "f32"]), halves * window
    state, kind = state_of(p, f"2x{rows}x{halves * depth}", element)
    begins = [p.random.randint(0, 3 * window)]
    if not isinstance(p.batch, Open) and p.chance(0.4):
        begins = [begins[0] + window * p.random.randint(0, 2) for _ in range(p.batch)]
    out = values
    for again in range(p.random.randint(1, 2)):
        windows = (begins[0] + p.seq) // window - begins[0] // window
        every_step = not again and not p.is_open and p.chance(0.25)
        text = f"{values.name}, {gates.name} bias {bias.name} from {state} at {begins if len(begins) > 1 else begins[0]}"
        text += (" every_step" if every_step else "") + f" : {types(values, gates, bias)}, {kind}"
        kept = rows - 1 + p.seq if every_step else rows
        given = f"!llm.state<batch = {p.batch}, 2x{kept}x{halves * depth}x{element}>"
        uses = ["compress", f"compress of {halves} halves"] + ["compress every_step"] * every_step
        uses += ["compress from its state"] * again + ["compress of sequences"] * (len(begins) > 1)
        if windows:
            like = Value("", (p.batch, windows, depth), values.element)
            out, state = p.op_with_state("compress", text, like, given, uses)
        else:
            state, = p.add_raw([given], f"llm.compress {p.op_name('compress')}{text}", [*uses, "compress without a window"], "n")
        if every_step:
            break
        begins = [begin + p.seq for begin in begins]
    return out
