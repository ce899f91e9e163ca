// Weights and caches become arguments by name, the last states results; a cache is two tensors, a
// block-scaled weight its values and its scales. What the ops compute is shown by
// integration/linalg-runs.test.
// RUN: llm-opt %s --convert-llm-to-linalg --split-input-file | FileCheck %s
// RUN: llm-opt %s --convert-llm-to-linalg --split-input-file --mlir-print-debuginfo | FileCheck %s --check-prefix=WHERE

// CHECK-LABEL: func.func @step
// CHECK-SAME: (%{{.*}}: tensor<1x1x2x4xbf16>, %[[LEN:[^:]+]]: index {llm.size = "kv_len"},
// CHECK-SAME: %[[K:[^:]+]]: tensor<1x?x2x4xbf16> {llm.cache = "attn.keys"},
// CHECK-SAME: %[[V:[^:]+]]: tensor<1x?x2x4xbf16> {llm.cache = "attn.values"})
// CHECK-SAME: -> (tensor<1x?x2x4xbf16>, tensor<1x?x2x4xbf16> {llm.cache = "attn.keys"}, tensor<1x?x2x4xbf16> {llm.cache = "attn.values"})
// CHECK: %[[K1:.*]] = tensor.insert_slice %{{.*}} into %[[K]]
// CHECK: %[[V1:.*]] = tensor.insert_slice %{{.*}} into %[[V]]
// CHECK: %[[READ:.*]] = tensor.extract_slice %[[K1]]
// CHECK: return %[[READ]], %[[K1]], %[[V1]]
func.func @step(%x: tensor<1x1x2x4xbf16>) -> tensor<1x?x2x4xbf16> {
  %len = llm.size "kv_len"
  %c1 = arith.constant 1 : index
  %at = arith.subi %len, %c1 : index
  %0 = llm.kv_cache "attn" sizes(%len) : <batch = 1, kv_heads = 2, head_dim = 4, capacity = ?, bf16>
  %1 = llm.kv_write "attn.write" %0, %x, %x at %at : <batch = 1, kv_heads = 2, head_dim = 4, capacity = ?, bf16>, tensor<1x1x2x4xbf16>, tensor<1x1x2x4xbf16>
  %k, %v = llm.kv_read %1 rows 0 to %len : <batch = 1, kv_heads = 2, head_dim = 4, capacity = ?, bf16>
  return %k : tensor<1x?x2x4xbf16>
}

// -----

// A scale for each block of 2 x 4, and one for all, of which no dimension is left.
// CHECK: #[[$BLOCK:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 2, d2 floordiv 4)>
// CHECK: #[[$ALL:.*]] = affine_map<(d0, d1, d2) -> ()>
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: %[[W:[^:]+]]: tensor<6x8xf8E4M3FN> {llm.source = "w"},
// CHECK-SAME: %[[S0:[^:]+]]: tensor<3x2xf32> {llm.source = "w.scales0"},
// CHECK-SAME: %[[S1:[^:]+]]: tensor<f32> {llm.source = "w.scales1"})
// Products are summed up in f32, and rounded once.
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [{{.*}}, #[[$BLOCK]], #[[$ALL]], {{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %[[W]], %[[S0]], %[[S1]] : {{.*}}) outs(%{{.*}} : tensor<5x6xf32>)
// CHECK: %[[OUT:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<5x6xf32>) outs(%{{.*}} : tensor<5x6xbf16>)
// CHECK-NEXT: ^bb0(%[[SUM:[^:]+]]: f32
// CHECK-NEXT: arith.truncf %[[SUM]] : f32 to bf16
// WHERE: loc(fused<{name = "up_proj"}>
func.func @scaled(%x: tensor<5x8xbf16>) -> tensor<5x6xbf16> {
  %w = llm.weight "w" : tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 4], f32, [?, ?], f32>>
  %y = llm.matmul "up_proj" %x, %w transpose_rhs : tensor<5x8xbf16>, tensor<6x8x!llm.block_scaled<f8E4M3FN, [2, 4], f32, [?, ?], f32>>
  return %y : tensor<5x6xbf16>
}

// -----

// Each iteration has weights of its own; one that all of them use is one argument.
// CHECK-LABEL: func.func @layers
// CHECK-SAME: %[[W0:[^:]+]]: tensor<4xf32> {llm.source = "layers.0.norm"},
// CHECK-SAME: %[[ALL:[^:]+]]: tensor<4xf32> {llm.source = "norm"},
// CHECK-SAME: %[[W1:[^:]+]]: tensor<4xf32> {llm.source = "layers.1.norm"})
// CHECK-NOT: scf.for
func.func @layers(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> tensor<3x4xf32> {
    %w = llm.weight "layers.{}.norm"[%i] : tensor<4xf32>
    %n = llm.rmsnorm "norm1" %h, %w epsilon 1.0e-5 : tensor<3x4xf32>, tensor<4xf32>
    %a = llm.weight "norm" : tensor<4xf32>
    %m = llm.rmsnorm "norm2" %n, %a epsilon 1.0e-5 : tensor<3x4xf32>, tensor<4xf32>
    scf.yield %m : tensor<3x4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

// Floats of few bits take the largest that they have for what is above it; powers of two have no 0 and no sign.
// CHECK-LABEL: func.func @saturating
// CHECK: %[[LEAST:.*]] = arith.constant -4.480000e+02 : f32
// CHECK: %[[ABOVE:.*]] = arith.maximumf %{{.*}}, %[[LEAST]] : f32
// CHECK: %[[LARGEST:.*]] = arith.constant 4.480000e+02 : f32
// CHECK: %[[INSIDE:.*]] = arith.minimumf %[[ABOVE]], %[[LARGEST]] : f32
// CHECK: arith.truncf %[[INSIDE]] : f32 to f8E4M3FN
// CHECK: arith.constant 5.87747175E-39 : f32
// CHECK: arith.constant 1.70141183E+38 : f32
// CHECK: arith.truncf %{{.*}} : f32 to f8E8M0FNU
func.func @saturating(%x: tensor<4xbf16>) -> (tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU>) {
  %y = llm.quantize %x to f8E4M3FN : tensor<4xbf16>
  %z = llm.quantize %x to f8E8M0FNU : tensor<4xbf16>
  return %y, %z : tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU>
}

// -----

// The largest magnitude of each block of 4, of which the last one is cut; a power of two; values by it.
// CHECK: #[[$INSIDE:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK: #[[$BLOCKS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: #[[$SCALE:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 4)>
// CHECK-LABEL: func.func @quantized
// CHECK-SAME: -> (tensor<5x6xf4E2M1FN>, tensor<5x2xf8E8M0FNU>)
// CHECK: %[[MOST:.*]] = linalg.generic {indexing_maps = [#[[$INSIDE]], #[[$BLOCKS]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<4xi1>) outs(%{{.*}} : tensor<5x2xf32>)
// CHECK: %[[LAST:.*]] = arith.constant 5 : index
// CHECK: arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: %[[SCALES:.*]] = linalg.generic {{.*}} ins(%[[MOST]] : tensor<5x2xf32>) outs(%{{.*}} : tensor<5x2xf8E8M0FNU>)
// CHECK: arith.andi %{{.*}}, %{{.*}} : i32
// CHECK: arith.constant 2.500000e-01 : f32
// CHECK: %[[VALUES:.*]] = linalg.generic {indexing_maps = [{{.*}}, #[[$SCALE]], {{.*}}], {{.*}}} ins(%{{.*}}, %[[SCALES]] : {{.*}}) outs(%{{.*}} : tensor<5x6xf4E2M1FN>)
// CHECK: return %[[VALUES]], %[[SCALES]]
func.func @quantized(%x: tensor<5x6xf32>) -> tensor<5x6x!llm.block_scaled<f4E2M1FN, [4], f8E8M0FNU>> {
  %y = llm.quantize %x to !llm.block_scaled<f4E2M1FN, [4], f8E8M0FNU> : tensor<5x6xf32>
  return %y : tensor<5x6x!llm.block_scaled<f4E2M1FN, [4], f8E8M0FNU>>
}

// -----

// A cache has values and scales of its keys, then of its values. Scales of a position are written with it; the one of
// all positions stays. What is said of a result stays with it, though one before it becomes three.
// CHECK-LABEL: func.func @scaled_cache
// CHECK-SAME: %[[K:[^:]+]]: tensor<1x6x2x8xi8> {llm.cache = "c.keys"},
// CHECK-SAME: %[[K0:[^:]+]]: tensor<1x6x2xf16> {llm.cache = "c.keys.scales0"},
// CHECK-SAME: %[[K1:[^:]+]]: tensor<f32> {llm.cache = "c.keys.scales1"},
// CHECK-SAME: tensor<1x6x2x8xi8> {llm.cache = "c.values"},
// CHECK-SAME: tensor<1x6x2xf16> {llm.cache = "c.values.scales0"},
// CHECK-SAME: tensor<f32> {llm.cache = "c.values.scales1"}) ->
// CHECK-SAME: (tensor<1x3x2x8xi8>, tensor<1x3x2xf16>, tensor<f32>,
// CHECK-SAME: tensor<1x6x2x8xi8> {llm.cache = "c.keys"}, tensor<1x6x2xf16> {llm.cache = "c.keys.scales0"}, tensor<f32> {llm.cache = "c.keys.scales1"},
// CHECK-SAME: tensor<1x6x2x8xi8> {llm.cache = "c.values"},
// CHECK: %[[NEW0:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[K1]] : tensor<1x1x2xf32>, tensor<f32>) outs(%{{.*}} : tensor<1x1x2xf16>)
// CHECK: %[[NEW:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[NEW0]], %[[K1]] : {{.*}}) outs(%{{.*}} : tensor<1x1x2x8xi8>)
// CHECK: %[[STATE:.*]] = tensor.insert_slice %[[NEW]] into %[[K]][0, 2, 0, 0] [1, 1, 2, 8]
// CHECK: %[[STATE0:.*]] = tensor.insert_slice %[[NEW0]] into %[[K0]][0, 2, 0] [1, 1, 2]
// CHECK: %[[READ:.*]] = tensor.extract_slice %[[STATE]][0, 0, 0, 0] [1, 3, 2, 8]
// CHECK: %[[READ0:.*]] = tensor.extract_slice %[[STATE0]][0, 0, 0] [1, 3, 2]
// CHECK: return %[[READ]], %[[READ0]], %[[K1]], %[[STATE]], %[[STATE0]], %[[K1]],
func.func @scaled_cache(%x: tensor<1x1x2x8xf32>) -> tensor<1x3x2x8x!llm.block_scaled<i8, [?], f16, [?, ?, ?, ?], f32>> {
  %0 = llm.kv_cache "c" : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 6, !llm.block_scaled<i8, [?], f16, [?, ?, ?, ?], f32>>
  %1 = llm.kv_write %0, %x, %x at 2 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 6, !llm.block_scaled<i8, [?], f16, [?, ?, ?, ?], f32>>, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
  %k, %v = llm.kv_read %1 rows 0 to 3 : <batch = 1, kv_heads = 2, head_dim = 8, capacity = 6, !llm.block_scaled<i8, [?], f16, [?, ?, ?, ?], f32>>
  return %k : tensor<1x3x2x8x!llm.block_scaled<i8, [?], f16, [?, ?, ?, ?], f32>>
}

// -----

// Names of arguments stay with them, too.
// CHECK-LABEL: func.func @scaled_argument
// CHECK-SAME: (%{{.*}}: tensor<3x4xi8>, %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<5x4xf32>, %{{.*}}: tensor<3xf32> {llm.source = "b"}) -> tensor<5x3xf32>
func.func @scaled_argument(%w: tensor<3x4x!llm.block_scaled<i8, [?], f32>>, %x: tensor<5x4xf32>) -> tensor<5x3xf32> {
  %b = llm.weight "b" : tensor<3xf32>
  %y = llm.matmul %x, %w bias %b transpose_rhs : tensor<5x4xf32>, tensor<3x4x!llm.block_scaled<i8, [?], f32>>, tensor<3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// The scale that is known is the one that is stored; random numbers that nobody has said become an argument.
// CHECK-LABEL: func.func @known_before
// CHECK-SAME: %{{[^:]+}}: tensor<4x8xf32>, %[[RANDOM:[^:]+]]: tensor<4xf32> {llm.random = "sample"},
// CHECK-SAME: %[[SCALE:[^:]+]]: tensor<f32> {llm.source = "q_proj.input_scale"})
// CHECK: %[[VALUES:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[SCALE]] : tensor<4x8xf32>, tensor<f32>) outs(%{{.*}} : tensor<4x8xf8E4M3FN>)
// CHECK: tensor.extract %[[RANDOM]]
// CHECK: return %[[VALUES]], %[[SCALE]], %{{.*}} : tensor<4x8xf8E4M3FN>, tensor<f32>, tensor<4xi32>
func.func @known_before(%x: tensor<4x8xf32>) -> (tensor<4x8x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<4xi32>) {
  %s = llm.weight "q_proj.input_scale" : tensor<f32>
  %q = llm.quantize %x static by %s to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<4x8xf32>, tensor<f32>
  %t = llm.sample "sample" categorical %x : tensor<4x8xf32>
  return %q, %t : tensor<4x8x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>, tensor<4xi32>
}
