#!/usr/bin/env python3
"""Judges a schedule by its JSON report, by the rules S1 to S9 of dialects/llm/Spec.md.

    python3 test/integration/judge REPORT [...]

A second opinion on --llm-verify-schedule: written from Spec.md and docs/report.md alone, it
shares nothing with the compiler. Says `valid` or what is broken, one line each; the exit
status is 1 if anything is.
"""
import json
import sys

from verdict import judge_report


def main(paths: list[str]) -> int:
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            verdicts = judge_report(json.load(file))
        for function, broken in verdicts.items():
            print(f"{function}: valid" if not broken else f"{function}:")
            for each in broken:
                print(f"  {each}")
            status |= bool(broken)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
