// target=h100-sxm tile schedule report=csv

module attributes {llm.grid = #llm.grid<dp = 4, tp = 2>} {
  func.func @exchange(%x: tensor<100x1000xbf16>, %e: tensor<100x2xi32>, %s: tensor<100x2xbf16>) -> tensor<100x1000xbf16> {
    %rows, %re, %rs = llm.expert_dispatch "dispatch" %x, %e shares %s over [dp] own [dp, tp] rows 150 : tensor<100x1000xbf16>, tensor<100x2xi32>, tensor<100x2xbf16>
    %y = llm.expert_combine "combine" %rows, %e over [dp] own [dp, tp] : tensor<150x1000xbf16>, tensor<100x2xi32>
    return %y : tensor<100x1000xbf16>
  }

  func.func @neighbours(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) -> tensor<4x8xf32> {
    %rows, %re = llm.expert_dispatch %x, %e over [tp] own [tp] rows 8 : tensor<4x8xf32>, tensor<4x1xi32>
    %y = llm.expert_combine %rows, %e over [tp] own [tp] : tensor<8x8xf32>, tensor<4x1xi32>
    return %y : tensor<4x8xf32>
  }
}
