// RUN: llm-opt %s --llm-tile --llm-schedule "--llm-export-report=file=- format=json" -o /dev/null \
// RUN:   | FileCheck %s

// A cache that a loop carries is one cache, however often it is written: in the end 4
// positions of 8 heads with 64 elements, keys and values, are valid: 4096. Each of the 4
// runs writes one position: 4 x 2 x 8 x 64 x 2 bytes = 8192.
// CHECK: "kv_elements": 4096,
// CHECK: "kv_write_bytes": 8192
!cache = !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 4, bf16>
func.func @carried(%k: tensor<1x1x8x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = llm.kv_cache "cache" : !cache
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%state = %0) -> (!cache) {
    %2 = llm.kv_write "write" %state, %k, %k at 3 : !cache, tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
    scf.yield %2 : !cache
  }
  return
}
