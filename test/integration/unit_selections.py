"""Times of selections of keys, for unit_kernels.py: written down a second time from the formulas of docs/accuracy.md."""
from math import ceil


class Selection:
    """The scores of GLM-5's indexer, of 8 bits with a scale of 4 bytes for each row, and the best 2,048 keys, of a causal mask."""

    HEADS, FEATURES, SLOTS = 32, 128, 2048

    def __init__(self, device, row: dict):
        self.device, self.row = device, row
        self.figures = device.figures("selection", "llm.select_keys", row)
        self.launch = self.figures.get("launch_nanoseconds", 0) / 1e9
        # Keys that each query of a sequence sees.
        self.seen = [row["kv_len_tokens"] - row["q_len_tokens"] + number + 1 for number in range(row["q_len_tokens"])]
        self.all_scores = row["batch"] * sum(self.seen)

    def kernel(self, cycles: float, bytes_moved: float, rate: float) -> float:
        unit, stream = cycles / self.device.unit_clock, bytes_moved / rate
        return self.launch + (unit ** 4 + stream ** 4) ** 0.25

    def fits(self) -> bool:
        """Keys of a sequence, twice, and the scores of one query, with its slots."""
        keys = self.row["kv_len_tokens"]
        return 2 * keys * (self.FEATURES + 4) + 4 * keys + 8 * self.SLOTS + 4 * self.HEADS * self.FEATURES < self.device.cache_bytes / 2

    def op_bytes(self) -> int:
        """Queries and keys with their scales, weights, and slots."""
        rows = self.row["batch"] * len(self.seen)
        read = (rows * self.HEADS + self.row["batch"] * self.row["kv_len_tokens"]) * (self.FEATURES + 4) + rows * self.HEADS * 2
        return read + rows * self.SLOTS * 4

    def scoring(self) -> float:
        tile_rows = self.figures.get("query_tile", 64)
        queries = min(max(1, tile_rows // self.HEADS), len(self.seen))
        padded = ceil(queries * self.HEADS / tile_rows) * tile_rows
        macs = self.device.macs("fp8") * self.figures.get("macs_percent", 100) / 100
        # A weight, a maximum and a sum for each head.
        per_key = max(padded * self.FEATURES / macs, 3 * self.HEADS * queries / self.device.gpu["alu_per_cycle_per_unit"])
        longest = [self.seen[min(first + queries, len(self.seen)) - 1] for first in range(0, len(self.seen), queries)]
        items, keys = self.row["batch"] * len(longest), self.row["batch"] * sum(longest)
        waves, even, mean = -(-items // self.device.units), keys / self.device.units, keys / items
        if not self.figures.get("splits_unpacked"):
            even = max(max(longest), waves * mean, even + max(longest) - mean)
        rate = 1 / (1 / self.device.memory + 1 / self.device.port)
        return self.kernel(even * per_key + waves * self.figures.get("item_cycles", 0), self.op_bytes() + 4 * self.all_scores, rate)

    def selecting(self) -> float:
        waves = -(-self.row["batch"] * len(self.seen) // self.device.units)
        longest = max(self.seen[-1], self.all_scores / self.device.units)
        cycles = waves * self.figures.get("row_cycles", 0) + 4 * longest / self.figures["row_bytes_per_kilocycle"] * 1e3
        sweeps = 2 if self.figures.get("rereads_rows") else 1
        return self.kernel(cycles, sweeps * 4 * self.all_scores, min(self.device.memory, self.device.port))

    def seconds(self) -> float:
        time = self.scoring() if self.figures.get("scores_keys", 1) else 0
        time += self.selecting() if self.figures.get("row_bytes_per_kilocycle") else 0
        # An op takes no less than its bytes do, also where a kernel has only its second half.
        return max(time, self.launch + self.op_bytes() / self.device.memory)
