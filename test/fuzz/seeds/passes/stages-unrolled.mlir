// target=h100-sxm shard=pp partition tile schedule verify-schedule report=json
func.func @unrolled(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = llm.add "layers.0.a" %x, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %1 = llm.add "layers.0.b" %0, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %2 = llm.add "layers.1.a" %1, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %3 = llm.add "layers.1.b" %2, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %4 = llm.add "layers.2.a" %3, %x : tensor<2x8xf32>, tensor<2x8xf32>
  %5 = llm.add "layers.2.b" %4, %x : tensor<2x8xf32>, tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}
