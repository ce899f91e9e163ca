// RUN: llm-opt %s --llm-target="name=npu engines=8" --llm-tile --llm-schedule=split-reductions=false | %one-line | FileCheck %s
// RUN: llm-opt %s --llm-target="name=npu engines=8" --llm-tile --llm-schedule | %one-line | FileCheck %s --check-prefix=JOINED

// Fewer parts than engines: each part, of some heads, reads all 4096 latents of 576 x 2 = 1152
// bytes, 4718592. DRAM moves 400 bytes per cycle, so that 8 parts stream for at least 8 x 11797 =
// 94372 cycles, 4 parts for 47186 and 2 parts for 23593. All heads together take 149760 cycles of
// arithmetic on one engine: 18720, 37440 and 74880 in a part of them. So 4 engines are faster than
// 2 and than 8: with queries and results of 32 heads, 36864 and 32768 bytes, 47883 cycles.
//
// With the keys cut, too, 8 parts of 64 heads and 1024 keys: latents 1179648 bytes, queries 73728,
// sums 131072, of each head its greatest score and sum 512: together 11079680 bytes in 27700
// cycles. The part that joins them reads four times 128 x (512 + 2) x 4 bytes, writes 131072, and
// has 100 bytes per cycle: 1183744 bytes in 11838 cycles. 39538 in all.
// CHECK-LABEL: func.func @decode
// CHECK-SAME: makespan_cycles = 47883
// JOINED-LABEL: func.func @decode
// JOINED-SAME: makespan_cycles = 39538
func.func @decode(%q: tensor<1x1x128x576xbf16>, %latents: tensor<1x4096x1x576xbf16>) {
  // CHECK: llm.mla_attn
  // CHECK-SAME: split = {h = 4}
  // JOINED: llm.mla_attn
  // JOINED-SAME: split = {h = 2, t = 4}
  %0 = llm.mla_attn "attn" %q, %latents value_dim 512 mask causal scale 0.1
    : tensor<1x1x128x576xbf16>, tensor<1x4096x1x576xbf16>
  return
}
