// RUN: llm-opt %s "--llm-shard=tp=2 interleave=2" --llm-partition --verify-roundtrip | FileCheck %s
// RUN: llm-opt %s --llm-target=file=%S/Inputs/overlap-chip.json --llm-shard=tp=2 --llm-partition --llm-tile --llm-schedule --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=WHOLE
// RUN: llm-opt %s --llm-target=file=%S/Inputs/overlap-chip.json "--llm-shard=tp=2 interleave=2" --llm-partition --llm-tile --llm-schedule --llm-verify-schedule | %one-line | FileCheck %s --check-prefix=HALVES
// RUN: llm-opt %s --llm-shard=interleave=2 --llm-partition | FileCheck %s --check-prefix=ALONE
// RUN: not llm-opt %s --llm-shard=interleave=3 2>&1 | FileCheck %s --check-prefix=THREE
// THREE: has 8 sequences, which cannot be shared equally by 3 chips or parts of a batch

// Each half has its own ops, and both have the weights. The grid has chips alone.
// CHECK: module attributes {llm.grid = #llm.grid<tp = 2>}
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %{{.*}}[0, 0] [4, 64] [1, 1]
// CHECK: %[[SECOND:.*]] = tensor.extract_slice %{{.*}}[4, 0] [4, 64] [1, 1]
// CHECK: llm.matmul "up0_batch0" %[[FIRST]], %[[W:.*]] transpose_rhs
// CHECK: llm.matmul "up0_batch1" %[[SECOND]], %[[W]] transpose_rhs
// CHECK: %[[A:.*]] = llm.all_reduce "down3.all_reduce_batch0"
// CHECK: %[[B:.*]] = llm.all_reduce "down3.all_reduce_batch1"
// CHECK: %[[ALL:.*]] = tensor.concat dim(0) %[[A]], %[[B]]
// CHECK: return %[[ALL]]
// One chip has no grid.
// ALONE: {{^}}module {
// ALONE: llm.matmul "up0_batch1"
// ALONE-NOT: llm.all_gather

// A chip computes 8 x 64 x 32 products of an op in 256 cycles, or 4 rows in 128. A sum over two chips sends 8 x 64 x 4 bytes in 128
// cycles, or half of them in 64, and moves some in memory for less than a cycle: 129 and 65. One behind the other that is
// 4 (2 x 256 + 129) = 2564 cycles. In halves, sums of one hide behind products of the other: 4 x 4 x 128 + 65 = 2113, which the work
// of the core and the sum behind it do not let be shorter.
// WHOLE: makespan_cycles = 2564, lower_bound_cycles = 2564,
// HALVES: makespan_cycles = 2113, lower_bound_cycles = 2113,
func.func @layers(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {
    llm.program = #llm.program<"m", decode, batch = 8, seq = 1, kv_len = 1, layers = 4 of 4>} {
  %u0 = llm.weight "u0" : tensor<64x64xf32>
  %d0 = llm.weight "d0" : tensor<64x64xf32>
  %h0 = llm.matmul "up0" %x, %u0 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y0 = llm.matmul "down0" %h0, %d0 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %u1 = llm.weight "u1" : tensor<64x64xf32>
  %d1 = llm.weight "d1" : tensor<64x64xf32>
  %h1 = llm.matmul "up1" %y0, %u1 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y1 = llm.matmul "down1" %h1, %d1 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %u2 = llm.weight "u2" : tensor<64x64xf32>
  %d2 = llm.weight "d2" : tensor<64x64xf32>
  %h2 = llm.matmul "up2" %y1, %u2 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y2 = llm.matmul "down2" %h2, %d2 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %u3 = llm.weight "u3" : tensor<64x64xf32>
  %d3 = llm.weight "d3" : tensor<64x64xf32>
  %h3 = llm.matmul "up3" %y2, %u3 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y3 = llm.matmul "down3" %h3, %d3 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  return %y3 : tensor<8x64xf32>
}
