// What a recurrent layer keeps leaves the kernel that computes it, though no op of this step reads it.
// RUN: llm-opt %s --llm-target=name=npu --llm-fuse=when=legal | FileCheck %s
// RUN: llm-run %s --output=%t.npy
// RUN: llm-opt %s --llm-target=name=npu --llm-fuse=when=legal -o %t.fused.mlir
// RUN: llm-run %t.fused.mlir --check-against=%t.npy --tolerance=0 | FileCheck %s --check-prefix=AGREES
// AGREES: agrees

// CHECK-LABEL: func.func @layer
// CHECK: %[[KERNEL:.*]]:2 = llm.fused "attn+add" {
// CHECK: %[[ATTN:.*]]:2 = llm.linear_attn "attn"
// CHECK: %[[ADD:.*]] = llm.add "add" %[[ATTN]]#0
// CHECK: llm.yield %[[ATTN]]#1, %[[ADD]] :
// CHECK: return %[[KERNEL]]#1
func.func @layer(%x: tensor<1x5x4x8xf32>, %v: tensor<1x5x4x8xf32>) -> tensor<1x5x4x8xf32> {
  %s = llm.state "s" : !llm.state<batch = 1, 4x8x8xf32>
  %y, %n = llm.linear_attn "attn" additive %x, %x, %v from %s scale 1.0 : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>, !llm.state<batch = 1, 4x8x8xf32>
  %z = llm.add "add" %y, %v : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>
  return %z : tensor<1x5x4x8xf32>
}
