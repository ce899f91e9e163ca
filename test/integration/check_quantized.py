"""Caches and activations of few bits, run by llm-run and by NumPy: codes bit for bit, what is made of them in float64.

    check_quantized.py FOLDER caches|quantize|latents|embedding

Types are those of small_formats.py. Programs, their random arguments and what is expected are made here, from Spec.md.
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True  # nothing is left in the source folder
from block_scaled import Stored, quantize
from safetensors_file import read_safetensors

RNG = np.random.default_rng(3)


def run(folder, text, arguments, *options):
    """The results of a program, in order."""
    (folder / "program.mlir").write_text(text)
    for n, argument in enumerate(arguments):
        np.save(folder / f"{n}.npy", argument)
    done = subprocess.run(["llm-run", folder / "program.mlir", f"--output={folder}/out.safetensors", *options,
                           *[f"--input={folder}/{n}.npy" for n in range(len(arguments))]],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{text}\n{done.stderr}")
    results = read_safetensors(folder / "out.safetensors")
    return [results[f"result{n}"] for n in range(len(results))]


def draw(*shape):
    """Numbers of many sizes."""
    return (RNG.normal(0, 1, shape) * np.exp2(RNG.integers(-8, 4, shape))).astype(np.float32)


def same(what, found, expected):
    found = found.view(expected.dtype)
    wrong = np.flatnonzero(found != expected)
    if wrong.size or found.shape != expected.shape:
        at = wrong[0] if wrong.size else 0
        sys.exit(f"{what}: {found.flat[at]} at {at}, expected {expected.flat[at]}; {wrong.size} of {found.size} differ; "
                 f"{found.shape}, expected {expected.shape}")


def near(what, found, expected, tolerance=2e-6):
    worst = np.max(np.abs(found - expected)) / np.max(np.abs(expected))
    if not worst <= tolerance:
        sys.exit(f"{what}: off by {worst}, expected at most {tolerance}")


def attend(query, keys, values, lengths, scale):
    """Causal: the last query stands at the last key of its sequence."""
    out = np.zeros((*query.shape[:3], values.shape[3]))
    group = query.shape[2] // keys.shape[2]
    for b, s, h in np.ndindex(query.shape[:3]):
        seen = lengths[b] - query.shape[1] + s + 1
        scores = scale * keys[b, :seen, h // group] @ query[b, s, h].astype(float)
        terms = np.exp(scores - scores.max())
        out[b, s, h] = terms @ values[b, :seen, h // group] / terms.sum()
    return out


def check_cache(folder, element, width=8):
    """New rows are rounded, the others stay, and attention reads what is stored; at one place and in a ragged batch."""
    shape = (2, 6, 2, width)
    cache = f"<batch = 2, kv_heads = 2, head_dim = {width}, capacity = 6, {element}>"
    for begins, lengths in (([2, 2], [5, 5]), ([2, 0], [5, 3])):
        is_ragged = begins[0] != begins[1]
        text = f"""
!rows = tensor<2x3x2x{width}xf32>
!queries = tensor<2x3x4x{width}xf32>
!whole = tensor<2x6x2x{width}x{element}>
!read = tensor<2x5x2x{width}x{element}>
!numbers = tensor<2x5x2x{width}xf32>
func.func @cache(%q: !queries, %k: !rows, %v: !rows) -> (!whole, !whole, !whole, !whole, !numbers, !queries) {{
  %0 = llm.kv_cache "c" : {cache}
  %k0, %v0 = llm.kv_read %0 rows 0 to 6 : {cache}
  %1 = llm.kv_write %0, %k, %v at {begins if is_ragged else begins[0]} : {cache}, !rows, !rows
  %k1, %v1 = llm.kv_read %1 rows 0 to 6 : {cache}
  %k2, %v2 = llm.kv_read %1 rows {'[0, 0]' if is_ragged else 0} to {lengths if is_ragged else lengths[0]} : {cache}
  %n = llm.repeat_kv %k2 heads 2 to f32 : !read
  %y = llm.gqa_attn %q, %k2, %v2 mask causal{f' lengths {lengths}' if is_ragged else ''} scale 0.3 : !queries, !read, !read
  return %k0, %v0, %k1, %v1, %n, %y : !whole, !whole, !whole, !whole, !numbers, !queries
}}"""
        arguments = draw(2, 3, 4, width), draw(2, 3, 2, width), draw(2, 3, 2, width)
        *parts, read, attention = run(folder, text, arguments)
        count = Stored.count_parts(element)
        states = [Stored(element, shape, parts[count * n:][:count]) for n in range(4)]
        for before, after, rows in zip(states, states[2:], arguments[1:]):
            # Scales of all positions stay.
            known = {n: before.parts[n + 1] for n, (block, _) in enumerate(before.layers)
                     if len(block) > 2 and block[-3] is None}
            for part, written in enumerate(quantize(rows, element, known).parts):
                expected = before.parts[part].view(written.dtype).copy()
                for b, begin in enumerate(begins):
                    if part - 1 not in known:
                        expected[b, begin:begin + 3] = written[b]
                same(f"{element}, part {part} of the cache", after.parts[part], expected)
        keys, values = (state.numbers()[:, :5] for state in states[2:])
        hidden = np.arange(5)[None, :] >= np.array(lengths)[:, None]
        same(f"{element}, rows", read, np.where(hidden[..., None, None], 0, keys).astype(np.float32))
        near(f"{element}, attention", attention, attend(arguments[0], keys, values, lengths, 0.3))
    print(f"{element}: caches agree", flush=True)


def make_activations(shape):
    """Blocks of all sizes: among them zeros, numbers below 2^-126, and such as no scale of 8 bits reaches."""
    x = draw(*shape)
    flat = x.reshape(-1, shape[-1])
    flat[0] = 0
    flat[1] *= np.float32(1e-39)
    flat[2] *= np.float32(1e36)
    flat[3] *= np.float32(2.0 ** -120)
    flat[4, shape[-1] // 2:] = 0
    return x


def check_quantize(folder, element, shape, source, is_open):
    dims = "x".join(["?" if is_open else str(shape[0]), *map(str, shape[1:])])
    text = f"""
func.func @quantize(%x: tensor<{dims}x{source}>) -> tensor<{dims}x{element}> {{
  %y = llm.quantize %x to {element} : tensor<{dims}x{source}>
  return %y : tensor<{dims}x{element}>
}}"""
    x = make_activations(shape)
    if source == "bf16":
        x = (x.view(np.uint32) & 0xffff0000).view(np.float32)
    parts = run(folder, text, [x])
    for n, (found, wanted) in enumerate(zip(parts, quantize(x, element).parts, strict=True)):
        same(f"{element} of {shape}, part {n}", found, wanted)
    print(f"{element} of {source} {dims}: {sum(part.size for part in parts)} codes agree", flush=True)


def check_product(folder):
    """Weights and activations of 4 bits, whose product is in f32, in rows as many as there are."""
    element = "!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>"
    text = f"""
func.func @product(%x: tensor<?x48xf32>, %w: tensor<7x48xf32>) -> tensor<?x7xf32> {{
  %a = llm.quantize %x to {element} : tensor<?x48xf32>
  %b = llm.quantize %w to {element} : tensor<7x48xf32>
  %y = llm.matmul %a, %b transpose_rhs to f32 : tensor<?x48x{element}>, tensor<7x48x{element}>
  return %y : tensor<?x7xf32>
}}"""
    x, w = draw(5, 48), draw(7, 48)
    found, = run(folder, text, [x, w])
    near("product", found, quantize(x, element).numbers() @ quantize(w, element).numbers().T)
    print("product agrees", flush=True)


def check_latents(folder, element):
    """Latents of 12, of which 8 are the value, with scales for 8: some are those of values and of other features."""
    cache = f"<batch = 2, kv_heads = 1, head_dim = 12, capacity = 6, {element} latents>"
    text = f"""
!rows = tensor<2x3x1x12xf32>
!queries = tensor<2x3x4x12xf32>
!read = tensor<2x5x1x12x{element}>
func.func @latents(%q: !queries, %z: !rows) -> (!read, tensor<2x3x4x8xf32>) {{
  %0 = llm.kv_cache "c" : {cache}
  %1 = llm.kv_write %0, %z at 2 : {cache}, !rows
  %2 = llm.kv_read %1 rows 0 to 5 : {cache}
  %y = llm.mla_attn %q, %2 value_dim 8 mask causal scale 0.3 : !queries, !read
  return %2, %y : !read, tensor<2x3x4x8xf32>
}}"""
    query, rows = draw(2, 3, 4, 12), draw(2, 3, 1, 12)
    *parts, attention = run(folder, text, [query, rows])
    for n, (found, wanted) in enumerate(zip(parts, quantize(rows, element).parts, strict=True)):
        same(f"{element}, part {n}", found[:, 2:], wanted)
    latents = Stored(element, (2, 5, 1, 12), parts).numbers()
    near(f"{element}, attention", attention, attend(query, latents, latents[..., :8], [5, 5], 0.3))
    print(f"{element}: latents agree", flush=True)


def check_embedding(folder, element):
    """Rows of a random table, some of them twice."""
    tokens = [3, 0, 6, 3, 5]
    text = f"""
func.func @embedding(%t: tensor<5xi32>) -> (tensor<5x20xf32>, tensor<7x20x{element}>) {{
  %w = llm.weight "w" : tensor<7x20x{element}>
  %y = llm.embedding %t, %w to f32 : tensor<5xi32>, tensor<7x20x{element}>
  return %y, %w : tensor<5x20xf32>, tensor<7x20x{element}>
}}"""
    found, *parts = run(folder, text, [np.array(tokens, np.int32)], f"--save-weights={folder}/w.safetensors")
    near(f"{element}, rows", found, Stored(element, (7, 20), parts).numbers()[tokens], 1e-7)
    print(f"{element}: embedding agrees", flush=True)


TYPES = ["!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>", "!llm.block_scaled<f8E4M3FN, [32], f8E8M0FNU>",
         "!llm.block_scaled<f8E5M2, [32], f8E8M0FNU>", "!llm.block_scaled<f6E2M3FN, [32], f8E8M0FNU>",
         "!llm.block_scaled<f6E3M2FN, [32], f8E8M0FNU>", "!llm.block_scaled<i8, [32], f8E8M0FNU>",
         "!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN>", "!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>",
         "!llm.block_scaled<i8, [32], f16>", "!llm.block_scaled<i4, [32], f16>",
         "!llm.block_scaled<i6, [16], i8, [256], f16>", "!llm.block_scaled<f8E4M3FN, [128], f32>",
         "!llm.block_scaled<f8E4M3FN, [128, 128], f32>", "!llm.block_scaled<f8E4M3FN, [?], f32>",
         "!llm.block_scaled<f8E5M2, [?, ?], f32>", "!llm.block_scaled<i8, [?], f32>",
         "!llm.block_scaled<f8E4M3FN, [3, ?], f32>", "!llm.block_scaled<f4E2M1FN, [1], f8E8M0FNU>",
         "!llm.block_scaled<f4E2M1FN, [8], f8E8M0FNU, [2, 32], f32>"]


CACHES = ["f8E4M3FN", "f8E5M2", "!llm.block_scaled<f4E2M1FN, [4], f8E8M0FNU>", "!llm.block_scaled<i8, [?], f32>",
          "!llm.block_scaled<i4, [4], f16>", "!llm.block_scaled<f8E4M3FN, [?, ?], f32>",
          "!llm.block_scaled<f8E4M3FN, [2, ?], f32>", "!llm.block_scaled<f4E2M1FN, [4], f8E4M3FN, [?, ?], f32>",
          "!llm.block_scaled<f8E4M3FN, [?, ?, ?, ?], f32>", "!llm.block_scaled<i8, [?, ?, 1, 1], f32>",
          "!llm.block_scaled<f4E2M1FN, [4], f8E4M3FN, [?, ?, ?, ?], f32>", "!llm.block_scaled<f8E5M2, [?, 1, ?], f16>"]
SMALL = ["!llm.block_scaled<f8E4M3FN, [?], f32>", "!llm.block_scaled<f4E2M1FN, [8], f8E8M0FNU>",
         "!llm.block_scaled<i8, [8], f16>", "!llm.block_scaled<f4E2M1FN, [8], f8E4M3FN, [?], f32>"]


def main():
    folder, what = Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(exist_ok=True)
    np.seterr(all="ignore")
    if what == "quantize":
        for element in TYPES:
            check_quantize(folder, element, (9, 272), "f32", is_open=True)
            check_quantize(folder, element, (3, 5, 37), "bf16", is_open=False)
        check_product(folder)
        return
    check, types = {"caches": (check_cache, CACHES), "latents": (check_latents, SMALL),
                    "embedding": (check_embedding, [*SMALL, "!llm.block_scaled<f8E4M3FN, [4, 8], f32>"])}[what]
    for element in types:
        check(folder, element)


main()
