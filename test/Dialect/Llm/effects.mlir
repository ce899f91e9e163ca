// RUN: llm-opt %s --cse --canonicalize | FileCheck %s

// Which ops the cleanups of the optimizer may remove or merge.

!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f32>

// A write whose result nobody reads changes the cache all the same: it stays, as do two
// equal ones.
// CHECK-LABEL: func @writes_stay
func.func @writes_stay(%c: !cache, %k: tensor<1x1x2x8xf32>) {
  // CHECK-COUNT-2: llm.kv_write
  %0 = llm.kv_write %c, %k, %k at 0 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  %1 = llm.kv_write %c, %k, %k at 0 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  // CHECK-NEXT: return
  return
}

// Views and work without a user go.
// CHECK-LABEL: func @unused
func.func @unused(%c: !cache, %x: tensor<4x8xf32>, %q: tensor<1x2x4x8xf32>) {
  // CHECK-NEXT: return
  %w = llm.weight "w" : tensor<8x8xf32>
  %c1 = llm.kv_cache "c" : !cache
  %k, %v = llm.kv_read %c rows 0 to 4 : !cache
  %0 = llm.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = llm.gqa_attn %q, %k, %v mask causal scale 1.0
     : tensor<1x2x4x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>
  return
}

// Two views of one weight are one; of two names they are two; two reads of the same rows
// are one as long as no write lies between them.
// CHECK-LABEL: func @views
func.func @views(%k: tensor<1x1x2x8xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>,
        tensor<1x4x2x8xf32>) {
  // CHECK-NEXT: %[[A:.+]] = llm.weight "a"
  %0 = llm.weight "a" : tensor<4xf32>
  %1 = llm.weight "a" : tensor<4xf32>
  // CHECK-NEXT: %[[B:.+]] = llm.weight "b"
  %2 = llm.weight "b" : tensor<4xf32>
  // CHECK-NEXT: %[[C:.+]] = llm.kv_cache "c"
  %c = llm.kv_cache "c" : !cache
  // CHECK-NEXT: %[[R:.+]], %{{.+}} = llm.kv_read %[[C]] rows 0 to 4
  %3, %4 = llm.kv_read %c rows 0 to 4 : !cache
  %5, %6 = llm.kv_read %c rows 0 to 4 : !cache
  // CHECK-NEXT: %[[C1:.+]] = llm.kv_write %[[C]]
  %c1 = llm.kv_write %c, %k, %k at 0 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  // CHECK-NEXT: %[[R1:.+]], %{{.+}} = llm.kv_read %[[C1]] rows 0 to 4
  %7, %8 = llm.kv_read %c1 rows 0 to 4 : !cache
  // CHECK-NEXT: return %[[A]], %[[A]], %[[B]], %[[R]], %[[R]], %[[R1]]
  return %0, %1, %2, %3, %5, %7
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>,
        tensor<1x4x2x8xf32>
}

// Two equal ops of two names are two: the name is part of the op.
// CHECK-LABEL: func @names
func.func @names(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.+]] = llm.mul "a"
  %0 = llm.mul "a" %x, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: %[[B:.+]] = llm.mul "b"
  %1 = llm.mul "b" %x, %x : tensor<4xf32>, tensor<4xf32>
  %2 = llm.mul "a" %x, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: return %[[A]], %[[B]], %[[A]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
