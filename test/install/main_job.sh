#!/usr/bin/env bash
# The main job with what is installed under a prefix, and with nothing of a build: a model from
# its config.json to a schedule, a trace and a report, then the same schedule from a stock
# mlir-opt, then an editor that opens the result.
#   main_job.sh <prefix> <folder for the results>
set -euo pipefail
prefix=$(realpath "$1")
mkdir -p "$2"
cd "$2"
export PATH="$prefix/bin:/usr/bin:/bin"

llm-translate --import-hf-config "$prefix/share/doc/llm-opt/examples/llama-3.2-1b.json" \
  --phase=decode -o block.mlir
llm-opt block.mlir --llm-tile --llm-schedule=engines=4 --llm-verify-cost --llm-verify-schedule \
  --llm-export-perfetto=file=trace.json "--llm-export-report=format=json file=report.json" \
  -o scheduled.mlir

plugin=$prefix/lib/llm-plugin.so
mlir-opt-22 --load-dialect-plugin="$plugin" --load-pass-plugin="$plugin" \
  --pass-pipeline="builtin.module(llm-tile,llm-schedule{engines=4})" block.mlir -o stock.mlir
cmp scheduled.mlir stock.mlir

# The server says what it has read and found before it answers the shutdown.
text=$(python3 -c 'import json; print(json.dumps(open("scheduled.mlir").read()))')
llm-lsp-server --lit-test >lsp.txt 2>lsp.log <<REQUESTS
{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"processId": 1, "rootUri": null, "capabilities": {}}}
// -----
{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "test:///scheduled.mlir", "languageId": "mlir", "version": 1, "text": $text}}}
// -----
{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}
// -----
{"jsonrpc": "2.0", "method": "exit"}
REQUESTS
grep -q '"diagnostics": \[\]' lsp.txt
