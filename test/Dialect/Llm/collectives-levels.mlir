// RUN: llm-opt %s --llm-target=file=%S/Inputs/boards-and-racks.json --llm-tile --llm-schedule --llm-verify-cost --llm-verify-schedule | %one-line | FileCheck %s

// Chips 0 to 3 and 4 to 7 lie on a board each. A board passes 100 bytes a cycle and starts in 10,000 cycles, the rack 10 in
// 20,000, and memory moves 1,000.
module attributes {llm.grid = #llm.grid<dp = 2, tp = 4>} {
  func.func @levels(%x: tensor<1000x1000xf32>, %small: tensor<25x10xf32>) {
    // S = 4,000,000 bytes of all 8: boards scatter (10,000 + 30,000 + 2 x 1,000), a quarter is summed up over the rack (20,000 +
    // 100,000 + 2 x 500), and boards gather: 205,000 cycles. The rack carries 1,000,000 bytes.
    // CHECK: llm.all_reduce "all"
    // CHECK-SAME: rack = {x = 1000000}
    // CHECK-SAME: overhead_cycles = 40000, serial_cycles = 65000, compute_cycles = 0, memory_cycles = 100000,
    %0 = llm.all_reduce "all" sum %x over [dp, tp] : tensor<1000x1000xf32>
    // One chip of each board: all 4,000,000 bytes over the rack, 20,000 + 400,000 + 2 x 2,000.
    // CHECK: llm.all_reduce "across"
    // CHECK-SAME: rack = {x = 4000000}
    // CHECK-SAME: overhead_cycles = 20000, serial_cycles = 4000, compute_cycles = 0, memory_cycles = 400000,
    %1 = llm.all_reduce "across" sum %0 over [dp] : tensor<1000x1000xf32>
    // Half of what a chip has goes to the other board, while 3/8 stay: 20,000 + 200,000 + 2 x 500.
    // CHECK: llm.all_to_all "exchange"
    // CHECK-SAME: rack = {x = 2000000}
    // CHECK-SAME: overhead_cycles = 20000, serial_cycles = 1000, compute_cycles = 0, memory_cycles = 200000,
    %2 = llm.all_to_all "exchange" %1 over [dp, tp] from 0 to 1 : tensor<1000x1000xf32> -> tensor<125x8000xf32>
    // 1,000 bytes on a board, in one shot: 3,000 + 3 x 100 + 3,000 bytes at 50 a cycle = 3,360, of which the link's rate is 30.
    // CHECK: llm.all_reduce "shot"
    // CHECK-SAME: board = {x = 3000}
    // CHECK-SAME: overhead_cycles = 3000, serial_cycles = 330, compute_cycles = 0, memory_cycles = 30,
    %3 = llm.all_reduce "shot" sum %small over [tp] : tensor<25x10xf32>
    return
  }
}
