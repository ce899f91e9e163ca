// RUN: llm-opt %s -split-input-file -verify-diagnostics

// collective-C1.
func.func @no_grid(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) {
  // expected-error @+1 {{'llm.expert_dispatch' op needs a grid on the module, such as llm.grid = #llm.grid<tp = 8>}}
  %r, %re = llm.expert_dispatch %x, %e over [ep] own [ep] rows 4 : tensor<4x8xf32>, tensor<4x1xi32>
  return
}

// -----

// expert_dispatch-C1: three tokens have no experts of four.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @tokens(%x: tensor<4x8xf32>, %e: tensor<3x1xi32>) {
    // expected-error @+1 {{'llm.expert_dispatch' op experts 'tensor<3x1xi32>' must be whole numbers, some for each token of x 'tensor<4x8xf32>'}}
    %r, %re = llm.expert_dispatch %x, %e over [ep] own [ep] rows 4 : tensor<4x8xf32>, tensor<3x1xi32>
    return
  }
}

// -----

// expert_dispatch-C1: experts are counted.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @floats(%x: tensor<4x8xf32>, %e: tensor<4x1xf32>) {
    // expected-error @+1 {{'llm.expert_dispatch' op experts 'tensor<4x1xf32>' must be whole numbers}}
    %r, %re = llm.expert_dispatch %x, %e over [ep] own [ep] rows 4 : tensor<4x8xf32>, tensor<4x1xf32>
    return
  }
}

// -----

// expert_dispatch-C2: two experts of a token, and one share.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @shares(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>, %s: tensor<4x1xf32>) {
    // expected-error @+1 {{'llm.expert_dispatch' op experts 'tensor<4x2xi32>' and shares 'tensor<4x1xf32>' must have one shape}}
    %r, %re, %rs = llm.expert_dispatch %x, %e shares %s over [ep] own [ep] rows 4 : tensor<4x8xf32>, tensor<4x2xi32>, tensor<4x1xf32>
    return
  }
}

// -----

// expert_dispatch-C3: no room.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @no_room(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) {
    // expected-error @+1 {{'llm.expert_dispatch' op has room for 0 tokens, which must be 1 or more}}
    %r, %re = llm.expert_dispatch %x, %e over [ep] own [ep] rows 0 : tensor<4x8xf32>, tensor<4x1xi32>
    return
  }
}

// -----

// expert_dispatch-C3: two chips have eight tokens.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @room(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) {
    // expected-error @+1 {{'llm.expert_dispatch' op has room for 9 tokens, and 2 chips have 8}}
    %r, %re = llm.expert_dispatch %x, %e over [ep] own [ep] rows 9 : tensor<4x8xf32>, tensor<4x1xi32>
    return
  }
}

// -----

// expert_dispatch-C4: chips along `dp` have the same experts, so that nothing needs to go there.
module attributes {llm.grid = #llm.grid<dp = 2, ep = 2>} {
  func.func @own(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) {
    // expected-error @+1 {{'llm.expert_dispatch' op exchanges over axis 'dp', along which chips do not share experts (own)}}
    %r, %re = llm.expert_dispatch %x, %e over [dp, ep] own [ep] rows 4 : tensor<4x8xf32>, tensor<4x1xi32>
    return
  }
}

// -----

// expert_dispatch-C4: an axis that the grid lacks.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @axis(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) {
    // expected-error @+1 {{'llm.expert_dispatch' op shares experts over axis 'tp', which the grid #llm.grid<ep = 2> lacks}}
    %r, %re = llm.expert_dispatch %x, %e over [ep] own [ep, tp] rows 4 : tensor<4x8xf32>, tensor<4x1xi32>
    return
  }
}

// -----

// expert_combine-C1.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @floats_back(%x: tensor<4x8xf32>, %e: tensor<4x1xf32>) {
    // expected-error @+1 {{'llm.expert_combine' op experts are whole numbers, got 'tensor<4x1xf32>'}}
    %y = llm.expert_combine %x, %e over [ep] own [ep] : tensor<4x8xf32>, tensor<4x1xf32>
    return
  }
}

// -----

// expert_combine-C2.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @room_back(%x: tensor<9x8xf32>, %e: tensor<4x1xi32>) {
    // expected-error @+1 {{'llm.expert_combine' op has room for 9 tokens, and 2 chips have 8}}
    %y = llm.expert_combine %x, %e over [ep] own [ep] : tensor<9x8xf32>, tensor<4x1xi32>
    return
  }
}

// -----

// expert_combine-C3.
module attributes {llm.grid = #llm.grid<dp = 2, ep = 2>} {
  func.func @own_back(%x: tensor<4x8xf32>, %e: tensor<4x1xi32>) {
    // expected-error @+1 {{'llm.expert_combine' op exchanges over axis 'dp', along which chips do not share experts (own)}}
    %y = llm.expert_combine %x, %e over [dp] own [ep] : tensor<4x8xf32>, tensor<4x1xi32>
    return
  }
}
