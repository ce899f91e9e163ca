#!/usr/bin/env python3
"""Draws docs/images/house.svg: the libraries by floor, and which links which.

    tools/house_figure.py [-o docs/images/house.svg]

Read from the CMakeLists.txt of lib/. An arrow is a link; one that other arrows imply is left out.
"""
import argparse
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALL = re.compile(r"llm_add_library\(Llm(\w+) LAYER (\d+)(.*?)\)\n", re.S)
ROW, BOX, SIZE, GAP, MARGIN = 74, 26, 7.2, 22, 16  # in pixels; SIZE is the width of a letter


@dataclass
class Library:
    name: str
    floor: int
    links: set[str]


def read_libraries() -> dict[str, Library]:
    found = {}
    for path in (ROOT / "lib").rglob("CMakeLists.txt"):
        for name, floor, rest in CALL.findall(path.read_text()):
            links = rest.partition("LINK")[2]
            found[name] = Library(name, int(floor), set(re.findall(r"\bLlm(\w+)", links)))
    return found


def reduce(libraries: dict[str, Library]) -> set[tuple[str, str]]:
    """Returns the links that no others imply."""
    below: dict[str, set[str]] = {}
    for library in sorted(libraries.values(), key=lambda each: each.floor):
        below[library.name] = library.links.union(*(below[link] for link in library.links))
    return {(library.name, link) for library in libraries.values() for link in library.links
            if not any(link in below[other] for other in library.links)}


def make_rows(libraries: dict[str, Library], edges: set[tuple[str, str]]):
    """Returns the rows from the top down, with places for arrows that pass them, and the steps of the arrows."""
    floors = sorted({library.floor for library in libraries.values()}, reverse=True)
    row_of = {library.name: floors.index(library.floor) for library in libraries.values()}
    rows = [[] for _ in floors]
    for name in sorted(libraries):
        rows[row_of[name]].append(name)
    steps = []
    for start, end in sorted(edges):
        at = start
        for row in range(row_of[start] + 1, row_of[end]):
            passing = f"{start}>{end}@{row}"
            rows[row].append(passing)
            steps.append((at, passing))
            at = passing
        steps.append((at, end))
    return rows, steps


def width(node: str) -> float:
    return 8 if ">" in node else SIZE * len(node) + 16


def place(rows, steps) -> dict[str, float]:
    """Returns the middle of each node. Each row is sorted many times by the places of the neighbours of its nodes."""
    neighbours: dict[str, list[str]] = {}
    for start, end in steps:
        neighbours.setdefault(start, []).append(end)
        neighbours.setdefault(end, []).append(start)
    middle: dict[str, float] = {}

    def spread(row: list[str]) -> None:
        left = -(sum(map(width, row)) + GAP * (len(row) - 1)) / 2
        for node in row:
            middle[node] = left + width(node) / 2
            left += width(node) + GAP

    for row in rows:
        spread(row)
    for turn in range(60):
        for row in rows if turn % 2 else reversed(rows):
            row.sort(key=lambda node: sum(middle[other] for other in neighbours.get(node, [node]))
                     / len(neighbours.get(node, [node])))
            spread(row)
    return middle


def draw(rows, steps, middle: dict[str, float]) -> str:
    half = max(sum(map(width, row)) + GAP * (len(row) - 1) for row in rows) / 2 + MARGIN
    size = f'width="{2 * half:.0f}" height="{ROW * len(rows) - ROW + BOX + 2 * MARGIN}"'
    row_of = {node: number for number, row in enumerate(rows) for node in row}
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
             f'<rect {size} fill="white"/>',
             '<marker id="tip" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
             '<path d="M0,0 L6,3 L0,6 z" fill="#888"/></marker>']

    def point(node: str, bottom: bool) -> str:
        y = MARGIN + ROW * row_of[node] + (BOX if bottom else 0)
        return f"{middle[node] + half:.0f},{y}"

    for start, end in steps:
        tip = "" if ">" in end else ' marker-end="url(#tip)"'
        parts.append(f'<path d="M{point(start, True)} L{point(end, False)}" stroke="#888" fill="none"{tip}/>')
    for node in row_of:
        x, y = middle[node] + half, MARGIN + ROW * row_of[node]
        if ">" in node:
            parts.append(f'<path d="M{x:.0f},{y} v{BOX}" stroke="#888"/>')
            continue
        parts += [f'<rect x="{x - width(node) / 2:.0f}" y="{y}" width="{width(node):.0f}" height="{BOX}" rx="4" '
                  'fill="#eef3fb" stroke="#4a6fa5"/>',
                  f'<text x="{x:.0f}" y="{y + 17}" text-anchor="middle">{node}</text>']
    return "\n".join(parts + ["</svg>"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", type=Path, default=ROOT / "docs/images/house.svg")
    options = parser.parse_args()
    libraries = read_libraries()
    rows, steps = make_rows(libraries, reduce(libraries))
    options.output.write_text(draw(rows, steps, place(rows, steps)))


if __name__ == "__main__":
    main()
