#!/usr/bin/env bash
# The packages that drive the page, as package-lock.json names them, into a folder of the build.
#   test/integration/viewer/setup.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
if ! cmp -s "$here/package-lock.json" installed.json; then
  cp "$here/package.json" "$here/package-lock.json" .
  npm ci --ignore-scripts --no-audit --no-fund >/dev/null
  cp package-lock.json installed.json
fi
