// Kernels among ops with effects on memory: what has effects keeps its order (by hand, from the order of the program).
// RUN: llm-opt %s --llm-fuse=when=legal --verify-roundtrip | FileCheck %s
// RUN: llm-opt %s --llm-fuse=when=legal --remarks-filter=llm-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A store of what the first op makes follows the kernel, and the load behind it follows the store.
// CHECK-LABEL: func.func @memory
// CHECK: %[[R:.+]]:2 = llm.fused "a+b"
// CHECK: %[[E:.+]] = tensor.extract %[[R]]#0
// CHECK-NEXT: memref.store %[[E]]
// CHECK-NEXT: %[[L:.+]] = memref.load
// CHECK-NEXT: return %[[R]]#1, %[[L]]
func.func @memory(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>, %m: memref<1xbf16>, %i: index) -> (tensor<4x4xbf16>, bf16) {
  %a = llm.matmul "a" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %e = tensor.extract %a[%i, %i] : tensor<4x4xbf16>
  memref.store %e, %m[%i] : memref<1xbf16>
  %l = memref.load %m[%i] : memref<1xbf16>
  %b = llm.add "b" %a, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %b, %l : tensor<4x4xbf16>, bf16
}

func.func private @log(tensor<4x4xbf16>)
func.func private @next() -> tensor<4x4xbf16>

// Calls that wait for the kernel and one that does not come in the order of the program.
// CHECK-LABEL: func.func @calls
// CHECK-SAME: (%[[X:.+]]: tensor<4x4xbf16>, %{{.+}}: tensor<4x4xbf16>)
// CHECK: %[[R:.+]]:3 = llm.fused "a+b+c"
// CHECK: call @log(%[[R]]#0)
// CHECK-NEXT: call @log(%[[R]]#1)
// CHECK-NEXT: call @log(%[[X]])
// CHECK-NEXT: return
func.func @calls(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %a = llm.matmul "a" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  func.call @log(%a) : (tensor<4x4xbf16>) -> ()
  %b = llm.add "b" %a, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  func.call @log(%b) : (tensor<4x4xbf16>) -> ()
  func.call @log(%x) : (tensor<4x4xbf16>) -> ()
  %c = llm.add "c" %b, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %c : tensor<4x4xbf16>
}

// What does not wait for the kernel stays before it: the loop with an effect, not the call behind it.
// CHECK-LABEL: func.func @stays
// CHECK: scf.for
// CHECK: llm.fused "a+b"
// CHECK: call @log
func.func @stays(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>, %n: index) -> tensor<4x4xbf16> {
  %a = llm.matmul "a" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  scf.for %i = %n to %n step %n {
    func.call @log(%x) : (tensor<4x4xbf16>) -> ()
  }
  func.call @log(%a) : (tensor<4x4xbf16>) -> ()
  %b = llm.add "b" %a, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %b : tensor<4x4xbf16>
}

// The sum needs what a call makes that must follow one with the product's value: they stay two.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: llm.fused
// CHECK: llm.matmul "first"
// CHECK-NEXT: call @log
// CHECK-NEXT: call @next
// CHECK-NEXT: llm.add "sum"
// REMARK: [Missed] fuse {{.*}}'sum' stays apart from 'first': 'func.call' runs between them
func.func @refused(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %a = llm.matmul "first" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  func.call @log(%a) : (tensor<4x4xbf16>) -> ()
  %n = func.call @next() : () -> tensor<4x4xbf16>
  %b = llm.add "sum" %a, %n : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %b : tensor<4x4xbf16>
}

!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
!keys = tensor<1x2x2x4xbf16>

// A kernel that writes a cache and then goes on comes before the call that followed the write.
// CHECK-LABEL: func.func @write_first
// CHECK: llm.fused "rope+write+act"
// CHECK: call @tick
// CHECK-NEXT: return
func.func private @tick()
func.func @write_first(%k: !keys) -> (!llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, !keys) {
  %c = llm.kv_cache "attn" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %r = llm.rope "rope" %k at 0 theta 1.0e4 : !keys
  %d = llm.kv_write "write" %c, %r, %r at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, !keys, !keys
  func.call @tick() : () -> ()
  %a = llm.activation "act" relu %r : !keys
  return %d, %a : !cache, !keys
}

// A call between two writes: only one of them joins what they write.
// CHECK-LABEL: func.func @two_writes
// CHECK: llm.fused "rope2+one"
// CHECK: call @tick
// CHECK-NEXT: llm.kv_write "two"
// REMARK: [Missed] fuse {{.*}}'two' stays apart from 'one': 'func.call' runs between them
func.func @two_writes(%k: !keys) -> (!cache, !cache) {
  %c = llm.kv_cache "a" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %d = llm.kv_cache "b" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %r = llm.rope "rope2" %k at 0 theta 1.0e4 : !keys
  %e = llm.kv_write "one" %c, %r, %r at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, !keys, !keys
  func.call @tick() : () -> ()
  %f = llm.kv_write "two" %d, %r, %r at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, !keys, !keys
  return %e, %f : !cache, !cache
}

// What is read back from the cache is outside of the kernel that writes it: the sum follows both.
// CHECK-LABEL: func.func @read_back
// CHECK: llm.fused "rope3+write3"
// CHECK: llm.kv_read
// CHECK-NEXT: llm.add "sum3"
// REMARK: [Missed] fuse {{.*}}'sum3' stays apart from 'write3': 'llm.kv_read' runs between them
func.func @read_back(%k: !keys) -> !keys {
  %c = llm.kv_cache "c" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %r = llm.rope "rope3" %k at 0 theta 1.0e4 : !keys
  %d = llm.kv_write "write3" %c, %r, %r at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, !keys, !keys
  %keys, %values = llm.kv_read %d rows 0 to 2 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %s = llm.add "sum3" %r, %keys : !keys, !keys
  return %s : !keys
}

// A value that another block needs is a result of the kernel.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[R:.+]]:2 = llm.fused "p+q"
// CHECK: ^bb1:
// CHECK: llm.matmul "u" %[[R]]#0
func.func @blocks(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %a = llm.matmul "p" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %b = llm.add "q" %a, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  cf.br ^next
^next:
  %c = llm.matmul "u" %a, %b : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %c : tensor<4x4xbf16>
}
