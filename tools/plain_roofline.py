"""The best simple form beside the tables of docs/accuracy.md: max(compute / a, memory / b) + c n for each row of n kernels, with a and b of
at most 1."""
import json
import math
import random

from measured_rows import PRESETS, Prof, mdape, plain_target

PARTS, FEWEST = 5, 10
Peaks = dict[str, tuple[float, float, int]]  # what `extremes` returns


def endless_target(prof: Prof, preset: str, endless: tuple[str, ...], overhead_cycles: int) -> str:
    """Writes the roofline of a preset with endless memories, engines or both."""
    target = json.loads(plain_target(preset, prof.work, overhead_cycles).read_text())
    [engine] = target["engines"].values()
    if "memories" in endless:
        for memory in target["memories"].values():
            memory["bytes_per_second"] = 10 ** 17
    if "engines" in endless:
        for rate in ("alu", "special", "compare"):
            engine[f"{rate}_per_cycle_per_unit"] = 10 ** 9
        engine["macs_per_cycle_per_unit"] = dict.fromkeys(engine["macs_per_cycle_per_unit"], 10 ** 9)
    path = prof.work / "endless.json"
    path.write_text(json.dumps(target))
    return str(path)


def extremes(prof: Prof, preset: str, files: list[str] | None, device: str) -> Peaks:
    """Returns of each row the microseconds of its work and those of its bytes, at the peaks of the datasheet, and its kernels."""
    launch_cycles = 10 ** 8
    clock_mhz = json.loads((PRESETS / f"{preset}.json").read_text())["clock_hz"] / 1e6

    def times(*arguments) -> dict[str, float]:
        rows = prof.validate(endless_target(prof, preset, *arguments), files=files, device=[device])
        return {row["row_id"]: float(row["predicted_us"]) for row in rows}

    compute, memory = times(("memories",), 0), times(("engines",), 0)
    launches = times(("memories", "engines"), launch_cycles)
    return {name: (compute[name], memory[name], round(launches[name] * clock_mhz / launch_cycles)) for name in compute}


Row = tuple[float, float, int, float]  # what `extremes` says, and the measured microseconds


def predict(row: Row, logs: list[float]) -> float:
    compute, memory, kernels, _ = row
    return max(compute * math.exp(logs[0]), memory * math.exp(logs[1])) + kernels * math.exp(logs[2])


def error(rows: list[Row], logs: list[float]) -> float:
    """As in llm-prof calibrate, no row counts more than one that is off by half."""
    return sum(min(0.4, abs(math.log(predict(row, logs) / row[3]))) for row in rows)


def descend(rows: list[Row], best: list[float]) -> list[float]:
    """Moves one logarithm after the other, in steps that become shorter."""
    least, step = error(rows, best), 0.5
    while step > 0.02:
        moved = False
        for at in range(3):
            for sign in (step, -step):
                tried = [*best]
                tried[at] = max(0.0, tried[at] + sign) if at < 2 else tried[at] + sign
                if (found := error(rows, tried)) < least:
                    best, least, moved = tried, found, True
        step = step if moved else step / 2
    return best


def fit(rows: list[Row]) -> list[float]:
    """Returns the logarithms of 1 / a, 1 / b and c. The search begins from several points, as it may end in a valley."""
    launch = math.log(min(row[3] / row[2] for row in rows))
    starts = [[compute, memory, launch - 0.3] for compute in (0.1, 1.5) for memory in (0.05, 0.7)]
    return min((descend(rows, start) for start in starts), key=lambda logs: error(rows, logs))


def triples(rows: list[dict], peaks: Peaks) -> list[Row]:
    return [(*peaks[row["row_id"]], float(row["measured_us"])) for row in rows]


def carried(rows: list[dict], peaks: Peaks, logs: list[float]) -> list[dict]:
    """Returns the rows as a plain roofline predicts them that was fitted elsewhere."""
    return [{**row, "predicted_us": predict(known, logs)} for row, known in zip(rows, triples(rows, peaks))]


def held_out(rows: list[dict], peaks: Peaks) -> list[dict]:
    """Returns the rows as a plain roofline predicts them that was fitted without them."""
    rows = [row for row in rows if row["row_id"] in peaks]
    random.Random(1).shuffle(rows)
    held = []
    for part in range(PARTS):
        logs = fit(triples([row for at, row in enumerate(rows) if at % PARTS != part], peaks))
        held += carried(rows[part::PARTS], peaks, logs)
    return held


def plain_error(rows: list[dict], peaks: Peaks) -> float | str:
    """Returns the median error of rows that were left out, in percent, or "" if there are too few."""
    held = held_out(rows, peaks) if len(rows) >= FEWEST else []
    return mdape(held) if len(held) >= FEWEST else ""
