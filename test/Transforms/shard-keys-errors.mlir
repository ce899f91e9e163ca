// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-shard="tp=4 cp=2"
// RUN: llm-opt %S/Inputs/keys-by-hand.mlir -split-input-file -verify-diagnostics --llm-shard
// RUN: not llm-opt %S/shard-keys.mlir -split-input-file --llm-shard="tp=4 cp=4" 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: --llm-shard: option 'cp': each KV head is on 2 of the chips of 'tp' and 'ep', and cp=4 must divide that number
// RUN: not llm-opt %S/shard-keys.mlir -split-input-file --llm-shard=cp=2 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --llm-shard: option 'cp': each KV head is on 1 of the chips of 'tp' and 'ep', and cp=2 must divide that number
// RUN: not llm-opt %S/shard-keys.mlir -split-input-file --llm-shard="tp=4 cp=-1" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: --llm-shard: needs a number of chips

!latents = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 8, f32 latents>

// Two queries see different keys.
func.func @queries(%q: tensor<1x2x8x8xf32>, %z: tensor<1x2x1x8xf32>) -> tensor<1x2x8x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 6 : !latents, tensor<1x2x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 8 : !latents
  // expected-warning @+1 {{'attn' has queries that see some of the keys only: its cache is whole on each of the 2 chips along axis 'tp_cp'}}
  %a = llm.mla_attn "attn" %q, %zs value_dim 6 mask causal scale 0.3 : tensor<1x2x8x8xf32>, tensor<1x8x1x8xf32>
  return %a : tensor<1x2x8x6xf32>
}

// Seven keys.
func.func @keys(%q: tensor<1x1x8x8xf32>, %z: tensor<1x1x1x8xf32>) -> tensor<1x1x8x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 6 : !latents, tensor<1x1x1x8xf32>
  // expected-warning @+1 {{reads up to or from position 7, which is no multiple of these chips: its cache is whole}}
  %zs = llm.kv_read %c1 rows 0 to 7 : !latents
  %a = llm.mla_attn "attn" %q, %zs value_dim 6 mask causal scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x7x1x8xf32>
  return %a : tensor<1x1x8x6xf32>
}

// A length of five.
func.func @length(%q: tensor<1x1x8x8xf32>, %z: tensor<1x1x1x8xf32>) -> tensor<1x1x8x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 6 : !latents, tensor<1x1x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 8 : !latents
  // expected-warning @+1 {{'attn' has a sequence of 5 keys, which 2 chips do not divide: its cache is whole}}
  %a = llm.mla_attn "attn" %q, %zs value_dim 6 mask causal lengths [5] scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32>
  return %a : tensor<1x1x8x6xf32>
}

// A window that hides keys, and one that does not.
func.func @window(%q: tensor<1x1x8x8xf32>, %z: tensor<1x1x1x8xf32>) -> (tensor<1x1x8x6xf32>, tensor<1x1x8x6xf32>) {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 7 : !latents, tensor<1x1x1x8xf32>
  %zs = llm.kv_read %c1 rows 4 to 8 : !latents
  %a = llm.mla_attn "all" %q, %zs value_dim 6 mask causal window 4 scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x4x1x8xf32>
  %d0 = llm.kv_cache "d" : !latents
  %d1 = llm.kv_write %d0, %z at 7 : !latents, tensor<1x1x1x8xf32>
  %zd = llm.kv_read %d1 rows 0 to 8 : !latents
  // expected-warning @+1 {{'some' has queries that see some of the keys only: its cache is whole}}
  %b = llm.mla_attn "some" %q, %zd value_dim 6 mask causal window 4 scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32>
  return %a, %b : tensor<1x1x8x6xf32>, tensor<1x1x8x6xf32>
}

// Keys that are chosen at run time; of the two caches the first is named.
func.func @selected(%q: tensor<1x1x8x8xf32>, %z: tensor<1x1x1x8xf32>, %s: tensor<1x1x1x2xi32>) -> (tensor<1x1x8x6xf32>, tensor<1x1x8x6xf32>) {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 7 : !latents, tensor<1x1x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 8 : !latents
  // expected-warning @+1 {{'first' attends to keys that are selected when it runs: its cache is whole on each of the 2 chips along axis 'tp_cp' (and so are 1 more)}}
  %a = llm.mla_attn "first" %q, %zs value_dim 6 selected %s mask causal scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32> selected tensor<1x1x1x2xi32>
  %d0 = llm.kv_cache "d" : !latents
  %d1 = llm.kv_write %d0, %z at 7 : !latents, tensor<1x1x1x8xf32>
  %zd = llm.kv_read %d1 rows 0 to 8 : !latents
  %b = llm.mla_attn "second" %q, %zd value_dim 6 selected %s mask causal scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32> selected tensor<1x1x1x2xi32>
  return %a, %b : tensor<1x1x8x6xf32>, tensor<1x1x8x6xf32>
}

// A product reads the cache.
func.func @product(%z: tensor<1x1x1x8xf32>) -> tensor<1x8x4x8xf32> {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 7 : !latents, tensor<1x1x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 8 : !latents
  // expected-warning @+1 {{'repeat' reads rows of a cache, and its results over some of them cannot be joined: its cache is whole}}
  %a = llm.repeat_kv "repeat" %zs heads 4 : tensor<1x8x1x8xf32>
  return %a : tensor<1x8x4x8xf32>
}

// Three rows of a prompt, and a capacity of seven.
func.func @rows(%z: tensor<1x3x1x8xf32>, %q: tensor<1x3x8x8xf32>) -> tensor<1x3x8x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  // expected-warning @+1 {{'write' writes 3 rows, of which these chips do not have as many: its cache is whole}}
  %c1 = llm.kv_write "write" %c0, %z at 0 : !latents, tensor<1x3x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 3 : !latents
  %a = llm.mla_attn "attn" %q, %zs value_dim 6 mask causal scale 0.3 : tensor<1x3x8x8xf32>, tensor<1x3x1x8xf32>
  return %a : tensor<1x3x8x6xf32>
}

func.func @capacity(%q: tensor<1x1x8x8xf32>, %z: tensor<1x1x1x8xf32>) -> tensor<1x1x8x6xf32> {
  // expected-warning @+1 {{has a capacity that 2 chips do not divide: its cache is whole}}
  %c0 = llm.kv_cache "c" : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 7, f32 latents>
  %c1 = llm.kv_write %c0, %z at 5 : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 7, f32 latents>, tensor<1x1x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 6 : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 7, f32 latents>
  %a = llm.mla_attn "attn" %q, %zs value_dim 6 mask causal scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x6x1x8xf32>
  return %a : tensor<1x1x8x6xf32>
}

func.func @pages(%q: tensor<1x1x8x8xf32>, %z: tensor<1x1x1x8xf32>) -> tensor<1x1x8x6xf32> {
  // expected-warning @+1 {{has pages of 8 positions, and each of 2 chips would have 4: its cache is whole}}
  %c0 = llm.kv_cache "c" : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 8, f32 latents, page_size = 8>
  %c1 = llm.kv_write %c0, %z at 7 : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 8, f32 latents, page_size = 8>, tensor<1x1x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 8 : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 8, f32 latents, page_size = 8>
  %a = llm.mla_attn "attn" %q, %zs value_dim 6 mask causal scale 0.3 : tensor<1x1x8x8xf32>, tensor<1x8x1x8xf32>
  return %a : tensor<1x1x8x6xf32>
}

// Six heads on four chips.
func.func @heads(%q: tensor<1x1x6x8xf32>, %z: tensor<1x1x1x8xf32>) -> tensor<1x1x6x6xf32> {
  %c0 = llm.kv_cache "c" : !latents
  %c1 = llm.kv_write %c0, %z at 7 : !latents, tensor<1x1x1x8xf32>
  %zs = llm.kv_read %c1 rows 0 to 8 : !latents
  // expected-warning @+1 {{'attn' has 6 heads, which 4 chips do not divide: its cache is whole}}
  %a = llm.mla_attn "attn" %q, %zs value_dim 6 mask causal scale 0.3 : tensor<1x1x6x8xf32>, tensor<1x8x1x8xf32>
  return %a : tensor<1x1x6x6xf32>
}
