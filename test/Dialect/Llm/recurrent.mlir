// RUN: llm-opt %s --verify-roundtrip --llm-tile | FileCheck %s

// The work of layers with a state, derived by hand from the stages in Spec.md. All fits the
// engine's memory, so that each element moves once, and a state once in and once out.

// 2 sequences, 3 tokens, 4 channels, 4 taps: 96 MACs, and for each of 24 outputs silu with 2
// special and 2 others. Bytes: x and out 24 x 2, weight 16 x 2, bias 4 x 4, state 2 x 12 x 2,
// twice.
// CHECK-LABEL: func @conv1d
// CHECK: work = {alu = 48, mac = 96, special = 48}, traffic = {dram = {bias = 16, out = 48, state = 96, weight = 32, x = 48}}
func.func @conv1d(%x: tensor<2x3x4xbf16>, %w: tensor<4x4xbf16>, %b: tensor<4xf32>) {
  %0 = llm.state "conv1d" : !llm.state<batch = 2, 3x4xbf16>
  %y, %1 = llm.conv1d %x, %w bias %b from %0 activation silu
     : tensor<2x3x4xbf16>, tensor<4x4xbf16>, tensor<4xf32>, !llm.state<batch = 2, 3x4xbf16>
  return
}

// 2 tokens, 2 key heads of 2 heads, keys of 4 and values of 3. qk_norm: 6 for each of 16
// elements of the query, and 2 roots for each of 4 rows. decay: 8 numbers of 1 special and 1
// other. update: 96 points of 3 MACs and a product.
// CHECK-LABEL: func @steps
// CHECK: work = {alu = 200, mac = 288, special = 16}, traffic = {dram = {beta = 32, decay = 32, keys = 64, out = 96, query = 64, rate = 16, state = 384, values = 96}}
func.func @steps(%q: tensor<1x2x2x4xf32>, %v: tensor<1x2x4x3xf32>, %a: tensor<1x2x4xf32>, %r: tensor<4xf32>) {
  %0 = llm.state "steps" : !llm.state<batch = 1, 4x4x3xf32>
  %y, %1 = llm.linear_attn delta %q, %q, %v decay %a rate %r beta %a from %0 qk_norm 1.0e-6 scale 0.5
     : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x4x3xf32>, tensor<1x2x4xf32>, tensor<4xf32>, tensor<1x2x4xf32>, !llm.state<batch = 1, 4x4x3xf32>
  return
}

// 5 tokens in 3 chunks of 2, a key head of 2 heads. decay: 12 special. scores: 3 x 2 x 2 x 4
// MACs, which the heads share. mask: 24 points of 2 and a special. values: 24 x 3 MACs.
// states: 2 for each of 2 x 3 x 2 x 12 points. pass: 2 for each of 2 x 3 x 12. skip: 36.
// Bytes are those of 5 tokens, not of 6.
// CHECK-LABEL: func @additive_chunks
// CHECK: work = {alu = 228, mac = 408, special = 36}, traffic = {dram = {decay = 40, keys = 80, out = 120, query = 80, skip = 8, state = 192, values = 120}}
func.func @additive_chunks(%q: tensor<1x5x1x4xf32>, %v: tensor<1x5x2x3xf32>, %a: tensor<1x5x2xf32>, %d: tensor<2xf32>) {
  %0 = llm.state "additive" : !llm.state<batch = 1, 2x4x3xf32>
  %y, %1 = llm.linear_attn additive %q, %q, %v decay %a skip %d from %0 chunk 2 scale 1.0
     : tensor<1x5x1x4xf32>, tensor<1x5x1x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// The same with the delta rule and a decay of channels. decay: 48 numbers of 3 + 2 special and
// 3 others. scores: 3 MACs for each of 96 points. mask: 24. inverse: 8 / 6, rounded up, for each
// of 6. values: 2 x 72. states: 3 x 144. pass: 144.
// CHECK-LABEL: func @delta_chunks
// CHECK: work = {alu = 312, mac = 876, special = 240}, traffic = {dram = {decay = 160, keys = 80, out = 120, query = 80, rate = 8, state = 192, values = 120}}
func.func @delta_chunks(%q: tensor<1x5x1x4xf32>, %v: tensor<1x5x2x3xf32>, %a: tensor<1x5x2x4xf32>, %r: tensor<2xf32>) {
  %0 = llm.state "delta" : !llm.state<batch = 1, 2x4x3xf32>
  %y, %1 = llm.linear_attn delta %q, %q, %v decay %a rate %r limit -5.0 from %0 chunk 2 scale 1.0
     : tensor<1x5x1x4xf32>, tensor<1x5x1x4xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x4xf32>, tensor<2xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// A chunk is no longer than there are tokens, 5. scores: 25 x 4 MACs. mask: 50. values: 50 x 3
// MACs. states: 2 for each of 2 x 5 x 12. pass: 2 for each of 24. Nothing decays.
// CHECK-LABEL: func @one_chunk
// CHECK: work = {alu = 98, mac = 490}
func.func @one_chunk(%q: tensor<1x5x1x4xf32>, %v: tensor<1x5x2x3xf32>) {
  %0 = llm.state "one" : !llm.state<batch = 1, 2x4x3xf32>
  %y, %1 = llm.linear_attn additive %q, %q, %v from %0 chunk 64 scale 1.0
     : tensor<1x5x1x4xf32>, tensor<1x5x1x4xf32>, tensor<1x5x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  return
}

// With every step, the state is read once and written behind each of 3 tokens: 4 x 3 x 2 elements of 4 bytes. A
// convolution writes as many inputs as there are tokens, and keeps 2 of its state with them.
// CHECK-LABEL: func @every_step
// CHECK: work = {mac = 216}, traffic = {dram = {keys = 48, out = 72, query = 48, state = 96, states = 288, values = 72}}
// CHECK: !llm.state<batch = 1, 2x4x3xf32>
// CHECK: traffic = {dram = {out = 48, state = 48, states = 48, weight = 64, x = 48}}
func.func @every_step(%q: tensor<1x3x1x4xf32>, %v: tensor<1x3x2x3xf32>, %x: tensor<1x3x4xf32>, %w: tensor<4x4xf32>)
    -> (!llm.state<batch = 1, 3x2x4x3xf32>, !llm.state<batch = 1, 5x4xf32>) {
  %0 = llm.state "drafts" : !llm.state<batch = 1, 2x4x3xf32>
  %y, %1 = llm.linear_attn additive %q, %q, %v from %0 scale 1.0 every_step
     : tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x2x3xf32>, !llm.state<batch = 1, 2x4x3xf32>
  %2 = llm.state "inputs" : !llm.state<batch = 1, 3x4xf32>
  %z, %3 = llm.conv1d %x, %w from %2 every_step : tensor<1x3x4xf32>, tensor<4x4xf32>, !llm.state<batch = 1, 3x4xf32>
  return %1, %3 : !llm.state<batch = 1, 3x2x4x3xf32>, !llm.state<batch = 1, 5x4xf32>
}
