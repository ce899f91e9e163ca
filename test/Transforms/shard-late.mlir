// What shard-errors.mlir cuts too late, or over more chips than there are. In order, two chips take it.
// RUN: llm-opt %s --llm-target=name=h100-sxm --llm-shard=tp=2 --llm-partition --llm-fuse --llm-tile --llm-schedule --llm-verify-cost --llm-verify-schedule | FileCheck %s
// CHECK: llm.fused
// CHECK: llm.all_reduce "down.all_reduce"
func.func @pair(%x: tensor<4x32xbf16>) -> tensor<4x32xbf16> {
  %wu = llm.weight "wu" : tensor<64x32xbf16>
  %u = llm.matmul "up" %x, %wu transpose_rhs : tensor<4x32xbf16>, tensor<64x32xbf16>
  %a = llm.activation "act" silu %u : tensor<4x64xbf16>
  %wd = llm.weight "wd" : tensor<32x64xbf16>
  %d = llm.matmul "down" %a, %wd transpose_rhs : tensor<4x64xbf16>, tensor<32x64xbf16>
  return %d : tensor<4x32xbf16>
}
