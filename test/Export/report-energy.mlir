// Energy and average power in the report, on an A100: 1536 x 2304 x 1024 multiply-accumulates of 3.2
// pJ and 14942208 bytes of 43.75 pJ are 11.596 + 0.654 = 12.250 mJ.
// RUN: rm -rf %t && mkdir %t

// Over 46876 cycles of 1.41 GHz (tile-units.mlir) these are 368.5 W; what the device draws besides is
// not said.
// RUN: llm-opt %s --llm-target=name=a100-sxm --llm-tile --llm-schedule --llm-export-report -o %t/out.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABOVE
// ABOVE: 12.250 mJ of multiply-accumulates and bytes, as far as the target gives their energies; on average
// ABOVE-NEXT: 368.5 W above those of an idle device, which the target does not give

// With 50 W of idle power the limit of 400 W leaves 350: 12.250 mJ take 49350.5 cycles and 3694.2 to
// launch, 53045 altogether, in which they are 325.6 W more.
// RUN: sed 's/"power_limit_watts": 400,/"power_limit_watts": 400, "idle_watts": 50,/' %root/lib/Target/presets/a100-sxm.json > %t/chip.json
// RUN: llm-opt %s --llm-target=file=%t/chip.json --llm-tile --llm-schedule --llm-export-report -o %t/out.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WITH
// WITH: 12.250 mJ of multiply-accumulates and bytes, as far as the target gives their energies; on average
// WITH-NEXT: 375.6 W with the 50 W of an idle device

// Where a target gives no energy of bytes, only the 11.596 mJ of multiply-accumulates are there.
// RUN: grep -v femtojoules_per_byte %root/lib/Target/presets/a100-sxm.json | sed -E ':a;N;$!ba;s/,(\s*[}])/\1/g' > %t/no-bytes.json
// RUN: llm-opt %s --llm-target=file=%t/no-bytes.json --llm-tile --llm-schedule --llm-export-report -o %t/out.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PRODUCTS
// PRODUCTS: 11.596 mJ of multiply-accumulates alone, as the target gives no energy of bytes; on average

func.func @product(%x: tensor<1536x1024xbf16>, %w: tensor<2304x1024xbf16>) {
  %0 = llm.matmul "product" %x, %w transpose_rhs : tensor<1536x1024xbf16>, tensor<2304x1024xbf16>
  return
}
