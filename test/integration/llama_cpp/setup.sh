#!/usr/bin/env bash
# llama.cpp's libraries and their JavaScript, as package.json names them, into a folder of the build. The builds for
# other systems and for GPUs, which are optional there, have many times the size.
#   test/integration/llama_cpp/setup.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
if ! cmp -s "$here/package.json" installed.json; then
  cp "$here/package.json" .
  npm install --ignore-scripts --omit=optional --no-package-lock --no-audit --no-fund >/dev/null
  cp package.json installed.json
fi
