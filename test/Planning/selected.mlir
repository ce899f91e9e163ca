// What a fetch waits for beside the ops that write its source: those that compute which of it is read.
// RUN: llm-opt %s --llm-target=name=npu --llm-tile --llm-schedule --llm-verify-schedule "--llm-export-report=format=json file=%t.json" -o %t
// RUN: %python %S/selected.py %t.json | FileCheck %s

// The choice of the router, or, where it is not given, the rows, which come after it.
// CHECK:      experts up.rhs: route
// CHECK-NEXT: experts up.bias: route
// CHECK-NEXT: experts down.rhs: up
func.func @experts(%x: tensor<4x64xbf16>, %l: tensor<4x8xbf16>) -> tensor<8x64xbf16> {
  %s, %e = llm.moe_route "route" softmax %l top_k 2 : tensor<4x8xbf16>
  %r = llm.moe_dispatch "dispatch" %x, %e : tensor<4x64xbf16>, tensor<4x2xi32>
  %wu = llm.weight "wu" : tensor<8x64x64xbf16>
  %bu = llm.weight "bu" : tensor<8x64xbf16>
  %u = llm.grouped_matmul "up" %r, %wu bias %bu experts %e rows_per_expert [2, 2, 2, 2, 0, 0, 0, 0] top_k 2
    : tensor<8x64xbf16>, tensor<8x64x64xbf16>, tensor<8x64xbf16> experts tensor<4x2xi32>
  %wd = llm.weight "wd" : tensor<8x64x64xbf16>
  %d = llm.grouped_matmul "down" %u, %wd rows_per_expert [2, 2, 2, 2, 0, 0, 0, 0] top_k 2
    : tensor<8x64xbf16>, tensor<8x64x64xbf16>
  return %d : tensor<8x64xbf16>
}

// A token that takes all experts chooses none; and what comes from around the function is there.
// CHECK-NEXT: all up.rhs:
// CHECK-NEXT: around up.rhs:
func.func @all(%x: tensor<4x64xbf16>, %l: tensor<4x2xbf16>) -> tensor<8x64xbf16> {
  %s, %e = llm.moe_route "route" softmax %l top_k 2 : tensor<4x2xbf16>
  %r = llm.moe_dispatch "dispatch" %x, %e : tensor<4x64xbf16>, tensor<4x2xi32>
  %wu = llm.weight "wu" : tensor<2x64x64xbf16>
  %u = llm.grouped_matmul "up" %r, %wu experts %e rows_per_expert [4, 4] top_k 2
    : tensor<8x64xbf16>, tensor<2x64x64xbf16> experts tensor<4x2xi32>
  return %u : tensor<8x64xbf16>
}
func.func @around(%x: tensor<8x64xbf16>, %e: tensor<4x2xi32>) -> tensor<8x64xbf16> {
  %wu = llm.weight "wu" : tensor<4x64x64xbf16>
  %u = llm.grouped_matmul "up" %x, %wu experts %e rows_per_expert [2, 2, 2, 2] top_k 2
    : tensor<8x64xbf16>, tensor<4x64x64xbf16> experts tensor<4x2xi32>
  return %u : tensor<8x64xbf16>
}

// Rows of a table by tokens; through views and casts.
// CHECK-NEXT: tokens prompt.table:
// CHECK-NEXT: tokens next.table: sample
func.func @tokens(%t: tensor<4xi32>, %l: tensor<4x256xbf16>) -> tensor<8x64xbf16> {
  %w = llm.weight "w" : tensor<256x64xbf16>
  %a = llm.embedding "prompt" %t, %w : tensor<4xi32>, tensor<256x64xbf16>
  %n = llm.sample "sample" greedy %l : tensor<4x256xbf16>
  %v = tensor.expand_shape %n [[0, 1]] output_shape [2, 2] : tensor<4xi32> into tensor<2x2xi32>
  %c = tensor.collapse_shape %v [[0, 1]] : tensor<2x2xi32> into tensor<4xi32>
  %b = llm.embedding "next" %c, %w : tensor<4xi32>, tensor<256x64xbf16>
  %both = tensor.concat dim(0) %a, %b : (tensor<4x64xbf16>, tensor<4x64xbf16>) -> tensor<8x64xbf16>
  return %both : tensor<8x64xbf16>
}

// What a body gathers by what its indices are computed from: a counter and a value of an operand;
// by the place alone it is known.
// CHECK-NEXT: gathered linalg.generic#0.gathered0: sample
// CHECK-NEXT: gathered linalg.generic#1.gathered0:
func.func @gathered(%l: tensor<4x256xbf16>) -> tensor<4x64xbf16> {
  %w = llm.weight "w" : tensor<256x64xbf16>
  %n = llm.sample "sample" greedy %l : tensor<4x256xbf16>
  %o = tensor.empty() : tensor<4x64xbf16>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<4xi32>) outs(%o : tensor<4x64xbf16>) {
    ^bb0(%t: i32, %out: bf16):
      %row = arith.index_cast %t : i32 to index
      %column = linalg.index 1 : index
      %value = tensor.extract %w[%row, %column] : tensor<256x64xbf16>
      linalg.yield %value : bf16
  } -> tensor<4x64xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x64xbf16>) outs(%o : tensor<4x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %value = tensor.extract %w[%row, %column] : tensor<256x64xbf16>
      %sum = arith.addf %in, %value : bf16
      linalg.yield %sum : bf16
  } -> tensor<4x64xbf16>
  return %b : tensor<4x64xbf16>
}

// Which weight it is, by an index that is computed.
// CHECK-NEXT: indexed product.rhs: sample
func.func @indexed(%x: tensor<4x64xbf16>, %l: tensor<1x8xbf16>) -> tensor<4x64xbf16> {
  %n = llm.sample "sample" greedy %l : tensor<1x8xbf16>
  %c0 = arith.constant 0 : index
  %number = tensor.extract %n[%c0] : tensor<1xi32>
  %index = arith.index_cast %number : i32 to index
  %w = llm.weight "experts.{}"[%index] : tensor<64x64xbf16>
  %y = llm.matmul "product" %x, %w : tensor<4x64xbf16>, tensor<64x64xbf16>
  return %y : tensor<4x64xbf16>
}

// Nobody fetches ahead what a kernel selects itself. What is selected in two ways is two buffers.
// CHECK-NEXT: fused norm.rmsnorm.weight:
// CHECK-NEXT: fused twice.embedding.table: sample
// CHECK-NEXT: fused twice.embedding2.table:
// CHECK-NOT:  {{.}}
func.func @fused(%l: tensor<4x64xbf16>, %t: tensor<4xi32>) -> (tensor<4x64xbf16>, tensor<4x64xbf16>) {
  %w = llm.weight "w" : tensor<64x64xbf16>
  %g = llm.weight "g" : tensor<64xbf16>
  %a = llm.fused "norm" {
    %n = llm.sample greedy %l : tensor<4x64xbf16>
    %x = llm.embedding %n, %w : tensor<4xi32>, tensor<64x64xbf16>
    %y = llm.rmsnorm %x, %g epsilon 1.0e-5 : tensor<4x64xbf16>, tensor<64xbf16>
    llm.yield %y : tensor<4x64xbf16>
  } : tensor<4x64xbf16>
  %n = llm.sample "sample" greedy %a : tensor<4x64xbf16>
  %b = llm.fused "twice" {
    %x = llm.embedding %n, %w : tensor<4xi32>, tensor<64x64xbf16>
    %y = llm.embedding %t, %w : tensor<4xi32>, tensor<64x64xbf16>
    %z = llm.add %x, %y : tensor<4x64xbf16>, tensor<4x64xbf16>
    llm.yield %z : tensor<4x64xbf16>
  } : tensor<4x64xbf16>
  return %a, %b : tensor<4x64xbf16>, tensor<4x64xbf16>
}
