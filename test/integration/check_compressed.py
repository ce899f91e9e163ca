#!/usr/bin/env python3
"""Counts what compressed keys take one by one: check_compressed.py FOLDER [SEED PROBLEMS]

Random ops of llm.compress, llm.compressed_attn and llm.select_keys over entries are tiled, whole or in small tiles, and
their work and traffic compared with what loops over every token, window, query and key count by Spec.md. Shares no code
with the compiler.
"""
import random
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "judge"))
from program import one_line


def closed(begin, tokens, m):
    """The windows whose last token is new."""
    return [w for w in range((begin + tokens) // m) if w * m + m - 1 >= begin]


def compress(rng, name):
    batch, tokens, m, halves, d = rng.randint(1, 3), rng.randint(1, 14), rng.randint(2, 5), rng.randint(1, 2), rng.randint(1, 4)
    first = rng.randint(0, 20)
    begins = [first + m * rng.randint(0, 3) for _ in range(batch)] if rng.random() < 0.5 else [first]
    channels, rows, steps = halves * d, halves * m, rng.random() < 0.3
    work, state = {"mac": 0, "alu": 0, "special": 0, "compare": 0}, 0
    for begin in begins if len(begins) > 1 else begins * batch:
        need = set()
        for w in closed(begin, tokens, m):
            for half in range(halves):
                for j in range(m):
                    token = (w - (halves - 1) + half) * m + j
                    for channel in range(d):
                        for kind, amount in (("mac", 1), ("alu", 3), ("special", 1), ("compare", 1)):
                            work[kind] += amount
                        if 0 <= token < begin:
                            need.add((token, half, channel))
            work["alu"] += d
            work["special"] += d
        state += 2 * len(need)
    windows = len(closed(begins[0], tokens, m))
    kept = tokens if steps else min(tokens, rows)
    traffic = {"values": batch * tokens * channels, "gates": batch * tokens * channels, "next": batch * 2 * kept * channels}
    if windows:
        traffic |= {"bias": m * channels, "state": state, "out": batch * windows * d}
    kinds = f"tensor<{batch}x{tokens}x{channels}xf32>, tensor<{batch}x{tokens}x{channels}xf32>, tensor<{m}x{channels}xf32>"
    at = begins if len(begins) > 1 else begins[0]
    results = "%e, %n" if windows else "%n"
    body = (f'  %s = llm.state "s" : <batch = {batch}, 2x{rows}x{channels}xf32>\n'
            f'  {results} = llm.compress "{name}" %v, %v bias %b from %s at {at}{" every_step" if steps else ""} '
            f': {kinds}, !llm.state<batch = {batch}, 2x{rows}x{channels}xf32>')
    arguments = f"%v: tensor<{batch}x{tokens}x{channels}xf32>, %b: tensor<{m}x{channels}xf32>"
    return body, arguments, work, {key: 4 * count for key, count in traffic.items()}


def sequences_of(rng, batch, queries, m, entries):
    """Tokens of each sequence, of which as many entries are closed at most."""
    least = max(queries, m)
    return [rng.randint(least, max(least, m * entries + m - 1)) for _ in range(batch)]


def sees(length, queries, query, key, m):
    position = length - queries + query
    return key * m + m - 1 <= position


def attention(rng, name):
    batch, queries, heads, d, m = rng.randint(1, 3), rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 4), rng.randint(2, 4)
    tokens, window = queries + rng.randint(0, 6), rng.choice([0, 2, 3])
    lengths = sequences_of(rng, batch, queries, m, rng.randint(1, 5))
    entries, top = max(length // m for length in lengths), rng.choice([0, 1, 2])
    sinks, read = rng.random() < 0.5, min(top, entries) if top else entries
    pairs = entry_elements = 0
    seen_tokens = set()
    for b, length in enumerate(lengths):
        seen_entries = set()
        for s in range(queries):
            own = tokens - queries + s
            visible = [t for t in range(tokens) if t <= own and (not window or t > own - window)]
            seen_tokens |= {(b, t) for t in visible}
            keys = [t for t in range(read) if sees(length, queries, s, t, m)]
            pairs += heads * (len(visible) + len(keys))
            if top:
                entry_elements += len(keys)
            else:
                seen_entries |= set(keys)
        entry_elements += len(seen_entries)
    rows = batch * queries * heads
    work = {"mac": 2 * pairs * d, "alu": 2 * pairs + rows * d + (2 * rows if sinks else 0), "special": pairs + (rows if sinks else 0),
            "compare": pairs + (rows if sinks else 0)}
    traffic = {"query": rows * d, "out": rows * d, "latents": len(seen_tokens) * d, "entries": entry_elements * d}
    if sinks:
        traffic["sinks"] = heads
    if top:
        traffic["selected"] = entry_elements
    mask = f"causal window {window}" if window else "causal"
    query, z = f"tensor<{batch}x{queries}x{heads}x{d}xf32>", f"tensor<{batch}x{tokens}x1x{d}xf32>"
    c, k = f"tensor<{batch}x{entries}x1x{d}xf32>", f"tensor<{batch}x{queries}x1x{top}xi32>"
    body = (f'  %o = llm.compressed_attn "{name}" %q, %z {"sinks %h " if sinks else ""}mask {mask} entries %c '
            f'sees causal stride {m} lengths {lengths} {"selected %k " if top else ""}scale 1.0 : {query}, {z}'
            f'{f", tensor<{heads}xf32>" if sinks else ""} entries {c}{f" selected {k}" if top else ""}')
    arguments = f"%q: {query}, %z: {z}, %c: {c}" + (f", %h: tensor<{heads}xf32>" if sinks else "") + (f", %k: {k}" if top else "")
    return body, arguments, work, {key: 4 * count for key, count in traffic.items()}


def selection(rng, name):
    batch, queries, heads, d, m = rng.randint(1, 3), rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 4), rng.randint(2, 4)
    lengths = sequences_of(rng, batch, queries, m, rng.randint(1, 6))
    entries, top = max(length // m for length in lengths), rng.randint(1, 4)
    pairs, keys = 0, set()
    for b, length in enumerate(lengths):
        for s in range(queries):
            for t in range(entries):
                if sees(length, queries, s, t, m):
                    pairs += 1
                    keys.add((b, t))
    work = {"mac": pairs * heads * d, "alu": 2 * pairs * heads, "compare": pairs * heads + 4 * pairs}
    traffic = {"keys": len(keys) * d}
    query, k, w = (f"tensor<{batch}x{queries}x{heads}x{d}xf32>", f"tensor<{batch}x{entries}x1x{d}xf32>",
                   f"tensor<{batch}x{queries}x{heads}xf32>")
    body = (f'  %o = llm.select_keys "{name}" %q, %k weights %w mask causal stride {m} lengths {lengths} scale 1.0 top {top} '
            f': {query}, {k}, {w}')
    return body, f"%q: {query}, %k: {k}, %w: {w}", work, {key: 4 * count for key, count in traffic.items()}


def found_of(text, name):
    """Work and traffic that llm-tile has written."""
    cost = re.search(rf'"{name}".*?work = {{(.*?)}}, traffic = {{dram = {{(.*?)}}}}', text)
    return [{key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", part)} for part in cost.groups()]


def main():
    folder, (seed, count) = Path(sys.argv[1]), map(int, sys.argv[2:] or (1, 200))
    folder.mkdir(exist_ok=True)
    rng, problems, functions = random.Random(seed), [], []
    for number in range(count):
        name = f"op{number}"
        body, arguments, work, traffic = rng.choice([compress, attention, selection])(rng, name)
        functions.append(f"func.func @f{number}({arguments}) {{\n{body}\n  return\n}}\n")
        problems.append((name, work, traffic))
    (folder / "problems.mlir").write_text("\n".join(functions))
    text = subprocess.run(["llm-opt", folder / "problems.mlir", "--llm-tile"], capture_output=True, text=True, check=True).stdout
    text = one_line(text)
    faults = []
    for (name, work, traffic), function in zip(problems, functions):
        found_work, found_traffic = found_of(text, name) if "work = {" in text.split(f'"{name}"')[1].split("\n")[0] else (
            {}, {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", re.search(
                rf'"{name}".*?traffic = {{dram = {{(.*?)}}}}', text)[1])})
        expected = {key: amount for key, amount in work.items() if amount}
        wrong = [f"{key}: {found_traffic.get(key, 0)}, counted {amount}" for key, amount in traffic.items()
                 if found_traffic.get(key, 0) != amount]
        if found_work != expected:
            wrong.append(f"work {found_work}, counted {expected}")
        if wrong:
            faults.append(f"{function}{'; '.join(wrong)}")
    if faults:
        sys.exit("\n".join(faults[:5]) + f"\n{len(faults)} of {count}")
    print(f"{count} ops counted one by one")


if __name__ == "__main__":
    main()
