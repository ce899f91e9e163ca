#!/usr/bin/env bash
# Installs what is missing, configures one preset and builds it: what people run, or these targets.
#   tools/build.sh [release|lean|asserts|asan|coverage|fuzz [target...]]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
preset=${1:-release}
shift || true

# Paths relative to the tree: a second clone finds what the first one compiled.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1

bash "$root/tools/setup.sh"
cd "$root"
cmake --preset "$preset" >/dev/null
# Quiet while it works; the log is shown where it does not.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building (preset $preset) ..." >&2
if ! cmake --build --preset "$preset" ${1:+--target "$@"} >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
