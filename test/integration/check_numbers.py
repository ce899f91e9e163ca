"""Puts numbers from beyond the edges into every attribute of a scheduled program.

Every number of an #llm attribute and of a cache's type becomes -1, 2^61 and 2^63: each must be
an error with a place. With 2^61 - 1, the largest number that is allowed, each pass must go on
or refuse it with a place: no run may crash or go on for long.

    check_numbers.py <folder for files>
"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM = """
#cost = #llm.cost<engine = "core", parts = [<count = 1, work = {mac = 64},
  traffic = {dram = {lhs = 32, rhs = 32, out = 32}}, working_set_bytes = 96, overhead_cycles = 3,
  serial_cycles = 4, compute_cycles = 10, memory_cycles = 2, bound = compute>], stamp = "by hand">
#tile = #llm.tile<manual levels = [<"sram", sizes = {k = 4, m = 4, n = 4}, order = [m, n, k],
  buffers = {lhs = 1, out = 1, rhs = 1}>] split = {m = 1}>
#slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 10, end_cycle = 30,
  lanes = {dram = 5} count = 1 index_stride = 1 start_stride = 5 prefetches = [<"rhs", engine = "dma"[0],
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
problems = []


def run(folder, name, text, passes):
    folder.mkdir()
    (folder / "in.mlir").write_text(text)
    command = ["llm-opt", "in.mlir", *passes, "-o", "out.mlir"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=20)
    said = re.search(r"^in\.mlir:\d+:\d+: error: ", done.stderr, re.M)
    if done.returncode not in (0, 1) or (done.returncode == 1) != bool(said):
        problems.append(f"{name} {passes}: exit {done.returncode}: {done.stderr[-300:]}")
    return done.returncode


def check_beyond(folder, name, text):
    if run(folder, name, text, []) == 0:
        problems.append(f"{name} is accepted")


def main():
    folder = Path(sys.argv[1])
    numbers = [match for match in NUMBER.finditer(PROGRAM) if "constant" not in match[0]]
    assert len(numbers) > 45, [match[0] for match in numbers]
    jobs = []
    with ThreadPoolExecutor(2) as pool:

        def add(check, match, value, *arguments):
            text = PROGRAM[: match.start(1)] + value + PROGRAM[match.end(1) :]
            jobs.append(pool.submit(check, folder / str(len(jobs)), f"{match[0]} as {value}", text, *arguments))

        # The program itself is read, and each pass takes it or says why not.
        jobs.append(pool.submit(run, folder / "good", "the program", PROGRAM, []))
        for match in numbers:
            for value in BEYOND:
                add(check_beyond, match, value)
            # Half of the pipelines in turn, for the time that they take.
            for passes in PIPELINES[numbers.index(match) % 2 :: 2]:
                add(run, match, LARGEST, passes)
        codes = [job.result() for job in jobs]
    assert codes[0] == 0, "the program is refused"
    for problem in sorted(problems):
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
