"""Prints IR for -verify-diagnostics: each attribute of the dialect, of its kind and of others, at
every place where an attribute can be.

The rules are attr-C2 to attr-C4: llm.tile, llm.cost and llm.slots are on ops that take time
and on the loops that one was made into, llm.schedule and llm.program on functions, none on arguments and results; each of its kind.
"""
VALUES = {
    "llm.tile": "#llm.tile<pinned>",
    "llm.cost": '#llm.cost<engine = "core", parts = [<count = 1, work = {}, traffic = {}, working_set_bytes = 0, '
    "overhead_cycles = 0, serial_cycles = 0, compute_cycles = 0, memory_cycles = 0, bound = compute>], "
    'stamp = "0">',
    "llm.slots": '#llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 0, lanes = {}>]>',
    "llm.schedule": '#llm.schedule<policy = "list", makespan_cycles = 0, lower_bound_cycles = 0, bounds = {}, '
    "roofline_cycles = 0>",
    "llm.program": '#llm.program<"llama", decode, batch = 1, seq = 1, kv_len = 1, layers = 1 of 1>',
}
FOREIGN = ["4 : i64", '"text"', "unit", "[]", "{}", "dense<0> : tensor<1xi8>"]
ON_FUNCTIONS = {"llm.schedule", "llm.program"}
# Where an attribute can be: the kind of place, its op, and IR with the attribute at ATTR. The
# line MARK is where the error is expected.
PLACES = [
    ("work", "llm.add", "IN_FUNCTION %0 = llm.add %x, %x {ATTR} : tensor<4x8xf32>, tensor<4x8xf32>"),
    ("work", "linalg.copy", "IN_FUNCTION %0 = linalg.copy {ATTR} ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)"
     " -> tensor<4x8xf32>"),
    ("other", "llm.weight", 'IN_FUNCTION %0 = llm.weight "w" {ATTR} : tensor<4xf32>'),
    ("other", "tensor.empty", "IN_FUNCTION %0 = tensor.empty() {ATTR} : tensor<4xf32>"),
    ("loop", "scf.for", "IN_FUNCTION scf.for %i = %c to %c step %c {\n  } {ATTR}"),
    ("loop", "scf.forall", "IN_FUNCTION scf.forall (%i) in (1) {\n  } {ATTR}"),
    ("other", "builtin.module", "MARK\nmodule attributes {ATTR} {\n}"),
    ("function", "func.func", "MARK\nfunc.func private @f() attributes {ATTR}"),
    ("function", "func.func", "MARK\nfunc.func @f() attributes {ATTR} {\n  return\n}"),
    ("argument", "func.func", "MARK\nfunc.func private @f(i32 {ATTR})"),
    ("argument", "func.func", "MARK\nfunc.func @f(%x: i32 {ATTR}) {\n  return\n}"),
    ("result", "func.func", "MARK\nfunc.func private @f() -> (i32 {ATTR})"),
]
IN_FUNCTION = "func.func @f(%x: tensor<4x8xf32>, %c: index) {{\nMARK\n {}\n  return\n}}"


def expect(name, value, place):
    """The error that this attribute gives there; None where it belongs."""
    if place in ("argument", "result"):
        return f"{place} attribute '{name}' is not allowed"
    if value != VALUES[name]:
        return f"attribute '{name}' must be a #{name}"
    if name in ON_FUNCTIONS:
        return None if place == "function" else f"attribute '{name}' belongs on a function"
    return None if place in ("work", "loop") else f"attribute '{name}' belongs on an op that takes time"


def main():
    for place, op, text in PLACES:
        if text.startswith("IN_FUNCTION"):
            text = IN_FUNCTION.format(text.removeprefix("IN_FUNCTION"))
        for name, value in ((n, v) for n in VALUES for v in [*VALUES.values(), *FOREIGN]):
            error = expect(name, value, place)
            mark = f"// expected-error @+1 {{{{'{op}' op {error}}}}}" if error else "// No error."
            print(text.replace("MARK", mark).replace("ATTR", f"{name} = {value}"))
            print("\n// -----\n")


if __name__ == "__main__":
    main()
