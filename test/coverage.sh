#!/usr/bin/env bash
# Line coverage of lib/ by all tests: for each file the percentage and the lines that no test
# reaches, then the total. Fails below 90 %.
#   test/coverage.sh [lit options]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-coverage
bash "$root/tools/setup.sh" gcovr

find "$root" -path "$build/*" -name '*.gcda' -delete
bash "$root/test/run.sh" coverage "$@"
cd "$root"
gcovr --root . --filter lib/ --object-directory "$build" --txt "$build/coverage.txt" \
  --print-summary --fail-under-line 90 "$build" >"$build/summary.txt" || status=$?
cat "$build/coverage.txt"
grep '^lines' "$build/summary.txt"
exit "${status:-0}"
