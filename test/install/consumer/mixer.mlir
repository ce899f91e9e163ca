// The mixer of a bidirectional Mamba block: 64 steps, 256 channels, 16 states each.
!bytime = tensor<64x256xbf16>
!states = tensor<64x16xbf16>
func.func @mixer(%x: !bytime, %dt: !bytime, %b: !states, %c: !states) -> tensor<64x128xbf16> {
  %a_log = llm.weight "layers.0.mixer.A_log" : tensor<256x16xbf16>
  %a = math.exp %a_log : tensor<256x16xbf16>
  %forward = ssm.scan "layers.0.mixer.forward" %x, %dt, %a, %b, %c : !bytime, tensor<256x16xbf16>, !states

  %xr = ssm.flip %x : !bytime
  %dtr = ssm.flip %dt : !bytime
  %br = ssm.flip %b : !states
  %cr = ssm.flip %c : !states
  %yr = ssm.scan "layers.0.mixer.backward" %xr, %dtr, %a, %br, %cr : !bytime, tensor<256x16xbf16>, !states
  %backward = ssm.flip %yr : !bytime

  %y = llm.add "layers.0.mixer.sum" %forward, %backward : !bytime, !bytime
  %w = llm.weight "layers.0.mixer.out_proj.weight" : tensor<128x256xbf16>
  %out = llm.matmul "layers.0.mixer.out_proj" %y, %w transpose_rhs : !bytime, tensor<128x256xbf16>
  return %out : tensor<64x128xbf16>
}
