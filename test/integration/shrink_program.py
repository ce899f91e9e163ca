"""Makes a random program smaller as long as it stays wrong."""
import re
from dataclasses import replace

from random_programs import Input


def drop_unread(program):
    """Without what nobody reads."""
    statements = list(program.statements)
    while True:
        read = set().union({name for name, _ in program.results}, *(each.reads() for each in statements))
        left = [each for each in statements if any(name in read for name, _ in each.results)]
        if len(left) == len(statements):
            inputs = [each for each in program.inputs if each.name in read]
            return replace(program, statements=left, inputs=inputs)
        statements = left


def without_result(program, n):
    return drop_unread(replace(program, results=program.results[:n] + program.results[n + 1 :]))


def without_statement(program, n):
    """Its results are arguments; nothing where these can be none."""
    gone = program.statements[n]
    if any(re.match(r"tensor<[^?!]*(f32|f16)>$", kind) is None for _, kind in gone.results):
        return None
    names = {name for name, _ in gone.results}
    return drop_unread(replace(
        program, statements=program.statements[:n] + program.statements[n + 1 :],
        inputs=program.inputs + [Input(name, kind, kind) for name, kind in gone.results],
        results=[result for result in program.results if result[0] not in names]))


def smaller(program):
    for n in reversed(range(len(program.results))):
        if len(program.results) > 1:
            yield without_result(program, n)
    for n in reversed(range(len(program.statements))):
        yield without_statement(program, n)


def shrink(program, is_wrong, tries=80):
    """`is_wrong`: whether a program still is. Each try costs a run."""
    while True:
        for candidate in smaller(program):
            if candidate is None or not candidate.results or str(candidate) == str(program):
                continue
            tries -= 1
            if tries < 0:
                return program
            if is_wrong(candidate):
                program = candidate
                break
        else:
            return program
