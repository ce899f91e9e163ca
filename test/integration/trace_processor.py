#!/usr/bin/env python3
"""Asks Perfetto's trace processor what it finds wrong with traces.

    trace_processor.py TRACE...

$TRACE_PROCESSOR names the program; without it nothing is checked, and a line says so.
"""
import os
import subprocess
import sys
import tempfile

QUERY = "select name, value from stats where value > 0 and severity <> 'info';\n"


def main():
    program = os.environ.get("TRACE_PROCESSOR")
    if not program:
        print("SKIPPED: TRACE_PROCESSOR names no trace processor")
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
        query.write(QUERY)
        query.flush()
        for trace in sys.argv[1:]:
            found = subprocess.run([program, "-q", query.name, trace], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout
            rows = [line for line in found.splitlines() if line.strip()][1:]
            if rows:
                print(f"{trace}: {rows}", file=sys.stderr)
                return 1
    print(f"ok: {len(sys.argv) - 1} traces")
    return 0


if __name__ == "__main__":
    sys.exit(main())
