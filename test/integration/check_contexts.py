"""The tables and the picture of tools/contexts_figure.py against reports and what configs say.

    check_contexts.py BIN_FOLDER ROOT
"""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CONTEXTS = [1024, 4096]
# Bytes of a key, of states and of windows, by the fields of the configs.
KEPT_BYTES = {
    # 10 of 40 layers have keys and values: 2 heads of 256. The others keep 32 heads of 128 x 128 in f32, and
    # 3 columns of 2 x 16 x 128 + 32 x 128 channels.
    "Qwen--Qwen3.5-35B-A3B": (10 * 2 * 2 * 256 * 2, 30 * (32 * 128 * 128 * 4 + 3 * 8192 * 2), 0),
    # 5 layers of 30 see all keys: 2 heads of 512. The others see 1,024: 8 heads of 256.
    "google--gemma-4-26B-A4B": (5 * 2 * 2 * 512 * 2, 0, 25 * 2 * 8 * 256 * 2 * 1024),
    # 512 + 64 elements of bf16, and an index key of 128 bytes with a scale.
    "deepseek-ai--DeepSeek-V3.2": (61 * ((512 + 64) * 2 + 128 + 4), 0, 0)}
UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def tokens_per_second(bin_folder: Path, config: Path, keys: int) -> float:
    subprocess.run([bin_folder / "llm-translate", "--import-hf-config", config, "--layers=all", f"--kv-len={keys}",
                    "-o", "model.mlir"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([bin_folder / "llm-opt", "model.mlir",
                    "--llm-pipeline=target=h100-sxm fuse=true fuse-projections=true",
                    "--llm-export-report=format=json file=model.json", "-o", "/dev/null"],
                   check=True, stderr=subprocess.DEVNULL)
    return json.loads(Path("model.json").read_text())["tokens_per_second"]


def read_tables(text: str) -> list[list[list[str]]]:
    """The cells of each row behind the head."""
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
            for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]


def number(cell: str) -> float:
    return float(cell.replace(",", ""))


def near(found: float, expected: float, most: float) -> bool:
    return abs(found - expected) <= most * max(abs(expected), 1e-9)


def check_tables(tables: list, bin_folder: Path, root: Path) -> dict[str, list[tuple[float, float]]]:
    """Of each name tokens/s and bytes, by context."""
    values = {}
    for (model, (of_key, of_states, of_windows)), *rows in zip(KEPT_BYTES.items(), *tables, strict=True):
        speeds, sizes, parts = rows
        assert model.endswith(speeds[0]) and speeds[0] == sizes[0] == parts[0], rows
        config = root / "test" / "models" / f"{model}.json"
        expected = [(tokens_per_second(bin_folder, config, keys), of_key * keys + of_states + of_windows)
                    for keys in CONTEXTS]
        for (speed, size), speed_cell, size_cell in zip(expected, speeds[1:], sizes[1:], strict=True):
            assert f"{speed:.1f}" == speed_cell, (model, speed, speed_cell)
            assert f"{size / 1e6:,.1f}" == size_cell, (model, size, size_cell)
        assert list(map(number, parts[1:4])) == [of_key, of_states, of_windows], parts
        assert parts[4] == f"{(of_states + of_windows) / of_key:,.0f}", parts
        first, last = (1000 / speed for speed, _ in expected)
        assert parts[5:7] == [f"{last - first:.2f}", f"{100 * (last - first) / last:.0f} %"], parts
        values[speeds[0]] = expected
    return values


def value_of(label: str) -> float:
    digits, _, unit = label.partition(" ")
    return float(digits) * UNITS.get(unit, 1)


def check_picture(text: str, values: dict[str, list[tuple[float, float]]]) -> None:
    """Points lie where the labels of the axes say."""
    root = ElementTree.fromstring(text)
    texts = [(element.text, element) for element in root if element.tag.endswith("text")]
    lines = [element for element in root if element.tag.endswith("polyline")]
    names = [(name, element) for name, element in texts if name in values]
    assert len(lines) == len(names) == 2 * len(values), (len(lines), len(names))
    for index, (line, (name, _)) in enumerate(zip(lines, names)):
        points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        left = points[0][0]
        # The labels of this panel stand 8 pixels left of its axis.
        labels = [(float(element.get("y")) - 4, value_of(text)) for text, element in texts
                  if element.get("text-anchor") == "end" and abs(float(element.get("x")) + 8 - left) < 1]
        (y0, low), (y1, high) = min(labels, key=lambda label: label[1]), max(labels, key=lambda label: label[1])
        panel = index // len(values)
        for (_, y), expected in zip(points, values[name], strict=True):
            drawn = low * (high / low) ** ((y0 - y) / (y0 - y1))
            assert near(drawn, expected[panel], 0.01), (name, drawn, expected[panel])


def check_faster(speeds: list[list[str]], places: list[list[str]]) -> None:
    """Where a model is faster than the first one, as the two contexts say."""
    for row, place in zip(speeds, places):
        begins, ends = (number(mine) > number(other) for mine, other in zip(row[1:], speeds[0][1:]))
        expected = "" if row is speeds[0] else {(True, True): "everywhere", (False, False): "nowhere",
                                                (True, False): "up to", (False, True): "from"}[begins, ends]
        assert re.sub(r" [\d,]+$", "", place[7]) == expected, (row, place)


def main(bin_folder: Path, root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-B", root / "tools" / "contexts_figure.py", f"--bin={bin_folder}", "--svg=contexts.svg",
         f"--models={','.join(KEPT_BYTES)}", f"--contexts={','.join(map(str, CONTEXTS))}"],
        capture_output=True, text=True, check=True)
    tables = read_tables(done.stdout)
    values = check_tables(tables, bin_folder, root)
    check_faster(tables[0], tables[2])
    check_picture(Path("contexts.svg").read_text(), values)
    print(f"{len(values)} models agree")


main(*map(Path, sys.argv[1:]))
