// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-shard
// RUN: not llm-opt %S/shard-open.mlir --llm-shard=dp=2 2>&1 | FileCheck %s --check-prefix=SEQUENCES
// SEQUENCES: error: 'func.func' op has open sizes, so that chips cannot share its sequences; bind them (--llm-bind-shapes), or cut products (tp)

// cut-C1: a loop whose size nobody knows.
module attributes {llm.grid = #llm.grid<tp = 2>} {
  func.func @rows(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    // expected-error @+1 {{is cut along loop 'd0' over 2 chips, and its size is open; bind it (--llm-bind-shapes), or leave it whole}}
    %y = llm.add %x, %x {llm.shard = #llm.shard<{d0 = [tp]}>} : tensor<?x4xf32>, tensor<?x4xf32>
    return %y : tensor<?x4xf32>
  }
}

// -----

// cut-C4: each chip needs to know how many rows it gets.
module attributes {llm.grid = #llm.grid<ep = 2>} {
  func.func @experts(%x: tensor<?x16xf32>, %e: tensor<?x1xi32>) -> tensor<?x16xf32> {
    // expected-error @+1 {{'llm.moe_dispatch' op cannot have its experts cut over axis 'ep': how many rows each chip gets must be known, and the number of tokens is open; bind it (--llm-bind-shapes), or cut columns of experts (tp)}}
    %rows = llm.moe_dispatch %x, %e : tensor<?x16xf32>, tensor<?x1xi32>
    %w = llm.weight "w" : tensor<4x16x16xf32>
    %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert uniform top_k 1 : tensor<?x16xf32>, tensor<4x16x16xf32> experts tensor<?x1xi32>
    %c = llm.moe_combine %u, %e : tensor<?x16xf32>, tensor<?x1xi32>
    return %c : tensor<?x16xf32>
  }
}
