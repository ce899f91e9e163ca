"""Pipelines of given lengths as programs, and how long they take by recursions that know no scheduler."""

CHIP = """{
  "name": "pipelined", "description": "one cycle for each addition, and a link, for pipelines by hand", "clock_hz": 1e9,
  "engines": {"core": {"kinds": ["matrix", "vector"], "macs_per_cycle_per_unit": {"f32": 1}, "alu_per_cycle_per_unit": 1}},
  "memories": {"dram": {"capacity_bytes": 1e12, "bytes_per_second": 1e15}},
  "links": {"near": {"bytes_per_second_per_direction": 1e9, "devices": 64}}
}"""


def transfer_cycles(elements):
    """Of f32 values over the link of CHIP: a byte a cycle, and what two chips of an all_gather move in their memories, 8 bytes
    of 1e6 a cycle, rounded up."""
    bytes_sent = 4 * elements
    return -(-(bytes_sent * 1_000_000 + 2 * bytes_sent) // 1_000_000)


def program(forward, handed, microbatches, phase=None, backward=(), rounds=1):
    """Functions that take so many cycles, and hand on so many elements (one number fewer than stages, and what the last returns)."""
    stages, lines = len(forward), []
    shared = f" in {rounds} rounds" if rounds > 1 else ""
    attribute = f', llm.program = #llm.program<"m", {phase}, batch = 1, seq = 1, kv_len = 1, layers = 1 of 1>' if phase else ""

    def add(name, cycles, receives, returns, stage, note):
        arguments = [f"%r: tensor<1x{receives}xf32>"] if receives else []
        arguments += [f"%a: tensor<1x{cycles}xf32> {{llm.input = 0 : i64}}"]
        arguments += [f"%b: tensor<1x{returns}xf32> {{llm.input = 1 : i64}}"] if returns else []
        result = f" -> tensor<1x{returns}xf32>" if returns else ""
        lines.append(f"  func.func @{name}({', '.join(arguments)}){result} attributes {{llm.stage = #llm.stage<{stage} of {stages}{shared}, "
                     f"microbatches = {microbatches}{note}>{attribute}}} {{")
        lines.append(f'    %0 = llm.add "work" %a, %a : tensor<1x{cycles}xf32>, tensor<1x{cycles}xf32>')
        lines.append(f"    return %b : tensor<1x{returns}xf32>" if returns else "    return")
        lines.append("  }")

    for stage, cycles in enumerate(forward):
        add(f"forward{stage}", cycles, handed[stage - 1] if stage else 0, handed[stage], stage, "")
    for stage, cycles in reversed(list(enumerate(backward))):
        add(f"backward{stage}", cycles, 0, 0, stage, ", backward")
    return f"module attributes {{llm.grid = #llm.grid<pp = {stages // rounds}>}} {{\n" + "\n".join(lines) + "\n}\n"


def flow_shop(forward, transfers, microbatches):
    """The makespan of microbatches in their order: each machine takes one at a time (stages and links in turn)."""
    machines = [length for pair in zip(forward, [*transfers, 0]) for length in pair][:-1]
    free = [0] * len(machines)
    for _ in range(microbatches):
        ready = 0
        for machine, length in enumerate(machines):
            free[machine] = ready = max(free[machine], ready) + length
    return free[-1]


def period(forward, transfers, back, microbatches, feeds_back):
    longest = max([*forward, *transfers, back if feeds_back else 0])
    way = sum(forward) + sum(transfers) + back
    return max(microbatches * longest, way) if feeds_back else microbatches * longest
