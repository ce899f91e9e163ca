// kernels tile cost verify-cost schedule verify-schedule report=json
func.func @sum_and_norm(%x: tensor<2x4xbf16>, %y: tensor<2x4xbf16>, %w: tensor<4xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>) {
  %r:2 = llm.fused "residual+norm" {
    %s = llm.add "residual" %x, %y : tensor<2x4xbf16>, tensor<2x4xbf16>
    %n = llm.rmsnorm "norm" %s, %w epsilon 1.0e-5 : tensor<2x4xbf16>, tensor<4xbf16>
    llm.yield %s, %n : tensor<2x4xbf16>, tensor<2x4xbf16>
  } : tensor<2x4xbf16>, tensor<2x4xbf16>
  return %r#0, %r#1 : tensor<2x4xbf16>, tensor<2x4xbf16>
}

func.func @keys(%x: tensor<2x4xbf16>, %w: tensor<8x4xbf16>, %v: tensor<1x2x2x4xbf16>, %q: tensor<1x2x2x4xbf16>) -> tensor<1x2x2x4xbf16> {
  %c = llm.kv_cache "attn" : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %d = llm.fused "k_proj+k_rope+kv_write" {
    %k = llm.matmul "k_proj" %x, %w transpose_rhs : tensor<2x4xbf16>, tensor<8x4xbf16>
    %e = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 2, 2, 4] : tensor<2x8xbf16> into tensor<1x2x2x4xbf16>
    %r = llm.rope "k_rope" %e at 0 theta 1.0e4 : tensor<1x2x2x4xbf16>
    %s = llm.kv_write "kv_write" %c, %r, %v at 0 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>, tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>
    llm.yield %s : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  } : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %keys, %values = llm.kv_read %d rows 0 to 2 : <batch = 1, kv_heads = 2, head_dim = 4, capacity = 2, bf16>
  %o = llm.gqa_attn "attn" %q, %keys, %values mask causal scale 0.5 : tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>, tensor<1x2x2x4xbf16>
  return %o : tensor<1x2x2x4xbf16>
}

func.func @turns(%x: tensor<2x4xbf16>, %w: tensor<4x6xbf16>) -> tensor<2x3xbf16> {
  %y = llm.fused {
    %p = llm.matmul %x, %w : tensor<2x4xbf16>, tensor<4x6xbf16>
    %g = tensor.extract_slice %p[0, 0] [2, 3] [1, 2] : tensor<2x6xbf16> to tensor<2x3xbf16>
    %u = tensor.extract_slice %p[0, 1] [2, 3] [1, 2] : tensor<2x6xbf16> to tensor<2x3xbf16>
    %s = llm.swiglu %g, %u : tensor<2x3xbf16>, tensor<2x3xbf16>
    llm.yield %s : tensor<2x3xbf16>
  } : tensor<2x3xbf16>
  return %y : tensor<2x3xbf16>
}
