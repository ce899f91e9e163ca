// RUN: llm-opt %s --verify-roundtrip | FileCheck %s
// RUN: llm-opt %s --mlir-print-op-generic | llm-opt | FileCheck %s
// RUN: llm-opt %s --emit-bytecode | llm-opt | FileCheck %s

// Every op prints as it is written: in its own syntax, through the generic one, and
// through bytecode.

!cache = !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>

// A weight is shown under a name; each {} in it has an index.
// CHECK-LABEL: func @weight
// CHECK-SAME:      (%[[LAYER:.+]]: index, %[[EXPERT:.+]]: index)
func.func @weight(%layer: index, %expert: index) {
  // CHECK-NEXT: llm.weight "model.norm.weight" : tensor<2048xbf16>
  %0 = llm.weight "model.norm.weight" : tensor<2048xbf16>
  // CHECK-NEXT: llm.weight "model.layers.{}.mlp.up_proj.weight"[%[[LAYER]]] : tensor<8192x2048xbf16>
  %1 = llm.weight "model.layers.{}.mlp.up_proj.weight"[%layer] : tensor<8192x2048xbf16>
  // CHECK-NEXT: llm.weight "layers.{}.experts.{}.weight"[%[[LAYER]], %[[EXPERT]]] {note = "kept"} : tensor<4x4xi8>
  %2 = llm.weight "layers.{}.experts.{}.weight"[%layer, %expert] {note = "kept"} : tensor<4x4xi8>
  return
}

// A cache, flat or paged, is written and read; both results of a read have one type.
// CHECK-LABEL: func @cache
// CHECK-SAME:      (%[[LAYER:.+]]: index, %[[K:.+]]: tensor<1x1x8x64xbf16>, %[[V:.+]]: tensor<1x1x8x64xbf16>)
func.func @cache(%layer: index, %k: tensor<1x1x8x64xbf16>, %v: tensor<1x1x8x64xbf16>)
    -> (tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>) {
  // CHECK-NEXT: %[[C:.+]] = llm.kv_cache "model.layers.{}.self_attn"[%[[LAYER]]] :
  // CHECK-SAME:     <batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>
  %0 = llm.kv_cache "model.layers.{}.self_attn"[%layer] : !cache
  // CHECK-NEXT: %[[C1:.+]] = llm.kv_write "w" %[[C]], %[[K]], %[[V]] at 511 :
  // CHECK-SAME:     <batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>, tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
  %1 = llm.kv_write "w" %0, %k, %v at 511 : !cache, tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
  // CHECK-NEXT: llm.kv_write %[[C1]], %[[K]], %[[V]] at 0 :
  %2 = llm.kv_write %1, %k, %v at 0 : !cache, tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
  // CHECK-NEXT: %[[KEYS:.+]], %[[VALUES:.+]] = llm.kv_read %[[C1]] rows 0 to 512 :
  // CHECK-SAME:     <batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>
  %keys, %values = llm.kv_read %1 rows 0 to 512 : !cache
  // CHECK-NEXT: llm.kv_cache "paged" :
  // CHECK-SAME:     <batch = 2, kv_heads = 1, head_dim = 8, capacity = 64, f8E4M3FN, page_size = 16>
  %3 = llm.kv_cache "paged"
     : !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 8, capacity = 64, f8E4M3FN, page_size = 16>
  // CHECK-NEXT: return %[[KEYS]], %[[VALUES]]
  return %keys, %values : tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>
}

// A product, with and without a bias, of a right operand as it is or as nn.Linear stores
// it; operands may differ in element type.
// CHECK-LABEL: func @matmul
// CHECK-SAME:      (%[[X:.+]]: tensor<4x8xbf16>, %[[W:.+]]: tensor<8x16xbf16>, %[[WT:.+]]: tensor<16x8xi8>, %[[B:.+]]: tensor<16xf32>)
func.func @matmul(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %wt: tensor<16x8xi8>,
                  %b: tensor<16xf32>) -> (tensor<4x16xbf16>, tensor<4x16xbf16>) {
  // CHECK-NEXT: %[[Y:.+]] = llm.matmul %[[X]], %[[W]] : tensor<4x8xbf16>, tensor<8x16xbf16>
  %0 = llm.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16>
  // CHECK-NEXT: llm.matmul "biased" %[[X]], %[[W]] bias %[[B]] : tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xf32>
  %1 = llm.matmul "biased" %x, %w bias %b : tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xf32>
  // CHECK-NEXT: %[[Z:.+]] = llm.matmul "linear" %[[X]], %[[WT]] bias %[[B]] transpose_rhs : tensor<4x8xbf16>, tensor<16x8xi8>, tensor<16xf32>
  %2 = llm.matmul "linear" %x, %wt bias %b transpose_rhs : tensor<4x8xbf16>, tensor<16x8xi8>, tensor<16xf32>
  // CHECK-NEXT: return %[[Y]], %[[Z]]
  return %0, %2 : tensor<4x16xbf16>, tensor<4x16xbf16>
}

// Norm, position embedding and the elementwise ops, of any rank where the op has no heads.
// CHECK-LABEL: func @elementwise
// CHECK-SAME:      (%[[X:.+]]: tensor<2x8xbf16>, %[[W:.+]]: tensor<8xf32>, %[[Q:.+]]: tensor<1x2x4x8xf16>, %[[S:.+]]: tensor<f32>)
func.func @elementwise(%x: tensor<2x8xbf16>, %w: tensor<8xf32>, %q: tensor<1x2x4x8xf16>,
                       %s: tensor<f32>) {
  // CHECK-NEXT: llm.rmsnorm "norm" %[[X]], %[[W]] epsilon 1.0e-5 : tensor<2x8xbf16>, tensor<8xf32>
  %0 = llm.rmsnorm "norm" %x, %w epsilon 1.0e-5 : tensor<2x8xbf16>, tensor<8xf32>
  // CHECK-NEXT: llm.rmsnorm %[[Q]], %[[W]] epsilon 0.0 : tensor<1x2x4x8xf16>, tensor<8xf32>
  %1 = llm.rmsnorm %q, %w epsilon 0.0 : tensor<1x2x4x8xf16>, tensor<8xf32>
  // CHECK-NEXT: llm.rope "rope" %[[Q]] at 3 theta 10000.0 : tensor<1x2x4x8xf16>
  %2 = llm.rope "rope" %q at 3 theta 1.0e4 : tensor<1x2x4x8xf16>
  // CHECK-NEXT: llm.rope %[[Q]] at 0 theta 0.5 : tensor<1x2x4x8xf16>
  %3 = llm.rope %q at 0 theta 0.5 : tensor<1x2x4x8xf16>
  // CHECK-NEXT: llm.add "sum" %[[X]], %[[X]] : tensor<2x8xbf16>, tensor<2x8xbf16>
  %4 = llm.add "sum" %x, %x : tensor<2x8xbf16>, tensor<2x8xbf16>
  // CHECK-NEXT: llm.add %[[S]], %[[S]] : tensor<f32>, tensor<f32>
  %5 = llm.add %s, %s : tensor<f32>, tensor<f32>
  // CHECK-NEXT: llm.mul "product" %[[X]], %[[X]] : tensor<2x8xbf16>, tensor<2x8xbf16>
  %6 = llm.mul "product" %x, %x : tensor<2x8xbf16>, tensor<2x8xbf16>
  // CHECK-NEXT: llm.mul "factors" %[[X]], %[[W]] : tensor<2x8xbf16>, tensor<8xf32>
  %factors = llm.mul "factors" %x, %w : tensor<2x8xbf16>, tensor<8xf32>
  // CHECK-NEXT: llm.swiglu "gated" %[[X]], %[[X]] : tensor<2x8xbf16>, tensor<2x8xbf16>
  %7 = llm.swiglu "gated" %x, %x : tensor<2x8xbf16>, tensor<2x8xbf16>
  // CHECK-NEXT: llm.activation "act" silu %[[X]] : tensor<2x8xbf16>
  %8 = llm.activation "act" silu %x : tensor<2x8xbf16>
  // CHECK-NEXT: llm.activation gelu %[[X]] : tensor<2x8xbf16>
  %9 = llm.activation gelu %x : tensor<2x8xbf16>
  // CHECK-NEXT: llm.activation gelu_tanh %[[X]] : tensor<2x8xbf16>
  %10 = llm.activation gelu_tanh %x : tensor<2x8xbf16>
  // CHECK-NEXT: llm.activation relu %[[X]] : tensor<2x8xbf16>
  %11 = llm.activation relu %x : tensor<2x8xbf16>
  // CHECK-NEXT: llm.activation relu2 %[[X]] : tensor<2x8xbf16>
  %12 = llm.activation relu2 %x : tensor<2x8xbf16>
  return
}

// Attention, fused and in pieces, with both masks. 4 heads share 2 KV heads; 3 queries see
// 5 keys. The scores are [batch, heads, queries, keys] of the query's element type.
// CHECK-LABEL: func @attention
// CHECK-SAME:      (%[[Q:.+]]: tensor<1x3x4x8xbf16>, %[[K:.+]]: tensor<1x5x2x8xf16>)
func.func @attention(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8xf16>)
    -> (tensor<1x3x4x8xbf16>, tensor<1x4x3x5xbf16>, tensor<1x3x4x8xbf16>) {
  // CHECK-NEXT: %[[A:.+]] = llm.gqa_attn "attn" %[[Q]], %[[K]], %[[K]] mask causal scale 0.125 :
  // CHECK-SAME:     tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>, tensor<1x5x2x8xf16>
  %0 = llm.gqa_attn "attn" %q, %k, %k mask causal scale 0.125
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>, tensor<1x5x2x8xf16>
  // CHECK-NEXT: llm.gqa_attn %[[Q]], %[[K]], %[[K]] mask full scale 1.0 :
  %1 = llm.gqa_attn %q, %k, %k mask full scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>, tensor<1x5x2x8xf16>
  // CHECK-NEXT: %[[S:.+]] = llm.qk "attn.qk" %[[Q]], %[[K]] mask causal scale 0.125 :
  // CHECK-SAME:     tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>
  %2 = llm.qk "attn.qk" %q, %k mask causal scale 0.125 : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>
  // CHECK-NEXT: %[[P:.+]] = llm.softmax "attn.softmax" %[[S]] mask causal : tensor<1x4x3x5xbf16>
  %3 = llm.softmax "attn.softmax" %2 mask causal : tensor<1x4x3x5xbf16>
  // CHECK-NEXT: %[[O:.+]] = llm.pv "attn.pv" %[[P]], %[[K]] mask causal :
  // CHECK-SAME:     tensor<1x4x3x5xbf16>, tensor<1x5x2x8xf16>
  %4 = llm.pv "attn.pv" %3, %k mask causal : tensor<1x4x3x5xbf16>, tensor<1x5x2x8xf16>
  // CHECK-NEXT: return %[[A]], %[[P]], %[[O]]
  return %0, %3, %4 : tensor<1x3x4x8xbf16>, tensor<1x4x3x5xbf16>, tensor<1x3x4x8xbf16>
}

// Sizes that are not known yet are allowed, and taken over into the results.
// CHECK-LABEL: func @dynamic
func.func @dynamic(%x: tensor<?x8xbf16>, %w: tensor<8x?xbf16>, %q: tensor<?x?x4x8xbf16>,
                   %k: tensor<?x?x2x8xbf16>, %c: !cache, %n: tensor<1x?x8x64xbf16>)
    -> (tensor<?x?xbf16>, tensor<?x4x?x?xbf16>) {
  // CHECK: llm.matmul
  %0 = llm.matmul %x, %w : tensor<?x8xbf16>, tensor<8x?xbf16>
  // CHECK: llm.qk
  %1 = llm.qk %q, %k mask causal scale 1.0 : tensor<?x?x4x8xbf16>, tensor<?x?x2x8xbf16>
  // CHECK: llm.kv_write
  %2 = llm.kv_write %c, %n, %n at 0 : !cache, tensor<1x?x8x64xbf16>, tensor<1x?x8x64xbf16>
  return %0, %1 : tensor<?x?xbf16>, tensor<?x4x?x?xbf16>
}

// Sinks, caps, windows and chunks are printed where they are.
// CHECK-LABEL: func @masks
// CHECK-SAME:      (%[[Q:.+]]: tensor<1x3x4x8xbf16>, %[[K:.+]]: tensor<1x5x2x8xbf16>, %[[S:.+]]: tensor<4xf32>)
func.func @masks(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8xbf16>, %s: tensor<4xf32>) {
  // CHECK-NEXT: llm.gqa_attn %[[Q]], %[[K]], %[[K]] sinks %[[S]] mask causal window 2 scale 1.0 soft_cap 50.0 :
  // CHECK-SAME:     tensor<1x5x2x8xbf16>, tensor<4xf32>
  %0 = llm.gqa_attn %q, %k, %k sinks %s mask causal window 2 scale 1.0 soft_cap 50.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>, tensor<4xf32>
  // CHECK-NEXT: %[[X:.+]] = llm.qk %[[Q]], %[[K]] mask causal chunk 4 from 2 scale 1.0 :
  %1 = llm.qk %q, %k mask causal chunk 4 from 2 scale 1.0 : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>
  // CHECK-NEXT: llm.softmax %[[X]] sinks %[[S]] mask causal chunk 4 from 0 soft_cap 30.0 : tensor<1x4x3x5xbf16>, tensor<4xf32>
  %2 = llm.softmax %1 sinks %s mask causal chunk 4 from 0 soft_cap 30.0 : tensor<1x4x3x5xbf16>, tensor<4xf32>
  return
}

// A model begins with a row of a table for each token, and ends with one token for each row.
// CHECK-LABEL: func @ends
// CHECK-SAME:      (%[[T:.+]]: tensor<?xi32>, %[[W:.+]]: tensor<1000x8xbf16>, %[[R:.+]]: tensor<?xf32>)
func.func @ends(%t: tensor<?xi32>, %w: tensor<1000x8xbf16>, %r: tensor<?xf32>) -> tensor<?xi32> {
  // CHECK-NEXT: %[[X:.+]] = llm.embedding "embed" %[[T]], %[[W]] : tensor<?xi32>, tensor<1000x8xbf16>
  %0 = llm.embedding "embed" %t, %w : tensor<?xi32>, tensor<1000x8xbf16>
  // CHECK-NEXT: llm.sample categorical %[[X]] : tensor<?x8xbf16>
  %1 = llm.sample categorical %0 : tensor<?x8xbf16>
  // CHECK-NEXT: llm.sample categorical %[[X]] by %[[R]] : tensor<?x8xbf16>, tensor<?xf32>
  %3 = llm.sample categorical %0 by %r : tensor<?x8xbf16>, tensor<?xf32>
  // CHECK-NEXT: %[[N:.+]] = llm.sample "sample" greedy %[[X]] : tensor<?x8xbf16>
  %2 = llm.sample "sample" greedy %0 : tensor<?x8xbf16>
  // CHECK-NEXT: return %[[N]] : tensor<?xi32>
  return %2 : tensor<?xi32>
}

// Experts: which ones, their rows, their products, and back.
// CHECK-LABEL: func @experts
// CHECK-SAME:      (%[[X:.+]]: tensor<4x8xbf16>, %[[L:.+]]: tensor<4x4xbf16>, %[[B:.+]]: tensor<4xf32>, %[[W:.+]]: tensor<4x16x8xbf16>, %[[C:.+]]: tensor<4x16xf32>)
func.func @experts(%x: tensor<4x8xbf16>, %l: tensor<4x4xbf16>, %b: tensor<4xf32>, %w: tensor<4x16x8xbf16>,
                   %c: tensor<4x16xf32>) -> tensor<4x16xbf16> {
  // CHECK-NEXT: %[[S:.+]], %[[E:.+]] = llm.moe_route "route" softmax %[[L]] top_k 2 normalize : tensor<4x4xbf16>
  %s, %e = llm.moe_route "route" softmax %l top_k 2 normalize : tensor<4x4xbf16>
  // CHECK-NEXT: llm.moe_route sigmoid %[[L]] bias %[[B]] top_k 2 groups 2 top_groups 1 normalize scale 2.5 : tensor<4x4xbf16>, tensor<4xf32>
  %s1, %e1 = llm.moe_route sigmoid %l bias %b top_k 2 groups 2 top_groups 1 normalize scale 2.5 : tensor<4x4xbf16>, tensor<4xf32>
  // CHECK-NEXT: llm.moe_route sigmoid %[[L]] bias %[[B]] expert_scales %[[B]] top_k 2 : tensor<4x4xbf16>, tensor<4xf32> expert_scales tensor<4xf32>
  %s4, %e4 = llm.moe_route sigmoid %l bias %b expert_scales %b top_k 2 : tensor<4x4xbf16>, tensor<4xf32> expert_scales tensor<4xf32>
  // CHECK-NEXT: llm.moe_route topk_softmax %[[L]] top_k 1 : tensor<4x4xbf16>
  %s2, %e2 = llm.moe_route topk_softmax %l top_k 1 : tensor<4x4xbf16>
  // CHECK-NEXT: %[[R:.+]] = llm.moe_dispatch "dispatch" %[[X]], %[[E]] : tensor<4x8xbf16>, tensor<4x2xi32>
  %r = llm.moe_dispatch "dispatch" %x, %e : tensor<4x8xbf16>, tensor<4x2xi32>
  // CHECK-NEXT: %[[U:.+]] = llm.grouped_matmul "up" %[[R]], %[[W]] bias %[[C]] transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 : tensor<8x8xbf16>, tensor<4x16x8xbf16>, tensor<4x16xf32>
  %u = llm.grouped_matmul "up" %r, %w bias %c transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2
     : tensor<8x8xbf16>, tensor<4x16x8xbf16>, tensor<4x16xf32>
  // CHECK-NEXT: %[[Y:.+]] = llm.moe_combine "combine" %[[U]], %[[E]], %[[S]] : tensor<8x16xbf16>, tensor<4x2xi32>, tensor<4x2xbf16>
  %y = llm.moe_combine "combine" %u, %e, %s : tensor<8x16xbf16>, tensor<4x2xi32>, tensor<4x2xbf16>
  // CHECK-NEXT: llm.grouped_matmul %[[R]], %[[W]] experts %[[E]] transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 : tensor<8x8xbf16>, tensor<4x16x8xbf16> experts tensor<4x2xi32>
  llm.grouped_matmul %r, %w experts %e transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2
    : tensor<8x8xbf16>, tensor<4x16x8xbf16> experts tensor<4x2xi32>
  // CHECK-NEXT: llm.grouped_matmul %[[R]], %[[W]] bias %[[C]] experts %[[E]] transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 : tensor<8x8xbf16>, tensor<4x16x8xbf16>, tensor<4x16xf32> experts tensor<4x2xi32>
  llm.grouped_matmul %r, %w bias %c experts %e transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2
    : tensor<8x8xbf16>, tensor<4x16x8xbf16>, tensor<4x16xf32> experts tensor<4x2xi32>
  // CHECK-NEXT: return %[[Y]] : tensor<4x16xbf16>
  return %y : tensor<4x16xbf16>
}

// What Gemma adds.
// CHECK-LABEL: func @gemma
// CHECK-SAME:      (%[[X:.+]]: tensor<2x8xbf16>)
func.func @gemma(%x: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
  // CHECK-NEXT: %[[S:.+]] = llm.scale "embed_scale" %[[X]] by 45.25 : tensor<2x8xbf16>
  %0 = llm.scale "embed_scale" %x by 45.25 : tensor<2x8xbf16>
  // CHECK-NEXT: %[[G:.+]] = llm.geglu %[[S]], %[[X]] : tensor<2x8xbf16>, tensor<2x8xbf16>
  %1 = llm.geglu %0, %x : tensor<2x8xbf16>, tensor<2x8xbf16>
  // CHECK-NEXT: %[[C:.+]] = llm.soft_cap %[[G]] cap 30.0 : tensor<2x8xbf16>
  %2 = llm.soft_cap %1 cap 30.0 : tensor<2x8xbf16>
  // CHECK-NEXT: return %[[C]]
  return %2 : tensor<2x8xbf16>
}

// Latent attention: a cache of latents is written and read without values, queries and outputs
// go through the space of the latents.
// CHECK-LABEL: func @latents
// CHECK-SAME:      (%[[Q:.+]]: tensor<1x2x4x8xbf16>, %[[Z:.+]]: tensor<1x2x1x8xbf16>, %[[P:.+]]: tensor<2x4x3xbf16>, %[[W:.+]]: tensor<4x3x6xbf16>, %[[WT:.+]]: tensor<4x6x3xi8>)
func.func @latents(%q: tensor<1x2x4x8xbf16>, %z: tensor<1x2x1x8xbf16>, %p: tensor<2x4x3xbf16>, %w: tensor<4x3x6xbf16>,
                   %wt: tensor<4x6x3xi8>) -> (tensor<1x2x4x6xbf16>, tensor<1x5x4x8xbf16>, tensor<2x4x6xbf16>) {
  // CHECK-NEXT: %[[C:.+]] = llm.kv_cache "model.layers.0.self_attn" :
  // CHECK-SAME:     <batch = 1, kv_heads = 1, head_dim = 8, capacity = 5, bf16 latents>
  %0 = llm.kv_cache "model.layers.0.self_attn"
     : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 5, bf16 latents>
  // CHECK-NEXT: %[[C1:.+]] = llm.kv_write "w" %[[C]], %[[Z]] at 3 :
  // CHECK-SAME:     <batch = 1, kv_heads = 1, head_dim = 8, capacity = 5, bf16 latents>, tensor<1x2x1x8xbf16>
  %1 = llm.kv_write "w" %0, %z at 3
     : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 5, bf16 latents>, tensor<1x2x1x8xbf16>
  // CHECK-NEXT: %[[L:.+]] = llm.kv_read %[[C1]] rows 0 to 5 :
  %2 = llm.kv_read %1 rows 0 to 5 : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 5, bf16 latents>
  // CHECK-NEXT: %[[A:.+]] = llm.mla_attn "attn" %[[Q]], %[[L]] value_dim 6 mask causal scale 0.125 :
  // CHECK-SAME:     tensor<1x2x4x8xbf16>, tensor<1x5x1x8xbf16>
  %3 = llm.mla_attn "attn" %q, %2 value_dim 6 mask causal scale 0.125 : tensor<1x2x4x8xbf16>, tensor<1x5x1x8xbf16>
  // CHECK-NEXT: %[[R:.+]] = llm.repeat_kv "repeat" %[[L]] heads 4 : tensor<1x5x1x8xbf16>
  %4 = llm.repeat_kv "repeat" %2 heads 4 : tensor<1x5x1x8xbf16>
  // CHECK-NEXT: llm.repeat_kv %[[L]] heads 1 to f32 : tensor<1x5x1x8xbf16>
  %5 = llm.repeat_kv %2 heads 1 to f32 : tensor<1x5x1x8xbf16>
  // CHECK-NEXT: %[[B:.+]] = llm.batch_matmul "absorb" %[[P]], %[[W]] : tensor<2x4x3xbf16>, tensor<4x3x6xbf16>
  %6 = llm.batch_matmul "absorb" %p, %w : tensor<2x4x3xbf16>, tensor<4x3x6xbf16>
  // CHECK-NEXT: llm.batch_matmul %[[P]], %[[WT]] transpose_rhs to f32 : tensor<2x4x3xbf16>, tensor<4x6x3xi8>
  %7 = llm.batch_matmul %p, %wt transpose_rhs to f32 : tensor<2x4x3xbf16>, tensor<4x6x3xi8>
  // CHECK-NEXT: return %[[A]], %[[R]], %[[B]]
  return %3, %4, %6 : tensor<1x2x4x6xbf16>, tensor<1x5x4x8xbf16>, tensor<2x4x6xbf16>
}

// A selection has as many slots as `top` says; sizes may be open.
// CHECK-LABEL: func @selection
// CHECK-SAME:      (%[[X:.+]]: tensor<2x8xbf16>, %[[W:.+]]: tensor<8xbf16>, %[[Q:.+]]: tensor<1x2x4x8xbf16>,
// CHECK-SAME:      %[[K:.+]]: tensor<1x?x1x8x!llm.block_scaled<f8E4M3FN, [8], f32>>, %[[V:.+]]: tensor<1x2x4xf32>,
// CHECK-SAME:      %[[C:.+]]: tensor<1x?x2x8xbf16>, %[[Z:.+]]: tensor<1x?x1x8xbf16>)
func.func @selection(%x: tensor<2x8xbf16>, %w: tensor<8xbf16>, %q: tensor<1x2x4x8xbf16>,
    %k: tensor<1x?x1x8x!llm.block_scaled<f8E4M3FN, [8], f32>>, %v: tensor<1x2x4xf32>, %c: tensor<1x?x2x8xbf16>,
    %z: tensor<1x?x1x8xbf16>) -> (tensor<1x2x4x3xi32>, tensor<1x2x4x8xbf16>, tensor<1x2x4x6xbf16>) {
  // CHECK-NEXT: llm.layernorm "norm" %[[X]], %[[W]], %[[W]] epsilon 1.0e-6 :
  %0 = llm.layernorm "norm" %x, %w, %w epsilon 1.0e-6 : tensor<2x8xbf16>, tensor<8xbf16>, tensor<8xbf16>
  // CHECK-NEXT: llm.layernorm %[[X]], %[[W]] epsilon 1.0e-6 : tensor<2x8xbf16>, tensor<8xbf16>
  %5 = llm.layernorm %x, %w epsilon 1.0e-6 : tensor<2x8xbf16>, tensor<8xbf16>
  // CHECK-NEXT: %[[S:.+]] = llm.select_keys "select" %[[Q]], %[[K]] weights %[[V]] mask causal scale 0.5 top 7 :
  %1 = llm.select_keys "select" %q, %k weights %v mask causal scale 0.5 top 7
     : tensor<1x2x4x8xbf16>, tensor<1x?x1x8x!llm.block_scaled<f8E4M3FN, [8], f32>>, tensor<1x2x4xf32>
  // CHECK-NEXT: %[[B:.+]] = llm.select_keys %[[Q]], %[[K]] mask causal scale 0.5 top 3 block 4 local 1 initial 2 :
  %2 = llm.select_keys %q, %k mask causal scale 0.5 top 3 block 4 local 1 initial 2
     : tensor<1x2x4x8xbf16>, tensor<1x?x1x8x!llm.block_scaled<f8E4M3FN, [8], f32>>
  // CHECK-NEXT: %[[G:.+]] = llm.gqa_attn %[[Q]], %[[C]], %[[C]] selected %[[S]] block 4 mask causal scale 1.0 :
  // CHECK-SAME:     tensor<1x2x4x8xbf16>, tensor<1x?x2x8xbf16>, tensor<1x?x2x8xbf16> selected tensor<1x2x1x7xi32>
  %3 = llm.gqa_attn %q, %c, %c selected %1 block 4 mask causal scale 1.0
     : tensor<1x2x4x8xbf16>, tensor<1x?x2x8xbf16>, tensor<1x?x2x8xbf16> selected tensor<1x2x1x7xi32>
  // CHECK-NEXT: %[[L:.+]] = llm.mla_attn %[[Q]], %[[Z]] value_dim 6 selected %[[S]] mask causal scale 1.0 :
  // CHECK-SAME:     tensor<1x2x4x8xbf16>, tensor<1x?x1x8xbf16> selected tensor<1x2x1x7xi32>
  %4 = llm.mla_attn %q, %z value_dim 6 selected %1 mask causal scale 1.0
     : tensor<1x2x4x8xbf16>, tensor<1x?x1x8xbf16> selected tensor<1x2x1x7xi32>
  // CHECK-NEXT: return %[[B]], %[[G]], %[[L]]
  return %2, %3, %4 : tensor<1x2x4x3xi32>, tensor<1x2x4x8xbf16>, tensor<1x2x4x6xbf16>
}

// Values may have another size than keys: the result has that of the values.
// CHECK-LABEL: func @value_dim
// CHECK-SAME:      (%[[Q:.+]]: tensor<1x3x4x8xbf16>, %[[K:.+]]: tensor<1x5x4x8xbf16>, %[[V:.+]]: tensor<1x5x4x6xbf16>)
func.func @value_dim(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x4x8xbf16>, %v: tensor<1x5x4x6xbf16>) -> tensor<1x3x4x6xbf16> {
  // CHECK-NEXT: %[[A:.+]] = llm.gqa_attn %[[Q]], %[[K]], %[[V]] mask causal scale 1.0 :
  // CHECK-SAME:     tensor<1x3x4x8xbf16>, tensor<1x5x4x8xbf16>, tensor<1x5x4x6xbf16>
  %0 = llm.gqa_attn %q, %k, %v mask causal scale 1.0 : tensor<1x3x4x8xbf16>, tensor<1x5x4x8xbf16>, tensor<1x5x4x6xbf16>
  // CHECK-NEXT: return %[[A]] : tensor<1x3x4x6xbf16>
  return %0 : tensor<1x3x4x6xbf16>
}

// Sequences of several lengths have positions and lengths of their own; the rows of a cache are
// read up to the longest.
// CHECK-LABEL: func @ragged
// CHECK-SAME:      (%[[C:.+]]: !llm.kv_cache<{{.+}}>, %[[N:.+]]: tensor<2x1x2x8xbf16>, %[[Q:.+]]: tensor<2x1x4x8xbf16>)
func.func @ragged(%c: !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 16, bf16>,
                  %n: tensor<2x1x2x8xbf16>, %q: tensor<2x1x4x8xbf16>) -> tensor<2x1x4x8xbf16> {
  // CHECK-NEXT: %[[R:.+]] = llm.rope %[[Q]] at [11, 4] theta 10000.0 : tensor<2x1x4x8xbf16>
  %0 = llm.rope %q at [11, 4] theta 1.0e4 : tensor<2x1x4x8xbf16>
  // CHECK-NEXT: llm.position_scale "temperature" %[[R]] at [11, 4] step 8192 slope 0.1 : tensor<2x1x4x8xbf16>
  %1 = llm.position_scale "temperature" %0 at [11, 4] step 8192 slope 0.1 : tensor<2x1x4x8xbf16>
  // CHECK-NEXT: llm.position_scale %[[R]] at 11 step 1 slope -1.0 : tensor<2x1x4x8xbf16>
  %2 = llm.position_scale %0 at 11 step 1 slope -1.0 : tensor<2x1x4x8xbf16>
  // CHECK-NEXT: %[[C1:.+]] = llm.kv_write %[[C]], %[[N]], %[[N]] at [11, 4] :
  %3 = llm.kv_write %c, %n, %n at [11, 4]
     : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 16, bf16>, tensor<2x1x2x8xbf16>, tensor<2x1x2x8xbf16>
  // CHECK-NEXT: %[[K:.+]], %[[V:.+]] = llm.kv_read %[[C1]] rows [4, 0] to [12, 5] :
  %k, %v = llm.kv_read %3 rows [4, 0] to [12, 5] : !llm.kv_cache<batch = 2, kv_heads = 2, head_dim = 8, capacity = 16, bf16>
  // CHECK-NEXT: %[[A:.+]] = llm.gqa_attn %[[R]], %[[K]], %[[V]] mask causal chunk 4 from [4, 0] lengths [8, 5] scale 1.0 :
  // CHECK-SAME:     tensor<2x1x4x8xbf16>, tensor<2x8x2x8xbf16>, tensor<2x8x2x8xbf16>
  %4 = llm.gqa_attn %0, %k, %v mask causal chunk 4 from [4, 0] lengths [8, 5] scale 1.0
     : tensor<2x1x4x8xbf16>, tensor<2x8x2x8xbf16>, tensor<2x8x2x8xbf16>
  // CHECK-NEXT: llm.qk %[[R]], %[[K]] mask causal window 3 lengths [8, 5] scale 1.0 :
  %5 = llm.qk %0, %k mask causal window 3 lengths [8, 5] scale 1.0 : tensor<2x1x4x8xbf16>, tensor<2x8x2x8xbf16>
  // CHECK-NEXT: %[[Z:.+]] = llm.weight "z" : tensor<2x3x1x8xbf16>
  %z = llm.weight "z" : tensor<2x3x1x8xbf16>
  // CHECK-NEXT: llm.mla_attn %[[A]], %[[Z]] value_dim 8 mask full lengths [3, 1] scale 1.0 :
  %6 = llm.mla_attn %4, %z value_dim 8 mask full lengths [3, 1] scale 1.0 : tensor<2x1x4x8xbf16>, tensor<2x3x1x8xbf16>
  return %4 : tensor<2x1x4x8xbf16>
}

// One sequence may be written as a list of one: positions then print as a number.
// CHECK-LABEL: func @one_sequence
func.func @one_sequence(%x: tensor<1x1x4x8xbf16>) {
  // CHECK-NEXT: llm.rope %{{.+}} at 7 theta 10000.0 : tensor<1x1x4x8xbf16>
  %0 = llm.rope %x at [7] theta 1.0e4 : tensor<1x1x4x8xbf16>
  // CHECK-NEXT: llm.softmax %{{.+}} mask causal chunk 4 from 2 lengths [8] : tensor<1x1x4x8xbf16>
  %1 = llm.softmax %x mask causal chunk 4 from [2] lengths [8] : tensor<1x1x4x8xbf16>
  return
}

// Values that are scaled in blocks are stored, multiplied and gathered; with `to`, results are
// plain again.
// CHECK-LABEL: func @scaled
// CHECK-SAME:      (%[[X:.+]]: tensor<4x64xbf16>, %[[T:.+]]: tensor<4xi32>, %[[E:.+]]: tensor<4x2xi32>)
func.func @scaled(%x: tensor<4x64xbf16>, %t: tensor<4xi32>, %e: tensor<4x2xi32>) {
  // CHECK-NEXT: %[[A:.+]] = llm.quantize "quantize" %[[X]] to !llm.block_scaled<f8E4M3FN, [32], f32> : tensor<4x64xbf16>
  %0 = llm.quantize "quantize" %x to !llm.block_scaled<f8E4M3FN, [32], f32> : tensor<4x64xbf16>
  // CHECK-NEXT: llm.quantize %[[X]] static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<4x64xbf16>
  %1 = llm.quantize %x static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<4x64xbf16>
  // CHECK-NEXT: llm.quantize %[[X]] to i8 : tensor<4x64xbf16>
  %2 = llm.quantize %x to i8 : tensor<4x64xbf16>
  // CHECK-NEXT: %[[W:.+]] = llm.weight "mxfp4" : tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  %3 = llm.weight "mxfp4" : tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  // CHECK-NEXT: llm.matmul "m" %[[A]], %[[W]] transpose_rhs to bf16 : tensor<4x64x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  %4 = llm.matmul "m" %0, %3 transpose_rhs to bf16
     : tensor<4x64x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  // CHECK-NEXT: llm.embedding %[[T]], %[[W]] to bf16 : tensor<4xi32>, tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  %5 = llm.embedding %t, %3 to bf16 : tensor<4xi32>, tensor<64x64x!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>>
  // CHECK-NEXT: %[[R:.+]] = llm.moe_dispatch %[[A]], %[[E]] : tensor<4x64x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<4x2xi32>
  %6 = llm.moe_dispatch %0, %e : tensor<4x64x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<4x2xi32>
  // CHECK-NEXT: %[[X8:.+]] = llm.weight "nvfp4" : tensor<4x64x64x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
  %7 = llm.weight "nvfp4" : tensor<4x64x64x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
  // CHECK-NEXT: llm.grouped_matmul %[[R]], %[[X8]] rows_per_expert [3, 0, 4, 1] top_k 2 to f16 : tensor<8x64x!llm.block_scaled<f8E4M3FN, [32], f32>>,
  %8 = llm.grouped_matmul %6, %7 rows_per_expert [3, 0, 4, 1] top_k 2 to f16
     : tensor<8x64x!llm.block_scaled<f8E4M3FN, [32], f32>>,
       tensor<4x64x64x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, [?, ?], f32>>
  // CHECK-NEXT: llm.weight "q4_K" : tensor<64x256x!llm.block_scaled<i4, [32], i6, [32], i6, [256], f16, [256], f16>>
  %9 = llm.weight "q4_K" : tensor<64x256x!llm.block_scaled<i4, [32], i6, [32], i6, [256], f16, [256], f16>>
  // CHECK-NEXT: %[[C:.+]] = llm.kv_cache "fp8" :
  // CHECK-SAME:     <batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, !llm.block_scaled<f8E4M3FN, [?], f32> latents, page_size = 2>
  %10 = llm.kv_cache "fp8" : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4,
                                           !llm.block_scaled<f8E4M3FN, [?], f32> latents, page_size = 2>
  // CHECK-NEXT: %[[Z:.+]] = llm.kv_read %[[C]] rows 0 to 4 :
  %11 = llm.kv_read %10 rows 0 to 4 : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4,
                                                    !llm.block_scaled<f8E4M3FN, [?], f32> latents, page_size = 2>
  // CHECK-NEXT: llm.repeat_kv %[[Z]] heads 4 to bf16 : tensor<1x4x2x8x!llm.block_scaled<f8E4M3FN, [?], f32>>
  %12 = llm.repeat_kv %11 heads 4 to bf16 : tensor<1x4x2x8x!llm.block_scaled<f8E4M3FN, [?], f32>>
  return
}

// What Llama 4 and gpt-oss add: norms without a weight, shares that scale what goes into an
// expert, and a limit of the gated linear unit.
// CHECK-LABEL: func @variants
// CHECK-SAME:      (%[[X:.+]]: tensor<4x8xbf16>, %[[L:.+]]: tensor<4x4xbf16>, %[[B:.+]]: tensor<4xf32>)
func.func @variants(%x: tensor<4x8xbf16>, %l: tensor<4x4xbf16>, %b: tensor<4xf32>) -> tensor<4x8xbf16> {
  // CHECK-NEXT: llm.rmsnorm "norm" %[[X]] epsilon 1.0e-5 : tensor<4x8xbf16>
  %0 = llm.rmsnorm "norm" %x epsilon 1.0e-5 : tensor<4x8xbf16>
  // CHECK-NEXT: llm.swiglu %[[X]], %[[X]] limit 7.0 : tensor<4x8xbf16>, tensor<4x8xbf16>
  %1 = llm.swiglu %x, %x limit 7.0 : tensor<4x8xbf16>, tensor<4x8xbf16>
  // CHECK-NEXT: %[[S:.+]], %[[E:.+]] = llm.moe_route topk_sigmoid %[[L]] top_k 1 : tensor<4x4xbf16>
  %s, %e = llm.moe_route topk_sigmoid %l top_k 1 : tensor<4x4xbf16>
  // CHECK-NEXT: llm.moe_route softmax %[[L]] top_k 2 groups 2 top_groups 1 : tensor<4x4xbf16>
  %s1, %e1 = llm.moe_route softmax %l top_k 2 groups 2 top_groups 1 : tensor<4x4xbf16>
  // CHECK-NEXT: %[[R:.+]] = llm.moe_dispatch "dispatch" %[[X]], %[[E]] shares %[[S]] : tensor<4x8xbf16>, tensor<4x1xi32>, tensor<4x1xbf16>
  %r = llm.moe_dispatch "dispatch" %x, %e shares %s : tensor<4x8xbf16>, tensor<4x1xi32>, tensor<4x1xbf16>
  // CHECK-NEXT: %[[Y:.+]] = llm.moe_combine %[[R]], %[[E]] : tensor<4x8xbf16>, tensor<4x1xi32>
  %y = llm.moe_combine %r, %e : tensor<4x8xbf16>, tensor<4x1xi32>
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<4x8xbf16>
}

// Sizes that are not known yet go through the new ops as through the others.
// CHECK-LABEL: func @dynamic_latents
func.func @dynamic_latents(%q: tensor<?x?x4x8xbf16>, %z: tensor<?x?x?x8xbf16>, %p: tensor<?x4x3xbf16>, %w: tensor<4x3x?xbf16>)
    -> (tensor<?x?x4x6xbf16>, tensor<?x?x4x8xbf16>, tensor<?x4x?xbf16>) {
  // CHECK: llm.mla_attn
  %0 = llm.mla_attn %q, %z value_dim 6 mask causal lengths [5, 4] scale 1.0 : tensor<?x?x4x8xbf16>, tensor<?x?x?x8xbf16>
  // CHECK: llm.repeat_kv
  %1 = llm.repeat_kv %z heads 4 : tensor<?x?x?x8xbf16>
  // CHECK: llm.batch_matmul
  %2 = llm.batch_matmul %p, %w : tensor<?x4x3xbf16>, tensor<4x3x?xbf16>
  return %0, %1, %2 : tensor<?x?x4x6xbf16>, tensor<?x?x4x8xbf16>, tensor<?x4x?xbf16>
}
