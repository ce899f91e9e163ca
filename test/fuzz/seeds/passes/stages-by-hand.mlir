// target=h100-sxm shard=pp partition tile schedule verify-schedule report=json
func.func @by_hand(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = llm.add "first" %x, %x {llm.stage = 0 : i64} : tensor<2x8xf32>, tensor<2x8xf32>
  %1 = llm.add "second" %0, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %2 = llm.add "third" %1, %x {llm.stage = 1 : i64} : tensor<2x8xf32>, tensor<2x8xf32>
  return %0, %2 : tensor<2x8xf32>, tensor<2x8xf32>
}
