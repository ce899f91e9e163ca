// RUN: llm-opt %s --verify-roundtrip --llm-tile | %one-line | FileCheck %s

// What chips do with keys of which each has some. All of it fits the engine's memory, so that each element moves once.

!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, bf16>

module attributes {llm.grid = #llm.grid<tp = 2, cp = 2>} {
  // 2 queries, 5 keys and 4 heads: 40 scores, each 8 MACs for q k and 8 for p v, one comparison, two operations and an exponential;
  // 64 quotients. A log-sum-exp is 4 bytes for each of 8 rows. Of latents 6 of 8 features are values: 40 x 14 MACs, 48 quotients.
  // CHECK-LABEL: func.func @partial
  // CHECK: %{{.*}}, %{{.*}} = llm.gqa_attn %arg0, %arg1, %arg1 mask full scale 1.0 return_lse
  // CHECK-SAME: work = {alu = 144, compare = 40, mac = 640, special = 40}, traffic = {dram = {keys = 160, lse = 32, out = 128, query = 128, values = 160}}
  // CHECK: llm.mla_attn %arg0, %arg2 value_dim 6 mask full scale 1.0 return_lse
  // CHECK-SAME: work = {alu = 128, compare = 40, mac = 560, special = 40}, traffic = {dram = {latents = 80, lse = 32, out = 96, query = 128}}
  func.func @partial(%q: tensor<1x2x4x8xbf16>, %k: tensor<1x5x2x8xbf16>, %z: tensor<1x5x1x8xbf16>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
    %0, %lse = llm.gqa_attn %q, %k, %k mask full scale 1.0 return_lse : tensor<1x2x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
    %1, %lse1 = llm.mla_attn %q, %z value_dim 6 mask full scale 1.0 return_lse : tensor<1x2x4x8xbf16>, tensor<1x5x1x8xbf16>
    return %lse, %lse1 : tensor<1x2x4xf32>, tensor<1x2x4xf32>
  }

  // 2 parts of 2 queries, 3 heads of 8 features: 12 rows of parts, each a comparison, two operations and an exponential; two operations
  // for each of 96 elements; 48 quotients. Each of 6 rows has a sink: a comparison, two operations and an exponential.
  // CHECK-LABEL: func.func @join
  // CHECK: llm.join_attn "attn.join" %arg0, %arg1 parts 2
  // CHECK-SAME: work = {alu = 264, compare = 12, special = 12}, traffic = {dram = {lse = 48, out = 96, x = 192}}
  // CHECK: llm.join_attn %arg0, %arg1 sinks %arg2 parts 2
  // CHECK-SAME: work = {alu = 276, compare = 18, special = 18}, traffic = {dram = {lse = 48, out = 96, sinks = 12, x = 192}}
  func.func @join(%x: tensor<1x4x3x8xbf16>, %lse: tensor<1x4x3xf32>, %s: tensor<3xf32>) -> tensor<1x2x3x8xbf16> {
    %0 = llm.join_attn "attn.join" %x, %lse parts 2 : tensor<1x4x3x8xbf16>, tensor<1x4x3xf32>
    %1 = llm.join_attn %x, %lse sinks %s parts 2 : tensor<1x4x3x8xbf16>, tensor<1x4x3xf32>, tensor<3xf32>
    return %0 : tensor<1x2x3x8xbf16>
  }

  // A token is one chip's: 2 heads x 8 features in f32 become as many in bf16. Of 4 tokens a chip writes 2. Both chips together have
  // room for 8 positions.
  // CHECK-LABEL: func.func @write
  // CHECK: llm.kv_write "one" %arg0, %arg1, %arg1 at 7 own [cp]
  // CHECK-SAME: traffic = {dram = {cached_keys = 32, cached_values = 32, keys = 64, values = 64}}
  // CHECK: llm.kv_write "four" %{{.*}}, %arg2, %arg2 at 4 own [cp]
  // CHECK-SAME: traffic = {dram = {cached_keys = 64, cached_values = 64, keys = 128, values = 128}}
  func.func @write(%c: !cache, %one: tensor<1x1x2x8xf32>, %four: tensor<1x4x2x8xf32>) -> (!cache, tensor<1x4x2x8xbf16>) {
    %0 = llm.kv_write "one" %c, %one, %one at 7 own [cp] : !cache, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
    %1 = llm.kv_write "four" %0, %four, %four at 4 own [cp] : !cache, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>
    %keys, %values = llm.kv_read %1 rows 0 to 4 : !cache
    return %1, %keys : !cache, tensor<1x4x2x8xbf16>
  }
}
