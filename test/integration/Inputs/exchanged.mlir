// The weight is cut along its columns over two chips; a sum over three chips is three times what each has.
module attributes {llm.grid = #llm.grid<a = 2, b = 3>} {
  func.func @exchanged(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
    %w = llm.weight "w" {llm.piece = #llm.shard<{d1 = [a]}>} : tensor<6x2xf32>
    // By rows instead, and whole.
    %rows = llm.all_to_all %w over [a] from 0 to 1 : tensor<6x2xf32> -> tensor<3x4xf32>
    %whole = llm.all_gather %rows over [a] dim 0 : tensor<3x4xf32> -> tensor<6x4xf32>
    %y = llm.add %x, %whole : tensor<6x4xf32>, tensor<6x4xf32>
    // A third of the rows of the sum on each chip, and all of them again.
    %third = llm.reduce_scatter sum %y over [b] dim 0 : tensor<6x4xf32> -> tensor<2x4xf32>
    %z = llm.all_gather %third over [b] dim 0 : tensor<2x4xf32> -> tensor<6x4xf32>
    %same = llm.all_reduce max %y over [b, a] : tensor<6x4xf32>
    return %same, %z : tensor<6x4xf32>, tensor<6x4xf32>
  }
}
