"""Prints of each buffer that can be fetched ahead the ops that select it: selected.py REPORT"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
for function in report["functions"]:
    for op in function["ops"]:
        for buffer, source in op["parts"][0]["sources"].items():
            print(f"{function['function']} {op['name']}.{buffer}:", *source["selected_by"])
