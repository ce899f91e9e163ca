// A layer of the gated delta rule: one new token of each of two sequences. What the layer keeps of
// the tokens before is a matrix for each of 4 heads, and the last 3 inputs of its convolution. Both
// are read and written whole, however many tokens there were. 2 key heads serve 2 heads each.

!inputs = !llm.state<batch = 2, 3x128xbf16>
!matrices = !llm.state<batch = 2, 4x16x16xf32>

func.func @gated_delta_decode(%qkv: tensor<2x128xbf16>, %z: tensor<2x64xbf16>, %a: tensor<2x4xbf16>,
                              %b: tensor<2x4xbf16>) -> tensor<2x64xbf16> {
  %dt_bias = llm.weight "linear_attn.dt_bias" : tensor<4xf32>
  %step = llm.activation "linear_attn.decay" softplus %a bias %dt_bias : tensor<2x4xbf16>, tensor<4xf32>
  %strength = llm.activation "linear_attn.beta" sigmoid %b : tensor<2x4xbf16>
  %decay = tensor.expand_shape %step [[0, 1], [2]] output_shape [2, 1, 4] : tensor<2x4xbf16> into tensor<2x1x4xbf16>
  %beta = tensor.expand_shape %strength [[0, 1], [2]] output_shape [2, 1, 4] : tensor<2x4xbf16> into tensor<2x1x4xbf16>

  %x = tensor.expand_shape %qkv [[0, 1], [2]] output_shape [2, 1, 128] : tensor<2x128xbf16> into tensor<2x1x128xbf16>
  %taps = llm.weight "linear_attn.conv1d.weight" : tensor<128x4xbf16>
  %i0 = llm.state "linear_attn.conv1d.state" : !inputs
  %y, %i1 = llm.conv1d "linear_attn.conv1d" %x, %taps from %i0 activation silu
     : tensor<2x1x128xbf16>, tensor<128x4xbf16>, !inputs
  %q_rows = tensor.extract_slice %y [0, 0, 0] [2, 1, 32] [1, 1, 1] : tensor<2x1x128xbf16> to tensor<2x1x32xbf16>
  %k_rows = tensor.extract_slice %y [0, 0, 32] [2, 1, 32] [1, 1, 1] : tensor<2x1x128xbf16> to tensor<2x1x32xbf16>
  %v_rows = tensor.extract_slice %y [0, 0, 64] [2, 1, 64] [1, 1, 1] : tensor<2x1x128xbf16> to tensor<2x1x64xbf16>
  %q = tensor.expand_shape %q_rows [[0], [1], [2, 3]] output_shape [2, 1, 2, 16] : tensor<2x1x32xbf16> into tensor<2x1x2x16xbf16>
  %k = tensor.expand_shape %k_rows [[0], [1], [2, 3]] output_shape [2, 1, 2, 16] : tensor<2x1x32xbf16> into tensor<2x1x2x16xbf16>
  %v = tensor.expand_shape %v_rows [[0], [1], [2, 3]] output_shape [2, 1, 4, 16] : tensor<2x1x64xbf16> into tensor<2x1x4x16xbf16>

  %rate = llm.weight "linear_attn.A_log" : tensor<4xf32>
  %s0 = llm.state "linear_attn.state" : !matrices
  %o, %s1 = llm.linear_attn "linear_attn.attn" delta %q, %k, %v decay %decay rate %rate beta %beta from %s0
     qk_norm 1.0e-6 scale 0.25
     : tensor<2x1x2x16xbf16>, tensor<2x1x2x16xbf16>, tensor<2x1x4x16xbf16>, tensor<2x1x4xbf16>, tensor<4xf32>,
       tensor<2x1x4xbf16>, !matrices

  %rows = tensor.collapse_shape %o [[0, 1], [2], [3]] : tensor<2x1x4x16xbf16> into tensor<2x4x16xbf16>
  %w = llm.weight "linear_attn.norm.weight" : tensor<16xbf16>
  %normed = llm.rmsnorm "linear_attn.norm" %rows, %w epsilon 1.0e-6 : tensor<2x4x16xbf16>, tensor<16xbf16>
  %flat = tensor.collapse_shape %normed [[0], [1, 2]] : tensor<2x4x16xbf16> into tensor<2x64xbf16>
  %gated = llm.swiglu "linear_attn.gate" %z, %flat : tensor<2x64xbf16>, tensor<2x64xbf16>
  return %gated : tensor<2x64xbf16>
}
