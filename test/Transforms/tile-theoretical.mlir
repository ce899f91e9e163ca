// The closed form of hand-made cost sheets, derived by hand.
//
// One layer of Llama-3.1-8B, prefill of 8192 tokens, mask full, on nvl-ax:
//   cache C = 36 MiB = 37,748,736 bytes, b = 2: C / b = 18,874,368 values
//   32 units x 2048 = 65,536 macs per cycle
//   342 GiB/s / 2.5 GHz = 367,219,703,808 / 2,500,000,000 = 146.8878815232 bytes per cycle
//   edge = sqrt(C / (3 b)) = sqrt(6,291,456) = 2508.28
//
// o (and q): m, k, n = 8192, 4096, 4096. The smallest, 4096, is above the edge: square
//   tiles of 2508.28, floored 2508. macs = 2^37 = 137,438,953,472.
//   compute = 2^37 / 65,536 = 2,097,152
//   memory  = 2 x 2508.28^2 x 2 / 146.888 x 2^37 / 2508.28^3
//           = 4 x 2^37 / 2508.28 / 146.888 = 219,176,632.0 / 146.888 = 1,492,135.6
//   2,097,152 cycles, compute bound.
// gate, up: m, k, n = 8192, 4096, 14336 and down: 8192, 14336, 4096: the same tile.
//   macs = 8192 x 4096 x 14336 = 481,036,337,152; compute = 7,340,032
//   memory = 4 x 481,036,337,152 / 2508.28 / 146.888 = 5,222,474.5
//   7,340,032 cycles, compute bound.
// k and v: m, k, n = 8192, 4096, 1024. d0 = n = 1024 is below the edge and kept whole:
//   x^2 + 2048 x = 18,874,368: x = sqrt(1024^2 + 18,874,368) - 1024
//     = sqrt(19,922,944) - 1024 = 4463.512 - 1024 = 3439.512; d1 = 4096 is above it.
//   tile 3439.512 x 3439.512 x 1024, floored 3439. macs = 2^35 = 34,359,738,368.
//   compute = 2^35 / 65,536 = 524,288
//   lhs: tm tk b x macs / (tm tk tn) = 2 x 2^35 / 1024 = 67,108,864 bytes
//   rhs: tk tn b x macs / (tm tk tn) = 2 x 2^35 / 3439.512 = 19,979,423.4 bytes
//   memory = (67,108,864 + 19,979,423.4) / 146.888 = 592,889.5, rounded up 592,890
//   592,890 cycles, memory bound.
// attention is no such product and gets the plain roofline, no tile:
//   2 x 8192 x 8192 x 32 x 128 macs / 65,536 = 8,388,608, and for 8192 x 8192 x 32 scores maxima,
//   2^31 / (32 x 64) = 1,048,576, exponentials, 2^31 / (32 x 16) = 4,194,304 (their additions,
//   2^32 / (32 x 128), run beside them), and for 8192 x 4096 outputs 2^25 / (32 x 128) = 8192:
//   13,639,680
//   q and out 2 x 8192 x 4096 x 2, k and v 2 x 8192 x 1024 x 2: 167,772,160 bytes / 146.888
//   = 1,142,178.4, rounded up 1,142,179.
// a norm: 8192 x 4096 values of 2 bytes in and out and 4096 weights: 134,225,920 bytes
//   / 146.888 = 913,798.5, rounded up 913,799.

// RUN: llm-translate --import-hf-config %examples/llama-3.1-8b.json --phase=prefill --seq=8192 --mask=full \
// RUN:   | llm-opt --llm-target=name=nvl-ax --llm-tile=strategy=theoretical --llm-verify-cost --verify-roundtrip \
// RUN:   | %one-line | FileCheck %s --check-prefix=AX

// AX: "model.layers.0.input_layernorm" {{.*}}memory_cycles = 913799, bound = memory>]{{.*}}llm.tile = #llm.tile<theoretical>
// AX: "model.layers.0.self_attn.q_proj" {{.*}}compute_cycles = 2097152, memory_cycles = 1492136, bound = compute>
// AX-SAME: sizes = {k = 2508, m = 2508, n = 2508}
// AX: "model.layers.0.self_attn.k_proj" {{.*}}compute_cycles = 524288, memory_cycles = 592890, bound = memory>
// AX-SAME: #llm.tile<theoretical levels = [<"cache", sizes = {k = 3439, m = 3439, n = 1024}
// AX: "model.layers.0.self_attn.v_proj" {{.*}}compute_cycles = 524288, memory_cycles = 592890, bound = memory>
// AX-SAME: sizes = {k = 3439, m = 3439, n = 1024}
// AX: llm.gqa_attn {{.*}}compute_cycles = 13639680, memory_cycles = 1142179, bound = compute>]{{.*}}llm.tile = #llm.tile<theoretical>
// AX: "model.layers.0.self_attn.o_proj" {{.*}}compute_cycles = 2097152, {{.*}}bound = compute>
// AX-SAME: sizes = {k = 2508, m = 2508, n = 2508}
// AX: "model.layers.0.mlp.gate_proj" {{.*}}compute_cycles = 7340032, memory_cycles = 5222475, bound = compute>
// AX-SAME: sizes = {k = 2508, m = 2508, n = 2508}
// AX: "model.layers.0.mlp.up_proj" {{.*}}compute_cycles = 7340032, {{.*}}bound = compute>
// AX: "model.layers.0.mlp.down_proj" {{.*}}compute_cycles = 7340032, {{.*}}bound = compute>

// Small machine, round figures: C = 600 bytes, b = 2: 300 values; 8 macs and 4 bytes per
// cycle. --llm-cost finds the same costs for these tiles.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/small.mlir --llm-target=file=%t/toy.json --llm-tile=strategy=theoretical | %one-line > %t/tiled.mlir
// RUN: FileCheck %t/small.mlir < %t/tiled.mlir
// RUN: llm-opt %t/tiled.mlir --llm-cost | %one-line | diff %t/tiled.mlir -

// A tile that says 'theoretical' and is another one: an error that shows the right one.
// RUN: sed 's/k = 10, m = 10/k = 10, m = 9/' %t/tiled.mlir > %t/edited.mlir
// RUN: not llm-opt %t/edited.mlir --llm-cost 2>&1 | FileCheck %s --check-prefix=EDITED
// EDITED: error: 'llm.matmul' op has a tile that says 'theoretical' but is not the one of the closed form
// EDITED-SAME: sizes = {k = 10, m = 10, n = 10}

// A remark for each type whose rate is not its own.
// RUN: llm-opt %t/small.mlir --llm-target=file=%t/toy.json --llm-tile=strategy=theoretical \
// RUN:   --remarks-filter-analyse=llm-tile --remark-format=emitRemark -o %t/out 2>&1 | FileCheck %s --check-prefix=RATES
// RATES: 'narrow' on engine 'core': no rate for contractions of f8E5M2: that of bf16 stands in

// Work that the target gives no rate for is not free: an error that names the field.
// RUN: sed '/special_per_cycle/d' %t/toy.json > %t/norates.json
// RUN: not llm-opt %t/small.mlir --llm-target=file=%t/norates.json --llm-tile=strategy=theoretical 2>&1 | FileCheck %s --check-prefix=NORATE
// RUN: not llm-opt %t/small.mlir --llm-target=file=%t/norates.json --llm-tile 2>&1 | FileCheck %s --check-prefix=NORATE
// NORATE: small.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'llm.rmsnorm' op does special work, for which engine 'core' of target 'toy' gives no rate: the target needs engines.core.special_per_cycle_per_unit

//--- small.mlir
// edge = sqrt(300 / 3) = 10 in all three dimensions: 100^3 macs, compute 10^6 / 8 =
// 125,000; memory (100 + 100) x 2 / 4 x 10^6 / 1000 = 100,000.
// CHECK: "square" {{.*}}compute_cycles = 125000, memory_cycles = 100000, bound = compute>{{.*}}sizes = {k = 10, m = 10, n = 10}, order = [m, n, k]
// d0 = k = 4: x^2 + 8 x = 300, x = sqrt(316) - 4 = 13.776: floored 13; 50 x 4 x 60 =
// 12,000 macs, compute 1500; memory 2 x 13.776 x 4 x 2 / 4 x 12,000 / (4 x 13.776^2) =
// 12,000 / 13.776 = 871.06, rounded up 872.
// CHECK: "one_whole" {{.*}}compute_cycles = 1500, memory_cycles = 872, bound = compute>{{.*}}sizes = {k = 4, m = 13, n = 13}
// One row: d0 = m = 1, d1 = n = 9, and k gets (300 - 9) / (1 + 9) = 29.1: floored 29.
// 1 x 1000 x 9 = 9000 macs, compute 1125; memory (29.1 + 29.1 x 9) x 2 / 4 x 9000 /
// (29.1 x 9) = 10 / 2 x 1000 = 5000.
// CHECK: "two_whole" {{.*}}compute_cycles = 1125, memory_cycles = 5000, bound = memory>{{.*}}sizes = {k = 29, m = 1, n = 9}
// All fits: the tile is the product. 5 x 6 x 7 = 210 macs, compute 26.25, up 27; memory
// (30 + 42) x 2 / 4 = 36.
// CHECK: "fits" {{.*}}compute_cycles = 27, memory_cycles = 36, bound = memory>{{.*}}sizes = {k = 6, m = 5, n = 7}
// One byte per value: 600 values, edge 14.142; 100^3 macs at the rate of bf16: 125,000;
// memory 2 / 4 x 10^6 / 14.142 = 35,355.3, up 35,356.
// CHECK: "narrow" {{.*}}compute_cycles = 125000, memory_cycles = 35356, bound = compute>{{.*}}sizes = {k = 14, m = 14, n = 14}
// No product: 2 x 100 x 2 + 10 x 2 = 420 bytes in 105 cycles; 200 / 20 + 10 / 2 + 200 / 20 of
// compute.
// CHECK: "norm" {{.*}}compute_cycles = 25, memory_cycles = 105, bound = memory>{{.*}}llm.tile = #llm.tile<theoretical>
func.func @small(%a: tensor<100x100xbf16>, %b: tensor<50x4xbf16>, %c: tensor<4x60xbf16>,
                 %d: tensor<1x1000xbf16>, %e: tensor<1000x9xbf16>, %f: tensor<5x6xbf16>,
                 %g: tensor<6x7xbf16>, %h: tensor<100x100xf8E5M2>, %i: tensor<10x10xbf16>,
                 %j: tensor<10xbf16>) {
  %0 = llm.matmul "square" %a, %a : tensor<100x100xbf16>, tensor<100x100xbf16>
  %1 = llm.matmul "one_whole" %b, %c : tensor<50x4xbf16>, tensor<4x60xbf16>
  %2 = llm.matmul "two_whole" %d, %e : tensor<1x1000xbf16>, tensor<1000x9xbf16>
  %3 = llm.matmul "fits" %f, %g : tensor<5x6xbf16>, tensor<6x7xbf16>
  %4 = llm.matmul "narrow" %h, %h : tensor<100x100xf8E5M2>, tensor<100x100xf8E5M2>
  %5 = llm.rmsnorm "norm" %i, %j epsilon 1.0e-5 : tensor<10x10xbf16>, tensor<10xbf16>
  return
}

//--- toy.json
{
  "name": "toy", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "private_memory": "sram", "alu_per_cycle_per_unit": 20,
                         "special_per_cycle_per_unit": 2,
                         "macs_per_cycle_per_unit": { "bf16": 8 } } },
  "memories": { "sram": { "capacity_bytes": 600 }, "dram": { "bytes_per_second": 4000 } }
}
