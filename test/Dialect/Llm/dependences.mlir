// RUN: llm-opt %s --llm-tile "--llm-schedule=granularity=op prefetch=false" --llm-verify-schedule | %one-line | FileCheck %s

// A read of a cache waits for the writes to the rows that it shows, and for no other. The
// ops are so small that an engine and bandwidth are always free.

!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 8, f32>

// CHECK-LABEL: func @rows
func.func @rows(%k: tensor<1x1x2x8xf32>, %q: tensor<1x1x4x8xf32>) {
  // Keys and values, read and written: 4 x 64 bytes at a port of 100 bytes a cycle take 3.
  // CHECK: llm.kv_write "row 3"
  // CHECK-SAME: start_cycle = 0, end_cycle = 3,
  %c0 = llm.kv_cache "c" : !cache
  %c1 = llm.kv_write "row 3" %c0, %k, %k at 3 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  // The second write changes the state that the first one made.
  // CHECK: llm.kv_write "row 5"
  // CHECK-SAME: start_cycle = 3, end_cycle = 6,
  %c2 = llm.kv_write "row 5" %c1, %k, %k at 5 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>

  // Rows 6 and 7 were written by neither: no wait.
  // CHECK: llm.qk "untouched"
  // CHECK-SAME: start_cycle = 0,
  %k0, %v0 = llm.kv_read %c2 rows 6 to 8 : !cache
  %0 = llm.qk "untouched" %q, %k0 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x2x2x8xf32>

  // Row 3 was written by the first: the read sees it through the second.
  // CHECK: llm.qk "older"
  // CHECK-SAME: start_cycle = 3,
  %k1, %v1 = llm.kv_read %c2 rows 3 to 4 : !cache
  %1 = llm.qk "older" %q, %k1 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x1x2x8xf32>

  // Rows 4 to 7 include row 5, of the second.
  // CHECK: llm.qk "newer"
  // CHECK-SAME: start_cycle = 6,
  %k2, %v2 = llm.kv_read %c2 rows 4 to 8 : !cache
  %2 = llm.qk "newer" %q, %k2 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x4x2x8xf32>
  return
}

// In a ragged batch a read waits where the rows of any sequence were written, and sees through a
// write only where those of all sequences were not. Bytes: 4 x 128, 6 cycles.
// CHECK-LABEL: func @ragged
func.func @ragged(%k: tensor<2x1x2x8xf32>, %q: tensor<2x1x4x8xf32>) {
  // CHECK: llm.kv_write "rows 3 and 1"
  // CHECK-SAME: start_cycle = 0, end_cycle = 6,
  %c0 = llm.kv_cache "c" : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 8, f32>
  %c1 = llm.kv_write "rows 3 and 1" %c0, %k, %k at [3, 1]
     : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 8, f32>, tensor<2x1x2x8xf32>, tensor<2x1x2x8xf32>

  // Rows 4 and 2 were not written, although 3 was, and 1.
  // CHECK: llm.qk "untouched"
  // CHECK-SAME: start_cycle = 0,
  %k0, %v0 = llm.kv_read %c1 rows [4, 2] to [5, 3] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 8, f32>
  %0 = llm.qk "untouched" %q, %k0 mask full scale 1.0 : tensor<2x1x4x8xf32>, tensor<2x1x2x8xf32>

  // Of the second sequence, row 1 was.
  // CHECK: llm.qk "second"
  // CHECK-SAME: start_cycle = 6,
  %k1, %v1 = llm.kv_read %c1 rows [4, 1] to [5, 3] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 8, f32>
  %1 = llm.qk "second" %q, %k1 mask full lengths [1, 2] scale 1.0 : tensor<2x1x4x8xf32>, tensor<2x2x2x8xf32>

  // One range for all sequences, with row 3 of the first.
  // CHECK: llm.qk "first"
  // CHECK-SAME: start_cycle = 6,
  %k2, %v2 = llm.kv_read %c1 rows 2 to 4 : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 8, f32>
  %2 = llm.qk "first" %q, %k2 mask full scale 1.0 : tensor<2x1x4x8xf32>, tensor<2x2x2x8xf32>
  return
}
