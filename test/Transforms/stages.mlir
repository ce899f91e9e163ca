// RUN: llm-opt %s -split-input-file --llm-shard=pp=2 | FileCheck %s --check-prefix=SHARD
// RUN: llm-opt %s -split-input-file "--llm-shard=pp=2 microbatches=3" --llm-partition --verify-roundtrip | FileCheck %s
// One stage is the program as it is.
// RUN: llm-opt %s -split-input-file -o %t.before
// RUN: llm-opt %s -split-input-file --llm-shard=pp=1 --llm-partition -o %t.after
// RUN: diff %t.before %t.after

// Bytes of what is read and written: an addition of 2,304, six layers of 17,920 (a weight of 64 x 64 f32, 3 rows of 64 in and
// out), a norm of 1,792 and a head of 52,224. With four layers in the first stage, the stages have 73,984 and 89,856 bytes; with
// five, 91,904 and 71,936.
// SHARD: module attributes {llm.grid = #llm.grid<pp = 2>}
// SHARD: func.func @model{{.*}}llm.stage = #llm.stage<0 of 1, microbatches = 2>
// SHARD: llm.add "scale" {{.*}}llm.stage = 0 : i64
// SHARD: scf.for
// SHARD: llm.stage = array<i64: 4, 2>
// SHARD: llm.matmul "head" {{.*}}llm.stage = 1 : i64

// Both stages count through their own layers, and have their own copy of the weight "table".
// CHECK: func.func @model_stage0(%[[X:.*]]: tensor<3x64xf32> {llm.input = 1 : i64}) -> tensor<3x64xf32>
// CHECK-SAME: llm.stage = #llm.stage<0 of 2, microbatches = 3>
// CHECK: llm.weight "table"
// CHECK: llm.add "scale" %[[X]]
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[OUT:.*]] = scf.for {{.*}} = %[[C0]] to %[[C4]]
// CHECK: llm.matmul "layers.{1..4}.up"
// CHECK-NOT: llm.stage
// CHECK: return %[[OUT]]
// CHECK: func.func @model_stage1(%[[IN:.*]]: tensor<3x64xf32>, %[[BIAS:.*]]: tensor<64xf32> {llm.input = 0 : i64}) -> tensor<3x192xf32>
// CHECK-SAME: llm.stage = #llm.stage<1 of 2, microbatches = 3>
// CHECK: %[[FROM:.*]] = arith.constant 4 : index
// CHECK: %[[TO:.*]] = arith.constant 6 : index
// CHECK: scf.for {{.*}} = %[[FROM]] to %[[TO]] {{.*}}iter_args({{.*}} = %[[IN]])
// CHECK: llm.matmul "layers.{5..6}.up"
// CHECK: llm.weight "head"
// CHECK: llm.matmul "head"
func.func @model(%bias: tensor<64xf32>, %x: tensor<3x64xf32>) -> tensor<3x192xf32> {
  %table = llm.weight "table" : tensor<3x64xf32>
  %0 = llm.add "scale" %x, %table : tensor<3x64xf32>, tensor<3x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %1 = scf.for %i = %c0 to %c6 step %c1 iter_args(%h = %0) -> (tensor<3x64xf32>) {
    %w = llm.weight "layers.{}.up.weight"[%i] : tensor<64x64xf32>
    %u = llm.matmul "layers.{1..6}.up" %h, %w transpose_rhs : tensor<3x64xf32>, tensor<64x64xf32>
    scf.yield %u : tensor<3x64xf32>
  }
  %wh = llm.weight "head" : tensor<192x64xf32>
  %2 = llm.rmsnorm "norm" %1, %bias epsilon 1.0e-5 : tensor<3x64xf32>, tensor<64xf32>
  %3 = llm.matmul "head" %2, %wh transpose_rhs : tensor<3x64xf32>, tensor<192x64xf32>
  return %3 : tensor<3x192xf32>
}

// -----

// By hand: the op says its stage, and what reads it follows. What is made in the first stage and leaves the program in the last
// goes on from stage to stage. Nothing is added to what a person wrote.
// SHARD-LABEL: @by_hand
// SHARD: llm.add "first" {{.*}}llm.stage = 0 : i64
// SHARD: llm.add "second" %{{[^{]*}} :
// CHECK: func.func @by_hand_stage0(%[[A:.*]]: tensor<2x8xf32> {llm.input = 0 : i64}) -> (tensor<2x8xf32>, tensor<2x8xf32>)
// CHECK: %[[F:.*]] = llm.add "first" %[[A]], %[[A]]
// CHECK: %[[S:.*]] = llm.add "second" %[[F]], %[[A]]
// CHECK: return %[[S]], %[[F]]
// CHECK: func.func @by_hand_stage1(%[[S:.*]]: tensor<2x8xf32>, %[[F:.*]]: tensor<2x8xf32>, %[[A:.*]]: tensor<2x8xf32> {llm.input = 0 : i64})
// CHECK: %[[T:.*]] = llm.add "third" %[[S]], %[[A]]
// CHECK: return %[[F]], %[[T]]
func.func @by_hand(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = llm.add "first" %x, %x {llm.stage = 0 : i64} : tensor<2x8xf32>, tensor<2x8xf32>
  %1 = llm.add "second" %0, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %2 = llm.add "third" %1, %x {llm.stage = 1 : i64} : tensor<2x8xf32>, tensor<2x8xf32>
  return %0, %2 : tensor<2x8xf32>, tensor<2x8xf32>
}

// -----

// Ops of one layer stay together where layers stand one behind the other: 3 layers of two products each.
// SHARD-LABEL: @unrolled
// SHARD: "layers.0.a" {{.*}}llm.stage = 0 : i64
// SHARD: "layers.0.b" {{.*}}llm.stage = 0 : i64
// SHARD: "layers.1.a" {{.*}}llm.stage = 0 : i64
// SHARD: "layers.1.b" {{.*}}llm.stage = 0 : i64
// SHARD: "layers.2.a" {{.*}}llm.stage = 1 : i64
// SHARD: "layers.2.b" {{.*}}llm.stage = 1 : i64
// CHECK-LABEL: @unrolled_stage0
// CHECK-LABEL: @unrolled_stage1
func.func @unrolled(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = llm.add "layers.0.a" %x, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %1 = llm.add "layers.0.b" %0, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %2 = llm.add "layers.1.a" %1, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %3 = llm.add "layers.1.b" %2, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %4 = llm.add "layers.2.a" %3, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %5 = llm.add "layers.2.b" %4, %x : tensor<2x8xf32>, tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}
