// What people write by hand, in front of --llm-partition: test/Transforms/shard-experts-errors.mlir.

// cut-C4: a product whose rows are of all experts.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @apart(%x: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
    %rows = llm.moe_dispatch %x, %e : tensor<4x16xf32>, tensor<4x1xi32>
    %w = llm.weight "w" : tensor<4x16x16xf32>
    // expected-error @+1 {{'llm.grouped_matmul' op shares its experts among chips, and the op that makes its rows does not}}
    %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 {llm.shard = #llm.shard<{experts = [ep]}>} : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
    %c = llm.moe_combine %u, %e : tensor<4x16xf32>, tensor<4x1xi32>
    return %c : tensor<4x16xf32>
  }
}

// -----

// cut-C4: one op of the mixture is left out.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @left_out(%x: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
    // expected-note @+1 {{which is here}}
    %rows = llm.moe_dispatch %x, %e {llm.shard = #llm.shard<{experts = [ep]}>} : tensor<4x16xf32>, tensor<4x1xi32>
    %w = llm.weight "w" : tensor<4x16x16xf32>
    %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 {llm.shard = #llm.shard<{experts = [ep]}>} : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
    // expected-error @+1 {{'llm.moe_combine' op shares its experts among other chips than the op that makes its rows}}
    %c = llm.moe_combine %u, %e : tensor<4x16xf32>, tensor<4x1xi32>
    return %c : tensor<4x16xf32>
  }
}

// -----

// cut-C4: what is computed for each expert is on no chip alone.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @computed(%x: tensor<4x16xf32>, %w: tensor<4x16x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
    %rows = llm.moe_dispatch %x, %e {llm.shard = #llm.shard<{experts = [ep]}>} : tensor<4x16xf32>, tensor<4x1xi32>
    // expected-error @+1 {{'llm.grouped_matmul' op cannot have its experts cut over axis 'ep': what it has for each of them is no weight}}
    %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 {llm.shard = #llm.shard<{experts = [ep]}>} : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
    %c = llm.moe_combine %u, %e {llm.shard = #llm.shard<{experts = [ep]}>} : tensor<4x16xf32>, tensor<4x1xi32>
    return %c : tensor<4x16xf32>
  }
}

// -----

// cut-C1: an axis that the grid does not have.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @axis(%x: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
    // expected-error @+1 {{'llm.moe_dispatch' op is cut over axis 'tp', which the grid #llm.grid<ep = 2> lacks}}
    %rows = llm.moe_dispatch %x, %e {llm.shard = #llm.shard<{experts = [tp]}>} : tensor<4x16xf32>, tensor<4x1xi32>
    %w = llm.weight "w" : tensor<4x16x16xf32>
    %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 {llm.shard = #llm.shard<{experts = [tp]}>} : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
    %c = llm.moe_combine %u, %e {llm.shard = #llm.shard<{experts = [tp]}>} : tensor<4x16xf32>, tensor<4x1xi32>
    return %c : tensor<4x16xf32>
  }
}
