// tile
func.func @matmul(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %wt: tensor<16x8xbf16>, %b: tensor<16xf32>) {
  %0 = llm.matmul %x, %w bias %b : tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xf32>
  %1 = llm.matmul %x, %wt transpose_rhs : tensor<4x8xbf16>, tensor<16x8xbf16>
  return
}

func.func @rmsnorm(%x: tensor<2x8xbf16>, %w: tensor<8xf32>) {
  %0 = llm.rmsnorm %x, %w epsilon 1.0e-5 : tensor<2x8xbf16>, tensor<8xf32>
  return
}

func.func @rope(%x: tensor<1x2x4x8xf16>) {
  %0 = llm.rope %x at 3 theta 1.0e4 : tensor<1x2x4x8xf16>
  return
}

func.func @elementwise(%x: tensor<4x8xf32>) {
  %0 = llm.add %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %1 = llm.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %2 = llm.swiglu %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %3 = llm.activation silu %x : tensor<4x8xf32>
  %4 = llm.activation gelu %x : tensor<4x8xf32>
  %5 = llm.activation gelu_tanh %x : tensor<4x8xf32>
  %6 = llm.activation relu %x : tensor<4x8xf32>
  %7 = llm.activation relu2 %x : tensor<4x8xf32>
  return
}

func.func @softmax(%x: tensor<1x4x3x5xf32>) {
  %0 = llm.softmax %x mask causal : tensor<1x4x3x5xf32>
  %1 = llm.softmax %x mask full : tensor<1x4x3x5xf32>
  return
}

func.func @attention(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8xbf16>, %p: tensor<1x4x3x5xbf16>) {
  %0 = llm.gqa_attn %q, %k, %k mask causal scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
  %1 = llm.qk %q, %k mask causal scale 1.0 : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>
  %2 = llm.pv %p, %k mask causal : tensor<1x4x3x5xbf16>, tensor<1x5x2x8xbf16>
  %3 = llm.gqa_attn %q, %k, %k mask full scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xbf16>, tensor<1x5x2x8xbf16>
  return
}

func.func @kv_write(%c: !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f8E4M3FN>,
                    %k: tensor<1x1x2x8xf32>) {
  %0 = llm.kv_write %c, %k, %k at 3
     : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 8, capacity = 4, f8E4M3FN>,
       tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  return
}

func.func @storage(%x: tensor<3xi4>) {
  %0 = llm.add %x, %x : tensor<3xi4>, tensor<3xi4>
  return
}
