#!/usr/bin/env bash
# Installs what building and testing need from Debian 12's own packages, and what is named.
# Run as root; does nothing where everything is there.
#   tools/setup.sh [package...]
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache python3 python3-jsonschema python3-numpy git
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  nlohmann-json3-dev libdnnl-dev libnlopt-dev libgecode-dev zlib1g-dev libsqlite3-dev libgtest-dev libomp5 libopenmpi-dev openmpi-bin
  "$@"
)
# For the page of --llm-export-html. Others than Debian's bring npm along with node.
command -v npm >/dev/null || packages+=(nodejs npm)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "setup.sh: run me as root, or install: ${missing[*]}" >&2
  exit 1
fi
echo "setup.sh: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
