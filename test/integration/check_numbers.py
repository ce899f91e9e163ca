"""Puts numbers from beyond the edges into every attribute of a scheduled program.

Every number of an #llm attribute and of a cache's type becomes -1, 2^61 and 2^63: each must be
an error with a place. With 2^61 - 1, the largest number that is allowed, each pass must go on
or refuse it with a place: no run may crash or go on for long.

    check_numbers.py <folder for files>
"""
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = """
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {mac = 64},
  traffic = {dram = {lhs = 32, rhs = 32, out = 32}}, working_set_bytes = 96, overhead_cycles = 3,
  serial_cycles = 4, compute_cycles = 10, memory_cycles = 2, bound = compute>], stamp = "by hand">
#tile = #llm.tile<pinned levels = [<"sram", sizes = {k = 4, m = 4, n = 4}, order = [m, n, k],
  buffers = {lhs = 1, out = 1, rhs = 1}>] split = {m = 1}>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 10, end_cycle = 30,
  lanes = {dram = 5} count = 1 part_stride = 1 index_stride = 1 start_stride = 5 prefetches = [<"rhs", engine = "dma"[0],
  start_cycle = 1, end_cycle = 9, lanes = {dram = 4}>]>]>
#schedule = #llm.schedule<policy = "list", makespan_cycles = 90, lower_bound_cycles = 20,
  bounds = {bytes_dram = 20}, roofline_cycles = 3,
  loops = [<start_cycle = 0, period_cycles = 30, trips = 3>]>
#program = #llm.program<"toy", decode, batch = 1, seq = 1, kv_len = 4, layers = 1 of 2>
!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 2, capacity = 4, bf16, page_size = 2>
func.func @f(%x: tensor<4x4xbf16>, %row: tensor<1x1x1x2xbf16>) -> !cache
    attributes {llm.schedule = #schedule, llm.program = #program} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %w = llm.weight "w" : tensor<4x4xbf16>
  scf.for %i = %c0 to %c3 step %c1 {
    %0 = llm.matmul "m" %x, %w {llm.tile = #tile, llm.cost = #cost, llm.slots = #slots}
      : tensor<4x4xbf16>, tensor<4x4xbf16>
  }
  %cache = llm.kv_cache "c" : <batch = 1, kv_heads = 1, head_dim = 2, capacity = 4, bf16, page_size = 2>
  return %cache : !cache
}
"""
NUMBER = re.compile(r'(?:\b\w+ = |"\[|\bof )(\d+)')
BEYOND = ["-1", str(2**61), str(2**63)]
LARGEST = str(2**61 - 1)
PIPELINES = [
    ["--llm-tile", "--llm-schedule", "--llm-export-report=file=r"],
    ["--llm-cost", "--llm-schedule"],
    ["--llm-target=name=npu", "--llm-export-report=file=r format=json", "--llm-export-perfetto=file=t"],
    ["--llm-target=name=npu", "--llm-export-perfetto=file=t"],
    ["--llm-target=name=npu", "--llm-verify-schedule"],
    ["--llm-target=name=npu", "--llm-verify-cost"],
]
SPLIT = "\n// -----\n"


def run(folder, text, passes):
    (folder / "in.mlir").write_text(text)
    command = ["llm-opt", "in.mlir", "-split-input-file", *passes, "-o", "out.mlir"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def replace(match, value):
    return PROGRAM[: match.start(1)] + value + PROGRAM[match.end(1) :]


def check_beyond(folder, numbers):
    """Each number beyond the edges is an error in its own copy of the program."""
    texts = []
    for match in numbers:
        for value in BEYOND:
            texts.append(replace(match, value) + f"// {match[0]} as {value}\n")
    done = run(folder, SPLIT.join(texts), [])
    failed = {int(line) for line in re.findall(r"^in\.mlir:(\d+):\d+: error: ", done.stderr, re.M)}
    assert done.returncode == 1, f"exit {done.returncode}: {done.stderr[-300:]}"
    first = 1
    for text in texts:
        lines = text.count("\n") + SPLIT.count("\n")
        if not failed & set(range(first, first + lines)):
            print(f"accepted: {text.splitlines()[-1]}")
            sys.exit(1)
        first += lines


def check_largest(folder, numbers, passes):
    """The largest number is taken or refused, by each pass: no crash."""
    done = run(folder, SPLIT.join(replace(match, LARGEST) for match in numbers), passes)
    errors = re.findall(r"^in\.mlir:\d+:\d+: error: ", done.stderr, re.M)
    assert done.returncode in (0, 1), f"{passes}: exit {done.returncode}: {done.stderr[-300:]}"
    assert (done.returncode == 1) == bool(errors), f"{passes}: no error with a place: {done.stderr[-300:]}"


def main():
    folder = Path(sys.argv[1])
    numbers = [match for match in NUMBER.finditer(PROGRAM) if "constant" not in match[0]]
    assert len(numbers) > 45, [match[0] for match in numbers]
    good = run(folder, PROGRAM, [])
    assert good.returncode == 0, f"the program is refused: {good.stderr}"
    check_beyond(folder, numbers)
    for passes in PIPELINES:
        check_largest(folder, numbers, passes)


if __name__ == "__main__":
    main()
