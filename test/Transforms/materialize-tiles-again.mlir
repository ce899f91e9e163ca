// Loops that an op has become are no program any more: passes on programs say so, sizes are
// bound before, and to make loops of it again changes nothing.
// RUN: not llm-opt %s --llm-tile 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: materialize-tiles-again.mlir:14:8: error: loop 'scf.forall' is what --llm-materialize-tiles made of an op; run this pass before it
// RUN: not llm-opt %s --llm-bind-shapes=sizes=batch=4 2>&1 | FileCheck %s --check-prefix=BIND
// BIND: error: 'scf.forall' op is what --llm-materialize-tiles made of an op; bind sizes before it
// RUN: llm-opt %s -o %t.mlir
// RUN: llm-opt %s --llm-materialize-tiles | diff %t.mlir -

func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %batch = llm.size "batch"
  %s = llm.sized %x[%batch] : tensor<?x4xf32>
  // One iteration for each part.
  %r = scf.forall (%i) in (4) shared_outs(%o = %s) -> (tensor<?x4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, 0] [%batch, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
    }
  } {llm.tile = #llm.tile<pinned split = {d0 = 4}>}
  return %r : tensor<?x4xf32>
}
