#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests. Ends in one line:
# "N passed, N failed, N skipped".
#   test/run.sh [release|lean|asserts|asan|coverage] [lit options, for example --filter=schedule]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
preset=release
case ${1:-} in release | lean | asserts | asan | coverage) preset=$1; shift ;; esac
build=build
[ "$preset" = release ] || build=build-$preset

# The browser without its windows takes half as long as all of it.
command -v chromium-headless-shell >/dev/null || bash "$root/tools/setup.sh" chromium-headless-shell
# What documents ask reports questions with.
bash "$root/tools/setup.sh" jq python3-pandas
bash "$root/tools/build.sh" "$preset" all llm-tests
# Without them the tests of the page, and those against llama.cpp, are skipped, and lit says so.
command -v npm >/dev/null && bash "$root/test/integration/viewer/setup.sh" "$root/$build/test/viewer-packages" || true
command -v npm >/dev/null && bash "$root/test/integration/llama_cpp/setup.sh" "$root/$build/test/llama-cpp-packages" || true
results=$(mktemp)
trap 'rm -f "$results"' EXIT
status=0
/usr/lib/llvm-22/bin/lit -s -v --xunit-xml-output "$results" "$@" "$root/$build/test" "$root/$build/test/unit" || status=$?
python3 "$root/test/summarize.py" "$results" || status=1
exit $status
