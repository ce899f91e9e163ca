// RUN: llm-opt %s -split-input-file --llm-shard | FileCheck %s
// RUN: llm-opt %s -split-input-file --llm-shard --llm-partition | FileCheck %s --check-prefix=CHIP

// Four chips do not divide 6 columns. The product behind them adds zeros of as many rows. Of the 10 results, each chip has 3, and a slice
// has those that are no zeros.
// CHECK-LABEL: func.func @columns
// CHECK: scf.for
// CHECK-NEXT: %[[UP:.*]] = llm.weight "layers.{}.up"[%{{.*}}] {llm.unpadded = array<i64: 6, 16>} : tensor<8x16xf32>
// CHECK-NEXT: llm.matmul "up" %{{.*}}, %[[UP]] transpose_rhs {llm.shard = #llm.shard<{n = [tp, tp_copies]}>}
// CHECK-NEXT: llm.weight "layers.{}.down"[%{{.*}}] {llm.unpadded = array<i64: 16, 6>} : tensor<16x8xf32>
// CHECK-NEXT: llm.matmul "down"
// CHECK: %[[HEAD:.*]] = llm.matmul "head" {{.*}} : tensor<4x16xf32>, tensor<12x16xf32>
// CHECK-NEXT: tensor.extract_slice %[[HEAD]][0, 0] [4, 10] [1, 1] : tensor<4x12xf32> to tensor<4x10xf32>
// CHIP-LABEL: func.func @columns
// CHIP: llm.weight "layers.{}.up"[%{{.*}}] {llm.piece = #llm.shard<{d0 = [tp, tp_copies]}>, llm.unpadded = array<i64: 6, 16>} : tensor<2x16xf32>
// CHIP: llm.weight "layers.{}.down"[%{{.*}}] {llm.piece = #llm.shard<{d1 = [tp, tp_copies]}>, llm.unpadded = array<i64: 16, 6>} : tensor<16x2xf32>
// CHIP: %[[ALL:.*]] = llm.all_gather "head.all_gather" %{{.*}} over [tp, tp_copies] dim 1 : tensor<4x3xf32> -> tensor<4x12xf32>
// CHIP-NEXT: tensor.extract_slice %[[ALL]][0, 0] [4, 10] [1, 1]
module attributes {llm.grid = #llm.grid<tp = 2, tp_copies = 2>} {
  func.func @columns(%x: tensor<4x16xf32>) -> tensor<4x10xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> (tensor<4x16xf32>) {
      %wu = llm.weight "layers.{}.up"[%i] : tensor<6x16xf32>
      %u = llm.matmul "up" %h, %wu transpose_rhs : tensor<4x16xf32>, tensor<6x16xf32>
      %wd = llm.weight "layers.{}.down"[%i] : tensor<16x6xf32>
      %d = llm.matmul "down" %u, %wd transpose_rhs : tensor<4x6xf32>, tensor<16x6xf32>
      scf.yield %d : tensor<4x16xf32>
    }
    %wh = llm.weight "head" : tensor<10x16xf32>
    %z = llm.matmul "head" %y, %wh transpose_rhs : tensor<4x16xf32>, tensor<10x16xf32>
    return %z : tensor<4x10xf32>
  }
}

// -----

// Biases and both products in front of an op get zeros. A weight that something else reads, too, stays as it is there.
// CHECK-LABEL: func.func @gated
// CHECK-DAG: llm.weight "gate" : tensor<5x8xf32>
// CHECK-DAG: %[[GATE:.*]] = llm.weight "gate" {llm.unpadded = array<i64: 5, 8>} : tensor<6x8xf32>
// CHECK-DAG: %[[BIAS:.*]] = llm.weight "bias" {llm.unpadded = array<i64: 5>} : tensor<6xf32>
// CHECK: llm.matmul "gate" %{{.*}}, %[[GATE]] bias %[[BIAS]] transpose_rhs
// CHECK: llm.swiglu {{.*}} {llm.shard = #llm.shard<{d1 = [tp]}>} : tensor<4x6xf32>, tensor<4x6xf32>
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @gated(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<5x8xf32>) {
    %wg = llm.weight "gate" : tensor<5x8xf32>
    %b = llm.weight "bias" : tensor<5xf32>
    %g = llm.matmul "gate" %x, %wg bias %b transpose_rhs : tensor<4x8xf32>, tensor<5x8xf32>, tensor<5xf32>
    %wu = llm.weight "up" : tensor<5x8xf32>
    %u = llm.matmul "up" %x, %wu transpose_rhs : tensor<4x8xf32>, tensor<5x8xf32>
    %a = llm.swiglu "act" %g, %u : tensor<4x5xf32>, tensor<4x5xf32>
    %wd = llm.weight "down" : tensor<8x5xf32>
    %d = llm.matmul "down" %a, %wd transpose_rhs : tensor<4x5xf32>, tensor<8x5xf32>
    return %d, %wg : tensor<4x8xf32>, tensor<5x8xf32>
  }
}

// -----

// 64 columns in blocks of 32: four chips have whole blocks if there are 128. Vocabularies that are sampled from have no zeros.
// CHECK-LABEL: func.func @blocks
// CHECK: llm.weight "w" {llm.unpadded = array<i64: 64, 64>} : tensor<128x64x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
// CHECK: %[[LOGITS:.*]] = tensor.extract_slice %{{.*}} : tensor<4x128xbf16> to tensor<4x64xbf16>
// CHECK-NEXT: llm.sample greedy %[[LOGITS]]
module attributes {llm.grid = #llm.grid<tp = 4>} {
  func.func @blocks(%x: tensor<4x64xbf16>) -> tensor<4xi32> {
    %w = llm.weight "w" : tensor<64x64x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    %y = llm.matmul %x, %w transpose_rhs to bf16 : tensor<4x64xbf16>, tensor<64x64x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    %s = llm.sample greedy %y : tensor<4x64xbf16>
    return %s : tensor<4xi32>
  }
}

// -----

// Six experts on four chips: two more have no rows. Chips of the first two ranks have two experts each.
// CHECK-LABEL: func.func @experts
// CHECK: llm.grouped_matmul {{.*}} rows_per_expert [4, 3, 3, 2, 2, 2, 0, 0]
// CHIP-LABEL: func.func @experts
// CHIP: llm.weight "w" {llm.piece = #llm.shard<{d0 = [ep] of [4, 4]}>, llm.unpadded = array<i64: 6, 8, 4>} : tensor<2x8x4xf32>
// CHIP: rows_per_expert [4, 2]
module attributes {llm.grid = #llm.grid<ep = 4>} {
  func.func @experts(%x: tensor<8x4xf32>, %e: tensor<8x2xi32>, %s: tensor<8x2xf32>) -> tensor<8x8xf32> {
    %w = llm.weight "w" : tensor<6x8x4xf32>
    %rows = llm.moe_dispatch %x, %e : tensor<8x4xf32>, tensor<8x2xi32>
    %y = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [4, 3, 3, 2, 2, 2] top_k 2 : tensor<16x4xf32>, tensor<6x8x4xf32> experts tensor<8x2xi32>
    %z = llm.moe_combine %y, %e, %s : tensor<16x8xf32>, tensor<8x2xi32>, tensor<8x2xf32>
    return %z : tensor<8x8xf32>
  }
}

// -----

// Zeros go on through an op on single columns, and a slice behind it drops them: the chips gather there.
// CHECK-LABEL: func.func @capped
// CHECK: llm.matmul "head" {{.*}} {llm.shard = #llm.shard<{n = [tp]}>}
// CHECK-NEXT: %[[CAPPED:.*]] = llm.soft_cap {{.*}} : tensor<4x6xf32>
// CHECK-NEXT: tensor.extract_slice %[[CAPPED]][0, 0] [4, 5] [1, 1]
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @capped(%x: tensor<4x8xf32>) -> tensor<4x5xf32> {
    %w = llm.weight "head" : tensor<5x8xf32>
    %y = llm.matmul "head" %x, %w transpose_rhs : tensor<4x8xf32>, tensor<5x8xf32>
    %z = llm.soft_cap "cap" %y cap 30.0 : tensor<4x5xf32>
    return %z : tensor<4x5xf32>
  }
}

// -----

// With blocks of 32 for each of four chips, a piece would have as many columns as the weight.
// CHECK-LABEL: func.func @few
// CHECK-NOT: llm.unpadded
module attributes {llm.grid = #llm.grid<tp = 4>} {
  func.func @few(%x: tensor<4x64xbf16>) -> tensor<4x32xbf16> {
    %w = llm.weight "w" : tensor<32x64x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    %y = llm.matmul %x, %w transpose_rhs to bf16 : tensor<4x64xbf16>, tensor<32x64x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    return %y : tensor<4x32xbf16>
  }
}
