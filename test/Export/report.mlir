// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: llm-opt %S/Inputs/loop.mlir "--llm-export-report=file=report.json format=json" -o out.mlir
// RUN: FileCheck %s < report.json

// The figures of the input's drawing. Six layers would take 2 x 0.4 us for one token; the
// makespan 200 is a quarter above the bound of 160. Of the 200 cycles, launches of the sum take
// 3 x 12, and all else is arithmetic; twice of it halves all of that but the serial 3 of each sum:
// (10 + 3 (10 + 30 + 5) + 10) / 2 = 77.5.
// CHECK:      "function": "decode",
// CHECK-NEXT: "target": "toy",
// CHECK-NEXT: "fits": true,
// CHECK-NEXT: "makespan_us": 0.4,
// CHECK-NEXT: "tokens_per_second_if_all_layers": 1250000.0,
// CHECK-NEXT: "bound": "compute",
// CHECK-NEXT: "bound_percent": {
// CHECK-NEXT:   "compute": 82.0,
// CHECK-NEXT:   "memory": 0.0,
// CHECK-NEXT:   "overhead": 18.0,
// CHECK-NEXT:   "exchange": 0.0,
// CHECK-NEXT:   "waiting": 0.0
// CHECK-NEXT: },
// CHECK-NEXT: "bound_engine": "core",
// CHECK-NEXT: "savings_percent": {
// CHECK-NEXT:   "bandwidth": 0.0,
// CHECK-NEXT:   "arithmetic": 38.75,
// CHECK-NEXT:   "launches": 9.0
// CHECK:      "mfu_percent": 42.6666
// CHECK-NEXT: "mbu_percent": 14.64
// CHECK-NEXT: "target_description": "invented: for tests",
// CHECK-NEXT: "target_certainty": "The figures of toy are invented (invented: for tests).",
// CHECK-NEXT: "clock_hz": 500000000,
// CHECK:      "phase": "decode",
// CHECK:      "layers": 3,
// CHECK-NEXT: "model_layers": 6,
// CHECK-NEXT: "whole_model": false
// CHECK:      "policy": "list",
// CHECK-NEXT: "problems": [
// CHECK-NEXT:   the cost of 'embed' is stale
// CHECK-NEXT: ],
// CHECK-NEXT: "remarks": [],
// CHECK-NEXT: "makespan_cycles": 200,
// CHECK-NEXT: "lower_bound_cycles": 160,
// CHECK-NEXT: "gap_percent": 25.0,
// CHECK-NEXT: "lower_bound_by": "critical_path",
// CHECK-NEXT: "bounds": {
// CHECK-NEXT:   "critical_path": 160,
// CHECK-NEXT:   "dram": 42
// CHECK:      "roofline_cycles": 50,

// The machine as the module has it.
// CHECK-NEXT: "engines": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "core",
// CHECK:      "count": 2,
// CHECK-NEXT: "units": 1,
// CHECK-NEXT: "operations_per_cycle": {
// CHECK-NEXT:   "mac": {
// CHECK-NEXT:     "f32": 9
// CHECK:      "private_memory": "sram",
// CHECK-NEXT: "port_bytes_per_second": {
// CHECK-NEXT:   "dram": 100000000000
// CHECK:      "port_lanes": {
// CHECK-NEXT:   "dram": 1000
// CHECK:      "memories": [
// CHECK:      "bytes_per_second": 100000000000,

// Totals count a loop as often as it runs: 3 x 2 products of 4 x 8 x 8 are 1536 MACs;
// weights are 3 x (8 + 2 x 64) elements of 4 bytes, those of products 3 x 128.
// CHECK:      "totals": {
// CHECK-NEXT:   "macs": 1536,
// CHECK-NEXT:   "matmul_weight_elements": 384,
// CHECK-NEXT:   "parameters": 408,
// CHECK-NEXT:   "active_parameters": 408,
// CHECK-NEXT:   "weight_bytes": 1632,
// CHECK-NEXT:   "state_elements": 0,
// CHECK-NEXT:   "state_bytes": 0,
// CHECK-NEXT:   "kv_elements": 0,
// CHECK-NEXT:   "kv_read_bytes": 0,
// CHECK-NEXT:   "kv_write_bytes": 0

// The loop from cycle 10 on; its index goes 2, 4, 6.
// CHECK:      "loops": [
// CHECK-NEXT: {
// CHECK-NEXT:   "start_cycle": 10,
// CHECK-NEXT:   "period_cycles": 60,
// CHECK-NEXT:   "trips": 3,
// CHECK-NEXT:   "first_index": 2,
// CHECK-NEXT:   "index_step": 2

// The loop stands between two stretches of ops.
// CHECK:      "order": [
// CHECK-NEXT: {
// CHECK-NEXT:   "stretch": [
// CHECK-NEXT:     "embed"
// CHECK:      "loop": 0,
// CHECK-NEXT: "body": [
// CHECK-NEXT: {
// CHECK-NEXT:   "stretch": [
// CHECK-NEXT:     "layers.{}.norm",
// CHECK-NEXT:     "layers.{}.up",
// CHECK-NEXT:     "layers.{}.gate",
// CHECK-NEXT:     "layers.{}.sum"
// CHECK:      "stretch": [
// CHECK-NEXT:   "final"

// In the loop: what is waited for in the same iteration, in the one before, and in the
// first one.
// CHECK:      "name": "layers.{}.norm",
// CHECK:      "depends_on": [],
// CHECK-NEXT: "depends_on_previous_iteration": [
// CHECK-NEXT:   "layers.{}.sum"
// CHECK-NEXT: ],
// CHECK-NEXT: "depends_on_in_first_iteration": [
// CHECK-NEXT:   "embed"
// CHECK-NEXT: ]

// An op: `count` runs; MACs, bytes and cycles of one; its slot in the first, which is
// absolute: 10 to 40 in an iteration that starts at 10. Each element once is 4 bytes of
// 4 x 8 + 8 x 8 + 4 x 8 elements; the weight of 8 x 8 might be fetched ahead.
// CHECK:      "name": "layers.{}.up",
// CHECK-NEXT: "op": "llm.matmul",
// CHECK-NEXT: "kind": "matmul",
// CHECK-NEXT: "module": "layers.{}",
// CHECK-NEXT: "layer": "layers.{}",
// CHECK-NEXT: "count": 3,
// CHECK-NEXT: "elapsed_us": 0.18,
// CHECK-NEXT: "time_us": 0.06,
// CHECK-NEXT: "total_time_us": 0.18,
// CHECK-NEXT: "share_percent": 31.0344
// CHECK-NEXT: "tflop_per_second": 0.008533
// CHECK-NEXT: "gb_per_second": 8.5333
// CHECK-NEXT: "percent_of_limit": 47.4074
// CHECK-NEXT: "bound": "compute",
// CHECK-NEXT: "time_from": "formula",
// CHECK-NEXT: "loops": [
// CHECK-NEXT:   0
// CHECK-NEXT: ],
// CHECK-NEXT: "macs": 256,
// CHECK-NEXT: "bytes": {
// CHECK-NEXT:   "dram": 512
// CHECK-NEXT: },
// CHECK-NEXT: "inputs": [
// CHECK-NEXT:   "4x8xf32",
// CHECK-NEXT:   "8x8xf32"
// CHECK-NEXT: ],
// CHECK-NEXT: "outputs": [
// CHECK-NEXT:   "4x8xf32"
// CHECK-NEXT: ],
// CHECK-NEXT: "compulsory_bytes": 512,
// CHECK-NEXT: "engine_kinds": [
// CHECK-NEXT:   "matrix"
// CHECK-NEXT: ],
// CHECK-NEXT: "mac_type": "f32",
// CHECK-NEXT: "mac_rate_type": "f32",
// CHECK-NEXT: "work": {
// CHECK-NEXT:   "mac": 256
// CHECK-NEXT: },
// CHECK-NEXT: "tile": {
// CHECK-NEXT:   "k": 8,
// CHECK-NEXT:   "m": 4,
// CHECK-NEXT:   "n": 8
// CHECK-NEXT: },
// CHECK-NEXT: "tile_strategy": "pinned",
// CHECK:      "parts": [
// CHECK-NEXT: {
// CHECK-NEXT:   "count": 1,
// CHECK-NEXT:   "work": {
// CHECK-NEXT:     "mac": 256
// CHECK-NEXT:   },
// CHECK-NEXT:   "traffic_bytes": {
// CHECK-NEXT:     "dram": {
// CHECK:        "working_set_bytes": 512,
// CHECK:        "bound": "compute",
// CHECK-NEXT:   "sources": {
// CHECK-NEXT:     "rhs": {
// CHECK-NEXT:       "slice_bytes": 256,
// CHECK-NEXT:       "staging_bytes": 256
// CHECK:      "overhead_cycles": 0,
// CHECK-NEXT: "serial_cycles": 0,
// CHECK-NEXT: "compute_cycles": 30,
// CHECK-NEXT: "memory_cycles": 3,
// CHECK-NEXT: "cycles": 30,
// CHECK-NEXT: "scheduled_cycles": 30,
// CHECK-NEXT: "slots": [
// CHECK-NEXT: {
// CHECK-NEXT:   "engine": "core[0]",
// CHECK-NEXT:   "start_cycle": 20,
// CHECK-NEXT:   "end_cycle": 50,
// CHECK-NEXT:   "lanes": {
// CHECK-NEXT:     "dram": 86
// CHECK-NEXT:   },
// CHECK-NEXT:   "part": 0
// CHECK:      "depends_on": [
// CHECK-NEXT:   "layers.{}.norm"
// CHECK-NEXT: ]

// Two ops in one iteration.
// CHECK:      "name": "layers.{}.sum",
// CHECK:      "bound": "overhead",
// CHECK:      "depends_on": [
// CHECK-NEXT:   "layers.{}.up",
// CHECK-NEXT:   "layers.{}.gate"
// CHECK-NEXT: ]

// The program holds weights of 3 x (32 + 256 + 256) bytes; while up and gate run, %x, their input and
// both results are there, 128 bytes each.
// The table goes to standard output, because the IR goes to a file. Times and shares count all runs (a product 3 x 30
// cycles) and add up to the last row. 90 of 290 cycles are 31.0 %. A product does 2 x 256 operations in 60 ns, 8.5 GFLOP/s,
// and moves 512 bytes in them, 8.5 GB/s; 256 multiply-accumulates in 30 cycles are 47.4 % of what two cores do, 9 each. The
// layers have the sum of the ops in them: 30 + 2 x 90 + 60 = 270 cycles; 2 x 2 x 768 operations in 540 ns are 5.7
// GFLOP/s, and 864 + 2 x 1536 + 1152 = 5088 bytes 9.4 GB/s. In all 400 ns these are 7.7, and 5856 bytes 14.6 GB/s. MFU:
// 1536 multiply-accumulates at 2 x 9 in a cycle are 85.3 of 200 cycles; MBU: 5856 bytes at 200 in a cycle are 29.3.
// A # is an eighth, a - half of that: of 31.0 % there are
// 4.97 halves, of 93.1 % 14.9, of 20.7 % 3.3, of 10.3 % 1.7, of 3.4 % 0.55.
// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-report -o out.mlir > table.txt
// RUN: FileCheck %s --check-prefix=TABLE --match-full-lines --strict-whitespace < table.txt
// The costs are stale, which comes first.
//      TABLE:DOES NOT HOLD: the cost of 'embed' is stale: the op, its tile or the target changed since it was
// TABLE-NEXT:  computed. What is exported is the schedule as it was, and not what holds it back (slack, idle
// TABLE-NEXT:  time, critical path); run --llm-cost (or --llm-tile for new tiles) and --llm-schedule
// TABLE-NEXT:decode on toy: toy-3b, decode, batch 1, seq 1, 4 keys, 3 of 6 layers
// TABLE-NEXT:fits      yes: 2,144 bytes of 1.0 MB in dram (weights 1,632 bytes, KV caches 0 bytes, values
// TABLE-NEXT:          512 bytes, workspace 0 bytes); largest batch 1,949 at these keys
// TABLE-NEXT:time      0.400 us, as the schedule says, which does not hold: what would follow from it is left out
// TABLE-EMPTY:
// TABLE-NEXT:Schedule: list. Machine: 2 x core, 1 x dma, dram 100.0 GB/s, 0.500 GHz
// TABLE-NEXT:The figures of toy are invented (invented: for tests).
// TABLE-NEXT:makespan     200 cycles  0.400 us
// TABLE-NEXT:lower bound  160 cycles  0.320 us  by critical_path
// TABLE-NEXT:roofline      50 cycles  0.100 us  no tile and no schedule can beat it
// TABLE-NEXT:Time and share: engine time of all runs. Compute and dram: what the op achieves while it runs, two
// TABLE-NEXT:  FLOP for each MAC. Limit: its share of the nearest of the whole machine's peaks. Bound: what binds
// TABLE-NEXT:  the op on the whole machine; more of that shortens neither launches nor what is serial. A module
// TABLE-NEXT:  has the sum of the rows indented under it. A # is 12.5 %, a - half of that.
// TABLE-EMPTY:
// TABLE-NEXT:op         count  engine    time  share            compute  dram  limit  bound
// TABLE-NEXT:                              us      %            GFLOP/s  GB/s      %
// TABLE-NEXT:---------------------------------------------------------------------------------
// TABLE-NEXT:embed          1  core[0]  0.020    3.4  -             0.0  19.2   19.2  compute
// TABLE-NEXT:layers.{}      3           0.540   93.1  #######-      5.7   9.4
// TABLE-NEXT:  norm         3  core[0]  0.060   10.3  #             0.0  14.4   14.4  compute
// TABLE-NEXT:  up           3  core[0]  0.180   31.0  ##-           8.5   8.5   47.4  compute
// TABLE-NEXT:  gate         3  core[1]  0.180   31.0  ##-           8.5   8.5   47.4  compute
// TABLE-NEXT:  sum          3  core[0]  0.120   20.7  #-            0.0   9.6    9.6  overhead
// TABLE-NEXT:final          1  core[0]  0.020    3.4  -             0.0  19.2   19.2  compute
// TABLE-NEXT:---------------------------------------------------------------------------------
// TABLE-NEXT:total                      0.580  100.0  ########      7.7  14.6

// CSV has one row per op, under the names of the JSON report; what is of the whole stands in a file beside it. A cycle is
// 2 ns, so that three runs of 30 cycles from cycle 20 on take 0.18 us and start at 0.04 us.
// RUN: llm-opt out.mlir "--llm-export-report=file=ops.csv format=csv" -o out2.mlir
// RUN: FileCheck %s --check-prefix=CSV < ops.csv
// CSV:      {{^}}function,target,clock_hz,name,op,module,layer,inputs,outputs,count,time_us,total_time_us,share_percent,tflop_per_second,gb_per_second,percent_of_limit,bound,tile_strategy,engines,start_cycle,end_cycle,scheduled_cycles,cycles,overhead_cycles,serial_cycles,compute_cycles,memory_cycles,macs,bytes.dram,compulsory_bytes,kind,elapsed_us,start_us,end_us,exposed_us,time_from,time_p10_us,time_p90_us{{$}}
// CSV-NEXT: {{^}}decode,toy,500000000,embed,llm.add,,,4x8xf32 4x8xf32,4x8xf32,1,0.02,0.02,3.44827586{{[0-9]*}},0.0,19.2,19.2,compute,pinned,core[0],0,10,10,10,0,0,10,2,0,384,384,add,0.02,0.0,0.02,,formula,,{{$}}
// CSV:      {{^}}decode,toy,500000000,layers.{}.up,llm.matmul,layers.{},layers.{},4x8xf32 8x8xf32,4x8xf32,3,0.06,0.18,31.03448275{{[0-9]*}},0.00853333{{[0-9]*}},8.53333333{{[0-9]*}},47.40740740{{[0-9]*}},compute,pinned,core[0],20,50,30,30,0,0,30,3,256,512,512,matmul,0.18,0.04,0.1,,formula,,{{$}}
// CSV:      {{^}}decode,toy,500000000,layers.{}.sum,llm.add,layers.{},layers.{},4x8xf32 4x8xf32,4x8xf32,3,0.04,0.12,{{.*}},overhead,pinned,core[0],50,70,20,20,12,3,5,2,0,384,384,add,0.12,0.1,0.14,,formula,,{{$}}
// RUN: FileCheck %s --check-prefix=SUMMARY < ops.summary.csv
// SUMMARY:      {{^}}function,target,clock_hz,model,phase,layers,model_layers,fits,makespan_us,tokens_per_second,tokens_per_second_if_all_layers,bound,bound_percent.compute,bound_percent.memory,bound_percent.overhead,bound_percent.exchange,bound_percent.waiting,mfu_percent,mbu_percent,makespan_cycles,lower_bound_cycles,roofline_cycles,needed_bytes,capacity_bytes,largest_batch,largest_kv_len,exchange_percent,savings_percent.bandwidth,savings_percent.arithmetic,savings_percent.launches,savings_percent.power,savings_percent.links,problems,remarks,stage,pipeline_period_us,stage_busy_percent,makespan_p10_us,makespan_p90_us{{$}}
// SUMMARY-NEXT: {{^}}decode,toy,500000000,toy-3b,decode,3,6,true,0.4,,1250000.0,compute,82.0,0.0,18.0,0.0,0.0,42.66{{[0-9]*}},14.64{{[0-9]*}},200,160,50,2144,1000000,1949,,,0.0,38.75,9.0,,,"the cost of 'embed' is stale: {{.*}}",,,,,,{{$}}
// On standard output are the rows alone.
// RUN: llm-opt out.mlir --llm-export-report=format=csv -o out2.mlir | diff ops.csv -

// Where the IR goes to standard output, the report goes to standard error; nothing is mixed.
// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-report > ir.mlir 2> shown.txt
// RUN: diff ir.mlir out.mlir && FileCheck %s --check-prefix=SHOWN < shown.txt
// SHOWN: {{^}}decode on toy
// Another export that is told to write there is an error, whichever comes first.
// RUN: not llm-opt %S/Inputs/loop.mlir --llm-export-report --llm-export-dot=file=- -o out3.mlir 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: --llm-export-dot=file=...: '-' was just written by --llm-export-report; give each export a file of its own
// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-dot=file=- --llm-export-report -o out3.mlir 2> second.txt | FileCheck %s --check-prefix=FIRST --implicit-check-not="on toy"
// FIRST: digraph
// RUN: FileCheck %s --check-prefix=SHOWN < second.txt

// Neither format changes the IR.
// RUN: cmp out.mlir out2.mlir
