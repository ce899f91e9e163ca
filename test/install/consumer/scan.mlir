// Both directions of a small scan, added up.
!bytime = tensor<5x3xf32>
!states = tensor<5x2xf32>
!state = tensor<3x2xf32>
func.func @scan(%x: !bytime, %dt: !bytime, %a: !state, %b: !states, %c: !states, %s: !state) -> (!state, !bytime) {
  %forward, %last = ssm.scan "mixer.forward" %x, %dt, %a, %b, %c from %s : !bytime, !state, !states, !state
  %xr = ssm.flip %x : !bytime
  %yr, %first = ssm.scan "mixer.backward" %xr, %dt, %a, %b, %c from %s : !bytime, !state, !states, !state
  %backward = ssm.flip %yr : !bytime
  %y = llm.add "mixer.sum" %forward, %backward : !bytime, !bytime
  return %last, %y : !state, !bytime
}
