// RUN: llm-opt %s --convert-llm-to-linalg --split-input-file --verify-diagnostics

func.func @random(%x: tensor<4x8xf32>, %first: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%token = %first) -> tensor<4xi32> {
    // expected-error @+2 {{draws in a loop, where each iteration takes other random numbers: say them behind 'by'}}
    // expected-error @+1 {{failed to legalize}}
    %t = llm.sample categorical %x : tensor<4x8xf32>
    scf.yield %t : tensor<4xi32>
  }
  return %last : tensor<4xi32>
}

// -----

func.func @unknown_name(%i: index) -> tensor<4xf32> {
  // expected-error @+1 {{has an index that is not known; expected a constant, or the index of a loop with constant bounds}}
  %w = llm.weight "layers.{}"[%i] : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

func.func @two_types() -> (tensor<4xf32>, tensor<2xf32>) {
  %a = llm.weight "w" : tensor<4xf32>
  // expected-error @+1 {{shows 'w' as 'tensor<2xf32>'; expected 'tensor<4xf32>', as before}}
  %b = llm.weight "w" : tensor<2xf32>
  return %a, %b : tensor<4xf32>, tensor<2xf32>
}

// -----

func.func @open_loop(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{names weights or caches by its index, and cannot be unrolled: expected constant bounds}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<4xf32> {
    %w = llm.weight "layers.{}"[%i] : tensor<4xf32>
    %s = llm.add %h, %w : tensor<4xf32>, tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @lost_state(%x: tensor<1x1x1x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = llm.kv_cache "c" : <batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, f32>
  scf.for %i = %c0 to %c2 step %c1 {
    // expected-error @+1 {{gives the last state of a cache, which does not leave the loop or kernel around it}}
    %1 = llm.kv_write %0, %x, %x at %i : <batch = 1, kv_heads = 1, head_dim = 4, capacity = 2, f32>, tensor<1x1x1x4xf32>, tensor<1x1x1x4xf32>
  }
  return
}

// -----

// expected-error @+1 {{argument attribute 'llm.source' must be a name, got 3 : i64}}
func.func private @number(tensor<4xf32> {llm.source = 3})

// -----

// expected-error @+1 {{result attribute 'llm.cache' must be a name, got ""}}
func.func private @nameless() -> (tensor<4xf32> {llm.cache = ""})

// -----

// expected-error @+1 {{result attribute 'llm.source' is not allowed: attributes of the llm dialect belong on ops and functions}}
func.func private @written() -> (tensor<4xf32> {llm.source = "w"})

// -----

func.func @known_before(%x: tensor<4x8xf32>) -> tensor<4x8x!llm.block_scaled<f8E4M3FN, [?, ?], f32>> {
  // expected-error @+2 {{knows its scales before ('static'), and no operand holds them: say the one of all elements behind 'by'; without 'static' they are found}}
  // expected-error @+1 {{failed to legalize}}
  %y = llm.quantize %x static to !llm.block_scaled<f8E4M3FN, [?, ?], f32> : tensor<4x8xf32>
  return %y : tensor<4x8x!llm.block_scaled<f8E4M3FN, [?, ?], f32>>
}

// -----

func.func @across(%x: tensor<4x8xf32>) -> tensor<4x8x!llm.block_scaled<i4, [4], i6, [6], f16>> {
  // expected-error @+2 {{of which a block lies in several of the next layer: expected sizes of which each is a multiple of the one before}}
  // expected-error @+1 {{failed to legalize}}
  %y = llm.quantize %x to !llm.block_scaled<i4, [4], i6, [6], f16> : tensor<4x8xf32>
  return %y : tensor<4x8x!llm.block_scaled<i4, [4], i6, [6], f16>>
}

// -----

func.func @signs(%x: tensor<4x8xf32>) -> tensor<4x8x!llm.block_scaled<i1, [4], f16>> {
  // expected-error @+2 {{has no lowering to values of 1 bit, which have no largest number: expected at least 2}}
  // expected-error @+1 {{failed to legalize}}
  %y = llm.quantize %x to !llm.block_scaled<i1, [4], f16> : tensor<4x8xf32>
  return %y : tensor<4x8x!llm.block_scaled<i1, [4], f16>>
}

// -----

func.func @groups_of_positions(%x: tensor<1x2x1x8xf32>) {
  %0 = llm.kv_cache "c" : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 64, !llm.block_scaled<i4, [32, ?, 1], f16>>
  // expected-error @+2 {{in which some positions or sequences share a scale: expected scales of one position of one sequence, or of all positions}}
  // expected-error @+1 {{failed to legalize}}
  %1 = llm.kv_write %0, %x, %x at 3 : <batch = 1, kv_heads = 1, head_dim = 8, capacity = 64, !llm.block_scaled<i4, [32, ?, 1], f16>>, tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>
  return
}

// -----

func.func @view(%x: tensor<6x8xf32>) -> tensor<3x8x!llm.block_scaled<i8, [?], f32>> {
  %q = llm.quantize %x to !llm.block_scaled<i8, [?], f32> : tensor<6x8xf32>
  %v = tensor.extract_slice %q[1, 0] [3, 8] [1, 1] : tensor<6x8x!llm.block_scaled<i8, [?], f32>> to tensor<3x8x!llm.block_scaled<i8, [?], f32>>
  // expected-error @+1 {{gives a view of a block-scaled tensor, or one that is written piece by piece, of which there are numbers and no scales: expected what an op gives}}
  return %v : tensor<3x8x!llm.block_scaled<i8, [?], f32>>
}
