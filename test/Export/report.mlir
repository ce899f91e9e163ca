// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: llm-opt %S/Inputs/loop.mlir "--llm-export-report=file=report.json format=json" -o out.mlir
// RUN: FileCheck %s < report.json

// The figures of the input's drawing. Six layers would take 2 x 0.4 us for one token; the
// makespan 200 is a quarter above the bound of 160.
// CHECK:      "function": "decode",
// CHECK-NEXT: "target": "toy",
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
// CHECK-NEXT: "makespan_cycles": 200,
// CHECK-NEXT: "makespan_us": 0.4,
// CHECK-NEXT: "lower_bound_cycles": 160,
// CHECK-NEXT: "gap_percent": 25.0,
// CHECK-NEXT: "lower_bound_by": "critical_path",
// CHECK-NEXT: "bounds": {
// CHECK-NEXT:   "critical_path": 160,
// CHECK-NEXT:   "dram": 42
// CHECK:      "roofline_cycles": 50,
// CHECK-NEXT: "tokens_per_second_if_all_layers": 1250000.0,

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
// CHECK-NEXT: "module": "layers.{}",
// CHECK-NEXT: "layer": "layers.{}",
// CHECK-NEXT: "count": 3,
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
// CHECK-NEXT: "engine_kinds": [
// CHECK-NEXT:   "matrix"
// CHECK-NEXT: ],
// CHECK-NEXT: "mac_type": "f32",
// CHECK-NEXT: "mac_rate_type": "f32",
// CHECK-NEXT: "compulsory_bytes": 512,
// CHECK-NEXT: "work": {
// CHECK-NEXT:   "mac": 256
// CHECK-NEXT: },
// CHECK-NEXT: "tile": {
// CHECK-NEXT:   "k": 8,
// CHECK-NEXT:   "m": 4,
// CHECK-NEXT:   "n": 8
// CHECK-NEXT: },
// CHECK-NEXT: "tile_strategy": "manual",
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
// CHECK-NEXT: "bound": "compute",
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
// The table on standard error, by default: rows count all runs (a product 3 x 30 cycles,
// 3 x 256 MACs, 3 x 512 bytes), and add up to the last row. 90 of 290 cycles are 31.0 %. The
// layers have the sum of the ops in them: 30 + 2 x 90 + 60 = 270 cycles, 2 x 768 MACs, and
// 864 + 2 x 1536 + 1152 = 5088 bytes. A # is an eighth, a - half of that: of 31.0 % there are
// 4.97 halves, of 93.1 % 14.9, of 20.7 % 3.3, of 10.3 % 1.7, of 3.4 % 0.55.
// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-report -o out.mlir 2> table.txt
// RUN: FileCheck %s --check-prefix=TABLE --match-full-lines --strict-whitespace < table.txt
//      TABLE:decode on toy: policy list, 2 x core, 1 x dma, dram 100.0 GB/s, 0.500 GHz
// TABLE-NEXT:The figures of toy are invented (invented: for tests).
// TABLE-NEXT:makespan     200 cycles  0.400 us
// TABLE-NEXT:lower bound  160 cycles  0.320 us  by critical_path; the makespan is 25.0 % above it
// TABLE-NEXT:roofline      50 cycles  0.100 us  no tile and no schedule can beat it
// TABLE-NEXT:1,250,000.0 tokens/s if all 6 layers took this long, without embedding, head and sampling (toy-3b,
// TABLE-NEXT:  decode, batch 1, seq 1, 4 keys, 3 of 6 layers here)
// TABLE-NEXT:Holds 2,144 bytes of 1.0 MB in dram: weights 1,632 bytes, KV caches 0 bytes, values 512 bytes,
// TABLE-NEXT:  workspace 0 bytes
// TABLE-NEXT:Start: of the first run. Time, share, MACs and bytes: all runs together; time is engine time. A
// TABLE-NEXT:  module has the sum of the rows indented under it. A # is 12.5 %, a - half of that.
// TABLE-EMPTY:
// TABLE-NEXT:op         runs  engine    start    time   time  share             MACs   dram  bound
// TABLE-NEXT:                          cycles  cycles     us      %             MACs  bytes
// TABLE-NEXT:----------------------------------------------------------------------------------------
// TABLE-NEXT:embed         1  core[0]       0      10  0.020    3.4  -             0    384  compute
// TABLE-NEXT:layers.{}     3                      270  0.540   93.1  #######-  1,536  5,088
// TABLE-NEXT:  norm        3  core[0]      10      30  0.060   10.3  #             0    864  compute
// TABLE-NEXT:  up          3  core[0]      20      90  0.180   31.0  ##-         768  1,536  compute
// TABLE-NEXT:  gate        3  core[1]      20      90  0.180   31.0  ##-         768  1,536  compute
// TABLE-NEXT:  sum         3  core[0]      50      60  0.120   20.7  #-            0  1,152  overhead
// TABLE-NEXT:final         1  core[0]     190      10  0.020    3.4  -             0    384  compute
// TABLE-NEXT:----------------------------------------------------------------------------------------
// TABLE-NEXT:total                                290  0.580  100.0  ########  1,536  5,856

// CSV has one row per op, figures of one run, and units in the names of the columns.
// RUN: llm-opt out.mlir "--llm-export-report=file=- format=csv" -o out2.mlir | FileCheck %s --check-prefix=CSV
// CSV:      {{^}}function,name,op,runs,engine,start_cycle,end_cycle,scheduled_cycles_per_run,cycles_per_run,overhead_cycles_per_run,serial_cycles_per_run,compute_cycles_per_run,memory_cycles_per_run,macs_per_run,dram_bytes_per_run,bound
// CSV-NEXT: {{^}}decode,embed,llm.add,1,core[0],0,10,10,10,0,0,10,2,0,384,compute
// CSV:      {{^}}decode,layers.{}.up,llm.matmul,3,core[0],20,50,30,30,0,0,30,3,256,512,compute
// CSV:      {{^}}decode,layers.{}.sum,llm.add,3,core[0],50,70,20,20,12,3,5,2,0,384,overhead

// Neither format changes the IR.
// RUN: cmp out.mlir out2.mlir
