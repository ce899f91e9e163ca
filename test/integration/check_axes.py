"""A cut over two axes, one after the other, is that over one axis of as many chips: but for the names of axes, the programs have the same
bytes.

    check_axes.py FOLDER FAMILY...
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from run_tools import run
from small_models import write_config


def program_of_chip(program, grid):
    gridded = program.with_suffix(".grid.mlir")
    gridded.write_text(program.read_text().replace("module {", f"module attributes {{llm.grid = #llm.grid<{grid}>}} {{", 1))
    return run("llm-opt", gridded, "--llm-shard", "--llm-partition")


def main():
    folder, *families = sys.argv[1:]
    Path(folder).mkdir(exist_ok=True, parents=True)
    for family in families:
        program = Path(folder) / f"{family}.mlir"
        # As many KV heads as chips, so that both grids divide them.
        config = write_config(Path(folder), family, {"num_key_value_heads": 4})
        run("llm-translate", "--import-hf-config", config, "--layers=all", "--batch=4", "--kv-len=8", "-o", program)
        one, two = program_of_chip(program, "tp = 4"), program_of_chip(program, "tp = 2, tp_b = 2")
        assert "all_reduce" in one and "[tp, tp_b]" in two, family
        two = two.replace("[tp, tp_b]", "[tp]").replace("tp = 2, tp_b = 2", "tp = 4")
        assert one == two, f"{family}: the two cuts differ"
        print(f"{family}: 2 x 2 chips as 4", flush=True)


main()
