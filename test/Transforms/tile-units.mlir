// Engines of many units share an op as tiles: the level "unit" of its tile says what one unit
// works on at a time. On A100: 108 units at 1.41 GHz, each 1024 bf16 multiply-accumulates per
// cycle; 1.8963e12 bytes per second from memory = 1344.9 per cycle, through ports of 61.6 bytes
// per cycle and unit = 6652.8; the numbers of the kernels are in the preset.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/search.mlir --llm-target=name=a100-sxm --llm-tile | %one-line > %t/tiled.mlir
// RUN: FileCheck %t/search.mlir < %t/tiled.mlir

// What is written is read again, and costs the same.
// RUN: llm-opt %t/tiled.mlir --llm-verify-cost --verify-roundtrip | %one-line | diff %t/tiled.mlir -
// RUN: llm-opt %t/tiled.mlir --llm-cost | %one-line | diff %t/tiled.mlir -
// RUN: llm-opt %t/manual.mlir --llm-target=name=a100-sxm --llm-cost --llm-verify-cost --verify-roundtrip \
// RUN:   | %one-line | FileCheck %t/manual.mlir
// RUN: llm-opt %t/errors.mlir --llm-target=name=a100-sxm --llm-cost -split-input-file -verify-diagnostics

// Without figures of the tiles' room, work spreads over the units evenly: one level.
// RUN: llm-opt %t/search.mlir --llm-target=name=nvl-ax --llm-tile | %one-line | FileCheck %s --check-prefix=EVEN
// EVEN-NOT: "unit"
// EVEN: llm.tile<search
// EVEN-NOT: "unit"

//--- search.mlir
func.func @product(%x: tensor<1536x1024xbf16>, %w: tensor<2304x1024xbf16>, %r: tensor<1536x2304xbf16>) {
  // 6 x 18 tiles of 256 x 128 are one for each unit. One takes 256 x 128 x 1024 / 1024 = 32768
  // cycles of arithmetic, 1024 x 384 x 2 bytes at 138.6 = 5674.1 of operands, 2950 to fill and
  // drain: 41392.1. The bytes take 13356.3, and both together (41392.1^4 + 13356.3^4)^(1/4) = 41503.8.
  // Energy at the full clock: 3623878656 x 3260 + 14942208 x 43750 femtojoules, at 400 W 43948.2
  // cycles. At a lower clock it is less: (43948.2^3 x 41503.8)^(1/4) = 43323.9; with the launch, 2620
  // ns = 3694.2 cycles, 47018.1.
  // CHECK: "product" {{.*}}overhead_cycles = 3695, serial_cycles = 1931, compute_cycles = 41393, memory_cycles = 11111, bound = compute
  // CHECK-SAME: <"unit", sizes = {k = 1024, m = 256, n = 128}, order = [], buffers = {}>]>
  %0 = llm.matmul "product" %x, %w transpose_rhs : tensor<1536x1024xbf16>, tensor<2304x1024xbf16>
  // The residual is added to the sums in the unit: the same tile; 7077888 bytes more are read, which
  // make 41911.2 cycles without a limit and 45039.8 of energy: 44236.3.
  // CHECK: "fused" {{.*}}overhead_cycles = 3695, serial_cycles = 2843, compute_cycles = 41393
  // CHECK-SAME: <"unit", sizes = {k = 1024, m = 256, n = 128}, order = [], buffers = {}>]>
  %1 = llm.fused "fused" {
    %p = llm.matmul %x, %w transpose_rhs : tensor<1536x1024xbf16>, tensor<2304x1024xbf16>
    %s = llm.add %r, %p : tensor<1536x2304xbf16>, tensor<1536x2304xbf16>
    llm.yield %s : tensor<1536x2304xbf16>
  } : tensor<1536x2304xbf16>
  return
}

func.func @cut(%x: tensor<16x16384xbf16>, %w: tensor<1024x16384xbf16>) {
  // 16 tiles of 64 x 64 leave most units idle: the sums are cut into 6 parts of 2731 terms, 96 tiles
  // (8 parts would be 128, two for some units). One takes 64 x 64 x 2752 / 1024 = 11008 cycles (terms
  // in steps of 32), 2752 x 128 x 2 / 138.6 = 5083.1 and 2950: 19041.1. Streaming takes 34111488 x
  // (1 / 1344.9 + 1 / 6652.8) = 30491.0; both together (19041.1^4 + 30491.0^4)^(1/4) = 31589.6. The
  // parts are added up in 2490 ns = 3510.9 cycles and 8 x 16 x 1024 x 6 bytes of the cache, at 23.5
  // x 108 bytes per cycle 309.9; with the launch 39104.5.
  // CHECK: "cut" {{.*}}overhead_cycles = 3695, serial_cycles = 4918, compute_cycles = 30492, memory_cycles = 25364, bound = memory
  // CHECK-SAME: <"unit", sizes = {k = 2731, m = 16, n = 64}, order = [], buffers = {}>]>
  %0 = llm.matmul "cut" %x, %w transpose_rhs : tensor<16x16384xbf16>, tensor<1024x16384xbf16>
  return
}

func.func @attention(%q: tensor<1x2048x32x128xbf16>, %p: tensor<1x1x32x128xbf16>, %k: tensor<1x2048x8x128xbf16>) {
  // A block of 64 queries and 128 keys takes 8192 x (256 / 1024 + 1 / 16 + 5.5 / 64) = 3264 cycles.
  // The 4 heads that share keys are one tile of 4 rows, 8 tiles for 108 units: the 16 blocks of keys
  // are cut into 8 parts. 64 items of 2 blocks take 2 x 3264 + 3000 and, alone in their units, 2 x
  // 425 cycles: 10378. The bytes take 6249.5, which adds up in squares to 12114.4; then 4670 ns
  // = 6584.7 cycles and 8 x 129 x 32 x 8 bytes = 196.4 for the parts, and 3710 ns = 5231.1 before
  // all: 24126.7.
  // CHECK: "decode" {{.*}}overhead_cycles = 5232, serial_cycles = 8517, compute_cycles = 10378, memory_cycles = 6250, bound = compute
  // CHECK-SAME: <"unit", sizes = {b = 1, d = 128, g = 4, h = 1, s = 1, t = 256}, order = [], buffers = {}>]>
  %0 = llm.gqa_attn "decode" %p, %k, %k mask causal scale 0.088 : tensor<1x1x32x128xbf16>, tensor<1x2048x8x128xbf16>, tensor<1x2048x8x128xbf16>
  // 32 heads of 32 tiles; of each number of blocks, 1 to 16, there are 64 items. Two are in a unit
  // at a time, together 2 x (3264 b + 3000) cycles: 128 x (3264 x 136 + 48000) / 216 = 291498.7 for
  // all, and at the end 2 x 3264 x (16 - 8.5) = 48960 by which units are apart: 340458.7.
  // CHECK: "prefill" {{.*}}overhead_cycles = 5232, serial_cycles = 1425, compute_cycles = 340459, memory_cycles = 31187, bound = compute
  // CHECK-SAME: <"unit", sizes = {b = 1, d = 128, g = 1, h = 1, s = 64, t = 2048}, order = [], buffers = {}>]>
  %1 = llm.gqa_attn "prefill" %q, %k, %k mask causal scale 0.088 : tensor<1x2048x32x128xbf16>, tensor<1x2048x8x128xbf16>, tensor<1x2048x8x128xbf16>
  return
}

func.func @norm(%x: tensor<256x4096xbf16>, %w: tensor<4096xbf16>) {
  // An item is a row. Rows are read twice: (2 x 2097152 + 8192 + 2097152) / 256 = 24608 bytes for
  // each, at 7.48 per cycle 3289.8 cycles, 256 / 108 of them 7798.2. Memory takes 4684.1, both
  // 9096.8 in squares; the launch, 1960 ns, 2763.6.
  // CHECK: "norm" {{.*}}x = 4194304{{.*}}overhead_cycles = 2764, serial_cycles = 1298, compute_cycles = 7799, memory_cycles = 4685, bound = memory
  // CHECK-SAME: <"unit", sizes = {d0 = 1, d1 = 4096}, order = [], buffers = {}>]>
  %0 = llm.rmsnorm "norm" %x, %w epsilon 1.0e-5 : tensor<256x4096xbf16>, tensor<4096xbf16>
  return
}

func.func @prepared(%x: tensor<16x4096xbf16>, %g: tensor<4096xbf16>, %w: tensor<1024x4096xbf16>,
                    %y: tensor<128x4096xbf16>) {
  // A norm inside is done before the first product: of 4 rows, 4 operations for each of 4096 elements
  // at 64 a cycle, 1024 cycles, by each of 4 x 16 items. An item of fewer than 64 rows takes what one
  // of 64 x 64 takes: 16384, 4096 x 128 x 2 / 138.6 = 7565.7 and 2950, together 27923.7. (All 16 rows
  // in one item would be 3072 more, 2 rows in each two waves.)
  // CHECK: "prepared" {{.*}}compute_cycles = 27924
  // CHECK-SAME: <"unit", sizes = {k = 4096, m = 4, n = 64}, order = [], buffers = {}>]>
  %0 = llm.fused "prepared" {
    %n = llm.rmsnorm %x, %g epsilon 1.0e-5 : tensor<16x4096xbf16>, tensor<4096xbf16>
    %p = llm.matmul %n, %w transpose_rhs : tensor<16x4096xbf16>, tensor<1024x4096xbf16>
    llm.yield %p : tensor<16x1024xbf16>
  } : tensor<16x1024xbf16>
  // A unit keeps its rows, 8192 bytes each: of 167936 bytes, 20 rows and not 64. An item prepares 16
  // in 4096 cycles; 64 x 128 x 4096 / 1024 = 32768, 4096 x 192 x 2 / 138.6 = 11348.5 and 2950 more
  // are 51162.5.
  // CHECK: "room" {{.*}}compute_cycles = 51163
  // CHECK-SAME: <"unit", sizes = {k = 4096, m = 16, n = 128}, order = [], buffers = {}>]>
  %1 = llm.fused "room" {
    %n = llm.rmsnorm %y, %g epsilon 1.0e-5 : tensor<128x4096xbf16>, tensor<4096xbf16>
    %p = llm.matmul %n, %w transpose_rhs : tensor<128x4096xbf16>, tensor<1024x4096xbf16>
    llm.yield %p : tensor<128x1024xbf16>
  } : tensor<128x1024xbf16>
  return
}

//--- manual.mlir
func.func @manual(%x: tensor<1536x1024xbf16>, %w: tensor<2304x1024xbf16>) {
  // 24 x 36 tiles of 64 x 64 are 8 for each unit, 8 x (4096 + 1891.4 + 2950) = 71499.2 cycles. Their
  // operands, 864 x 1024 x 128 x 2 bytes, come from the cache at 23.5 x 108 bytes per cycle: 89240.7.
  // CHECK: "small" {{.*}}overhead_cycles = 3695, serial_cycles = 0, compute_cycles = 89241, memory_cycles = 11111
  %0 = llm.matmul "small" %x, %w transpose_rhs {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {k = 1024, m = 1536, n = 2304}, order = [m, n, k], buffers = {}>,
      <"unit", sizes = {k = 1024, m = 64, n = 64}, order = [], buffers = {}>]>}
    : tensor<1536x1024xbf16>, tensor<2304x1024xbf16>
  // What lies in the cache is not fetched: 7864320 bytes less, 3145728 + 4718592.
  // CHECK: "resident" {{.*}}traffic = {dram = {out = 7077888}}, {{.*}}memory_cycles = 5263
  %1 = llm.matmul "resident" %x, %w transpose_rhs {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {k = 1024, m = 1536, n = 2304}, order = [m, n, k], buffers = {lhs = 1, rhs = 1}, resident = [lhs, rhs]>,
      <"unit", sizes = {k = 1024, m = 256, n = 128}, order = [], buffers = {}>]>}
    : tensor<1536x1024xbf16>, tensor<2304x1024xbf16>
  // Rows of a norm that lie in the cache are read twice from there.
  // CHECK: "warm" {{.*}}traffic = {dram = {out = 2097152, weight = 8192}}
  %n = tensor.empty() : tensor<256x4096xbf16>
  %g = tensor.empty() : tensor<4096xbf16>
  %2 = llm.rmsnorm "warm" %n, %g epsilon 1.0e-5 {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d0 = 256, d1 = 4096}, order = [d0, d1], buffers = {x = 1}, resident = [x]>,
      <"unit", sizes = {d0 = 1, d1 = 4096}, order = [], buffers = {}>]>}
    : tensor<256x4096xbf16>, tensor<4096xbf16>
  return
}

//--- errors.mlir
// A tile for the cache alone.
func.func @no_unit(%a: tensor<64x64xbf16>) {
  // expected-error@+1 {{needs a tile with two levels, for memory 'l2' and 'unit' of engine 'gpu'}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d0 = 64, d1 = 64}, order = [d0, d1], buffers = {}>]>}
    : tensor<64x64xbf16>, tensor<64x64xbf16>
  return
}

// -----

// The two the other way round.
func.func @turned(%a: tensor<64x64xbf16>) {
  // expected-error@+1 {{needs a tile with two levels, for memory 'l2' and 'unit' of engine 'gpu'}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [
      <"unit", sizes = {d0 = 64, d1 = 64}, order = [], buffers = {}>,
      <"l2", sizes = {d0 = 64, d1 = 64}, order = [d0, d1], buffers = {}>]>}
    : tensor<64x64xbf16>, tensor<64x64xbf16>
  return
}

// -----

// A size of a unit's tile that is larger than the loop.
func.func @large_unit(%a: tensor<64x64xbf16>) {
  // expected-error@+1 {{tile size of loop 'd1' must be in [1, 64], got 65}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d0 = 64, d1 = 64}, order = [d0, d1], buffers = {}>,
      <"unit", sizes = {d0 = 1, d1 = 65}, order = [], buffers = {}>]>}
    : tensor<64x64xbf16>, tensor<64x64xbf16>
  return
}

// -----

// A row of a norm that is cut between units.
func.func @cut_row(%x: tensor<64x64xbf16>) {
  // expected-error@+1 {{loop 'd1' cannot be cut: its tile must be 64, got 32}}
  %0 = llm.rmsnorm %x epsilon 1.0e-5 {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d0 = 64, d1 = 64}, order = [d0, d1], buffers = {}>,
      <"unit", sizes = {d0 = 1, d1 = 32}, order = [], buffers = {}>]>}
    : tensor<64x64xbf16>
  return
}

// -----

// A buffer that the op does not have.
func.func @unknown(%a: tensor<64x64xbf16>) {
  // expected-error@+1 {{tile names buffer 'keys', which the op does not have}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d0 = 64, d1 = 64}, order = [d0, d1], buffers = {lhs = 1, keys = 1}, resident = [lhs, keys]>,
      <"unit", sizes = {d0 = 1, d1 = 64}, order = [], buffers = {}>]>}
    : tensor<64x64xbf16>, tensor<64x64xbf16>
  return
}

// -----

// 4096 x 8192 x 2 bytes are more than the cache has.
func.func @too_large(%a: tensor<4096x8192xbf16>) {
  // expected-error@+1 {{has resident buffers that do not fit into 'l2', which has 40000000 bytes}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {d0 = 1, d1 = 8192}, order = [d0, d1], buffers = {lhs = 1}, resident = [lhs]>,
      <"unit", sizes = {d0 = 1, d1 = 1024}, order = [], buffers = {}>]>}
    : tensor<4096x8192xbf16>, tensor<4096x8192xbf16>
  return
}

// -----

// 512 x 512 sums of 4 bytes are more than a unit has room for.
func.func @sums(%x: tensor<1024x1024xbf16>) {
  // expected-error@+1 {{has a unit tile that takes 1048576 bytes of sums, a unit has 131072}}
  %0 = llm.matmul %x, %x transpose_rhs {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {k = 1024, m = 1024, n = 1024}, order = [m, n, k], buffers = {}>,
      <"unit", sizes = {k = 1024, m = 512, n = 512}, order = [], buffers = {}>]>}
    : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>
  return
}

// -----

// Rows of a norm stay in the unit until all columns of its tile are done: 64 x 4096 x 2 bytes.
func.func @rows(%x: tensor<128x4096xbf16>, %w: tensor<1024x4096xbf16>) {
  // expected-error@+1 {{has a unit tile that takes 524288 bytes of memory for the rows that it keeps, a unit has 167936}}
  %0 = llm.fused "rows" attributes {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {k = 4096, m = 128, n = 1024}, order = [m, n, k], buffers = {}>,
      <"unit", sizes = {k = 4096, m = 64, n = 64}, order = [], buffers = {}>]>} {
    %n = llm.rmsnorm %x epsilon 1.0e-5 : tensor<128x4096xbf16>
    %p = llm.matmul %n, %w transpose_rhs : tensor<128x4096xbf16>, tensor<1024x4096xbf16>
    llm.yield %p : tensor<128x1024xbf16>
  } : tensor<128x1024xbf16>
  return
}

// -----

// One row of 128 Ki elements does not fit either: no tile does.
func.func @no_room(%x: tensor<16x131072xbf16>, %w: tensor<64x131072xbf16>) {
  // expected-error@+1 {{has a unit tile that takes 262144 bytes of memory for the rows that it keeps, a unit has 167936}}
  %0 = llm.fused "no_room" attributes {llm.tile = #llm.tile<pinned levels = [
      <"l2", sizes = {k = 131072, m = 1, n = 1}, order = [m, n, k], buffers = {}>,
      <"unit", sizes = {k = 131072, m = 1, n = 64}, order = [], buffers = {}>]>} {
    %n = llm.rmsnorm %x epsilon 1.0e-5 : tensor<16x131072xbf16>
    %p = llm.matmul %n, %w transpose_rhs : tensor<16x131072xbf16>, tensor<64x131072xbf16>
    llm.yield %p : tensor<16x64xbf16>
  } : tensor<16x64xbf16>
  return
}
