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
# The headers of the same version, for programs that the tests compile.
if [ ! -e source/include/llama.h ]; then
  rm -rf source
  git -c advice.detachedHead=false clone --quiet --no-checkout node_modules/node-llama-cpp/llama/gitRelease.bundle source
  git -C source sparse-checkout set include ggml/include
  git -C source -c advice.detachedHead=false checkout --quiet HEAD
  rm -rf source/.git
fi
