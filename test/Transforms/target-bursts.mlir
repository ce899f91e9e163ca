// A program that computes for long runs at the power limit, without bursts. A product of 16,384^3
// multiply-accumulates takes 4.398e12 x 2,240 fJ / 700 W = 14.1 ms at the limit, and bursts of 450 us count up to 50 x 0.45 = 22.5 ms.
// Three of them take 42.2 ms, and 21.1 ms at twice the limit.
// RUN: rm -rf %t && split-file %s %t
// RUN: llm-opt %t/short.mlir --llm-target=name=h100-sxm --mlir-print-local-scope | FileCheck %s --check-prefix=SHORT
// RUN: llm-opt %t/long.mlir --llm-target=name=h100-sxm --mlir-print-local-scope | FileCheck %s --check-prefix=LONG
// RUN: llm-opt %t/long.mlir "--llm-target=name=h100-sxm set=power_limit_watts=1400" --mlir-print-local-scope | FileCheck %s --check-prefix=SHORT
// A target without a limit has none in either.
// RUN: llm-opt %t/long.mlir --llm-target=name=tpu-v6e --mlir-print-local-scope | FileCheck %s --check-prefix=LONG
// SHORT: "burst_percent" = 120 : i64
// SHORT-SAME: "burst_microseconds" = 450 : i64
// LONG-NOT: burst_

//--- short.mlir
func.func @short(%x: tensor<16384x16384xbf16>, %w: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
  %0 = llm.matmul "one" %x, %w transpose_rhs : tensor<16384x16384xbf16>, tensor<16384x16384xbf16>
  return %0 : tensor<16384x16384xbf16>
}

//--- long.mlir
func.func @long(%x: tensor<16384x16384xbf16>, %w: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<16384x16384xbf16>) {
    %1 = llm.matmul "layers.{}" %y, %w transpose_rhs : tensor<16384x16384xbf16>, tensor<16384x16384xbf16>
    scf.yield %1 : tensor<16384x16384xbf16>
  }
  return %0 : tensor<16384x16384xbf16>
}
