// tile schedule verify-schedule perfetto report
func.func @views(%x: tensor<4x4xbf16>, %y: tensor<2x4xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.add "b" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = tensor.extract_slice %0[0, 0] [2, 4] [1, 1] : tensor<4x4xbf16> to tensor<2x4xbf16>
  %3 = llm.add "c" %2, %y : tensor<2x4xbf16>, tensor<2x4xbf16>
  return
}
