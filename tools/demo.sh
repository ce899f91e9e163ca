#!/usr/bin/env bash
# Installs what is missing, builds, and takes one decoder block of Llama-3.2-1B from its
# config.json to a schedule, a trace, a page and a report: prefill of 512 tokens and decode of one
# token at a context of 512, first on an A100, then on the invented default chip with 4 engines.
# Then it runs the decode on this machine, and prints how long each op took beside its prediction.
#   tools/demo.sh [folder for the results; default: demo in the build folder]
# With LLM_OPT_BIN set, the tools of that folder are used and nothing is built.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${LLM_OPT_BIN:-}" ]; then
  bash "$root/tools/build.sh" release llm-opt llm-translate llm-run
  LLM_OPT_BIN=$root/build/bin
fi
export PATH="$LLM_OPT_BIN:$PATH"
out=${1:-$root/build/demo}
mkdir -p "$out"
cd "$out"

# A build without node has no page.
hasPage=true
llm-opt --llm-export-html <<<"module {}" >/dev/null 2>&1 || hasPage=false

reports=()
for target in a100-sxm npu; do
  engines=
  [ "$target" = npu ] && engines="=engines=4"
  for phase in prefill decode; do
    block=llama-3.2-1b.$phase
    run=$block.$target
    page=()
    $hasPage && page=("--llm-export-html=file=$run.html")
    llm-translate --import-hf-config "$root/examples/llama-3.2-1b.json" --phase=$phase -o "$block.mlir"
    llm-opt "$block.mlir" "--llm-target=name=$target" --llm-tile "--llm-schedule$engines" \
      --llm-verify-schedule "--llm-export-perfetto=file=$run.perfetto.json" \
      "--llm-export-report=format=json file=$run.json" "${page[@]}" -o "$run.mlir"
    reports+=("$run.json")
  done
done

python3 "$root/tools/side_by_side.py" "${reports[@]}"
echo
echo "Traces, to be opened in https://ui.perfetto.dev:"
for report in "${reports[@]}"; do echo "  $out/${report%.json}.perfetto.json"; done
if $hasPage; then
  echo "Pages, to be opened in a browser:"
  for report in "${reports[@]}"; do echo "  $out/${report%.json}.html"; done
fi

echo
echo "The decode on one core of this machine, beside what its rates promise:"
echo
llm-run llama-3.2-1b.decode.mlir --warmup=1 --repeat=3 --compare --trace=llama-3.2-1b.decode.run.json \
  --measured=llama-3.2-1b.decode.run.mlir
echo
echo "Both on one clock: $out/llama-3.2-1b.decode.run.json"
