func.func @block(%x: tensor<4x64xbf16>) -> tensor<4x32xbf16> {
  %scale = llm.weight "norm.weight" : tensor<64xbf16>
  %h = llm.rmsnorm "norm" %x, %scale epsilon 1.0e-05 : tensor<4x64xbf16>, tensor<64xbf16>
  %w = llm.weight "proj.weight" : tensor<32x64xbf16>
  %y = llm.matmul "proj" %h, %w transpose_rhs : tensor<4x64xbf16>, tensor<32x64xbf16>
  return %y : tensor<4x32xbf16>
}
