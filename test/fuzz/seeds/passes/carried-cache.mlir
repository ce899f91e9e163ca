// fuse tile schedule report
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
