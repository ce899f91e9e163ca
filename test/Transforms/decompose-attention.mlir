// RUN: llm-opt %s --llm-decompose-attention --verify-roundtrip | %one-line | FileCheck %s

// A remark says what was done.
// RUN: llm-opt %s --llm-decompose-attention --remarks-filter-passed=llm-decompose-attention \
// RUN:   --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] decompose {{.*}}'attn' is now qk, softmax and pv

// The stages of softmax are work of their own. 3 queries before 5 keys, causal: query s
// sees s + 3 keys, 3 + 4 + 5 = 12 pairs for each of 2 x 4 heads: 96 scores.
//   qk: 96 x 16 macs; softmax: 96 comparisons, 2 x 96 + 96 other
//   operations, 96 exponentials and 2 x 4 x 3 reciprocals; pv: 96 x 16 macs.
// RUN: llm-opt %s --llm-decompose-attention --llm-tile | %one-line | FileCheck %s --check-prefix=WORK
// WORK: llm.qk {{.*}}work = {mac = 1536}
// WORK: llm.softmax {{.*}}work = {alu = 288, compare = 96, special = 120}
// WORK: llm.pv {{.*}}work = {mac = 1536}

// As one kernel: the same macs, 2 operations per score (a multiply-add, an add) and one for
// each of the 2 x 3 x 4 x 16 elements of the result.
// RUN: llm-opt %s --llm-tile | %one-line | FileCheck %s --check-prefix=FUSED
// FUSED: llm.gqa_attn {{.*}}work = {alu = 576, compare = 96, mac = 3072, special = 96}

// One op becomes three with the same mask and scale; tile, cost and slots of the old op are
// gone, other ops are left alone.
// CHECK-LABEL: func.func @one
// CHECK-SAME: (%[[Q:.+]]: tensor<2x3x4x16xbf16>, %[[K:.+]]: tensor<2x5x2x16xbf16>, %[[V:.+]]: tensor<2x5x2x16xbf16>)
// CHECK-NEXT: %[[S:.+]] = llm.qk "attn.qk" %[[Q]], %[[K]] mask causal scale 0.25 : tensor<2x3x4x16xbf16>, tensor<2x5x2x16xbf16>
// CHECK-NEXT: %[[P:.+]] = llm.softmax "attn.softmax" %[[S]] mask causal : tensor<2x4x3x5xbf16>
// CHECK-NEXT: %[[O:.+]] = llm.pv "attn.pv" %[[P]], %[[V]] mask causal : tensor<2x4x3x5xbf16>, tensor<2x5x2x16xbf16>
// CHECK-NEXT: return %[[O]] : tensor<2x3x4x16xbf16>
func.func @one(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x5x2x16xbf16>,
               %v: tensor<2x5x2x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %o = llm.gqa_attn "attn" %q, %k, %v mask causal scale 0.25 {
      llm.tile = #llm.tile<pinned>,
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

// Latent attention: the latents are the keys, their first features the values. The macs are the
// same as of one kernel, 96 scores times 16 features and 12 of the value; as one kernel 2
// operations per score and one for each of 2 x 3 x 4 x 12 elements of the result. One kernel reads
// 2 x 5 latents of 16 x 2 bytes once; in pieces, 12 of 16 features are read again.
// CHECK-LABEL: func.func @latents
// CHECK-SAME: (%[[Q:.+]]: tensor<2x3x4x16xbf16>, %[[Z:.+]]: tensor<2x5x1x16xbf16>)
// CHECK-NEXT: %[[V:.+]] = tensor.extract_slice %[[Z]][0, 0, 0, 0] [2, 5, 1, 12] [1, 1, 1, 1] : tensor<2x5x1x16xbf16> to tensor<2x5x1x12xbf16>
// CHECK-NEXT: %[[S:.+]] = llm.qk "attn.qk" %[[Q]], %[[Z]] mask causal scale 0.25 : tensor<2x3x4x16xbf16>, tensor<2x5x1x16xbf16>
// CHECK-NEXT: %[[P:.+]] = llm.softmax "attn.softmax" %[[S]] mask causal : tensor<2x4x3x5xbf16>
// CHECK-NEXT: %[[O:.+]] = llm.pv "attn.pv" %[[P]], %[[V]] mask causal : tensor<2x4x3x5xbf16>, tensor<2x5x1x12xbf16>
// CHECK-NEXT: return %[[O]] : tensor<2x3x4x12xbf16>
// FUSED-LABEL: func.func @latents
// FUSED: llm.mla_attn {{.*}}work = {alu = 480, compare = 96, mac = 2688, special = 96}, traffic = {dram = {latents = 320, out = 576, query = 768}}
// WORK-LABEL: func.func @latents
// WORK: llm.qk {{.*}}work = {mac = 1536}, traffic = {dram = {keys = 320, out = 192, query = 768}}
// WORK: llm.softmax {{.*}}work = {alu = 288, compare = 96, special = 120}
// WORK: llm.pv {{.*}}work = {mac = 1152}, traffic = {dram = {out = 576, probabilities = 192, values = 240}}
func.func @latents(%q: tensor<2x3x4x16xbf16>, %z: tensor<2x5x1x16xbf16>) -> tensor<2x3x4x12xbf16> {
  %o = llm.mla_attn "attn" %q, %z value_dim 12 mask causal scale 0.25 : tensor<2x3x4x16xbf16>, tensor<2x5x1x16xbf16>
  return %o : tensor<2x3x4x12xbf16>
}

// Where all features are the value there is nothing to slice. The mask of a ragged batch is that
// of all three.
// CHECK-LABEL: func.func @whole_latents
// CHECK-NEXT: llm.qk %{{.+}}, %[[Z:.+]] mask causal lengths [5, 4] scale
// CHECK-NEXT: llm.softmax %{{.+}} mask causal lengths [5, 4] :
// CHECK-NEXT: llm.pv %{{.+}}, %[[Z]] mask causal lengths [5, 4] :
func.func @whole_latents(%q: tensor<2x3x4x16xbf16>, %z: tensor<2x5x1x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %o = llm.mla_attn %q, %z value_dim 16 mask causal lengths [5, 4] scale 0.25
    : tensor<2x3x4x16xbf16>, tensor<2x5x1x16xbf16>
  return %o : tensor<2x3x4x16xbf16>
}

// Values of another size than the keys: 96 scores times 16, and times 8.
// CHECK-LABEL: func.func @value_dim
// CHECK: llm.pv %{{.+}} : tensor<2x4x3x5xbf16>, tensor<2x5x2x8xbf16>
// CHECK-NEXT: return %{{.+}} : tensor<2x3x4x8xbf16>
// FUSED-LABEL: func.func @value_dim
// FUSED: llm.gqa_attn {{.*}}mac = 2304,
// WORK-LABEL: func.func @value_dim
// WORK: llm.qk {{.*}}work = {mac = 1536}
// WORK: llm.pv {{.*}}work = {mac = 768}
func.func @value_dim(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x5x2x16xbf16>, %v: tensor<2x5x2x8xbf16>) -> tensor<2x3x4x8xbf16> {
  %o = llm.gqa_attn %q, %k, %v mask causal scale 0.25
    : tensor<2x3x4x16xbf16>, tensor<2x5x2x16xbf16>, tensor<2x5x2x8xbf16>
  return %o : tensor<2x3x4x8xbf16>
}

// Nothing to replace.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return
func.func @none() { return }

// Attention in a kernel of several ops stays, as pieces of it cannot run as one: an error says what comes first.
// RUN: sed -n 's#^// IN-KERNEL: ##p' %s > %t.kernel.mlir
// RUN: not llm-opt %t.kernel.mlir --llm-decompose-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: kernel.mlir:3:10: error: 'llm.gqa_attn' op is fused with other ops, and qk, softmax and pv cannot be: run --llm-decompose-attention before --llm-fuse
// IN-KERNEL: func.func @kernel(%q: tensor<1x1x4x16xbf16>, %k: tensor<1x5x2x16xbf16>) -> tensor<1x1x4x16xbf16> {
// IN-KERNEL:   %y = llm.fused "attn+act" {
// IN-KERNEL:     %o = llm.gqa_attn "attn" %q, %k, %k mask causal scale 0.25 : tensor<1x1x4x16xbf16>, tensor<1x5x2x16xbf16>, tensor<1x5x2x16xbf16>
// IN-KERNEL:     %r = llm.activation "act" relu %o : tensor<1x1x4x16xbf16>
// IN-KERNEL:     llm.yield %r : tensor<1x1x4x16xbf16>
// IN-KERNEL:   } : tensor<1x1x4x16xbf16>
// IN-KERNEL:   return %y : tensor<1x1x4x16xbf16>
// IN-KERNEL: }

// Before the kernels are made it is taken apart; softmax and activation join the product between them.
// RUN: sed '/llm.fused\|llm.yield\|  } :/d; s/return %y/return %r/' %t.kernel.mlir | llm-opt --llm-decompose-attention --llm-fuse=when=legal --llm-tile | %one-line | FileCheck %s --check-prefix=BEFORE
// BEFORE: llm.fused "attn.softmax+pv+act"

// Engines of one kind each do not work together on a kernel of several ops; the hint for attention alone is not given for it.
// RUN: not llm-opt %t.kernel.mlir --llm-target=name=npu-mxu-vpu --llm-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=APART
// APART-NOT: llm-decompose-attention
// APART: error: 'llm.fused' op needs an engine that is matrix and vector; target 'npu-mxu-vpu' has none. --llm-fuse joins what the module's target can run as one: it comes behind --llm-target

// Nor do those whose units share ops as kernels: attention is taken apart there.
// RUN: sed 's/"kinds": \["matrix"\]/"cost_model": "kernels", &/' %root/lib/Target/presets/npu-mxu-vpu.json > %t.kernels.json
// RUN: not llm-opt %s --llm-target=file=%t.kernels.json --llm-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: error: 'llm.gqa_attn' op needs an engine that is matrix and vector; target 'npu-mxu-vpu' has none. --llm-decompose-attention splits

// Where a kind is missing, taking attention apart does not help.
// RUN: sed 's/"kinds": \["matrix", "vector"\]/"kinds": ["matrix"]/' %root/lib/Target/presets/npu.json > %t.missing.json
// RUN: not llm-opt %s --llm-target=file=%t.missing.json --llm-tile -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING --implicit-check-not=llm-decompose-attention
// MISSING: error: 'llm.gqa_attn' op needs an engine that is vector; target 'npu' has none
