// What a kernel of several ops does to decisions: those of its ops are dropped.
// RUN: llm-opt %s --llm-tile --llm-schedule --llm-fuse | %one-line > %t.fused
// RUN: FileCheck %s < %t.fused
// CHECK-NOT: llm.schedule
// CHECK: llm.fused "a+b" {
// CHECK-NOT: llm.tile
// CHECK-NOT: llm.slots

// A tile that cuts k outside of n would take the sums away before they are complete.
// RUN: llm-opt %t.fused --llm-tile | %one-line > %t.tiled
// RUN: sed -E '/a\+b/s/sizes = \{[^}]*\}, order = \[[^]]*\]/sizes = {k = 2, m = 3, n = 2}, order = [k, m, n]/' %t.tiled > %t.edited
// RUN: not llm-opt %t.edited --llm-cost -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: error: 'llm.fused' op has a tile that would compute 'matmul.out' again: loops that it does not have must be inside of those that it has, or uncut
// RUN: sed 's/order = \[k, m, n\]/order = [m, n, k]/' %t.edited | llm-opt --llm-cost -o /dev/null

// Stale tiles are known: the ops inside are a part of the stamp.
// RUN: sed 's/rmsnorm \(.*\)epsilon 1.0e-5/rmsnorm \1epsilon 1.0e-6/' %t.tiled | not llm-opt --llm-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: stale
func.func @f(%x: tensor<3x8xbf16>, %w: tensor<8x4xbf16>, %r: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  %o = llm.matmul "a" %x, %w : tensor<3x8xbf16>, tensor<8x4xbf16>
  %s = llm.add "b" %r, %o : tensor<3x4xbf16>, tensor<3x4xbf16>
  return %s : tensor<3x4xbf16>
}
func.func @g(%x: tensor<3x8xbf16>, %r: tensor<3x8xbf16>) -> tensor<3x8xbf16> {
  %s = llm.add "c" %r, %x : tensor<3x8xbf16>, tensor<3x8xbf16>
  %n = llm.rmsnorm "d" %s epsilon 1.0e-5 : tensor<3x8xbf16>
  return %n : tensor<3x8xbf16>
}
