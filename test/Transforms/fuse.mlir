// Kernels that --llm-fuse makes, and those that it must not make. Small sizes: all of it fits
// the default chip, so that a value between two ops costs its bytes twice and saves them. One
// core of it: nothing runs side by side (fuse-engines.mlir).
// RUN: sed 's/"count": 4/"count": 1/' %root/lib/Target/presets/npu.json > %t.core.json
// RUN: llm-opt %s --llm-target=file=%t.core.json --llm-fuse --verify-roundtrip | FileCheck %s
// RUN: llm-opt %s --llm-fuse=when=legal | FileCheck %s
// RUN: llm-opt %s --llm-target=file=%t.core.json --llm-fuse --llm-tile --llm-verify-cost --llm-schedule --llm-verify-schedule -o /dev/null

// Twice changes nothing more.
// RUN: llm-opt %s --llm-target=file=%t.core.json --llm-fuse -o %t.once
// RUN: llm-opt %t.once --llm-fuse | diff %t.once -

// RUN: llm-opt %s --llm-target=file=%t.core.json --llm-fuse --remarks-filter=llm-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not llm-opt %s --llm-fuse=when=often 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: --llm-fuse: option 'when' must be cheaper or legal, got 'often'

// A residual follows its product. The product, 3 x 4 x 2 bytes, was written and read: 48 bytes.
// CHECK-LABEL: func.func @residual
// CHECK-NEXT: %[[Y:.+]] = llm.fused "layer.o_proj+residual" {
// CHECK-NEXT:   %[[O:.+]] = llm.matmul "layer.o_proj"
// CHECK-NEXT:   %[[S:.+]] = llm.add "layer.residual" %{{.+}}, %[[O]]
// CHECK-NEXT:   llm.yield %[[S]]
// CHECK-NEXT: } : tensor<3x4xbf16>
// CHECK-NEXT: return %[[Y]]
// REMARK: [Passed] fuse {{.*}}2 ops are now 'layer.o_proj+residual': 48 bytes and {{[0-9]+}} cycles fewer
func.func @residual(%x: tensor<3x8xbf16>, %w: tensor<8x4xbf16>, %r: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  %o = llm.matmul "layer.o_proj" %x, %w : tensor<3x8xbf16>, tensor<8x4xbf16>
  %s = llm.add "layer.residual" %r, %o : tensor<3x4xbf16>, tensor<3x4xbf16>
  return %s : tensor<3x4xbf16>
}

// Gate and up: one kernel has one product, so the other one is computed before. Of one of them
// 3 x 4 x 2 bytes are no longer written and read.
// CHECK-LABEL: func.func @gate_up
// CHECK: %[[U:.+]] = llm.matmul "up_proj"
// CHECK: llm.fused "gate_proj+swiglu" {
// CHECK-NEXT: %[[G:.+]] = llm.matmul "gate_proj"
// CHECK-NEXT: llm.swiglu "swiglu" %[[G]], %[[U]]
// REMARK: [Missed] fuse {{.*}}'swiglu' stays apart from 'up_proj': one kernel has one contraction, this one has several
// REMARK: [Passed] fuse {{.*}}2 ops are now 'gate_proj+swiglu': 48 bytes
func.func @gate_up(%x: tensor<3x8xbf16>, %v: tensor<8x4xbf16>, %w: tensor<8x4xbf16>) -> tensor<3x4xbf16> {
  %g = llm.matmul "gate_proj" %x, %v : tensor<3x8xbf16>, tensor<8x4xbf16>
  %u = llm.matmul "up_proj" %x, %w : tensor<3x8xbf16>, tensor<8x4xbf16>
  %h = llm.swiglu "swiglu" %g, %u : tensor<3x4xbf16>, tensor<3x4xbf16>
  return %h : tensor<3x4xbf16>
}

// Gate and up as one product: columns i and 4 + i belong together, so a tile has both. 3 x 8 x 2
// bytes are no longer written and read.
// CHECK-LABEL: func.func @halves
// CHECK-NEXT: llm.fused "gate_proj+up_proj+swiglu" {
// CHECK-NEXT: %[[P:.+]] = llm.matmul
// CHECK-DAG: %[[G:.+]] = tensor.extract_slice %[[P]][0, 0] [3, 4]
// CHECK-DAG: %[[U:.+]] = tensor.extract_slice %[[P]][0, 4] [3, 4]
// CHECK: llm.swiglu "swiglu" %[[G]], %[[U]]
// CHECK-NOT: tensor.extract_slice
// CHECK: return
// REMARK: [Passed] fuse {{.*}}2 ops are now 'gate_proj+up_proj+swiglu': 96 bytes
func.func @halves(%x: tensor<3x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<3x4xbf16> {
  %p = llm.matmul "gate_proj+up_proj" %x, %w : tensor<3x8xbf16>, tensor<8x8xbf16>
  %g = tensor.extract_slice %p[0, 0] [3, 4] [1, 1] : tensor<3x8xbf16> to tensor<3x4xbf16>
  %u = tensor.extract_slice %p[0, 4] [3, 4] [1, 1] : tensor<3x8xbf16> to tensor<3x4xbf16>
  %h = llm.swiglu "swiglu" %g, %u : tensor<3x4xbf16>, tensor<3x4xbf16>
  return %h : tensor<3x4xbf16>
}

// What is rounded element by element is rounded in the product's kernel; scales that are found
// from whole rows are not.
// CHECK-LABEL: func.func @quantize
// CHECK: llm.fused "static+round"
// CHECK: llm.matmul "found"
// CHECK-NEXT: llm.quantize "scales"
// REMARK: [Missed] fuse {{.*}}'scales' stays apart from 'found': loop 'n' of 'matmul' could no longer be cut
func.func @quantize(%x: tensor<3x8xbf16>, %w: tensor<8x4xbf16>) -> (tensor<3x4xf8E4M3FN>, tensor<3x4x!llm.block_scaled<f8E4M3FN, [?], f32>>) {
  %a = llm.matmul "static" %x, %w : tensor<3x8xbf16>, tensor<8x4xbf16>
  %q = llm.quantize "round" %a to f8E4M3FN : tensor<3x4xbf16>
  %b = llm.matmul "found" %x, %w : tensor<3x8xbf16>, tensor<8x4xbf16>
  %s = llm.quantize "scales" %b to !llm.block_scaled<f8E4M3FN, [?], f32> : tensor<3x4xbf16>
  return %q, %s : tensor<3x4xf8E4M3FN>, tensor<3x4x!llm.block_scaled<f8E4M3FN, [?], f32>>
}

// A residual and the norm behind it: the sum goes on to others, so it is written, and one reading
// of 2 x 4 x 2 bytes is saved.
// CHECK-LABEL: func.func @residual_norm
// CHECK: %[[R:.+]]:2 = llm.fused "residual+norm" {
// CHECK: return %[[R]]#0, %[[R]]#1
// REMARK: [Passed] fuse {{.*}}2 ops are now 'residual+norm': 16 bytes
func.func @residual_norm(%x: tensor<2x4xbf16>, %y: tensor<2x4xbf16>, %w: tensor<4xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>) {
  %s = llm.add "residual" %x, %y : tensor<2x4xbf16>, tensor<2x4xbf16>
  %n = llm.rmsnorm "norm" %s, %w epsilon 1.0e-5 : tensor<2x4xbf16>, tensor<4xbf16>
  return %s, %n : tensor<2x4xbf16>, tensor<2x4xbf16>
}

// A norm goes into its consumer, whose rows are whole then.
// CHECK-LABEL: func.func @norm_product
// CHECK: llm.fused "norm+lm_head" {
// CHECK-NEXT: %[[N:.+]] = llm.rmsnorm
// CHECK-NEXT: llm.matmul "lm_head" %[[N]]
// CHECK-NEXT: llm.yield
func.func @norm_product(%x: tensor<2x4xbf16>, %w: tensor<4xbf16>, %v: tensor<8x4xbf16>) -> tensor<2x8xbf16> {
  %n = llm.rmsnorm "norm" %x, %w epsilon 1.0e-5 : tensor<2x4xbf16>, tensor<4xbf16>
  %l = llm.matmul "lm_head" %n, %v transpose_rhs : tensor<2x4xbf16>, tensor<8x4xbf16>
  return %l : tensor<2x8xbf16>
}

// Keys are rotated and written into the cache by their projection; the read of the cache follows
// the kernel. Two values of 2 x 8 x 2 bytes no longer move.
// CHECK-LABEL: func.func @keys
// CHECK: %[[C:.+]] = llm.kv_cache
// CHECK: %[[D:.+]] = llm.fused "k_proj+k_rope+kv_write" {
// CHECK-NEXT: llm.matmul
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: llm.rope
// CHECK-NEXT: llm.kv_write "kv_write" %[[C]]
// CHECK-NEXT: llm.yield
// CHECK: llm.kv_read %[[D]]
// REMARK: [Passed] fuse {{.*}}3 ops are now 'k_proj+k_rope+kv_write': 128 bytes
func.func @keys(%x: tensor<2x4xbf16>, %w: tensor<8x4xbf16>, %v: tensor<1x2x2x4xbf16>) -> tensor<1x2x2x4xbf16> {
  %k = llm.matmul "k_proj" %x, %w transpose_rhs : tensor<2x4xbf16>, tensor<8x4xbf16>
  %e = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 2, 2, 4] : tensor<2x8xbf16> into tensor<1x2x2x4xbf16>
  %r = llm.rope "k_rope" %e at 0 theta 1.0e4 : tensor<1x2x2x4xbf16>
  %c = llm.kv_cache "attn" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %d = llm.kv_write "kv_write" %c, %r, %v at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>
  %keys, %values = llm.kv_read %d rows 0 to 2 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  return %keys : tensor<1x2x2x4xbf16>
}

// An op between the two that needs the first one's value, through a view, does not matter where
// the last does not need it: it follows the kernel.
// CHECK-LABEL: func.func @order
// CHECK: %[[R:.+]]:2 = llm.fused "first+last" {
// CHECK: }
// CHECK: %[[V:.+]] = tensor.collapse_shape %[[R]]#0
// CHECK: %[[E:.+]] = tensor.expand_shape %[[V]]
// CHECK: llm.matmul "between" %[[E]]
func.func @order(%x: tensor<2x4xbf16>, %w: tensor<4x4xbf16>, %r: tensor<2x4xbf16>, %u: tensor<2x4xbf16>) -> (tensor<4x4xbf16>, tensor<2x4xbf16>) {
  %p = llm.matmul "first" %x, %w : tensor<2x4xbf16>, tensor<4x4xbf16>
  %v = tensor.collapse_shape %p [[0, 1]] : tensor<2x4xbf16> into tensor<8xbf16>
  %e = tensor.expand_shape %v [[0, 1]] output_shape [4, 2] : tensor<8xbf16> into tensor<4x2xbf16>
  %a = llm.matmul "between" %e, %u : tensor<4x2xbf16>, tensor<2x4xbf16>
  %s = llm.add "last" %p, %r : tensor<2x4xbf16>, tensor<2x4xbf16>
  return %a, %s : tensor<4x4xbf16>, tensor<2x4xbf16>
}

// Not where another op that cannot join must run between the two: the second product needs the
// first, and the sum needs both.
// CHECK-LABEL: func.func @cycle
// CHECK: llm.matmul "one"
// CHECK-NEXT: llm.fused "two+sum" {
// REMARK: [Missed] fuse {{.*}}'sum' stays apart from 'one': 'two' runs between them
func.func @cycle(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %a = llm.matmul "one" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %b = llm.matmul "two" %a, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %s = llm.add "sum" %a, %b : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %s : tensor<4x4xbf16>
}

// Not across the boundary of a loop, and within one as anywhere else.
// CHECK-LABEL: func.func @loop
// CHECK: llm.matmul "before"
// CHECK: scf.for
// CHECK: llm.fused "inside.{}+sum.{}" {
func.func @loop(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = llm.matmul "before" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %a) -> tensor<4x4xbf16> {
    %b = llm.matmul "inside.{}" %y, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
    %s = llm.add "sum.{}" %a, %b : tensor<4x4xbf16>, tensor<4x4xbf16>
    scf.yield %s : tensor<4x4xbf16>
  }
  return %r : tensor<4x4xbf16>
}

// Not where rows are gathered, nor what has no static shape yet.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: llm.fused
func.func @left_alone(%x: tensor<2x8xbf16>, %e: tensor<2x2xi32>) -> tensor<4x8xbf16> {
  %d = llm.moe_dispatch "dispatch" %x, %e : tensor<2x8xbf16>, tensor<2x2xi32>
  %s = llm.activation "act" silu %d : tensor<4x8xbf16>
  return %s : tensor<4x8xbf16>
}
