// All of so many elements, which threads share, are below 1000.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %limit = arith.constant 1000.0 : f32
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1024x1024xf32>) outs(%x : tensor<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %is = arith.cmpf ogt, %a, %limit : f32
    cf.assert %is, "no sum is as large"
    linalg.yield %a : f32
  } -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}
