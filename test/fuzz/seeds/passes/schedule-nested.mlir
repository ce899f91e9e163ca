// tile schedule verify-schedule perfetto report
func.func @nested(%x: tensor<8x4xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %0 = llm.add "outer" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    scf.for %j = %c0 to %c2 step %c1 {
      %1 = llm.add "inner" %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>
    }
  }
  scf.for %i = %c0 to %c7 step %c1 {
  }
  return
}
