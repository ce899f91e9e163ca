// RUN: llm-opt %s --llm-decompose-attention --verify-roundtrip | FileCheck %s

// A remark says what was done.
// RUN: llm-opt %s --llm-decompose-attention --remarks-filter-passed=llm-decompose-attention \
// RUN:   --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] decompose {{.*}}'attn' is now qk, softmax and pv

// The stages of softmax are work of their own. 3 queries before 5 keys, causal: query s
// sees s + 3 keys, 3 + 4 + 5 = 12 pairs for each of 2 x 4 heads: 96 scores.
//   qk: 96 x 16 macs; softmax: 96 comparisons, 2 x 96 + 96 other
//   operations, 96 exponentials and 2 x 4 x 3 reciprocals; pv: 96 x 16 macs.
// RUN: llm-opt %s --llm-decompose-attention --llm-tile | FileCheck %s --check-prefix=WORK
// WORK: llm.qk {{.*}}work = {mac = 1536}
// WORK: llm.softmax {{.*}}work = {alu = 288, compare = 96, special = 120}
// WORK: llm.pv {{.*}}work = {mac = 1536}

// As one kernel: the same macs, 2 operations per score (a multiply-add, an add) and one for
// each of the 2 x 3 x 4 x 16 elements of the result.
// RUN: llm-opt %s --llm-tile | FileCheck %s --check-prefix=FUSED
// FUSED: llm.gqa_attn {{.*}}work = {alu = 576, compare = 96, mac = 3072, special = 96}

// One op becomes three with the same mask and scale; tile, cost and slots of the old op are
// gone, other ops are left alone.
// CHECK-LABEL: func.func @one
// CHECK-SAME: (%[[Q:.+]]: tensor<2x3x4x16xbf16>, %[[K:.+]]: tensor<2x5x2x16xbf16>, %[[V:.+]]: tensor<2x5x2x16xbf16>)
// CHECK-NEXT: %[[S:.+]] = llm.qk "attn.qk" %[[Q]], %[[K]] mask causal scale 2.500000e-01 : tensor<2x3x4x16xbf16>, tensor<2x5x2x16xbf16>
// CHECK-NEXT: %[[P:.+]] = llm.softmax "attn.softmax" %[[S]] mask causal : tensor<2x4x3x5xbf16>
// CHECK-NEXT: %[[O:.+]] = llm.pv "attn.pv" %[[P]], %[[V]] mask causal : tensor<2x4x3x5xbf16>, tensor<2x5x2x16xbf16>
// CHECK-NEXT: return %[[O]] : tensor<2x3x4x16xbf16>
func.func @one(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x5x2x16xbf16>,
               %v: tensor<2x5x2x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %o = llm.gqa_attn "attn" %q, %k, %v mask causal scale 0.25 {
      llm.tile = #llm.tile<manual>,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 1, lanes = {}>]>}
    : tensor<2x3x4x16xbf16>, tensor<2x5x2x16xbf16>, tensor<2x5x2x16xbf16>
  return %o : tensor<2x3x4x16xbf16>
}

// Inside a loop, and with a full mask; an op without a name gives ops without names.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: llm.qk %{{.*}} mask full
// CHECK-NEXT: llm.softmax %{{.*}} mask full
// CHECK-NEXT: llm.pv %{{.*}} mask full
// CHECK-NEXT: scf.yield
func.func @loop(%q: tensor<1x3x4x16xf32>, %k: tensor<1x2x1x16xf32>) -> tensor<1x3x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %q) -> tensor<1x3x4x16xf32> {
    %o = llm.gqa_attn %x, %k, %k mask full scale 1.0
      : tensor<1x3x4x16xf32>, tensor<1x2x1x16xf32>, tensor<1x2x1x16xf32>
    scf.yield %o : tensor<1x3x4x16xf32>
  }
  return %r : tensor<1x3x4x16xf32>
}

// Nothing to replace.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return
func.func @none() { return }
