"""Draws small programs of llm ops that are valid by construction.

    random_programs.py SEED [COUNT] [--open]

Prints the programs of as many seeds, each a function @s<seed>. A program is a list of statements
that give values of known types; what they read is a value before them, an argument or a weight.
--open: programs of which some sizes are open until llm-bind-shapes. What the ops are is in
random_ops.py, blocks of several ops in random_blocks.py, layers with a state in random_recurrent.py.
"""
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field

sys.dont_write_bytecode = True  # nothing is left in the source folder


class Open(int):
    """A size that is `?` in types; the number is what it will be."""

    def __new__(cls, name, size):
        made = super().__new__(cls, size)
        made.name = name
        return made

    def __eq__(self, other):
        return isinstance(other, Open) and self.name == other.name

    def __ne__(self, other):
        return not self == other

    __hash__ = int.__hash__


@dataclass(frozen=True)
class Value:
    name: str
    shape: tuple
    element: str
    # Elements of a row are so far from each other that rounding changes no order.
    apart: bool = False
    # No float: not taken by ops that calculate.
    is_counted: bool = False

    @property
    def type(self):
        return type_of(self.shape, self.element)

    def is_like(self, shape, element):
        """Two open sizes may be other ones, though types show both as `?`."""
        return (self.shape, self.element) == (tuple(shape), element)

    @property
    def is_open(self):
        return any(isinstance(size, Open) for size in self.shape)


def type_of(shape, element):
    return "tensor<" + "".join(f"{'?' if isinstance(n, Open) else n}x" for n in shape) + element + ">"


@dataclass
class Statement:
    """Text with all that stands right of `=`; of a loop several lines."""
    results: list
    text: str
    uses: list = field(default_factory=list)  # what is counted of it

    def lines(self):
        names = ", ".join(name for name, _ in self.results)
        return f"  {names} = {self.text}" if names else f"  {self.text}"

    def reads(self):
        return set(re.findall(r"%\w+", self.text)) - {name for name, _ in self.results}


@dataclass
class Input:
    """An argument. `data`: its elements where they are not any numbers."""
    name: str
    type: str
    closed_type: str
    data: list = None


class Program:
    """Statements under construction. `random` draws, so that a seed is a program."""

    def __init__(self, seed, is_open=False):
        self.random = random.Random(f"{seed} {is_open}")
        self.seed, self.is_open, self.name = seed, is_open, f"{'o' if is_open else 's'}{seed}"
        self.inputs, self.statements, self.values = [], [], []
        self.numbers = Counter()
        self.loop = None  # (index variable, name prefix) inside of a loop
        self.sizes = {}  # open ones
        self.is_scaled = False  # has weights of block-scaled types
        self.draw_dimensions()

    def draw_dimensions(self):
        pick = self.random.choice
        self.element = pick(["f32", "f32", "f32", "bf16", "f16"])
        self.batch, self.seq = pick([1, 1, 2, 3]), pick([1, 2, 3, 5, 7])
        self.kv_heads, self.group, self.width = pick([1, 2, 3]), pick([1, 1, 2, 3]), pick([2, 4, 6, 8])
        self.keys = self.seq + pick([0, 0, 1, 4, 9])
        if self.is_open:
            self.batch = 1
            self.sizes = {"seq": self.seq, "kv_len": self.keys}
            self.seq, self.keys = Open("seq", self.seq), Open("kv_len", self.keys)
        self.heads = self.kv_heads * self.group
        self.rows = self.seq if self.is_open else self.batch * self.seq
        self.hidden = pick([self.heads * self.width, 1, 3, 7, 8, 16, 17])

    def chance(self, probability):
        return self.random.random() < probability

    def fresh(self, letter="v"):
        self.numbers[letter] += 1
        return f"%{letter}{self.numbers[letter]}"

    def number(self, low, high):
        return f"{self.random.uniform(low, high):.3f}"

    # What programs are made of.

    def add(self, text, shape=None, element=None, uses=(), letter="v", **flags):
        """A statement with one result, a tensor."""
        value = Value(self.fresh(letter), tuple(shape), element, **flags)
        self.statements.append(Statement([(value.name, value.type)], text, list(uses)))
        self.values.append(value)
        return value

    def add_raw(self, types, text, uses=(), letter="c"):
        """A statement with any results, which are no values that others draw."""
        names = [self.fresh(letter) for _ in types]
        self.statements.append(Statement(list(zip(names, types)), text, list(uses)))
        return names

    def op(self, kind, text, shape, element, uses=(), **flags):
        """An llm op, with a name or without."""
        return self.add(f"llm.{kind} {self.op_name(kind)}{text}", shape, element, uses, **flags)

    def op_with_state(self, kind, text, like, state, uses):
        """An llm op that gives a tensor like that one and the next state, of that type."""
        value = Value(self.fresh(), like.shape, like.element)
        name = self.fresh("n")
        self.statements.append(Statement([(value.name, value.type), (name, state)], f"llm.{kind} {self.op_name(kind)}{text}",
                                         list(uses)))
        self.values.append(value)
        return value, name

    def op_name(self, kind):
        if not self.loop and self.chance(0.3):
            return ""
        self.numbers["op"] += 1
        place = self.loop[1] if self.loop else ""
        return f'"{self.name}.{place}{kind}{self.numbers["op"]}" '

    def input(self, shape, element, data=None, **flags):
        value = Value(self.fresh("x"), tuple(shape), element, **flags)
        argument = Input(value.name, value.type, type_of(map(int, shape), element), data)
        self.inputs.append(argument)
        if value.is_open:
            return self.sized(value)
        self.values.append(value)
        return value

    def sized(self, value):
        sizes = ", ".join(self.size(n.name) for n in value.shape if isinstance(n, Open))
        return self.add(f"llm.sized {value.name} [{sizes}] : {value.type}", value.shape, value.element,
                        ["sized"], apart=value.apart)

    def size(self, name):
        return f"%{name}"

    def weight(self, shape, element):
        """A named weight, of its own for each iteration in a loop."""
        self.numbers["weight"] += 1
        name = f"{self.name}.{'{}.' if self.loop else ''}w{self.numbers['weight']}"
        index = f"[{self.loop[0]}]" if self.loop else ""
        value = Value(self.fresh("w"), tuple(shape), element)
        uses = ["weight" + (" in a loop" if self.loop else "")]
        if element.startswith("!"):
            self.is_scaled = True
            uses.append(f"weight {element}")
        self.statements.append(Statement([(value.name, value.type)], f'llm.weight "{name}"{index} : {value.type}', uses))
        return value

    def find(self, fits, make=None, reuse=0.85):
        """A value that fits, sooner one of the last ones; else a new one."""
        found = [value for value in self.values if not value.is_counted and fits(value)]
        if found and (make is None or self.chance(reuse)):
            return self.random.choice(found[-4:] if self.chance(0.7) else found)
        return make() if make else None

    # What is printed and run.

    def results(self):
        """What nobody reads, and some of the rest."""
        read = set().union(*(statement.reads() for statement in self.statements)) if self.statements else set()
        made = {name for statement in self.statements for name, _ in statement.results}
        draw = random.Random(self.name)
        kept = [v for v in self.values if v.name in made and (v.name not in read or draw.random() < 0.12)]
        return [(value.name, value.type) for value in kept]

    def text(self):
        return Text(self.name, self.inputs, self.statements, self.results(), self.sizes)


@dataclass
class Text:
    """A program that is written: what the shrinker makes smaller."""
    name: str
    inputs: list
    statements: list
    results: list
    sizes: dict

    def __str__(self):
        arguments = ", ".join(f"{each.name}: {each.type}" for each in self.inputs)
        types = ", ".join(kind for _, kind in self.results)
        lines = [f"func.func @{self.name}({arguments}) -> ({types}) {{"]
        lines += [f'  %{name} = llm.size "{name}"' for name in self.sizes]
        lines += ["  %begin = arith.subi %kv_len, %seq : index"] if self.sizes else []
        lines += [statement.lines() for statement in self.statements]
        names = ", ".join(name for name, _ in self.results)
        lines += [f"  return {names} : {types}" if self.results else "  return", "}"]
        return "\n".join(lines)

    def uses(self):
        return Counter(use for statement in self.statements for use in set(statement.uses))


def draw(seed, is_open=False):
    """The program of a seed."""
    from random_blocks import draw_block  # pylint: disable=import-outside-toplevel
    program = Program(seed, is_open)
    program.input((program.rows, program.hidden), program.element)
    for _ in range(program.random.randint(1, 9)):
        draw_block(program)
    return program.text()


def main():
    words = [word for word in sys.argv[1:] if word != "--open"]
    first, count = int(words[0]), int(words[1]) if len(words) > 1 else 1
    for seed in range(first, first + count):
        print(draw(seed, "--open" in sys.argv), end="\n\n")


if __name__ == "__main__":
    import random_programs  # the module that the others know
    random_programs.main()
