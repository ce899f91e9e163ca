// tile cost verify-cost schedule verify-schedule report=json perfetto dot
func.func @compressed(%x: tensor<2x5x8xf32>, %b: tensor<4x8xf32>, %q: tensor<2x5x2x4xf32>, %z: tensor<2x7x1x4xf32>, %h: tensor<2xf32>, %w: tensor<2x5x2xf32>, %m: tensor<10x8xf32>, %s: tensor<3xf32>, %a: tensor<8xf32>, %t: tensor<10x3x4xf32>) -> (tensor<2x5x2x4xf32>, !llm.state<batch = 2, 2x12x8xf32>) {
  %0 = llm.state "compressor" : <batch = 2, 2x8x8xf32>
  %e, %n = llm.compress %x, %x bias %b from %0 at [5, 9] every_step : tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<4x8xf32>, !llm.state<batch = 2, 2x8x8xf32>
  %c = tensor.expand_shape %e [[0], [1], [2, 3]] output_shape [2, 1, 1, 4] : tensor<2x1x4xf32> into tensor<2x1x1x4xf32>
  %r = llm.rope %c at [4, 8] theta 1.0e4 interleaved stride 4 : tensor<2x1x1x4xf32>
  %1 = llm.kv_cache "entries" : <batch = 2, kv_heads = 1, head_dim = 4, capacity = 3, f32 latents>
  %2 = llm.kv_write %1, %r at [1, 2] : <batch = 2, kv_heads = 1, head_dim = 4, capacity = 3, f32 latents>, tensor<2x1x1x4xf32>
  %k = llm.kv_read %2 rows [0, 0] to [2, 3] : <batch = 2, kv_heads = 1, head_dim = 4, capacity = 3, f32 latents>
  %l = llm.select_keys %q, %k weights %w mask causal stride 4 lengths [10, 14] scale 0.5 top 2 : tensor<2x5x2x4xf32>, tensor<2x3x1x4xf32>, tensor<2x5x2xf32>
  %o = llm.compressed_attn %q, %z sinks %h mask causal window 3 entries %k sees causal stride 4 lengths [10, 14] selected %l scale 0.5 : tensor<2x5x2x4xf32>, tensor<2x7x1x4xf32>, tensor<2xf32> entries tensor<2x3x1x4xf32> selected tensor<2x5x1x2xi32>
  %i = llm.rope %o at [5, 9] theta 1.0e4 interleaved inverse : tensor<2x5x2x4xf32>
  %g = llm.stream_weights %m scale %s bias %a streams 2 iterations 3 epsilon 1.0e-6 : tensor<10x8xf32>, tensor<3xf32>, tensor<8xf32>
  %u = tensor.extract_slice %g[0, 2] [10, 6] [1, 1] : tensor<10x8xf32> to tensor<10x6xf32>
  %v = tensor.expand_shape %u [[0], [1, 2]] output_shape [10, 2, 3] : tensor<10x6xf32> into tensor<10x2x3xf32>
  %y = llm.mix_streams %v, %t : tensor<10x2x3xf32>, tensor<10x3x4xf32>
  return %i, %n : tensor<2x5x2x4xf32>, !llm.state<batch = 2, 2x12x8xf32>
}
