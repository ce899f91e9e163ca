// The second half of a decoder layer, as kernels of several ops. The norm goes into the one product
// that reads it, of gate and up side by side; a column of the one half and its partner in the other
// one lie in one tile, so that swiglu follows in the same kernel. The residual follows the last
// product. What passes from op to op inside of a kernel never reaches memory.

func.func @fused_kernels(%x: tensor<16x64xbf16>) -> tensor<16x64xbf16> {
  %wn = llm.weight "model.layers.0.post_attention_layernorm.weight" : tensor<64xbf16>
  %wg = llm.weight "model.layers.0.mlp.gate_up_proj.weight" : tensor<256x64xbf16>
  %h = llm.fused "model.layers.0.post_attention_layernorm+mlp.gate_up_proj+mlp.swiglu" {
    %n = llm.rmsnorm "model.layers.0.post_attention_layernorm" %x, %wn epsilon 1.0e-5
       : tensor<16x64xbf16>, tensor<64xbf16>
    %p = llm.matmul "model.layers.0.mlp.gate_up_proj" %n, %wg transpose_rhs
       : tensor<16x64xbf16>, tensor<256x64xbf16>
    %g = tensor.extract_slice %p[0, 0] [16, 128] [1, 1] : tensor<16x256xbf16> to tensor<16x128xbf16>
    %u = tensor.extract_slice %p[0, 128] [16, 128] [1, 1] : tensor<16x256xbf16> to tensor<16x128xbf16>
    %s = llm.swiglu "model.layers.0.mlp.swiglu" %g, %u : tensor<16x128xbf16>, tensor<16x128xbf16>
    llm.yield %s : tensor<16x128xbf16>
  } : tensor<16x128xbf16>
  %wd = llm.weight "model.layers.0.mlp.down_proj.weight" : tensor<64x128xbf16>
  %y = llm.fused "model.layers.0.mlp.down_proj+mlp_residual" {
    %d = llm.matmul "model.layers.0.mlp.down_proj" %h, %wd transpose_rhs
       : tensor<16x128xbf16>, tensor<64x128xbf16>
    %r = llm.add "model.layers.0.mlp_residual" %x, %d : tensor<16x64xbf16>, tensor<16x64xbf16>
    llm.yield %r : tensor<16x64xbf16>
  } : tensor<16x64xbf16>
  return %y : tensor<16x64xbf16>
}
