// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-tile

// state-C1: a state of no sequence.
// expected-error @+1 {{'batch' must be in [1, 2^61), got 0}}
func.func private @no_sequence(!llm.state<batch = 0, 4x4xf32>)

// -----

// state-C2: a dimension without elements.
// expected-error @+1 {{sizes must be in [1, 2^61), got 0}}
func.func private @no_elements(!llm.state<batch = 1, 4x0xf32>)

// -----

// state-C2: no shape.
// expected-error @+1 {{needs the shape of a state, as in 32x128xf32}}
func.func private @no_shape(!llm.state<batch = 1, f32>)

// -----

// state-C3: a state of whole numbers.
// expected-error @+1 {{element type must be a float type, got 'i32'}}
func.func private @whole_numbers(!llm.state<batch = 1, 4x4xi32>)

// -----

// state-C4: a state without a name.
func.func @unnamed() {
  // expected-error @+1 {{'llm.state' op needs a name}}
  %0 = llm.state "" : !llm.state<batch = 1, 4xf32>
  return
}

// -----

// state-C5: a place for an index that is not given.
func.func @without_index() {
  // expected-error @+1 {{'llm.state' op name "layers.{}.state" has 1 places '{}' for 0 indices}}
  %0 = llm.state "layers.{}.state" : !llm.state<batch = 1, 4xf32>
  return
}

// -----

// state-C6: an open batch that has no size.
func.func @without_size() {
  // expected-error @+1 {{'llm.state' op has 0 sizes for 1 that its type leaves open}}
  %0 = llm.state "state" : !llm.state<batch = ?, 4xf32>
  return
}

// -----

// rmsnorm-C2: a weight of other dimensions than the last ones.
func.func @weight_of_groups(%x: tensor<5x2x4xf32>, %w: tensor<3x4xf32>) {
  // expected-error @+1 {{'llm.rmsnorm' op weight 'tensor<3x4xf32>' must have the last dimension of 'tensor<5x2x4xf32>', or the last several}}
  %0 = llm.rmsnorm %x, %w epsilon 1.0e-5 : tensor<5x2x4xf32>, tensor<3x4xf32>
  return
}

// -----

// activation-C1: a bias of another size.
func.func @bias(%x: tensor<5x4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{'llm.activation' op bias 'tensor<5xf32>' must have the elements of the last dimension of 'tensor<5x4xf32>'}}
  %0 = llm.activation softplus %x bias %b : tensor<5x4xf32>, tensor<5xf32>
  return
}

// -----

// conv1d-C1: a weight of other channels.
func.func @channels(%x: tensor<1x5x4xf32>, %w: tensor<3x4xf32>, %s: !llm.state<batch = 1, 3x4xf32>) {
  // expected-error @+1 {{'llm.conv1d' op weight 'tensor<3x4xf32>' must be [4, 4]}}
  %0, %1 = llm.conv1d %x, %w from %s : tensor<1x5x4xf32>, tensor<3x4xf32>, !llm.state<batch = 1, 3x4xf32>
  return
}

// -----

// conv1d-C2: one tap needs no state.
func.func @one_tap(%x: tensor<1x5x4xf32>, %w: tensor<4x1xf32>, %s: !llm.state<batch = 1, 1x4xf32>) {
  // expected-error @+1 {{'llm.conv1d' op needs two taps or more, got weight 'tensor<4x1xf32>'}}
  %0, %1 = llm.conv1d %x, %w from %s : tensor<1x5x4xf32>, tensor<4x1xf32>, !llm.state<batch = 1, 1x4xf32>
  return
}

// -----

// conv1d-C3: a state of all taps.
func.func @state_of_taps(%x: tensor<1x5x4xf32>, %w: tensor<4x4xf32>, %s: !llm.state<batch = 1, 4x4xf32>) {
  // expected-error @+1 {{'llm.conv1d' op state '!llm.state<batch = 1, 4x4xf32>' must have batch = 1 and 3x4}}
  %0, %1 = llm.conv1d %x, %w from %s : tensor<1x5x4xf32>, tensor<4x4xf32>, !llm.state<batch = 1, 4x4xf32>
  return
}

// -----

// linear_attn-C1: keys of another size than queries.
func.func @keys(%q: tensor<1x5x2x4xf32>, %k: tensor<1x5x2x3xf32>, %v: tensor<1x5x2x3xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op keys 'tensor<1x5x2x3xf32>' must be [1, 5, 2, 4]}}
  %0, %1 = llm.linear_attn additive %q, %k, %v from %s scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// linear_attn-C2: heads that key heads cannot share.
func.func @heads(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x3x3xf32>, %s: !llm.state<batch = 1, 3x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op 2 key heads must divide 3 heads}}
  %0, %1 = llm.linear_attn additive %q, %q, %v from %s scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x3x3xf32>, !llm.state<batch = 1, 3x4x3xf32>
  return
}

// -----

// linear_attn-C3: a decay of other channels.
func.func @decay(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %a: tensor<1x5x2x3xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op decay 'tensor<1x5x2x3xf32>' must be [1, 5, 2, 4]}}
  %0, %1 = llm.linear_attn additive %q, %q, %v decay %a from %s scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// linear_attn-C3: a limit of nothing.
func.func @limit(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %a: tensor<1x5x2xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op has a limit, which needs a decay and a rate}}
  %0, %1 = llm.linear_attn additive %q, %q, %v decay %a limit -5.0 from %s scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// linear_attn-C3: a limit above which nothing decays.
func.func @limit_sign(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %a: tensor<1x5x2xf32>, %r: tensor<2xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op limit must be finite and below 0}}
  %0, %1 = llm.linear_attn additive %q, %q, %v decay %a rate %r limit 5.0 from %s scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// linear_attn-C4: a chunk without tokens.
func.func @chunk(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op chunk must be 1 or more, got 0}}
  %0, %1 = llm.linear_attn additive %q, %q, %v from %s chunk 0 scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// linear_attn-C4: a norm that divides by nothing.
func.func @qk_norm(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op qk_norm must be finite and not negative}}
  %0, %1 = llm.linear_attn additive %q, %q, %v from %s qk_norm -1.0 scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// linear_attn-C5: a state whose keys and values have changed places.
func.func @state(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %s: !llm.state<batch = 1, 2x3x4xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op state '!llm.state<batch = 1, 2x3x4xf32>' must have batch = 1 and 2x4x3}}
  %0, %1 = llm.linear_attn additive %q, %q, %v from %s scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x3x4xf32>
  return
}

// -----

// linear_attn-C6: a chunk whose scores no memory holds.
func.func @long_chunk(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op chunk is above 65536: chunks of 64 to 256 are usual}}
  %0, %1 = llm.linear_attn additive %q, %q, %v from %s chunk 100000 scale 1.0
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// conv1d-C4: states of a number of tokens that is open.
func.func @open_steps(%x: tensor<1x?x4xf32>, %w: tensor<4x4xf32>, %s: !llm.state<batch = 1, 3x4xf32>) {
  // expected-error @+1 {{'llm.conv1d' op gives states of every step, which needs a number of tokens that is known}}
  %0, %1 = llm.conv1d %x, %w from %s every_step : tensor<1x?x4xf32>, tensor<4x4xf32>, !llm.state<batch = 1, 3x4xf32>
  return
}

// -----

// linear_attn-C7: states inside of chunks.
func.func @steps_of_chunks(%q: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x3xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op gives states of every step, and has chunks}}
  %0, %1 = llm.linear_attn additive %q, %q, %v from %s chunk 2 scale 1.0 every_step
     : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// linear_attn-C7: states of a number of tokens that is open.
func.func @open_steps_of_heads(%q: tensor<1x?x2x4xf32>, %v: tensor<1x?x2x3xf32>, %s: !llm.state<batch = 1, 2x4x3xf32>) {
  // expected-error @+1 {{'llm.linear_attn' op gives states of every step, which needs a number of tokens that is known}}
  %0, %1 = llm.linear_attn additive %q, %q, %v from %s scale 1.0 every_step
     : tensor<1x?x2x4xf32>, tensor<1x?x2x4xf32>, tensor<1x?x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// -----

// state-C7: heads that nobody knows.
func.func @open_heads() {
  // expected-error @+1 {{must know the shape of one sequence's state: only the batch may be open}}
  %0 = llm.state "matrix" : !llm.state<batch = 1, ?x4x4xf32>
  return
}

// -----

// state_cast-C1: a tensor of a tensor.
func.func @no_state(%x: tensor<1x4xf32>) {
  // expected-error @+1 {{must make a tensor of a state, or a state of a tensor}}
  %0 = llm.state_cast %x : tensor<1x4xf32> to tensor<1x4xf32>
  return
}

// -----

// state_cast-C2: another shape.
func.func @other_shape(%s: !llm.state<batch = 1, 4x4xf32>) {
  // expected-error @+1 {{as 'tensor<1x4x4xf32>', got 'tensor<1x4x5xf32>'}}
  %0 = llm.state_cast %s : !llm.state<batch = 1, 4x4xf32> to tensor<1x4x5xf32>
  return
}

// -----

// state_cast-C2: another rank.
func.func @other_rank(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{as 'tensor<1x4x4xf32>', got 'tensor<4x4xf32>'}}
  %0 = llm.state_cast %x : tensor<4x4xf32> to !llm.state<batch = 1, 4x4xf32>
  return
}

// -----

// state_cast-C2: another element type.
func.func @other_elements(%x: tensor<1x4x4xbf16>) {
  // expected-error @+1 {{as 'tensor<1x4x4xf32>', got 'tensor<1x4x4xbf16>'}}
  %0 = llm.state_cast %x : tensor<1x4x4xbf16> to !llm.state<batch = 1, 4x4xf32>
  return
}

// -----

// state_cast-C3: a tensor that comes after a state.
func.func @tensor_after(%s: !llm.state<batch = 1, 4xf32>) {
  // expected-error @+1 {{gives a tensor, which comes after no state}}
  %0 = llm.state_cast %s after %s : !llm.state<batch = 1, 4xf32> to tensor<1x4xf32> after !llm.state<batch = 1, 4xf32>
  return
}
