// RUN: llm-opt %s --split-input-file --verify-diagnostics --llm-tile

func.func @dynamic(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{needs static shapes to count its work, got 'tensor<?x8xf32>'}}
  %0 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @bufferized(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) {
  // expected-error @+1 {{works on memory; workloads are counted on tensors, before bufferization}}
  linalg.matmul ins(%x, %w : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  return
}

// -----

func.func @unknown_body(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error @+1 {{its body has 'scf.if', whose work is not known; arith, math, linalg.index and tensor.extract are}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<8xi32>) {
  ^bb0(%a: i32):
    %true = arith.constant true
    %r = scf.if %true -> i32 { scf.yield %a : i32 } else { scf.yield %a : i32 }
    linalg.yield %r : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @modulo_map(%x: tensor<4xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the indexing map affine_map<(d0) -> (d0 mod 4)> is not made of sums of loop indices; the elements that a tile touches cannot be counted}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 4)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An op of a dialect that no one gave a workload.
func.func @unknown_op(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'math.exp' op has no workload: the compiler cannot tell how long it takes}}
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
