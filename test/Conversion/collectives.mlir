// RUN: llm-opt %s --convert-llm-to-linalg | FileCheck %s

// Chips exchange bytes: pieces go to those that add them up, and what these have found comes back. The chips of [b] are neighbours,
// those of [a] are three apart.
// CHECK: func.func private @llm_all_gather(memref<?xi8>, memref<?xi8>, memref<?x2xindex>) attributes {llvm.emit_c_interface}
// CHECK: func.func private @llm_all_to_all(memref<?xi8>, memref<?xi8>, memref<?x2xindex>) attributes {llvm.emit_c_interface}
module attributes {llm.grid = #llm.grid<a = 2, b = 3>} {
  // CHECK-LABEL: func.func @sum(
  func.func @sum(%x: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
    // CHECK: %[[PIECES:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [4, 3, 2]
    // CHECK: linalg.transpose ins(%[[PIECES]] : tensor<4x3x2xbf16>) outs(%{{.*}} : tensor<3x4x2xbf16>) permutation = [1, 0, 2]
    // CHECK: memref.alloc() {alignment = 64 : i64} : memref<48xi8>
    // CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %{{.*}} : (tensor<3x4x2xbf16>, memref<3x4x2xbf16>)
    // CHECK: %[[AXES:.*]] = arith.constant dense<{{\[\[}}3, 1]]> : tensor<1x2xindex>
    // CHECK: call @llm_all_to_all(
    // CHECK: bufferization.to_tensor %{{.*}} restrict writable : memref<3x4x2xbf16> to tensor<3x4x2xbf16>
    // CHECK: iterator_types = ["reduction", "parallel", "parallel"]
    // CHECK: arith.addf
    // CHECK: call @llm_all_gather(
    // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<4x3x2xbf16> into tensor<4x6xbf16>
    %y = llm.all_reduce sum %x over [b] : tensor<4x6xbf16>
    return %y : tensor<4x6xbf16>
  }

  // CHECK-LABEL: func.func @piece(
  func.func @piece(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
    // The rank along [a] is the number of the chip / 3, modulo 2.
    // CHECK: %[[CHIP:.*]] = call @llm_chip() : () -> index
    // CHECK: %[[THREE:.*]] = arith.constant 3 : index
    // CHECK: arith.divui %[[CHIP]], %[[THREE]] : index
    // CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
    %y = llm.take_piece %x over [a] dim 0 : tensor<4x6xf32> -> tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }

  // The piece of a weight stands at its argument, in the dimensions of each tensor: of values, and of scales of blocks of 1 x 2.
  // CHECK-LABEL: func.func @weights(
  // CHECK-SAME: {llm.piece = #llm.shard<{d1 = [b] of [4, 8]}>, llm.source = "w"}
  // CHECK-SAME: {llm.piece = #llm.shard<{d1 = [b] of [2, 4]}>, llm.source = "w.scales0"}
  func.func @weights(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
    %w = llm.weight "w" {llm.piece = #llm.shard<{d1 = [b] of [4, 8]}>} : tensor<2x4x!llm.block_scaled<f8E4M3FN, [1, 2], f32>>
    %y = llm.matmul %x, %w transpose_rhs : tensor<3x4xf32>, tensor<2x4x!llm.block_scaled<f8E4M3FN, [1, 2], f32>>
    return %y : tensor<3x2xf32>
  }
}
