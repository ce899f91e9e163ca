#!/usr/bin/env python3
"""Prints JSON reports of llm-opt side by side as one table.

    side_by_side.py [LABEL=]REPORT.json ...

Rows are ops, with cycles and microseconds of engine time for each report, all runs of an op
together; below stand the makespans, their bounds, and what they mean in tokens per second.
"""
import json
import sys

PAGE_WIDTH = 110


class InputError(Exception):
    pass


class Column:
    """One function of one report."""

    def __init__(self, report, label):
        self.report = report
        self.label = label or default_label(report)
        self.cycles = {op["name"]: op["count"] * op["scheduled_cycles"] for op in report["ops"]}

    def microseconds(self, cycles):
        return cycles * 1e6 / self.report["clock_hz"]

    def pair(self, cycles):
        """Cells for cycles and microseconds."""
        if cycles is None:
            return ["-", "-"]
        return [f"{cycles:,}", f"{self.microseconds(cycles):,.3f}"]


def default_label(report):
    phase = report.get("program", {}).get("phase") or report["function"]
    return f"{report['target']} {phase}"


def load(argument):
    """The columns of one argument: one for each function of its file."""
    label, separator, path = argument.rpartition("=")
    if not separator:
        path = argument
    try:
        with open(path, encoding="utf-8") as file:
            root = json.load(file)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read '{path}': {error}") from error
    try:
        return [Column(report, label) for report in root.get("functions", [root])]
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"'{path}' is no report of llm-opt: {error!r}") from error


# --------------------------------------------------------------------------------------
# Names
# --------------------------------------------------------------------------------------


def ops_in_order(columns):
    """All names, those that only a later report has after the op that precedes them there."""
    names = []
    for column in columns:
        at = 0
        for name in column.cycles:
            if name in names:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                at += 1
    return names


def common_prefix(names):
    """What most names begin with, up to a dot: "model.layers.0."."""
    counts = {}
    for name in names:
        parts = name.split("+")[0].split(".")
        for length in range(1, len(parts)):
            prefix = ".".join(parts[:length]) + "."
            counts[prefix] = counts.get(prefix, 0) + 1
    shared = [prefix for prefix, count in counts.items() if 2 * count > len(names)]
    return max(shared, key=len, default="")


def shorten(name, prefix):
    parts = [part[len(prefix):] if part.startswith(prefix) else part for part in name.split("+")]
    return "+".join(parts)


def elide(text, width):
    if len(text) <= width:
        return text
    kept = max(width - 2, 2)
    return text[:(kept + 1) // 2] + ".." + text[-(kept // 2):]


# --------------------------------------------------------------------------------------
# The table
# --------------------------------------------------------------------------------------


def op_rows(columns, prefix):
    for name in ops_in_order(columns):
        row = [shorten(name, prefix)]
        for column in columns:
            row += column.pair(column.cycles.get(name))
        yield row


def layers_label(columns):
    """How many layers the tokens per second are for, where all reports agree."""
    layers = {column.report["program"]["model_layers"] for column in columns
              if "program" in column.report}
    return f"all {layers.pop()} layers" if len(layers) == 1 else "all layers"


def summary_rows(columns):
    def row(label, cells):
        return [label] + [cell for column in columns for cell in cells(column)]

    def gap(report):
        return f"{report['gap_percent']:,.1f} %" if "gap_percent" in report else "-"

    def tokens(report):
        rate = report.get("tokens_per_second_if_all_layers")
        return "-" if rate is None else f"{rate:,.1f}"

    yield row("engine time", lambda c: c.pair(sum(c.cycles.values())))
    yield row("makespan", lambda c: c.pair(c.report["makespan_cycles"]))
    yield row("lower bound", lambda c: c.pair(c.report["lower_bound_cycles"]))
    yield row("makespan above it", lambda c: ["", gap(c.report)])
    yield row("roofline", lambda c: c.pair(c.report["roofline_cycles"]))
    yield row(f"tokens/s, {layers_label(columns)}", lambda c: ["", tokens(c.report)])


def column_widths(rows, labels, least_name):
    """The widths of all cells; names give way to numbers, and labels to names."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    gaps = 3 * len(labels)
    room = PAGE_WIDTH - sum(widths) - gaps
    for at, label in enumerate(labels):
        lacking = max(len(label) - span(widths, at), 0)
        widths[1 + 2 * at] += min(lacking, max(room, 0))
        room -= lacking
    widths[0] = max(min(widths[0], PAGE_WIDTH - sum(widths[1:]) - gaps), least_name)
    return widths


def span(widths, column):
    """The width of a column: its cycles, a blank, its microseconds."""
    return widths[1 + 2 * column] + 1 + widths[2 + 2 * column]


def print_table(columns, prefix):
    ops, summary = list(op_rows(columns, prefix)), list(summary_rows(columns))
    labels = [column.label for column in columns]
    units = ["op"] + ["cycles", "us"] * len(columns)
    widths = column_widths([units] + ops + summary, labels,
                           least_name=max(len(row[0]) for row in summary))
    spans = [span(widths, at) for at in range(len(columns))]

    def line(cells):
        pairs = [f"{cells[at]:>{widths[at]}} {cells[at + 1]:>{widths[at + 1]}}"
                 for at in range(1, len(cells), 2)]
        return "  ".join([f"{elide(cells[0], widths[0]):<{widths[0]}}"] + pairs).rstrip()

    rule = "-" * (widths[0] + sum(2 + width for width in spans))
    heads = [f"{elide(label, width):>{width}}" for label, width in zip(labels, spans)]
    print("  ".join([" " * widths[0]] + heads))
    print(line(units))
    print(rule)
    for row in ops:
        print(line(row))
    print(rule)
    for row in summary:
        print(line(row))


def describe_engines(columns):
    """The engines of each target: "npu 4 x core, 2 x dma"."""
    return dict.fromkeys(
        column.report["target"] + " " + ", ".join(
            f"{engine['count']} x {engine['name']}" for engine in column.report["engines"])
        for column in columns if "engines" in column.report)


def print_notes(columns, prefix):
    for engines in describe_engines(columns):
        print(f"Engines: {engines}.")
    if prefix:
        print(f'Names without "{prefix}".')
    print("Ops: engine time of all runs together; engines work side by side, so that the "
          "makespan is less.")
    if any("tokens_per_second_if_all_layers" in column.report for column in columns):
        whole = [column.report.get("program", {}).get("whole_model", False) for column in columns]
        if not all(whole):
            print(f"tokens/s: if {layers_label(columns)} took this long; without embedding, head "
                  "and sampling" + (", but for whole models." if any(whole) else "."))
    for target, description in dict((column.report["target"],
                                     column.report.get("target_description", ""))
                                    for column in columns).items():
        if "invented" in description.lower():
            print(f"The figures of {target} are invented ({description}).")


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    try:
        columns = [column for argument in arguments for column in load(argument)]
    except InputError as error:
        print(f"side_by_side.py: {error}", file=sys.stderr)
        return 1
    prefix = common_prefix(ops_in_order(columns))
    print_table(columns, prefix)
    print_notes(columns, prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
