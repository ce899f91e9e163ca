// The search: legal integer tiles, ragged edges, results counted, two tiles held where
// there is a next one.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/small.mlir --llm-target=file=%t/toy.json --llm-tile --llm-verify-cost --verify-roundtrip | %one-line | FileCheck %t/small.mlir

// Remarks say what each op takes and what bounds it.
// RUN: llm-opt %t/small.mlir --llm-target=file=%t/toy.json --llm-tile --remarks-filter-passed=llm-tile \
// RUN:   --remark-format=emitRemark -o %t/out 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] tile {{.*}}'fits' takes 320 cycles, bound by memory
// REMARK: remark: [Passed] tile {{.*}}'streams' takes 984 cycles, bound by memory

// Where nothing fits the error says how many bytes are missing: a head of 150 values in and
// out takes 600 bytes.
// RUN: not llm-opt %t/wide.mlir --llm-target=file=%t/toy.json --llm-tile 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: wide.mlir:2:{{[0-9]+}}: error: 'llm.rope' op has a smallest tile that takes 600 bytes of 'sram', which has 512: 88 too many

// An engine without a private memory: no tile, every element once.
// RUN: llm-opt %t/small.mlir --llm-target=file=%t/bare.json --llm-tile --llm-verify-cost | %one-line | FileCheck %s --check-prefix=BARE
// BARE: "fits" {{.*}}traffic = {dram = {lhs = 128, out = 128, rhs = 64}}, working_set_bytes = 0, {{.*}}llm.tile = #llm.tile<search>
// BARE: "streams" {{.*}}traffic = {dram = {lhs = 56, out = 32, rhs = 896}}

// Equal ops get equal tiles and costs, whatever their names; the choice does not depend on
// the strategy that was used before, nor on the number of engines.
// RUN: llm-translate --import-hf-config %examples/llama-3.2-1b.json | %one-line > %t/block.mlir
// RUN: llm-opt %t/block.mlir --llm-tile | %one-line > %t/once.mlir
// RUN: llm-opt %t/block.mlir --llm-tile=strategy=theoretical --llm-tile=strategy=search | %one-line | diff %t/once.mlir -
// RUN: llm-opt %t/block.mlir --llm-target=engines=9 --llm-tile --llm-target=engines=4 | %one-line | diff %t/once.mlir -

// Strategies that there are not.
// RUN: not llm-opt %t/small.mlir --llm-tile=strategy=best 2>&1 | FileCheck %s --check-prefix=BEST
// BEST: error: --llm-tile: option 'strategy' must be search or theoretical, got 'best'
// RUN: not llm-opt %t/small.mlir --llm-tile=strategy=manual 2>&1 | FileCheck %s --check-prefix=MANUAL
// MANUAL: error: --llm-tile: option 'strategy' must be search or theoretical, got 'manual'

//--- small.mlir
func.func @small(%a: tensor<8x8xbf16>, %b: tensor<8x8xi8>, %c: tensor<1x16xbf16>,
                 %d: tensor<16x28xbf16>, %e: tensor<1x28xbf16>, %x: tensor<6x40xbf16>,
                 %w: tensor<40xbf16>) {
  // All in one tile: 128 + 64 + 128 = 320 of 512 bytes, each once, one byte per cycle.
  // CHECK: "fits" {{.*}}traffic = {dram = {lhs = 128, out = 128, rhs = 64}}, working_set_bytes = 320, {{.*}}memory_cycles = 320, bound = memory>
  // CHECK-SAME: sizes = {k = 8, m = 8, n = 8}{{.*}}buffers = {lhs = 1, out = 1, rhs = 1}
  %0 = llm.matmul "fits" %a, %b : tensor<8x8xbf16>, tensor<8x8xi8>
  // The weight, 16 x 28 x 2 = 896 bytes, does not fit: it streams through two tiles, and
  // nothing moves more than once: 32 + 896 + 56 = 984 bytes.
  // CHECK: "wide_row" {{.*}}traffic = {dram = {lhs = 32, out = 56, rhs = 896}}{{.*}}memory_cycles = 984, bound = memory>
  // CHECK-SAME: buffers = {lhs = {{[12]}}, out = {{[12]}}, rhs = 2}
  %1 = llm.matmul "wide_row" %c, %d : tensor<1x16xbf16>, tensor<16x28xbf16>
  // The same weight the other way round: 28 in, 16 out.
  // CHECK: "streams" {{.*}}traffic = {dram = {lhs = 56, out = 32, rhs = 896}}{{.*}}memory_cycles = 984
  %2 = llm.matmul "streams" %e, %d transpose_rhs : tensor<1x28xbf16>, tensor<16x28xbf16>
  // A row of a norm is never cut: a row of 80 bytes in and out, two of each, and the weight
  // of 80 bytes, read once: 400 bytes; two rows would take 720. 6 x 160 + 80 bytes move.
  // CHECK: "norm" {{.*}}traffic = {dram = {out = 480, weight = 80, x = 480}}, working_set_bytes = 400
  // CHECK-SAME: sizes = {d0 = 1, d1 = 40}{{.*}}buffers = {out = 2, weight = 1, x = 2}
  %3 = llm.rmsnorm "norm" %x, %w epsilon 1.0e-5 : tensor<6x40xbf16>, tensor<40xbf16>
  return
}

//--- wide.mlir
func.func @wide(%x: tensor<1x1x1x150xbf16>) {
  %0 = llm.rope "rotated" %x at 0 theta 1.0e4 : tensor<1x1x1x150xbf16>
  return
}

//--- toy.json
{
  "name": "toy", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "private_memory": "sram",
                         "macs_per_cycle_per_unit": { "bf16": 64 } } },
  "memories": { "sram": { "capacity_bytes": 512 }, "dram": { "bytes_per_second": 1000 } }
}

//--- bare.json
{
  "name": "bare", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000,
                         "macs_per_cycle_per_unit": { "bf16": 64 } } },
  "memories": { "dram": { "bytes_per_second": 1000 } }
}
