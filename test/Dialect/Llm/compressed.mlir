// RUN: llm-opt %s --verify-roundtrip --llm-tile | %one-line | FileCheck %s

// Compressed keys and residual streams, by hand from the stages in Spec.md. All fits the engine's memory, so that each
// element moves once. test/integration/check_compressed.py counts many more, one by one.

// Windows of 4 tokens in two halves of 3 channels. The token at position 7 closes the second window, whose entry is of 4
// tokens before and of its own 4: 8 x 3 MACs, exponentials and comparisons, 3 operations each, and 3 channels of a quotient
// (an operation and a reciprocal). Bytes: values and gates 6 x 4, bias 24 x 4, out 3 x 4; of the state 4 and 3 earlier rows
// of half the channels are read, 2 x 7 x 3 x 4, and the new row is written, 2 x 6 x 4.
// CHECK-LABEL: func @closes
// CHECK: work = {alu = 75, compare = 24, mac = 24, special = 27}, traffic = {dram = {bias = 96, gates = 24, next = 48, out = 12, state = 168, values = 24}}
func.func @closes(%v: tensor<1x1x6xf32>, %b: tensor<4x6xf32>) {
  %s = llm.state "s" : <batch = 1, 2x8x6xf32>
  %e, %n = llm.compress %v, %v bias %b from %s at 7 : tensor<1x1x6xf32>, tensor<1x1x6xf32>, tensor<4x6xf32>, !llm.state<batch = 1, 2x8x6xf32>
  return
}

// A token that closes no window is kept.
// CHECK-LABEL: func @keeps
// CHECK: %{{[0-9]+}} = llm.compress {{.*}} work = {}, traffic = {dram = {gates = 24, next = 48, values = 24}}
func.func @keeps(%v: tensor<1x1x6xf32>, %b: tensor<4x6xf32>) {
  %s = llm.state "s" : <batch = 1, 2x8x6xf32>
  %n = llm.compress %v, %v bias %b from %s at 6 : tensor<1x1x6xf32>, tensor<1x1x6xf32>, tensor<4x6xf32>, !llm.state<batch = 1, 2x8x6xf32>
  return
}

// The tokens of two drafts at positions 7 and 8: the state behind each is a part of 8 - 1 + 2 rows, of which 2 are new.
// CHECK-LABEL: func @drafts
// CHECK: traffic = {dram = {bias = 96, gates = 48, next = 96, out = 12, state = 168, values = 48}}
func.func @drafts(%v: tensor<1x2x6xf32>, %b: tensor<4x6xf32>) -> (tensor<1x1x3xf32>, !llm.state<batch = 1, 2x9x6xf32>) {
  %s = llm.state "s" : <batch = 1, 2x8x6xf32>
  %e, %n = llm.compress %v, %v bias %b from %s at 7 every_step : tensor<1x2x6xf32>, tensor<1x2x6xf32>, tensor<4x6xf32>, !llm.state<batch = 1, 2x8x6xf32>
  return %e, %n : tensor<1x1x3xf32>, !llm.state<batch = 1, 2x9x6xf32>
}

// 2 heads of 8, 3 tokens, and of 17 tokens 4 entries of 4: 7 vectors, 14 scores, 2 x 14 x 8 MACs. Softmax: 14 comparisons, 28
// operations and 14 exponentials; a sink of each row: 1, 2 and 1; 16 products. A vector moves once for key and value.
// CHECK-LABEL: func @entries
// CHECK: work = {alu = 48, compare = 16, mac = 224, special = 16}, traffic = {dram = {entries = 128, latents = 96, out = 64, query = 64, sinks = 8}}
func.func @entries(%q: tensor<1x1x2x8xf32>, %z: tensor<1x3x1x8xf32>, %c: tensor<1x4x1x8xf32>, %s: tensor<2xf32>) {
  %o = llm.compressed_attn %q, %z sinks %s mask causal entries %c sees causal stride 4 lengths [17] scale 1.0
     : tensor<1x1x2x8xf32>, tensor<1x3x1x8xf32>, tensor<2xf32> entries tensor<1x4x1x8xf32>
  return
}

// Two queries select 2 entries each: that at position 7 sees the tokens 6 and 7 and 2 entries of 4, that at position 8 the
// tokens 7 and 8. 8 pairs of each head, 2 x 16 x 8 MACs. Each query reads entries of its own, 4 x 8 x 4 bytes.
// CHECK-LABEL: func @selected
// CHECK: work = {alu = 64, compare = 16, mac = 256, special = 16}, traffic = {dram = {entries = 128, latents = 96, out = 128, query = 128, selected = 16}}
func.func @selected(%q: tensor<1x2x2x8xf32>, %z: tensor<1x3x1x8xf32>, %c: tensor<1x2x1x8xf32>, %k: tensor<1x2x1x2xi32>) {
  %o = llm.compressed_attn %q, %z mask causal window 2 entries %c sees causal stride 4 lengths [9] selected %k scale 1.0
     : tensor<1x2x2x8xf32>, tensor<1x3x1x8xf32> entries tensor<1x2x1x8xf32> selected tensor<1x2x1x2xi32>
  return
}

// Of 2 rows of 2 streams: sigmoids 4 x (8 and 4 special); 8 elements of softmax (5, 1 special, 1 comparison) and of 2 x 3 - 1
// = 5 rounds of 2 operations; 4 sums of 5 rounds, an operation and a reciprocal each.
// CHECK-LABEL: func @weights
// CHECK: work = {alu = 172, compare = 8, special = 44}, traffic = {dram = {bias = 32, out = 64, scale = 12, x = 64}}
func.func @weights(%x: tensor<2x8xf32>, %s: tensor<3xf32>, %b: tensor<8xf32>) {
  %w = llm.stream_weights %x scale %s bias %b streams 2 iterations 3 epsilon 1.0e-6 : tensor<2x8xf32>, tensor<3xf32>, tensor<8xf32>
  return
}

// For reading alone: 4 x (4 and 2 special).
// CHECK-LABEL: func @reading
// CHECK: work = {alu = 16, special = 8}
func.func @reading(%x: tensor<2x2xf32>, %s: tensor<1xf32>, %b: tensor<2xf32>) {
  %w = llm.stream_weights %x scale %s bias %b streams 2 epsilon 1.0e-6 : tensor<2x2xf32>, tensor<1xf32>, tensor<2xf32>
  return
}

// 2 x 3 x 5 x 4 MACs.
// CHECK-LABEL: func @mix
// CHECK: work = {mac = 120}, traffic = {dram = {out = 96, weights = 120, x = 160}}
func.func @mix(%w: tensor<2x3x5xf32>, %x: tensor<2x5x4xf32>) {
  %y = llm.mix_streams %w, %x : tensor<2x3x5xf32>, tensor<2x5x4xf32>
  return
}

// 2 rows of 8 logits: 1 and 3 special each; of 2 chosen experts each, 2 operations to sum up to 1.
// CHECK-LABEL: func @chosen
// CHECK: work = {alu = 24, special = 48}, traffic = {dram = {chosen = 16, experts = 16, logits = 64, shares = 16}}
func.func @chosen(%l: tensor<2x8xf32>, %c: tensor<2x2xi32>) {
  %s, %e = llm.moe_route sqrt_softplus %l chosen %c top_k 2 normalize : tensor<2x8xf32> chosen tensor<2x2xi32>
  return
}

// Entries of 4 tokens turn by the positions 0, 4, 8, and back.
// CHECK-LABEL: func @turn
// CHECK: llm.rope %{{.*}} at 0 theta 10000.0 interleaved stride 4 inverse
func.func @turn(%x: tensor<1x3x1x8xf32>) {
  %r = llm.rope %x at 0 theta 1.0e4 interleaved stride 4 inverse : tensor<1x3x1x8xf32>
  return
}
