"""How many engines a dense layer keeps busy.

    check_engines.py <config.json>

With whole ops, and bandwidth for all, never more than three: q, k and v. Cut into parts, all
of four and of eight, and nearly so many times as fast. In decode on the preset npu, four ports
take all that DRAM gives, and eight are no faster.
"""
import json
import subprocess
import sys
from pathlib import Path

# Ports and a memory that nobody ever waits for.
WIDE = {"name": "wide", "description": "invented", "clock_hz": 1e9,
        "engines": {"core": {"kinds": ["matrix", "vector"], "count": 1,
                             "macs_per_cycle_per_unit": {"bf16": 4096},
                             "alu_per_cycle_per_unit": 256, "special_per_cycle_per_unit": 64,
                             "compare_per_cycle_per_unit": 256, "private_memory": "sram",
                             "port_bytes_per_second": {"dram": 4e12}}},
        "memories": {"sram": {"capacity_bytes": 8388608}, "dram": {"bytes_per_second": 64e12}}}


def report(program: str, target: str, engines: int, granularity: str) -> dict:
    subprocess.run(["llm-opt", program, f"--llm-target={target}", "--llm-tile",
                    f"--llm-schedule=engines={engines} granularity={granularity}",
                    "--llm-verify-schedule", "--llm-export-report=format=json file=report.json",
                    "-o", "/dev/null"], check=True)
    return json.loads(Path("report.json").read_text())


def most_busy(of_report: dict) -> int:
    changes = []
    for op in of_report["ops"]:
        for slot in op["slots"]:
            if slot["start_cycle"] < slot["end_cycle"]:
                changes += [(slot["start_cycle"], 1), (slot["end_cycle"], -1)]
    busy = most = 0
    for _, change in sorted(changes):  # what ends comes before what starts
        busy += change
        most = max(most, busy)
    return most


def main(config: str) -> None:
    Path("wide.json").write_text(json.dumps(WIDE))
    for name, arguments in (("prefill", ["--phase=prefill", "--seq=2048"]),
                            ("decode", ["--phase=decode", "--kv-len=4096"])):
        subprocess.run(["llm-translate", "--import-hf-config", config, *arguments,
                        "-o", f"{name}.mlir"], check=True)
    one = report("prefill.mlir", "file=wide.json", 1, "tile")["makespan_cycles"]
    for engines in (4, 8):
        whole = report("prefill.mlir", "file=wide.json", engines, "op")
        assert most_busy(whole) == 3, most_busy(whole)
        parts = report("prefill.mlir", "file=wide.json", engines, "tile")
        assert most_busy(parts) == engines, most_busy(parts)
        speedup = one / parts["makespan_cycles"]
        assert 0.9 * engines < speedup <= engines, (engines, speedup)
        print(f"prefill, {engines} engines: 3 busy with whole ops, {engines} with parts")
    cycles = {engines: report("decode.mlir", "name=npu", engines, "tile")["makespan_cycles"]
              for engines in (1, 4, 8)}
    assert cycles[1] > 1.3 * cycles[4], cycles
    assert abs(cycles[8] / cycles[4] - 1) < 0.01, cycles
    print("decode: 8 engines are no faster than 4")


main(*sys.argv[1:])
