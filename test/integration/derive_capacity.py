#!/usr/bin/env python3
"""Derives what models hold in memory, and compares it with the reports of llm-opt.

    derive_capacity.py EXAMPLES

Weights follow from config.json as in derive_totals.py, caches from it too: a key and a value of kv_heads head_dim for
each position, sequence and layer. Values are followed cycle by cycle through the slots of the JSON report: each op's
output is there from its first start to the last end of what depends on it. Shares nothing with the compiler.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import derive_totals

WIDTHS = {"bf16": 2, "f16": 2, "f32": 4, "i32": 4}
# Options of the importer, passes ahead of the tiles, the target. Some do not fit.
VARIANTS = [
    ([], [], "npu"),
    (["--batch=3", "--kv-len=700"], [], "npu"),
    (["--batch=64", "--kv-len=32768"], [], "npu"),
    (["--phase=prefill", "--seq=256"], [], "npu"),
    (["--phase=prefill", "--seq=512", "--batch=40"], ["--llm-decompose-attention"], "npu-mxu-vpu"),
    (["--batch=8", "--kv-len=4096"], ["--llm-decompose-attention"], "npu-mxu-vpu"),
    (["--kv-len=32768"], [], "npu"),
    (["--layers=all"], [], "npu"),
    (["--layers=all", "--batch=64", "--kv-len=8192"], [], "h100-sxm"),
    (["--layers=all", "--phase=prefill", "--seq=64", "--batch=2"], [], "npu"),
    (["--layers=all", "--batch=2"], [], "jgs"),
]


def bytes_of(shape):
    *sizes, element = shape.split("x")
    return math.prod(map(int, sizes)) * WIDTHS[element]


def run_compiler(config, words, passes, target, folder):
    source, report = os.path.join(folder, "block.mlir"), os.path.join(folder, "report.json")
    subprocess.run(["llm-translate", "--import-hf-config", config, *words, "-o", source], check=True)
    # In parts on several engines, too.
    policy = "list" if words == ["--kv-len=32768"] else "earliest"
    command = ["llm-opt", source, f"--llm-target=name={target}", *passes, "--llm-tile", f"--llm-schedule=policy={policy}",
               f"--llm-export-report=format=json file={report}", "-o", os.devnull]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file), done.stderr


class Lives:
    """Amounts that lie in memory from a cycle to another one."""

    def __init__(self):
        self.lives = []

    def add(self, amount, start, end):
        if end > start and amount:
            self.lives.append((start, end, amount))

    def most(self):
        return max(sum(amount for start, end, amount in self.lives if start <= cycle < end)
                   for cycle, _, _ in self.lives)


def span(op):
    return min(slot["start_cycle"] for slot in op["slots"]), max(slot["end_cycle"] for slot in op["slots"])


def follow_values(report, argument_bytes):
    """The most bytes of values and partial results at once. Of a loop over layers the first iteration stands for all."""
    end_of_all = report["makespan_cycles"] + 1
    lives = Lives()
    lives.add(argument_bytes, 0, end_of_all)
    loop = report["loops"][0] if report["loops"] else None
    loop_start = loop["start_cycle"] if loop else 0
    iteration_end = loop_start + loop["period_cycles"] if loop else 0
    loop_end = loop_start + loop["period_cycles"] * loop["trips"] if loop else 0
    outputs = {}
    for op in report["ops"]:
        tensors = [text for text in op["outputs"] if "kv_cache" not in text]
        outputs[op["name"]] = sum(map(bytes_of, tensors))
    users = {name: [] for name in outputs}
    carried_from = set()
    for op in report["ops"]:
        for name in op["depends_on"]:
            users[name].append(op)
        carried_from |= set(op.get("depends_on_previous_iteration", []))
    returned = report["ops"][-1]["name"]
    for op in report["ops"]:
        name, is_inside = op["name"], bool(op.get("loops"))
        start, end = span(op)
        for user in users[name]:
            if bool(user.get("loops")) == is_inside:
                end = max(end, span(user)[1])
            elif is_inside:  # through the result of the loop
                end = max(end, iteration_end)
                lives.add(outputs[name], loop_end, span(user)[1])
        if name in carried_from or is_inside and name == returned:
            end = max(end, iteration_end)
        first = [user for user in report["ops"] if name in user.get("depends_on_in_first_iteration", [])]
        if first:  # handed to the loop: from there on it is what the loop carries
            end = max(end, loop_start)
            lives.add(outputs[name], loop_start, max(span(user)[1] for user in first))
        if name == returned:
            end = end_of_all
        lives.add(outputs[name], start, end)
        lives.add(sum(amount for buffer, amount in op["parts"][-1]["traffic_bytes"].get("dram", {}).items()
                      if buffer.startswith("partial_")) if op.get("last_part_combines") else 0, *span(op))
    return lives.most()


def derive(config, words, report):
    options = derive_totals.parser_of_options().parse_args(words)
    totals = derive_totals.derive(config, options)
    heads = config["num_key_value_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])
    width = derive_totals.BYTES[config["torch_dtype"]]
    layers = config["num_hidden_layers"] if options.layers == "all" else int(options.layers)
    [group] = report["program"]["sequences"]
    batch, seq, [kv_len] = group["batch"], group["seq"], group["kv_len"]
    argument = batch * seq * (4 if options.layers == "all" else config["hidden_size"] * width)
    return {"weight_bytes": totals["weight_bytes"],
            "cache_bytes": layers * batch * kv_len * 2 * heads * head_dim * width,
            "values_and_workspace": follow_values(report, argument)}


def differences(config, words, report, stderr):
    derived, found = derive(config, words, report), report["capacity"]
    capacity = {memory["name"]: memory.get("capacity_bytes") for memory in report["memories"]}["dram"]
    needed = sum(derived.values())
    [group] = report["program"]["sequences"]
    expected = {"memory": "dram", "needed_bytes": needed, "capacity_bytes": capacity,
                "fits": None if capacity is None else needed <= capacity,
                "weight_bytes": derived["weight_bytes"], "cache_bytes": derived["cache_bytes"]}
    if capacity is not None:
        room, growing = capacity - derived["weight_bytes"], needed - derived["weight_bytes"]
        expected["largest_batch"] = max(0, room * group["batch"] // growing)
    program = report["program"]
    if program["layers"] < program["model_layers"]:
        expected["needed_bytes_if_all_layers"] = (
            (derived["weight_bytes"] + derived["cache_bytes"]) * program["model_layers"] // program["layers"]
            + derived["values_and_workspace"])
    lines = [f"{key}: derived {value}, reported {found.get(key)}" for key, value in expected.items() if found.get(key) != value]
    if found["value_bytes"] + found["workspace_bytes"] != derived["values_and_workspace"]:
        lines.append(f"values: derived {derived['values_and_workspace']}, reported {found['value_bytes']} + {found['workspace_bytes']}")
    is_told = "does not fit into 'dram'" in stderr
    if is_told != (expected["fits"] is False) or is_told != (found.get("problem") in report["problems"]):
        lines.append(f"fits is {expected['fits']}, told are {stderr!r} and {report['problems']}")
    return lines


def main():
    examples, failures, runs, excesses = sys.argv[1], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(name for name in os.listdir(examples) if name.endswith(".json")):
            path = os.path.join(examples, name)
            with open(path, encoding="utf-8") as file:
                config = json.load(file)
            for words, passes, target in VARIANTS:
                report, stderr = run_compiler(path, words, passes, target, folder)
                runs += 1
                excesses += report["capacity"].get("fits") is False
                for line in differences(config, words, report, stderr):
                    print(f"{name} {' '.join(words + passes)} {target}: {line}")
                    failures += 1
    print(f"{runs} programs, {excesses} do not fit, {failures} differences")
    return 1 if failures or not excesses or excesses == runs else 0


if __name__ == "__main__":
    sys.exit(main())
