// RUN: llm-opt %s --verify-roundtrip --llm-target=file=%S/Inputs/two-links.json --llm-tile --llm-schedule --llm-verify-cost --llm-verify-schedule | %one-line | FileCheck %s

// Two chips share four experts of which a token chooses two. The program is that of one chip.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  // Of the 4 x 2 choices the chip has 5 rows: it reads 4 tokens of 32 bytes, and writes 5 rows. Its two experts have weights of
  // 16 x 8 x 4 bytes and biases of 16 x 4 each; 5 x 16 x 8 MACs. The combination reads 5 rows of 64 bytes, with 2 operations for
  // each of their 16 elements, and writes all 4 tokens.
  // CHECK-LABEL: func.func @rows
  // CHECK: llm.moe_dispatch %{{.*}}, %{{.*}} own [ep] rows 5
  // CHECK-SAME: work = {}, traffic = {dram = {experts = 32, out = 160, x = 128}}
  // CHECK: llm.grouped_matmul {{.*}} rows_per_expert [2, 3] top_k 2 own [ep] {{.*}}work = {mac = 640}, traffic = {dram = {bias = 128, lhs = 160, out = 320, rhs = 1024}}
  // CHECK: llm.moe_combine {{.*}} own [ep] {{.*}}work = {alu = 160}, traffic = {dram = {experts = 32, out = 256, shares = 32, x = 320}}
  func.func @rows(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>, %s: tensor<4x2xf32>, %w: tensor<2x16x8xf32>, %c: tensor<2x16xf32>) {
    %r = llm.moe_dispatch %x, %e own [ep] rows 5 : tensor<4x8xf32>, tensor<4x2xi32>
    %u = llm.grouped_matmul %r, %w bias %c experts %e transpose_rhs rows_per_expert [2, 3] top_k 2 own [ep]
       : tensor<5x8xf32>, tensor<2x16x8xf32>, tensor<2x16xf32> experts tensor<4x2xi32>
    %y = llm.moe_combine %u, %e, %s own [ep] : tensor<5x16xf32>, tensor<4x2xi32>, tensor<4x2xf32>
    return
  }

  // 3 rows of 4 tokens: at most 3 tokens are read. One of the two experts has no rows, and its weight is not read.
  // CHECK-LABEL: func.func @few
  // CHECK: llm.moe_dispatch %{{.*}}, %{{.*}} own [ep] rows 3
  // CHECK-SAME: traffic = {dram = {experts = 32, out = 96, x = 96}}
  // CHECK: llm.grouped_matmul
  // CHECK-SAME: rhs = 512}}
  func.func @few(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>, %w: tensor<2x16x8xf32>) {
    %r = llm.moe_dispatch %x, %e own [ep] rows 3 : tensor<4x8xf32>, tensor<4x2xi32>
    %u = llm.grouped_matmul %r, %w experts %e transpose_rhs rows_per_expert [0, 3] top_k 2 own [ep]
       : tensor<3x8xf32>, tensor<2x16x8xf32> experts tensor<4x2xi32>
    return
  }
}
