// target=h100-sxm shard=all partition=chunks tile schedule verify-schedule perfetto
func.func @layers(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {
    llm.program = #llm.program<"m", decode, batch = 8, seq = 1, kv_len = 1, layers = 4 of 4>} {
  %u0 = llm.weight "u0" : tensor<64x64xf32>
  %d0 = llm.weight "d0" : tensor<64x64xf32>
  %h0 = llm.matmul "up0" %x, %u0 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y0 = llm.matmul "down0" %h0, %d0 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %u1 = llm.weight "u1" : tensor<64x64xf32>
  %d1 = llm.weight "d1" : tensor<64x64xf32>
  %h1 = llm.matmul "up1" %y0, %u1 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y1 = llm.matmul "down1" %h1, %d1 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %u2 = llm.weight "u2" : tensor<64x64xf32>
  %d2 = llm.weight "d2" : tensor<64x64xf32>
  %h2 = llm.matmul "up2" %y1, %u2 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y2 = llm.matmul "down2" %h2, %d2 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %u3 = llm.weight "u3" : tensor<64x64xf32>
  %d3 = llm.weight "d3" : tensor<64x64xf32>
  %h3 = llm.matmul "up3" %y2, %u3 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  %y3 = llm.matmul "down3" %h3, %d3 transpose_rhs : tensor<8x64xf32>, tensor<64x64xf32>
  return %y3 : tensor<8x64xf32>
}
