// The tile search chooses the chunk of linear attention, by the cost of each with its best tile, where the kernel is made
// for the program. A script tiles the op with each chunk alone.
// RUN: split-file %s %t
// RUN: %python -B %S/Inputs/check_chunks.py %t/delta.mlir npu | FileCheck %s --check-prefix=NPU
// NPU: chunk 32: {{.*}}, chosen
// NPU: the best of them is chosen
// RUN: %python -B %S/Inputs/check_chunks.py %t/delta.mlir npu-mxu-vpu | FileCheck %s --check-prefix=APART
// APART: chunk 16: {{.*}}, chosen
// APART: the best of them is chosen
// RUN: %python -B %S/Inputs/check_chunks.py %t/ragged.mlir npu | FileCheck %s --check-prefix=RAGGED
// RAGGED: the best of them is chosen

// Kernels of a library have chunks of their own.
// RUN: %python -B %S/Inputs/check_chunks.py %t/delta.mlir h100-sxm given | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: that of the program is kept

// What is chosen is costed, scheduled and verified; a remark says so. Without the option nothing changes, and steps have no
// chunk.
// RUN: llm-opt %t/delta.mlir "--llm-pipeline=target=npu chunks=search verify" --remark-format=emitRemark --remarks-filter=llm-tile -o %t/delta.out 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: 'attn' takes 32 tokens at once instead of 64
// RUN: FileCheck %s --check-prefix=CHOSEN < %t/delta.out
// CHOSEN: llm.linear_attn "attn" {{.*}} chunk 32
// RUN: llm-opt %t/delta.mlir --llm-pipeline=target=npu | FileCheck %s --check-prefix=GIVEN
// GIVEN: llm.linear_attn "attn" {{.*}} chunk 64
// RUN: llm-opt %t/steps.mlir "--llm-pipeline=target=npu chunks=search verify" | FileCheck %s --check-prefix=STEPS
// STEPS-NOT: chunk
// STEPS: llm.linear_attn "attn"
// RUN: not llm-opt %t/steps.mlir --llm-tile=chunks=serch 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: chunks{{.*}}serch

//--- delta.mlir
func.func @delta(%q: tensor<1x2048x16x128xbf16>, %k: tensor<1x2048x16x128xbf16>, %v: tensor<1x2048x32x128xbf16>,
                 %a: tensor<1x2048x32xbf16>, %r: tensor<32xf32>, %b: tensor<1x2048x32xbf16>) -> tensor<1x2048x32x128xbf16> {
  %s = llm.state "state" : <batch = 1, 32x128x128xf32>
  %o, %n = llm.linear_attn "attn" delta %q, %k, %v decay %a rate %r beta %b from %s chunk 64 qk_norm 1.0e-6 scale 0.0883883
     : tensor<1x2048x16x128xbf16>, tensor<1x2048x16x128xbf16>, tensor<1x2048x32x128xbf16>, tensor<1x2048x32xbf16>,
       tensor<32xf32>, tensor<1x2048x32xbf16>, !llm.state<batch = 1, 32x128x128xf32>
  return %o : tensor<1x2048x32x128xbf16>
}

//--- ragged.mlir
func.func @ragged(%q: tensor<3x77x2x64xbf16>, %k: tensor<3x77x2x64xbf16>, %v: tensor<3x77x8x64xbf16>, %a: tensor<3x77x8xbf16>,
                  %r: tensor<8xf32>) -> tensor<3x77x8x64xbf16> {
  %s = llm.state "state" : <batch = 3, 8x64x64xf32>
  %o, %n = llm.linear_attn "attn" additive %q, %k, %v decay %a rate %r from %s chunk 256 scale 1.0
     : tensor<3x77x2x64xbf16>, tensor<3x77x2x64xbf16>, tensor<3x77x8x64xbf16>, tensor<3x77x8xbf16>, tensor<8xf32>,
       !llm.state<batch = 3, 8x64x64xf32>
  return %o : tensor<3x77x8x64xbf16>
}

//--- steps.mlir
func.func @steps(%q: tensor<1x1x2x64xbf16>, %k: tensor<1x1x2x64xbf16>, %v: tensor<1x1x8x64xbf16>, %a: tensor<1x1x8xbf16>,
                 %r: tensor<8xf32>) -> tensor<1x1x8x64xbf16> {
  %s = llm.state "state" : <batch = 1, 8x64x64xf32>
  %o, %n = llm.linear_attn "attn" additive %q, %k, %v decay %a rate %r from %s scale 1.0
     : tensor<1x1x2x64xbf16>, tensor<1x1x2x64xbf16>, tensor<1x1x8x64xbf16>, tensor<1x1x8xbf16>, tensor<8xf32>,
       !llm.state<batch = 1, 8x64x64xf32>
  return %o : tensor<1x1x8x64xbf16>
}
