// The page holds the JSON report, without blanks and without a `<`, and what is wrong is said.
// REQUIRES: viewer
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-html "--llm-export-report=format=json file=report.json" -o out.mlir
// RUN: FileCheck %s < report.html
// CHECK: <!doctype html>
// The licences of what it contains.
// CHECK: @dagrejs/dagre
// CHECK: Permission is hereby granted
// CHECK: uplot
// CHECK: Permission is hereby granted
// Without scripts, the lines above the table of the report: 200 cycles of 500 MHz are 0.4 us, and nothing that would follow
// from them, because a cost is stale.
// CHECK: <noscript>
// CHECK: <pre>DOES NOT HOLD: the cost of &apos;embed&apos; is stale
// CHECK: decode on toy: toy-3b, decode, batch 1, seq 1, 4 keys, 3 of 6 layers
// CHECK: time{{ +}}0.400 us, as the schedule says, which does not hold
// CHECK: makespan{{ +}}200 cycles{{ +}}0.400 us
// CHECK: </pre>
// CHECK-NOT: @LLM_SUMMARY@
// CHECK: <script type="application/json" id="reports">{"report":{"function":"decode","target":"toy",
// CHECK-NOT: @LLM_REPORTS@
// CHECK: </html>

// A page is the same report, and with a baseline another one beside it.
// RUN: llm-opt %S/Inputs/loop.mlir "--llm-export-html=file=both.html baseline=report.json" -o out.mlir
// RUN: %python %integration/check_page.py both.html report.json report.json
// RUN: %python %integration/check_page.py report.html report.json

// The IR stays as it is.
// RUN: llm-opt %S/Inputs/loop.mlir -o before.mlir
// RUN: diff before.mlir out.mlir

// A function that has no counterpart is not compared in silence; a single one is compared with a single one.
// RUN: llm-opt %S/Inputs/loop.mlir "--llm-export-html=file=both.html baseline=report.json" -o out.mlir 2>&1 | FileCheck %s --check-prefix=SAME-NAME --implicit-check-not=baseline
// SAME-NAME: the cost of 'embed' is stale
// RUN: %python -c "import json; r = json.load(open('report.json')); json.dump({'functions': [dict(r, function='other'), dict(r, function='third')]}, open('others.json', 'w'))"
// RUN: llm-opt %S/Inputs/loop.mlir "--llm-export-html=file=others.html baseline=others.json" -o out.mlir 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: warning: --llm-export-html=baseline=...: the baseline has no function 'decode', only 'other', 'third', so nothing is compared there
// OTHERS: warning: --llm-export-html=baseline=...: in the baseline only, and compared with nothing: 'other', 'third'

// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=missing.json -o - 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: --llm-export-html=baseline=...: {{.*}}missing.json{{.*}}o such file
// RUN: echo '{"ops": 3}' > wrong.json
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=wrong.json -o - 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: wrong.json:1:9: error: 'ops' must be an array, got 3
// WRONG: wrong.json:1:1: error: expected a report of --llm-export-report=format=json
// RUN: %python -c "import json; r = json.load(open('report.json')); json.dump({'functions': [r, {}]}, open('second.json', 'w'))"
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=second.json -o - 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: second.json:1:{{[0-9]+}}: error: 'functions[1].ops' is missing
// RUN: echo '{"ops": [], "engines": [], "memories": [], "loops": []}' > empty.json
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=empty.json -o - 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.json:1:1: error: 'function' is missing
// RUN: echo '{"ops": [' > half.json
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=half.json -o - 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: half.json:2:1: error:
// What is no JSON at all says what was expected, by which command it is made, and what this is.
// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-report=format=csv -o out.mlir > report.csv 2> log
// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-report -o out.mlir > report.txt 2> log
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=report.csv -o - 2>&1 | FileCheck %s --check-prefix=CSV
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-report=baseline=report.csv -o out.mlir 2>&1 | FileCheck %s --check-prefix=CSV
// CSV: report.csv:1:1: error: --llm-export-{{html|report}}=baseline=...: expected a JSON report, which the other run writes with "--llm-export-report=format=json file=before.json"; this is a CSV report
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=report.txt -o - 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: report.txt:1:1: error: {{.*}} expected a JSON report, {{.*}}; this is the report as a table
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=both.html -o - 2>&1 | FileCheck %s --check-prefix=PAGE
// PAGE: both.html:1:1: error: {{.*}} expected a JSON report, {{.*}}; this is a page
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=baseline=out.mlir -o - 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: out.mlir:1:1: error: {{.*}} expected a JSON report, {{.*}}; this is a program
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-html=file=no/such/folder.html -o - 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: --llm-export-html=file=...: {{.*}}no/such/folder.html
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-report=file=same.json --llm-export-perfetto=file=same.json -o - 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: --llm-export-perfetto=file=...: 'same.json' was just written by --llm-export-report
// RUN: echo 'module {}' | llm-opt --llm-export-html=file=none.html 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: the module has no function with a body: there is nothing to show
// RUN: not ls none.html
