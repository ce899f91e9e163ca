// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-partition
// RUN: not llm-opt %S/shard-late.mlir --llm-shard=pp=64 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: function '{{.*}}' has {{[0-9]+}} layers and ops beside them, too few for 64 stages
// RUN: not llm-opt %S/shard-late.mlir "--llm-shard=pp=2 microbatches=-1" 2>&1 | FileCheck %s --check-prefix=MICRO
// MICRO: error: --llm-shard: option 'microbatches' must be 1 to 65536, or 0 for as many as there are stages, got -1
// RUN: not llm-opt %S/shard-late.mlir "--llm-shard=tp=2 pp-rounds=2" 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: error: --llm-shard: option 'pp-rounds' must be 1 to 1024, and above 1 only with several chips of 'pp', got 2
// RUN: not llm-opt %S/shard-late.mlir "--llm-shard=pp=2 pp-rounds=0" 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: error: --llm-shard: option 'pp-rounds' must be 1 to 1024, and above 1 only with several chips of 'pp', got 0
// RUN: not llm-opt %S/shard-late.mlir "--llm-shard=tp=2 microbatches=4" 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: --llm-shard: option 'microbatches' needs stages of a pipeline to go through, such as pp=2
// RUN: not llm-opt %S/shard-late.mlir --llm-shard=pp=-2 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: --llm-shard: needs a number of chips, such as tp=8 (1 to 1048576), or a grid on the module

// stage-C3: values go from a stage to later ones.
module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @backwards(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = llm.add "late" %x, %x {llm.stage = 1 : i64} : tensor<4x8xf32>, tensor<4x8xf32>
    // expected-error @+1 {{'llm.add' op is in stage 0, but reads what stage 1 makes: values go from a stage to later ones}}
    %1 = llm.add "early" %0, %x {llm.stage = 0 : i64} : tensor<4x8xf32>, tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}

// -----

module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @beyond(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // expected-error @+1 {{'llm.add' op is in stage 2, and the grid has 2 (0 to 1)}}
    %0 = llm.add "late" %x, %x {llm.stage = 2 : i64} : tensor<4x8xf32>, tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}

// -----

module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @trips(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    // expected-error @+1 {{'scf.for' op cannot be shared by stages as 'llm.stage' says: it needs one number of iterations for each of at most 2 stages, which add up to a constant trip count}}
    %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4x8xf32>) {
      %1 = llm.add "layers.{}.add" %h, %h : tensor<4x8xf32>, tensor<4x8xf32>
      scf.yield %1 : tensor<4x8xf32>
    } {llm.stage = array<i64: 2, 2>}
    return %0 : tensor<4x8xf32>
  }
}

// -----

// stage-C3: a cache is in the memory of one stage.
module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @cache(%k: tensor<1x1x1x8xf32>) -> (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>) {
    // expected-error @+1 {{'llm.kv_cache' op is used in stages 0 and 1: give these ops one stage (llm.stage)}}
    %c = llm.kv_cache "cache" : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>
    %0 = llm.kv_write "write" %c, %k, %k at 3 {llm.stage = 0 : i64} : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>, tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>
    %1 = llm.kv_write "again" %c, %k, %k at 2 {llm.stage = 1 : i64} : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>, tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>
    %keys, %values = llm.kv_read %1 rows 0 to 4 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>
    return %keys, %values : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>
  }
}

// -----

// stage-C3: what is written in one stage cannot be read in another.
module attributes {llm.grid = #llm.grid<pp = 2>} {
  func.func @written(%k: tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32> {
    %c = llm.kv_cache "cache" : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>
    // expected-error @+1 {{'llm.kv_write' op makes '!llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>' in one stage, which another one reads: only tensors go from stage to stage; give these ops one stage (llm.stage)}}
    %0 = llm.kv_write "write" %c, %k, %k at 3 {llm.stage = 0 : i64} : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>, tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>
    %1 = llm.kv_write "again" %0, %k, %k at 2 {llm.stage = 1 : i64} : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>, tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32>
    %keys, %values = llm.kv_read %1 rows 0 to 4 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 4, f32>
    %2 = llm.gqa_attn "attn" %k, %keys, %values mask full scale 1.0 : tensor<1x1x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>
    return %2 : tensor<1x1x1x8xf32>
  }
}
