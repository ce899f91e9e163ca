"""Layers with a state on H100, predicted and measured: the table of docs/accuracy.md.

    recurrent_accuracy.py MEASURED [--bin=FOLDER]

MEASURED has public2_gdn.csv and public2_kda.csv (aiconfigurator's rows of gated delta networks and Kimi
delta attention). A row is one op: a convolution, or linear attention with the norms of queries and keys.
No figure of a target was fitted on these rows.
"""
import argparse
import csv
import re
import statistics
import subprocess
import sys
from pathlib import Path

TARGET, CHUNK = "h100-sxm", 64
KINDS = {"conv1d": "convolution", "core": "linear attention"}
PHASES = {"context": "prompts", "generation": "decode"}


def tensor(*sizes, element="bf16"):
    return f"tensor<{'x'.join(map(str, sizes))}x{element}>"


def convolution(row, batch, tokens):
    channels, taps = int(row["conv_channels"]), int(row["d_conv"])
    x, weight = tensor(batch, tokens, channels), tensor(channels, taps)
    state = f"!llm.state<batch = {batch}, {taps - 1}x{channels}xbf16>"
    return f"%x: {x}, %w: {weight}", f"""  %s = llm.state "s" : {state}
  %y, %n = llm.conv1d %x, %w from %s activation silu : {x}, {weight}, {state}"""


def linear_attention(row, batch, tokens):
    key_heads, key, heads, value = (int(row[column]) for column in (
        "k_heads_per_rank", "head_k_dim", "v_heads_per_rank", "head_v_dim"))
    q, v, beta = tensor(batch, tokens, key_heads, key), tensor(batch, tokens, heads, value), tensor(batch, tokens, heads)
    # Kimi has a decay for each channel.
    decay = tensor(batch, tokens, heads, key) if row["op"].startswith("kda") else beta
    rate, state = tensor(heads, element="f32"), f"!llm.state<batch = {batch}, {heads}x{key}x{value}xf32>"
    chunk = f"chunk {CHUNK} " if row["phase"] == "context" else ""
    return f"%q: {q}, %v: {v}, %a: {decay}, %b: {beta}, %r: {rate}", f"""  %s = llm.state "s" : {state}
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %b from %s {chunk}qk_norm 1.0e-6 scale 0.1
     : {q}, {q}, {v}, {decay}, {rate}, {beta}, {state}"""


def read_rows(measured):
    """Yields the rows whose time is that of kernels, from the two frameworks that have both phases."""
    for name in ("public2_gdn.csv", "public2_kda.csv"):
        with (measured / name).open() as file:
            for row in csv.DictReader(file):
                if (row["phase"] in PHASES and row["backend"].startswith(("sglang", "vllm"))
                        and row["timing"].startswith("cudagraph")):
                    yield row


def predict(rows, tool):
    """Returns the microseconds of each row. The rows are functions of one program."""
    functions = []
    for number, row in enumerate(rows):
        build = convolution if row["op"].endswith("conv1d") else linear_attention
        arguments, body = build(row, int(row["batch"]), max(1, int(row["seq_len_tokens"] or 1)))
        functions.append(f"func.func @row{number}({arguments}) {{\n{body}\n  return\n}}")
    done = subprocess.run([tool, f"--llm-target=name={TARGET}", "--llm-tile", "--llm-schedule"],
                          input="\n".join(functions), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    clock_hz = int(re.search(r'"clock_hz" = (\d+)', done.stdout).group(1))
    cycles = [int(n) for n in re.findall(r"makespan_cycles = (\d+)", done.stdout)]
    assert len(cycles) == len(rows)
    return [n / clock_hz * 1e6 for n in cycles]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path)
    parser.add_argument("--bin", type=Path, default=Path("build/bin"))
    arguments = parser.parse_args()
    rows = list(read_rows(arguments.measured))
    groups = {}
    for row, predicted in zip(rows, predict(rows, arguments.bin / "llm-opt"), strict=True):
        family, kind = row["op"].split("_")
        kernel = re.sub(r"^\w+?_[\d.]+(dev\d+)?_", "", row["backend"])
        key = (family, KINDS[kind], PHASES[row["phase"]], row["backend"].split("_")[0], kernel)
        groups.setdefault(key, []).append((float(row["measured_us"]), predicted))
    print("| layers | op | phase | kernel | rows | median error | measured / predicted |\n|---|---|---|---|---:|---:|---:|")
    for (family, kind, phase, framework, kernel), pairs in sorted(groups.items()):
        error = statistics.median(abs(predicted - measured) / measured for measured, predicted in pairs)
        ratio = statistics.median(measured / predicted for measured, predicted in pairs)
        print(f"| {family} | {kind} | {phase} | {framework} `{kernel}` | {len(pairs)} | {error * 100:.0f} % | {ratio:.2f} |")


if __name__ == "__main__":
    main()
