// Energy and average power in the report, on an A100: 1536 x 2304 x 1024 multiply-accumulates of 3.26
// pJ and 14942208 bytes of 43.75 pJ are 11.814 + 0.654 = 12.468 mJ at the full clock. The limit of 400 W
// slows it down: 43324 cycles besides the launch (tile-units.mlir) are 30.726 us and 12.290 mJ.
// RUN: rm -rf %t && mkdir %t

// Over 47019 cycles of 1.41 GHz these are 368.6 W; what the device draws besides is
// not said.
// RUN: llm-opt %s --llm-target=name=a100-sxm --llm-tile --llm-schedule --llm-export-report -o %t/out.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABOVE
// ABOVE: 12.290 mJ of multiply-accumulates and bytes, as far as the target gives their energies; on average
// ABOVE-NEXT: 368.6 W above those of an idle device, which the target does not give

// With 50 W of idle power the limit of 400 W leaves 350: 12.468 mJ take 50226.5 cycles, (50226.5^3 x
// 41503.8)^(1/4) = 47887.4 at the lower clock, in which 350 W are 11.887 mJ. With 3694.2 cycles to launch
// these are 324.9 W more.
// RUN: sed 's/"power_limit_watts": 400,/"power_limit_watts": 400, "idle_watts": 50,/' %root/lib/Target/presets/a100-sxm.json > %t/chip.json
// RUN: llm-opt %s --llm-target=file=%t/chip.json --llm-tile --llm-schedule --llm-export-report -o %t/out.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WITH
// WITH: 11.887 mJ of multiply-accumulates and bytes, as far as the target gives their energies; on average
// WITH-NEXT: 374.9 W with the 50 W of an idle device

// Where a target gives no energy of bytes, only the 11.814 mJ of multiply-accumulates are there, which
// take 41643.8 cycles, and so 41608.8 and 11.804 mJ.
// RUN: grep -v femtojoules_per_byte %root/lib/Target/presets/a100-sxm.json | sed -E ':a;N;$!ba;s/,(\s*[}])/\1/g' > %t/no-bytes.json
// RUN: llm-opt %s --llm-target=file=%t/no-bytes.json --llm-tile --llm-schedule --llm-export-report -o %t/out.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PRODUCTS
// PRODUCTS: 11.804 mJ of multiply-accumulates alone, as the target gives no energy of bytes; on average

func.func @product(%x: tensor<1536x1024xbf16>, %w: tensor<2304x1024xbf16>) {
  %0 = llm.matmul "product" %x, %w transpose_rhs : tensor<1536x1024xbf16>, tensor<2304x1024xbf16>
  return
}
