// tile schedule
!cache = !llm.kv_cache<batch = 1, kv_heads = 8, head_dim = 64, capacity = 512, bf16>

func.func @weight(%layer: index, %expert: index) {
  %0 = llm.weight "model.norm.weight" : tensor<2048xbf16>
  %1 = llm.weight "model.layers.{}.mlp.up_proj.weight"[%layer] : tensor<8192x2048xbf16>
  %2 = llm.weight "layers.{}.experts.{}.weight"[%layer, %expert] {note = "kept"} : tensor<4x4xi8>
  return
}

func.func @cache(%layer: index, %k: tensor<1x1x8x64xbf16>, %v: tensor<1x1x8x64xbf16>)
    -> (tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>) {
  %0 = llm.kv_cache "model.layers.{}.self_attn"[%layer] : !cache
  %1 = llm.kv_write "w" %0, %k, %v at 511 : !cache, tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
  %2 = llm.kv_write %1, %k, %v at 0 : !cache, tensor<1x1x8x64xbf16>, tensor<1x1x8x64xbf16>
  %keys, %values = llm.kv_read %1 rows 0 to 512 : !cache
  %3 = llm.kv_cache "paged"
     : !llm.kv_cache<batch = 2, kv_heads = 1, head_dim = 8, capacity = 64, f8E4M3FN, page_size = 16>
  return %keys, %values : tensor<1x512x8x64xbf16>, tensor<1x512x8x64xbf16>
}

func.func @matmul(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %wt: tensor<16x8xi8>,
                  %b: tensor<16xf32>) -> (tensor<4x16xbf16>, tensor<4x16xbf16>) {
  %0 = llm.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16>
  %1 = llm.matmul "biased" %x, %w bias %b : tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xf32>
  %2 = llm.matmul "linear" %x, %wt bias %b transpose_rhs : tensor<4x8xbf16>, tensor<16x8xi8>, tensor<16xf32>
  return %0, %2 : tensor<4x16xbf16>, tensor<4x16xbf16>
}

func.func @elementwise(%x: tensor<2x8xbf16>, %w: tensor<8xf32>, %q: tensor<1x2x4x8xf16>,
                       %s: tensor<f32>) {
  %0 = llm.rmsnorm "norm" %x, %w epsilon 1.0e-5 : tensor<2x8xbf16>, tensor<8xf32>
  %1 = llm.rmsnorm %q, %w epsilon 0.0 : tensor<1x2x4x8xf16>, tensor<8xf32>
  %2 = llm.rope "rope" %q at 3 theta 1.0e4 : tensor<1x2x4x8xf16>
  %3 = llm.rope %q at 0 theta 0.5 : tensor<1x2x4x8xf16>
  %4 = llm.add "sum" %x, %x : tensor<2x8xbf16>, tensor<2x8xbf16>
  %5 = llm.add %s, %s : tensor<f32>, tensor<f32>
  %6 = llm.mul "product" %x, %x : tensor<2x8xbf16>, tensor<2x8xbf16>
  %7 = llm.swiglu "gated" %x, %x : tensor<2x8xbf16>, tensor<2x8xbf16>
  %8 = llm.activation "act" silu %x : tensor<2x8xbf16>
  %9 = llm.activation gelu %x : tensor<2x8xbf16>
  %10 = llm.activation gelu_tanh %x : tensor<2x8xbf16>
  %11 = llm.activation relu %x : tensor<2x8xbf16>
  %12 = llm.activation relu2 %x : tensor<2x8xbf16>
  return
}

func.func @attention(%q: tensor<1x3x4x8xbf16>, %k: tensor<1x5x2x8xf16>)
    -> (tensor<1x3x4x8xbf16>, tensor<1x4x3x5xbf16>, tensor<1x3x4x8xbf16>) {
  %0 = llm.gqa_attn "attn" %q, %k, %k mask causal scale 0.125
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>, tensor<1x5x2x8xf16>
  %1 = llm.gqa_attn %q, %k, %k mask full scale 1.0
     : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>, tensor<1x5x2x8xf16>
  %2 = llm.qk "attn.qk" %q, %k mask causal scale 0.125 : tensor<1x3x4x8xbf16>, tensor<1x5x2x8xf16>
  %3 = llm.softmax "attn.softmax" %2 mask causal : tensor<1x4x3x5xbf16>
  %4 = llm.pv "attn.pv" %3, %k mask causal : tensor<1x4x3x5xbf16>, tensor<1x5x2x8xf16>
  return %0, %3, %4 : tensor<1x3x4x8xbf16>, tensor<1x4x3x5xbf16>, tensor<1x3x4x8xbf16>
}

func.func @dynamic(%x: tensor<?x8xbf16>, %w: tensor<8x?xbf16>, %q: tensor<?x?x4x8xbf16>,
                   %k: tensor<?x?x2x8xbf16>, %c: !cache, %n: tensor<1x?x8x64xbf16>)
    -> (tensor<?x?xbf16>, tensor<?x4x?x?xbf16>) {
  %0 = llm.matmul %x, %w : tensor<?x8xbf16>, tensor<8x?xbf16>
  %1 = llm.qk %q, %k mask causal scale 1.0 : tensor<?x?x4x8xbf16>, tensor<?x?x2x8xbf16>
  %2 = llm.kv_write %c, %n, %n at 0 : !cache, tensor<1x?x8x64xbf16>, tensor<1x?x8x64xbf16>
  return %0, %1 : tensor<?x?xbf16>, tensor<?x4x?x?xbf16>
}
