"""Parses the example of every op and type of the llm dialect with llm-opt.

    check_op_examples.py <repository root>

The examples stand in the descriptions in Llm*Ops.td, as ```mlir blocks. Each becomes the
body of a function whose arguments are the names that the example uses and does not define,
with the types at its end. Fails when an op has no example, an example is of another op, or
llm-opt does not take it and print it in a form that it takes again.
"""
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing is left in the source folder
from llm_records import load_records


# Collectives need one.
GRID = "llm.grid = #llm.grid<cp = 4, tp = 8>"


def split_types(text):
    """The types of a list, split at the commas that no bracket encloses."""
    types, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "<([") - (char in ">)]")
        if char == "," and depth == 0:
            types.append(text[start:position])
            start = position + 1
    types.append(text[start:])
    return [" ".join(part.split()) for part in types]


def wrap_region(name, lines):
    """A function around an op with a region, of which each line is an op."""
    arguments, defined = {}, set()
    for line in lines:
        results, _, rest = re.sub(r'"[^"]*"', '""', line).rpartition(" = ")
        operands, _, types = rest.partition(" : ")
        defined |= set(re.findall(r"%\w+", results))
        values = re.findall(r"%\w+", operands)
        if values:
            arguments.update((value, type) for value, type in zip(values, split_types(types))
                             if value not in defined)
    parameters = ", ".join(f"{value}: {type}" for value, type in arguments.items())
    body = "\n  ".join(lines)
    return f"func.func @{name.replace('.', '_')}({parameters}) {{\n  {body}\n  return\n}}\n"


def wrap_terminator(example):
    """An example of llm.yield, in a kernel that computes what it hands on."""
    values, types = re.match(r"llm.yield (.*) : (.*)", example).groups()
    lines = [f"{value} = llm.add %x, %x : {type}, {type}"
             for value, type in zip(values.split(", "), split_types(types))]
    return wrap_region("llm.yield", ["llm.fused {", *lines, example, f"}} : {types}"])


def wrap(name, example):
    """A function around the example."""
    code = re.sub(r'"[^"]*"', '""', example)
    results, _, rest = code.partition("=")
    # The types follow the last colon with a space before it that is in no bracket.
    operands, _, types = rest.partition(" : ")
    types = types.partition(" -> ")[0]
    # "tensor<..> to !llm.state<..> after !llm.state<..>": the result's type stands in the middle.
    types, _, result = types.partition(" to ")
    if " after " in result:
        types += ", " + result.partition(" after ")[2]
    defined = re.findall(r"%\w+", results)
    indices = [value for group in re.findall(r"\[(%[^\]]*)\]", operands)
               for value in re.findall(r"%\w+", group)]
    values = [value for value in re.findall(r"%\w+", operands) if value not in indices]
    arguments = {value: "index" for value in indices}
    if values:
        # A word may stand for the comma: "experts tensor<..>".
        listed = split_types(re.sub(r" [a-z_]+ (?=tensor<)", ", ", types))
        if len(listed) != len(values):
            sys.exit(f"{name}: {len(values)} operands, but {len(listed)} types")
        arguments.update(zip(values, listed))
    for value in defined:
        if value in arguments:
            sys.exit(f"{name}: {value} is both a result and an operand")
    parameters = ", ".join(f"{value}: {type}" for value, type in arguments.items())
    return f"func.func @{name.replace('.', '_')}({parameters}) {{\n  {example}\n  return\n}}\n"


def example_of_op(op):
    name = "llm." + op["opName"]
    examples = re.findall(r"Example:\s*```mlir\n(.*?)```", op["description"], re.DOTALL)
    if len(examples) != 1:
        sys.exit(f"{name}: expected one example, found {len(examples)}")
    lines = [line.strip() for line in examples[0].strip().splitlines()]
    statements = [[]]
    for line in lines:
        if statements[-1] and line.startswith("%"):
            statements.append([])
        statements[-1].append(line)
    example = " ".join(lines)
    if not re.match(rf"(%\w+(, %\w+)* = )?{re.escape(name)} ", example):
        sys.exit(f"{name}: its example is of another op: {example}")
    if name == "llm.yield":
        return wrap_terminator(example)
    if op["regions"]["args"]:
        return wrap_region(name, lines)
    return "".join(wrap(f"{name}_{number}", " ".join(statement)) for number, statement in enumerate(statements))


def example_of_type(type):
    examples = re.findall(r"Example: `(.*?)`", type["description"])
    if not examples:
        sys.exit(f"!llm.{type['mnemonic']}: no example")
    return "".join(f"func.func private @type_{type['mnemonic']}_{index}({example})\n"
                   for index, example in enumerate(examples))


def main():
    records = load_records(pathlib.Path(sys.argv[1]))
    ops = [records[name] for name in records["!instanceof"]["Llm_Op"]]
    types = [records[name] for name in records["!instanceof"]["TypeDef"]]
    module = "".join([example_of_op(op) for op in ops] + [example_of_type(type) for type in types])
    module = f"module attributes {{{GRID}}} {{\n{module}}}\n"
    result = subprocess.run(["llm-opt", "--verify-roundtrip"], input=module, text=True,
                            capture_output=True, check=False)
    if result.returncode:
        sys.exit(module + result.stderr)
    print(f"{len(ops)} ops, {len(types)} types")


if __name__ == "__main__":
    main()
