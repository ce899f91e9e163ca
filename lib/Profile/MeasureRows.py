#!/usr/bin/env python3
"""Measures ops with PyTorch on the accelerator of this machine.

    python3 THIS_FILE [shapes.csv] [-o measured.csv] [--repeats=20]

The ops are those of the table below, or of another table. The result is a table for
`llm-prof validate` and `llm-prof calibrate`, with a row for each op, in microseconds.

Calls are captured in a CUDA graph, each on operands of its own, so that weights come from
memory, as in a model. The graph is replayed, and the median of its replays is divided by the
calls. Attention takes the fastest of PyTorch's kernels. Fused elementwise ops are compiled. An op that this PyTorch or this
accelerator cannot run is left out, with the reason on standard error.
"""
import argparse
import csv
import io
import os
import statistics
import sys

SHAPES = ""

TYPES = {"": "bfloat16", "bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp8": "float8_e4m3fn"}
SIZES = ["m", "n", "k", "batch", "heads", "kv_heads", "head_dim", "q_len", "kv_len", "causal", "rows", "cols"]
MOST_COPIES = 6  # of the operands, one for each captured call
LEAST_REPEATS, MOST_MILLISECONDS = 5, 500  # of the replays of one op


class Refused(Exception):
    """Why an op is not measured."""


def product(torch, row):
    """out[m, n] = lhs[m, k] weight[n, k]^T. Operands of fp8 have one scale each."""
    m, n, k = row["m"], row["n"], row["k"]
    lhs = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    if row["dtype"] != "fp8":
        dtype = getattr(torch, TYPES[row["dtype"]])
        lhs, weight = lhs.to(dtype), weight.to(dtype)
        return [lhs, weight], torch.nn.functional.linear
    lhs, weight = lhs.to(torch.float8_e4m3fn), weight.to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")

    def scaled(lhs, weight):
        return torch._scaled_mm(lhs, weight.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    return [lhs, weight], scaled


def attention(torch, row):
    """q_len new tokens of each sequence see kv_len keys, which lie as a cache has them."""
    def lie(tokens, heads):
        shape = (row["batch"], tokens, heads, row["head_dim"])
        return torch.randn(shape, device="cuda", dtype=getattr(torch, TYPES[row["dtype"]])).transpose(1, 2)
    query = lie(row["q_len"], row["heads"])
    keys, values = (lie(row["kv_len"], row["kv_heads"]) for _ in range(2))
    # One token sees every key. A mask of several tokens begins at the last key.
    is_masked = row.get("causal") != 0 and row["q_len"] > 1
    is_square = row["q_len"] == row["kv_len"]
    mask = None
    if is_masked and not is_square:
        from torch.nn.attention.bias import causal_lower_right
        mask = causal_lower_right(row["q_len"], row["kv_len"])

    def attend(query, keys, values):
        return torch.nn.functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=mask, is_causal=is_masked and is_square,
            enable_gqa=row["heads"] != row["kv_heads"])
    return [query, keys, values], attend


def on_plane(operands, make):
    """An op on `operands` tensors [rows, cols]; make(torch) gives the function."""
    def build(torch, row):
        def plane():
            return torch.randn(row["rows"], row["cols"], device="cuda", dtype=getattr(torch, TYPES[row["dtype"]]))
        return [plane() for _ in range(operands)], make(torch, row)
    return build


def rms_norm(torch, row):
    weight = torch.ones(row["cols"], device="cuda", dtype=getattr(torch, TYPES[row["dtype"]]))
    return torch.compile(lambda x: torch.nn.functional.rms_norm(x, (row["cols"],), weight, 1e-5))


def silu_mul(torch, row):
    return torch.compile(lambda gate, up: torch.nn.functional.silu(gate) * up)


KINDS = {
    "gemm": product,
    "attention_prefill": attention,
    "attention_decode": attention,
    "rmsnorm": on_plane(1, rms_norm),
    "silu_mul": on_plane(2, silu_mul),
    "residual_add": on_plane(2, lambda torch, row: torch.add),
    "gelu": on_plane(1, lambda torch, row: lambda x: torch.nn.functional.gelu(x, approximate="tanh")),
    "softmax": on_plane(1, lambda torch, row: lambda x: torch.softmax(x, -1)),
}


def read_shapes(text):
    """Returns the rows of a table, with sizes as numbers. Ends the program at a kind that it does not know."""
    rows = []
    for line, cells in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        row = {name: int(cells[name]) for name in SIZES if cells.get(name)}
        row["row_id"], row["dtype"] = cells.get("row_id", ""), cells.get("dtype", "")
        row["op_kind"] = cells.get("op_kind", "")
        if row["op_kind"] not in KINDS:
            sys.exit(f"line {line} of the shapes: op_kind '{row['op_kind']}' is none of {', '.join(KINDS)}")
        if row["dtype"] not in TYPES:
            sys.exit(f"line {line} of the shapes: dtype '{row['dtype']}' is none of {', '.join(filter(None, TYPES))}")
        rows.append(row)
    if not rows:
        sys.exit("there are no shapes: name a table of them, as llm-prof plan -o shapes.csv writes it")
    return rows


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def captured(torch, run, copies):
    """Returns a graph that calls `run` once on each copy of the operands."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(2):  # compiles, and chooses algorithms
            for operands in copies:
                run(*operands)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for operands in copies:
            out = run(*operands)
            del out  # its buffer serves the next call
    return graph


def replay_times(torch, graph, calls, repeats):
    """Returns the microseconds of one call in each of several replays."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for event in begin, end:
        graph.replay()
        event.record()
    torch.cuda.synchronize()
    repeats = min(repeats, max(LEAST_REPEATS, int(MOST_MILLISECONDS / begin.elapsed_time(end))))
    events = [torch.cuda.Event(enable_timing=True) for _ in range(repeats + 1)]
    events[0].record()
    for event in events[1:]:
        graph.replay()
        event.record()
    torch.cuda.synchronize()
    return [1000 * before.elapsed_time(after) / calls for before, after in zip(events, events[1:])]


def backends(torch, row):
    """Returns the names of the kernels to try, and what selects each."""
    import contextlib
    if not row["op_kind"].startswith("attention"):
        return [("torch", contextlib.nullcontext)]
    from torch.nn.attention import SDPBackend, sdpa_kernel
    found = [("cudnn", "CUDNN_ATTENTION"), ("flash", "FLASH_ATTENTION"), ("efficient", "EFFICIENT_ATTENTION")]
    return [(f"torch_{name}", lambda member=member: sdpa_kernel(getattr(SDPBackend, member)))
            for name, member in found if hasattr(SDPBackend, member)]


def measure(torch, row, repeats):
    """Returns the cells of the result. Raises Refused."""
    torch._dynamo.reset()
    operands, run = KINDS[row["op_kind"]](torch, row)
    free, _ = torch.cuda.mem_get_info()
    count = max(1, min(MOST_COPIES, 1 + int(0.6 * free / bytes_of(operands))))
    copies = [operands] + [[torch.empty_like(tensor).copy_(tensor) for tensor in operands] for _ in range(count - 1)]
    best, reasons = None, []
    for name, select in backends(torch, row):
        try:
            with select(), torch.inference_mode():
                times = replay_times(torch, captured(torch, run, copies), count, repeats)
        except Exception as error:  # a kernel that cannot run this shape
            reasons.append(f"{name}: {str(error).splitlines()[0]}")
            continue
        if best is None or statistics.median(times) < statistics.median(best[1]):
            best = name, times
    if best is None:
        raise Refused("; ".join(reasons))
    name, times = best
    cache = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)
    return {"backend": name, "timing": "cudagraph_rotating" + str(count),
            "cache_resident": int(sum(map(bytes_of, copies)) <= cache),
            "measured_us": f"{statistics.median(times):.4f}", "mean_us": f"{statistics.mean(times):.4f}",
            "std_us": f"{statistics.stdev(times):.4f}"}


def import_torch():
    try:
        import torch
    except ImportError:
        sys.exit("PyTorch is needed: pip install torch, or run this where it is installed")
    if not torch.cuda.is_available():
        sys.exit("PyTorch sees no accelerator: run this on the machine that the target is of")
    return torch


def write_table(rows, out):
    columns = ["row_id", "source", "device", "op_kind", "dtype",
               *(size for size in SIZES if any(size in row for row in rows)),
               "backend", "timing", "cache_resident", "measured_us", "mean_us", "std_us"]
    writer = csv.DictWriter(out, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="?", help="table of shapes; by default the one in this file")
    parser.add_argument("-o", dest="output", help="file of the result; by default standard output")
    parser.add_argument("--repeats", type=int, default=20, help="replays of each op, at least 2")
    parser.add_argument("--list", action="store_true", help="print the shapes that would be measured, and end")
    arguments = parser.parse_args()
    if arguments.repeats < 2:
        parser.error("--repeats must be at least 2")
    shapes = read_shapes(open(arguments.shapes).read() if arguments.shapes else SHAPES)
    if arguments.list:
        for row in shapes:
            print(" ".join(f"{name}={value}" for name, value in row.items() if value != ""))
        return
    torch = import_torch()
    device = torch.cuda.get_device_name(0)
    measured = []
    for number, row in enumerate(shapes, start=1):
        try:
            cells = measure(torch, row, arguments.repeats)
        except (Refused, torch.cuda.OutOfMemoryError) as error:
            print(f"{number}/{len(shapes)} {row['op_kind']} left out: {error}", file=sys.stderr)
            continue
        measured.append({**row, **cells, "source": "torch " + torch.__version__, "device": device})
        print(f"{number}/{len(shapes)} {row['op_kind']}: {cells['measured_us']} us", file=sys.stderr)
        torch.cuda.empty_cache()
    if not measured:
        sys.exit("no op could be measured")
    if not arguments.output:
        write_table(measured, sys.stdout)
        return
    with open(arguments.output + ".part", "w") as out:  # a file is whole or not there
        write_table(measured, out)
    os.replace(arguments.output + ".part", arguments.output)


if __name__ == "__main__":
    main()
