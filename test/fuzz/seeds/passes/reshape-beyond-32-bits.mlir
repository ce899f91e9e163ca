// target=h100-sxm shard=rows partition=chunks tile schedule verify-schedule

func.func @layers(%x: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {llm.program = #llm.program<"m", decode, batch = 4, seq = 1, kv_len = 8, layers = 2 of 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> (tensor<4x32xf32>) {
    %n = llm.rmsnorm "norm" %h epsilon 1.0e-5 : tensor<4x32xf32>
    %wu = llm.weight "wu" : tensor<64x32xf32>
    %u = llm.matmul "up" %n, %wu transpose_rhs : tensor<4x32xf32>, tensor<64x32xf32>
    %a = llm.activation "act" silu %u : tensor<4x64xf32>
    %wd = llm.weight "wd" : tensor<32x64xf32>
    %d = llm.matmul "down" %a, %wd transpose_rhs : tensor<4x64xf32>, tensor<32x64xf32>
    %s = llm.add "sum" %h, %d : tensor<4x32xf32>, tensor<4x32xf32>
    scf.yield %s : tensor<4x32xf32>
  }
  return %y : tensor<4x32xf32>
}


func.func @caches(%x: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {llm.program = #llm.program<"m", decode, batch = 4, seq = 1, kv_len = 9, layers = 1 of 2>} {
  %wq = llm.weight "wq" : tensor<8x32xf32>
  %q = llm.matmul "q" %x, %wq transpose_rhs : tensor<4x32xf32>, tensor<8x32xf32>
  %wk = llm.weight "wk" : tensor<8x32xf32>
  %k = llm.matmul "k" %x, %wk transpose_rhs : tensor<4x32xf32>, tensor<8x32xf32>
  %qh = tensor.expand_shape %q [[0x7FF8000000000000, 1], [2, 3]] output_shape [4, 1, 2, 4] : tensor<4x8xf32> into tensor<4x1x2x4xf32>
  %kh = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [4, 1, 2, 4] : tensor<4x8xf32> into tensor<4x1x2x4xf32>
  %c0 = llm.kv_cache "c" : <batch = 4, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %c1 = llm.kv_write "write" %c0, %kh, %kh at 8 : <batch = 4, kv_heads = 2, head_dim = 4, capacity = 9, f32>, tensor<4x1x2x4xf32>, tensor<4x1x2x4xf32>
  %keys, %values = llm.kv_read %c1 rows 0 to 9 : <batch = 4, kv_heads = 2, head_dim = 4, capacity = 9, f32>
  %a = llm.gqa_attn "attn" %qh, %keys, %values mask causal scale 0.5 : tensor<4x1x2x4xf32>, tensor<4x9x2x4xf32>, tensor<4x9x2x4xf32>
  %rows = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<4x1x2x4xf32> into tensor<4x8xf32>
  %wo = llm.weight "wo" : tensor<32x8xf32>
  %o = llm.matmul "o" %rows, %wo transpose_rhs : tensor<4x8xf32>, tensor<32x8xf32>
  return %o : tensor<4x32xf32>
}

