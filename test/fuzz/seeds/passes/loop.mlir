// target=nvl-ax tile=theoretical schedule=earliest report=csv perfetto
func.func @loop_of_layers(%x: tensor<4x64xbf16>) -> tensor<4x256xbf16> {
  %first = arith.constant 0 : index
  %layers = arith.constant 4 : index
  %one = arith.constant 1 : index
  %hidden = scf.for %layer = %first to %layers step %one iter_args(%h = %x) -> (tensor<4x64xbf16>) {
    %wn = llm.weight "model.layers.{}.post_attention_layernorm.weight"[%layer] : tensor<64xbf16>
    %n = llm.rmsnorm "model.layers.{}.post_attention_layernorm" %h, %wn epsilon 1.0e-5
       : tensor<4x64xbf16>, tensor<64xbf16>
    %wg = llm.weight "model.layers.{}.mlp.gate_proj.weight"[%layer] : tensor<128x64xbf16>
    %g = llm.matmul "model.layers.{}.mlp.gate_proj" %n, %wg transpose_rhs
       : tensor<4x64xbf16>, tensor<128x64xbf16>
    %a = llm.activation "model.layers.{}.mlp.act_fn" silu %g : tensor<4x128xbf16>
    %wu = llm.weight "model.layers.{}.mlp.up_proj.weight"[%layer] : tensor<128x64xbf16>
    %u = llm.matmul "model.layers.{}.mlp.up_proj" %n, %wu transpose_rhs
       : tensor<4x64xbf16>, tensor<128x64xbf16>
    %m = llm.mul "model.layers.{}.mlp.gate_mul" %a, %u : tensor<4x128xbf16>, tensor<4x128xbf16>
    %wd = llm.weight "model.layers.{}.mlp.down_proj.weight"[%layer] : tensor<64x128xbf16>
    %d = llm.matmul "model.layers.{}.mlp.down_proj" %m, %wd transpose_rhs
       : tensor<4x128xbf16>, tensor<64x128xbf16>
    %r = llm.add "model.layers.{}.mlp_residual" %h, %d : tensor<4x64xbf16>, tensor<4x64xbf16>
    scf.yield %r : tensor<4x64xbf16>
  }
  %wf = llm.weight "model.norm.weight" : tensor<64xbf16>
  %f = llm.rmsnorm "model.norm" %hidden, %wf epsilon 1.0e-5 : tensor<4x64xbf16>, tensor<64xbf16>
  %wh = llm.weight "lm_head.weight" : tensor<256x64xbf16>
  %y = llm.matmul "lm_head" %f, %wh transpose_rhs : tensor<4x64xbf16>, tensor<256x64xbf16>
  return %y : tensor<4x256xbf16>
}
