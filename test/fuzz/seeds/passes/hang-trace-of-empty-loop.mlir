// tile schedule verify-schedule perfetto
func.func @f(%x: tensor<4x4xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %many = arith.constant 100000000000000000 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %0 = llm.add "body.{}" %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
    scf.for %j = %c0 to %many step %c1 {
      scf.for %k = %c0 to %c2 step %c1 {
      }
    }
  }
  return
}
