// RUN: llm-opt %s --llm-target="name=npu engines=8" --llm-tile --llm-schedule=policy=list | FileCheck %s

// Fewer parts than engines: each part, of some heads, reads all 4096 latents of 576 x 2 = 1152
// bytes, 4718592. DRAM moves 400 bytes per cycle, so that 8 parts stream for at least 8 x 11797 =
// 94372 cycles, 4 parts for 47186 and 2 parts for 23593. All heads together take 149760 cycles of
// arithmetic on one engine: 18720, 37440 and 74880 in a part of them. So 4 engines are faster than
// 2 and than 8.
// CHECK-LABEL: func @decode
func.func @decode(%q: tensor<1x1x128x576xbf16>, %latents: tensor<1x4096x1x576xbf16>) {
  // CHECK: llm.mla_attn
  // CHECK-SAME: split = {h = 4}
  %0 = llm.mla_attn "attn" %q, %latents value_dim 512 mask causal scale 0.1
    : tensor<1x1x128x576xbf16>, tensor<1x4096x1x576xbf16>
  return
}
