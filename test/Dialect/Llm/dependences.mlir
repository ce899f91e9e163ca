// RUN: llm-opt %s --llm-tile "--llm-schedule=policy=earliest" --llm-verify-schedule | FileCheck %s

// A read of a cache waits for the writes to the rows that it shows, and for no other. All
// ops are small enough that an engine is always free.

!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 8, f32>

// CHECK-LABEL: func @rows
func.func @rows(%k: tensor<1x1x2x8xf32>, %q: tensor<1x1x4x8xf32>) {
  %c0 = llm.kv_cache "c" : !cache
  // 4 x 64 bytes at a quarter of 400 bytes a cycle: ceil(256 / 100) = 3 cycles.
  // CHECK: llm.kv_write "row 3"
  // CHECK-SAME: start_cycle = 0, end_cycle = 3,
  %c1 = llm.kv_write "row 3" %c0, %k, %k at 3 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  // The second write changes the state that the first one made.
  // CHECK: llm.kv_write "row 5"
  // CHECK-SAME: start_cycle = 3, end_cycle = 6,
  %c2 = llm.kv_write "row 5" %c1, %k, %k at 5 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>

  // Rows 6 to 8 were written by neither.
  // CHECK: llm.qk "untouched"
  // CHECK-SAME: start_cycle = 0,
  %k0, %v0 = llm.kv_read %c2 rows 6 to 8 : !cache
  %0 = llm.qk "untouched" %q, %k0 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x2x2x8xf32>
  return
}

// CHECK-LABEL: func @older_rows
func.func @older_rows(%k: tensor<1x1x2x8xf32>, %q: tensor<1x1x4x8xf32>) {
  %c0 = llm.kv_cache "c" : !cache
  // CHECK: llm.kv_write "row 3"
  // CHECK-SAME: start_cycle = 0, end_cycle = 3,
  %c1 = llm.kv_write "row 3" %c0, %k, %k at 3 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  // CHECK: llm.kv_write "row 5"
  // CHECK-SAME: start_cycle = 3, end_cycle = 6,
  %c2 = llm.kv_write "row 5" %c1, %k, %k at 5 : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>

  // Row 3 was written by the first: the read sees through the second one. (The schedule
  // starts ops in the order of the program, none before the one ahead of it.)
  // CHECK: llm.qk "older"
  // CHECK-SAME: start_cycle = 3,
  %k1, %v1 = llm.kv_read %c2 rows 3 to 4 : !cache
  %1 = llm.qk "older" %q, %k1 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x1x2x8xf32>
  // Row 5 was written by the second.
  // CHECK: llm.qk "newer"
  // CHECK-SAME: start_cycle = 6,
  %k2, %v2 = llm.kv_read %c2 rows 5 to 6 : !cache
  %2 = llm.qk "newer" %q, %k2 mask full scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x1x2x8xf32>
  return
}
