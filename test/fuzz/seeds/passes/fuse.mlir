// fuse tile schedule
func.func @qkv(%x: tensor<3x8xbf16>) -> (tensor<3x6xbf16>, tensor<3x2xbf16>, tensor<3x2xbf16>) {
  %wq = llm.weight "q" : tensor<6x8xbf16>
  %q = llm.matmul "self_attn.q_proj" %x, %wq transpose_rhs : tensor<3x8xbf16>, tensor<6x8xbf16>
  %wk = llm.weight "k" : tensor<2x8xbf16>
  %k = llm.matmul "self_attn.k_proj" %x, %wk transpose_rhs : tensor<3x8xbf16>, tensor<2x8xbf16>
  %wv = llm.weight "v" : tensor<2x8xbf16>
  %v = llm.matmul "self_attn.v_proj" %x, %wv transpose_rhs : tensor<3x8xbf16>, tensor<2x8xbf16>
  return %q, %k, %v : tensor<3x6xbf16>, tensor<3x2xbf16>, tensor<3x2xbf16>
}

func.func @gate_up(%x: tensor<3x8xbf16>, %b: tensor<5xf32>) -> tensor<3x5xbf16> {
  %wg = llm.weight "g" : tensor<8x5xi8>
  %g = llm.matmul "mlp.gate_proj" %x, %wg bias %b : tensor<3x8xbf16>, tensor<8x5xi8>, tensor<5xf32>
  %wu = llm.weight "u" : tensor<8x5xi8>
  %c = llm.weight "c" : tensor<5xf32>
  %u = llm.matmul "mlp.up_proj" %x, %wu bias %c : tensor<3x8xbf16>, tensor<8x5xi8>, tensor<5xf32>
  %h = llm.swiglu "mlp.swiglu" %g, %u : tensor<3x5xbf16>, tensor<3x5xbf16>
  return %h : tensor<3x5xbf16>
}

func.func @different(%x: tensor<4x4xbf16>, %y: tensor<4x4xbf16>, %w: tensor<4x4xbf16>,
                     %v: tensor<4x4xi8>, %b: tensor<4xbf16>, %c: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = llm.matmul "a" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.matmul "b" %y, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = llm.matmul "c" %x, %w transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
  %3 = llm.matmul "d" %x, %v : tensor<4x4xbf16>, tensor<4x4xi8>
  %4 = llm.matmul "e" %x, %w bias %b : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xbf16>
  %5 = llm.matmul "f" %x, %w bias %c : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %6 = llm.matmul "g" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  }
  %7 = llm.matmul "h" %0, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

func.func @later(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %a = llm.matmul "first" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %b = llm.matmul "second" %x, %a : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %b : tensor<4x4xbf16>
}

func.func @names(%x: tensor<4x4xbf16>) {
  %w = llm.weight "w" : tensor<4x4xbf16>
  %0 = llm.matmul "a.q" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.matmul "b.k" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = llm.matmul "a.v" %x, %w transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
  %3 = llm.matmul %x, %w transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

func.func @dynamic(%x: tensor<?x4xbf16>, %w: tensor<4x4xbf16>) {
  %0 = llm.matmul "a" %x, %w : tensor<?x4xbf16>, tensor<4x4xbf16>
  %1 = llm.matmul "b" %x, %w : tensor<?x4xbf16>, tensor<4x4xbf16>
  return
}
