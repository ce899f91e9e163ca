// partition tile
module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @trips(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4x8xf32>) {
      %1 = llm.add "layers.{}.add" %h, %h : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %1 : tensor<4x8xf32>
    } {llm.stage = array<i64: 2, 2>}
    return %0 : tensor<4x8xf32>
  }
}
