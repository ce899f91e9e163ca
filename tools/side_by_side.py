#!/usr/bin/env python3
"""Prints JSON reports of llm-opt side by side as one table.

    side_by_side.py [LABEL=]REPORT.json ...

First come time, tokens per second, what binds most of the time, and the share of the machine's
peak; of programs over several chips also tokens per second and chip, the share of the time that
exchanges take alone, and of stages the period of the pipeline. Rows below are ops, with the
microseconds in which all runs of an op are under way, and the share of the nearest of the
machine's peaks; then lower bound and roofline.
"""
import json
import sys
import textwrap

PAGE_WIDTH = 110


class InputError(Exception):
    pass


class Column:
    """One function of one report."""

    def __init__(self, report, label):
        self.report = report
        self.label = label
        self.ops = {op["name"]: [f"{op['elapsed_us']:,.3f}", f"{op['percent_of_limit']:.1f}"]
                    for op in report["ops"]}

    def time(self, cycles):
        """Returns cells for a time in microseconds that is not that of an op."""
        return [f"{cycles * 1e6 / self.report['clock_hz']:,.3f}", ""]


def cut_of(report):
    """Returns "tp=4 pp=2 stage 0", or nothing for a program of one chip."""
    words = [f"{axis}={size}" for axis, size in report.get("grid", {}).items()]
    if "pipeline" in report:
        words.append(f"stage {report['pipeline']['stage']}")
    return " ".join(words)


def label_columns(columns):
    """Gives a label to columns without one: target, phase and cut, or the cut alone where it says enough."""
    def machine_of(report):
        return f"{report['target']} {report.get('program', {}).get('phase') or report['function']}"
    reports = [column.report for column in columns if not column.label]
    says_enough = all(map(cut_of, reports)) and len(set(map(machine_of, reports))) == 1 < len(reports)
    for column in columns:
        if not column.label:
            cut = cut_of(column.report)
            column.label = cut if says_enough else " ".join(filter(None, (machine_of(column.report), cut)))


def load(argument):
    """Returns the columns of one argument: one for each function of its file."""
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
    """Returns all names. Names that only a later report has stand after the op that precedes them there."""
    names = []
    for column in columns:
        at = 0
        for name in column.ops:
            if name in names:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                at += 1
    return names


def common_prefix(names):
    """Returns what most names begin with, up to a dot: "model.layers.0."."""
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
            row += column.ops.get(name, ["-", "-"])
        yield row


def layers_label(columns):
    """Names the layers that the tokens per second are for, with their number if all reports agree."""
    layers = {column.report["program"]["model_layers"] for column in columns
              if "program" in column.report}
    return f"all {layers.pop()} layers" if len(layers) == 1 else "all layers"


def are_whole(columns):
    """Returns, for each report with a program, whether this is a whole model."""
    return ["tokens_per_second" in column.report for column in columns if "program" in column.report]


def headline_rows(columns):
    """Yields rows with one cell for each report."""
    def tokens(report, chips=1):
        rate = report.get("tokens_per_second", report.get("tokens_per_second_if_all_layers"))
        return "-" if rate is None else f"{rate / chips:,.1f}"

    def fits(report):
        return {True: "yes", False: "NO", None: "not checked"}[report.get("fits")]

    def per_chip(report):
        return tokens(report, report.get("chips", 1))

    def exposed(report):
        return f"{report['bound_percent']['exchange']:.1f}"

    def period(report):
        return f"{report['pipeline']['period_us']:,.3f}" if "pipeline" in report else "-"

    are_cut = any("chips" in column.report for column in columns)
    are_stages = any("pipeline" in column.report for column in columns)
    tokens_name = "tokens/s" if all(are_whole(columns)) else f"tokens/s, {layers_label(columns)}"
    for name, cell in (("fits into memory", fits),
                       ("time, us", lambda report: f"{report['makespan_us']:,.3f}"),
                       *([("period of the pipeline, us", period)] if are_stages else []),
                       (tokens_name, tokens),
                       *([("tokens/s per chip", per_chip), ("exposed exchange, %", exposed)] if are_cut else []),
                       ("bound", lambda report: report["bound"]),
                       ("of peak: MFU, %", lambda report: f"{report['mfu_percent']:.1f}"),
                       ("of peak: MBU, %", lambda report: f"{report['mbu_percent']:.1f}")):
        yield [name] + [cell(column.report) for column in columns]


def bound_rows(columns):
    def row(label, cells):
        return [label] + [cell for column in columns for cell in cells(column)]

    def gap(report):
        if "gap_percent" not in report:
            return "-"
        percent = report["gap_percent"]
        return f"{percent:,.1f} %" if percent >= 0 else f"{-percent:,.1f} % below"

    yield row("lower bound", lambda c: c.time(c.report["lower_bound_cycles"]))
    yield row("time above it", lambda c: [gap(c.report), ""])
    yield row("roofline", lambda c: c.time(c.report["roofline_cycles"]))


def column_widths(rows, labels, least_name):
    """Returns the widths of all cells. Names give way to numbers, and labels to names."""
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
    """Returns the width of a column: its microseconds, a blank, its share of the limit."""
    return widths[1 + 2 * column] + 1 + widths[2 + 2 * column]


def print_table(columns, prefix):
    headline, ops, bounds = list(headline_rows(columns)), list(op_rows(columns, prefix)), list(bound_rows(columns))
    labels = [column.label for column in columns]
    units = ["op"] + ["us", "limit %"] * len(columns)
    widest = [max([label] + [row[1 + at] for row in headline], key=len) for at, label in enumerate(labels)]
    widths = column_widths([units] + ops + bounds, widest,
                           least_name=max(len(row[0]) for row in headline + bounds))
    spans = [span(widths, at) for at in range(len(columns))]

    def line(cells):
        pairs = [f"{cells[at]:>{widths[at]}} {cells[at + 1]:>{widths[at + 1]}}"
                 for at in range(1, len(cells), 2)]
        return "  ".join([f"{elide(cells[0], widths[0]):<{widths[0]}}"] + pairs).rstrip()

    def wide_line(cells):
        return "  ".join([f"{cells[0]:<{widths[0]}}"] + [
            f"{elide(cell, width):>{width}}" for cell, width in zip(cells[1:], spans)])

    rule = "-" * (widths[0] + sum(2 + width for width in spans))
    print(wide_line([""] + labels))
    print(rule)
    for row in headline:
        print(wide_line(row))
    print(rule)
    print(line(units))
    for row in ops:
        print(line(row))
    print(rule)
    for row in bounds:
        print(line(row))


def describe_engines(columns):
    """Lists the engines of each target: "npu 4 x core, 2 x dma"."""
    return dict.fromkeys(
        column.report["target"] + " " + ", ".join(
            f"{engine['count']} x {engine['name']}" for engine in column.report["engines"])
        for column in columns if "engines" in column.report)


def describe_program(report):
    """Names the model and its sequences: "llama, decode, batch 1, seq 1, 512 keys, 1 of 16 layers"."""
    program = report.get("program")
    if program is None:
        return report["function"]
    groups = []
    for group in program["sequences"]:
        least, most = min(group["kv_len"]), max(group["kv_len"])
        keys = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        groups.append(f"batch {group['batch']:,}, seq {group['seq']:,}, {keys} keys")
    layers = "the whole model" if program["whole_model"] else f"{program['layers']} of {program['model_layers']} layers"
    return f"{program['model']}, {program['phase']}, {' and '.join(groups)}, {layers}"


def print_programs(columns):
    """Says what each column computes; once, if it is the same for several."""
    labels = {}
    for column in columns:
        labels.setdefault(describe_program(column.report), []).append(column.label)
    for program, of in labels.items():
        print(textwrap.fill(f"{', '.join(of)}: {program}." if len(labels) > 1 else f"All: {program}.", PAGE_WIDTH))


def print_remarks(columns):
    """What must be known of a figure stands with the columns that it is about."""
    of = {}
    for column in columns:
        for remark in column.report.get("remarks", []):
            of.setdefault(remark, []).append(column.label)
    for remark, labels in of.items():
        print(textwrap.fill(f"Note on {', '.join(labels)}: {remark}.", PAGE_WIDTH))


def print_notes(columns, prefix):
    print_programs(columns)
    print_remarks(columns)
    for engines in describe_engines(columns):
        print(f"Engines: {engines}.")
    if prefix:
        print(f'Names without "{prefix}".')
    for text in (
            "MFU, MBU: multiply-accumulates at the machine's peak, and bytes, each once, at the full rate "
            "of its DRAM, as shares of the time.",
            "Ops: from the first start of each run to its last end; some run side by side, so that the time is less. "
            "Limit: the op's share of the nearest of the whole machine's peaks."):
        print(textwrap.fill(text, PAGE_WIDTH))
    whole = are_whole(columns)
    if whole and not all(whole):
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
        label_columns(columns)
    except InputError as error:
        print(f"side_by_side.py: {error}", file=sys.stderr)
        return 1
    prefix = common_prefix(ops_in_order(columns))
    print_table(columns, prefix)
    print_notes(columns, prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
