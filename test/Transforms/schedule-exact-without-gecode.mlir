// A build without Gecode says so where a proof is asked for; nothing else changes.
// UNSUPPORTED: gecode
// RUN: rm -rf %t && mkdir %t
// RUN: not llm-opt %s --llm-tile --llm-schedule=policy=exact -o %t/out.mlir 2>&1 | FileCheck %s
// RUN: not ls %t/out.mlir
// RUN: llm-opt %s --llm-tile --llm-schedule | FileCheck %s --check-prefix=LIST
// CHECK: without-gecode.mlir:[[#@LINE+2]]:{{.*}} error: function 'one' cannot be scheduled with policy=exact: this build has no Gecode, which searches for it (LLM_ENABLE_GECODE); use policy=list
// LIST: policy = "list"
func.func @one(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = llm.add %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
