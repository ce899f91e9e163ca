// Values are called after their ops, so that an op that is added renumbers nothing.
// RUN: llm-opt %s | FileCheck %s

// CHECK-LABEL: func.func @named(
func.func @named(%x: tensor<4x8xbf16>, %cache: !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16>) -> tensor<4x8xbf16> {
  // CHECK: %q_proj.weight = llm.weight
  %0 = llm.weight "model.layers.0.self_attn.q_proj.weight" : tensor<8x8xbf16>
  // CHECK: %q_proj = llm.matmul "model.layers.0.self_attn.q_proj" %arg0, %q_proj.weight
  %1 = llm.matmul "model.layers.0.self_attn.q_proj" %x, %0 : tensor<4x8xbf16>, tensor<8x8xbf16>
  // What a name has that no value may have becomes an underline.
  // CHECK: %gate_up = llm.add "layers.{0..1}.gate+up" %q_proj, %q_proj
  %2 = llm.add "layers.{0..1}.gate+up" %1, %1 : tensor<4x8xbf16>, tensor<4x8xbf16>
  // Words that say nothing alone have the one before them.
  // CHECK: %attn.decode = llm.add "layers.0.attn.decode"
  %3 = llm.add "layers.0.attn.decode" %2, %2 : tensor<4x8xbf16>, tensor<4x8xbf16>
  // Of no name, or of one that would be a number, the value is a number.
  // CHECK: %0 = llm.add %attn.decode
  %4 = llm.add %3, %3 : tensor<4x8xbf16>, tensor<4x8xbf16>
  // CHECK: %1 = llm.add "layers.0" %0
  %5 = llm.add "layers.0" %4, %4 : tensor<4x8xbf16>, tensor<4x8xbf16>
  // The second of a name.
  // CHECK: %q_proj_0 = llm.add "q_proj"
  %6 = llm.add "q_proj" %5, %5 : tensor<4x8xbf16>, tensor<4x8xbf16>
  // CHECK: %keys, %values = llm.kv_read
  %k, %v = llm.kv_read %cache rows 0 to 4 : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16>
  return %6 : tensor<4x8xbf16>
}
