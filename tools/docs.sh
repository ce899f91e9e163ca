#!/usr/bin/env bash
# Writes the reference that follows from the code: ops, attributes and types, passes,
# interfaces, the importers' options, and the schema of target files.
#   tools/docs.sh [folder; default: docs/reference]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
llvm=/usr/lib/llvm-22
out=${1:-$root/docs/reference}
bin=${LLM_OPT_BIN:-$root/build/bin}
mkdir -p "$out"

generate() { # generate FILE GENERATOR TD_FILE [options]
  local file=$1 generator=$2 definition=$3
  shift 3
  "$llvm/bin/mlir-tblgen" "-gen-$generator" "$@" -I "$llvm/include" -I "$root/dialects/llm" \
    "$root/$definition" >>"$out/$file"
}
rm -f "$out"/{Dialect,Passes,Interfaces}.md "$out/llm-translate.txt"
generate Dialect.md dialect-doc dialects/llm/Llm.td -dialect=llm
generate Passes.md pass-doc include/llm/Transforms/Passes.td
generate Passes.md pass-doc include/llm/Conversion/Passes.td
generate Passes.md pass-doc include/llm/Export/Passes.td
# A pipeline has no .td file: what --help=llm-pipeline says of it.
help=$("$bin/llm-opt" --help=llm-pipeline)
{
  printf '\n### `-llm-pipeline`\n\n'
  sed -n 's/^--llm-pipeline  *-  *\(.*\)/_\1_/p' <<<"$help"
  printf '\n#### Options\n\n```\n'
  sed -n 's/^  --\([a-z-]*\)[^ ]*  *- \(.*\)/-\1 : \2/p' <<<"$help"
  printf '```\n'
} >>"$out/Passes.md"
generate Interfaces.md op-interface-docs dialects/interfaces/WorkloadInterfaces.td
generate Interfaces.md type-interface-docs dialects/interfaces/WorkloadInterfaces.td
generate Interfaces.md op-interface-docs dialects/interfaces/LinalgLoweringInterface.td
generate Interfaces.md op-interface-docs dialects/interfaces/ShardingInterfaces.td
# Upstream's options are upstream's to document.
"$bin/llm-translate" --help | sed -n '/^Import: /,$p' >"$out/llm-translate.txt"
"$bin/llm-opt" --llm-print-target-schema >"$out/target.schema.json"
