// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-partition
// RUN: not llm-opt %S/Inputs/one-chip.mlir --llm-shard=tp=2 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --llm-shard: the module has the grid #llm.grid<tp = 1> already; leave 'tp' out to cut over that
// RUN: not llm-opt %S/shard-late.mlir --llm-shard 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --llm-shard: needs a number of chips, such as tp=8 (1 to 1048576), or a grid on the module
// RUN: llm-opt %S/shard-late.mlir --llm-partition 2>&1 >/dev/null | FileCheck %s --check-prefix=NOGRID
// NOGRID: shard-late.mlir: warning: --llm-partition cuts nothing: the module has no grid of chips. --llm-shard=tp=8 in front of it writes one, and says what is cut
// One chip needs no grid, so that a sweep may begin with it; neither does a module without a program.
// RUN: llm-opt %S/shard-late.mlir --llm-shard=tp=1 --llm-partition -o /dev/null 2>&1 | count 0
// RUN: echo 'module {}' | llm-opt --llm-partition -o /dev/null 2>&1 | count 0
// RUN: echo 'module {}' | not llm-opt --llm-shard=tps=8 2>&1 | FileCheck %s --check-prefix=SPELLING
// SPELLING: did you mean 'tp'?
// RUN: not llm-opt %S/shard-late.mlir --llm-shard=tp=2 --llm-partition --llm-shard 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: 'llm.weight' op is a piece already: --llm-partition has made the program of one chip
// RUN: not llm-opt %S/shard-late.mlir --llm-tile --llm-shard=tp=2 2>&1 | FileCheck %s --check-prefix=TILED
// TILED: error: 'llm.matmul' op has a tile already: --llm-shard and --llm-partition come before --llm-tile
// RUN: not llm-opt %S/shard-late.mlir --llm-fuse --llm-shard=tp=2 2>&1 | FileCheck %s --check-prefix=FUSED
// FUSED: error: 'llm.matmul' op is in a kernel of several ops: --llm-shard and --llm-partition come before --llm-fuse
// RUN: not llm-opt %S/shard-late.mlir --llm-target=name=h100-sxm --llm-shard=tp=2 --llm-tile 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: 'llm.matmul' op is to be cut over chips (llm.shard): run --llm-partition before --llm-tile
// RUN: not llm-opt %S/shard-late.mlir --llm-target=name=npu-mxu-vpu --llm-shard=tp=2 --llm-tile 2>&1 | FileCheck %s --check-prefix=LINKS
// LINKS: error: the program's grid has 2 chips, and target 'npu-mxu-vpu' has no links: write "links": {"ring": {"bytes_per_second_per_direction": 100e9, "devices": 2}} into its file, or take a preset with links (llm-opt --llm-list-targets)
// RUN: not llm-opt %S/shard-late.mlir --llm-target=name=h100-sxm --llm-shard=tp=16 --llm-tile 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: the program's grid has 16 chips, and the links of target 'h100-sxm' join 8: set=links.nvlink.devices=16 asks what if one joined so many

// cut-C1: the op has no such loop.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @loop(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.add' op is cut along loop 'n', which it does not have}}
    %0 = llm.add %x, %x {llm.shard = #llm.shard<{n = [tp]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}

// -----

// cut-C1: the grid has no such axis.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @axis(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.add' op is cut over axis 'dp', which the grid #llm.grid<tp = 2> lacks}}
    %0 = llm.add %x, %x {llm.shard = #llm.shard<{d0 = [dp]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}

// -----

// cut-C1: each chip has one place along an axis.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @twice(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.add' op is cut over axis 'tp' twice}}
    %0 = llm.add %x, %x {llm.shard = #llm.shard<{d0 = [tp], d1 = [tp]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}

// -----

// cut-C1: three chips and four rows.
module attributes {llm.grid = #llm.grid<tp = 3>} {
  func.func @divide(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.add' op is cut along loop 'd0' over 3 chips, which do not divide its 4 iterations}}
    %0 = llm.add %x, %x {llm.shard = #llm.shard<{d0 = [tp]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}

// -----

// cut-C1: four chips do not divide the second segment.
module attributes {llm.grid = #llm.grid<tp = 4>} {
  func.func @segment(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.add' op is cut along loop 'd1' over 4 chips, which do not divide a segment of 3 iterations}}
    %0 = llm.add %x, %x {llm.shard = #llm.shard<{d1 = [tp] of [4, 3, 1]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}

// -----

// cut-C1: segments make up the loop.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @segments(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.add' op is cut along loop 'd1' in segments of 6 iterations together, and it has 8}}
    %0 = llm.add %x, %x {llm.shard = #llm.shard<{d1 = [tp] of [4, 2]}>} : tensor<4x8xf32>, tensor<4x8xf32>
    return
  }
}

// -----

// cut-C2: the mean of a row needs all of it.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @row(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.rmsnorm' op cannot be cut over chips: it needs all iterations of loop 'd1' on one chip}}
    %0 = llm.rmsnorm %x epsilon 1.0e-5 {llm.shard = #llm.shard<{d1 = [tp]}>} : tensor<4x8xf32>
    return
  }
}

// -----

// cut-C2: nobody knows how to add tokens up.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @token(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.sample' op cannot be cut over chips: it has no results that can be added up over parts of loop 'v'}}
    %0 = llm.sample greedy %x {llm.shard = #llm.shard<{v = [tp]}>} : tensor<4x8xf32>
    return
  }
}

// -----

// cut-C3: a bias that is computed is the same on all chips, and would be added by each.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @bias(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) {
    // expected-error @+1 {{'llm.matmul' op cannot be cut over chips: it cuts 'bias' into pieces of which one chip alone may add its own: it must be a weight}}
    %0 = llm.matmul %x, %w bias %b {llm.shard = #llm.shard<{k = [tp]}>} : tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>
    return
  }
}

// -----

// cut-C3: a block of 32 columns has one scale.
module attributes {llm.grid = #llm.grid<tp = 4>} {
  func.func @blocks(%x: tensor<3x32xf32>) {
    %w = llm.weight "w" : tensor<64x32x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    // expected-error @+1 {{'llm.matmul' op cannot be cut over chips: it cuts 'rhs' into pieces that cut through blocks of scales}}
    %0 = llm.matmul %x, %w transpose_rhs {llm.shard = #llm.shard<{n = [tp]}>} : tensor<3x32xf32>, tensor<64x32x!llm.block_scaled<f8E4M3FN, [32, 32], f32>>
    return
  }
}
