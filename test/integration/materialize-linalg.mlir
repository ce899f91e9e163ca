// Loops of tiles compute what the whole op does, run on this machine: each op stands here twice,
// once whole and once with a tile that divides nothing. Whole numbers in f32: no order of sums
// changes a bit. 5 x 7 + 2 x 3 x 5 + 11 + 7 x 5 + 3 = 114 elements agree.
// RUN: llm-opt %s --llm-materialize-tiles --verify-roundtrip -o %t.loops
// RUN: FileCheck %s --check-prefix=LOOPS --input-file=%t.loops
// LOOPS-COUNT-4: scf.forall (
// LOOPS-NOT: scf.forall (
// RUN: llm-opt %t.loops --one-shot-bufferize --scf-forall-to-for --convert-linalg-to-loops \
// RUN:   --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-to-llvm \
// RUN:   --reconcile-unrealized-casts -o %t.llvm
// RUN: mlir-runner %t.llvm -e main --entry-point-result=i32 --shared-libs=%llvm-lib/libmlir_c_runner_utils.so | FileCheck %s --check-prefix=AGREE
// AGREE: {{^}}114{{$}}

#row = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
#whole = #llm.tile<pinned>

func.func @main() -> i32 {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  // 13 i mod 7 - 3: no two rows or columns are alike.
  %numbers = tensor.empty() : tensor<210xf32>
  %line = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%numbers : tensor<210xf32>) attrs = {llm.tile = #whole} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %c13 = arith.constant 13 : index
    %c7 = arith.constant 7 : index
    %c11 = arith.constant 11 : index
    %c3 = arith.constant 3 : index
    %a = arith.muli %i, %c13 : index
    %q = arith.divui %i, %c11 : index
    %s = arith.addi %a, %q : index
    %m = arith.remui %s, %c7 : index
    %d = arith.subi %m, %c3 : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<210xf32>

  // A product: parts of 3 and 2 rows; tiles of 2 rows, 3 columns and 4 of the reduction; the
  // result is not zero before.
  %l30 = tensor.extract_slice %line[0] [30] [1] : tensor<210xf32> to tensor<30xf32>
  %l42 = tensor.extract_slice %line[30] [42] [1] : tensor<210xf32> to tensor<42xf32>
  %l35 = tensor.extract_slice %line[72] [35] [1] : tensor<210xf32> to tensor<35xf32>
  %lhs = tensor.expand_shape %l30 [[0, 1]] output_shape [5, 6] : tensor<30xf32> into tensor<5x6xf32>
  %rhs = tensor.expand_shape %l42 [[0, 1]] output_shape [6, 7] : tensor<42xf32> into tensor<6x7xf32>
  %start = tensor.expand_shape %l35 [[0, 1]] output_shape [5, 7] : tensor<35xf32> into tensor<5x7xf32>
  %p0 = linalg.matmul {llm.tile = #whole} ins(%lhs, %rhs : tensor<5x6xf32>, tensor<6x7xf32>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  %p1 = linalg.matmul {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 3, d2 = 4}, order = [d2, d1, d0], buffers = {}>] split = {d0 = 2}>}
    ins(%lhs, %rhs : tensor<5x6xf32>, tensor<6x7xf32>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>

  // Products of a batch, cut along all that runs at once.
  %l24 = tensor.extract_slice %line[107] [24] [1] : tensor<210xf32> to tensor<24xf32>
  %l40 = tensor.extract_slice %line[131] [40] [1] : tensor<210xf32> to tensor<40xf32>
  %lhsB = tensor.expand_shape %l24 [[0, 1, 2]] output_shape [2, 3, 4] : tensor<24xf32> into tensor<2x3x4xf32>
  %rhsB = tensor.expand_shape %l40 [[0, 1, 2]] output_shape [2, 4, 5] : tensor<40xf32> into tensor<2x4x5xf32>
  %emptyB = tensor.empty() : tensor<2x3x5xf32>
  %startB = linalg.fill ins(%zero : f32) outs(%emptyB : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %b0 = linalg.batch_matmul {llm.tile = #whole} ins(%lhsB, %rhsB : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%startB : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %b1 = linalg.batch_matmul {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 1, d1 = 2, d2 = 2, d3 = 3}, order = [d1, d2, d3, d0], buffers = {}>] split = {d0 = 2, d1 = 2, d2 = 2}>}
    ins(%lhsB, %rhsB : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%startB : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>

  // A convolution: the windows of neighbouring tiles overlap.
  %image = tensor.extract_slice %line[171] [14] [1] : tensor<210xf32> to tensor<14xf32>
  %kernel = tensor.extract_slice %line[185] [4] [1] : tensor<210xf32> to tensor<4xf32>
  %startC = tensor.extract_slice %line[189] [11] [1] : tensor<210xf32> to tensor<11xf32>
  %c0 = linalg.conv_1d {llm.tile = #whole} ins(%image, %kernel : tensor<14xf32>, tensor<4xf32>) outs(%startC : tensor<11xf32>) -> tensor<11xf32>
  %c1 = linalg.conv_1d {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 3}, order = [d1, d0], buffers = {}>] split = {d0 = 3}>}
    ins(%image, %kernel : tensor<14xf32>, tensor<4xf32>) outs(%startC : tensor<11xf32>) -> tensor<11xf32>

  // A transposition that knows where it is, without parts.
  %emptyT = tensor.empty() : tensor<7x5xf32>
  %t0 = linalg.generic {indexing_maps = [#column, #row], iterator_types = ["parallel", "parallel"]} ins(%start : tensor<5x7xf32>) outs(%emptyT : tensor<7x5xf32>) attrs = {llm.tile = #whole} {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %y = arith.mulf %in, %f : f32
    linalg.yield %y : f32
  } -> tensor<7x5xf32>
  %t1 = linalg.generic {indexing_maps = [#column, #row], iterator_types = ["parallel", "parallel"]} ins(%start : tensor<5x7xf32>) outs(%emptyT : tensor<7x5xf32>)
    attrs = {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 3, d1 = 2}, order = [d1, d0], buffers = {}>]>} {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %y = arith.mulf %in, %f : f32
    linalg.yield %y : f32
  } -> tensor<7x5xf32>

  // The largest of each row: a reduction that is no sum.
  %emptyM = tensor.extract_slice %line[200] [3] [1] : tensor<210xf32> to tensor<3xf32>
  %rows = tensor.extract_slice %lhs[0, 0] [3, 6] [1, 1] : tensor<5x6xf32> to tensor<3x6xf32>
  %m0 = linalg.reduce ins(%rows : tensor<3x6xf32>) outs(%emptyM : tensor<3xf32>) dimensions = [1] {llm.tile = #whole}
    (%in: f32, %out: f32) {
      %y = arith.maximumf %in, %out : f32
      linalg.yield %y : f32
    }
  %m1 = linalg.reduce ins(%rows : tensor<3x6xf32>) outs(%emptyM : tensor<3xf32>) dimensions = [1] {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 1, d1 = 4}, order = [d1, d0], buffers = {}>] split = {d0 = 2}>}
    (%in: f32, %out: f32) {
      %y = arith.maximumf %in, %out : f32
      linalg.yield %y : f32
    }

  // How many elements agree.
  %P0 = tensor.collapse_shape %p0 [[0, 1]] : tensor<5x7xf32> into tensor<35xf32>
  %P1 = tensor.collapse_shape %p1 [[0, 1]] : tensor<5x7xf32> into tensor<35xf32>
  %B0 = tensor.collapse_shape %b0 [[0, 1, 2]] : tensor<2x3x5xf32> into tensor<30xf32>
  %B1 = tensor.collapse_shape %b1 [[0, 1, 2]] : tensor<2x3x5xf32> into tensor<30xf32>
  %T0 = tensor.collapse_shape %t0 [[0, 1]] : tensor<7x5xf32> into tensor<35xf32>
  %T1 = tensor.collapse_shape %t1 [[0, 1]] : tensor<7x5xf32> into tensor<35xf32>
  %emptyN = tensor.empty() : tensor<i32>
  %startN = linalg.fill ins(%none : i32) outs(%emptyN : tensor<i32>) -> tensor<i32>
  %n0 = linalg.generic {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]} ins(%P0, %P1 : tensor<35xf32>, tensor<35xf32>) outs(%startN : tensor<i32>) attrs = {llm.tile = #whole} {
  ^bb0(%x: f32, %y: f32, %sum: i32):
    %e = arith.cmpf oeq, %x, %y : f32
    %one = arith.extui %e : i1 to i32
    %more = arith.addi %sum, %one : i32
    linalg.yield %more : i32
  } -> tensor<i32>
  %n1 = linalg.generic {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]} ins(%B0, %B1 : tensor<30xf32>, tensor<30xf32>) outs(%n0 : tensor<i32>) attrs = {llm.tile = #whole} {
  ^bb0(%x: f32, %y: f32, %sum: i32):
    %e = arith.cmpf oeq, %x, %y : f32
    %one = arith.extui %e : i1 to i32
    %more = arith.addi %sum, %one : i32
    linalg.yield %more : i32
  } -> tensor<i32>
  %n2 = linalg.generic {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]} ins(%c0, %c1 : tensor<11xf32>, tensor<11xf32>) outs(%n1 : tensor<i32>) attrs = {llm.tile = #whole} {
  ^bb0(%x: f32, %y: f32, %sum: i32):
    %e = arith.cmpf oeq, %x, %y : f32
    %one = arith.extui %e : i1 to i32
    %more = arith.addi %sum, %one : i32
    linalg.yield %more : i32
  } -> tensor<i32>
  %n3 = linalg.generic {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]} ins(%T0, %T1 : tensor<35xf32>, tensor<35xf32>) outs(%n2 : tensor<i32>) attrs = {llm.tile = #whole} {
  ^bb0(%x: f32, %y: f32, %sum: i32):
    %e = arith.cmpf oeq, %x, %y : f32
    %one = arith.extui %e : i1 to i32
    %more = arith.addi %sum, %one : i32
    linalg.yield %more : i32
  } -> tensor<i32>
  %n4 = linalg.generic {indexing_maps = [#one, #one, #none], iterator_types = ["reduction"]} ins(%m0, %m1 : tensor<3xf32>, tensor<3xf32>) outs(%n3 : tensor<i32>) attrs = {llm.tile = #whole} {
  ^bb0(%x: f32, %y: f32, %sum: i32):
    %e = arith.cmpf oeq, %x, %y : f32
    %one = arith.extui %e : i1 to i32
    %more = arith.addi %sum, %one : i32
    linalg.yield %more : i32
  } -> tensor<i32>
  %agree = tensor.extract %n4[] : tensor<i32>
  return %agree : i32
}
