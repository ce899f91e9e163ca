// What holds a schedule back: the small one of queues.mlir, which has its figures. Of 5216 cycles,
//
//   core[0]  a.0 0-96  b 96-288
//   core[1]  a.1 0-96                      m 1120-5216
//   dma[1]             fetch for m 96-1120
// RUN: rm -rf %t && split-file %S/queues.mlir %t && cd %t
// RUN: llm-opt program.mlir --llm-target=file=toy.json --llm-cost --llm-schedule=policy=earliest | %one-line > earliest.mlir
// RUN: sed -e '/"m"/s/start_cycle = 96, end_cycle = 4192, lanes = {dram = 384}/start_cycle = 1120, end_cycle = 5216, lanes = {dram = 256} prefetches = [<"rhs", engine = "dma"[1], start_cycle = 96, end_cycle = 1120, lanes = {dram = 512}>]/' \
// RUN:     -e 's/makespan_cycles = 4192/makespan_cycles = 5216/' earliest.mlir > scheduled.mlir
// RUN: llm-opt scheduled.mlir --llm-verify-schedule "--llm-export-report=format=json file=report.json" -o out.mlir
// RUN: FileCheck %s < report.json

// The cores are busy for 2 x 96 + 192 + 4096 cycles. One is idle for 96 before b, which waits for
// a; two for 192 and three for 832 before m, which waits for its fetch; two for 4096 behind that:
// with 4480 busy ones, 96 + 2880 + 8192 are 3 x 5216.
// CHECK:      "name": "core",
// CHECK:      "busy_cycles": 4480,
// CHECK-NEXT: "idle_cycles": {
// CHECK-NEXT:   "dependence": 96,
// CHECK-NEXT:   "fetch": 2880,
// CHECK-NEXT:   "no_work": 8192
// CHECK-NEXT: }

// Both parts of a take half of the lanes: both DMA queues wait for 96 cycles. Behind the fetch of
// 1024 cycles one has no work for 4096 of them, and the other for 5120.
// CHECK:      "name": "dma",
// CHECK:      "busy_cycles": 1024,
// CHECK-NEXT: "idle_cycles": {
// CHECK-NEXT:   "bandwidth": 192,
// CHECK-NEXT:   "no_work": 9216
// CHECK-NEXT: }

// Part 1 of a could end as late as m starts on its engine, 1120 - 96; b as late as all, 5216 - 288.
// CHECK:      "name": "a",
// CHECK:      "slack_cycles": 1024,
// CHECK-NEXT: "is_critical": false,
// CHECK-NEXT: "held_back_by": "none"
// CHECK:      "name": "b",
// CHECK:      "slack_cycles": 4928,
// CHECK-NEXT: "is_critical": false,
// CHECK-NEXT: "held_back_by": "dependence"
// CHECK:      "name": "m",
// CHECK:      "slack_cycles": 0,
// CHECK-NEXT: "is_critical": true,
// CHECK-NEXT: "held_back_by": "fetch"

// The critical path, as in the trace below: part 0 of a, the fetch, m, and nothing else.
// RUN: FileCheck %s --check-prefix=STEPS --implicit-check-not=follows_by < report.json
// STEPS:      "name": "a",
// STEPS:      "start_cycle": 0,
// STEPS:      "follows_by": "none",
// STEPS-NEXT: "part": 0
// STEPS:      "name": "m",
// STEPS:      "start_cycle": 1120,
// STEPS:      "follows_by": "fetch",
// STEPS-NEXT: "part": 0,
// STEPS:      "start_cycle": 96,
// STEPS-NEXT: "end_cycle": 1120,
// STEPS:      "follows_by": "bandwidth",
// STEPS-NEXT: "buffer": "rhs"

// The table has it in percent of all engine cycles: of 3 x 5216 and of 2 x 5216.
// RUN: llm-opt scheduled.mlir --llm-export-report=file=- -o out.mlir | FileCheck %s --check-prefix=TABLE
// TABLE:      Idle: core 71.4 % (dependence 0.6 %, fetch 18.4 %, no_work 52.4 %); dma 90.2 % (bandwidth 1.8 %,
// TABLE-NEXT: no_work 88.3 %)

// The trace says of each op what a click on it should show; of a fetch nothing.
// RUN: llm-opt scheduled.mlir --llm-export-perfetto=file=- -o out.mlir | FileCheck %s --check-prefix=TRACE --implicit-check-not=slack_cycles
// TRACE-COUNT-2: "name":"a",{{.*}}"slack_cycles":1024,"is_critical":false,"held_back_by":"none"}
// TRACE: "name":"b",{{.*}}"slack_cycles":4928,"is_critical":false,"held_back_by":"dependence"}
// TRACE: "name":"m",{{.*}}"slack_cycles":0,"is_critical":true,"held_back_by":"fetch"}

// What engines wait for goes by group: the cores for b up to 96, for m up to 1120, then nothing
// starts; the DMA queues for lanes up to 96. A gap has the name of its longest part: core[1], 7, is
// idle for m alone; core[0], 6, has 1120 - 288 of it; core[2] has all three; and so on. Tracks are
// the critical path, 4 groups and a lane of layers before them.
// RUN: llm-opt scheduled.mlir --llm-export-perfetto=file=trace.json -o out.mlir
// RUN: FileCheck %s --check-prefix=GAPS --implicit-check-not='"cat":"idle"' < trace.json
// GAPS-DAG: "name":"idle: no work","cat":"idle","pid":3,"tid":[[#CORE:]],{{.*}}"args":{"start_cycle":288,"end_cycle":5216,"idle_cycles":{"fetch":832,"no_work":4096}}
// GAPS-DAG: "name":"idle: fetch","cat":"idle","pid":3,"tid":[[#CORE+1]],{{.*}}"args":{"start_cycle":96,"end_cycle":1120,"idle_cycles":{"fetch":1024}}
// GAPS-DAG: "name":"idle: no work","cat":"idle","pid":3,"tid":[[#CORE+2]],{{.*}}"args":{"start_cycle":0,"end_cycle":5216,"idle_cycles":{"dependence":96,"fetch":1024,"no_work":4096}}
// GAPS-DAG: "name":"idle: no work","cat":"idle","pid":4,"tid":[[#DMA:]],{{.*}}"args":{"start_cycle":0,"end_cycle":5216,"idle_cycles":{"bandwidth":96,"no_work":5120}}
// GAPS-DAG: "name":"idle: bandwidth","cat":"idle","pid":4,"tid":[[#DMA+1]],{{.*}}"args":{"start_cycle":0,"end_cycle":96,"idle_cycles":{"bandwidth":96}}
// GAPS-DAG: "name":"idle: no work","cat":"idle","pid":4,"tid":[[#DMA+1]],{{.*}}"args":{"start_cycle":1120,"end_cycle":5216,"idle_cycles":{"no_work":4096}}

// The critical path: m waits for its fetch, and that for the lanes of a.
// RUN: FileCheck %s --check-prefix=PATH --implicit-check-not='"cat":"critical path"' < trace.json
// PATH: "name":"a","cat":"critical path","pid":1,{{.*}}"args":{"start_cycle":0,"end_cycle":96,"steps":1,"follows_by":"none"}
// PATH: "name":"prefetch rhs of m","cat":"critical path","pid":1,{{.*}}"args":{"start_cycle":96,"end_cycle":1120,"steps":1,"follows_by":"bandwidth"}
// PATH: "name":"m","cat":"critical path","pid":1,{{.*}}"args":{"start_cycle":1120,"end_cycle":5216,"steps":1,"follows_by":"fetch"}
// RUN: %python %integration/check_trace.py trace.json report.json

// Four slots are more than three: then it says neither, and what it left out.
// RUN: llm-opt scheduled.mlir "--llm-export-perfetto=file=few.json explain-slots=3" -o out.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: warning: the trace has no slack, causes of idle time and critical path: a stretch between two loop boundaries has 4 slots, more than explain-slots=3. To have them, at the cost of memory for each: --llm-export-perfetto=explain-slots=4
// RUN: not grep slack_cycles few.json
// RUN: llm-opt scheduled.mlir "--llm-export-perfetto=file=- explain-slots=4" -o out.mlir 2> four.log | FileCheck %s --check-prefix=TRACE

// Its three cores and two DMA queues are more than four: there is slack, but no critical path.
// RUN: FileCheck %s --check-prefix=ENGINES --implicit-check-not=slack < four.log
// ENGINES: warning: the trace has no causes of idle time and critical path: the target has 5 engines, more than explain-slots=4. To have them, at the cost of memory for each: --llm-export-perfetto=explain-slots=5
// RUN: llm-opt scheduled.mlir "--llm-export-perfetto=file=all.json explain-slots=5" -o out.mlir && cmp all.json trace.json
// RUN: not llm-opt scheduled.mlir "--llm-export-perfetto=file=none.json explain-slots=-1" -o out.mlir 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: --llm-export-perfetto: option 'explain-slots' must be a whole number of at least 0, got '-1'
// RUN: not ls none.json

// An iteration of a loop counts as often as it runs: an add of 192 cycles before the loop, in each
// of its 4 iterations and behind it, on one of three cores. Of the 1152 cycles two
// are idle up to the last add, 2 x 960, where there is more to come, and in its 192 there is not. There
// never is for the DMA queues.
// RUN: llm-opt loop.mlir --llm-target=file=toy.json --llm-cost --llm-schedule=policy=earliest "--llm-export-report=format=json file=-" -o loops.mlir | FileCheck %s --check-prefix=LOOP
// LOOP:      "name": "core",
// LOOP:      "busy_cycles": 1152,
// LOOP-NEXT: "idle_cycles": {
// LOOP-NEXT:   "layer_boundary": 1920,
// LOOP-NEXT:   "no_work": 384
// LOOP-NEXT: }
// LOOP:      "name": "dma",
// LOOP:      "busy_cycles": 0,
// LOOP-NEXT: "idle_cycles": {
// LOOP-NEXT:   "no_work": 2304
// LOOP-NEXT: }
// LOOP-COUNT-3: "slack_cycles": 0,

// What holds a schedule back is not said of one that breaks a rule, of one in which a loop takes another time, and
// of one with a stale cost: they are shown without.
// RUN: sed '/"b"/s/start_cycle = 96, end_cycle = 288/start_cycle = 95, end_cycle = 287/' scheduled.mlir > broken.mlir
// RUN: sed 's/period_cycles = 192/period_cycles = 193/; s/makespan_cycles = 1152/makespan_cycles = 1156/' loops.mlir > period.mlir
// RUN: sed '/"m"/s/stamp = "./stamp = "/' scheduled.mlir > stale.mlir
// RUN: llm-opt broken.mlir "--llm-export-report=format=json file=broken.json" --llm-export-report=file=broken.txt --llm-export-perfetto=file=broken.trace -o out.mlir 2> broken.log
// RUN: llm-opt period.mlir "--llm-export-report=format=json file=period.json" --llm-export-report=file=period.txt --llm-export-perfetto=file=period.trace -o out.mlir 2> period.log
// RUN: llm-opt stale.mlir "--llm-export-report=format=json file=stale.json" --llm-export-report=file=stale.txt --llm-export-perfetto=file=stale.trace -o out.mlir 2> stale.log
// RUN: cat broken.json period.json stale.json | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=slack_cycles --implicit-check-not=busy_cycles --implicit-check-not=follows_by
// RUN: cat broken.trace period.trace stale.trace | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=slack_cycles
// WITHOUT-COUNT-3: {{^}}{
// RUN: cat broken.txt period.txt stale.txt | FileCheck %s --check-prefix=NO-IDLE --implicit-check-not=Idle:
// NO-IDLE-COUNT-3: {{^}}total
// RUN: cat broken.log period.log stale.log | FileCheck %s --check-prefix=LOG --implicit-check-not=error:
// LOG: broken.mlir:{{[0-9:]+}}: warning: the schedule breaks rule S5 at 'b': 'b' starts at cycle 95, expected not before the end of part 0 of 'a' at cycle 96. What is exported is the schedule as it is, without what holds it back
// LOG: warning: the cost of 'm' is stale

// The trace has the slots as they are, also b's 192 cycles of 1 ms, of which one is a's.
// RUN: FileCheck %s --check-prefix=OVERLAP < broken.trace
// OVERLAP: "name":"b",{{.*}}"ts":95000.000,"dur":192000.000,

// The JSON report keeps what was said.
// RUN: cat broken.json period.json stale.json report.json | FileCheck %s --check-prefix=PROBLEMS
// PROBLEMS:      "problems": [
// PROBLEMS-NEXT:   "the schedule breaks rule S5 at 'b'
// PROBLEMS-NEXT: ],
// PROBLEMS:      "problems": [
// PROBLEMS-NEXT:   "function 'loop' has slots that end at cycle 1152, but its schedule says makespan_cycles = 1156
// PROBLEMS-NEXT: ],
// PROBLEMS:      "problems": [
// PROBLEMS-NEXT:   "the cost of 'm' is stale
// PROBLEMS-NEXT: ],
// PROBLEMS:      "problems": [],
