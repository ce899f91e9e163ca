// target=h100-sxm shard=rounds partition tile schedule verify-schedule report=json
func.func @model(%bias: tensor<64xf32>, %x: tensor<3x64xf32>) -> tensor<3x192xf32> {
  %table = llm.weight "table" : tensor<3x64xf32>
  %0 = llm.add "scale" %x, %table : tensor<3x64xf32>, tensor<3x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %1 = scf.for %i = %c0 to %c6 step %c1 iter_args(%h = %0) -> (tensor<3x64xf32>) {
    %w = llm.weight "layers.{}.up.weight"[%i] : tensor<64x64xf32>
    %u = llm.matmul "layers.{1..6}.up" %h, %w transpose_rhs : tensor<3x64xf32>, tensor<64x64xf32>
    scf.yield %u : tensor<3x64xf32>
  }
  %wh = llm.weight "head" : tensor<192x64xf32>
  %2 = llm.rmsnorm "norm" %1, %bias epsilon 1.0e-5 : tensor<3x64xf32>, tensor<64xf32>
  %3 = llm.matmul "head" %2, %wh transpose_rhs : tensor<3x64xf32>, tensor<192x64xf32>
  return %3 : tensor<3x192xf32>
}
