// Kernels and sizes that are open: a kernel is bound with its ops; ops without static shapes are
// not joined.
// RUN: llm-opt %s --llm-bind-shapes=sizes=batch=2 --llm-tile | %one-line | FileCheck %s
// RUN: llm-opt %s --llm-fuse | %one-line | FileCheck %s --check-prefix=OPEN

// Work: 2 x 4 sums and as many comparisons.
// CHECK-LABEL: func.func @kernel
// CHECK: llm.fused {{.*}}work = {alu = 8, compare = 8}
// CHECK: llm.activation {{.*}} : tensor<2x4xbf16>
// CHECK: } : tensor<2x4xbf16>
func.func @kernel(%a: tensor<?x4xbf16>) -> tensor<?x4xbf16> {
  %batch = llm.size "batch"
  %x = llm.sized %a[%batch] : tensor<?x4xbf16>
  %y = llm.fused "sum+act" {
    %s = llm.add "sum" %x, %x : tensor<?x4xbf16>, tensor<?x4xbf16>
    %r = llm.activation "act" relu %s : tensor<?x4xbf16>
    llm.yield %r : tensor<?x4xbf16>
  } : tensor<?x4xbf16>
  return %y : tensor<?x4xbf16>
}

// OPEN-LABEL: func.func @ops
// OPEN-NOT: llm.fused
func.func @ops(%a: tensor<?x4xbf16>) -> tensor<?x4xbf16> {
  %batch = llm.size "batch"
  %x = llm.sized %a[%batch] : tensor<?x4xbf16>
  %s = llm.add "sum" %x, %x : tensor<?x4xbf16>, tensor<?x4xbf16>
  %r = llm.activation "act" relu %s : tensor<?x4xbf16>
  return %r : tensor<?x4xbf16>
}
