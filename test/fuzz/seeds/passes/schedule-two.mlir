// tile schedule verify-schedule perfetto report
func.func @two(%x: tensor<16x10xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<16x10xbf16>, tensor<16x10xbf16>
  %1 = llm.add "b" %x, %x : tensor<16x10xbf16>, tensor<16x10xbf16>
  return
}
