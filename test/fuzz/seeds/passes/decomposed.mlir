// engines=3 tile schedule perfetto=cycles
!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 16, capacity = 32, f8E4M3FN>

func.func @decomposed_attention(%q: tensor<1x8x4x16xbf16>, %k: tensor<1x8x2x16xbf16>,
                                %v: tensor<1x8x2x16xbf16>) -> tensor<1x8x4x16xbf16> {
  %c0 = llm.kv_cache "self_attn" : !cache
  %c1 = llm.kv_write "self_attn.kv_write" %c0, %k, %v at 24
      : !cache, tensor<1x8x2x16xbf16>, tensor<1x8x2x16xbf16>
  %keys, %values = llm.kv_read %c1 rows 0 to 32 : !cache
  %s = llm.qk "self_attn.attn.qk" %q, %keys mask causal scale 0.25
     : tensor<1x8x4x16xbf16>, tensor<1x32x2x16xf8E4M3FN>
  %p = llm.softmax "self_attn.attn.softmax" %s mask causal : tensor<1x4x8x32xbf16>
  %o = llm.pv "self_attn.attn.pv" %p, %values mask causal
     : tensor<1x4x8x32xbf16>, tensor<1x32x2x16xf8E4M3FN>
  return %o : tensor<1x8x4x16xbf16>
}
