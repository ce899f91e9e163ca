// tile schedule verify-schedule perfetto
func.func @loop(%x: tensor<4x4xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = llm.add "before" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  scf.for %i = %c0 to %c4 step %c1 {
    %1 = llm.add "body.{}" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  }
  %2 = llm.add "after" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}
