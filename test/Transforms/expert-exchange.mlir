// RUN: llm-opt %s --llm-shard="dp=2 ep=4" --llm-partition --verify-roundtrip | FileCheck %s
// RUN: llm-opt %s --llm-shard="dp=2 ep=4" --llm-partition=expert-rows=all | FileCheck %s --check-prefix=ALL
// RUN: llm-opt %s --llm-shard="dp=2 ep=4" --llm-partition=expert-exchange=all-gather | FileCheck %s --check-prefix=GATHER
// RUN: not llm-opt %s --llm-shard="dp=2 ep=4" --llm-partition=expert-exchange=ring 2>&1 | FileCheck %s --check-prefix=SPELLING
// SPELLING: error: --llm-partition: option 'expert-exchange' must be all-to-all or all-gather, got 'ring'

// Four chips have one of four experts each; two of them share a half of the tokens. Tokens go over the axis along which they differ.
// The chip with the fourth expert has most rows, 5 of 16 choices. If the two choices of a token are independent, 8 (1 - (11/16)^2)
// = 4.2 tokens need it; each of them has one row there at most, so that there are at least 5.
// CHECK: llm.grid = #llm.grid<dp_ep = 2, ep = 2>
// CHECK-LABEL: @experts
// CHECK: %[[OWN:.*]] = llm.take_piece %arg0 over [dp_ep] dim 0 : tensor<8x16xf32> -> tensor<4x16xf32>
// CHECK: %[[SHARES:.*]], %[[EXPERTS:.*]] = llm.moe_route
// CHECK-NOT: llm.all_gather
// CHECK: %[[ROWS:.*]], %[[RE:.*]], %[[RS:.*]] = llm.expert_dispatch "dispatch.all_to_all" %{{.*}}, %[[EXPERTS]] shares %[[SHARES]] over [dp_ep] own [dp_ep, ep] rows 5 : tensor<4x16xf32>, tensor<4x2xi32>, tensor<4x2xf32>
// CHECK: llm.moe_dispatch "dispatch" %[[ROWS]], %[[RE]] own [dp_ep, ep] rows 5 : tensor<5x16xf32>, tensor<5x2xi32>
// CHECK: llm.grouped_matmul "up" {{.*}} experts %[[RE]] transpose_rhs rows_per_expert [5] top_k 2 own [dp_ep, ep]
// CHECK: %[[MADE:.*]] = llm.moe_combine "combine" %{{.*}}, %[[RE]], %[[RS]] own [dp_ep, ep] : tensor<5x16xf32>, tensor<5x2xi32>, tensor<5x2xf32>
// CHECK-NOT: llm.reduce_scatter
// CHECK: llm.expert_combine "combine.all_to_all" %[[MADE]], %[[EXPERTS]] over [dp_ep] own [dp_ep, ep] : tensor<5x16xf32>, tensor<4x2xi32>
// What both chips with these tokens have is added up.
// CHECK: llm.all_reduce {{.*}} over [ep]

// Any routing may send all tokens to one chip.
// ALL: llm.expert_dispatch {{.*}} rows 8 :
// ALL: llm.moe_dispatch {{.*}} rows 8 : tensor<8x16xf32>

// GATHER-NOT: llm.expert_dispatch
// GATHER: llm.all_gather {{.*}} over [dp_ep] dim 0
// GATHER: llm.reduce_scatter "combine.reduce_scatter" sum %{{.*}} over [dp_ep] dim 0
func.func @experts(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {llm.program = #llm.program<"m", decode, batch = 8, seq = 1, kv_len = 1, layers = 1 of 1>} {
  %wr = llm.weight "wr" : tensor<4x16xf32>
  %l = llm.matmul "router" %x, %wr transpose_rhs : tensor<8x16xf32>, tensor<4x16xf32>
  %s, %e = llm.moe_route "route" softmax %l top_k 2 : tensor<8x4xf32>
  %n = llm.activation "norm" silu %x : tensor<8x16xf32>
  %rows = llm.moe_dispatch "dispatch" %n, %e : tensor<8x16xf32>, tensor<8x2xi32>
  %wu = llm.weight "wu" : tensor<4x16x16xf32>
  %u = llm.grouped_matmul "up" %rows, %wu experts %e transpose_rhs rows_per_expert [4, 4, 3, 5] top_k 2 : tensor<16x16xf32>, tensor<4x16x16xf32> experts tensor<8x2xi32>
  %c = llm.moe_combine "combine" %u, %e, %s : tensor<16x16xf32>, tensor<8x2xi32>, tensor<8x2xf32>
  %y = llm.add "residual" %x, %c : tensor<8x16xf32>, tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// What something else reads is gathered anyway, and stays.
// CHECK-LABEL: @read_twice
// CHECK: llm.all_gather "norm.all_gather"
// CHECK-NOT: llm.expert_dispatch
func.func @read_twice(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) attributes {llm.program = #llm.program<"m", decode, batch = 8, seq = 1, kv_len = 1, layers = 1 of 1>} {
  %wr = llm.weight "wr" : tensor<4x16xf32>
  %l = llm.matmul "router" %x, %wr transpose_rhs : tensor<8x16xf32>, tensor<4x16xf32>
  %s, %e = llm.moe_route "route" softmax %l top_k 2 : tensor<8x4xf32>
  %n = llm.activation "norm" silu %x : tensor<8x16xf32>
  %rows = llm.moe_dispatch "dispatch" %n, %e : tensor<8x16xf32>, tensor<8x2xi32>
  %wu = llm.weight "wu" : tensor<4x16x16xf32>
  %u = llm.grouped_matmul "up" %rows, %wu experts %e transpose_rhs rows_per_expert [4, 4, 3, 5] top_k 2 : tensor<16x16xf32>, tensor<4x16x16xf32> experts tensor<8x2xi32>
  %c = llm.moe_combine "combine" %u, %e, %s : tensor<16x16xf32>, tensor<8x2xi32>, tensor<8x2xf32>
  %y = llm.add "residual" %x, %c : tensor<8x16xf32>, tensor<8x16xf32>
  return %y, %n : tensor<8x16xf32>, tensor<8x16xf32>
}
