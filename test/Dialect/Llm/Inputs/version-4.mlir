module {
  func.func @compressed(%arg0: tensor<2x5x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<2x1x1x4xf32> {
    %state = llm.state "compressor" : <batch = 2, 2x8x8xf32>
    %pool:2 = llm.compress "pool" %arg0, %arg0 bias %arg1 from %state at [5, 9] every_step : tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<4x8xf32>, !llm.state<batch = 2, 2x8x8xf32>
    %expanded = tensor.expand_shape %pool#0 [[0], [1], [2, 3]] output_shape [2, 1, 1, 4] : tensor<2x1x4xf32> into tensor<2x1x1x4xf32>
    %turned = llm.rope "turned" %expanded at [4, 8] theta 10000.0 interleaved stride 4 : tensor<2x1x1x4xf32>
    %back = llm.rope "back" %turned at 5 theta 10000.0 inverse : tensor<2x1x1x4xf32>
    return %back : tensor<2x1x1x4xf32>
  }
  func.func @attention(%arg0: tensor<1x1x4x8xbf16>, %arg1: tensor<1x5x1x8xbf16>, %arg2: tensor<4xf32>, %arg3: tensor<1x1x1x2xi32>) -> tensor<1x1x4x8xbf16> {
    %all = llm.compressed_attn "all" %arg0, %arg1 sinks %arg2 mask causal window 3 entries %arg1 sees causal stride 4 lengths [22] scale 0.5 : tensor<1x1x4x8xbf16>, tensor<1x5x1x8xbf16>, tensor<4xf32> entries tensor<1x5x1x8xbf16>
    %some = llm.compressed_attn "some" %all, %arg1 mask causal entries %arg1 sees causal stride 4 lengths [22] selected %arg3 scale 0.5 : tensor<1x1x4x8xbf16>, tensor<1x5x1x8xbf16> entries tensor<1x5x1x8xbf16> selected tensor<1x1x1x2xi32>
    return %some : tensor<1x1x4x8xbf16>
  }
  func.func @experts(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x2xi32>, %arg2: tensor<4x8xf32>, %arg3: tensor<3xf32>, %arg4: tensor<8xf32>) -> (tensor<4x2xbf16>, tensor<4x8xf32>) {
    %shares, %experts = llm.moe_route "chosen" sqrt_softplus %arg0 chosen %arg1 top_k 2 normalize : tensor<4x8xbf16> chosen tensor<4x2xi32>
    %weights = llm.stream_weights "weights" %arg2 scale %arg3 bias %arg4 streams 2 iterations 3 epsilon 1.0e-6 : tensor<4x8xf32>, tensor<3xf32>, tensor<8xf32>
    return %shares, %weights : tensor<4x2xbf16>, tensor<4x8xf32>
  }
}

