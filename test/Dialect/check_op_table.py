"""Compares the documents of the llm dialect with its definition and its tests.

    check_op_table.py <repository root>

1. The tables of dialects/README.md list the ops, types and attributes of Llm.td, with their
   groups and summaries: none is missing, none is left over.
2. Each of them has a section in dialects/llm/Spec.md.
3. The labels of constraints (matmul-C1) are the same in Spec.md, in the code that checks
   them and in the tests; those of one subject are numbered from 1 without a gap.
4. So are the labels of rules of what ops compute (matmul-R1), in the code that lowers them
   and in the tests that run them. Each op that takes time has one.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # nothing is left in the source folder
from llm_records import load_records

problems = []


def expect_same(what, expected, found, where):
    """Reports what only one of the two sets has."""
    for item in sorted(expected - found):
        problems.append(f"{what}: {item} is missing in {where}")
    for item in sorted(found - expected):
        problems.append(f"{what}: {item} is only in {where}")


def defined_rows(records):
    """The rows that the tables must have."""
    of = lambda kind: [records[name] for name in records["!instanceof"][kind]]
    rows = set()
    for op in of("Llm_Op"):
        group = records[op["opDocGroup"]["def"]]["summary"]
        takes_time = "Llm_WorkOp" in op["!superclasses"]
        rows.add((f"`{op['opName']}`", group, "yes" if takes_time else "no", op["summary"]))
    rows |= {(f"`!llm.{type['mnemonic']}`", type["summary"]) for type in of("TypeDef")}
    rows |= {(f"`#llm.{attr['mnemonic']}`", attr["summary"]) for attr in of("Llm_Attr")}
    return rows


def rows_of(text):
    """The rows of the tables whose first cell is code."""
    rows = set()
    for line in text.splitlines():
        cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
        if line.startswith("|") and cells[0].startswith("`"):
            rows.add(cells)
    return rows


def labels_in(letter, paths):
    labels = set()
    for path in paths:
        labels |= set(re.findall(rf"\b[a-z_0-9]+-{letter}[0-9]+\b", path.read_text()))
    return labels


def files(folder, *suffixes):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in suffixes]


def check_labels(root, spec, letter, code, tests):
    """`letter`: C for constraints, R for rules."""
    stated = re.findall(rf"^- \*\*([a-z_0-9]+-{letter}[0-9]+)\*\*", spec, re.MULTILINE)
    for label in sorted({label for label in stated if stated.count(label) > 1}):
        problems.append(f"labels: Spec.md states {label} more than once")
    labels = set(stated)
    expect_same("labels", labels, labels_in(letter, code), "the code (against Spec.md)")
    expect_same("labels", labels, labels_in(letter, tests), "the tests (against Spec.md)")
    expect_same("labels", labels, labels_in(letter, [root / "dialects/llm/Spec.md"]),
                "the text of Spec.md (against the rules that it states)")
    for subject in sorted({label.rsplit("-", 1)[0] for label in labels}):
        numbers = sorted(int(label.rsplit(letter)[1]) for label in labels
                         if label.rsplit("-", 1)[0] == subject)
        if numbers != list(range(1, len(numbers) + 1)):
            problems.append(f"labels: {subject} has the numbers {numbers}")
    return labels


def lowered_ops(root, code):
    """Ops whose class lib/Conversion names: what others compute, nothing says yet."""
    text = "\n".join(path.read_text() for path in code)
    definitions = "\n".join(path.read_text() for path in files(root / "dialects", ".td"))
    return {op for name, op in re.findall(r'def Llm_(\w+)\s*:\s*\w+<"(\w+)"', definitions)
            if re.search(rf"\b{name}\b", text)}


def check_rules(root, spec, rows):
    code = files(root / "lib/Conversion", ".cpp", ".h")
    labels = check_labels(root, spec, "R", code, files(root / "test", ".mlir", ".test", ".cpp", ".py"))
    computing = {row[0].strip("`") for row in rows if len(row) == 4 and row[2] == "yes"}
    for op in sorted(computing & lowered_ops(root, code)):
        if f"{op}-R1" not in labels:
            problems.append(f"rules: {op} is lowered and has none")


def main():
    root = pathlib.Path(sys.argv[1])
    rows = defined_rows(load_records(root))
    expect_same("table", rows, rows_of((root / "dialects/README.md").read_text()),
                "dialects/README.md")
    spec = (root / "dialects/llm/Spec.md").read_text()
    headings = re.findall(r"^#+ (.*)", spec, re.MULTILINE)
    sections = {name for heading in headings for name in re.findall(r"`([^`]*)`", heading)}
    expect_same("section", {row[0].strip("`") for row in rows}, sections, "Spec.md")
    check_labels(root, spec, "C", files(root / "lib", ".cpp", ".h") + files(root / "include", ".h") +
                 files(root / "dialects", ".td"), files(root / "test", ".mlir", ".test", ".cpp"))
    check_rules(root, spec, rows)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(rows)} definitions agree")


if __name__ == "__main__":
    main()
