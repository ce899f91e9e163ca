"""Random blocks of several ops for random_programs.py: attention, caches, experts, loops, views."""
import math

import random_ops as ops
import random_recurrent as recurrent
from random_ops import FLOATS, heads_of, mask, of_rank, scale_of, softmax_of, types
from random_programs import Open, Value, type_of


def draw_block(p):
    """One more block; what does not fit the program is drawn anew."""
    plain = [ops.matmul, ops.matmul, ops.batch_matmul, ops.rmsnorm, ops.rmsnorm, ops.layernorm, ops.rope, ops.position_scale, ops.binary,
             ops.binary, ops.binary, ops.unary, ops.unary, ops.quantize, ops.softmax, ops.repeat_kv, projections,
             gated, grouped_query, latent_attention, selective_attention, pieces, cached_attention, recurrent.conv1d,
             recurrent.linear_attn, recurrent.compress, split_heads, join_dimensions]
    closed = [ops.whole_numbers, ops.sample, ops.embedding, experts, loop, loop, slice_of, concat, insert, pad, constant,
              linalg_map, linalg_matmul, linalg_sum, transpose]
    inner = [block for block in plain if block is not cached_attention]
    blocks = inner if p.loop else plain if p.is_open else plain + closed
    while True:
        count = len(p.statements)
        if p.random.choice(blocks)(p) is not None:
            return
        del p.statements[count:]
        names = {name for statement in p.statements for name, _ in statement.results}
        names |= {each.name for each in p.inputs}
        p.values = [value for value in p.values if value.name in names or p.loop]


def projections(p):
    """Several products of one activation, as of q, k and v."""
    x = ops.activation_rows(p)
    if p.chance(0.5):
        x = ops.rmsnorm(p, x)
    if isinstance(x.shape[1], Open):
        return None
    same = {"swap": p.chance(0.8), "bias": p.chance(0.3), "to": p.random.choice(FLOATS) if p.chance(0.15) else None}
    made = [ops.matmul(p, x, same=same) for _ in range(p.random.randint(2, 3))]
    return made[-1]


def gated(p):
    x = ops.activation_rows(p)
    if isinstance(x.shape[1], Open):
        return None
    same, columns = {"swap": True, "bias": p.chance(0.3), "to": None}, p.random.choice([3, 8, 12, 17])
    gate, up = (ops.matmul(p, x, columns, same) for _ in range(2))
    kind = p.random.choice(["swiglu", "geglu"])
    h = p.op(kind, f"{gate.name}, {up.name} : {types(gate, up)}", gate.shape, gate.element, [kind, "gated"])
    down = ops.matmul(p, h, x.shape[1], same | {"bias": False})
    if not down.is_like(x.shape, x.element):
        return down
    return p.op("add", f"{x.name}, {down.name} : {types(x, down)}", x.shape, x.element, ["add", "residual"])


# Attention.


def keys_and_values(p, width=None):
    """Keys and values of all positions, and perhaps values of another width."""
    element = ops.other_float(p, p.element)
    shape = (p.batch, p.keys, p.kv_heads, p.width)
    found = p.find(lambda v: v.shape == shape and v.element in FLOATS and v.is_open == p.is_open,
                   lambda: p.input(shape, element))
    shape = (*shape[:3], width or p.width)
    values = p.find(lambda v: v.is_like(shape, found.element), lambda: p.input(shape, found.element), reuse=0.5)
    return found, values


def attend(p, query, keys, values, words, uses):
    """As one op."""
    sinks = p.weight((query.shape[2],), query.element) if p.chance(0.25) else None
    cap = f" soft_cap {p.number(1, 5)}" if p.chance(0.25) else ""
    text = f"{query.name}, {keys.name}, {values.name}" + (f" sinks {sinks.name}" if sinks else "")
    text += f" mask {words} scale {scale_of(p, query.shape[3])}{cap}"
    uses = ["gqa_attn"] + [f"gqa_attn {use}" for use in uses] + ["gqa_attn sinks"] * bool(sinks)
    uses += ["gqa_attn soft_cap"] * bool(cap) + ["gqa_attn value width"] * (values.shape[3] != keys.shape[3])
    return p.op("gqa_attn", f"{text} : {types(query, keys, values, *([sinks] if sinks else []))}",
                (*query.shape[:3], values.shape[3]), query.element, uses)


def grouped_query(p):
    query = heads_of(p)
    keys, values = keys_and_values(p, p.random.choice([3, 8]) if p.chance(0.2) else None)
    return attend(p, query, keys, values, *mask(p, p.seq, p.keys, p.batch))


def latent_attention(p):
    width = p.width
    shape = (p.batch, p.keys, 1, width)
    z = p.find(lambda v: v.shape == shape and v.element in FLOATS, lambda: p.input(shape, ops.other_float(p, p.element)))
    return attend_latents(p, heads_of(p), z, *mask(p, p.seq, p.keys, p.batch))


def attend_latents(p, query, z, words, uses):
    width = p.random.randint(1, query.shape[3])
    text = f"{query.name}, {z.name} value_dim {width} mask {words} scale {scale_of(p, query.shape[3])}"
    return p.op("mla_attn", f"{text} : {types(query, z)}", (*query.shape[:3], width), query.element,
                ["mla_attn"] + [f"mla_attn {use}" for use in uses])


def selective_attention(p):
    """An indexer, and attention over the keys that it selects. What it scores is its own: rounding elsewhere selects no others."""
    is_latent, block, top = p.chance(0.4), p.random.choice([1, 1, 2, 3]), p.random.randint(1, 4)
    has_weights = is_latent or p.chance(0.4)
    groups = 1 if is_latent else p.kv_heads
    queries = p.input((p.batch, p.seq, p.random.randint(1, 3) if has_weights else groups, p.width), p.element)
    keys = p.input((p.batch, p.keys, 1, p.width), ops.other_float(p, p.element))
    scored = [queries, keys] + ([p.input(queries.shape[:3], "f32")] if has_weights else [])
    words = p.random.choice(["causal", "causal", "full"])
    forced = f" block {block}" if block > 1 else ""
    if block > 1 and p.chance(0.6):
        forced += f" local {p.random.randint(0, top)}" if p.chance(0.5) else f" initial {p.random.randint(0, top)}"
    weighed = f" weights {scored[2].name}" if has_weights else ""
    kind = type_of((p.batch, p.seq, 1 if has_weights else groups, top), "i32")
    uses = ["select_keys", "select_keys weights" if has_weights else "select_keys by head"] + ["select_keys blocks"] * (block > 1)
    selected, = p.add_raw([kind], f"llm.select_keys {p.op_name('select_keys')}{queries.name}, {keys.name}{weighed} mask {words} "
                          f"scale {scale_of(p, p.width)} top {top}{forced} : {types(*scored)}", uses, letter="n")
    by = f" selected {selected}" + (f" block {block}" if block > 1 else "")
    query = heads_of(p)
    rest = f"{by} mask {words} scale {scale_of(p, query.shape[3])}"
    if is_latent:
        z = p.input((p.batch, p.keys, 1, p.width), ops.other_float(p, p.element))
        width = p.random.randint(1, query.shape[3])
        return p.op("mla_attn", f"{query.name}, {z.name} value_dim {width}{rest} : {types(query, z)} selected {kind}",
                    (*query.shape[:3], width), query.element, ["mla_attn selected"])
    found, values = keys_and_values(p)
    return p.op("gqa_attn", f"{query.name}, {found.name}, {values.name}{rest} : {types(query, found, values)} selected {kind}",
                (*query.shape[:3], values.shape[3]), query.element, ["gqa_attn selected"])


def pieces(p):
    """Scores, probabilities and outputs, or only some of them."""
    query = heads_of(p)
    keys, values = keys_and_values(p)
    words, uses = mask(p, p.seq, p.keys, p.batch)
    scores = p.op("qk", f"{query.name}, {keys.name} mask {words} scale {scale_of(p, p.width)} : {types(query, keys)}",
                  (p.batch, p.heads, p.seq, p.keys), query.element, ["qk"] + [f"qk {use}" for use in uses])
    if p.chance(0.15):
        return scores
    probabilities = softmax_of(p, scores, words, uses)
    return p.op("pv", f"{probabilities.name}, {values.name} mask {words} : {types(probabilities, values)}",
                (p.batch, p.seq, p.heads, p.width), scores.element, ["pv"] + [f"pv {use}" for use in uses])


def cached_attention(p):
    """A cache, a write or two, a read, and attention to what it shows."""
    p.numbers["cache"] += 1
    if p.numbers["cache"] > 2:
        return None
    is_latent, is_ragged = p.chance(0.3), not p.is_open and p.chance(0.3)
    element, heads = ops.other_float(p, p.element), 1 if is_latent else p.kv_heads
    more = 0 if p.is_open else p.random.choice([0, 0, 2])
    capacity, sizes = (p.keys, " sizes(%kv_len)") if p.is_open else (p.keys + more, "")
    kind = cache_type(p, heads, capacity, element, is_latent)
    name = f"{p.name}.c{p.numbers['cache']}"
    cache, = p.add_raw([kind], f'llm.kv_cache "{name}"{sizes} : {kind}', ["kv_cache"] + ["kv_cache latents"] * is_latent)
    lengths = [p.random.randint(p.seq, p.keys) for _ in range(p.batch)] if is_ragged else []
    for _ in range(p.random.choice([0, 1, 1, 1, 2])):
        rows = [heads_of(p, heads)]
        if not is_latent:
            rows.append(p.find(lambda v: v.is_like(rows[0].shape, rows[0].element), lambda: rows[0]))
        begin = "%begin" if p.is_open else str([n - p.seq for n in lengths]) if is_ragged else str(p.keys - p.seq)
        cache, = p.add_raw([kind], f"llm.kv_write {p.op_name('kv_write')}{cache}, {', '.join(r.name for r in rows)} at {begin}"
                           f" : {kind}, {types(*rows)}", ["kv_write"] + ["kv_write ragged"] * is_ragged)
    return read_and_attend(p, cache, kind, (heads, element, is_latent, lengths))


def cache_type(p, heads, capacity, element, is_latent):
    size = "?" if isinstance(capacity, Open) else capacity
    page = f", page_size = {p.random.randint(1, capacity)}" if p.chance(0.2) else ""
    return (f"!llm.kv_cache<batch = {p.batch}, kv_heads = {heads}, head_dim = {p.width}, capacity = {size}, {element}"
            f"{' latents' if is_latent else ''}{page}>")


def read_and_attend(p, cache, kind, what):
    heads, element, is_latent, lengths = what
    first = p.random.randint(0, p.keys - p.seq) if not lengths and not p.is_open and p.chance(0.2) else 0
    end = "%kv_len" if p.is_open else lengths or p.keys
    longest = max(lengths, default=p.keys) if lengths else p.keys if p.is_open else p.keys - first
    shape = (p.batch, longest, heads, p.width)
    kinds = [type_of(shape, element)] * (1 if is_latent else 2)
    rows = [0] * len(lengths) if lengths else first
    uses = ["kv_read"] + ["kv_read ragged"] * bool(lengths) + ["kv_read of some"] * bool(first)
    names = p.add_raw(kinds, f"llm.kv_read {cache} rows {rows} to {end} : {kind}", uses, letter="k")
    read = [Value(name, shape, element) for name in names]
    p.values += read
    words, masked = mask(p, p.seq, longest, p.batch)
    if lengths:
        words, masked = f"{p.random.choice(['causal', 'full'])} lengths {lengths}", ["lengths"]
    query = heads_of(p)
    if is_latent:
        return attend_latents(p, query, read[0], words, masked)
    return attend(p, query, *read, words, masked)


# Experts.


def draw_logits(p, count, chosen, groups, scoring):
    """Logits and a bias with which no expert is chosen by little."""
    element = ops.other_float(p, "f32")
    logits = ops.separated(p, (p.rows, count), element)
    bias = None
    if scoring in ("softmax", "sigmoid") and p.chance(0.4):
        # Larger than any score, so that sums of two are apart as well.
        bias = p.input((count,), element, p.random.sample([2.0 ** n for n in range(1, count + 1)], count))
    return logits, bias


def route(p, count, chosen):
    scoring = p.random.choice(["softmax", "sigmoid", "topk_softmax", "topk_sigmoid"])
    groups = next((g for g in (3, 2) if count % g == 0 and count // g >= 2), 1) if p.chance(0.4) else 1
    top = max(math.ceil(chosen * groups / count), p.random.randint(1, groups))
    logits, bias = draw_logits(p, count, chosen, groups, scoring)
    scales = p.weight((count,), ops.other_float(p, logits.element)) if p.chance(0.3) else None
    text = f"{scoring} {logits.name}" + (f" bias {bias.name}" if bias else "")
    text += (f" expert_scales {scales.name}" if scales else "") + f" top_k {chosen}"
    text += f" groups {groups} top_groups {top}" if groups > 1 else ""
    normalize, scale = p.chance(0.4), p.chance(0.3)
    text += (" normalize" if normalize else "") + (f" scale {p.number(0.5, 3)}" if scale else "")
    uses = ["moe_route", f"moe_route {scoring}"] + ["moe_route groups"] * (groups > 1) + ["moe_route bias"] * bool(bias)
    uses += ["moe_route expert_scales"] * bool(scales) + ["moe_route normalize"] * normalize + ["moe_route scale"] * scale
    shapes = [(p.rows, chosen)] * 2
    kinds = [type_of(shapes[0], logits.element), type_of(shapes[1], "i32")]
    kind = "moe_route"
    names = p.add_raw(kinds, f"llm.{kind} {p.op_name(kind)}{text} : {types(logits, *([bias] if bias else []))}"
                      + (f" expert_scales {scales.type}" if scales else ""), uses, "e")
    shares, chosen_ones = Value(names[0], shapes[0], logits.element), Value(names[1], shapes[1], "i32", is_counted=True)
    p.values += [shares, chosen_ones]
    return shares, chosen_ones


def rows_of_experts(p, count, chosen):
    """As many rows for each expert as there may be, in all those of all tokens."""
    rows = [0] * count
    for _ in range(p.rows):
        for expert in p.random.sample(range(count), chosen):
            rows[expert] += 1
    return rows


def experts(p):
    if p.loop:
        return None
    count = p.random.choice([2, 3, 4, 6])
    chosen = p.random.randint(1, count)
    x = p.find(lambda v: of_rank(2)(v) and v.shape[0] == p.rows, lambda: p.input((p.rows, p.hidden), p.element))
    shares, which = route(p, count, chosen)
    text, before = f"{x.name}, {which.name}", p.chance(0.25)
    text += f" shares {shares.name} : {types(x, which, shares)}" if before else f" : {types(x, which)}"
    rows = p.op("moe_dispatch", text, (p.rows * chosen, x.shape[1]), x.element,
                ["moe_dispatch"] + ["moe_dispatch shares"] * before)
    counted, names_experts = rows_of_experts(p, count, chosen), p.chance(0.7)
    same = {"swap": p.chance(0.7), "bias": p.chance(0.3), "experts": which if names_experts else None}
    inner = p.random.choice([1, 3, 8])
    up = grouped(p, rows, inner, counted, chosen, same)
    if p.chance(0.5):
        gate = grouped(p, rows, inner, counted, chosen, same)
        up = p.op("swiglu", f"{gate.name}, {up.name} : {types(gate, up)}", up.shape, up.element, ["swiglu", "gated experts"])
    down = grouped(p, up, x.shape[1], counted, chosen, same | {"bias": p.chance(0.3)})
    text = f"{down.name}, {which.name}"
    text += f" : {types(down, which)}" if before else f", {shares.name} : {types(down, which, shares)}"
    return p.op("moe_combine", text, x.shape, down.element, ["moe_combine"] + ["moe_combine without shares"] * before)


def grouped(p, x, columns, counted, chosen, same):
    count, depth = len(counted), x.shape[1]
    rhs, what = ops.right_operand(p, (count, columns, depth) if same["swap"] else (count, depth, columns), x.element)
    bias = p.weight((count, columns), x.element) if same["bias"] else None
    which = same["experts"]
    text = f"{x.name}, {rhs.name}" + (f" bias {bias.name}" if bias else "") + (f" experts {which.name}" if which else "")
    text += (" transpose_rhs" if same["swap"] else "") + f" rows_per_expert {counted} top_k {chosen}"
    kinds = types(x, rhs, *([bias] if bias else [])) + (f" experts {which.type}" if which else "")
    uses = ["grouped_matmul", f"grouped_matmul of a {what}"] + ["grouped_matmul bias"] * bool(bias)
    uses += ["grouped_matmul experts"] * bool(which) + ["grouped_matmul swap"] * same["swap"]
    return p.op("grouped_matmul", f"{text} : {kinds}", (x.shape[0], columns), x.element, uses)


# Loops.


def loop(p):
    """A few layers with a body of a few blocks, around an activation."""
    if p.loop:
        return None
    x = p.find(of_rank(2), lambda: p.input((p.rows, p.hidden), p.element))
    p.numbers["loop"] += 1
    n, trips, first, step = p.numbers["loop"], p.random.randint(1, 3), p.random.choice([0, 0, 2]), p.random.choice([1, 1, 2])
    bounds = [p.add_raw(["index"], f"arith.constant {number} : index")[0]
              for number in (first, first + (trips - 1) * step + 1, step)]
    outer, known, carried = p.statements, list(p.values), Value(f"%a{n}", x.shape, x.element)
    p.statements, p.values, p.loop = [], known[-2:] + [carried], (f"%i{n}", f"l{n}.{{}}.")
    for _ in range(p.random.randint(1, 4)):
        draw_block(p)
    last = close_body(p, carried)
    body = "\n".join("  " + each.lines() for each in p.statements)
    uses = [f"{use} in a loop" for each in p.statements for use in each.uses if " " not in use]
    p.statements, p.values, p.loop = outer, known, None
    text = (f"scf.for %i{n} = {bounds[0]} to {bounds[1]} step {bounds[2]} iter_args(%a{n} = {x.name}) -> ({x.type}) {{\n"
            f"{body}\n    scf.yield {last.name} : {x.type}\n  }}")
    return p.add(text, x.shape, x.element, ["scf.for", f"scf.for of {trips}"] + uses)


def close_body(p, carried):
    """What the next iteration gets: made of what is there."""
    last = p.find(lambda v: v.is_like(carried.shape, carried.element) and v.name != carried.name)
    if last is None:
        rows = p.find(lambda v: of_rank(2, carried.element)(v) and v.shape[0] == carried.shape[0])
        last = ops.matmul(p, rows, carried.shape[1], {"swap": True, "bias": False, "to": None})
    total = p.op("add", f"{carried.name}, {last.name} : {types(carried, last)}", carried.shape, carried.element, ["add"])
    return ops.rmsnorm(p, total) if p.chance(0.5) else total


# Views and ops of other dialects.


def split_heads(p):
    """A matrix of tokens as [batch, seq, heads, width]."""
    x = p.find(lambda v: of_rank(2)(v) and v.shape[0] == p.rows and v.shape[1] % p.width == 0)
    if not x or x.is_open != p.is_open:
        return None
    shape = (p.batch, p.seq, x.shape[1] // p.width, p.width)
    sizes = ", ".join("%seq" if isinstance(n, Open) else str(n) for n in shape)
    return p.add(f"tensor.expand_shape {x.name} [[0, 1], [2, 3]] output_shape [{sizes}] : {x.type} into "
                 f"{type_of(shape, x.element)}", shape, x.element, ["tensor.expand_shape"])


def join_dimensions(p):
    x = p.find(lambda v: of_rank(4)(v) and v.shape[:2] == (p.batch, p.seq))
    if not x or any(isinstance(n, Open) for n in x.shape[2:]):
        return None
    if p.chance(0.6):
        shape, groups = (p.rows, x.shape[2] * x.shape[3]), "[[0, 1], [2, 3]]"
    else:
        shape, groups = (p.rows, *x.shape[2:]), "[[0, 1], [2], [3]]"
    return p.add(f"tensor.collapse_shape {x.name} {groups} : {x.type} into {type_of(shape, x.element)}", shape, x.element,
                 ["tensor.collapse_shape"])


def box(p, shape, strides):
    """Offsets, sizes and strides of a part of a tensor."""
    steps = [p.random.choice([1, 2]) if strides and size > 2 and p.chance(0.3) else 1 for size in shape]
    sizes = [p.random.randint(1, (size + step - 1) // step) if p.chance(0.5) else (size + step - 1) // step
             for size, step in zip(shape, steps)]
    offsets = [p.random.randint(0, size - ((n - 1) * step + 1)) for size, n, step in zip(shape, sizes, steps)]
    return offsets, sizes, steps


def slice_of(p):
    x = ops.any_floats(p)
    offsets, sizes, strides = box(p, x.shape, True)
    return p.add(f"tensor.extract_slice {x.name}{offsets} {sizes} {strides} : {x.type} to {type_of(sizes, x.element)}",
                 tuple(sizes), x.element, ["tensor.extract_slice"])


def concat(p):
    x = ops.any_floats(p)
    dim = p.random.randrange(len(x.shape))
    fits = lambda v: v.element == x.element and len(v.shape) == len(x.shape) and all(
        a == b or n == dim for n, (a, b) in enumerate(zip(v.shape, x.shape)))
    y = p.find(fits)
    shape = tuple(a + b if n == dim else a for n, (a, b) in enumerate(zip(x.shape, y.shape)))
    if math.prod(shape) > 600:
        return None
    return p.add(f"tensor.concat dim({dim}) {x.name}, {y.name} : ({types(x, y)}) -> {type_of(shape, x.element)}", shape,
                 x.element, ["tensor.concat"])


def insert(p):
    x = ops.any_floats(p)
    offsets, sizes, strides = box(p, x.shape, False)
    part = p.find(lambda v: v.shape == tuple(sizes) and v.element == x.element, lambda: p.input(tuple(sizes), x.element))
    return p.add(f"tensor.insert_slice {part.name} into {x.name}{offsets} {sizes} {strides} : {part.type} into {x.type}",
                 x.shape, x.element, ["tensor.insert_slice"])


def pad(p):
    x = ops.any_floats(p)
    high = [p.random.choice([0, 0, 1, 2]) for _ in x.shape]
    shape = tuple(a + b for a, b in zip(x.shape, high))
    if math.prod(shape) > 600:
        return None
    p.numbers["pad"] += 1
    n = p.numbers["pad"]
    zero, = p.add_raw([x.element], f"arith.constant 0.0 : {x.element}")
    indices = ", ".join(f"%p{n}_{i}: index" for i in range(len(shape)))
    return p.add(f"tensor.pad {x.name} low{[0] * len(shape)} high{high} {{\n  ^bb0({indices}):\n    tensor.yield {zero} : "
                 f"{x.element}\n  }} : {x.type} to {type_of(shape, x.element)}", shape, x.element, ["tensor.pad"])


def constant(p):
    shape = (p.rows, p.hidden)
    numbers = "[" + ", ".join("[" + ", ".join(str(p.random.randint(-8, 8) / 4) for _ in range(shape[1])) + "]"
                              for _ in range(shape[0])) + "]"
    return p.add(f"arith.constant dense<{numbers}> : {type_of(shape, p.element)}", shape, p.element, ["arith.constant"])


def empty(p, shape, element, fill=None):
    kind = type_of(shape, element)
    name, = p.add_raw([kind], f"tensor.empty() : {kind}")
    if fill is None:
        return name
    number, = p.add_raw([element], f"arith.constant {fill} : {element}")
    filled, = p.add_raw([kind], f"linalg.fill ins({number} : {element}) outs({name} : {kind}) -> {kind}", ["linalg.fill"])
    return filled


def generic(p, maps, kinds, values, out, body):
    """`body`: lines from the numbers %n0, .. and %o to %y."""
    p.numbers["generic"] += 1
    k = p.numbers["generic"]
    spelled = ", ".join(f"affine_map<{each}>" for each in maps)
    numbers = ", ".join([f"%n{n}_{k}: {v.element}" for n, v in enumerate(values)] + [f"%o_{k}: {values[0].element}"])
    body = body.replace("$", f"_{k}").replace("F", values[0].element)
    ins = f"{', '.join(v.name for v in values)} : {types(*values)}"
    return (f"linalg.generic {{indexing_maps = [{spelled}], iterator_types = {kinds}}} ins({ins}) "
            f"outs({out[0]} : {out[1]}) {{\n  ^bb0({numbers}):\n{body}\n    linalg.yield %y_{k} : {values[0].element}\n  }} -> {out[1]}")


def quoted(words):
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def linalg_map(p):
    x = ops.any_floats(p)
    y = p.find(lambda v: v.is_like(x.shape, x.element), lambda: x)
    dims = "(" + ", ".join(f"d{n}" for n in range(len(x.shape))) + ")"
    body = p.random.choice(["    %y$ = arith.mulf %n0$, %n1$ : F", "    %y$ = arith.maximumf %n0$, %n1$ : F",
                            "    %z$ = math.tanh %n0$ : F\n    %y$ = arith.addf %z$, %n1$ : F"])
    out = (empty(p, x.shape, x.element), x.type)
    text = generic(p, [f"{dims} -> {dims}"] * 3, quoted(["parallel"] * len(x.shape)), [x, y], out, body)
    return p.add(text, x.shape, x.element, ["linalg.generic", "linalg.generic map"])


def linalg_sum(p):
    """Along the last dimension, or the largest of it."""
    x = ops.any_floats(p)
    rank = len(x.shape)
    if rank < 2:
        return None
    dims = [f"d{n}" for n in range(rank)]
    maps = [f"({', '.join(dims)}) -> ({', '.join(part)})" for part in (dims, dims[:-1])]
    is_sum = p.chance(0.5)
    shape = x.shape[:-1]
    out = (empty(p, shape, x.element, "0.0" if is_sum else "-100.0"), type_of(shape, x.element))
    body = f"    %y$ = arith.{'addf' if is_sum else 'maximumf'} %n0$, %o$ : F"
    text = generic(p, maps, quoted(["parallel"] * (rank - 1) + ["reduction"]), [x], out, body)
    return p.add(text, shape, x.element, ["linalg.generic", "linalg.generic reduction"])


def linalg_matmul(p):
    lhs = ops.activation_rows(p)
    rhs = p.weight((lhs.shape[1], p.random.choice([1, 3, 8])), lhs.element)
    shape = (lhs.shape[0], rhs.shape[1])
    kind, out = type_of(shape, lhs.element), empty(p, shape, lhs.element, "0.0")
    return p.add(f"linalg.matmul ins({lhs.name}, {rhs.name} : {types(lhs, rhs)}) outs({out} : {kind}) -> {kind}", shape,
                 lhs.element, ["linalg.matmul"])


def transpose(p):
    x = ops.activation_rows(p)
    shape = x.shape[::-1]
    kind, out = type_of(shape, x.element), empty(p, shape, x.element)
    return p.add(f"linalg.transpose ins({x.name} : {x.type}) outs({out} : {kind}) permutation = [1, 0]", shape, x.element,
                 ["linalg.transpose"])
