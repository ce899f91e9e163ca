// tile schedule verify-schedule perfetto
func.func @base(%x: tensor<4x4xbf16>, %z: tensor<16x16xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.add "b" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = llm.add "c" %0, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %3 = llm.add "d" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  %w = llm.weight "w" : tensor<16x16xbf16>
  %4 = llm.matmul "m" %z, %w : tensor<16x16xbf16>, tensor<16x16xbf16>
  return
}
