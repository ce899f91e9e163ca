// Schedules that are proven optimal, by hand.
// REQUIRES: gecode
// RUN: rm -rf %t && split-file %s %t

// An add of n values of 2 bytes moves 6 n bytes, at half a byte per cycle through the port
// of an engine: 360 cycles for 30 values, 240 for 20. Two of 360 and three of 240 cycles on
// two engines take 840 when the longest come first, and 720 when the equal ones share an
// engine, with not one cycle idle.
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op policy=list" \
// RUN:   | %one-line | FileCheck %s --check-prefix=LIST
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op policy=exact" \
// RUN:   --llm-verify-schedule | %one-line | tee %t/exact.mlir | FileCheck %s --check-prefix=EXACT
// LIST: policy = "list", makespan_cycles = 840, lower_bound_cycles = 720
// EXACT: policy = "exact, optimal", makespan_cycles = 720, lower_bound_cycles = 720
// EXACT: "a" {{.*}}engine = "core"{{\[}}[[ENGINE:[01]]]{{\]}}, start_cycle
// EXACT: "b" {{.*}}engine = "core"{{\[}}[[ENGINE]]{{\]}}, start_cycle

// The report says the same.
// RUN: llm-opt %t/exact.mlir --llm-export-report="file=%t/report.json format=json" -o %t/out
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json
// REPORT: "policy": "exact, optimal"

// A search of one node stays at 840, a sixth above the bound, and says why. No limit at all
// and a minute are enough.
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile \
// RUN:   "--llm-schedule=granularity=op policy=exact exact-nodes=1" --remarks-filter-missed=llm-schedule \
// RUN:   --remark-format=emitRemark --llm-verify-schedule 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: five.mlir:1:{{.*}} remark: [Missed] proof {{.*}}'five' may have a shorter schedule: the search ended at its limit after 1 nodes
// LIMIT: policy = "exact, feasible, gap 16.7 %", makespan_cycles = 840, lower_bound_cycles = 720
// RUN: llm-opt %t/five.mlir --llm-target=file=%t/half.json --llm-tile \
// RUN:   "--llm-schedule=granularity=op policy=exact exact-nodes=0 exact-seconds=60" | %one-line | cmp - %t/exact.mlir

// An add of 60 values takes 720 cycles whole and 360 in halves, as its 360 bytes do. So 360 is the
// lower bound with any options, 720 what is proven for whole ops, and each is named by what it is:
// in the IR, in the remark, the table and the report. Without the option both are 360.
// RUN: llm-opt %t/one.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op policy=exact" \
// RUN:   --llm-verify-schedule "--llm-export-report=file=%t/table" "--llm-export-report=format=json file=%t/one.json" \
// RUN:   --verify-roundtrip --remark-format=emitRemark --remarks-filter-passed=llm-schedule -o %t/whole.mlir 2> %t/remark
// RUN: %one-line < %t/whole.mlir | FileCheck %s --check-prefix=WHOLE
// RUN: FileCheck %s --check-prefix=WHOLE-REMARK < %t/remark
// RUN: FileCheck %s --check-prefix=WHOLE-TABLE < %t/table
// RUN: FileCheck %s --check-prefix=WHOLE-JSON < %t/one.json
// WHOLE: policy = "exact, optimal", makespan_cycles = 720, lower_bound_cycles = 360
// WHOLE-SAME: options = "granularity=op" proven_cycles = 720>
// WHOLE-REMARK: 'one' takes 720 cycles with policy exact, optimal; no schedule is shorter than 360; proven are 720: no schedule with granularity=op is shorter
// WHOLE-TABLE:      makespan {{ *}}720 cycles
// WHOLE-TABLE-NEXT: lower bound {{ *}}360 cycles
// WHOLE-TABLE-NEXT: proven {{ *}}720 cycles
// WHOLE-TABLE:      lower bound: by bytes_dram, with any options; the makespan is 100.0 % above it
// WHOLE-TABLE-NEXT: proven: no schedule with granularity=op is shorter; reached: optimal for these tiles
// WHOLE-JSON: "lower_bound_cycles": 360
// WHOLE-JSON: "lower_bound_by": "bytes_dram"
// WHOLE-JSON-NEXT: "options": "granularity=op"
// WHOLE-JSON-NEXT: "proven_cycles": 720
// WHOLE-JSON-NEXT: "proven_meaning": "no schedule with granularity=op is shorter"
// WHOLE-JSON-NEXT: "proven_gap_percent": 0.0
// RUN: llm-opt %t/one.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op prefetch=false split-reductions=false" \
// RUN:   --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=RESTRICTED
// RESTRICTED: policy = "list", makespan_cycles = 720, lower_bound_cycles = 360
// RESTRICTED-SAME: options = "granularity=op split-reductions=false prefetch=false" proven_cycles = 720>
// RUN: llm-opt %t/one.mlir --llm-target=file=%t/half.json --llm-tile --llm-schedule=policy=exact \
// RUN:   --llm-verify-schedule "--llm-export-report=file=%t/table" | %one-line | FileCheck %s --check-prefix=ANY
// RUN: FileCheck %s --check-prefix=ANY-TABLE < %t/table
// ANY: policy = "exact, optimal", makespan_cycles = 360, lower_bound_cycles = 360
// ANY-SAME: roofline_cycles = 360 proven_cycles = 360>
// ANY-TABLE: lower bound {{ *}}360 cycles
// ANY-TABLE-NEXT: proven {{ *}}360 cycles
// ANY-TABLE: lower bound: by bytes_dram; reached: optimal for these tiles
// ANY-TABLE-NEXT: proven: no schedule is shorter, as the search has shown; reached: optimal for these tiles

// What is proven is between the lower bound and the makespan.
// RUN: sed 's/proven_cycles = 720/proven_cycles = 721/' %t/whole.mlir | not llm-opt --llm-verify-schedule 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABOVE
// ABOVE: error: function 'one' S9: llm.schedule says proven_cycles = 721, expected at least the lower bound of 360 and at most the makespan of 720; leave it out of a schedule by hand
// RUN: sed 's/proven_cycles = 720/proven_cycles = 359/' %t/whole.mlir | not llm-opt --llm-verify-schedule 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BELOW
// BELOW: error: function 'one' S9: llm.schedule says proven_cycles = 359
// RUN: sed 's/proven_cycles = 720/proven_cycles = 721/' %t/whole.mlir | llm-opt --llm-export-report=file=%t/table -o %t/out 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHOWN
// SHOWN: warning: function 'one' has a schedule with proven_cycles = 721 above its makespan_cycles = 720
// RUN: sed 's/proven_cycles = 720/proven_cycles = -1/' %t/whole.mlir | not llm-opt 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: {{.*}}proven_cycles

// Each stretch between loop boundaries is proven by itself: five adds in each of 4
// iterations.
// RUN: llm-opt %t/loop.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op policy=exact" \
// RUN:   --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=LOOP
// LOOP: policy = "exact, optimal", makespan_cycles = 2880,
// LOOP-SAME: loops = [<start_cycle = 0, period_cycles = 720, trips = 4>]

// Three adds of 50 million values: 600 million cycles each, on two engines. The solver
// counts to 500 million.
// RUN: not llm-opt %t/large.mlir --llm-target=file=%t/half.json --llm-tile "--llm-schedule=granularity=op policy=exact" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LARGE
// LARGE: large.mlir:1:{{.*}} error: function 'large' cannot be scheduled with policy=exact: schedules of more than 500000000 cycles are beyond the integers of the solver; use policy=list{{$}}

// RUN: not llm-opt %t/five.mlir --llm-tile "--llm-schedule=policy=exact exact-nodes=-1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NODES
// NODES: error: --llm-schedule: option 'exact-nodes' must be a whole number of at least 0, got '-1'

//--- five.mlir
func.func @five(%x: tensor<3x10xbf16>, %y: tensor<2x10xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
  %1 = llm.add "b" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
  %2 = llm.add "c" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  %3 = llm.add "d" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  %4 = llm.add "e" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  return
}

//--- one.mlir
func.func @one(%x: tensor<6x10xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<6x10xbf16>, tensor<6x10xbf16>
  return
}

//--- loop.mlir
func.func @loop(%x: tensor<3x10xbf16>, %y: tensor<2x10xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = llm.add "a.{}" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
    %1 = llm.add "b.{}" %x, %x : tensor<3x10xbf16>, tensor<3x10xbf16>
    %2 = llm.add "c.{}" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
    %3 = llm.add "d.{}" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
    %4 = llm.add "e.{}" %y, %y : tensor<2x10xbf16>, tensor<2x10xbf16>
  }
  return
}

//--- large.mlir
func.func @large(%x: tensor<5000x10000xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<5000x10000xbf16>, tensor<5000x10000xbf16>
  %1 = llm.add "b" %x, %x : tensor<5000x10000xbf16>, tensor<5000x10000xbf16>
  %2 = llm.add "c" %x, %x : tensor<5000x10000xbf16>, tensor<5000x10000xbf16>
  return
}

//--- half.json
{
  "name": "half", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "count": 2, "private_memory": "sram",
                         "macs_per_cycle_per_unit": { "bf16": 64 },
                         "port_bytes_per_second": { "dram": 500 } } },
  "memories": { "sram": { "capacity_bytes": 4096 }, "dram": { "bytes_per_second": 1000 } }
}
