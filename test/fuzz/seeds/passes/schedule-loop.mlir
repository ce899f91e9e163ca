// tile schedule verify-schedule perfetto report
func.func @loop(%x: tensor<8x4xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = llm.add "before" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> tensor<8x4xbf16> {
    %1 = llm.add "first.{}" %a, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    %2 = llm.add "second.{}" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    scf.yield %2 : tensor<8x4xbf16>
  }
  %3 = llm.add "after" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
  return
}
