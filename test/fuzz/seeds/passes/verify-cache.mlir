// tile schedule verify-schedule perfetto
!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, bf16>
func.func @cache(%q: tensor<1x1x1x8xbf16>) {
  %0 = llm.kv_cache "c" : !cache
  %1 = llm.kv_write "write" %0, %q, %q at 3 : !cache, tensor<1x1x1x8xbf16>, tensor<1x1x1x8xbf16>
  %keys, %values = llm.kv_read %1 rows 0 to 4 : !cache
  %2 = llm.gqa_attn "attn" %q, %keys, %values mask full scale 1.0
    : tensor<1x1x1x8xbf16>, tensor<1x4x1x8xbf16>, tensor<1x4x1x8xbf16>
  return
}
