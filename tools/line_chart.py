"""Panels of lines over two logarithmic axes, as SVG. Each line has its name at its end."""
import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

LABEL_PIXELS = 14  # the least distance of two names
DIGIT_PIXELS = 7


@dataclass
class Axis:
    title: str
    ticks: dict[float, str]  # labels by value; the first and the last are the ends

    def share(self, value: float) -> float:
        """Returns how far along the axis a value lies, from 0 to 1."""
        first, last = (math.log(end) for end in (min(self.ticks), max(self.ticks)))
        return (math.log(value) - first) / (last - first)


@dataclass
class Line:
    name: str
    points: list[tuple[float, float]]
    colour: str
    dashes: str = ""


@dataclass
class Panel:
    x: Axis
    y: Axis
    lines: list[Line]
    left: int = 60
    top: int = 20
    width: int = 420
    height: int = 300
    title: str = ""
    parts: list[str] = field(default_factory=list)

    def place(self, x: float, y: float) -> tuple[float, float]:
        return (self.left + self.width * self.x.share(x), self.top + self.height * (1 - self.y.share(y)))

    def add_text(self, x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>')

    def add_grid_line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>')

    def draw_axes(self) -> None:
        right, bottom = self.left + self.width, self.top + self.height
        for value, text in self.x.ticks.items():
            x, _ = self.place(value, min(self.y.ticks))
            self.add_grid_line(x, self.top, x, bottom)
            self.add_text(x, bottom + 18, text)
        for value, text in self.y.ticks.items():
            _, y = self.place(min(self.x.ticks), value)
            self.add_grid_line(self.left, y, right, y)
            self.add_text(self.left - 8, y + 4, text, "end")
        self.add_text(self.left + self.width / 2, bottom + 40, self.x.title)
        x, middle = self.left - 20 - DIGIT_PIXELS * max(map(len, self.y.ticks.values())), self.top + self.height / 2
        self.add_text(x, middle, self.y.title, more=f' transform="rotate(-90 {x} {middle})"')

    def draw_lines(self) -> None:
        below = math.inf  # the place of the name below the next one
        for line in sorted(self.lines, key=lambda line: line.points[-1][1]):
            points = " ".join("{:.1f},{:.1f}".format(*self.place(*point)) for point in line.points)
            self.parts.append(f'<polyline points="{points}" fill="none" stroke="{line.colour}" stroke-width="2" '
                              f'stroke-dasharray="{line.dashes}"/>')
            x, y = self.place(*line.points[-1])
            below = min(y, below - LABEL_PIXELS)
            self.add_text(x + 8, below + 4, line.name, "start", f' fill="{line.colour}"')

    def draw(self) -> list[str]:
        self.parts = []
        if self.title:
            self.add_text(self.left + self.width / 2, self.top - 10, self.title, more=' font-weight="bold"')
        self.draw_axes()
        self.draw_lines()
        return self.parts


def svg(width: int, height: int, panels: list[Panel]) -> str:
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for panel in panels:
        parts += panel.draw()
    return "\n".join(parts + ["</svg>"]) + "\n"
