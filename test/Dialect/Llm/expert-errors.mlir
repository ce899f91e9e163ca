// RUN: llm-opt %s -split-input-file -verify-diagnostics

// moe_route-C1: more experts than there are.
func.func @top_k(%l: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.moe_route' op top_k must be in [1, experts], got 9 of 8}}
  %s, %e = llm.moe_route softmax %l top_k 9 : tensor<4x8xf32>
  return
}

// -----

// moe_route-C1: no expert.
func.func @top_none(%l: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.moe_route' op top_k must be in [1, experts], got 0 of 8}}
  %s, %e = llm.moe_route softmax %l top_k 0 : tensor<4x8xf32>
  return
}

// -----

// moe_route-C2: more groups than there are.
func.func @top_groups(%l: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.moe_route' op top_groups must be in [1, groups], got 3 of 2}}
  %s, %e = llm.moe_route softmax %l top_k 2 groups 2 top_groups 3 : tensor<4x8xf32>
  return
}

// -----

// moe_route-C3: groups of several sizes.
func.func @groups(%l: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.moe_route' op 3 groups do not divide 8 experts}}
  %s, %e = llm.moe_route softmax %l top_k 2 groups 3 top_groups 1 : tensor<4x8xf32>
  return
}

// -----

// moe_route-C4: a group with too few experts.
func.func @group_size(%l: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.moe_route' op selects 5 experts, but 1 of 2 groups have 4}}
  %s, %e = llm.moe_route softmax %l top_k 5 groups 2 top_groups 1 : tensor<4x8xf32>
  return
}

// -----

// moe_route-C5: a bias for other experts.
func.func @route_bias(%l: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'llm.moe_route' op bias 'tensor<4xf32>' must be one for each of 8 experts}}
  %s, %e = llm.moe_route sigmoid %l bias %b top_k 2 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

// moe_route-C5: scales of other experts.
func.func @route(%l: tensor<4x8xf32>, %c: tensor<9xf32>) {
  // expected-error @+1 {{'llm.moe_route' op expert_scales 'tensor<9xf32>' must be one for each of 8 experts}}
  %s, %e = llm.moe_route softmax %l expert_scales %c top_k 2 : tensor<4x8xf32> expert_scales tensor<9xf32>
  return
}

// -----

// moe_route-C6: shares of nothing.
func.func @route_scale(%l: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.moe_route' op scale must be finite and positive}}
  %s, %e = llm.moe_route softmax %l top_k 2 scale 0.0 : tensor<4x8xf32>
  return
}

// -----

// moe_dispatch-C1: experts that are no whole numbers.
func.func @dispatch_type(%x: tensor<4x8xf32>, %e: tensor<4x2xf32>) {
  // expected-error @+1 {{'llm.moe_dispatch' op experts are whole numbers, got 'tensor<4x2xf32>'}}
  %r = llm.moe_dispatch %x, %e : tensor<4x8xf32>, tensor<4x2xf32>
  return
}

// -----

// moe_dispatch-C2: experts of other tokens.
func.func @dispatch_tokens(%x: tensor<4x8xf32>, %e: tensor<3x2xi32>) {
  // expected-error @+1 {{'llm.moe_dispatch' op x 'tensor<4x8xf32>' and experts 'tensor<3x2xi32>' must agree in tokens}}
  %r = llm.moe_dispatch %x, %e : tensor<4x8xf32>, tensor<3x2xi32>
  return
}

// -----

// grouped_matmul-C1: another reduction.
func.func @grouped_k(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op reduction sizes differ: lhs 'tensor<8x8xf32>' has k = 8, rhs 'tensor<4x16x8xf32>' has k = 16; is 'transpose_rhs' missing?}}
  %0 = llm.grouped_matmul %x, %w rows_per_expert [2, 2, 2, 2] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32>
  return
}

// -----

// grouped_matmul-C2: rows that are missing.
func.func @grouped_rows(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op rows_per_expert must be the 8 rows of lhs 'tensor<8x8xf32>' altogether, each 0 or more, got 7}}
  %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [2, 2, 2, 1] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32>
  return
}

// -----

// grouped_matmul-C2: fewer rows than none.
func.func @grouped_negative(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op rows_per_expert must be the 8 rows of lhs 'tensor<8x8xf32>' altogether, each 0 or more}}
  %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [4, 4, -1, 1] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32>
  return
}

// -----

// grouped_matmul-C3: an expert without a number.
func.func @grouped_experts(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op rows_per_expert has 3 entries for 4 experts of rhs 'tensor<4x16x8xf32>'}}
  %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [4, 2, 2] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32>
  return
}

// -----

// grouped_matmul-C4: rows that are not of whole tokens.
func.func @grouped_top_k(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op top_k must be in [1, experts] and divide the 8 rows, got 3 of 4}}
  %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [2, 2, 2, 2] top_k 3 : tensor<8x8xf32>, tensor<4x16x8xf32>
  return
}

// -----

// grouped_matmul-C5: an expert that sees a token twice.
func.func @grouped_twice(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op an expert has 5 rows, but only 4 tokens are there}}
  %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [5, 1, 1, 1] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32>
  return
}

// -----

// grouped_matmul-C6: a bias of other experts.
func.func @grouped_bias(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>, %b: tensor<3x16xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op bias 'tensor<3x16xf32>' must be [experts, n] of rhs 'tensor<4x16x8xf32>'}}
  %0 = llm.grouped_matmul %x, %w bias %b transpose_rhs rows_per_expert [2, 2, 2, 2] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32>, tensor<3x16xf32>
  return
}

// -----

// moe_combine-C1: experts that are no whole numbers.
func.func @combine_type(%x: tensor<8x8xf32>, %e: tensor<4x2xf32>) {
  // expected-error @+1 {{'llm.moe_combine' op experts are whole numbers, got 'tensor<4x2xf32>'}}
  %r = llm.moe_combine %x, %e, %e : tensor<8x8xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  return
}

// -----

// moe_combine-C2: shares of other experts.
func.func @combine_shares(%x: tensor<8x8xf32>, %e: tensor<4x2xi32>, %s: tensor<4x3xf32>) {
  // expected-error @+1 {{'llm.moe_combine' op experts 'tensor<4x2xi32>' and shares 'tensor<4x3xf32>' must have one shape}}
  %r = llm.moe_combine %x, %e, %s : tensor<8x8xf32>, tensor<4x2xi32>, tensor<4x3xf32>
  return
}

// -----

// moe_combine-C3: rows of other tokens.
func.func @combine_rows(%x: tensor<7x8xf32>, %e: tensor<4x2xi32>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{'llm.moe_combine' op x 'tensor<7x8xf32>' must have a row for each of the experts 'tensor<4x2xi32>'}}
  %r = llm.moe_combine %x, %e, %s : tensor<7x8xf32>, tensor<4x2xi32>, tensor<4x2xf32>
  return
}

// -----

// moe_dispatch-C3: shares of other experts.
func.func @dispatch_shares(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>, %s: tensor<4x3xf32>) {
  // expected-error @+1 {{'llm.moe_dispatch' op experts 'tensor<4x2xi32>' and shares 'tensor<4x3xf32>' must have one shape}}
  %r = llm.moe_dispatch %x, %e shares %s : tensor<4x8xf32>, tensor<4x2xi32>, tensor<4x3xf32>
  return
}

// -----

// grouped_matmul-C7: quantized rows whose product has no type.
func.func @grouped_scaled(%x: tensor<8x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, %w: tensor<4x16x32xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op cannot have a result of '!llm.block_scaled<f8E4M3FN, [32], f32>' elements: name a float or integer type with 'to'}}
  %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [2, 2, 2, 2] top_k 2 : tensor<8x32x!llm.block_scaled<f8E4M3FN, [32], f32>>, tensor<4x16x32xf32>
  return
}

// -----

// grouped_matmul-C9: experts that are no whole numbers.
func.func @grouped_experts_type(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>, %e: tensor<4x2xf32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op experts 'tensor<4x2xf32>' must be whole numbers, the 2 of each token, for the rows of lhs 'tensor<8x8xf32>'}}
  %0 = llm.grouped_matmul %x, %w experts %e transpose_rhs rows_per_expert [2, 2, 2, 2] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32> experts tensor<4x2xf32>
  return
}

// -----

// grouped_matmul-C9: experts of which a token takes another number.
func.func @grouped_experts_top_k(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>, %e: tensor<4x3xi32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op experts 'tensor<4x3xi32>' must be whole numbers, the 2 of each token, for the rows of lhs 'tensor<8x8xf32>'}}
  %0 = llm.grouped_matmul %x, %w experts %e transpose_rhs rows_per_expert [2, 2, 2, 2] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32> experts tensor<4x3xi32>
  return
}

// -----

// grouped_matmul-C9: experts of other tokens.
func.func @grouped_experts_rows(%x: tensor<8x8xf32>, %w: tensor<4x16x8xf32>, %e: tensor<3x2xi32>) {
  // expected-error @+1 {{'llm.grouped_matmul' op experts 'tensor<3x2xi32>' must be whole numbers, the 2 of each token, for the rows of lhs 'tensor<8x8xf32>'}}
  %0 = llm.grouped_matmul %x, %w experts %e transpose_rhs rows_per_expert [2, 2, 2, 2] top_k 2 : tensor<8x8xf32>, tensor<4x16x8xf32> experts tensor<3x2xi32>
  return
}

// -----

// moe_dispatch-C4: nobody to share experts with.
func.func @own_grid(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>) {
  // expected-error @+1 {{'llm.moe_dispatch' op needs a grid on the module, such as llm.grid = #llm.grid<tp = 8>}}
  %r = llm.moe_dispatch %x, %e own [ep] rows 5 : tensor<4x8xf32>, tensor<4x2xi32>
  return
}

// -----

// moe_dispatch-C4: no such axis.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @own_axis(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>) {
    // expected-error @+1 {{'llm.moe_dispatch' op shares experts over axis 'ep', which the grid #llm.grid<tp = 2> lacks}}
    %r = llm.moe_dispatch %x, %e own [ep] rows 5 : tensor<4x8xf32>, tensor<4x2xi32>
    return
  }
}

// -----

// moe_dispatch-C5: more rows than tokens have choices.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @own_rows(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>) {
    // expected-error @+1 {{'llm.moe_dispatch' op has room for 9 rows of its own experts, which must be in [1, 8]}}
    %r = llm.moe_dispatch %x, %e own [ep] rows 9 : tensor<4x8xf32>, tensor<4x2xi32>
    return
  }
}

// -----

// moe_dispatch-C5: no room at all.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @no_rows(%x: tensor<4x8xf32>, %e: tensor<4x2xi32>) {
    // expected-error @+1 {{'llm.moe_dispatch' op has room for 0 rows of its own experts, which must be in [1, 8]}}
    %r = llm.moe_dispatch %x, %e own [ep] rows 0 : tensor<4x8xf32>, tensor<4x2xi32>
    return
  }
}

// -----

// grouped_matmul-C4: no expert of a token.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @own_choices(%x: tensor<5x8xf32>, %w: tensor<2x16x8xf32>) {
    // expected-error @+1 {{'llm.grouped_matmul' op top_k must be in [1, experts] and divide the 5 rows, got 0 of 2}}
    %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [2, 3] top_k 0 own [ep] : tensor<5x8xf32>, tensor<2x16x8xf32>
    return
  }
}

// -----

// grouped_matmul-C9: more rows than all tokens have choices.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @own_choice(%x: tensor<9x8xf32>, %w: tensor<2x16x8xf32>, %e: tensor<4x2xi32>) {
    // expected-error @+1 {{'llm.grouped_matmul' op experts 'tensor<4x2xi32>' must be whole numbers, the 2 of each token, for the rows of lhs 'tensor<9x8xf32>'}}
    %0 = llm.grouped_matmul %x, %w experts %e transpose_rhs rows_per_expert [4, 5] top_k 2 own [ep] : tensor<9x8xf32>, tensor<2x16x8xf32> experts tensor<4x2xi32>
    return
  }
}

// -----

// grouped_matmul-C10: an axis that is there twice.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @own_product(%x: tensor<5x8xf32>, %w: tensor<2x16x8xf32>) {
    // expected-error @+1 {{'llm.grouped_matmul' op shares experts over axis 'ep' twice}}
    %0 = llm.grouped_matmul %x, %w transpose_rhs rows_per_expert [2, 3] top_k 2 own [ep, ep] : tensor<5x8xf32>, tensor<2x16x8xf32>
    return
  }
}

// -----

// moe_combine-C3: more rows than all tokens have choices.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @combine_own_rows(%x: tensor<9x8xf32>, %e: tensor<4x2xi32>) {
    // expected-error @+1 {{'llm.moe_combine' op x 'tensor<9x8xf32>' must have a row for each of the experts 'tensor<4x2xi32>'}}
    %r = llm.moe_combine %x, %e own [ep] : tensor<9x8xf32>, tensor<4x2xi32>
    return
  }
}

// -----

// moe_combine-C4: experts that nobody shares.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @combine_own(%x: tensor<5x8xf32>, %e: tensor<4x2xi32>) {
    // expected-error @+1 {{'llm.moe_combine' op needs an axis of the grid to share experts over}}
    %r = llm.moe_combine %x, %e own [] : tensor<5x8xf32>, tensor<4x2xi32>
    return
  }
}
