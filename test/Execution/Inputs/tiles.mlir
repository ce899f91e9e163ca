// Ops that are cut: sums in parts, and heads in tiles of which the last is smaller.
func.func @program(%x: tensor<5x6xf32>, %q: tensor<2x5x6x2xf32>, %k: tensor<2x7x3x2xf32>) -> tensor<2x5x6x2xf32> {
  %w = llm.weight "w" : tensor<12x6xf32>
  %y = llm.matmul %x, %w transpose_rhs {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {k = 2, m = 2, n = 5}, order = [m, n, k], buffers = {}>]>} : tensor<5x6xf32>, tensor<12x6xf32>
  %one = tensor.expand_shape %y [[0, 1], [2, 3]] output_shape [1, 5, 6, 2] : tensor<5x12xf32> into tensor<1x5x6x2xf32>
  %all = tensor.concat dim(0) %one, %one : (tensor<1x5x6x2xf32>, tensor<1x5x6x2xf32>) -> tensor<2x5x6x2xf32>
  %s = llm.qk %q, %k mask causal scale 0.5 {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {b = 1, h = 2, g = 2, s = 3, t = 7, d = 2}, order = [b, h, g, s, t, d], buffers = {}>]>} : tensor<2x5x6x2xf32>, tensor<2x7x3x2xf32>
  %p = llm.softmax %s mask causal {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {b = 2, h = 4, s = 5, t = 7}, order = [b, h, s, t], buffers = {}>]>} : tensor<2x6x5x7xf32>
  %o = llm.pv %p, %k mask causal {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {b = 1, h = 2, g = 1, s = 5, t = 7, d = 2}, order = [b, h, g, s, t, d], buffers = {}>]>} : tensor<2x6x5x7xf32>, tensor<2x7x3x2xf32>
  %z = llm.add %all, %o {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 5, d2 = 6, d3 = 2}, order = [d0, d1, d2, d3], buffers = {}>]>} : tensor<2x5x6x2xf32>, tensor<2x5x6x2xf32>
  %a = llm.gqa_attn %z, %k, %k mask causal scale 0.5 {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {b = 2, h = 2, g = 1, s = 2, t = 7, d = 2}, order = [b, h, g, s, t, d], buffers = {}>]>} : tensor<2x5x6x2xf32>, tensor<2x7x3x2xf32>, tensor<2x7x3x2xf32>
  return %a : tensor<2x5x6x2xf32>
}
