// target=h100-sxm tile schedule report=csv
module attributes {llm.grid = #llm.grid<node = 2, tp = 4>} {
  func.func @exchange(%x: tensor<1000x1000xf32>, %small: tensor<10x100xf32>) {
    %0 = llm.all_reduce "reduce" sum %x over [tp] : tensor<1000x1000xf32>
    %1 = llm.all_reduce "small" max %small over [tp] : tensor<10x100xf32>
    %2 = llm.all_gather "gather" %1 over [tp] dim 1 : tensor<10x100xf32> -> tensor<10x400xf32>
    %3 = llm.reduce_scatter "scatter" sum %2 over [node] dim 0 : tensor<10x400xf32> -> tensor<5x400xf32>
    %4 = llm.all_to_all "exchange" %3 over [node, tp] from 1 to 0 : tensor<5x400xf32> -> tensor<40x50xf32>
    %5 = llm.take_piece %4 over [tp] dim 0 : tensor<40x50xf32> -> tensor<10x50xf32>
    return
  }
}
