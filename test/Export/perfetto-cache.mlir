// What KV caches hold over time: two vectors of 64 values of 2 bytes a position, 256 bytes.
// RUN: rm -rf %t && split-file %s %t && cd %t

// Four positions are there before the one that is written, in each of two sequences; in a ragged
// batch two and six of them.
// RUN: llm-opt one.mlir --llm-target --llm-tile --llm-schedule --llm-export-perfetto=file=one.json -o out.mlir
// RUN: grep '"name":"KV cache' one.json | FileCheck one.mlir
// RUN: sed 's/at 4/at [2, 6]/' one.mlir > ragged.mlir
// RUN: llm-opt ragged.mlir --llm-target --llm-tile --llm-schedule --llm-export-perfetto=file=ragged.json -o out.mlir
// RUN: grep '"name":"KV cache' ragged.json | FileCheck one.mlir

// A second write is into a state of which nothing says what it held at the start: then only what is
// written counts.
// RUN: llm-opt two.mlir --llm-target --llm-tile --llm-schedule --llm-export-perfetto=file=two.json -o out.mlir
// RUN: grep '"name":"KV cache' two.json | FileCheck two.mlir

// Nor is it known where several iterations write one cache: each is a state of its own.
// RUN: llm-opt loop.mlir --llm-target --llm-tile --llm-schedule --llm-export-perfetto=file=loop.json -o out.mlir
// RUN: grep '"name":"KV cache' loop.json | FileCheck loop.mlir

//--- one.mlir
// CHECK:      "name":"KV cache","pid":1,"ts":0.000,"args":{"bytes":2048}
// CHECK-NEXT: "name":"KV cache",{{.*}}"args":{"bytes":2560}
// CHECK-NOT:  "name"
!cache = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 64, capacity = 8, bf16>
func.func @one(%k: tensor<2x1x1x64xbf16>) -> !cache {
  %0 = llm.kv_cache "c" : !cache
  %1 = llm.kv_write "w" %0, %k, %k at 4 : !cache, tensor<2x1x1x64xbf16>, tensor<2x1x1x64xbf16>
  return %1 : !cache
}

//--- two.mlir
// CHECK:      "name":"KV cache written","pid":1,"ts":0.000,"args":{"bytes":0}
// CHECK-NEXT: "name":"KV cache written",{{.*}}"args":{"bytes":512}
// CHECK-NEXT: "name":"KV cache written",{{.*}}"args":{"bytes":1024}
// CHECK-NOT:  "name"
!cache = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 64, capacity = 8, bf16>
func.func @two(%k: tensor<2x1x1x64xbf16>) -> !cache {
  %0 = llm.kv_cache "c" : !cache
  %1 = llm.kv_write "w0" %0, %k, %k at 4 : !cache, tensor<2x1x1x64xbf16>, tensor<2x1x1x64xbf16>
  %2 = llm.kv_write "w1" %1, %k, %k at 5 : !cache, tensor<2x1x1x64xbf16>, tensor<2x1x1x64xbf16>
  return %2 : !cache
}

//--- loop.mlir
// CHECK:      "name":"KV cache written","pid":1,"ts":0.000,"args":{"bytes":0}
// CHECK:      "name":"KV cache written",{{.*}}"args":{"bytes":2048}
// CHECK-NOT:  "name"
!cache = !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 64, capacity = 8, bf16>
func.func @loop(%k: tensor<2x1x1x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = llm.kv_cache "c" : !cache
  scf.for %i = %c0 to %c4 step %c1 {
    %1 = llm.kv_write "w.{}" %0, %k, %k at 4 : !cache, tensor<2x1x1x64xbf16>, tensor<2x1x1x64xbf16>
  }
  return
}
