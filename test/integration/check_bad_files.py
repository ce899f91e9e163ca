"""Breaks descriptions of machines and models, one way at a time.

The numbers of a good JSON or CSV file become what is no number to count with, all at once, and
each file is broken as a whole. The tool must say so in errors that point at each value, by line
and column, and name its field; it must neither crash nor accept the file.

    check_bad_files.py <folder for files>
"""
import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TARGET = """{
  "name": "chip", "description": "for tests", "clock_hz": 1000000000,
  "engines": {
    "core": {
      "kinds": ["matrix", "vector"], "count": 2, "units": 4, "private_memory": "sram",
      "macs_per_cycle_per_unit": { "bf16": 256 },
      "alu_per_cycle_per_unit": 16, "special_per_cycle_per_unit": 8, "compare_per_cycle_per_unit": 32,
      "port_bytes_per_second": { "dram": 90000000000 }, "overhead_cycles": 7
    }
  },
  "memories": {
    "sram": { "capacity_bytes": 4194304 },
    "dram": { "capacity_bytes": 8000000000, "bytes_per_second": 100000000000, "lanes": 50 }
  }
}
"""
TABLE = """field,chip,other
units (cores),8,4
clock_hz,1000000000,1
macs_per_cycle_per_unit_16bit,1024,1
macs_per_cycle_per_unit_fp32,512,1
peak_dense_16bit_flops,16384000000000,1
peak_dense_fp8_flops,32768000000000,1
memory_bytes_per_second,400000000000,1
memory_bytes,80000000000,1
last_level_cache_bytes,8388608,1
link_bytes_per_second_per_direction,50000000000,1
"""
CONFIG = """{
  "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
  "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16
}
"""
# What is no positive whole number, and what the parser refuses already.
NO_COUNTS = ['"64"', "true", "[64]", "{}", "-1", "1.5"]
UNREAD = ["1e400", "9223372036854775808"]
TOO_LARGE = ["2305843009213693952", "9223372036854775807"]  # 2^61 and 2^63 - 1
# The same numbers, written otherwise.
SPELLINGS = ["{}.0", "0.{}E{}"]
JSON_NUMBER = r'"(\w+)": (\d+)'
CSV_NUMBER = r"^(\w+)[^,]*,(\d+)"


class Checker:
    def __init__(self, folder):
        self.folder = Path(folder)
        (self.folder / "empty.mlir").write_text("module {}\n")
        self.problems = []
        self.numbers = itertools.count(1)  # threads take turns at it
        self.good = {}

    def run(self, name, text, kind):
        """Writes the file and lets a tool read it; what the tool did."""
        path = self.folder / f"{next(self.numbers)}.{kind}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if kind == "config.json":
            command = ["llm-translate", "--import-hf-config", path]
        else:
            column = " column=chip" if kind == "csv" else ""
            command = ["llm-opt", self.folder / "empty.mlir", f"--llm-target=file={path}{column}"]
        return subprocess.run(command, capture_output=True, timeout=60), path.name

    def expect_errors(self, name, text, kind, errors):
        """An error for each place (None: anywhere) and the words that are expected there."""
        done, file = self.run(name, text, kind)
        said = done.stderr.decode(errors="replace")
        for place, words in errors:
            where = "{}:{}".format(*place) if place else r"\d+:\d+"
            if not re.search(rf"{re.escape(file)}:{where}: error: [^\n]*{words}", said):
                self.problems.append(f"{name}: expected {place} {words!r}: {said[:300]}")
        if done.returncode != 1 or done.stdout:
            self.problems.append(f"{name}: exit {done.returncode}")

    def expect_error(self, name, text, kind, place, words):
        self.expect_errors(name, text, kind, [(place, words)])

    def expect_same(self, name, text, other, kind):
        """Both files are read, as the same thing."""
        if text not in self.good:
            self.good[text] = self.run(name, text, kind)[0]
        first, (second, _) = self.good[text], self.run(name, other, kind)
        if first.returncode != 0 or first.stdout != second.stdout or not first.stdout:
            self.problems.append(f"{name}: not read as it should: {second.stderr.decode(errors='replace')[:300]}")


def place_of(text, offset):
    """Line and column, from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def spell(number, spelling):
    return spelling.format(number, len(number)) if "E" in spelling else spelling.format(number)


def replace_all(text, numbers, values):
    """The text with values in place of the numbers, and where each of them begins."""
    result, places, end = "", [], 0
    for match, value in zip(numbers, values):
        result += text[end : match.start(2)]
        places.append(place_of(result + " ", len(result)))
        result += value
        end = match.end(2)
    return result + text[end:], places


def check_numbers(checker, text, kind, pattern, values):
    numbers = list(re.finditer(pattern, text, re.M))
    assert len(numbers) > 5
    for value in values:
        # 0 overhead is allowed.
        chosen = [match for match in numbers if (match[1], value) != ("overhead_cycles", "0")]
        broken, places = replace_all(text, chosen, [value] * len(chosen))
        errors = [(place, rf"\b{match[1]}'") for match, place in zip(chosen, places)]
        yield checker.expect_errors, f"{kind} with {value}", broken, kind, errors
    for value in UNREAD if kind != "csv" else []:
        for match in (numbers[0], numbers[-1]):
            broken, places = replace_all(text, [match], [value])
            # Of a number that no double holds the parser says where it ends.
            place = places[0] if value != "1e400" else None
            yield checker.expect_error, f"{kind} {match[1]}={value}", broken, kind, place, re.escape(value)
    for spelling in SPELLINGS:
        other, _ = replace_all(text, numbers, [spell(match[2], spelling) for match in numbers])
        yield checker.expect_same, f"{kind} as {spelling}", text, other, kind


def check_whole_files(checker):
    nested = "[" * 100000
    for kind, good in (("json", TARGET), ("config.json", CONFIG)):

        def broken(name, text, words, place=None, kind=kind):
            return checker.expect_error, f"{kind}: {name}", text, kind, place, words

        yield broken("empty", "", "the file is empty", (1, 1))
        yield broken("cut", good[:30], "invalid JSON")
        yield broken("an empty list", "[]", "must be", (1, 1))
        yield broken("an empty object", "{}", "is missing", (1, 1))
        yield broken("a text", '"chip"', "must be", (1, 1))
        yield broken("null", "null", "must be", (1, 1))
        yield broken("two objects", good + good, "expected end of input")
        yield broken("lists", nested, "nested deeper than 64", (1, 65))
        yield broken("closed lists", nested + "]" * 100000, "nested deeper than 64", (1, 65))
        yield broken("a deep member", '{"name": ' + nested + "]" * 100000 + "}", "nested deeper than 64")
        yield broken("objects", '{"a":' * 100000, "nested deeper than 64", (1, 1 + 5 * 64))
        yield broken("not UTF-8", b'{\n "na\xff": 1}', "ill-formed UTF-8", (2, 5))
        yield broken("UTF-16", good.encode("utf-16"), "invalid JSON", (1, 1))
        yield broken("a comment", "// hello\n" + good, "invalid JSON", (1, 1))
        for match in re.finditer(r'"(\w+)": [\d"]', good):
            twice = good[: match.start()] + f'"{match[1]}": 1, ' + good[match.start() :]
            again = place_of(twice, match.start() + len(f'"{match[1]}": 1, '))
            yield broken(f"{match[1]} twice", twice, f'"{match[1]}" is there twice', again)
            unknown = good[: match.start()] + '"no_such_field": 1, ' + good[match.start() :]
            yield broken(f"unknown before {match[1]}", unknown, r"no_such_field' (is not a known|is unknown|names no memory)")
        yield checker.expect_same, f"{kind}: byte order mark", good, "\ufeff" + good, kind

    def target(name, old, new, words):
        assert old in TARGET, old
        return checker.expect_error, f"json: {name}", TARGET.replace(old, new, 1), "json", None, words

    yield target("two engines of a name", '"core": {', '"core": {}, "core": {', '"core" is there twice')
    yield target("two memories of a name", '"dram": { "cap', '"sram": { "cap', '"sram" is there twice')
    yield target("an engine without a name", '"core": {', '"": {', "'engines' must not hold an empty name")
    yield target("no such memory", '"private_memory": "sram"', '"private_memory": "sarm"', "did you mean 'sram'")
    yield target("no such port", '{ "dram": 9', '{ "hbm": 9', "port_bytes_per_second.hbm' names no memory")
    yield target("no engines", '"engines": {', '"engines": {}, "x": {', "'engines' must hold an engine|'x' is not a known")
    yield target("engines in a list", '"engines": {', '"engines": [], "x": {', "'engines' must be a map")
    yield target("no such kind", '"vector"]', '"tensor"]', r"kinds\[1\]' must be .*\"vector\"")
    yield target("no kinds", '["matrix", "vector"]', "[]", "kinds' must name at least one kind")
    yield target("a typing error", '"count"', '"cuont"', "did you mean 'count'")
    yield target("no name", '"name": "chip", ', "", "'name' is missing")

    def table(name, text, words, place=None):
        return checker.expect_error, f"csv: {name}", text, "csv", place, words

    yield table("empty", "", "the table is empty", (1, 1))
    yield table("empty lines", "\n\n", "the table is empty", (1, 1))
    yield table("only a header", "field,chip\n", "gives no 'memory_bytes_per_second'", (1, 7))
    yield table("no such column", TABLE.replace("chip", "chap"), "no column is called 'chip'", (1, 1))
    yield table("two such columns", TABLE.replace("other", "chip"), "several columns are called 'chip'", (1, 1))
    yield table("semicolons", TABLE.replace(",", ";"), "cells are separated by commas", (1, 1))
    yield table("a field twice", TABLE + "clock_hz,1,1\n", "'clock_hz' is there twice", (12, 10))
    yield table("an unknown field", TABLE + "clock_hs,1,1\n", "did you mean 'clock_hz'", (12, 1))
    yield table("a short row", TABLE + "clock_hz,1\n", "this row has 2 cells, the first one 3", (12, 1))
    yield table("an open quote", TABLE + '"clock_hz,1,1\n', "this quote is never closed", (12, 1))
    yield table("UTF-16", TABLE.encode("utf-16"), "this is not UTF-8", (1, 1))
    yield table("Latin 1", TABLE.replace("other", "d\u00e9j\u00e0").encode("latin-1"), "this is not UTF-8", (1, 13))
    yield checker.expect_same, "csv: byte order mark", TABLE, "\ufeff" + TABLE, "csv"
    yield checker.expect_same, "csv: line ends", TABLE, TABLE.replace("\n", "\r\n"), "csv"


def main():
    checker = Checker(sys.argv[1])
    checks = [
        *check_numbers(checker, TARGET, "json", JSON_NUMBER, NO_COUNTS + TOO_LARGE + ["null", "0"]),
        *check_numbers(checker, CONFIG, "config.json", JSON_NUMBER, [*NO_COUNTS, "0"]),
        *check_numbers(checker, TABLE, "csv", CSV_NUMBER, ["-1", "0", "1.5", "0x10", "inf", *UNREAD, *TOO_LARGE]),
        *check_whole_files(checker),
    ]
    with ThreadPoolExecutor(2) as pool:
        for job in [pool.submit(check, *arguments) for check, *arguments in checks]:
            job.result()
    assert next(checker.numbers) > 100, "too few files"
    for problem in sorted(checker.problems):
        print(problem)
    sys.exit(1 if checker.problems else 0)


if __name__ == "__main__":
    main()
