"""Holds tools/carry.py against numbers that were derived by hand, and the presets that say that they are carried
against what it makes of their datasheets.

    check_carry.py ROOT
"""
import json
import sys
from pathlib import Path

FITTED = {
    "name": "fitted", "clock_hz": 1e9,
    "engines": {"gpu": {"macs_per_cycle_per_unit": {"bf16": 2048}, "boost_clock_hz": 2e9}},
    "memories": {"dram": {"bytes_per_second": 1e12}},
    "calibration": {"engines": {"gpu": {
        "stream_bytes_per_kilocycle_per_unit": 100000, "femtojoules_per_mac": {"bf16": 2000, "f8E4M3FN": 1000},
        "kernels": {
            "contraction": {"launch_nanoseconds": 1000, "replay_nanoseconds": 1500, "item_cycles": 700,
                            "operand_bytes_per_kilocycle": 300000, "first_byte_nanoseconds": 600},
            "contraction@lib_gemm": {"split_nanoseconds": 2000, "cache_bytes_per_kilocycle": 40000},
            "attention": {"launch_nanoseconds": 3000, "replay_nanoseconds": 4000},
            "attention@lib": {"item_cycles": 1}, "contraction@experts": {"item_cycles": 1}, "elementwise@experts": {"item_cycles": 1},
        }}}},
}
# Half the clock and eight times the multiply-accumulates, with fp8.
SHEET = {
    "name": "sheet", "clock_hz": 1e9,
    "engines": {"chip": {"macs_per_cycle_per_unit": {"bf16": 16384, "f8E4M3FN": 32768}}},
    "memories": {"dram": {"bytes_per_second": 2e12}},
    "calibration": {"links": {"wire": {"step_nanoseconds": 5}}},
}
# Launches of replayed graphs take twice as long, paths are as wide as the edge of an array of eight times the size, which is
# sqrt(8) times as long, and it takes 2000 / sqrt(8) = 707 fJ, half of that for fp8. The ranges are those of the classes in docs/accuracy.md.
EXPECTED = {
    "sustained_clock_hz": 1000000000, "stream_bytes_per_kilocycle_per_unit": 282800,
    "femtojoules_per_mac": {"bf16": 707, "f8E4M3FN": 354},
    "kernels": {
        "contraction": {"launch_nanoseconds": 2000, "replay_nanoseconds": 3000, "item_cycles": 700,
                        "operand_bytes_per_kilocycle": 848500, "first_byte_nanoseconds": 600, "p10_percent": 86, "p90_percent": 119},
        "contraction@lib_gemm": {"split_nanoseconds": 4000, "cache_bytes_per_kilocycle": 113100,
                            "p10_percent": 86, "p90_percent": 119},
        "attention": {"launch_nanoseconds": 3000, "replay_nanoseconds": 8000, "p10_percent": 80, "p90_percent": 144},
    },
}
# Presets, what they are carried from, and whether the codes of ECC are in line; further the energy of a 16-bit
# multiply-accumulate at 1,024 a cycle where the process is another one: that of L40S's fit is 4140 / sqrt(2). Of GPUs of
# another vendor also the percents of the memory's rate that were published as sustained, and of one whose units were measured
# above the boost clock their clock.
CARRIED = [("a30", "a100-sxm", False, 3260), ("h100-pcie", "h100-sxm", False, None), ("h100-nvl", "h100-sxm", False, None),
           ("h800-sxm", "h100-sxm", False, None), ("a40", "h100-sxm", True, 4100), ("a10", "h100-sxm", True, 4100),
           ("rtx4090", "h100-sxm", False, 4140 / 2 ** 0.5, None, 2720000000), ("rtx5090", "h100-sxm", False, 4140 / 2 ** 0.5),
           ("rtx-pro-6000", "h100-sxm", False, 4140 / 2 ** 0.5), ("l4", "l40s", True, None),
           ("gb200", "b200-sxm", False, None), ("b300-sxm", "b200-sxm", False, None), ("gb300", "b200-sxm", False, None),
           ("mi210", "a100-sxm", False, None, 81), ("mi300x", "a100-sxm", False, 2750, 81), ("mi325x", "a100-sxm", False, 2750, 81)]


def main() -> None:
    root = Path(sys.argv[1])
    sys.path.insert(0, str(root / "tools"))
    from carry import carry
    made = carry(FITTED, SHEET)["calibration"]
    assert made["engines"] == {"chip": EXPECTED}, made["engines"]
    assert made["memories"] == {"dram": {"sustained_bytes_per_second": 1860000000000}}, made["memories"]
    assert made["links"] == SHEET["calibration"]["links"], made["links"]
    # Where units are the same, libraries run the same attention kernels.
    same = {**SHEET, "engines": {"chip": {"macs_per_cycle_per_unit": {"bf16": 2048}}}}
    kernels = carry(FITTED, same)["calibration"]["engines"]["chip"]["kernels"]
    assert kernels["attention@lib"] == {"item_cycles": 1, "p10_percent": 80, "p90_percent": 144}, kernels
    assert "contraction@experts" not in kernels, kernels
    # A share of 7/8 is left where codes are in line; a unit of fewer multiply-accumulates keeps A100's paths.
    small = json.loads(json.dumps(SHEET))
    small["engines"]["chip"]["macs_per_cycle_per_unit"] = {"bf16": 256}
    made = carry(FITTED, small, 3000, ecc=True)["calibration"]
    assert made["memories"]["dram"]["sustained_bytes_per_second"] == 1627500000000, made["memories"]
    engine = made["engines"]["chip"]
    assert engine["stream_bytes_per_kilocycle_per_unit"] == 50000, engine
    assert engine["femtojoules_per_mac"] == {"bf16": 6000}, engine
    assert "contraction@lib_gemm" not in engine["kernels"], engine
    made = carry(FITTED, SHEET, memory_percent=81)["calibration"]
    assert made["memories"]["dram"]["sustained_bytes_per_second"] == 1620000000000, made["memories"]
    assert "p10_percent" not in made["engines"]["chip"]["kernels"]["contraction"], made["engines"]

    presets = root / "lib" / "Target" / "presets"
    def read(name: str) -> dict:
        return json.loads((presets / f"{name}.json").read_text())
    claimed = {path.stem for path in presets.glob("*.json")
               if read(path.stem).get("calibration", {}).get("fitted_on", "").startswith("carried from ")}
    assert claimed == {name for name, *_ in CARRIED}, claimed
    for name, source, *how in CARRIED:
        ecc, femtojoules, *measured = how
        made, preset = carry(read(source), read(name), femtojoules, ecc, *measured), read(name)
        # Behind what the rules say stands how far off it is, and where the figures of links come from.
        assert preset["calibration"].pop("fitted_on").startswith(made["calibration"].pop("fitted_on")), name
        assert made == preset, f"{name} is not carried by the rules"


if __name__ == "__main__":
    main()
