// RUN: llm-opt %s --llm-fuse-projections --verify-roundtrip | FileCheck %s

// Remarks: what was joined, and what could not be.
// RUN: llm-opt %s --llm-fuse-projections --remarks-filter=llm-fuse-projections \
// RUN:   --remark-format=emitRemark -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] fuse {{.*}}3 matmuls on one activation are now 'self_attn.q_proj+k_proj+v_proj'
// REMARK: [Passed] fuse {{.*}}2 matmuls on one activation are now 'mlp.gate_proj+up_proj'
// REMARK: [Missed] fuse {{.*}}'first' and 1 more on its activation stay apart: a right operand or a bias is computed after the first
// REMARK: [Missed] fuse {{.*}}'open.a' and 1 more on its activation stay apart: sizes are open; --llm-bind-shapes gives them numbers
// REMARK: [Missed] fuse {{.*}}'wide.a' and 1 more on its activation stay apart: together they would have more columns than can be counted

// q, k and v: one product of the weights side by side; the pieces are slices of it. Each
// result keeps its users.
// CHECK-LABEL: func.func @qkv
// CHECK-SAME: (%[[X:.+]]: tensor<3x8xbf16>)
// CHECK: %[[WQ:.+]] = llm.weight "q"
// CHECK: %[[WK:.+]] = llm.weight "k"
// CHECK: %[[WV:.+]] = llm.weight "v"
// CHECK: %[[W:.+]] = tensor.concat dim(0) %[[WQ]], %[[WK]], %[[WV]] : (tensor<6x8xbf16>, tensor<2x8xbf16>, tensor<2x8xbf16>) -> tensor<10x8xbf16>
// CHECK: %[[QKV:.+]] = llm.matmul "self_attn.q_proj+k_proj+v_proj" %[[X]], %[[W]] transpose_rhs : tensor<3x8xbf16>, tensor<10x8xbf16>
// CHECK-DAG: %[[Q:.+]] = tensor.extract_slice %[[QKV]][0, 0] [3, 6] [1, 1] : tensor<3x10xbf16> to tensor<3x6xbf16>
// CHECK-DAG: %[[K:.+]] = tensor.extract_slice %[[QKV]][0, 6] [3, 2] [1, 1] : tensor<3x10xbf16> to tensor<3x2xbf16>
// CHECK-DAG: %[[V:.+]] = tensor.extract_slice %[[QKV]][0, 8] [3, 2] [1, 1] : tensor<3x10xbf16> to tensor<3x2xbf16>
// CHECK-NOT: llm.matmul
// CHECK: return %[[Q]], %[[K]], %[[V]]
func.func @qkv(%x: tensor<3x8xbf16>) -> (tensor<3x6xbf16>, tensor<3x2xbf16>, tensor<3x2xbf16>) {
  %wq = llm.weight "q" : tensor<6x8xbf16>
  %q = llm.matmul "self_attn.q_proj" %x, %wq transpose_rhs : tensor<3x8xbf16>, tensor<6x8xbf16>
  %wk = llm.weight "k" : tensor<2x8xbf16>
  %k = llm.matmul "self_attn.k_proj" %x, %wk transpose_rhs : tensor<3x8xbf16>, tensor<2x8xbf16>
  %wv = llm.weight "v" : tensor<2x8xbf16>
  %v = llm.matmul "self_attn.v_proj" %x, %wv transpose_rhs : tensor<3x8xbf16>, tensor<2x8xbf16>
  return %q, %k, %v : tensor<3x6xbf16>, tensor<3x2xbf16>, tensor<3x2xbf16>
}

// Gate and up with biases, weights not transposed: columns are joined, and so are biases.
// CHECK-LABEL: func.func @gate_up
// CHECK: %[[W:.+]] = tensor.concat dim(1) %{{.*}} : (tensor<8x5xi8>, tensor<8x5xi8>) -> tensor<8x10xi8>
// CHECK: %[[B:.+]] = tensor.concat dim(0) %{{.*}} : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
// CHECK: llm.matmul "mlp.gate_proj+up_proj" %{{.*}}, %[[W]] bias %[[B]] : tensor<3x8xbf16>, tensor<8x10xi8>, tensor<10xf32>
// CHECK-NOT: llm.matmul
func.func @gate_up(%x: tensor<3x8xbf16>, %b: tensor<5xf32>) -> tensor<3x5xbf16> {
  %wg = llm.weight "g" : tensor<8x5xi8>
  %g = llm.matmul "mlp.gate_proj" %x, %wg bias %b : tensor<3x8xbf16>, tensor<8x5xi8>, tensor<5xf32>
  %wu = llm.weight "u" : tensor<8x5xi8>
  %c = llm.weight "c" : tensor<5xf32>
  %u = llm.matmul "mlp.up_proj" %x, %wu bias %c : tensor<3x8xbf16>, tensor<8x5xi8>, tensor<5xf32>
  %h = llm.swiglu "mlp.swiglu" %g, %u : tensor<3x5xbf16>, tensor<3x5xbf16>
  return %h : tensor<3x5xbf16>
}

// Nothing is joined where activation, orientation, element type, bias or type of the bias
// differ, or where one of two is in a loop.
// CHECK-LABEL: func.func @different
// CHECK-NOT: tensor.concat
// CHECK-COUNT-8: llm.matmul
// CHECK-NOT: llm.matmul
func.func @different(%x: tensor<4x4xbf16>, %y: tensor<4x4xbf16>, %w: tensor<4x4xbf16>,
                     %v: tensor<4x4xi8>, %b: tensor<4xbf16>, %c: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = llm.matmul "a" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.matmul "b" %y, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = llm.matmul "c" %x, %w transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
  %3 = llm.matmul "d" %x, %v : tensor<4x4xbf16>, tensor<4x4xi8>
  %4 = llm.matmul "e" %x, %w bias %b : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xbf16>
  %5 = llm.matmul "f" %x, %w bias %c : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %6 = llm.matmul "g" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  }
  %7 = llm.matmul "h" %0, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// The right operand of the second is computed from the first: they stay two.
// CHECK-LABEL: func.func @later
// CHECK-NOT: tensor.concat
// CHECK: %[[A:.+]] = llm.matmul "first"
// CHECK: llm.matmul "second" %{{.*}}, %[[A]]
func.func @later(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %a = llm.matmul "first" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %b = llm.matmul "second" %x, %a : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %b : tensor<4x4xbf16>
}

// The bias of the second is computed from the first: they stay two, and the weights, which
// could move, stay apart.
// CHECK-LABEL: func.func @later_bias
// CHECK-NOT: tensor.concat
// CHECK: llm.matmul "biased.first"
// CHECK: llm.matmul "biased.second"
// CHECK: return
func.func @later_bias(%x: tensor<1x4xbf16>, %w: tensor<4x4xbf16>, %b: tensor<4xbf16>) -> tensor<1x4xbf16> {
  %0 = llm.matmul "biased.first" %x, %w bias %b : tensor<1x4xbf16>, tensor<4x4xbf16>, tensor<4xbf16>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<1x4xbf16> into tensor<4xbf16>
  %2 = llm.matmul "biased.second" %x, %w bias %1 : tensor<1x4xbf16>, tensor<4x4xbf16>, tensor<4xbf16>
  return %2 : tensor<1x4xbf16>
}

// A weight that both use twice, and names of other modules, which are kept whole; one op
// without a name gives an op without a name.
// CHECK-LABEL: func.func @names
// CHECK: tensor.concat dim(1) %[[W:.+]], %[[W]] :
// CHECK: llm.matmul "a.q+b.k"
// CHECK: llm.matmul %{{[^ ]+}}, %{{.*}} transpose_rhs
// CHECK-NOT: llm.matmul
func.func @names(%x: tensor<4x4xbf16>) {
  %w = llm.weight "w" : tensor<4x4xbf16>
  %0 = llm.matmul "a.q" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %1 = llm.matmul "b.k" %x, %w : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = llm.matmul "a.v" %x, %w transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
  %3 = llm.matmul %x, %w transpose_rhs : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// Dynamic rows are left alone: a slice would need their number.
// CHECK-LABEL: func.func @dynamic
// CHECK-COUNT-2: llm.matmul
func.func @dynamic(%x: tensor<?x4xbf16>, %w: tensor<4x4xbf16>) {
  %0 = llm.matmul "open.a" %x, %w : tensor<?x4xbf16>, tensor<4x4xbf16>
  %1 = llm.matmul "open.b" %x, %w : tensor<?x4xbf16>, tensor<4x4xbf16>
  return
}

// Columns whose number no count holds stay apart: 2^61 and 2^61.
// CHECK-LABEL: func.func @too_wide
// CHECK-NOT: tensor.concat
// CHECK: llm.matmul "wide.a"
// CHECK: llm.matmul "wide.b"
func.func @too_wide(%x: tensor<1x1xbf16>, %w: tensor<1x2305843009213693952xbf16>) {
  %0 = llm.matmul "wide.a" %x, %w : tensor<1x1xbf16>, tensor<1x2305843009213693952xbf16>
  %1 = llm.matmul "wide.b" %x, %w : tensor<1x1xbf16>, tensor<1x2305843009213693952xbf16>
  return
}

// Quantized activations and weights: results of one type behind `to` are joined, one of another
// type is not.
// CHECK-LABEL: func.func @to
// CHECK: %[[W:.+]] = tensor.concat dim(0) %{{.*}} : (tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>, tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>) -> tensor<128x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>
// CHECK: llm.matmul "mlp.gate_proj+up_proj" %{{.*}}, %[[W]] transpose_rhs to bf16 :
// CHECK: llm.matmul "mlp.router" %{{.*}} transpose_rhs to f32 : tensor<4x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<64x128x
// CHECK-NOT: llm.matmul
func.func @to(%x: tensor<4x128x!llm.block_scaled<f8E4M3FN, [128], f32>>) -> (tensor<4x64xbf16>, tensor<4x64xbf16>, tensor<4x64xf32>) {
  %w0 = llm.weight "g" : tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>
  %w1 = llm.weight "u" : tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>
  %w2 = llm.weight "r" : tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>
  %0 = llm.matmul "mlp.gate_proj" %x, %w0 transpose_rhs to bf16
     : tensor<4x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>
  %1 = llm.matmul "mlp.up_proj" %x, %w1 transpose_rhs to bf16
     : tensor<4x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>
  %2 = llm.matmul "mlp.router" %x, %w2 transpose_rhs to f32
     : tensor<4x128x!llm.block_scaled<f8E4M3FN, [128], f32>>, tensor<64x128x!llm.block_scaled<f8E4M3FN, [32, 128], f32>>
  return %0, %1, %2 : tensor<4x64xbf16>, tensor<4x64xbf16>, tensor<4x64xf32>
}

// Activations whose scale is known before: those with one and the same are one value, and joined; another scale gives
// another value.
// CHECK-LABEL: func.func @known
// CHECK: llm.matmul "known.q+k"
// CHECK: llm.matmul "known.v"
!static = !llm.block_scaled<f8E4M3FN, [?, ?], f32>
func.func @known(%x: tensor<4x128xbf16>, %s: tensor<f32>, %other: tensor<f32>, %w: tensor<64x128xbf16>) -> (tensor<4x64xbf16>, tensor<4x64xbf16>, tensor<4x64xbf16>) {
  %a = llm.quantize %x static by %s to !static : tensor<4x128xbf16>, tensor<f32>
  %b = llm.quantize %x static by %other to !static : tensor<4x128xbf16>, tensor<f32>
  %0 = llm.matmul "known.q" %a, %w transpose_rhs to bf16 : tensor<4x128x!static>, tensor<64x128xbf16>
  %1 = llm.matmul "known.k" %a, %w transpose_rhs to bf16 : tensor<4x128x!static>, tensor<64x128xbf16>
  %2 = llm.matmul "known.v" %b, %w transpose_rhs to bf16 : tensor<4x128x!static>, tensor<64x128xbf16>
  return %0, %1, %2 : tensor<4x64xbf16>, tensor<4x64xbf16>, tensor<4x64xbf16>
}
