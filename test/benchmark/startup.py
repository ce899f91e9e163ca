"""How much CPU the demo's pipeline takes, process start to end, against a stock mlir-opt that
loads the plugin and only parses and prints the same file. The two run in turn, so that both
see the same machine; medians of user + system time.

    startup.py BUILD_FOLDER CONFIG_JSON [pairs]
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"


def cpu_milliseconds(command: list[str]) -> float:
    """User and system time of one run."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"{command} failed"
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def pass_milliseconds(command: list[str]) -> float:
    """What --mlir-timing says of all passes together: the total less parser and output."""
    text = subprocess.run(
        [*command, "--mlir-timing", "--mlir-timing-display=list"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    ).stderr
    rows = re.findall(r"^\s+([\d.]+) \([^)]*\)\s+(?:[\d.]+ \([^)]*\)\s+)?(\S.*)$", text, re.M)
    passes = [float(seconds) for seconds, name in rows if name.endswith("Pass")]
    assert passes, text
    return 1e3 * sum(passes)


def main() -> None:
    build, config = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    plugin = build / "lib" / "llm-plugin.so"
    with tempfile.TemporaryDirectory() as folder:
        block = f"{folder}/block.mlir"
        subprocess.run(
            [build / "bin/llm-translate", "--import-hf-config", config, "--phase=prefill", "-o", block], check=True
        )
        pipeline = [
            f"{build}/bin/llm-opt", block, "--llm-tile", "--llm-schedule=engines=4", "--llm-verify-schedule",
            f"--llm-export-perfetto=file={folder}/t.json", f"--llm-export-report=format=json file={folder}/r.json",
            "-o", f"{folder}/out.mlir",
        ]  # fmt: skip
        print_only = [MLIR_OPT, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}", block, "-o", f"{folder}/out2.mlir"]
        ours, theirs = [], []
        for _ in range(pairs):
            ours.append(cpu_milliseconds(pipeline))
            theirs.append(cpu_milliseconds(print_only))
        passes = [pass_milliseconds(pipeline) for _ in range(max(5, pairs // 4))]
    print(f"llm-opt, demo pipeline:         {statistics.median(ours):6.1f} ms CPU (median of {pairs})")
    print(f"mlir-opt + plugin, parse/print: {statistics.median(theirs):6.1f} ms CPU")
    print(f"ratio of medians:               {statistics.median(ours) / statistics.median(theirs):6.2f} (goal: at most 1.5)")
    ratios = sorted(a / b for a, b in zip(ours, theirs))
    print(f"ratio of pairs, quartiles:      {ratios[len(ratios) // 4]:6.2f} {ratios[3 * len(ratios) // 4]:.2f}")
    print(f"all passes, --mlir-timing:      {statistics.median(passes):6.1f} ms (goal: at most 10)")


if __name__ == "__main__":
    main()
