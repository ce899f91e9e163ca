"""The JSON schema of targets, against files.

    check_schema.py <schema.json> <file>...       each file is valid
    check_schema.py --wrong <schema.json> <file>  the file is, and no changed copy of it

A Markdown file stands for its first block of JSON.
"""
import copy
import json
import re
import sys
from pathlib import Path

from jsonschema import Draft202012Validator


def read(path: str):
    text = Path(path).read_text()
    if path.endswith(".md"):
        text = re.search(r"```json\n(.*?)```", text, re.S)[1]
    return json.loads(text)


# A path, and what stands there: each of them llm-opt refuses, too.
WRONG = [
    (["name"], None),
    (["name"], ""),
    (["name"], 7),
    (["clok_hz"], 1),
    (["clock_hz"], 0),
    (["clock_hz"], 2.5),
    (["clock_hz"], 2**61),
    (["clock_is_given"], 1),
    (["engines"], None),
    (["engines"], []),
    (["memories"], None),
    (["idle_watts"], -1),
    (["links", "ring", "devices"], 1),
    (["links", "ring", "bytes_per_second_per_direction"], None),
    (["engines", "core", "kinds"], None),
    (["engines", "core", "kinds"], []),
    (["engines", "core", "kinds"], ["vectro"]),
    (["engines", "core", "count"], 1048577),
    (["engines", "core", "macs_per_cycle_per_unit"], None),
    (["engines", "core", "macs_per_cycle_per_unit"], {}),
    (["engines", "core", "macs_per_cycle_per_unit", "bf61"], 1),
    (["engines", "core", "port_bytes_per_second", "dram"], 0),
    (["engines", "core", "femtojoules_per_mac", "i8"], -1),
    (["engines", "core", "kernels"], {"matmul": {"item_cycles": 1}}),
    (["engines", "core", "kernels"], {"llm.add": {}}),
    (["engines", "core", "kernels"], {"llm.add": {"tile": 1}}),
    (["engines", "core", "colour"], 1),
    (["memories", "dram", "lanes"], 0),
    (["memories", "dram", "rate"], 1),
    (["calibration", "fitted_on"], None),
    (["calibration", "fitted_on"], ""),
    (["calibration", "link"], {}),
    (["calibration", "links", "ring", "rate"], 1),
    (["calibration", "engines", "core", "private_memory"], "sram"),
    (["calibration", "engines", "core", "sustained_clock_hz"], 0),
    (["calibration", "engines", "core", "kernels", "attention", "packs_groups"], 2),
    (["calibration", "memories", "dram", "rate"], 1),
]


def changed(target, path: list[str], value):
    """A copy with another value at a path; None takes it away."""
    copied = copy.deepcopy(target)
    *folders, key = path
    place = copied
    for folder in folders:
        place = place[folder]
    if value is None:
        del place[key]
    else:
        place[key] = value
    return copied


def main(arguments: list[str]) -> None:
    is_wrong = arguments[0] == "--wrong"
    schema, *files = map(read, arguments[is_wrong:])
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for file in files:
        validator.validate(file)
    if is_wrong:
        for number, (path, value) in enumerate(WRONG):
            target = changed(files[0], path, value)
            assert not validator.is_valid(target), f"valid: {path} = {value}"
            Path(f"wrong{number}.json").write_text(json.dumps(target))
    print(f"{len(files)} files and {is_wrong * len(WRONG)} wrong ones")


if __name__ == "__main__":
    main(sys.argv[1:])
