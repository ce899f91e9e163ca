"""Reads MLIR in generic form, as far as small programs of tensors and loops need it."""
import re

CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Op:
    DYNAMIC = -(2**63)

    def __init__(self, results, name, operands, attrs, regions, types, maps):
        self.results, self.name, self.operands = results, name, operands
        self.attrs, self.regions, self.types, self.maps = attrs, regions, types, maps

    def number(self, name):
        text = self.attrs[name].split(" : ")[0]
        return float(text) if re.search(r"[.eE]|nan|inf", text) else int(text)

    def numbers(self, name):
        text = self.attrs.get(name, "array<i64>")
        return [int(n) for n in re.findall(r"-?\d+", text.partition(":")[2])]

    def segment(self, operands, group):
        sizes = self.numbers("operandSegmentSizes")
        return operands[sum(sizes[:group]) : sum(sizes[: group + 1])]

    def mixed(self, name, operands, group):
        """Numbers of which those that are open are operands."""
        values = iter(self.segment(operands, group))
        return [next(values) if n == self.DYNAMIC else n for n in self.numbers(name)]

    def affine(self, operands):
        text = self.attrs["map"]
        text = self.maps.get(text, text)
        dims, symbols, results = re.match(r"affine_map<\(([^)]*)\)(?:\[([^]]*)\])? -> \((.*)\)>$", text).groups()
        names = [n.strip() for n in f"{dims},{symbols or ''}".split(",") if n.strip()]
        expressions = results.replace("floordiv", "//").replace("mod", "%")
        return eval(f"({expressions},)", {}, dict(zip(names, operands, strict=True)))  # pylint: disable=eval-used

    def result_shapes(self):
        return [shape_of(t) for t in split(self.types.rpartition("->")[2].strip().strip("()"))]

    def fill_shape(self, sizes):
        sizes = iter(sizes)
        return [next(sizes) if n is None else n for n in self.result_shapes()[0]]

    def argument_shapes(self):
        return self.regions[0].shapes

    def check_slots(self, parts):
        """The slots of a loop over parts are those of its iterations."""
        if "llm.slots" not in self.attrs:
            return
        seen = []
        for run in re.findall(r"<part = .*?lanes = \{[^}]*\}[^>]*", self.attrs["llm.slots"]):
            first, count = int(re.search(r"part = (\d+)", run).group(1)), re.search(r"count = (\d+)", run)
            seen.extend(range(first, first + int(count.group(1) if count else 1)))
        assert sorted(seen) == list(range(parts)), f"slots of {seen} for {parts} parts"

    def walk(self):
        yield self
        for region in self.regions:
            for op in region.ops:
                yield from op.walk()


class Block:
    def __init__(self, arguments, shapes, ops):
        self.arguments, self.shapes, self.ops = arguments, shapes, ops


def shape_of(text):
    """Of a tensor, with None for an open size; None of anything else."""
    found = re.match(r"\s*tensor<((?:(?:\d+|\?)x)*)", text)
    return [None if n == "?" else int(n) for n in found.group(1).split("x")[:-1]] if found else None


def split(text):
    """At commas that are in no brackets and no string."""
    pieces, depth, start, quoted = [], 0, 0, False
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            pieces.append(text[start:at])
            start = at + 1
    return [p for p in (*pieces, text[start:]) if p.strip()]


class Reader:
    def __init__(self, text):
        self.maps = dict(re.findall(r"^(#\w+) = (affine_map<.*>)$", text, re.M))
        self.text = re.sub(r"^#\w+ = .*$", "", text, flags=re.M)
        self.at = 0

    def peek(self, token):
        self.at += len(re.match(r"\s*", self.text[self.at : self.at + 4000]).group(0))
        return self.text.startswith(token, self.at)

    def take(self, token):
        if not self.peek(token):
            return False
        self.at += len(token)
        return True

    def expect(self, token):
        assert self.take(token), f"expected {token} at {self.text[self.at:self.at + 80]!r}"

    def match(self, pattern):
        self.peek("")
        found = re.compile(pattern).match(self.text, self.at)
        assert found, f"expected {pattern} at {self.text[self.at:self.at + 80]!r}"
        self.at = found.end()
        return found.group(0)

    def brackets(self):
        """What is between the bracket here and the one that closes it."""
        begin, depth, quoted = self.at, 0, False
        while True:
            char = self.text[self.at]
            if char == '"':
                quoted = not quoted
            elif not quoted and char in "([{<":
                depth += 1
            elif not quoted and (char in ")]}" or (char == ">" and self.text[self.at - 1] != "-")):
                depth -= 1
            self.at += 1
            if depth == 0:
                return self.text[begin + 1 : self.at - 1]

    def attributes(self, text):
        attrs = {}
        for entry in split(text):
            name, _, value = entry.partition("=")
            attrs[name.strip()] = value.strip()
        return attrs

    def op(self):
        results = []
        if self.peek("%"):
            for name in self.match(r"%[^=]*").split(","):
                name, _, count = name.strip().partition(":")
                results += [f"{name}#{n}" for n in range(int(count))] if count else [name]
            self.expect("=")
        name = self.match(r'"[\w.]+"')[1:-1]
        self.peek("(")
        operands = [piece.strip() for piece in split(self.brackets())]
        attrs, regions = {}, []
        if self.peek("<{"):
            attrs |= self.attributes(self.brackets().strip()[1:-1])
        if self.take("("):
            while not self.take(")"):
                regions.append(self.region())
                self.take(",")
        if self.peek("{"):
            attrs |= self.attributes(self.brackets())
        self.expect(":")
        types = self.match(r"[^\n]*")
        return Op(results, name, operands, attrs, regions, types, self.maps)

    def region(self):
        self.expect("{")
        arguments, shapes, ops = [], [], []
        if self.peek("^"):
            self.match(r"\^\w+")
            if self.peek("("):
                for argument in split(self.brackets()):
                    name, _, kind = argument.strip().partition(":")
                    arguments.append(name.strip())
                    shapes.append(shape_of(kind))
            self.expect(":")
        while not self.take("}"):
            ops.append(self.op())
        return Block(arguments, shapes, ops)


def parse(text):
    """The functions of a module by name."""
    module = Reader(text).op()
    functions = [op for op in module.regions[0].ops if op.name == "func.func"]
    return {op.attrs["sym_name"].strip('"'): op for op in functions}
