// RUN: llm-opt %s -split-input-file -verify-diagnostics

// collective-C1: a program of one chip has nobody to exchange with.
func.func @no_grid(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.all_reduce' op needs a grid on the module, such as llm.grid = #llm.grid<tp = 8>}}
  %0 = llm.all_reduce sum %x over [tp] : tensor<4x8xf32>
  return
}

// -----

// collective-C2: the grid has no such axis.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @axis(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.all_reduce' op exchanges over axis 'ep', which the grid #llm.grid<tp = 2> lacks}}
    %0 = llm.all_reduce sum %x over [ep] : tensor<4x8xf32>
    return
  }
}

// -----

// collective-C2: a group along no axis is one chip.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @no_axis(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.all_reduce' op needs an axis of the grid to exchange over}}
    %0 = llm.all_reduce max %x over [] : tensor<4x8xf32>
    return
  }
}

// -----

// collective-C2: an axis counts once.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @twice(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.all_gather' op exchanges over axis 'tp' twice}}
    %0 = llm.all_gather %x over [tp, tp] dim 0 : tensor<4x8xf32> -> tensor<16x8xf32>
    return
  }
}

// -----

// collective-C3: a matrix has dimensions 0 and 1.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @dimension(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.all_gather' op names dimension 2 of 'tensor<4x8xf32>'}}
    %0 = llm.all_gather %x over [tp] dim 2 : tensor<4x8xf32> -> tensor<4x16xf32>
    return
  }
}

// -----

// collective-C4: three chips cannot have equal pieces of four rows.
module attributes {llm.grid = #llm.grid<tp = 3>} {
  func.func @pieces(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.reduce_scatter' op cuts dimension 0 of 'tensor<4x8xf32>' into 3 equal pieces}}
    %0 = llm.reduce_scatter sum %x over [tp] dim 0 : tensor<4x8xf32> -> tensor<1x8xf32>
    return
  }
}

// -----

// collective-C5: the pieces of two chips are twice as long.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @shape(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.all_gather' op makes 'tensor<8x8xf32>' of 'tensor<4x8xf32>' among 2 chips, got 'tensor<4x16xf32>'}}
    %0 = llm.all_gather %x over [tp] dim 0 : tensor<4x8xf32> -> tensor<4x16xf32>
    return
  }
}

// -----

// collective-C5: the piece of a chip is half of what there is.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @piece(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.take_piece' op makes 'tensor<4x4xf32>' of 'tensor<4x8xf32>' among 2 chips, got 'tensor<2x8xf32>'}}
    %0 = llm.take_piece %x over [tp] dim 1 : tensor<4x8xf32> -> tensor<2x8xf32>
    return
  }
}

// -----

// collective-C6: along one dimension, all would keep what they have.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @same(%x: tensor<4x8xf32>) {
    // expected-error @+1 {{'llm.all_to_all' op exchanges along two dimensions, got 1 twice}}
    %0 = llm.all_to_all %x over [tp] from 1 to 1 : tensor<4x8xf32> -> tensor<4x8xf32>
    return
  }
}

// -----

// collective-C7: half a block of scales.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @blocks(%x: tensor<4x48x!llm.block_scaled<f8E4M3FN, [32], f32>>) {
    // expected-error @+1 {{'llm.all_gather' op has pieces 'tensor<4x48x!llm.block_scaled<f8E4M3FN, [32], f32>>' that cut through blocks of scales along dimension 1}}
    %0 = llm.all_gather %x over [tp] dim 1 : tensor<4x48x!llm.block_scaled<f8E4M3FN, [32], f32>> -> tensor<4x96x!llm.block_scaled<f8E4M3FN, [32], f32>>
    return
  }
}

// -----

// collective-C7: a piece of half a block.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @half_a_block(%x: tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>>) {
    // expected-error @+1 {{'llm.take_piece' op has pieces 'tensor<4x16x!llm.block_scaled<f8E4M3FN, [32], f32>>' that cut through blocks of scales along dimension 1}}
    %0 = llm.take_piece %x over [tp] dim 1 : tensor<4x32x!llm.block_scaled<f8E4M3FN, [32], f32>> -> tensor<4x16x!llm.block_scaled<f8E4M3FN, [32], f32>>
    return
  }
}
