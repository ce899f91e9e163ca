// The chunks of linear attention follow each other on one unit; heads run at once.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/chunks.mlir --llm-target=file=%t/units.json --llm-tile | %one-line | FileCheck %t/chunks.mlir
// RUN: llm-opt %t/chunks.mlir --llm-target=file=%t/units.json --llm-tile --llm-schedule --llm-verify-schedule | %one-line > %t/out.mlir

//--- chunks.mlir
// 5 tokens in 3 chunks of 2; a key head of 2 heads, which are 2 items for 4 units. Work: 408 MACs at
// 100 per cycle, 228 others at 10, 36 special at 5 (test/Dialect/Llm/recurrent.mlir derives them).
// Operands: two thirds of the faces of each product. scores, per chunk: 2 x 2 + 2 x 4 + 2 x 4, so 3 x 20
// x 2/3 = 40. values, per chunk and head: 4 + 6 + 6, so 6 x 16 x 2/3 = 64. states, twice: 8 + 12 + 6, so
// 2 x 6 x 26 x 2/3 = 208. 312 elements of 4 bytes at 50 per cycle. Half of all is an item's: (4.08 + 24.96
// + 22.8 + 7.2) / 2 = 29.52, 11 for each of 3 chunks, and 7 to begin.
// CHECK: "chunks" {{.*}}serial_cycles = 0, compute_cycles = 70, memory_cycles = 1, bound = compute
func.func @chunks(%q: tensor<1x5x1x4xf32>, %v: tensor<1x5x2x3xf32>, %a: tensor<1x5x2xf32>, %d: tensor<2xf32>) {
  %0 = llm.state "additive" : !llm.state<batch = 1, 2x4x3xf32>
  %y, %1 = llm.linear_attn "chunks" additive %q, %q, %v decay %a skip %d from %0 chunk 2 scale 1.0
     : tensor<1x5x1x4xf32>, tensor<1x5x1x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}
// Of 5 sequences there are 10 items, and 3 waves of 4 units: 3 x 69.52.
// CHECK: "waves" {{.*}}compute_cycles = 209,
func.func @waves(%q: tensor<5x5x1x4xf32>, %v: tensor<5x5x2x3xf32>, %a: tensor<5x5x2xf32>, %d: tensor<2xf32>) {
  %0 = llm.state "waves" : !llm.state<batch = 5, 2x4x3xf32>
  %y, %1 = llm.linear_attn "waves" additive %q, %q, %v decay %a skip %d from %0 chunk 2 scale 1.0
     : tensor<5x5x1x4xf32>, tensor<5x5x1x4xf32>, tensor<5x5x2x3xf32>, tensor<5x5x2xf32>, tensor<2xf32>, !llm.state<batch = 5, 2x4x3xf32>
  return
}
//--- units.json
{
  "name": "units", "clock_hz": 1e9,
  "engines": { "gpu": { "kinds": ["matrix", "vector"], "cost_model": "kernels", "units": 4,
    "macs_per_cycle_per_unit": { "f32": 100 }, "alu_per_cycle_per_unit": 10, "special_per_cycle_per_unit": 5,
    "compare_per_cycle_per_unit": 10, "unit_memory_bytes": 100000, "accumulator_bytes_per_unit": 100000, "private_memory": "l2",
    "kernels": { "contraction": { "operand_bytes_per_kilocycle": 50000, "item_cycles": 7, "chunk_cycles": 11 } } } },
  "memories": { "l2": { "capacity_bytes": 1000000 }, "dram": { "bytes_per_second": 1e15 } }
}
