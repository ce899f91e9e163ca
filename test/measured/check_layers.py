#!/usr/bin/env python3
"""Holds the table of layers in docs/accuracy.md against what presets predict of the tables of this folder.

    check_layers.py docs/accuracy.md TABLE=PRESET...

A layer of Llama-3.1 is the sum over its kernels that the tables have: its two norms, four products, attention, SwiGLU and two sums.
Rotation and the write of the cache are in none. Norms and elementwise ops of numbers of rows that were not measured are
interpolated between the two next to them. Prints the table as it should be if the page has another one.
"""
import csv
import io
import re
import subprocess
import sys
from pathlib import Path

# hidden, intermediate, heads, KV heads of 128
MODELS = {"8B": (4096, 14336, 32, 8), "70B": (8192, 28672, 64, 8)}
PROMPTS = [(1, 512), (1, 2048), (4, 1024), (1, 8192)]  # sequences, tokens of each
STEPS = [(batch, keys) for keys in (1024, 4096, 16384) for batch in (1, 4, 16, 64, 128)]


def kernels_of(model, batch, queries, keys):
    """The kernels of one layer: how many there are, kind, and the sizes by which a table tells rows of a kind apart."""
    hidden, inner, heads, kv_heads = MODELS[model]
    tokens = batch * queries
    products = ((heads + 2 * kv_heads) * 128, hidden), (hidden, heads * 128), (2 * inner, hidden), (hidden, inner)
    kind = "attention_decode" if queries == 1 else "attention_prefill"
    return [*((1, "gemm", (tokens, *product)) for product in products),
            (1, kind, (batch, heads, kv_heads, 128, queries, keys)),
            (2, "rmsnorm", (tokens, hidden)), (1, "silu_mul", (tokens, inner)), (2, "residual_add", (tokens, hidden))]


SIZES = {"gemm": ("m", "n", "k"), **dict.fromkeys(("attention_prefill", "attention_decode"),
         ("batch", "heads", "kv_heads", "head_dim", "q_len", "kv_len"))}


def read(table):
    """Rows in bf16, by kind and sizes."""
    return {(row["op_kind"], tuple(int(row[size]) for size in SIZES.get(row["op_kind"], ("rows", "cols")))): row
            for row in csv.DictReader(open(table)) if row["dtype"] == "bf16"}


def between(known, kind, sizes):
    """A row of an elementwise kernel between the two that were measured."""
    rows, cols = sizes
    measured = sorted(size for other, (size, *rest) in known if other == kind and rest == [cols])
    below, above = max(size for size in measured if size < rows), min(size for size in measured if size > rows)
    low, high = (float(known[kind, (size, cols)]["measured_us"]) for size in (below, above))
    share = (rows - below) / (above - below)
    return {**known[kind, (below, cols)], "rows": str(rows), "measured_us": f"{low + share * (high - low):.4f}"}


def predict(rows, preset):
    """Predicted microseconds of each row. `llm-prof` prints them in another order, with the names that they have here."""
    with open("layers.csv", "w") as file:
        writer = csv.DictWriter(file, ["row_id", *rows[0]])
        writer.writeheader()
        writer.writerows({"row_id": f"row-{index}", **row} for index, row in enumerate(rows))
    run = subprocess.run(["llm-prof", "validate", f"--target={preset}", "--format=csv", "layers.csv"], capture_output=True, text=True, check=True)
    predicted = {row["row_id"]: float(row["predicted_us"]) for row in csv.DictReader(io.StringIO(run.stdout))}
    return [predicted[f"row-{index}"] for index in range(len(rows))]


def layers_of(table, preset):
    """Measured and predicted microseconds of each layer."""
    known = read(table)
    layers = {(model, *step): kernels_of(model, *step) for model in MODELS
              for step in [(batch, seq, seq) for batch, seq in PROMPTS] + [(batch, 1, keys) for batch, keys in STEPS]}
    needed = dict.fromkeys((kind, sizes) for kernels in layers.values() for _, kind, sizes in kernels)
    rows = [known.get(each) or between(known, *each) for each in needed]
    times = dict(zip(needed, zip((float(row["measured_us"]) for row in rows), predict(rows, preset))))
    return {layer: [sum(count * times[kind, sizes][which] for count, kind, sizes in kernels) for which in (0, 1)]
            for layer, kernels in layers.items()}


found = {preset: layers_of(table, preset) for table, preset in (argument.split("=") for argument in sys.argv[2:])}
lines = []
for layer in next(iter(found.values())):
    model, batch, queries, keys = layer
    prompts = f"prompt of {queries}" if batch == 1 else f"{batch} prompts of {queries}"
    cells = [f"{model}, " + (prompts if queries > 1 else f"decode, batch {batch}, {keys} keys")]
    for layers in found.values():
        measured, predicted = layers[layer]
        cells += [f"{measured:.0f}", f"{predicted:.0f}", f"{100 * (predicted / measured - 1):+.1f}"]
    lines.append(f"| {' | '.join(cells)} |")
shown = re.search(r"<!-- table: layers -->\n.*?\n\|---.*?\n(.*?)<!-- end -->", Path(sys.argv[1]).read_text(), re.S)
if not shown or shown[1].splitlines() != lines:
    sys.exit("the table should be:\n" + "\n".join(lines))
print(f"ok: {len(lines)} lines")
