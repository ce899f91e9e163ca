// tile cost verify-cost schedule verify-schedule report=json perfetto dot
func.func @recurrent(%x: tensor<1x5x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>, %v: tensor<1x5x2x3xf32>, %a: tensor<1x5x2x4xf32>, %r: tensor<2xf32>) -> !llm.state<batch = 1, 5x2x4x3xf32> {
  %0 = llm.state "conv1d" : !llm.state<batch = 1, 3x4xf32>
  %y, %1 = llm.conv1d %x, %w bias %b from %0 activation silu : tensor<1x5x4xf32>, tensor<4x4xf32>, tensor<4xf32>, !llm.state<batch = 1, 3x4xf32>
  %q = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [1, 5, 1, 4] : tensor<1x5x4xf32> into tensor<1x5x1x4xf32>
  %2 = llm.state "delta" : !llm.state<batch = 1, 2x4x3xf32>
  %z, %3 = llm.linear_attn delta %q, %q, %v decay %a rate %r limit -5.0 from %2 chunk 2 qk_norm 1.0e-6 scale 1.0 : tensor<1x5x1x4xf32>, tensor<1x5x1x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x4xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x4x3xf32>
  %4 = llm.activation sigmoid %z : tensor<1x5x2x3xf32>
  %u, %5 = llm.linear_attn additive %q, %q, %4 skip %r from %3 scale 1.0 every_step : tensor<1x5x1x4xf32>, tensor<1x5x1x4xf32>, tensor<1x5x2x3xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return %5 : !llm.state<batch = 1, 5x2x4x3xf32>
}
