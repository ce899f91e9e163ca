// tile
func.func @f(%x: tensor<4xi32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = [affine_map<(i) -> (i)>]} outs(%x : tensor<4xi32>) {
  ^bb0(%a: i32):
    linalg.yield %a : i32
  } -> tensor<4xi32>
  return
}
