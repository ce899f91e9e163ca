module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @pair(%arg0: tensor<4x32xbf16>, %arg1: tensor<4x32xbf16>) -> tensor<4x32xbf16> {
    %wu = llm.weight "wu" {llm.piece = #llm.shard<{d0 = [tp]}>} : tensor<32x32xbf16>
    %up = llm.matmul "up" %arg0, %wu transpose_rhs : tensor<4x32xbf16>, tensor<32x32xbf16>
    %act = llm.activation "act" silu %up : tensor<4x32xbf16>
    %wd = llm.weight "wd" {llm.piece = #llm.shard<{d1 = [tp]}>} : tensor<32x32xbf16>
    %down = llm.matmul "down" %act, %wd transpose_rhs : tensor<4x32xbf16>, tensor<32x32xbf16>
    %all_reduce = llm.all_reduce "down.all_reduce" sum %down over [tp] : tensor<4x32xbf16>
    %scatter = llm.reduce_scatter "scatter" max %arg1 over [tp] dim 1 : tensor<4x32xbf16> -> tensor<4x16xbf16>
    %exchange = llm.all_to_all "exchange" %scatter over [tp] from 0 to 1 : tensor<4x16xbf16> -> tensor<2x32xbf16>
    %gather = llm.all_gather "gather" %exchange over [tp] dim 0 : tensor<2x32xbf16> -> tensor<4x32xbf16>
    %piece = llm.take_piece %gather over [tp] dim 1 : tensor<4x32xbf16> -> tensor<4x16xbf16>
    %uncut = llm.scale "uncut" %piece by 2.0 {llm.shard = #llm.shard<{d1 = [tp]}>} : tensor<4x16xbf16>
    return %all_reduce : tensor<4x32xbf16>
  }
}

