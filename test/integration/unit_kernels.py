"""Times of ops on the units of a GPU, written down a second time from the formulas of docs/accuracy.md.

Random shapes of every kind of op that llm-prof knows go through `llm-prof validate` on some presets; each time must be
that of this file, which reads the preset's JSON and shares nothing with the compiler. The compiler rounds up to whole
cycles of the target's clock: they may differ by two of them, and by half of the last digit that is printed.

    unit_kernels.py ROOT FOLDER [ROWS [SEED]]
"""
from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from math import ceil, prod, sqrt
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
from unit_selections import Selection

TARGETS = ("a100-sxm", "a40", "h100-sxm", "rtx4090")
ROWS_OF_KIND = 80
BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "fp8": 1, "int8": 1}
NAMES = {"bf16": "bf16", "fp16": "f16", "fp32": "f32", "fp8": "f8E4M3FN", "int8": "i8"}
# Of types without a rate, the narrowest wider one stands in; of equally wide ones the first.
WIDER = {"bf16": (), "fp16": (), "fp32": (), "fp8": ("f16", "bf16"), "int8": ()}
# Products that are measured with the quantization of their activations: values and scales of 4 bytes in blocks of
# the left and of the right operand, [rows, columns]; None is all of them.
QUANTIZED = {"gemm_fp8_dynquant": ((1, None), (1, None)), "gemm_fp8_block128_dynquant": ((1, 128), (128, 128))}
FORMATS = {"gemm_fp8_dynquant": "fp8_channel", "gemm_fp8_block128_dynquant": "fp8_block"}
# One for each format. Each has no figures for the other, for which the default counts.
LIBRARIES = ("sglang_0.5.14_sgl_kernel_fp8_scaled_mm", "sglang_0.5.14_deepgemm_gemm_nt_f8f8bf16")
# Of which one only scores, and one only selects.
SELECTION_LIBRARIES = ("sglang_0.5.14_deep_gemm.fp8_mqa_logits", "sglang_0.5.14_fast_topk_transform_fused")
COLUMNS = ("row_id", "op_kind", "dtype", "backend", "timing", "note", "m", "n", "k", "batch", "heads", "kv_heads",
           "head_dim", "q_len", "kv_len", "causal", "rows", "cols", "cache_resident", "measured_us", "q_len_tokens", "kv_len_tokens")


def parts(whole: int, size: int) -> int:
    """Of at most `size`."""
    return -(-whole // size)


def round_up(value: float, granule: int) -> float:
    return ceil(value / granule) * granule


class Device:
    """A preset with its calibration, and its kernels as one row selects them."""

    def __init__(self, path: Path):
        sheet = json.loads(path.read_text())
        fitted = sheet["calibration"]
        self.gpu = {**sheet["engines"]["gpu"], **fitted["engines"]["gpu"]}
        dram = {**sheet["memories"]["dram"], **fitted["memories"]["dram"]}
        self.clock = sheet["clock_hz"]
        self.unit_clock = self.gpu.get("sustained_clock_hz", self.clock)
        self.units = self.gpu["units"]
        self.cache_bytes = sheet["memories"]["l2"]["capacity_bytes"]
        self.memory = dram.get("sustained_bytes_per_second", dram["bytes_per_second"])
        self.port = self.gpu["stream_bytes_per_kilocycle_per_unit"] / 1e3 * self.units * self.clock
        self.joules_per_byte = 1e-15 * dram.get("femtojoules_per_byte", 0)
        self.watts = sheet.get("power_limit_watts", 0) - sheet.get("idle_watts", 0)
        self.burst_share, self.burst_seconds = sheet.get("burst_percent", 100) / 100, sheet.get("burst_microseconds", 0) / 1e6
        self.energy_follows_clock = bool(sheet.get("energy_follows_clock", 0))

    def mac_type(self, dtype: str) -> str:
        return next(name for name in (NAMES[dtype], *WIDER[dtype]) if name in self.gpu["macs_per_cycle_per_unit"])

    def macs(self, dtype: str) -> int:
        return self.gpu["macs_per_cycle_per_unit"][self.mac_type(dtype)]

    def power_seconds(self, dtype: str, macs: float, bytes_moved: float) -> float:
        joules = 1e-15 * self.gpu.get("femtojoules_per_mac", {}).get(self.mac_type(dtype), 0)
        if not self.watts:
            return 0.0
        needed = macs * joules + bytes_moved * self.joules_per_byte
        # A burst takes its share of the limit for so long; the rest of the energy comes at the limit.
        in_burst = self.watts * self.burst_share * self.burst_seconds
        if needed <= in_burst:
            return needed / (self.watts * self.burst_share)
        return self.burst_seconds + (needed - in_burst) / self.watts

    def under_limit(self, unlimited: float, dtype: str, macs: float, bytes_moved: float) -> float:
        """Of an op that takes so long at the full clock."""
        at_limit = self.power_seconds(dtype, macs, bytes_moved)
        if at_limit <= unlimited or not self.energy_follows_clock:
            return max(unlimited, at_limit)
        # The clock falls to a share that takes power down to the limit: share * share ** (1 / 3) == unlimited / at_limit.
        return unlimited / (unlimited / at_limit) ** 0.75

    def figures(self, op_class: str, op: str, row: dict) -> dict:
        """Those of the class, of the row's library (or the default one) before those of none; then those of the op in the same way.
        A library that has figures for some formats has them for no others."""
        found: dict = {}
        kernels, number_format = self.gpu["kernels"], FORMATS.get(row["op_kind"])

        def counts(key: str) -> bool:
            return number_format in kernels[key].get("formats", [number_format])

        own = [key for key in (f"{op_class}@{row['backend']}", f"{op}@{row['backend']}") if key in kernels]
        is_replaced = any("formats" not in kernels[key] for key in own)
        for name in (op_class, op):
            libraries = [key for key in kernels if key.startswith(f"{name}@") and counts(key)]
            chosen = [key for key in libraries if key in own]
            default = [] if chosen or is_replaced else [key for key in libraries if kernels[key].get("is_default")]
            for key in ([name] if name in kernels else []) + sorted(default, key=lambda key: "formats" in kernels[key]) + chosen:
                found.update(kernels[key])
        # Of a replayed graph, the launch is replaced within each entry.
        if row["timing"].startswith("cudagraph"):
            found["launch_nanoseconds"] = found.get("replay_nanoseconds", found["launch_nanoseconds"])
        return found

    def cached_seconds(self, bytes_moved: float, figures: dict) -> float:
        per_kilocycle = figures.get("resident_bytes_per_kilocycle") or figures["cache_bytes_per_kilocycle"]
        rate = per_kilocycle / 1e3 * self.units * self.unit_clock
        return bytes_moved / max(rate, self.memory)


# -------------------------------------------------------------------------------------------------------- products

EDGES = (256, 128, 64)
PRODUCT_SPLITS = (1, 2, 3, 4, 6, 8)
FEWEST_TERMS = 128


class Product:
    """out[m, n] = sum over k of lhs[m, k] rhs[n, k]; a result of a narrow type is 16-bit."""

    def __init__(self, device: Device, row: dict):
        self.device, self.m, self.n, self.k = device, row["m"], row["n"], row["k"]
        self.dtype, self.size = row["dtype"], BYTES[row["dtype"]]
        blocks = QUANTIZED.get(row["op_kind"], (None, None))
        self.lhs_bytes, self.rhs_bytes = (self.stored(rows, self.k, block)
                                          for rows, block in zip((self.m, self.n), blocks))
        # Elsewhere other ops run between two of the same weight.
        self.is_resident = row["cache_resident"] and row["timing"].startswith("cudagraph")
        self.figures = device.figures("contraction", "llm.matmul", row)
        self.cache_rate = self.figures["cache_bytes_per_kilocycle"] / 1e3 * device.units * device.unit_clock

    def stored(self, rows: int, columns: int, block: tuple | None) -> int:
        """Bytes of a matrix, with a scale of 4 bytes for each block."""
        scales = parts(rows, block[0]) * parts(columns, block[1] or columns) if block else 0
        return self.size * rows * columns + 4 * scales

    def written(self) -> int:
        return max(2, self.size) * self.m * self.n

    def bytes_moved(self) -> int:
        return self.lhs_bytes + self.rhs_bytes + self.written()

    def is_cached(self) -> bool:
        return bool(self.is_resident and "resident_bytes_per_kilocycle" in self.figures
                    and self.bytes_moved() <= self.device.cache_bytes)

    def bytes_from_memory(self) -> int:
        return 0 if self.is_cached() else self.bytes_moved()

    def stream_seconds(self) -> float:
        moved = self.bytes_moved()
        seconds = (self.device.cached_seconds(moved, self.figures) if self.is_cached()
                   else max(moved * (1 / self.device.memory + 1 / self.device.port), self.seconds_of_loads(moved)))
        more = self.figures.get("written_byte_percent", 100) / 100 - 1
        return 1e-9 * self.figures.get("first_byte_nanoseconds", 0) + seconds * (1 + more * self.written() / moved)

    def seconds_of_loads(self, moved: int) -> float:
        """As many as the units have in flight."""
        per_kilocycle = self.figures.get("item_bytes_per_kilocycle")
        return moved / (per_kilocycle / 1e3 * self.device.units * self.device.unit_clock) if per_kilocycle else 0

    def operand_bytes(self, rows: float, columns: float, terms: float) -> float:
        """What the shares of scales of all operands come to; the compiler counts them in 4096ths of a byte."""
        lhs = ceil(self.lhs_bytes * 4096 / (self.m * self.k)) / 4096
        rhs = ceil(self.rhs_bytes * 4096 / (self.n * self.k)) / 4096
        return terms * (rows * lhs + columns * rhs)

    def fits(self) -> bool:
        """One operand stays in half of the cache while rows of the other one and of the result go by."""
        kept = max(self.size, 2) * min(self.m, self.n) * self.k
        return 2 * kept < self.device.cache_bytes and 16 * (self.k + self.m + self.n) < self.device.cache_bytes / 2

    def item_seconds(self, rows: int, columns: int, splits: int) -> float:
        gpu = self.device.gpu
        terms = round_up(self.k / splits, gpu["mac_granule_k"])
        macs = round_up(rows, gpu["mac_granule_m"]) * round_up(columns, gpu["mac_granule_n"]) * terms
        operands = self.operand_bytes(rows, columns, terms)
        return (self.figures["item_cycles"] + macs / self.device.macs(self.dtype)
                + operands / (self.figures["operand_bytes_per_kilocycle"] / 1e3)) / self.device.unit_clock

    def seconds_with(self, rows: int, columns: int, splits: int) -> float:
        items = parts(self.m, rows) * parts(self.n, columns) * splits
        waves = ceil(items / self.device.units)
        units = waves * self.item_seconds(rows, columns, splits)
        stream = self.stream_seconds()
        terms = round_up(self.k / splits, self.device.gpu["mac_granule_k"])
        shared = items * self.operand_bytes(rows, columns, terms) / self.cache_rate
        seconds = max(sqrt(sqrt(units ** 4 + stream ** 4)), shared)
        if splits > 1:
            seconds += 1e-9 * self.figures["split_nanoseconds"] + 8 * self.m * self.n * splits / self.cache_rate
        return seconds + 1e-9 * self.figures["launch_nanoseconds"]

    def is_cut(self, rows: int, columns: int, splits: int) -> bool:
        """Only where units have no tile, and terms are left for each part."""
        tiles = parts(self.m, rows) * parts(self.n, columns)
        return tiles < self.device.units and self.k // splits >= FEWEST_TERMS

    def library_seconds(self) -> float:
        """The library's tiles for as many rows, and not less than those for fewer rows take for the most of these."""
        rows, longest, begin = self.m, 0.0, 0
        for most in sorted({tile.get("most_rows", 2 ** 62) for tile in self.figures["tiles"]}):
            if begin < rows:
                tiles = [tile for tile in self.figures["tiles"] if tile.get("most_rows", 2 ** 62) == most]
                longest = max(longest, min(self.library_tile_seconds(tile, min(rows, most)) for tile in tiles))
            begin = most
        return longest + 1e-9 * self.figures["launch_nanoseconds"]

    def library_tile_seconds(self, tile: dict, rows: int) -> float:
        below = parts(rows, tile["rows"])
        below = round_up(below, tile.get("cluster_rows", 1))
        items = below * parts(self.n, tile["columns"])
        units = ceil(items / self.device.units) * self.item_seconds(tile["rows"], tile["columns"], 1)
        terms = round_up(self.k, self.device.gpu["mac_granule_k"])
        shared = items * self.operand_bytes(tile["rows"], tile["columns"], terms) / self.cache_rate
        return max((units ** 4 + self.stream_seconds() ** 4) ** 0.25, shared)

    def seconds(self) -> float:
        if "tiles" in self.figures:
            return self.under_limit(self.library_seconds())
        room = self.device.gpu["accumulator_bytes_per_unit"]
        least = min(self.seconds_with(rows, columns, splits)
                    for rows in EDGES for columns in EDGES if 4 * rows * columns <= room
                    for splits in PRODUCT_SPLITS if splits == 1 or self.is_cut(rows, columns, splits))
        return self.under_limit(least)

    def under_limit(self, unlimited: float) -> float:
        launch = 1e-9 * self.figures["launch_nanoseconds"]
        return launch + self.device.under_limit(unlimited - launch, self.dtype, self.m * self.n * self.k, self.bytes_from_memory())


# ------------------------------------------------------------------------------------------------------- attention

MOST_KEY_SPLITS = 128


class Attention:
    """softmax(q k) v of query heads that share kv heads, two bytes for each element."""

    def __init__(self, device: Device, row: dict):
        self.device, self.row = device, row
        self.batch, self.heads, self.kv_heads = row["batch"], row["heads"], row["kv_heads"]
        self.features, self.queries, self.keys = row["head_dim"], row["q_len"], row["kv_len"]
        self.figures = device.figures("attention", "llm.gqa_attn", row)
        group = self.heads // self.kv_heads
        self.packed = group > 1 and (self.figures.get("packs_groups", 0) == 1 or self.queries == 1)
        self.packed = self.packed and group <= self.figures.get("packed_heads", group)
        self.rows_of_query = group if self.packed else 1
        self.lanes = self.batch * (self.kv_heads if self.packed else self.heads)
        few, many = self.figures.get("decode_query_tile", 0), self.figures["query_tile"]
        self.tile = few if self.queries * self.rows_of_query <= few else many
        self.blocks_of_tiles = self.count_blocks()

    def last_key(self, query: int) -> int:
        """How many keys a query sees."""
        return self.keys if not self.row["causal"] else self.keys - self.queries + query + 1

    def count_blocks(self) -> list[int]:
        """Blocks of keys of each tile of query rows of one lane."""
        rows, tile = self.queries * self.rows_of_query, self.tile
        blocks = []
        for begin in range(0, rows, tile):
            last = (min(begin + tile, rows) - 1) // self.rows_of_query
            visible = self.last_key(last) if self.figures.get("skips_masked", 1) else self.keys
            blocks.append(max(1, parts(visible, self.figures["key_tile"])))
        return blocks

    def fits(self) -> bool:
        """Keys and values of one head, twice, and the scores of one query."""
        return 8 * self.keys * self.features + 4 * self.keys + 16 * self.features < self.device.cache_bytes

    def scores(self) -> int:
        return self.batch * self.heads * sum(self.last_key(query) for query in range(self.queries))

    def bytes_moved(self) -> int:
        return 2 * self.features * 2 * self.batch * (self.kv_heads * self.keys + self.heads * self.queries)

    def block_cycles(self) -> float:
        """Of products and the softmax, the longer, and what of the shorter does not hide behind it."""
        gpu = self.device.gpu
        products = 2 * self.features / self.device.macs(self.row["dtype"]) / self.figures.get("macs_percent", 100) * 100
        special = 1 / gpu["special_per_cycle_per_unit"]
        softmax = special + self.figures["alu_per_1000_scores"] / 1e3 / gpu["alu_per_cycle_per_unit"]
        shown = 1 - self.figures.get("overlap_percent", 0) / 100
        return self.tile * self.figures["key_tile"] * (max(products, softmax) + shown * min(products, softmax))

    def fill_cycles(self) -> float:
        """For queries, a block of keys and values, and the output of one item."""
        per_kilocycle = self.figures.get("item_bytes_per_kilocycle")
        rows = min(self.tile, self.queries * self.rows_of_query) + self.figures["key_tile"]
        moved = 2 * rows * 2 * self.features if per_kilocycle else 0
        return self.figures.get("item_cycles", 0) + (moved / (per_kilocycle / 1e3) if per_kilocycle else 0)

    def item_bytes(self) -> int:
        return 2 * self.features * (self.tile + 2 * self.figures["key_tile"])

    def compute_cycles(self, splits: int, together: int) -> float:
        """Until the last unit is done, at most `together` items in each."""
        units, classes = self.device.units, {}
        for blocks in self.blocks_of_tiles:
            classes[blocks] = classes.get(blocks, 0) + self.lanes * splits
        block, lone = self.block_cycles(), self.figures.get("lone_block_cycles", 0)
        started, all_cycles, all_blocks, end = 0, 0.0, 0, 0.0
        for blocks, count in sorted(classes.items(), reverse=True):
            blocks = parts(blocks, splits)
            cycles = blocks * block + self.fill_cycles()
            alone = cycles + blocks * lone
            both = max(alone, together * cycles)
            started += count
            all_cycles += count * both
            all_blocks += count * blocks
            waves, rest = divmod(parts(started, units), together)
            end = max(end, waves * both + (0, alone, both)[min(rest, 2)])
        apart = parts(max(classes), splits) - all_blocks / started
        return max(end, all_cycles / (together * units) + apart * max(block + lone, together * block))

    def fewest_cycles(self, splits: int) -> float:
        """With one item in a unit, or two where they fit."""
        two = 2 * self.item_bytes() <= self.device.gpu["unit_memory_bytes"]
        return min(self.compute_cycles(splits, together) for together in ((1, 2) if two else (1,)))

    def seconds_with(self, splits: int) -> float:
        device = self.device
        units = self.fewest_cycles(splits) / device.unit_clock
        items = len(self.blocks_of_tiles) * self.lanes * splits
        stream = self.bytes_moved() / min(device.memory, device.port * min(1, items / device.units))
        power = 4 if self.figures.get("streams_ahead") else 2
        seconds = (units ** power + stream ** power) ** (1 / power)
        if splits > 1:
            partial = 8 * (self.features + 1) * self.batch * self.heads * self.queries * splits
            seconds += 1e-9 * self.figures["split_nanoseconds"] + partial / device.memory
        return seconds

    def split_counts(self) -> set[int]:
        """All that leave no part empty."""
        may = self.packed or self.figures.get("splits_unpacked", 0) == 1
        if not may or self.lanes * len(self.blocks_of_tiles) >= 0.8 * self.device.units:
            return {1}
        most = max(self.blocks_of_tiles)
        return {parts(most, parts(most, splits)) for splits in range(1, min(most, MOST_KEY_SPLITS) + 1)}

    def seconds(self) -> float:
        launch = 1e-9 * self.figures["launch_nanoseconds"]
        seconds = launch + min(self.seconds_with(splits) for splits in self.split_counts())
        if "regroup_nanoseconds" in self.figures and self.packed and self.kv_heads > 1 and self.queries == 1:
            copied = 8 * self.features * self.batch * self.heads
            seconds += 1e-9 * self.figures["regroup_nanoseconds"] + copied / self.device.memory
        macs = 2 * self.features * self.scores()
        return launch + self.device.under_limit(seconds - launch, self.row["dtype"], macs, self.bytes_moved())


# ----------------------------------------------------------------------------------------------------- elementwise

LONGEST_ROW = 32768


class Sweep:
    """Loops over elements, the innermost last, of which `whole` of them are never cut."""

    def __init__(self, device: Device, row: dict, op: str, extents: tuple[int, ...], *, whole: int = 0,
                 read: int = 0, kept: int = 0, alu: int = 0, special: int = 0, compare: int = 0):
        self.device, self.extents, self.whole = device, extents, whole
        self.figures = device.figures("elementwise", op, row)
        # Bytes: `read` once more where rows are read again.
        self.bytes_kept = kept
        self.bytes_moved = kept + (read if self.figures.get("rereads_rows", 0) else 0)
        self.alu, self.special, self.compare, self.cached = alu, special, compare, row["cache_resident"]

    def item(self) -> list[int]:
        """A piece of a row, or all of it: of four loops, a row has all heads of a token."""
        most = self.figures.get("item_elements") or LONGEST_ROW
        sizes, elements = [], 1
        for inside, extent in enumerate(reversed(self.extents)):
            if inside < self.whole:
                sizes.append(extent)
            elif inside < (2 if len(self.extents) == 4 else 1):
                sizes.append(min(extent, max(1, most // elements)))
            elif inside == (2 if len(self.extents) == 4 else 1):
                sizes.append(min(extent, self.figures.get("item_rows", 1)))
            else:
                sizes.append(1)
            elements *= sizes[-1]
        return sizes[::-1]

    def seconds(self) -> float:
        device, gpu = self.device, self.device.gpu
        items = prod(parts(extent, size) for extent, size in zip(self.extents, self.item()))
        share = max(prod(self.item()) / prod(self.extents), 1 / device.units)
        cycles = share * max(self.bytes_moved / (self.figures["item_bytes_per_kilocycle"] / 1e3),
                             self.alu / gpu["alu_per_cycle_per_unit"], self.special / gpu["special_per_cycle_per_unit"],
                             self.compare / gpu["compare_per_cycle_per_unit"])
        cycles += max(1, items / device.units) * self.figures.get("item_cycles", 0)
        units = cycles / device.unit_clock
        is_cached = self.cached and self.bytes_kept <= device.cache_bytes
        stream = (device.cached_seconds(self.bytes_moved, self.figures) if is_cached
                  else self.bytes_moved / min(device.memory, device.port))
        return 1e-9 * self.figures["launch_nanoseconds"] + sqrt(units * units + stream * stream)


def norm(device: Device, row: dict) -> Sweep:
    size, rows, columns = BYTES[row["dtype"]], row["rows"], row["cols"]
    plane = rows * columns
    return Sweep(device, row, "llm.rmsnorm", (rows, columns), whole=1, read=size * plane,
                 kept=size * (2 * plane + columns), alu=4 * plane, special=rows)


def rope(device: Device, row: dict) -> Sweep:
    heads, features = row["heads"] + row["kv_heads"], row["head_dim"]
    elements = row["rows"] * heads * features
    return Sweep(device, row, "llm.rope", (1, row["rows"], heads, features), whole=1,
                 kept=2 * BYTES[row["dtype"]] * elements, alu=3 * elements, special=row["rows"] * features)


def gated(device: Device, row: dict) -> Sweep:
    plane = row["rows"] * row["cols"]
    return Sweep(device, row, "llm.swiglu", (row["rows"], row["cols"]), kept=3 * BYTES[row["dtype"]] * plane,
                 alu=3 * plane, special=2 * plane)


def add(device: Device, row: dict) -> Sweep:
    plane = row["rows"] * row["cols"]
    return Sweep(device, row, "llm.add", (row["rows"], row["cols"]), kept=3 * BYTES[row["dtype"]] * plane, alu=plane)


def quantize(device: Device, row: dict) -> Sweep:
    """Reads 16-bit activations twice, for the largest magnitudes and to scale them, and keeps them in between."""
    plane = row["m"] * row["k"]
    product = Product(device, row)
    return Sweep(device, row, "llm.quantize", (row["m"], row["k"]), whole=1, read=2 * plane,
                 kept=2 * plane + product.lhs_bytes, alu=2 * plane, compare=plane)


def cache_write(device: Device, row: dict) -> Sweep:
    extents = (row["batch"], row["q_len"], row["kv_heads"], row["head_dim"])
    return Sweep(device, {**row, "cache_resident": 0}, "llm.kv_write", extents, kept=4 * 2 * prod(extents))


SELECTION = "glm5_mqa_logits_module"
SWEEPS = {"rmsnorm": norm, "rope": rope, "silu_mul": gated, "residual_add": add}


def seconds_of(device: Device, row: dict) -> float:
    if row["op_kind"] == "gemm":
        return Product(device, row).seconds()
    if row["op_kind"] in QUANTIZED:
        return Product(device, row).seconds() + quantize(device, row).seconds()
    if row["op_kind"] == SELECTION:
        return Selection(device, row).seconds()
    if row["op_kind"] in SWEEPS:
        return SWEEPS[row["op_kind"]](device, row).seconds()
    written = cache_write(device, row).seconds() if row["note"] else 0
    return Attention(device, row).seconds() + written


# ------------------------------------------------------------------------------------------------------ random rows


class Shapes:
    def __init__(self, device: Device, seed: int):
        self.device, self.random = device, random.Random(seed)

    def between(self, low: int, high: int) -> int:
        """Small numbers as often as large ones; round ones as often as odd ones."""
        number = int(low * (high / low) ** self.random.random())
        granule = self.random.choice((1, 1, 8, 64))
        return max(low, number // granule * granule)

    def blank(self, kind: str) -> dict:
        return {**{column: "" for column in COLUMNS}, "op_kind": kind, "dtype": self.random.choice(("bf16", "fp16")),
                "timing": self.random.choice(("kernel", "cudagraph")), "cache_resident": 0, "causal": 1}

    def gemm(self, kind: str) -> dict:
        row = self.blank(kind)
        dtype = "fp8" if kind in QUANTIZED else self.random.choice(tuple(BYTES))
        row.update(dtype=dtype, cache_resident=self.random.randint(0, 1), m=self.between(1, 8192), n=self.between(16, 32768),
                   k=self.between(16, 16384))
        if kind in QUANTIZED:
            row.update(backend=self.random.choice(("", *LIBRARIES)))
        return row if Product(self.device, row).fits() else self.gemm(kind)

    def attention(self, kind: str) -> dict:
        row = self.blank(kind)
        kv_heads = self.random.choice((1, 2, 4, 8, 32))
        queries = 1 if kind == "attention_decode" else self.between(2, 3000)
        row.update(batch=self.between(1, 64 if queries < 100 else 3), kv_heads=kv_heads, q_len=queries,
                   heads=kv_heads * self.random.choice((1, 2, 3, 4, 8)), head_dim=self.random.choice((64, 80, 128)),
                   kv_len=queries + self.random.choice((0, self.between(1, 3000))), causal=self.random.randint(0, 1),
                   note=self.random.choice(("", "with the KV-cache write")),
                   backend=self.random.choice(("", "vllm_0.14.0_fa", "sglang_0.5.10_fa")))
        return row if Attention(self.device, row).fits() else self.attention(kind)

    def elementwise(self, kind: str) -> dict:
        row = self.blank(kind)
        row.update(dtype=self.random.choice(("bf16", "fp16", "fp32")), rows=self.between(1, 16384),
                   backend=self.random.choice(("", "vllm_0.19")), cache_resident=self.random.randint(0, 1))
        if kind == "rope":
            row.update(heads=self.between(1, 64), kv_heads=self.between(1, 64), head_dim=self.random.choice((64, 128)))
        else:
            row.update(cols=self.between(32, 32768))
        return row

    def selection(self, kind: str) -> dict:
        row = self.blank(kind)
        queries = self.between(1, 4096)
        row.update(dtype="fp8", batch=self.between(1, 64), q_len_tokens=queries, kv_len_tokens=queries + self.random.choice((0, self.between(1, 99999))),
                   backend=self.random.choice(("", *SELECTION_LIBRARIES)))
        return row if Selection(self.device, row).fits() else self.selection(kind)

    def rows(self, count: int) -> list[dict]:
        makers = {"gemm": self.gemm, **{kind: self.gemm for kind in QUANTIZED}, "attention_prefill": self.attention, "attention_decode": self.attention,
                  SELECTION: self.selection, **{kind: self.elementwise for kind in SWEEPS}}
        rows = [make(kind) for kind, make in makers.items() for _ in range(count)]
        for number, row in enumerate(rows):
            row.update(row_id=str(number), measured_us="1")
        return rows


# ------------------------------------------------------------------------------------------------------- comparison


def predict(target: str, rows: list[dict], folder: Path) -> dict[str, float]:
    """By the compiler: microseconds by the id of the row."""
    path = folder / f"{target}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        # The kind says the format.
        writer.writerows({**row, "dtype": ""} if row["op_kind"] in QUANTIZED else row for row in rows)
    text = subprocess.run(["llm-prof", "validate", f"--target={target}", "--format=csv", path], capture_output=True,
                          text=True, check=True).stdout
    return {row["row_id"]: float(row["predicted_us"]) for row in csv.DictReader(text.splitlines())}


def check(target: str, root: Path, folder: Path, count: int, seed: int) -> int:
    """How many rows differ."""
    device = Device(root / f"lib/Target/presets/{target}.json")
    rows = Shapes(device, seed).rows(count)
    predicted = predict(target, rows, folder)
    assert len(predicted) == len(rows), f"{len(predicted)} of {len(rows)} rows are predicted"
    wrong = 0
    for row in rows:
        expected, found = 1e6 * seconds_of(device, row), predicted[row["row_id"]]
        # Each op of a row rounds its launch and the rest; then the last digit.
        cycles = 4 if row["note"] or row["op_kind"] in QUANTIZED else 2
        if abs(found - expected) > cycles * 1e6 / device.clock + 0.0006 + 1e-9 * expected:
            wrong += 1
            given = {name: value for name, value in row.items() if value != ""}
            print(f"{target}: {found} us, expected {expected:.3f}: {given}")
    return wrong


def main() -> None:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else ROWS_OF_KIND
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    wrong = sum(check(target, root, folder, count, seed) for target in TARGETS)
    if wrong:
        sys.exit(f"{wrong} times differ from the formulas")
    print("all times are those of the formulas")


if __name__ == "__main__":
    main()
