// RUN: llm-opt %s -split-input-file -verify-diagnostics

// compress-C1
func.func @shapes(%v: tensor<1x1x8xf32>, %g: tensor<1x2x8xf32>, %b: tensor<4x8xf32>) {
  %s = llm.state "s" : <batch = 1, 2x8x8xf32>
  // expected-error @+1 {{'llm.compress' op values 'tensor<1x1x8xf32>' and gates 'tensor<1x2x8xf32>' must have one shape}}
  %n = llm.compress %v, %g bias %b from %s at 0 : tensor<1x1x8xf32>, tensor<1x2x8xf32>, tensor<4x8xf32>, !llm.state<batch = 1, 2x8x8xf32>
  return
}

// -----

// compress-C2: a window has two tokens or more.
func.func @window(%v: tensor<1x1x8xf32>, %b: tensor<1x8xf32>) {
  %s = llm.state "s" : <batch = 1, 2x1x8xf32>
  // expected-error @+1 {{'llm.compress' op bias 'tensor<1x8xf32>' must have a row for each token of a window, two or more, and the channels of 'tensor<1x1x8xf32>'}}
  %n = llm.compress %v, %v bias %b from %s at 0 : tensor<1x1x8xf32>, tensor<1x1x8xf32>, tensor<1x8xf32>, !llm.state<batch = 1, 2x1x8xf32>
  return
}

// -----

// compress-C3: rows are those of one window or of two.
func.func @rows(%v: tensor<1x1x8xf32>, %b: tensor<4x8xf32>) {
  %s = llm.state "s" : <batch = 1, 2x6x8xf32>
  // expected-error @+1 {{'llm.compress' op state '!llm.state<batch = 1, 2x6x8xf32>' must have the batch of 'tensor<1x1x8xf32>', and 2 (values and gates) x 4 or 8 rows (then with two halves of channels) x the channels}}
  %n = llm.compress %v, %v bias %b from %s at 0 : tensor<1x1x8xf32>, tensor<1x1x8xf32>, tensor<4x8xf32>, !llm.state<batch = 1, 2x6x8xf32>
  return
}

// -----

// compress-C4
func.func @begin(%v: tensor<1x1x8xf32>, %b: tensor<4x8xf32>) {
  %s = llm.state "s" : <batch = 1, 2x4x8xf32>
  // expected-error @+1 {{'llm.compress' op the first position must not be negative}}
  %n = llm.compress %v, %v bias %b from %s at -1 : tensor<1x1x8xf32>, tensor<1x1x8xf32>, tensor<4x8xf32>, !llm.state<batch = 1, 2x4x8xf32>
  return
}

// -----

// compress-C4: how many tokens there are says whether there is a result.
func.func @open(%v: tensor<1x?x8xf32>, %b: tensor<4x8xf32>) {
  %s = llm.state "s" : <batch = 1, 2x4x8xf32>
  // expected-error @+1 {{'llm.compress' op needs a number of tokens that is known: it says how many windows are closed}}
  %n = llm.compress %v, %v bias %b from %s at 0 : tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<4x8xf32>, !llm.state<batch = 1, 2x4x8xf32>
  return
}

// -----

// compress-C4
func.func @value(%v: tensor<1x1x8xf32>, %b: tensor<4x8xf32>, %p: index) {
  %s = llm.state "s" : <batch = 1, 2x4x8xf32>
  // expected-error @+1 {{expected positions that are numbers}}
  %n = llm.compress %v, %v bias %b from %s at %p : tensor<1x1x8xf32>, tensor<1x1x8xf32>, tensor<4x8xf32>, !llm.state<batch = 1, 2x4x8xf32>
  return
}

// -----

// compress-C5: the token at position 3 closes a window, that at 4 does not.
func.func @closed(%v: tensor<2x1x8xf32>, %b: tensor<4x8xf32>) {
  %s = llm.state "s" : <batch = 2, 2x4x8xf32>
  // expected-error @+1 {{'llm.compress' op some sequences close 1 windows and others 0: make an op of each kind of sequences}}
  %e, %n = llm.compress %v, %v bias %b from %s at [3, 4] : tensor<2x1x8xf32>, tensor<2x1x8xf32>, tensor<4x8xf32>, !llm.state<batch = 2, 2x4x8xf32>
  return
}

// -----

// compressed_attn-C1
func.func @heads(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{'llm.compressed_attn' op latents 'tensor<1x5x2x8xf32>' must be of one head}}
  %o = llm.compressed_attn %q, %z mask causal scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x2x8xf32>
  return
}

// -----

// compressed_attn-C1
func.func @features(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x6xf32>) {
  // expected-error @+1 {{'llm.compressed_attn' op query 'tensor<1x1x4x8xf32>' and keys 'tensor<1x5x1x6xf32>' must agree in batch and head_dim}}
  %o = llm.compressed_attn %q, %z mask causal scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x6xf32>
  return
}

// -----

// compressed_attn-C2
func.func @scale(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.compressed_attn' op scale must be finite and positive}}
  %o = llm.compressed_attn %q, %z mask causal scale 0.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// compressed_attn-C3
func.func @sinks(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{'llm.compressed_attn' op sinks 'tensor<3xf32>' must be one for each of 4 heads}}
  %o = llm.compressed_attn %q, %z sinks %s mask causal scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32>, tensor<3xf32>
  return
}

// -----

// compressed_attn-C4
func.func @queries(%q: tensor<1x6x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.compressed_attn' op a causal mask needs at least as many keys as queries, got 6 queries and 5 keys}}
  %o = llm.compressed_attn %q, %z mask causal scale 1.0 : tensor<1x6x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// compressed_attn-C4: tokens stand for themselves.
func.func @stride(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+1 {{'llm.compressed_attn' op each latent is of one token: its mask must have no stride}}
  %o = llm.compressed_attn %q, %z mask causal stride 2 lengths [10] scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32>
  return
}

// -----

// compressed_attn-C5: no op of the text can lack one of both, so that it is written in general form.
func.func @together(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>) {
  // expected-error @+2 {{'llm.compressed_attn' op entries and what queries see of them ('sees') stand together, and selected beside them only}}
  // expected-error @+1 {{failed to infer returned types}}
  %o = "llm.compressed_attn"(%q, %z, %z) <{mask = #llm<mask causal>, scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> : (tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32>, tensor<1x5x1x8xf32>) -> tensor<1x1x4x8xf32>
  return
}

// -----

// compressed_attn-C5
func.func @alone(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>, %k: tensor<1x1x1x2xi32>) {
  // expected-error @+1 {{'llm.compressed_attn' op entries and what queries see of them ('sees') stand together, and selected beside them only}}
  %o = llm.compressed_attn %q, %z mask causal selected %k scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32> selected tensor<1x1x1x2xi32>
  return
}

// -----

// compressed_attn-C6
func.func @entries(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>, %c: tensor<1x2x1x8xbf16>) {
  // expected-error @+1 {{'llm.compressed_attn' op entries 'tensor<1x2x1x8xbf16>' and latents 'tensor<1x5x1x8xf32>' must agree in all but their number}}
  %o = llm.compressed_attn %q, %z mask causal entries %c sees causal stride 2 lengths [5] scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32> entries tensor<1x2x1x8xbf16>
  return
}

// -----

// compressed_attn-C7
func.func @selected(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>, %k: tensor<1x1x2x2xi32>) {
  // expected-error @+1 {{'llm.compressed_attn' op selected 'tensor<1x1x2x2xi32>' must be i32 of the batch and queries of 'tensor<1x1x4x8xf32>', in 1 group or in 1, one for each KV head}}
  %o = llm.compressed_attn %q, %z mask causal entries %z sees causal stride 2 lengths [10] selected %k scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32> entries tensor<1x5x1x8xf32> selected tensor<1x1x2x2xi32>
  return
}

// -----

// compressed_attn-C8: 6 tokens have 3 entries of 2.
func.func @lengths(%q: tensor<1x1x4x8xf32>, %z: tensor<1x5x1x8xf32>, %c: tensor<1x2x1x8xf32>) {
  // expected-error @+1 {{'llm.compressed_attn' op a sequence of 6 keys does not lie within 2 keys}}
  %o = llm.compressed_attn %q, %z mask causal entries %c sees causal stride 2 lengths [6] scale 1.0 : tensor<1x1x4x8xf32>, tensor<1x5x1x8xf32> entries tensor<1x2x1x8xf32>
  return
}

// -----

// mask-C7
func.func @no_stride(%q: tensor<1x1x2x8xf32>, %k: tensor<1x4x1x8xf32>, %w: tensor<1x1x2xf32>) {
  // expected-error @+1 {{'stride' must be in [1, 2^61), got 0}}
  %s = llm.select_keys %q, %k weights %w mask causal stride 0 lengths [16] scale 1.0 top 2 : tensor<1x1x2x8xf32>, tensor<1x4x1x8xf32>, tensor<1x1x2xf32>
  return
}

// -----

// mask-C8
func.func @no_lengths(%q: tensor<1x1x2x8xf32>, %k: tensor<1x4x1x8xf32>, %w: tensor<1x1x2xf32>) {
  // expected-error @+1 {{a stride needs a causal mask with lengths, which say where queries stand, and no window and no chunk}}
  %s = llm.select_keys %q, %k weights %w mask causal stride 4 scale 1.0 top 2 : tensor<1x1x2x8xf32>, tensor<1x4x1x8xf32>, tensor<1x1x2xf32>
  return
}

// -----

// stream_weights-C1
func.func @streams(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'llm.stream_weights' op streams must be in [1, 1024] and iterations in [1, 1048576], got 1 and 0}}
  %w = llm.stream_weights %x scale %s bias %b streams 1 iterations 0 epsilon 0.0 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// stream_weights-C2: of two streams, a row has (2 + 2) 2 numbers.
func.func @numbers(%x: tensor<2x6xf32>, %s: tensor<3xf32>, %b: tensor<6xf32>) {
  // expected-error @+1 {{'llm.stream_weights' op 2 streams need rows of 8, as many numbers of bias, and scales of 3, got 'tensor<2x6xf32>', 'tensor<6xf32>' and 'tensor<3xf32>'}}
  %w = llm.stream_weights %x scale %s bias %b streams 2 iterations 3 epsilon 0.0 : tensor<2x6xf32>, tensor<3xf32>, tensor<6xf32>
  return
}

// -----

// stream_weights-C3
func.func @epsilon(%x: tensor<2x2xf32>, %s: tensor<1xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'llm.stream_weights' op epsilon must be finite and not negative}}
  %w = llm.stream_weights %x scale %s bias %b streams 2 epsilon -1.0 : tensor<2x2xf32>, tensor<1xf32>, tensor<2xf32>
  return
}

// -----

// mix_streams-C1
func.func @columns(%w: tensor<2x4x4xf32>, %x: tensor<2x5x8xf32>) {
  // expected-error @+1 {{'llm.mix_streams' op weights 'tensor<2x4x4xf32>' must have a column for each vector of each row of 'tensor<2x5x8xf32>'}}
  %y = llm.mix_streams %w, %x : tensor<2x4x4xf32>, tensor<2x5x8xf32>
  return
}

// -----

// moe_route-C7
func.func @chosen(%l: tensor<2x8xf32>, %c: tensor<2x3xi32>) {
  // expected-error @+1 {{'llm.moe_route' op chosen 'tensor<2x3xi32>' must be i32, 2 for each row of 'tensor<2x8xf32>'}}
  %s, %e = llm.moe_route sqrt_softplus %l chosen %c top_k 2 : tensor<2x8xf32> chosen tensor<2x3xi32>
  return
}

// -----

// moe_route-C8
func.func @chosen_and_bias(%l: tensor<2x8xf32>, %b: tensor<8xf32>, %c: tensor<2x2xi32>) {
  // expected-error @+1 {{'llm.moe_route' op selects none of chosen experts: it must have no bias and no groups}}
  %s, %e = llm.moe_route sqrt_softplus %l bias %b chosen %c top_k 2 : tensor<2x8xf32>, tensor<8xf32> chosen tensor<2x2xi32>
  return
}

// -----

// rope-C5
func.func @rope(%x: tensor<1x2x1x8xf32>) {
  // expected-error @+1 {{'llm.rope' op stride must be in [1, 2^61), got 0}}
  %r = llm.rope %x at 0 theta 1.0e4 stride 0 : tensor<1x2x1x8xf32>
  return
}
