// What a linalg program costs, on `npu` (100 bytes a cycle through the port of an engine:
// memory cycles are bytes / 100, rounded up; 4096 f16 MACs, 256 alu, 64 special and 256
// compare operations a cycle). The program is a layer of 8 tokens, 2 heads of 16, f16.
// RUN: llm-opt %S/Inputs/attention.mlir --llm-tile | %one-line | FileCheck %s

// The weight is transposed first: 96 x 32 values of 2 bytes are read and written.
// CHECK:      linalg.transpose
// CHECK-SAME: work = {}, traffic = {dram = {in0 = 6144, out0 = 6144}}
// CHECK-SAME: compute_cycles = 0, memory_cycles = 123, bound = memory

// 8 x 96 x 32 MACs. The accumulators start at a fill, which no memory holds.
// CHECK:      linalg.matmul
// CHECK-SAME: work = {mac = 24576}, traffic = {dram = {in0 = 512, in1 = 6144, out0 = 1536}}
// CHECK-SAME: compute_cycles = 6, memory_cycles = 82,

// Queries, keys and values of 8 x 2 x 16 values, each moved into another order.
// CHECK-COUNT-3: linalg.transpose{{.*}} work = {}, traffic = {dram = {in0 = 512, out0 = 512}}

// 2 x 8 x 8 x 16 MACs.
// CHECK:      linalg.batch_matmul
// CHECK-SAME: work = {mac = 2048}, traffic = {dram = {in0 = 512, in1 = 512, out0 = 256}}

// 2 x 8 x 8 scores are scaled: one multiplication each.
// CHECK:      linalg.generic
// CHECK-SAME: work = {alu = 128}, traffic = {dram = {in0 = 256, out0 = 256}}

// The row's maximum and where it is: a maximum, a comparison and a selection each. Rows are 2 x 8
// values of 2 bytes and indices of 8.
// CHECK:      linalg.generic
// CHECK-SAME: work = {alu = 128, compare = 256}, traffic = {dram = {in0 = 256, out0 = 32, out1 = 128}}

// Less the maximum of its row, through a broadcasting map: 16 values are read, not 128.
// CHECK:      linalg.generic
// CHECK-SAME: work = {alu = 128}, traffic = {dram = {in0 = 256, in1 = 32, out0 = 256}}

// The exponential: 128 at 64 a cycle.
// CHECK:      linalg.generic
// CHECK-SAME: work = {special = 128}, traffic = {dram = {in0 = 256, out0 = 256}}
// CHECK-SAME: compute_cycles = 2,

// The sum over the row; then the quotient, which is a special operation.
// CHECK:      linalg.generic
// CHECK-SAME: work = {alu = 128}, traffic = {dram = {in0 = 256, out0 = 32}}
// CHECK:      linalg.generic
// CHECK-SAME: work = {special = 128}, traffic = {dram = {in0 = 256, in1 = 32, out0 = 256}}

// Times the values; heads side by side again.
// CHECK:      linalg.batch_matmul
// CHECK-SAME: work = {mac = 2048}, traffic = {dram = {in0 = 256, in1 = 512, out0 = 512}}
// CHECK:      linalg.transpose
// CHECK-SAME: traffic = {dram = {in0 = 512, out0 = 512}}

// Onto the layer's input: here the accumulators start at values that are read.
// CHECK:      linalg.matmul
// CHECK-SAME: work = {mac = 8192}, traffic = {dram = {in0 = 512, in1 = 2048, init0 = 512, out0 = 512}}
// CHECK-SAME: memory_cycles = 36,

// It is scheduled, judged, and exported; ops have names that say where they are. Queries, keys and
// values are reordered side by side on three engines, when the product (123 + 82 cycles) is done.
// RUN: llm-opt %S/Inputs/attention.mlir --llm-tile "--llm-schedule=engines=4 granularity=op prefetch=false" --llm-verify-schedule "--llm-export-report=format=csv file=-" -o /dev/null | FileCheck %s --check-prefix=CSV
// CSV: attention,npu,1000000000,linalg.matmul#0,linalg.matmul,{{.*}},core[0],123,205
// CSV: attention,npu,1000000000,linalg.transpose#1,linalg.transpose,{{.*}},core[0],205,216
// CSV: attention,npu,1000000000,linalg.transpose#2,linalg.transpose,{{.*}},core[1],205,216
// CSV: attention,npu,1000000000,linalg.transpose#3,linalg.transpose,{{.*}},core[2],205,216

// Upstream's fusion folds the transposed weight into the product and the softmax into fewer
// sweeps; the weight is then read once, and the MACs stay the same.
// RUN: llm-opt %S/Inputs/attention.mlir --linalg-generalize-named-ops --linalg-fuse-elementwise-ops --canonicalize --llm-tile | %one-line | FileCheck %s --check-prefix=FUSED
// FUSED:     work = {mac = 24576}, traffic = {dram = {in0 = 512, in1 = 6144, out0 = 1536}}
// FUSED-NOT: traffic = {dram = {in0 = 6144, out0 = 6144}}

// The IR survives text and bytecode.
// RUN: llm-opt %S/Inputs/attention.mlir --llm-tile --llm-schedule --verify-roundtrip -o /dev/null
