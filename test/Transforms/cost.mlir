// Costs for tiles that are there, by hand and after edits.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/manual.mlir --llm-target=file=%t/toy.json --llm-cost --llm-verify-cost --verify-roundtrip | %one-line > %t/costed.mlir
// RUN: FileCheck %t/manual.mlir < %t/costed.mlir

// What --llm-tile annotated is what --llm-cost finds, for both strategies.
// RUN: llm-translate --import-hf-config %examples/qwen3-8b.json | %one-line > %t/block.mlir
// RUN: llm-opt %t/block.mlir --llm-tile | %one-line > %t/tiled.mlir
// RUN: llm-opt %t/tiled.mlir --llm-cost | %one-line | diff %t/tiled.mlir -
// RUN: llm-opt %t/block.mlir --llm-target=name=h100-sxm --llm-tile=strategy=theoretical | %one-line > %t/closed.mlir
// RUN: llm-opt %t/closed.mlir --llm-cost | %one-line | diff %t/closed.mlir -

// A tile edited by hand: the cost is new, and slots and schedule, which no longer hold, are
// dropped.
// RUN: llm-opt %t/tiled.mlir "--llm-schedule=granularity=op prefetch=false" | %one-line > %t/scheduled.mlir
// RUN: sed 's/, llm.cost = #llm.cost<[^>]*>\], stamp = "[0-9a-f]*">//' %t/scheduled.mlir | llm-opt --llm-cost | %one-line | diff %t/tiled.mlir -

// A cost depends on the target: 256 bytes at 2.462 bytes per cycle take 103.98 cycles,
// rounded up 104. Other tiles might be better now, but --llm-cost keeps them.
// RUN: llm-opt %t/costed.mlir --llm-target=file=%t/fast.json --llm-cost | %one-line | FileCheck %s --check-prefix=FAST
// FAST: "km" {{.*}}memory_cycles = 104, {{.*}}sizes = {k = 2, m = 2, n = 2}

// What does not fit op or machine is an error that says what was expected.
// RUN: llm-opt %t/errors.mlir --llm-cost -split-input-file -verify-diagnostics

//--- manual.mlir
// 4 x 4 x 4 of bf16 in tiles of 2 x 2 x 2 on a machine of 4 macs and 2 bytes per cycle, 5
// cycles of overhead, port of half the bandwidth, so 1 byte per cycle. 64 macs, 16 cycles.
func.func @manual(%a: tensor<4x4xbf16>) {
  // Order m, n, k: lhs (m, k) is fetched again for each of two n: 64 bytes; rhs for each of
  // two m: 64; the result stays while k runs: 32. Bytes: 160, cycles: 160 + 5. Room: 2
  // tiles of 8 bytes each held twice, three buffers: 48.
  // CHECK: "mnk" {{.*}}work = {mac = 64}, traffic = {dram = {lhs = 64, out = 32, rhs = 64}}, working_set_bytes = 48, overhead_cycles = 5, serial_cycles = 0, compute_cycles = 16, memory_cycles = 160, bound = memory>
  %0 = llm.matmul "mnk" %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {k = 2, m = 2, n = 2}, order = [m, n, k], buffers = {lhs = 2, out = 2, rhs = 2}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  // Order k, m, n: lhs once, 32; rhs again for each m, 64; the result is interrupted once:
  // 16 partial sums of 4 bytes out and in again, 128, and 32 at the end: 160. One tile held
  // of each: 24 bytes.
  // CHECK: "kmn" {{.*}}traffic = {dram = {lhs = 32, out = 160, rhs = 64}}, working_set_bytes = 24, {{.*}}memory_cycles = 256
  %1 = llm.matmul "kmn" %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {k = 2, m = 2, n = 2}, order = [k, m, n], buffers = {lhs = 1, out = 1, rhs = 1}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  // Only m cut, by 3 and 1: ragged, and nothing moves twice but what all need: 32 x 3. The
  // right operand stays. Sizes 3 x 4: 24 bytes twice, out too, rhs 32: 128 bytes.
  // CHECK: "ragged" {{.*}}traffic = {dram = {lhs = 32, out = 32, rhs = 32}}, working_set_bytes = 128, {{.*}}memory_cycles = 96
  %2 = llm.matmul "ragged" %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {k = 4, m = 3, n = 4}, order = [m, n, k], buffers = {lhs = 2, out = 2, rhs = 1}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  // One element at a time: three of 2 bytes; every element moves once, 3 x 32 bytes.
  // CHECK: "add" {{.*}}work = {alu = 16}, traffic = {dram = {lhs = 32, out = 32, rhs = 32}}, working_set_bytes = 6, {{.*}}memory_cycles = 96
  %3 = llm.add "add" %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 1, d1 = 1}, order = [d0, d1], buffers = {lhs = 1, out = 1, rhs = 1}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  // Order k, n, m: lhs again for each n, 64, rhs 32, result 160: 256 bytes.
  // CHECK: "km" {{.*}}traffic = {dram = {lhs = 64, out = 160, rhs = 32}}{{.*}}memory_cycles = 256
  %4 = llm.matmul "km" %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {k = 2, m = 2, n = 2}, order = [k, n, m], buffers = {lhs = 1, out = 1, rhs = 1}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

//--- toy.json
{
  "name": "toy", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "private_memory": "sram", "count": 2,
                         "macs_per_cycle_per_unit": { "bf16": 4 }, "overhead_cycles": 5,
                         "port_bytes_per_second": { "dram": 1000 } } },
  "memories": { "sram": { "capacity_bytes": 512 }, "dram": { "bytes_per_second": 2000 } }
}

//--- fast.json
{
  "name": "fast", "clock_hz": 1000,
  "engines": { "core": { "kinds": ["matrix", "vector"], "alu_per_cycle_per_unit": 1000000, "special_per_cycle_per_unit": 1000000, "private_memory": "sram",
                         "macs_per_cycle_per_unit": { "bf16": 4 } } },
  "memories": { "sram": { "capacity_bytes": 512 }, "dram": { "bytes_per_second": 2462 } }
}

//--- errors.mlir
func.func @no_tile(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{has no tile; run --llm-tile first}}
  %0 = llm.add %a, %a : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

func.func @too_large(%a: tensor<4096x4096xbf16>) {
  // Two tiles of 4096 x 4096 x 2 bytes and one of them for the result, 100,663,296 bytes;
  // the default's private memory has 8,388,608.
  // expected-error@+1 {{has a tile that takes 100663296 bytes of 'sram', which has 8388608: 92274688 too many}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4096, d1 = 4096}, order = [d0, d1], buffers = {lhs = 1, out = 1, rhs = 1}>]>}
    : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>
  return
}

// -----

func.func @beyond(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{tile size of loop 'd1' must be in [1, 4], got 5}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 5}, order = [d0, d1], buffers = {}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

func.func @unknown_loop(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{tile has a size for loop 'd2', which the op does not have; did you mean 'd0'? (its loops are d0, d1)}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 4, d2 = 1}, order = [d0, d1, d2], buffers = {}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

func.func @missing_loop(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{tile has no size for loop 'd1'; expected one in [1, 4]}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4}, order = [d0], buffers = {}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

func.func @unknown_loop(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{tile has a size for loop 'k', which the op does not have (its loops are d0, d1)}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 4, k = 1}, order = [d0, d1, k], buffers = {}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

func.func @head(%x: tensor<1x4x2x4xbf16>) {
  // expected-error@+1 {{loop 'd' cannot be cut: its tile must be 4, got 2}}
  %0 = llm.rope %x at 0 theta 1.0e4 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {b = 1, s = 4, h = 2, d = 2}, order = [b, s, h, d], buffers = {}>]>}
    : tensor<1x4x2x4xbf16>
  return
}

// -----

func.func @other_memory(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{needs a tile with one level, for memory 'sram' of engine 'core'}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"cache",
      sizes = {d0 = 4, d1 = 4}, order = [d0, d1], buffers = {}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

// tile-C7: a split of a loop that the op does not have.
func.func @split_loop(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{has a split that names loop 'm', which the op does not have}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 4}, order = [d0, d1], buffers = {}>] split = {m = 2}>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

// tile-C8: a split of iterations that depend on each other.
func.func @split_reduction(%a: tensor<4x4xbf16>, %w: tensor<4xbf16>) {
  // expected-error@+1 {{has a split that names loop 'd1', whose iterations depend on each other; expected a parallel loop, one reduction of which the op can join partial results, or one loop along which a value is carried}}
  %0 = llm.rmsnorm %a, %w epsilon 1.0e-5 {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 4}, order = [d0, d1], buffers = {}>] split = {d1 = 2}>}
    : tensor<4x4xbf16>, tensor<4xbf16>
  return
}

// -----

// tile-C9: 4 iterations in 3 parts are 2, 2 and none.
func.func @split_count(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{has a split that cuts the 4 iterations of loop 'd0' into 3 parts; equal parts, the last one shorter, are 2}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 4}, order = [d0, d1], buffers = {}>] split = {d0 = 3}>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}

// -----

// tile-C10: 2^25 parts.
func.func @split_parts(%a: tensor<8192x4096xbf16>) {
  // expected-error@+1 {{has more than 16777216 parts}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 1, d1 = 1}, order = [d0, d1], buffers = {}>] split = {d0 = 8192, d1 = 4096}>}
    : tensor<8192x4096xbf16>, tensor<8192x4096xbf16>
  return
}

// -----

// What is said to lie in a memory must fit into it: 2 x 4096 x 4096 bytes do not.
func.func @resident(%a: tensor<4096x4096xbf16>) {
  // expected-error@+1 {{has resident buffers that do not fit into 'sram', which has 8388608 bytes}}
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 4}, order = [d0, d1], buffers = {lhs = 1}, resident = [lhs]>]>}
    : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>
  return
}
