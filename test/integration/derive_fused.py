"""Bytes that kernels of several ops save, from the text of the program alone.

    derive_fused.py <program in generic form> <report without kernels> <report with kernels>

A value that an op in a kernel computes and another one there reads, also through views, is read
no more; one that the kernel does not hand on is not written either. That is what the reports of
a machine on which each element moves once must differ by; their multiply-accumulates must not
differ.
"""
import json
import math
import re
import sys

OP = re.compile(r'^\s*(?:(%[^=]*?) = )?"([\w.]+)"\(([^)]*)\).* : \((.*)\) -> (.*)$')


def split_types(text):
    """The types of a list, split at the commas that no bracket encloses."""
    types, depth, start = [], 0, 0
    for position, char in enumerate(text + ","):
        depth += (char in "<([") - (char in ">)]")
        if char == "," and depth == 0:
            types.append(text[start:position].strip())
            start = position + 1
    return types


def bytes_of(tensor):
    dims, element = re.fullmatch(r"tensor<((?:\d+x)*)([a-z]+\d+)>", tensor).groups()
    bits = int(re.search(r"\d+$", element)[0])
    return math.prod(int(size) for size in dims.split("x") if size) * bits // 8


def saved_in(body):
    """Bytes that one kernel saves; `body`: the matches of its ops."""
    roots, types, read = {}, {}, 0
    for results, op, operands, operand_types, result_types in body:
        operands = [value.strip() for value in operands.split(",") if value.strip()]
        inside = [(value, type) for value, type in zip(operands, split_types(operand_types))
                  if value in roots]
        if op == "llm.yield":
            handed_on = {roots[value] for value, _ in inside}
        elif op.startswith("tensor."):
            roots[results] = roots[inside[0][0]]
        else:
            read += sum(bytes_of(type) for _, type in inside)
            for value, type in zip(results.split(", "), split_types(result_types.strip("()"))):
                roots[value], types[value] = value, type
    used = {roots[value.strip()] for _, op, operands, _, _ in body if op != "llm.yield"
            for value in operands.split(",") if value.strip() in roots}
    return read + sum(bytes_of(types[value]) for value in used - handed_on)


def kernels_in(text):
    body = None
    for line in text.splitlines():
        if '"llm.fused"(' in line:
            body = []
        elif body is not None and line.strip().startswith("})"):
            yield body
            body = None
        elif body is not None:
            body.append(OP.match(line).groups())


def figures(path):
    report = json.load(open(path, encoding="utf-8"))
    return sum(op["bytes"]["dram"] for op in report["ops"]), report["totals"]


def main():
    program, before, after = sys.argv[1:]
    kernels = list(kernels_in(open(program, encoding="utf-8").read()))
    saved = sum(map(saved_in, kernels))
    (bytes_before, totals_before), (bytes_after, totals_after) = figures(before), figures(after)
    assert totals_before == totals_after, f"{totals_before} became {totals_after}"
    assert bytes_before - bytes_after == saved, f"{bytes_before} - {bytes_after} is not {saved}"
    print(f"{len(kernels)} kernels save {saved} bytes of {bytes_before}")


if __name__ == "__main__":
    main()
