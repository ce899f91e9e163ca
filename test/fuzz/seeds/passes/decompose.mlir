// decompose tile=theoretical cost schedule
func.func @one(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x5x2x16xbf16>,
               %v: tensor<2x5x2x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %o = llm.gqa_attn "attn" %q, %k, %v mask causal scale 0.25 {
      llm.tile = #llm.tile<pinned>,
      llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 1, lanes = {}>]>}
    : tensor<2x3x4x16xbf16>, tensor<2x5x2x16xbf16>, tensor<2x5x2x16xbf16>
  return %o : tensor<2x3x4x16xbf16>
}

func.func @loop(%q: tensor<1x3x4x16xf32>, %k: tensor<1x2x1x16xf32>) -> tensor<1x3x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %q) -> tensor<1x3x4x16xf32> {
    %o = llm.gqa_attn %x, %k, %k mask full scale 1.0
      : tensor<1x3x4x16xf32>, tensor<1x2x1x16xf32>, tensor<1x2x1x16xf32>
    scf.yield %o : tensor<1x3x4x16xf32>
  }
  return %r : tensor<1x3x4x16xf32>
}

func.func @none() { return }
