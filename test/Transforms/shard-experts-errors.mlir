// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-shard=ep=4
// RUN: not llm-opt %S/shard-late.mlir --llm-shard=ep=2 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --llm-shard: option 'ep': no op has experts that 2 chips could share; 'tp' cuts what there is in the same way
// RUN: not llm-opt %S/Inputs/one-chip.mlir --llm-shard="tp=2 ep=2" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --llm-shard: the module has the grid #llm.grid<tp = 1> already; leave 'tp' out to cut over that
// RUN: not llm-opt %S/shard-late.mlir --llm-shard="tp=2048 ep=2048" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: --llm-shard: needs a number of chips
// RUN: not llm-opt %S/shard-experts.mlir -split-input-file --llm-shard=ep=2 --llm-partition=expert-rows=some 2>&1 | FileCheck %s --check-prefix=SPELLING
// SPELLING: error: --llm-partition: option 'expert-rows' must be counted or all, got 'some'
// RUN: llm-opt %S/Inputs/experts-by-hand.mlir -split-input-file -verify-diagnostics --llm-partition

// cut-C4: three experts on four chips.
func.func @divide(%x: tensor<6x16xf32>, %e: tensor<6x1xi32>) -> tensor<6x16xf32> {
  // expected-error @+1 {{'llm.moe_dispatch' op cannot have its experts cut over axis 'ep': 4 chips do not divide the 3 experts}}
  %rows = llm.moe_dispatch %x, %e : tensor<6x16xf32>, tensor<6x1xi32>
  %w = llm.weight "w" : tensor<3x16x16xf32>
  %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [2, 2, 2] top_k 1 : tensor<6x16xf32>, tensor<3x16x16xf32> experts tensor<6x1xi32>
  %c = llm.moe_combine %u, %e : tensor<6x16xf32>, tensor<6x1xi32>
  return %c : tensor<6x16xf32>
}

// -----

// cut-C4: rows that leave the program.
func.func @leave(%x: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
  // expected-error @+1 {{'llm.moe_dispatch' op cannot have its experts cut over axis 'ep': 'func.return' needs rows of all experts on one chip}}
  %rows = llm.moe_dispatch %x, %e : tensor<4x16xf32>, tensor<4x1xi32>
  %w = llm.weight "w" : tensor<4x16x16xf32>
  %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
  // expected-note @+1 {{which is here}}
  return %u : tensor<4x16xf32>
}

// -----

// cut-C4: rows of a chip and rows of all experts are not added.
func.func @mixed(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
  // expected-error @+1 {{'llm.moe_dispatch' op cannot have its experts cut over axis 'ep': 'llm.add' needs rows of all experts on one chip}}
  %rows = llm.moe_dispatch %x, %e : tensor<4x16xf32>, tensor<4x1xi32>
  %w = llm.weight "w" : tensor<4x16x16xf32>
  %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
  // expected-note @+1 {{which is here}}
  %a = llm.add %u, %y : tensor<4x16xf32>, tensor<4x16xf32>
  %c = llm.moe_combine %a, %e : tensor<4x16xf32>, tensor<4x1xi32>
  return %c : tensor<4x16xf32>
}

// -----

// cut-C4: two products that know other counts.
func.func @counts(%x: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
  // expected-error @+1 {{'llm.moe_dispatch' op cannot have its experts cut over axis 'ep': 'llm.grouped_matmul' counts other rows for its experts than the op in front of it}}
  %rows = llm.moe_dispatch %x, %e : tensor<4x16xf32>, tensor<4x1xi32>
  %w = llm.weight "w" : tensor<4x16x16xf32>
  %u = llm.grouped_matmul %rows, %w experts %e transpose_rhs rows_per_expert [1, 1, 1, 1] top_k 1 : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
  // expected-note @+1 {{which is here}}
  %v = llm.grouped_matmul %u, %w experts %e transpose_rhs rows_per_expert [2, 1, 1, 0] top_k 1 : tensor<4x16xf32>, tensor<4x16x16xf32> experts tensor<4x1xi32>
  %c = llm.moe_combine %v, %e : tensor<4x16xf32>, tensor<4x1xi32>
  return %c : tensor<4x16xf32>
}

// -----

// cut-C4: nothing says how many experts there are.
func.func @unknown(%x: tensor<4x16xf32>, %e: tensor<4x1xi32>) -> tensor<4x16xf32> {
  // expected-error @+1 {{'llm.moe_dispatch' op cannot have its experts cut over axis 'ep': nothing behind it counts the rows of each expert}}
  %rows = llm.moe_dispatch %x, %e : tensor<4x16xf32>, tensor<4x1xi32>
  %c = llm.moe_combine %rows, %e : tensor<4x16xf32>, tensor<4x1xi32>
  return %c : tensor<4x16xf32>
}
