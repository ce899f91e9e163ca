// RUN: llm-opt %s --split-input-file --llm-tile | %one-line | FileCheck %s

// A matmul of linalg and one of ours are one workload: same tiles, same bytes, same cycles. 512 x
// 2048 by 2048 x 8192 in bf16 does not fit the 8 MiB of an engine, so the tiles matter.
// CHECK-LABEL: func @same_as_ours
// CHECK:      llm.matmul
// CHECK-SAME: parts = [<count = 1, work = {mac = 8589934592}, traffic = {dram = {lhs = [[A:[0-9]+]], out = [[C:[0-9]+]], rhs = [[B:[0-9]+]]}}, working_set_bytes = [[W:[0-9]+]], [[TIME:overhead_cycles.*bound = [a-z]+]]>], stamp
// CHECK:      linalg.matmul
// CHECK-SAME: parts = [<count = 1, work = {mac = 8589934592}, traffic = {dram = {in0 = [[A]], in1 = [[B]], out0 = [[C]]}}, working_set_bytes = [[W]], [[TIME]]>], stamp
func.func @same_as_ours(%x: tensor<512x2048xbf16>, %w: tensor<2048x8192xbf16>) -> (tensor<512x8192xbf16>, tensor<512x8192xbf16>) {
  %ours = llm.matmul "ours" %x, %w : tensor<512x2048xbf16>, tensor<2048x8192xbf16>
  %empty = tensor.empty() : tensor<512x8192xbf16>
  %theirs = linalg.matmul ins(%x, %w : tensor<512x2048xbf16>, tensor<2048x8192xbf16>) outs(%empty : tensor<512x8192xbf16>) -> tensor<512x8192xbf16>
  return %ours, %theirs : tensor<512x8192xbf16>, tensor<512x8192xbf16>
}

// -----

// f16 products that accumulate in f32 run at the rate of f16: 64^3 MACs at 4096 a cycle are 64
// cycles; the conversions are free.
// CHECK-LABEL: func @accumulates_in_f32
// CHECK: work = {mac = 262144}, {{.*}} compute_cycles = 64,
func.func @accumulates_in_f32(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %xw = arith.extf %x : f16 to f32
    %yw = arith.extf %y : f16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A sum of squares has one operand: no contraction, two alu operations for each of 4 x 64 values. So
// has a product without a reduction.
// CHECK-LABEL: func @no_contraction
// CHECK: work = {alu = 512}
// CHECK: work = {alu = 512}
func.func @no_contraction(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>) -> (tensor<4xf32>, tensor<4x64xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x64xf32>, tensor<4x64xf32>) outs(%x : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  return %0, %1 : tensor<4xf32>, tensor<4x64xf32>
}

// -----

// A contraction with a tail is two stages: 8 x 16 x 32 MACs, then the quotient at every point.
// CHECK-LABEL: func @fused_tail
// CHECK: work = {mac = 4096, special = 4096}
func.func @fused_tail(%a: tensor<8x32xf16>, %b: tensor<32x16xf16>, %scale: f16) -> tensor<8x16xf16> {
  %e = tensor.empty() : tensor<8x16xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %scale : tensor<8x32xf16>, tensor<32x16xf16>, f16) outs(%e : tensor<8x16xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16, %acc: f16):
    %p = arith.mulf %x, %y : f16
    %s = arith.addf %acc, %p : f16
    %q = arith.divf %s, %z : f16
    linalg.yield %q : f16
  } -> tensor<8x16xf16>
  return %0 : tensor<8x16xf16>
}

// -----

// An embedding as torch-mlir prints it: 6 tokens gather rows of 64 values from a table of 1000; what
// is read are 6 x 64 values and the 6 tokens, not the table. The lookup waits for the op that made
// the table, though it is no operand.
// CHECK-LABEL: func @embedding
// CHECK: linalg.generic
// CHECK: traffic = {dram = {gathered0 = 1536, in0 = 48, out0 = 1536}}
func.func @embedding(%raw: tensor<1000x64xf32>, %tokens: tensor<6xi64>) -> tensor<6x64xf32> {
  %c0 = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<1000x64xf32>
  %table = linalg.abs ins(%raw : tensor<1000x64xf32>) outs(%e0 : tensor<1000x64xf32>) -> tensor<1000x64xf32>
  %e = tensor.empty() : tensor<6x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%tokens : tensor<6xi64>) outs(%e : tensor<6x64xf32>) {
  ^bb0(%token: i64, %out: f32):
    %row = arith.index_cast %token : i64 to index
    %column = linalg.index 1 : index
    %in_range = arith.cmpi sge, %token, %c0 : i64
    cf.assert %in_range, "index must not be negative"
    %v = tensor.extract %table[%row, %column] : tensor<1000x64xf32>
    linalg.yield %v : f32
  } -> tensor<6x64xf32>
  return %0 : tensor<6x64xf32>
}

// -----

// Slices are views, but to insert one moves it: 4 x 8 values of 4 bytes read and written into a
// tensor that stays where it is. A pad writes 6 x 10 values and reads the 4 x 8 there are. Index
// arithmetic, assertions on it and splats take no time.
// CHECK-LABEL: func @tensor_ops
// CHECK: tensor.insert_slice {{.*}} traffic = {dram = {slice = 128, source = 128}}
// CHECK: tensor.pad
// CHECK: traffic = {dram = {out = 240, source = 128}}
func.func @tensor_ops(%x: tensor<4x8xf32>, %into: tensor<16x8xf32>, %at: index) -> (tensor<16x8xf32>, tensor<6x10xf32>) {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %begin = arith.addi %at, %c4 : index
  %fits = arith.cmpi slt, %begin, %c4 : index
  cf.assert %fits, "must fit"
  %0 = tensor.insert_slice %x into %into[%begin, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
  %1 = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x8xf32> to tensor<6x10xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<6x10xf32>
}

// -----

// A convolution: 1 x 8 x 8 outputs of 16 channels from 3 x 3 windows of 4 channels. The windows
// of all outputs are the 10 x 10 x 4 inputs.
// CHECK-LABEL: func @convolution
// CHECK: work = {mac = 36864}, traffic = {dram = {in0 = 1600, in1 = 2304, out0 = 4096}}
func.func @convolution(%x: tensor<1x10x10x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x10x10x4xf32>, tensor<3x3x4x16xf32>) outs(%f : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %0 : tensor<1x8x8x16xf32>
}

// -----

// Other spellings: a scalar tensor (4 bytes read and written), a mask made of indices (written only),
// i1 rows of one byte made eight, map, reduce onto a value that is read (8 x 8 x 4 + 4 bytes in, 4
// out), elementwise, and contract with a transposed operand (8^3 MACs).
// CHECK-LABEL: func @spellings
// CHECK: linalg.generic
// CHECK-SAME: work = {special = 1}, traffic = {dram = {in0 = 4, out0 = 4}}
// CHECK: linalg.generic
// CHECK-SAME: work = {alu = 64, compare = 64}, traffic = {dram = {out0 = 256}}
// CHECK: linalg.broadcast
// CHECK-SAME: work = {}, traffic = {dram = {in0 = 1, out0 = 8}}
// CHECK: linalg.map
// CHECK-SAME: work = {alu = 64}, traffic = {dram = {in0 = 256, in1 = 256, out0 = 256}}
// CHECK: linalg.reduce
// CHECK-SAME: work = {alu = 64}, traffic = {dram = {in0 = 256, init0 = 4, out0 = 4}}
// CHECK: linalg.elementwise
// CHECK-SAME: work = {special = 64}, traffic = {dram = {in0 = 256, out0 = 256}}
// CHECK: linalg.contract
// CHECK-SAME: work = {mac = 512}, traffic = {dram = {in0 = 256, in1 = 256, init0 = 256, out0 = 256}}
func.func @spellings(%a: tensor<f32>, %b: tensor<8x8xf32>, %i: tensor<8xi1>) -> (tensor<f32>, tensor<8x8xf32>, tensor<8x8xi1>) {
  %e = tensor.empty() : tensor<f32>
  %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = math.sqrt %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %e1 = tensor.empty() : tensor<8x8xf32>
  %v = tensor.extract %0[] : tensor<f32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<8x8xf32>) {
  ^bb0(%y: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %k = arith.cmpi sge, %r, %c : index
    %z = arith.constant 0.0 : f32
    %m = arith.select %k, %v, %z : f32
    linalg.yield %m : f32
  } -> tensor<8x8xf32>
  %em = tensor.empty() : tensor<8x8xi1>
  %2 = linalg.broadcast ins(%i : tensor<8xi1>) outs(%em : tensor<8x8xi1>) dimensions = [0]
  %3 = linalg.map { arith.addf } ins(%1, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e1 : tensor<8x8xf32>)
  %4 = linalg.reduce { arith.addf } ins(%3 : tensor<8x8xf32>) outs(%0 : tensor<f32>) dimensions = [0, 1]
  %5 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%3 : tensor<8x8xf32>) outs(%e1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%5, %3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%b : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4, %6, %2 : tensor<f32>, tensor<8x8xf32>, tensor<8x8xi1>
}
