// Loops of tiles compute what the whole op does: both are run by an interpreter that was written
// from Spec.md. Each function is an op with parts and tiles that divide nothing, where its slices
// allow that.
// RUN: llm-opt %s --mlir-print-op-generic -o %t.before
// RUN: llm-opt %s --llm-materialize-tiles --mlir-print-op-generic -o %t.after
// RUN: %python %integration/interpret.py %t.before %t.after | FileCheck %s
// RUN: llm-opt %s --llm-materialize-tiles --canonicalize --cse --mlir-print-op-generic -o %t.clean
// RUN: %python %integration/interpret.py %t.before %t.clean | FileCheck %s

// The interpreter sees a position, a number of keys, a slice, a part that are wrong.
// RUN: sed 's/(d0 + d1 + 11)/(d0 + d1 + 12)/' %t.clean > %t.position
// RUN: not %python %integration/interpret.py %t.before %t.position | FileCheck %s --check-prefix=FIRST
// RUN: sed 's/(d0 + d1 + d2 + 2)/(d0 + d1 + d2 + 1)/' %t.clean > %t.keys
// RUN: not %python %integration/interpret.py %t.before %t.keys 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: sed 's/static_offsets = array<i64: 0, -9223372036854775808>/static_offsets = array<i64: 1, -9223372036854775808>/' %t.clean > %t.slice
// RUN: not %python %integration/interpret.py %t.before %t.slice
// RUN: sed 's/staticUpperBound = array<i64: 5>/staticUpperBound = array<i64: 3>/' %t.clean > %t.part
// RUN: not %python %integration/interpret.py %t.before %t.part 2>&1 | FileCheck %s --check-prefix=PART
// FIRST: matmul: 35 elements agree
// PART: an element that no part writes

// CHECK: matmul: 35 elements agree, 4 loops
func.func @matmul(%x: tensor<5x6xbf16>, %w: tensor<7x6xbf16>, %b: tensor<7xbf16>) -> tensor<5x7xbf16> {
  %y = llm.matmul %x, %w bias %b transpose_rhs {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {k = 4, m = 2, n = 3}, order = [n, k, m], buffers = {}>] split = {m = 2}>} : tensor<5x6xbf16>, tensor<7x6xbf16>, tensor<7xbf16>
  return %y : tensor<5x7xbf16>
}

// CHECK: square: 25 elements agree, 4 loops
// One value as both operands: rows and columns of it.
func.func @square(%x: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %y = llm.matmul %x, %x {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {k = 2, m = 2, n = 2}, order = [k, m, n], buffers = {}>] split = {m = 2, n = 2}>} : tensor<5x5xf32>, tensor<5x5xf32>
  return %y : tensor<5x5xf32>
}

// CHECK: batch_matmul: 90 elements agree, 5 loops
func.func @batch_matmul(%x: tensor<5x3x4xbf16>, %w: tensor<3x4x6xbf16>) -> tensor<5x3x6xbf16> {
  %y = llm.batch_matmul %x, %w {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, m = 2, n = 4, k = 3}, order = [k, n, b, m], buffers = {}>] split = {b = 2}>} : tensor<5x3x4xbf16>, tensor<3x4x6xbf16>
  return %y : tensor<5x3x6xbf16>
}

// CHECK: grouped_matmul: 56 elements agree, 3 loops
func.func @grouped_matmul(%x: tensor<8x5xbf16>, %w: tensor<4x7x5xbf16>) -> tensor<8x7xbf16> {
  %y = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {m = 8, n = 3, k = 2}, order = [m, n, k], buffers = {}>] split = {n = 2}>} : tensor<8x5xbf16>, tensor<4x7x5xbf16>
  return %y : tensor<8x7xbf16>
}

// CHECK: grouped_matmul_of_chosen: 56 elements agree, 2 loops
func.func @grouped_matmul_of_chosen(%x: tensor<8x5xbf16>, %w: tensor<4x7x5xbf16>, %b: tensor<4x7xf32>, %e: tensor<4x2xi32>) -> tensor<8x7xbf16> {
  %y = llm.grouped_matmul %x, %w bias %b experts %e transpose_rhs rows_per_expert [3, 0, 4, 1] top_k 2 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {m = 8, n = 3, k = 5}, order = [m, n, k], buffers = {}>] split = {n = 2}>} : tensor<8x5xbf16>, tensor<4x7x5xbf16>, tensor<4x7xf32> experts tensor<4x2xi32>
  return %y : tensor<8x7xbf16>
}

// CHECK: rmsnorm: 60 elements agree, 3 loops
func.func @rmsnorm(%x: tensor<5x3x4xbf16>, %w: tensor<4xbf16>) -> tensor<5x3x4xbf16> {
  %y = llm.rmsnorm %x, %w epsilon 1.0e-5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {d0 = 2, d1 = 2, d2 = 4}, order = [d1, d0, d2], buffers = {}>] split = {d0 = 2}>} : tensor<5x3x4xbf16>, tensor<4xbf16>
  return %y : tensor<5x3x4xbf16>
}

// CHECK: rope: 140 elements agree, 4 loops
func.func @rope(%x: tensor<2x5x7x2xbf16>) -> tensor<2x5x7x2xbf16> {
  %y = llm.rope %x at 11 theta 10000.0 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, s = 2, h = 3, d = 2}, order = [h, s, b, d], buffers = {}>] split = {s = 2}>} : tensor<2x5x7x2xbf16>
  return %y : tensor<2x5x7x2xbf16>
}

// CHECK: ragged_rope: 140 elements agree, 2 loops
func.func @ragged_rope(%x: tensor<2x5x7x2xbf16>) -> tensor<2x5x7x2xbf16> {
  %y = llm.rope %x at [11, 3] theta 10000.0 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, s = 2, h = 7, d = 2}, order = [h, s, b, d], buffers = {}>] split = {h = 2}>} : tensor<2x5x7x2xbf16>
  return %y : tensor<2x5x7x2xbf16>
}

// CHECK: position_scale: 45 elements agree, 3 loops
func.func @position_scale(%x: tensor<1x5x3x3xbf16>) -> tensor<1x5x3x3xbf16> {
  %y = llm.position_scale %x at 3 step 2 slope 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, s = 2, h = 3, d = 2}, order = [b, d, s, h], buffers = {}>] split = {s = 2}>} : tensor<1x5x3x3xbf16>
  return %y : tensor<1x5x3x3xbf16>
}

// CHECK: broadcast: 35 elements agree, 5 loops
func.func @broadcast(%x: tensor<5x7xbf16>, %row: tensor<7xbf16>, %each: tensor<5x1xbf16>, %one: tensor<1xbf16>) -> tensor<5x7xbf16> {
  %0 = llm.mul %x, %row {llm.tile = #llm.tile<pinned split = {d0 = 3, d1 = 4}>} : tensor<5x7xbf16>, tensor<7xbf16>
  %1 = llm.mul %0, %each {llm.tile = #llm.tile<pinned split = {d0 = 3, d1 = 4}>} : tensor<5x7xbf16>, tensor<5x1xbf16>
  %2 = llm.mul %1, %one {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 3}, order = [d1, d0], buffers = {}>] split = {d0 = 2}>}
     : tensor<5x7xbf16>, tensor<1xbf16>
  return %2 : tensor<5x7xbf16>
}

// CHECK: elementwise: 35 elements agree, 15 loops
func.func @elementwise(%x: tensor<5x7xbf16>, %y: tensor<5x7xbf16>) -> tensor<5x7xbf16> {
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 3}, order = [d1, d0], buffers = {}>] split = {d0 = 2}>} : tensor<5x7xbf16>, tensor<5x7xbf16>
  %1 = llm.mul %0, %y {llm.tile = #llm.tile<pinned split = {d0 = 3, d1 = 4}>} : tensor<5x7xbf16>, tensor<5x7xbf16>
  %2 = llm.swiglu %1, %y limit 2.0 {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 3}, order = [d1, d0], buffers = {}>] split = {d1 = 2}>} : tensor<5x7xbf16>, tensor<5x7xbf16>
  %3 = llm.geglu %2, %y {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 3}, order = [d1, d0], buffers = {}>]>} : tensor<5x7xbf16>, tensor<5x7xbf16>
  %4 = llm.scale %3 by 0.5 {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 5, d1 = 3}, order = [d1, d0], buffers = {}>]>} : tensor<5x7xbf16>
  %5 = llm.soft_cap %4 cap 3.0 {llm.tile = #llm.tile<pinned split = {d1 = 4}>} : tensor<5x7xbf16>
  %6 = llm.activation gelu_tanh %5 {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 2, d1 = 3}, order = [d1, d0], buffers = {}>] split = {d0 = 2}>} : tensor<5x7xbf16>
  %7 = llm.quantize %6 to f32 {llm.tile = #llm.tile<pinned split = {d1 = 4}>} : tensor<5x7xbf16>
  %8 = llm.quantize %7 to bf16 {llm.tile = #llm.tile<pinned>} : tensor<5x7xf32>
  return %8 : tensor<5x7xbf16>
}

// CHECK: causal: 160 elements agree, 5 loops
func.func @causal(%q: tensor<2x5x4x4xbf16>, %k: tensor<2x7x2x4xbf16>, %v: tensor<2x7x2x4xbf16>, %sinks: tensor<4xbf16>) -> tensor<2x5x4x4xbf16> {
  %y = llm.gqa_attn %q, %k, %v sinks %sinks mask causal scale 0.5 soft_cap 4.0 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, h = 1, g = 1, s = 2, t = 7, d = 4}, order = [g, h, b, s, t, d], buffers = {}>] split = {s = 2}>}
    : tensor<2x5x4x4xbf16>, tensor<2x7x2x4xbf16>, tensor<2x7x2x4xbf16>, tensor<4xbf16>
  return %y : tensor<2x5x4x4xbf16>
}

// CHECK: window: 160 elements agree, 3 loops
// Of another width of values, with three of four heads in the first part.
func.func @window(%q: tensor<2x5x4x2xbf16>, %k: tensor<2x7x4x2xbf16>, %v: tensor<2x7x4x4xbf16>) -> tensor<2x5x4x4xbf16> {
  %y = llm.gqa_attn %q, %k, %v mask causal window 3 scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, h = 1, g = 1, s = 2, t = 7, d = 2, c = 4}, order = [s, h, b, g, t, d, c], buffers = {}>] split = {h = 2}>}
    : tensor<2x5x4x2xbf16>, tensor<2x7x4x2xbf16>, tensor<2x7x4x4xbf16>
  return %y : tensor<2x5x4x4xbf16>
}

// CHECK: chunk: 80 elements agree, 2 loops
func.func @chunk(%q: tensor<2x5x4x2xbf16>, %k: tensor<2x7x2x2xbf16>) -> tensor<2x5x4x2xbf16> {
  %y = llm.gqa_attn %q, %k, %k mask causal chunk 3 from 5 scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, h = 2, g = 2, s = 1, t = 7, d = 2}, order = [b, h, g, s, t, d], buffers = {}>] split = {s = 3}>}
    : tensor<2x5x4x2xbf16>, tensor<2x7x2x2xbf16>, tensor<2x7x2x2xbf16>
  return %y : tensor<2x5x4x2xbf16>
}

// CHECK: ragged: 80 elements agree, 2 loops
func.func @ragged(%q: tensor<2x5x4x2xbf16>, %k: tensor<2x7x2x2xbf16>) -> tensor<2x5x4x2xbf16> {
  %y = llm.gqa_attn %q, %k, %k mask causal lengths [7, 6] scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, h = 1, g = 1, s = 5, t = 7, d = 2}, order = [b, h, g, s, t, d], buffers = {}>] split = {h = 2}>}
    : tensor<2x5x4x2xbf16>, tensor<2x7x2x2xbf16>, tensor<2x7x2x2xbf16>
  return %y : tensor<2x5x4x2xbf16>
}

// CHECK: latent: 90 elements agree, 3 loops
func.func @latent(%q: tensor<2x5x3x4xbf16>, %z: tensor<2x7x1x4xbf16>) -> tensor<2x5x3x3xbf16> {
  %y = llm.mla_attn %q, %z value_dim 3 mask causal scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, h = 3, s = 2, t = 7, d = 4, c = 3}, order = [b, h, s, t, d, c], buffers = {}>] split = {h = 2}>}
    : tensor<2x5x3x4xbf16>, tensor<2x7x1x4xbf16>
  return %y : tensor<2x5x3x3xbf16>
}

// CHECK: compressed: 200 elements agree, 2 loops
// Heads are cut; queries and sequences stay, as two masks say what they see.
func.func @compressed(%q: tensor<2x5x5x4xbf16>, %z: tensor<2x7x1x4xbf16>, %n: tensor<5xf32>, %c: tensor<2x3x1x4xbf16>) -> tensor<2x5x5x4xbf16> {
  %y = llm.compressed_attn %q, %z sinks %n mask causal window 4 entries %c sees causal stride 4 lengths [14, 13] scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, h = 1, s = 5, t = 10, d = 4, c = 4}, order = [b, h, s, t, d, c], buffers = {}>] split = {h = 2}>}
    : tensor<2x5x5x4xbf16>, tensor<2x7x1x4xbf16>, tensor<5xf32> entries tensor<2x3x1x4xbf16>
  return %y : tensor<2x5x5x4xbf16>
}

// CHECK: selected_entries: 96 elements agree, 1 loops
func.func @selected_entries(%q: tensor<2x3x4x4xbf16>, %z: tensor<2x7x1x4xbf16>, %c: tensor<2x3x1x4xbf16>, %k: tensor<2x3x1x2xi32>) -> tensor<2x3x4x4xbf16> {
  %y = llm.compressed_attn %q, %z mask causal entries %c sees causal stride 4 lengths [14, 13] selected %k scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, h = 2, s = 3, t = 9, d = 4, c = 4}, order = [b, h, s, t, d, c], buffers = {}>] split = {h = 2}>}
    : tensor<2x3x4x4xbf16>, tensor<2x7x1x4xbf16> entries tensor<2x3x1x4xbf16> selected tensor<2x3x1x2xi32>
  return %y : tensor<2x3x4x4xbf16>
}

// CHECK: pieces: 80 elements agree, 11 loops
func.func @pieces(%q: tensor<2x5x4x2xbf16>, %k: tensor<2x7x2x2xbf16>, %v: tensor<2x7x2x2xbf16>) -> tensor<2x5x4x2xbf16> {
  %s = llm.qk %q, %k mask causal scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, h = 1, g = 1, s = 2, t = 7, d = 2}, order = [b, h, g, s, t, d], buffers = {}>] split = {s = 2}>} : tensor<2x5x4x2xbf16>, tensor<2x7x2x2xbf16>
  %p = llm.softmax %s mask causal {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, h = 3, s = 2, t = 7}, order = [b, h, s, t], buffers = {}>] split = {b = 2}>} : tensor<2x4x5x7xbf16>
  %o = llm.pv %p, %v mask causal {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, h = 1, g = 2, s = 2, t = 7, d = 2}, order = [b, h, g, s, t, d], buffers = {}>] split = {s = 3}>} : tensor<2x4x5x7xbf16>, tensor<2x7x2x2xbf16>
  return %o : tensor<2x5x4x2xbf16>
}

// CHECK: scores_of_all: 280 elements agree, 2 loops
// Without a mask keys can be cut, too.
func.func @scores_of_all(%q: tensor<2x5x4x2xbf16>, %k: tensor<2x7x2x2xbf16>) -> tensor<2x4x5x7xbf16> {
  %s = llm.qk %q, %k mask full scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, h = 2, g = 2, s = 5, t = 2, d = 2}, order = [b, h, g, s, t, d], buffers = {}>] split = {t = 2}>} : tensor<2x5x4x2xbf16>, tensor<2x7x2x2xbf16>
  return %s : tensor<2x4x5x7xbf16>
}

// CHECK: repeat_kv: 120 elements agree, 4 loops
func.func @repeat_kv(%x: tensor<2x5x2x2xbf16>) -> tensor<2x5x6x2xbf16> {
  %y = llm.repeat_kv %x heads 6 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, t = 3, h = 1, g = 1, d = 2}, order = [g, b, t, h, d], buffers = {}>] split = {h = 2}>} : tensor<2x5x2x2xbf16>
  return %y : tensor<2x5x6x2xbf16>
}

// CHECK: route: 14 elements agree, 2 loops
func.func @route(%l: tensor<7x5xf32>, %c: tensor<5xf32>) -> (tensor<7x1xf32>, tensor<7x1xi32>) {
  %s, %e = llm.moe_route softmax %l expert_scales %c top_k 1 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {m = 2, e = 5, j = 1}, order = [m, e, j], buffers = {}>] split = {m = 2}>}
    : tensor<7x5xf32> expert_scales tensor<5xf32>
  return %s, %e : tensor<7x1xf32>, tensor<7x1xi32>
}

// CHECK: sample: 7 elements agree, 1 loops
func.func @sample(%l: tensor<7x5xf32>) -> tensor<7xi32> {
  %t = llm.sample greedy %l {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {m = 7, v = 2}, order = [m, v], buffers = {}>] split = {m = 2}>} : tensor<7x5xf32>
  return %t : tensor<7xi32>
}
