"""Prints "N passed, N failed, N skipped" for an xunit file of lit, and fails on no tests."""
import sys
import xml.etree.ElementTree

cases = xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase")
outcomes = [
    "failed" if case.find("failure") is not None
    else "skipped" if case.find("skipped") is not None
    else "passed"
    for case in cases
]
count = outcomes.count
print(f"{count('passed')} passed, {count('failed')} failed, {count('skipped')} skipped")
sys.exit(1 if count("failed") or not count("passed") else 0)
