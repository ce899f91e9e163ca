#!/usr/bin/env python3
"""What `llm-prof compare` says of traces whose every kernel is known (trace_makers.py).

    check_compare.py BLOCK MODEL BLOCK_REPORT MODEL_REPORT FOLDER

BLOCK: one layer, MODEL: all of them in a loop with embedding and head; the reports are llm-opt's, of the same programs for
the same target. Measured times are sums of the lengths that the script chose; predicted ones come from the reports.
"""
import json
import sys
from pathlib import Path

import compared_rows
import trace_makers as makers
from compared_rows import check_rows, check_sums, predictions, require
from trace_makers import LAYER, Trace

SIZES = {"d": 2048, "q": 2048, "kv": 512, "ff": 8192}
LAYERS = 16
block, model, block_report, model_report = sys.argv[1:5]
folder = Path(sys.argv[5])


def compare(program, trace, name, *options):
    path = folder / f"{name}.json"
    trace.write(path)
    return compared_rows.compare(program, path, *options)


def total_ns(trace):
    return sum(map(sum, trace.lengths.values()))


def check(name, found, trace, expected, predicted):
    check_sums(name, found, total_ns(trace))
    check_rows(name, found, expected, predicted)


def torch_expected(trace, prefix, passes, leave=()):
    return {frozenset([f"{prefix}.{op}"]): (trace.ns(op, passes), ["rule" if op.endswith(".attn") else "name"])
            for op in LAYER if op not in leave}


def torch_block():
    predicted = predictions(block_report)
    trace = Trace(1)
    makers.torch_passes(trace, 1, 5, SIZES)
    found = compare(block, trace, "torch")
    check("torch", found, trace, torch_expected(trace, "model.layers.0", range(5)), predicted)
    # One pass of them.
    found = compare(block, trace, "torch-1", "--pass=3")
    check("torch-1", found, trace, torch_expected(trace, "model.layers.0", [3]), predicted)
    require(any("4 of 5 passes are not compared" in note for note in found["notes"]), found["notes"])


def torch_layers_are_runs():
    """Of a block each layer of the model is a run."""
    trace = Trace(2)
    makers.torch_passes(trace, 3, 2, SIZES)
    lengths = {key: list(values) for key, values in trace.lengths.items()}
    found = compare(block, trace, "layers")
    runs = {}
    for op in LAYER:
        pieces = 2 if op.endswith(".attn") else 1
        flat = lengths[(0, op)] + lengths[(1, op)]
        runs[frozenset([f"model.layers.0.{op}"])] = ([sum(flat[at:at + pieces]) for at in range(0, len(flat), pieces)], None)
    check("layers", found, trace, runs, predictions(block_report))


def torch_model():
    predicted = predictions(model_report)
    trace = Trace(3)
    makers.torch_passes(trace, LAYERS, 3, SIZES)
    found = compare(model, trace, "torch-model")
    check("torch-model", found, trace, torch_expected(trace, "model.layers.{}", range(3)), predicted)
    require({row["name"] for row in found["only_predicted"]} == {"model.embed_tokens", "model.norm", "lm_head", "sample"},
            found["only_predicted"])


def sizes_alone():
    """No module has a name: which op it is say the kinds and the sizes of operands, in PyTorch's shapes."""
    d, heads, kv_heads, width, ff, keys = 2048, 32, 8, 64, 8192, 512
    row, linear = [1, 1, d], lambda n, k: [[1, 1, k], [n, k], []]
    attention = [[1, heads, 1, width], [1, kv_heads, keys, width], [1, kv_heads, keys, width], []]
    ops = {"input_layernorm": ("aten::rms_norm", [row, [], [d], []]), "self_attn.q_proj": ("aten::linear", linear(d, d)),
           "self_attn.k_proj": ("aten::linear", linear(kv_heads * width, d)),
           "self_attn.v_proj": ("aten::linear", linear(kv_heads * width, d)),
           "self_attn.q_rope": ("my::rotary", [[1, heads, 1, width], [1, 1, width], [1, 1, width]]),
           "self_attn.k_rope": ("my::rotary", [[1, kv_heads, 1, width], [1, 1, width], [1, 1, width]]),
           "self_attn.kv_write": ("my::reshape_and_cache", [[1, kv_heads, width], [1, kv_heads, width], [1, kv_heads, keys, width]]),
           "self_attn.attn": ("aten::scaled_dot_product_attention", attention), "self_attn.o_proj": ("aten::linear", linear(d, d)),
           "attn_residual": ("aten::add", [row, row, []]), "post_attention_layernorm": ("aten::rms_norm", [row, [], [d], []]),
           "mlp.gate_proj": ("aten::linear", linear(ff, d)), "mlp.up_proj": ("aten::linear", linear(ff, d)),
           "mlp.swiglu": ("my::silu_and_mul", [[1, ff], [1, ff]]), "mlp.down_proj": ("aten::linear", linear(d, ff)),
           "mlp_residual": ("aten::add", [row, row, []])}
    trace = Trace(10)
    for number in range(3):
        for name, (op, dims) in ops.items():
            trace.work(name, ["void kernel_of_nobody"], op=op, dims=dims, number=number)
    found = compare(block, trace, "sizes")
    check("sizes", found, trace, {frozenset([f"model.layers.0.{name}"]): (trace.ns(name, range(3)), ["shape"]) for name in ops},
          predictions(block_report))
    require(not any("other sizes" in note for note in found["notes"]), found["notes"])
    # Attention of twice as many keys is no longer told by its sizes, and said to be another one.
    trace = Trace(11)
    for name, (op, dims) in ops.items():
        longer = [[1, kv_heads, 2 * keys, width] if sizes == attention[1] else sizes for sizes in dims]
        trace.work(name, ["void kernel_of_nobody"], op=op, dims=longer)
    found = compare(block, trace, "longer")
    by = {row["name"]: row["matched_by"] for row in found["ops"]}
    require(by["model.layers.0.self_attn.attn"] == ["order"] and by["model.layers.0.input_layernorm"] == ["shape"], by)
    require(any("other sizes than the program for model.layers.{}.self_attn.attn:" in note for note in found["notes"]), found["notes"])


def missing_and_extra():
    """An op that no pass has, one that one pass lacks, and kernels of nobody."""
    trace = Trace(4)
    gone = {(number, 0, "mlp.swiglu") for number in range(3)} | {(1, 0, "self_attn.o_proj")}
    makers.torch_passes(trace, 1, 1, SIZES, skip=gone)
    trace.work(None, ["some_plugin_kernel", "some_plugin_kernel"], number=0)
    for number in (1, 2):
        other = Trace(40 + number)
        other.events, other.device_ns, other.host_ns, other.correlation = \
            trace.events, trace.device_ns, trace.host_ns, trace.correlation
        for op in LAYER:
            if (number, 0, op) not in gone:
                other.work(op, [makers.kernel_of(op)], ["model.layers.0", f"model.layers.0.{op}"], number=number)
        trace.device_ns, trace.host_ns, trace.correlation = other.device_ns, other.host_ns, other.correlation
        trace.lengths.update(other.lengths)
    found = compare(block, trace, "missing")
    check("missing", found, trace, torch_expected(trace, "model.layers.0", range(3), leave=["mlp.swiglu"]),
          predictions(block_report))
    require([row["name"] for row in found["only_measured"]] == ["some_plugin_kernel"], found["only_measured"])
    extra = found["only_measured"][0]
    require(extra["pieces"] == 2 and extra["why"] == "no rule knows the name", extra)
    require(extra["measured_ns_of_passes"] == [sum(trace.lengths[(0, None)]), 0, 0], extra)


def phases():
    """Prefill, then decode: the passes are told apart by the rows of their products."""
    trace = Trace(5)
    makers.torch_passes(trace, 1, 1, SIZES, rows=128)
    lengths = trace.lengths
    trace.lengths = {}
    makers.torch_passes(trace, 1, 2, SIZES, rows=1)
    decode = trace.lengths
    trace.lengths = {**{(9, key): value for (_, key), value in lengths.items()}, **decode}
    found = compare(block, trace, "phases")
    check("phases", found, trace, torch_expected(trace, "model.layers.0", range(2)), predictions(block_report))
    require([pass_["compared"] for pass_ in found["passes"]] == [False, True, True], found["passes"])
    require(any("128 rows, and those of the program 1" in note for note in found["notes"]), found["notes"])


def streams():
    """Kernels run in another order than they were launched in, on four streams."""
    trace = Trace(6)
    makers.torch_passes(trace, 1, 4, SIZES)
    kernels = [event for event in trace.events if event["cat"] == "kernel"]
    for at in range(0, len(kernels), 8):
        part = kernels[at:at + 8]
        starts = [event["ts"] for event in part]
        trace.random.shuffle(starts)
        for event, start in zip(part, starts):
            event["ts"], event["tid"] = start, trace.random.randrange(4)
            event["args"]["stream"] = event["tid"]
    # Lengths stay, so that kernels of a stream may overlap; each stream is made a lane without overlaps.
    for number, event in enumerate(kernels):
        event["tid"] = event["args"]["stream"] = number
    found = compare(block, trace, "streams")
    check("streams", found, trace, torch_expected(trace, "model.layers.0", range(4)), predictions(block_report))


def vllm_expected(trace, passes, ranges):
    layer = lambda *ops: frozenset(f"model.layers.{{}}.{op}" for op in ops)
    by = lambda *words: list(words) if ranges else ["order"]
    ns = lambda key: trace.ns(key, passes)
    return {
        frozenset(["model.embed_tokens"]): (ns("embed_tokens"), ["order"]),
        layer("input_layernorm", "mlp_residual") | {"model.norm"}: (ns("norms"), by("name")),
        layer("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"): (ns("qkv"), by("rule")),
        layer("self_attn.q_rope", "self_attn.k_rope"): (ns("ropes"), by("rule")),
        layer("self_attn.kv_write"): (ns("kv_write"), ["order"]),
        layer("self_attn.attn"): (ns("attn"), by("rule")),
        layer("self_attn.o_proj"): (ns("o_proj"), by("name")),
        layer("attn_residual", "post_attention_layernorm"): (ns("norm+add"), by("name")),
        layer("mlp.gate_proj", "mlp.up_proj"): (ns("gate_up"), by("rule")),
        layer("mlp.swiglu"): (ns("swiglu"), by("rule")),
        layer("mlp.down_proj"): (ns("down_proj"), by("name")),
        frozenset(["lm_head"]): (ns("lm_head"), by("name")),
        frozenset(["sample"]): (ns("sample"), ["order"]),
    }


def vllm():
    for ranges in (False, True):
        trace = Trace(7)
        makers.vllm_passes(trace, LAYERS, 3, ranges)
        name = f"vllm-{ranges}"
        found = compare(model, trace, name)
        check(name, found, trace, vllm_expected(trace, range(3), ranges), predictions(model_report))
        require([row["name"] for row in found["only_measured"]] == ["Memcpy_like_unknown_kernel"], found["only_measured"])


def rules():
    """Words of one's own come before those that are built in."""
    path = folder / "words.json"
    path.write_text(json.dumps({"rules": [{"name": "^Memcpy_like", "ops": ["model.norm"]},
                                          {"name": "^vectorized_gather", "continues": True}]}))
    trace = Trace(8)
    makers.vllm_passes(trace, LAYERS, 2, True)
    found = compare(model, trace, "rules", f"--rules={path}")
    check_sums("rules", found, total_ns(trace))
    require(not found["only_measured"] or found["only_measured"][0]["name"] == "vectorized_gather_kernel", found["only_measured"])
    norm, = (row for row in found["ops"] if "model.norm" in row["ops"])
    require("rule" in norm["matched_by"], norm)
    require("model.embed_tokens" in {row["name"] for row in found["only_predicted"]}, found["only_predicted"])


def ranges_are_passes():
    trace = Trace(9)
    makers.vllm_passes(trace, LAYERS, 1, False)
    bounds = []
    for number in (1, 2):
        start = trace.host_ns
        other = {key: value for key, value in trace.lengths.items()}
        trace.lengths = {}
        makers.vllm_passes(trace, LAYERS, 1, False)
        trace.lengths = {**other, **{(number, key): value for (_, key), value in trace.lengths.items()}}
        trace.complete("user_annotation", "execute_model", 10, 10, start - 500, trace.host_ns + 500)
        trace.host_ns += 1000
        bounds.append(number)
    found = compare(model, trace, "ranges", "--range=execute_model")
    check_rows("ranges", found, vllm_expected(trace, bounds, False), predictions(model_report))
    require(len(found["passes"]) == 2, found["passes"])


FUSED = [("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"), ("mlp.gate_proj", "mlp.up_proj"),
         ("self_attn.q_rope", "self_attn.k_rope"), ("attn_residual", "post_attention_layernorm")]
STRANGE = ["triton_poi_fused_0", "some_plugin_kernel", "splitKreduce_kernel", "Memset", "ampere_sgemm_128", "flash_fwd",
           "rms_norm_kernel", "CUDAFunctor_add", "act_and_mul_kernel", "fused_add_rms_norm_kernel"]


def make_random(seed):
    """A model's runs in which ops are missing, fused, named or not, cut into kernels, and among strange kernels."""
    trace = Trace(seed)
    pick = trace.random
    named, missing, strange = pick.random(), pick.random() * 0.3, pick.random() * 0.3
    for number in range(pick.randrange(1, 5)):
        for layer in range(pick.choice([1, 2, LAYERS, LAYERS + 3])):
            left = list(LAYER)
            while left:
                op = left.pop(0)
                if pick.random() < strange:
                    around = pick.choice([[], ["model.layers.1"], ["model.layers.0.mlp"], ["loss"], [f"model.layers.{layer}.self_attn"]])
                    trace.work(None, [pick.choice(STRANGE)] * pick.randrange(1, 3), around, number=number)
                if pick.random() < missing:
                    continue
                for several in FUSED:
                    if op == several[0] and pick.random() < 0.4:
                        left = [other for other in left if other not in several]
                ranges = [f"model.layers.{layer}.{op}"] if pick.random() < named else []
                trace.work(op, [makers.kernel_of(op)] * pick.choice([1, 1, 1, 2, 3]), ranges, number=number)
    return trace


def random_runs(count):
    """Whatever the trace is: each piece of work counts once."""
    for seed in range(count):
        trace = make_random(seed)
        if not trace.lengths:
            continue
        for program in (block, model):
            found = compare(program, trace, "random")
            check_sums(f"random {seed}", found, total_ns(trace))
            pieces = sum(row["pieces"] for row in found["ops"] + found["only_measured"])
            if all(pass_["compared"] for pass_ in found["passes"]):
                require(pieces == sum(map(len, trace.lengths.values())), f"random {seed}: {pieces} pieces")


torch_block()
torch_layers_are_runs()
torch_model()
sizes_alone()
missing_and_extra()
phases()
streams()
vllm()
rules()
ranges_are_passes()
random_runs(40)
print("ok")
