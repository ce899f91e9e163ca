// RUN: llm-opt %s --llm-shard=tp=2 --llm-partition=overlap-chunks=3 --verify-roundtrip | FileCheck %s
// RUN: llm-opt %s --llm-shard=tp=2 --llm-partition -o %t.one
// RUN: llm-opt %s --llm-shard=tp=2 --llm-partition=overlap-chunks=1 | diff - %t.one
// RUN: not llm-opt %s --llm-shard=tp=2 --llm-partition=overlap-chunks=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: overlap-chunks.mlir: error: --llm-partition: option 'overlap-chunks' divides the rows of a product, expected 1 to 64, got 0
// RUN: not llm-opt %s "--llm-pipeline=tp=2 overlap-chunks=65" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: --llm-partition: option 'overlap-chunks' divides the rows of a product, expected 1 to 64, got 65
// RUN: llm-opt %s --llm-pipeline=overlap-chunks=2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE-CHIP
// ONE-CHIP: warning: --llm-partition=overlap-chunks divides nothing: on one chip there are no sums over chips; tp=8 makes some
// RUN: not llm-opt %s --llm-pipeline=sp 2>&1 | FileCheck %s --check-prefix=NO-TP
// NO-TP: error: --llm-shard: option 'sp' cuts rows of tokens over the chips of 'tp', which must be 2 or more
// RUN: not llm-opt %s "--llm-shard=tp=2 chunks=4" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --llm-shard: there is no option 'chunks'; chunks of sums are made behind it: --llm-partition=overlap-chunks=2

// Rows in 3 chunks, of which the last has what is left. Each has a product and a sum of its own, and both are one value behind it.
// CHECK-LABEL: func.func @summed
// CHECK: %[[UP:.*]] = llm.matmul "up"
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[UP]][0, 0] [342, 1024] [1, 1]
// CHECK: %[[A:.*]] = llm.matmul "down_chunk0" %[[FIRST]], %[[V:.*]] transpose_rhs
// CHECK: %[[A_SUM:.*]] = llm.all_reduce "down_chunk0.all_reduce" sum %[[A]] over [tp] : tensor<342x2048xbf16>
// CHECK: tensor.extract_slice %[[UP]][342, 0] [342, 1024] [1, 1]
// CHECK: %[[B:.*]] = llm.matmul "down_chunk1" %{{.*}}, %[[V]] transpose_rhs
// CHECK: %[[B_SUM:.*]] = llm.all_reduce "down_chunk1.all_reduce" sum %[[B]] over [tp]
// CHECK: tensor.extract_slice %[[UP]][684, 0] [340, 1024] [1, 1]
// CHECK: %[[C_SUM:.*]] = llm.all_reduce "down_chunk2.all_reduce"
// CHECK: %[[ALL:.*]] = tensor.concat dim(0) %[[A_SUM]], %[[B_SUM]], %[[C_SUM]]
// CHECK: return %[[ALL]]
// A product that has no three rows stays whole.
// CHECK-LABEL: func.func @few
// CHECK: llm.matmul "down"
// CHECK-NEXT: llm.all_reduce "down.all_reduce"

// A chip of npu with one core computes 1024 x 2048 x 1024 products in 524,288 cycles, 4096 in each; two such ops are there. The
// sum of 4 MiB passes the link in 41,944 cycles at 100 bytes each and memory in 10,486 at 400, together 52,429 (rounded up once).
// In chunks, all but the last sum pass behind products: 2 x 524,288 + 26,215 and + 13,108.
// RUN: llm-opt %s "--llm-pipeline=target=npu tp=2 engines=1" | %one-line | FileCheck %s --check-prefix=ONE
// ONE: makespan_cycles = 1101005, lower_bound_cycles = 1101005,
// RUN: llm-opt %s "--llm-pipeline=target=npu tp=2 engines=1 overlap-chunks=2 verify=true" | %one-line | FileCheck %s --check-prefix=TWO
// TWO: makespan_cycles = 1074791, lower_bound_cycles = 1074791,
// RUN: llm-opt %s "--llm-pipeline=target=npu tp=2 engines=1 overlap-chunks=4 verify=true" | %one-line | FileCheck %s --check-prefix=FOUR
// FOUR: makespan_cycles = 1061684, lower_bound_cycles = 1061684,

// With sp, chips get their rows of the sum, and chunks have columns of all rows. What joins projections does not join them again.
// RUN: llm-translate --import-hf-config %examples/llama-3.1-8b.json --phase=prefill --seq=512 --kv-len=512 -o %t.block
// RUN: llm-opt %t.block "--llm-shard=tp=2 sp" --llm-partition=overlap-chunks=2 --llm-fuse-projections | FileCheck %s --check-prefix=SCATTER
// SCATTER: %[[L:.*]] = llm.matmul "{{.*}}o_proj_chunk0" %[[X:.*]], %{{.*}} transpose_rhs : tensor<512x2048xbf16>, tensor<2048x2048xbf16>
// SCATTER: %[[A:.*]] = llm.reduce_scatter "{{.*}}o_proj_chunk0.reduce_scatter" sum %[[L]] over [tp_sp] dim 0 : tensor<512x2048xbf16> -> tensor<256x2048xbf16>
// SCATTER: %[[R:.*]] = llm.matmul "{{.*}}o_proj_chunk1" %[[X]], %{{.*}} transpose_rhs
// SCATTER: %[[B:.*]] = llm.reduce_scatter "{{.*}}o_proj_chunk1.reduce_scatter" sum %[[R]]
// SCATTER: tensor.concat dim(1) %[[A]], %[[B]] : (tensor<256x2048xbf16>, tensor<256x2048xbf16>) -> tensor<256x4096xbf16>
// SCATTER: llm.matmul "{{.*}}gate_proj+up_proj"
func.func @summed(%x: tensor<1024x2048xbf16>) -> tensor<1024x2048xbf16> {
  %u = llm.weight "u" : tensor<2048x2048xbf16>
  %v = llm.weight "v" : tensor<2048x2048xbf16>
  %0 = llm.matmul "up" %x, %u transpose_rhs : tensor<1024x2048xbf16>, tensor<2048x2048xbf16>
  %1 = llm.matmul "down" %0, %v transpose_rhs : tensor<1024x2048xbf16>, tensor<2048x2048xbf16>
  return %1 : tensor<1024x2048xbf16>
}

func.func @few(%x: tensor<2x2048xbf16>) -> tensor<2x2048xbf16> {
  %u = llm.weight "u" : tensor<2048x2048xbf16>
  %v = llm.weight "v" : tensor<2048x2048xbf16>
  %0 = llm.matmul "up" %x, %u transpose_rhs : tensor<2x2048xbf16>, tensor<2048x2048xbf16>
  %1 = llm.matmul "down" %0, %v transpose_rhs : tensor<2x2048xbf16>, tensor<2048x2048xbf16>
  return %1 : tensor<2x2048xbf16>
}
