// tile schedule verify-schedule perfetto report
func.func @attention(%q: tensor<1x4x2x8xbf16>) {
  %0 = llm.gqa_attn "attn" %q, %q, %q mask causal scale 1.0
    : tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>
  return
}
