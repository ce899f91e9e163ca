// RUN: llm-opt %s --verify-roundtrip --llm-target=file=%S/Inputs/two-links.json --llm-tile --llm-schedule --llm-verify-cost --llm-verify-schedule | %one-line | FileCheck %s

// Two nodes of four chips. Within a node, link `near` joins four chips at 100 GB/s, with a start of 2 us in the protocol of
// low latency and 10 us in that of high bandwidth; `far` joins eight at 10 GB/s and has no figures. DRAM has 1,000 GB/s, and
// a cycle is 1 ns.
// CHECK: llm.grid = #llm.grid<node = 2, tp = 4>
module attributes {llm.grid = #llm.grid<node = 2, tp = 4>} {
  func.func @exchange(%x: tensor<1000x1000xf32>, %small: tensor<10x100xf32>) {
    // S = 4,000,000 bytes, 4 chips: V = 6/4 S = 6,000,000 bytes over the link, which take 60,000 cycles; x and out 8 MB in DRAM,
    // 8,000 cycles. High bandwidth takes 10 + 60 + 2 S / (4 x 1000 GB/s) = 2 us: 72,000 cycles. Low latency: 2 + 6 x 1 +
    // V / 50 GB/s = 120 us, 128,000 cycles.
    // CHECK: llm.all_reduce "reduce" sum %arg0 over [tp]
    // CHECK-SAME: engine = "near"
    // CHECK-SAME: traffic = {dram = {out = 4000000, x = 4000000}, near = {x = 6000000}}
    // CHECK-SAME: overhead_cycles = 10000, serial_cycles = 2000, compute_cycles = 0, memory_cycles = 60000, cycles_by_memory = {dram = 8000, near = 60000}, bound = memory
    %0 = llm.all_reduce "reduce" sum %x over [tp] : tensor<1000x1000xf32>
    // S = 4,000 bytes: V = 6,000 bytes, 60 cycles. Low latency: 2 + 6 + 0.12 us = 8,120 cycles; high bandwidth 10,062.
    // CHECK: llm.all_reduce "small" max
    // CHECK-SAME: near = {x = 6000}
    // CHECK-SAME: overhead_cycles = 2000, serial_cycles = 6060, compute_cycles = 0, memory_cycles = 60,
    // CHECK-SAME: bound = overhead
    %1 = llm.all_reduce "small" max %small over [tp] : tensor<10x100xf32>
    // What a chip has at the end counts, 16,000 bytes: V = 3/4 of it, 12,000 bytes. Low latency: 2 + 3 + 0.24 us.
    // CHECK: llm.all_gather "gather"
    // CHECK-SAME: traffic = {dram = {out = 16000, x = 4000}, near = {x = 12000}}
    // CHECK-SAME: overhead_cycles = 2000, serial_cycles = 3120,
    %2 = llm.all_gather "gather" %1 over [tp] dim 1 : tensor<10x100xf32> -> tensor<10x400xf32>
    // Two chips, one in each node, four chips apart: they lie within five chips, which `far` joins. V = 1/2 S = 8,000 bytes,
    // 800 cycles, and 2 S / (2 x 1000 GB/s) = 16 more.
    // CHECK: llm.reduce_scatter "scatter"
    // CHECK-SAME: engine = "far"
    // CHECK-SAME: traffic = {dram = {out = 8000, x = 16000}, far = {x = 8000}}
    // CHECK-SAME: overhead_cycles = 0, serial_cycles = 16, compute_cycles = 0, memory_cycles = 800,
    %3 = llm.reduce_scatter "scatter" sum %2 over [node] dim 0 : tensor<10x400xf32> -> tensor<5x400xf32>
    // All eight: V = 7/8 of 8,000 bytes, 700 cycles, and 2 x 1,000 / 1000 GB/s = 2 more.
    // CHECK: llm.all_to_all "exchange"
    // CHECK-SAME: traffic = {dram = {out = 8000, x = 8000}, far = {x = 7000}}
    // CHECK-SAME: serial_cycles = 2, compute_cycles = 0, memory_cycles = 700,
    %4 = llm.all_to_all "exchange" %3 over [node, tp] from 1 to 0 : tensor<5x400xf32> -> tensor<40x50xf32>
    // CHECK: llm.take_piece %{{.*}} over [tp] dim 0 : tensor<40x50xf32> -> tensor<10x50xf32>
    %5 = llm.take_piece %4 over [tp] dim 0 : tensor<40x50xf32> -> tensor<10x50xf32>
    return
  }
}
