"""Which result of which op arrives at which input, from the text of a program in generic form (llm-opt
--mlir-print-op-generic)."""
import re

from generic_mlir import parse


def read_text(token):
    """The bytes of a string as the JSON files have them: escapes, then UTF-8 as far as it is."""
    data = re.sub(rb"\\([0-9A-Fa-f]{2}|.)", lambda m: bytes.fromhex(m[1].decode()) if len(m[1]) == 2 else m[1],
                  token.strip()[1:-1].encode())
    return data.decode("utf-8", "replace")


def captured(op):
    """The values from outside that the bodies of an op use, in the order in which they do."""
    inside, found = set(), []
    for each in op.walk():
        inside |= set(each.results)
        for region in each.regions:
            inside |= set(region.arguments)
    for each in op.walk():
        if each is not op:
            found += [value for value in each.operands if value not in inside and value not in found]
    return found


class Uses:
    """`edges`: (producer, number of its result, consumer, number of its input, is carried). An op takes time if the
    report knows its name. What is before a loop and what its body yields both arrive at a value that it carries."""

    def __init__(self, function, names):
        self.names = set(names)
        self.behind = {}  # of a value: what it shows, and whether that is of the iteration before
        self.producer = {}  # of a value: op and number
        self.edges = set()
        self.consumers = []
        self.visit(function.regions[0].ops)
        for name, op in self.consumers:
            for number, value in enumerate([*op.operands, *captured(op)]):
                for (producer, result), is_carried in self.trace(value):
                    self.edges.add((producer, result, name, number, is_carried))

    def visit(self, ops):
        for op in ops:
            name = read_text(op.attrs["name"]) if "name" in op.attrs else None
            if name in self.names:
                self.consumers.append((name, op))
                for number, value in enumerate(op.results):
                    self.producer[value] = (name, number)
            elif op.name == "scf.for":
                body = op.regions[0]
                yielded = body.ops[-1].operands
                for argument, before, again in zip(body.arguments[1:], op.operands[3:], yielded, strict=True):
                    self.behind[argument] = [(before, False), (again, True)]
                self.visit(body.ops)
                for result, value in zip(op.results, yielded, strict=True):
                    self.behind[result] = [(value, False)]
            else:
                for result in op.results:
                    self.behind[result] = [(value, False) for value in op.operands]

    def trace(self, value):
        """Carried is what comes last through the end of an iteration."""
        found, seen, left = set(), set(), [(value, False)]
        while left:
            place = value, is_carried = left.pop()
            if place in seen:
                continue
            seen.add(place)
            if value in self.producer:
                found.add((self.producer[value], is_carried))
            for behind, again in self.behind.get(value, []):
                is_loop_value = len(self.behind[value]) == 2 and self.behind[value][1][1]
                left.append((behind, again if is_loop_value else is_carried))
        return found


def read_uses(path, function, names):
    with open(path, encoding="utf-8") as file:
        functions = parse(file.read())
    return Uses(next(op for name, op in functions.items() if read_text(f'"{name}"') == function), names)


def kind_of(op: dict) -> str:
    """What an op of a report is: of a kernel of several ops what each of them is, once, in their order."""
    inside = [part["op"] for part in op.get("fused", [])] or [op["op"]]
    return "+".join(dict.fromkeys(name.removeprefix("llm.") for name in inside))


def main_kind_of(op: dict) -> str:
    """The product or attention that a kernel of several ops is made around, or else its first op."""
    parts = kind_of(op).split("+")
    return next((part for part in parts if part.endswith(("matmul", "_attn"))), parts[0])
