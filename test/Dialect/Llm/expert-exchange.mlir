// RUN: llm-opt %s --verify-roundtrip --llm-target=file=%S/Inputs/two-links.json --llm-tile --llm-schedule --llm-verify-cost --llm-verify-schedule | %one-line | FileCheck %s

// Link `near` joins four chips at 100 GB/s: 2 us + 1 us a step + V / 50 GB/s, or 10 us + V / 100 GB/s + 2 S / (4 x 1000 GB/s). It has
// no figures for experts, so that rows go as in an all_to_all. DRAM has 1,000 GB/s, and a cycle is 1 ns.
module attributes {llm.grid = #llm.grid<dp = 4, tp = 2>} {
  // CHECK-LABEL: @exchange
  func.func @exchange(%x: tensor<100x1000xbf16>, %e: tensor<100x2xi32>, %s: tensor<100x2xbf16>) -> tensor<100x1000xbf16> {
    // The group of [dp] is eight chips wide, so that `far` joins it: 10 GB/s without a start. A chip gets 150 tokens of 2,000 bytes, with
    // 8 bytes of experts and 4 of shares each: S = 301,800. Two of the four chips are on `near`, so that 2/4 S = 150,900 bytes go over
    // `far`, 15,090 cycles. 2 S / (4 x 1000 GB/s) = 151 more. The 1/4 S over `near` takes less.
    // CHECK: %dispatch, %received_experts, %received_shares = llm.expert_dispatch "dispatch" %arg0, %arg1 shares %arg2 over [dp] own [dp, tp] rows 150
    // CHECK-SAME: engine = "far"
    // CHECK-SAME: traffic = {dram = {experts = 800, out = 300000, out_experts = 1200, out_shares = 600, shares = 400, x = 200000}, far = {x = 150900}}
    // CHECK-SAME: overhead_cycles = 0, serial_cycles = 151, compute_cycles = 0, memory_cycles = 15090,
    %rows, %re, %rs = llm.expert_dispatch "dispatch" %x, %e shares %s over [dp] own [dp, tp] rows 150 : tensor<100x1000xbf16>, tensor<100x2xi32>, tensor<100x2xbf16>
    // S = 300,000 bytes go back, half of them over `far`.
    // CHECK: llm.expert_combine "combine" %dispatch, %arg1 over [dp] own [dp, tp]
    // CHECK-SAME: traffic = {dram = {experts = 800, out = 200000, x = 300000}, far = {x = 150000}}
    // CHECK-SAME: serial_cycles = 150, compute_cycles = 0, memory_cycles = 15000,
    %y = llm.expert_combine "combine" %rows, %e over [dp] own [dp, tp] : tensor<150x1000xbf16>, tensor<100x2xi32>
    return %y : tensor<100x1000xbf16>
  }

  // Without shares, and among neighbours.
  // CHECK-LABEL: @neighbours
  func.func @neighbours(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) -> tensor<4x8xf32> {
    // CHECK: llm.expert_dispatch %arg0, %arg1 over [tp] own [tp] rows 8
    // CHECK-SAME: engine = "near"
    %rows, %re = llm.expert_dispatch %x, %e over [tp] own [tp] rows 8 : tensor<4x8xf32>, tensor<4x1xi32>
    %y = llm.expert_combine %rows, %e over [tp] own [tp] : tensor<8x8xf32>, tensor<4x1xi32>
    return %y : tensor<4x8xf32>
  }
}
