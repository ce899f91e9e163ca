// RUN: llm-opt %s --llm-materialize-tiles -split-input-file -verify-diagnostics

// Nothing to make loops of.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'llm.add' op has no tile; run --llm-tile first}}
  %0 = llm.add %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// Slots of two parts, where the tile has four: the iterations would not be those that run.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has slots that are not those of its 4 parts, one for each; run --llm-schedule again}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned split = {d0 = 4}>,
    llm.slots = #llm.slots<[<part = 0, engine = "core"[0], start_cycle = 0, end_cycle = 9, lanes = {} count = 2 index_stride = 1>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// Two slots of one part, and none of another.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has slots that are not those of its 2 parts}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned split = {d0 = 2}>,
    llm.slots = #llm.slots<[<part = 1, engine = "core"[0], start_cycle = 0, end_cycle = 9, lanes = {}>,
                            <part = 1, engine = "core"[1], start_cycle = 0, end_cycle = 9, lanes = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// A tile that is none of the op.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{tile size of loop 'd1' must be in [1, 8], got 9}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned levels = [<"sram", sizes = {d0 = 4, d1 = 9}, order = [d0, d1], buffers = {}>]>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// A split that is none of the op.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has a split that names loop 'm', which the op does not have}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned split = {m = 2}>} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// An open size has no parts.
func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{needs static shapes to count its work}}
  %0 = llm.add %x, %x {llm.tile = #llm.tile<pinned>} : tensor<?x8xf32>, tensor<?x8xf32>
  return
}
