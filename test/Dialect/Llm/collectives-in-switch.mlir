// RUN: llm-opt %s -split-input-file --llm-target=file=%S/Inputs/switch-link.json --llm-tile --llm-schedule --llm-verify-cost --llm-verify-schedule | %one-line | FileCheck %s

// A link at 100 GB/s joins four chips by a switch that makes sums, with a start of 5 us and 80 GB/s. In rings it is that of
// collectives.mlir. A cycle is 1 ns.
module attributes {llm.grid = #llm.grid<tp = 4>} {
  func.func @sums(%x: tensor<1000x1000xf32>, %small: tensor<10x100xf32>) {
    // S = 4,000,000 bytes: 5/4 S = 5,000,000 bytes over the link, 50,000 cycles at its rate. In the switch 5 + 62.5 us = 67,500
    // cycles; in a ring 72,000.
    // CHECK: llm.all_reduce "reduce"
    // CHECK-SAME: near = {x = 5000000}
    // CHECK-SAME: overhead_cycles = 5000, serial_cycles = 12500, compute_cycles = 0, memory_cycles = 50000,
    %0 = llm.all_reduce "reduce" sum %x over [tp] : tensor<1000x1000xf32>
    // S = 4,000 bytes: 5 + 5,000 / 80 GB/s = 5,062.5, rounded up; in a ring 8,120.
    // CHECK: llm.all_reduce "small"
    // CHECK-SAME: near = {x = 5000}
    // CHECK-SAME: overhead_cycles = 5000, serial_cycles = 13, compute_cycles = 0, memory_cycles = 50,
    %1 = llm.all_reduce "small" max %small over [tp] : tensor<10x100xf32>
    // A switch gathers nothing: as in collectives.mlir.
    // CHECK: llm.all_gather "gather"
    // CHECK-SAME: near = {x = 12000}
    // CHECK-SAME: overhead_cycles = 2000, serial_cycles = 3120,
    %2 = llm.all_gather "gather" %1 over [tp] dim 1 : tensor<10x100xf32> -> tensor<10x400xf32>
    return
  }
}

// -----

// Two chips exchange their values without it: V = S = 4,000,000 bytes, 10 + 40 + 2 S / (2 x 1000 GB/s) = 4 us.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @two(%x: tensor<1000x1000xf32>) {
    // CHECK: llm.all_reduce "pair"
    // CHECK-SAME: near = {x = 4000000}
    // CHECK-SAME: overhead_cycles = 10000, serial_cycles = 4000, compute_cycles = 0, memory_cycles = 40000,
    %0 = llm.all_reduce "pair" sum %x over [tp] : tensor<1000x1000xf32>
    return
  }
}
