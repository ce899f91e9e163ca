// What a kernel of several ops takes on the units of an engine: no less than any of its ops alone that
// leaves the same values on chip. All figures are round, those that are expected were computed by hand.

// RUN: split-file %s %t
// RUN: llm-opt %t/program.mlir --llm-target=file=%t/toy.json --llm-tile --llm-verify-cost | %one-line | FileCheck %t/program.mlir

//--- toy.json
{
  "name": "toy",
  "clock_hz": 1e9,
  "engines": {
    "gpu": {
      "kinds": ["matrix", "vector"],
      "cost_model": "kernels",
      "units": 2,
      "macs_per_cycle_per_unit": { "bf16": 64 },
      "alu_per_cycle_per_unit": 64,
      "special_per_cycle_per_unit": 64,
      "compare_per_cycle_per_unit": 64,
      "accumulator_bytes_per_unit": 131072,
      "private_memory": "l2"
    }
  },
  "memories": { "l2": { "capacity_bytes": 1e6 }, "dram": { "capacity_bytes": 80e9, "bytes_per_second": 1e15 } },
  "calibration": {
    "fitted_on": "nothing: round figures",
    "engines": {
      "gpu": {
        "kernels": {
          "contraction": { "launch_nanoseconds": 1500, "item_cycles": 0 },
          "elementwise": { "launch_nanoseconds": 1000, "item_cycles": 0 },
          "llm.kv_write": { "launch_nanoseconds": 3000, "item_cycles": 700 },
          "llm.rmsnorm": { "rereads_rows": 1 }
        }
      }
    }
  }
}

//--- program.mlir
// The write of a cache has a launch and cycles for each item of its own: 3000, and 700 for each of 2
// tokens on 2 units. The class has 1000 and none, the rope little to do.
// CHECK-LABEL: func.func @cache
// CHECK: llm.fused "k_rope+kv_write"
// CHECK-SAME: overhead_cycles = 3000,
// CHECK-SAME: compute_cycles = 700,
func.func @cache(%k: tensor<1x2x2x64xbf16>, %v: tensor<1x2x2x64xbf16>) -> !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 64, capacity = 8, bf16> {
  %c = llm.kv_cache "cache" : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 64, capacity = 8, bf16>
  %n = llm.fused "k_rope+kv_write" {
    %r = llm.rope "k_rope" %k at 0 theta 1.0e4 : tensor<1x2x2x64xbf16>
    %w = llm.kv_write "kv_write" %c, %r, %v at 0 : <batch = 1, kv_heads = 2, head_dim = 64, capacity = 8, bf16>, tensor<1x2x2x64xbf16>, tensor<1x2x2x64xbf16>
    llm.yield %w : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 64, capacity = 8, bf16>
  } : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 64, capacity = 8, bf16>
  return %n : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 64, capacity = 8, bf16>
}

// Four rows of four experts, one each, are four items, however few rows an item may have: 64 x 64 x 64
// multiply-accumulates at 64 in a cycle, twice on each of 2 units. That columns alternate, which cannot
// be cut, does not make one item of them.
// CHECK-LABEL: func.func @experts
// CHECK: llm.fused "gate_up_proj+swiglu"
// CHECK-SAME: overhead_cycles = 1500,
// CHECK-SAME: compute_cycles = 8192,
func.func @experts(%x: tensor<4x64xbf16>, %w: tensor<4x64x64xbf16>) -> tensor<4x32xbf16> {
  %y = llm.fused "gate_up_proj+swiglu" {
    %b = llm.grouped_matmul "gate_up_proj" %x, %w transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 : tensor<4x64xbf16>, tensor<4x64x64xbf16>
    %g = tensor.extract_slice %b[0, 0] [4, 32] [1, 2] : tensor<4x64xbf16> to tensor<4x32xbf16>
    %u = tensor.extract_slice %b[0, 1] [4, 32] [1, 2] : tensor<4x64xbf16> to tensor<4x32xbf16>
    %s = llm.swiglu "swiglu" %g, %u : tensor<4x32xbf16>, tensor<4x32xbf16>
    llm.yield %s : tensor<4x32xbf16>
  } : tensor<4x32xbf16>
  return %y : tensor<4x32xbf16>
}

// Eight rows of each of eight experts: items of 32, 16 or 8 rows are as many as items of 64, eight, each
// as long as a full one. Nothing speaks for short ones.
// CHECK-LABEL: func.func @short_items
// CHECK: llm.fused "gate_up_proj+swiglu"
// CHECK-SAME: compute_cycles = 16384,
// CHECK-SAME: <"unit", sizes = {d1 = 32, grouped_matmul.n.1 = 2, k = 64, m = 64}
func.func @short_items(%x: tensor<64x64xbf16>, %w: tensor<8x64x64xbf16>) -> tensor<64x32xbf16> {
  %y = llm.fused "gate_up_proj+swiglu" {
    %b = llm.grouped_matmul "gate_up_proj" %x, %w transpose_rhs rows_per_expert [8, 8, 8, 8, 8, 8, 8, 8] top_k 1 : tensor<64x64xbf16>, tensor<8x64x64xbf16>
    %g = tensor.extract_slice %b[0, 0] [64, 32] [1, 2] : tensor<64x64xbf16> to tensor<64x32xbf16>
    %u = tensor.extract_slice %b[0, 1] [64, 32] [1, 2] : tensor<64x64xbf16> to tensor<64x32xbf16>
    %s = llm.swiglu "swiglu" %g, %u : tensor<64x32xbf16>, tensor<64x32xbf16>
    llm.yield %s : tensor<64x32xbf16>
  } : tensor<64x32xbf16>
  return %y : tensor<64x32xbf16>
}

// The norm reads its rows of 4 x 64 values twice, 2 x 512 bytes, also with what follows in the same
// kernel. What it writes stays on chip.
// CHECK-LABEL: func.func @rereads
// CHECK: llm.fused "norm+quantize"
// CHECK-SAME: traffic = {dram = {quantize.out = 256, rmsnorm.weight = 128, rmsnorm.x = 1024}}
func.func @rereads(%x: tensor<4x64xbf16>, %w: tensor<64xbf16>) -> tensor<4x64xf8E4M3FN> {
  %y = llm.fused "norm+quantize" {
    %n = llm.rmsnorm "norm" %x, %w epsilon 1.0e-5 : tensor<4x64xbf16>, tensor<64xbf16>
    %q = llm.quantize "quantize" %n to f8E4M3FN : tensor<4x64xbf16>
    llm.yield %q : tensor<4x64xf8E4M3FN>
  } : tensor<4x64xf8E4M3FN>
  return %y : tensor<4x64xf8E4M3FN>
}
