// Kernels where several engines work side by side: no op may start later than it can with an engine for each op.
// RUN: llm-opt %s --llm-target=name=npu --llm-fuse | FileCheck %s
// RUN: llm-opt %s --llm-target=name=npu --llm-fuse --remarks-filter=llm-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// One core of the same chip, where only the sum counts.
// RUN: sed 's/"count": 4/"count": 1/' %root/lib/Target/presets/npu.json > %t.core.json
// RUN: llm-opt %s --llm-target=file=%t.core.json --llm-fuse | FileCheck %s --check-prefix=CORE

// A product takes 64 x 64 x 64 macs at 4096, 64 cycles, but moves 3 x 8192 bytes at 100 a cycle, 246 cycles; elementwise
// ops move as many, a norm 2 x 8192, 164 cycles.

// In one kernel with `gate` the norm would end with it, and `up` would start 164 cycles later or more; `swiglu` is in one
// kernel with neither, as that product would have to wait for the other one.
// CHECK-LABEL: func.func @side_by_side
// CHECK-NOT: llm.fused
// CORE-LABEL: func.func @side_by_side
// CORE: llm.fused "norm+gate"
// CORE: llm.fused "up+swiglu"
// REMARK: [Missed] fuse {{.*}}'gate' stays apart from 'norm': 'up' would start later, where engines work side by side
// REMARK: [Missed] fuse {{.*}}'swiglu' stays apart from 'gate': 'func.return' would start later, where engines work side by side
// REMARK: [Missed] fuse {{.*}}'swiglu' stays apart from 'up': 'func.return' would start later
func.func @side_by_side(%x: tensor<64x64xbf16>, %v: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %n = llm.rmsnorm "norm" %x epsilon 1.0e-5 : tensor<64x64xbf16>
  %g = llm.matmul "gate" %n, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %u = llm.matmul "up" %n, %w : tensor<64x64xbf16>, tensor<64x64xbf16>
  %h = llm.swiglu "swiglu" %g, %u : tensor<64x64xbf16>, tensor<64x64xbf16>
  return %h : tensor<64x64xbf16>
}

// One reader, and what else it reads is there: a residual. Another reader that waits for the residual in any case (`twice`
// needs the norm, which needs the sum) does not wait longer.
// CHECK-LABEL: func.func @in_a_row
// CHECK: llm.fused "product+residual"
func.func @in_a_row(%x: tensor<64x64xbf16>, %v: tensor<64x64xbf16>, %w: tensor<64xbf16>) -> tensor<64x64xbf16> {
  %o = llm.matmul "product" %x, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %s = llm.add "residual" %x, %o : tensor<64x64xbf16>, tensor<64x64xbf16>
  %n = llm.rmsnorm "behind" %s, %w epsilon 1.0e-5 : tensor<64x64xbf16>, tensor<64xbf16>
  %t = llm.add "twice" %s, %n : tensor<64x64xbf16>, tensor<64x64xbf16>
  return %t : tensor<64x64xbf16>
}

// There is time: `short` waits for `other`, 246 cycles, and moves 4 x 8192 bytes in one kernel with the sum, 328, but `last`
// waits for three products in a row, 3 x 246.
// CHECK-LABEL: func.func @slack
// CHECK: llm.fused "short+sum"
// CHECK: llm.matmul "last"
func.func @slack(%x: tensor<64x64xbf16>, %v: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %o = llm.matmul "other" %v, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %p = llm.matmul "short" %x, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %s = llm.add "sum" %p, %o : tensor<64x64xbf16>, tensor<64x64xbf16>
  %a = llm.matmul "long.1" %x, %x : tensor<64x64xbf16>, tensor<64x64xbf16>
  %b = llm.matmul "long.2" %a, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %c = llm.matmul "long.3" %b, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %r = llm.matmul "last" %c, %s : tensor<64x64xbf16>, tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// A loop is a barrier: the product can run beside the one before the loop, and would run alone behind it.
// CHECK-LABEL: func.func @loop
// CHECK-NOT: llm.fused
// CORE-LABEL: func.func @loop
// CORE: llm.fused "before+after"
// REMARK: [Missed] fuse {{.*}}'after' stays apart from 'before': 'func.return' would start later
func.func @loop(%x: tensor<64x64xbf16>, %v: tensor<64x64xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %p = llm.matmul "before" %x, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<64x64xbf16> {
    %b = llm.matmul "inside.{}" %y, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
    scf.yield %b : tensor<64x64xbf16>
  }
  %s = llm.add "after" %p, %x : tensor<64x64xbf16>, tensor<64x64xbf16>
  return %r, %s : tensor<64x64xbf16>, tensor<64x64xbf16>
}

// Nobody reads it, and it would still be the last to end: `late` and its sum wait for nothing now, for `row` then.
// CHECK-LABEL: func.func @unread
// CHECK: llm.matmul "late"
// REMARK: [Missed] fuse {{.*}}'unread' stays apart from 'late': they would be the last to end, where engines work side by side
func.func @unread(%x: tensor<64x64xbf16>, %v: tensor<64x64xbf16>) {
  %p = llm.matmul "late" %x, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %a = llm.matmul "row" %v, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %s = llm.add "unread" %p, %a : tensor<64x64xbf16>, tensor<64x64xbf16>
  return
}

// The same before a loop, which would start later.
// CHECK-LABEL: func.func @before_loop
// CHECK-NOT: llm.fused
// REMARK: [Missed] fuse {{.*}}'waits' stays apart from 'early': they would be the last to end
func.func @before_loop(%x: tensor<64x64xbf16>, %v: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %p = llm.matmul "early" %x, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %a = llm.matmul "beside" %v, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
  %s = llm.add "waits" %p, %a : tensor<64x64xbf16>, tensor<64x64xbf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<64x64xbf16> {
    %b = llm.matmul "within.{}" %y, %v : tensor<64x64xbf16>, tensor<64x64xbf16>
    scf.yield %b : tensor<64x64xbf16>
  }
  %l = llm.matmul "behind_loop" %r, %r : tensor<64x64xbf16>, tensor<64x64xbf16>
  %m = llm.matmul "last_of_all" %l, %r : tensor<64x64xbf16>, tensor<64x64xbf16>
  return %m : tensor<64x64xbf16>
}
