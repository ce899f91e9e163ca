// tile schedule verify-schedule perfetto report
func.func @kinds(%x: tensor<4x4xbf16>) {
  %0 = llm.matmul "m" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.add "a" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}
