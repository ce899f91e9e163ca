// RUN: rm -rf %t && split-file %s %t

// What --llm-tile and --llm-cost leave is right, on every preset and with both strategies.
// RUN: llm-translate --import-hf-config %examples/llama-3.2-1b.json -o %t/block.mlir
// RUN: llm-opt %t/block.mlir --llm-tile --llm-verify-cost -o %t/tiled.mlir
// RUN: llm-opt %t/block.mlir --llm-target=name=a100-sxm --llm-tile=strategy=theoretical --llm-verify-cost -o %t/out
// RUN: llm-opt %t/block.mlir --llm-target=name=h100-sxm --llm-tile --llm-verify-cost -o %t/out
// RUN: llm-opt %t/block.mlir --llm-target=name=nvl-ax --llm-tile --llm-verify-cost -o %t/out

// It changes nothing.
// RUN: llm-opt %t/tiled.mlir --llm-verify-cost | diff %t/tiled.mlir -

// The number of engines says nothing about a cost.
// RUN: llm-opt %t/tiled.mlir --llm-target=engines=64 --llm-verify-cost -o %t/out

// A figure edited by hand, one after the other, with the stamp as it was: the error shows
// both, and the next op is checked too.
// RUN: sed 's/memory_cycles = 83968/memory_cycles = 83967/' %t/tiled.mlir > %t/edited.mlir
// RUN: not llm-opt %t/edited.mlir --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=EDITED
// EDITED: error: 'llm.matmul' op has a cost that does not follow from op, tile and target; --llm-cost writes that
// EDITED: note: is {{.*}}memory_cycles = 83967
// EDITED: note: should be {{.*}}memory_cycles = 83968
// EDITED: error: 'llm.matmul' op has a cost that does not follow
// RUN: sed 's/{mac = 4194304}/{mac = 4194305}/' %t/tiled.mlir > %t/edited.mlir
// RUN: not llm-opt %t/edited.mlir --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=WORK
// WORK: note: should be {{.*}}mac = 4194304
// RUN: sed 's/bound = memory/bound = compute/' %t/tiled.mlir > %t/edited.mlir
// RUN: not llm-opt %t/edited.mlir --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: note: should be {{.*}}bound = memory
// RUN: sed 's/cost<engine = "core"/cost<engine = "dma"/' %t/tiled.mlir > %t/edited.mlir
// RUN: not llm-opt %t/edited.mlir --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: note: should be {{.*}}engine = "core"

// --llm-cost mends all of that.
// RUN: llm-opt %t/edited.mlir --llm-cost --llm-verify-cost | diff %t/tiled.mlir -

// Another machine, other costs.
// RUN: sed 's/"bytes_per_second" = 400000000000/"bytes_per_second" = 400000000001/' %t/tiled.mlir > %t/edited.mlir
// RUN: not llm-opt %t/edited.mlir --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: 'llm.rmsnorm' op has a cost that does not follow

// Without tile, cost or target there is nothing to check, and the error says what to run.
// RUN: not llm-opt %t/block.mlir --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=NOTARGET
// NOTARGET: error: {{.*}}has no target; run --llm-target or --llm-tile first
// RUN: not llm-opt %t/block.mlir --llm-target --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=NOTILE
// NOTILE: error: 'llm.rmsnorm' op has no tile; run --llm-tile first
// RUN: not llm-opt %t/nocost.mlir --llm-target --llm-verify-cost 2>&1 | FileCheck %s --check-prefix=NOCOST
// NOCOST: nocost.mlir:3:{{[0-9]+}}: error: 'llm.add' op has no cost; run --llm-tile first

//--- nocost.mlir
func.func @f(%a: tensor<4x4xbf16>) {
  // The tile is there and the cost is not.
  %0 = llm.add %a, %a {llm.tile = #llm.tile<pinned levels = [<"sram",
      sizes = {d0 = 4, d1 = 4}, order = [d0, d1], buffers = {}>]>}
    : tensor<4x4xbf16>, tensor<4x4xbf16>
  return
}
