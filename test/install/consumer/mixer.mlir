// The mixer of a bidirectional Mamba block: 64 steps, 256 channels, 16 states each.
!bytime = tensor<64x256xbf16>
!states = tensor<64x16xbf16>
!state = tensor<256x16xf32>
func.func @mixer(%x: !bytime, %dt: !bytime, %b: !states, %c: !states, %s: !state) -> tensor<64x128xbf16> {
  %a_log = llm.weight "layers.0.mixer.A_log" : tensor<256x16xbf16>
  %a = math.exp %a_log : tensor<256x16xbf16>
  %forward, %last = ssm.scan "layers.0.mixer.forward" %x, %dt, %a, %b, %c from %s : !bytime, tensor<256x16xbf16>, !states, !state

  %xr = ssm.flip %x : !bytime
  %dtr = ssm.flip %dt : !bytime
  %br = ssm.flip %b : !states
  %cr = ssm.flip %c : !states
  %yr, %first = ssm.scan "layers.0.mixer.backward" %xr, %dtr, %a, %br, %cr from %s : !bytime, tensor<256x16xbf16>, !states, !state
  %backward = ssm.flip %yr : !bytime

  %y = llm.add "layers.0.mixer.sum" %forward, %backward : !bytime, !bytime
  %w = llm.weight "layers.0.mixer.out_proj.weight" : tensor<128x256xbf16>
  %out = llm.matmul "layers.0.mixer.out_proj" %y, %w transpose_rhs : !bytime, tensor<128x256xbf16>
  return %out : tensor<64x128xbf16>
}
