// kernels=legal tile verify-cost schedule verify-schedule report=json perfetto
func.func @halves(%x: tensor<3x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<3x4xbf16> {
  %p = llm.matmul "gate_proj+up_proj" %x, %w : tensor<3x8xbf16>, tensor<8x8xbf16>
  %g = tensor.extract_slice %p[0, 0] [3, 4] [1, 1] : tensor<3x8xbf16> to tensor<3x4xbf16>
  %u = tensor.extract_slice %p[0, 4] [3, 4] [1, 1] : tensor<3x8xbf16> to tensor<3x4xbf16>
  %h = llm.swiglu "swiglu" %g, %u : tensor<3x4xbf16>, tensor<3x4xbf16>
  return %h : tensor<3x4xbf16>
}

func.func @keys(%x: tensor<2x4xbf16>, %w: tensor<8x4xbf16>, %v: tensor<1x2x2x4xbf16>) -> tensor<1x2x2x4xbf16> {
  %k = llm.matmul "k_proj" %x, %w transpose_rhs : tensor<2x4xbf16>, tensor<8x4xbf16>
  %e = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 2, 2, 4] : tensor<2x8xbf16> into tensor<1x2x2x4xbf16>
  %r = llm.rope "k_rope" %e at 0 theta 1.0e4 : tensor<1x2x2x4xbf16>
  %c = llm.kv_cache "attn" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %d = llm.kv_write "kv_write" %c, %r, %v at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>
  %keys, %values = llm.kv_read %d rows 0 to 2 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  return %keys : tensor<1x2x2x4xbf16>
}

func.func @order(%x: tensor<2x4xbf16>, %w: tensor<4x4xbf16>, %r: tensor<2x4xbf16>, %u: tensor<2x4xbf16>) -> (tensor<4x4xbf16>, tensor<2x4xbf16>) {
  %p = llm.matmul "first" %x, %w : tensor<2x4xbf16>, tensor<4x4xbf16>
  %v = tensor.collapse_shape %p [[0, 1]] : tensor<2x4xbf16> into tensor<8xbf16>
  %e = tensor.expand_shape %v [[0, 1]] output_shape [4, 2] : tensor<8xbf16> into tensor<4x2xbf16>
  %a = llm.matmul "between" %e, %u : tensor<4x2xbf16>, tensor<2x4xbf16>
  %s = llm.add "last" %p, %r : tensor<2x4xbf16>, tensor<2x4xbf16>
  return %a, %s : tensor<4x4xbf16>, tensor<2x4xbf16>
}
