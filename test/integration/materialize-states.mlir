// Ops with a state, as loops over slices of it: what a whole op and its loops compute is run by
// an interpreter that was written from Spec.md. Cuts divide nothing where that is possible.
// RUN: llm-opt %s --mlir-print-op-generic -o %t.before
// RUN: llm-opt %s --llm-materialize-tiles --verify-roundtrip --mlir-print-op-generic -o %t.after
// RUN: %python %integration/interpret.py %t.before %t.after | FileCheck %s
// RUN: llm-opt %s --llm-materialize-tiles --canonicalize --cse --mlir-print-op-generic -o %t.clean
// RUN: %python %integration/interpret.py %t.before %t.clean | FileCheck %s
// RUN: llm-opt %s --llm-materialize-tiles --canonicalize --cse | FileCheck %s --check-prefix=CLEAN
// RUN: llm-opt %s --llm-materialize-tiles --remarks-filter=llm-materialize-tiles --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// The lowered loops are programs of tensors.
// RUN: llm-opt %s --llm-materialize-tiles --convert-llm-to-linalg --canonicalize -o - | FileCheck %s --check-prefix=LOWERED
// LOWERED-NOT: = llm.
// LOWERED-NOT: unrealized_conversion_cast

// The interpreter sees a slice of a window that begins elsewhere.
// RUN: sed 's/begin = array<i64: 3>/begin = array<i64: 2>/' %t.clean > %t.begin
// RUN: not %python %integration/interpret.py %t.before %t.begin 2>&1 | FileCheck %s --check-prefix=BEGIN
// BEGIN: steps_of_drafts: 216 elements agree
// BEGIN-NEXT: compress: [0, 0, 0] is

// Channels are cut in parts of 3 and tiles of 2, sequences in tiles of 1. Tokens are not: the
// inputs before some of them are no state.
// CHECK: conv1d: 98 elements agree, 3 loops
// REMARK: 'conv' has no loop over tiles of 's': the inputs before some tokens are no state
func.func @conv1d(%x: tensor<2x5x7xbf16>, %w: tensor<7x3xbf16>, %b: tensor<7xbf16>) -> (tensor<2x5x7xbf16>, !llm.state<batch = 2, 2x7xf32>) {
  %s = llm.state "kept" : !llm.state<batch = 2, 2x7xf32>
  %y, %n = llm.conv1d "conv" %x, %w bias %b from %s activation silu {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, s = 2, c = 2, i = 3}, order = [c, b, s, i], buffers = {}>] split = {c = 3}>}
    : tensor<2x5x7xbf16>, tensor<7x3xbf16>, tensor<7xbf16>, !llm.state<batch = 2, 2x7xf32>
  return %y, %n : tensor<2x5x7xbf16>, !llm.state<batch = 2, 2x7xf32>
}

// The states of every step are a longer array than the state.
// CHECK: conv1d_every_step: 84 elements agree, 1 loops
func.func @conv1d_every_step(%x: tensor<1x5x7xbf16>, %w: tensor<7x4xbf16>) -> (tensor<1x5x7xbf16>, !llm.state<batch = 1, 7x7xbf16>) {
  %s = llm.state "kept" : !llm.state<batch = 1, 3x7xbf16>
  %y, %n = llm.conv1d %x, %w from %s every_step {llm.tile = #llm.tile<pinned split = {c = 2}>}
    : tensor<1x5x7xbf16>, tensor<7x4xbf16>, !llm.state<batch = 1, 3x7xbf16>
  return %y, %n : tensor<1x5x7xbf16>, !llm.state<batch = 1, 7x7xbf16>
}

// Key heads are cut in parts of 2 and then 1, their heads and the columns of values in tiles. From
// token to token a state is carried.
// CHECK: steps: 300 elements agree, 5 loops
// REMARK: 'delta' has no loop over tiles of 's': a value is carried along 's'
func.func @steps(%q: tensor<2x3x3x2xf32>, %k: tensor<2x3x3x2xf32>, %v: tensor<2x3x6x5xf32>, %a: tensor<2x3x6xf32>, %r: tensor<6xf32>, %b: tensor<2x3x6xf32>) -> (tensor<2x3x6x5xf32>, !llm.state<batch = 2, 6x2x5xf32>) {
  %s = llm.state "matrix" : !llm.state<batch = 2, 6x2x5xf32>
  %y, %n = llm.linear_attn "delta" delta %q, %k, %v decay %a rate %r beta %b from %s qk_norm 1.0e-6 scale 0.5 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, s = 1, h = 1, g = 1, k = 2, v = 2}, order = [b, h, g, v, s, k], buffers = {}>] split = {h = 2}>}
    : tensor<2x3x3x2xf32>, tensor<2x3x3x2xf32>, tensor<2x3x6x5xf32>, tensor<2x3x6xf32>, tensor<6xf32>, tensor<2x3x6xf32>, !llm.state<batch = 2, 6x2x5xf32>
  return %y, %n : tensor<2x3x6x5xf32>, !llm.state<batch = 2, 6x2x5xf32>
}

// No op reads the next state, and it stays the one that the program leaves.
// CHECK: left: 40 elements agree, 1 loops
// CLEAN-LABEL: func.func @left
// CLEAN: llm.state_cast %{{.+}} after %
// CLEAN: return
func.func @left(%x: tensor<2x5x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x5x4xf32> {
  %s = llm.state "kept" : !llm.state<batch = 2, 2x4xf32>
  %y, %n = llm.conv1d "conv" %x, %w from %s {llm.tile = #llm.tile<pinned split = {c = 2}>}
    : tensor<2x5x4xf32>, tensor<4x3xf32>, !llm.state<batch = 2, 2x4xf32>
  return %y : tensor<2x5x4xf32>
}

// In chunks: all chunks of a part's heads follow each other in it.
// CHECK: chunks: 126 elements agree, 2 loops
func.func @chunks(%q: tensor<1x5x3x2xf32>, %v: tensor<1x5x6x3xf32>, %a: tensor<1x5x6x2xf32>, %d: tensor<6xf32>) -> (tensor<1x5x6x3xf32>, !llm.state<batch = 1, 6x2x3xf32>) {
  %s = llm.state "matrix" : !llm.state<batch = 1, 6x2x3xf32>
  %y, %n = llm.linear_attn additive %q, %q, %v decay %a skip %d from %s chunk 2 scale 1.0 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, c = 1, h = 1, g = 2, i = 2, j = 2, k = 2, v = 3}, order = [b, h, g, c, i, j, k, v], buffers = {}>] split = {h = 2}>}
    : tensor<1x5x3x2xf32>, tensor<1x5x3x2xf32>, tensor<1x5x6x3xf32>, tensor<1x5x6x2xf32>, tensor<6xf32>, !llm.state<batch = 1, 6x2x3xf32>
  return %y, %n : tensor<1x5x6x3xf32>, !llm.state<batch = 1, 6x2x3xf32>
}

// Heads of the only key head, in parts of 2 and 1: a part knows how many key heads it has, and not how many heads.
// CHECK: one_key_head: 63 elements agree, 1 loops
func.func @one_key_head(%q: tensor<1x5x1x2xf32>, %v: tensor<1x5x3x3xf32>, %a: tensor<1x5x3xf32>) -> (tensor<1x5x3x3xf32>, !llm.state<batch = 1, 3x2x3xf32>) {
  %s = llm.state "matrix" : !llm.state<batch = 1, 3x2x3xf32>
  %y, %n = llm.linear_attn delta %q, %q, %v decay %a from %s chunk 2 scale 1.0 {llm.tile = #llm.tile<pinned split = {g = 2}>}
    : tensor<1x5x1x2xf32>, tensor<1x5x1x2xf32>, tensor<1x5x3x3xf32>, tensor<1x5x3xf32>, !llm.state<batch = 1, 3x2x3xf32>
  return %y, %n : tensor<1x5x3x3xf32>, !llm.state<batch = 1, 3x2x3xf32>
}

// CHECK: steps_of_drafts: 216 elements agree, 1 loops
func.func @steps_of_drafts(%q: tensor<1x3x3x3xf32>, %v: tensor<1x3x6x3xf32>) -> (tensor<1x3x6x3xf32>, !llm.state<batch = 1, 3x6x3x3xf32>) {
  %s = llm.state "matrix" : !llm.state<batch = 1, 6x3x3xf32>
  %y, %n = llm.linear_attn additive %q, %q, %v from %s scale 1.0 every_step {llm.tile = #llm.tile<pinned split = {h = 2}>}
    : tensor<1x3x3x3xf32>, tensor<1x3x3x3xf32>, tensor<1x3x6x3xf32>, !llm.state<batch = 1, 6x3x3xf32>
  return %y, %n : tensor<1x3x6x3xf32>, !llm.state<batch = 1, 3x6x3x3xf32>
}

// Channels of whole windows; 6 tokens from position 3 on close two of 4 tokens.
// CHECK: compress: 100 elements agree, 2 loops
func.func @compress(%v: tensor<2x6x5xf32>, %g: tensor<2x6x5xf32>, %a: tensor<4x5xf32>) -> (tensor<2x2x5xf32>, !llm.state<batch = 2, 2x4x5xf32>) {
  %s = llm.state "window" : !llm.state<batch = 2, 2x4x5xf32>
  %y, %n = llm.compress %v, %g bias %a from %s at 3 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 1, s = 6, g = 1, d = 3, j = 4}, order = [b, s, g, d, j], buffers = {}>] split = {d = 2}>}
    : tensor<2x6x5xf32>, tensor<2x6x5xf32>, tensor<4x5xf32>, !llm.state<batch = 2, 2x4x5xf32>
  return %y, %n : tensor<2x2x5xf32>, !llm.state<batch = 2, 2x4x5xf32>
}

// With two halves, some channels are in two places: only sequences are cut.
// CHECK: halves: 114 elements agree, 1 loops
// REMARK: 'halves' has no loop over tiles of 'd': the elements of 'values' that some iterations of 'd' touch are no slice
func.func @halves(%v: tensor<2x6x6xf32>, %g: tensor<2x6x6xf32>, %a: tensor<2x6xf32>) -> (tensor<2x3x3xf32>, !llm.state<batch = 2, 2x4x6xf32>) {
  %s = llm.state "window" : !llm.state<batch = 2, 2x4x6xf32>
  %y, %n = llm.compress "halves" %v, %g bias %a from %s at 7 {llm.tile = #llm.tile<pinned
    levels = [<"sram", sizes = {b = 2, s = 6, g = 2, d = 2, j = 2}, order = [b, s, g, d, j], buffers = {}>] split = {b = 2}>}
    : tensor<2x6x6xf32>, tensor<2x6x6xf32>, tensor<2x6xf32>, !llm.state<batch = 2, 2x4x6xf32>
  return %y, %n : tensor<2x3x3xf32>, !llm.state<batch = 2, 2x4x6xf32>
}

// A token that closes no window is kept, and nothing is computed.
// CHECK: kept: 80 elements agree, 0 loops
// REMARK: 'kept' stays whole: it closes no window, and only keeps tokens
func.func @kept(%v: tensor<2x1x5xf32>, %g: tensor<2x1x5xf32>, %a: tensor<4x5xf32>) -> !llm.state<batch = 2, 2x4x5xf32> {
  %s = llm.state "window" : !llm.state<batch = 2, 2x4x5xf32>
  %n = llm.compress "kept" %v, %g bias %a from %s at 4 {llm.tile = #llm.tile<pinned split = {d = 2}>}
    : tensor<2x1x5xf32>, tensor<2x1x5xf32>, tensor<4x5xf32>, !llm.state<batch = 2, 2x4x5xf32>
  return %n : !llm.state<batch = 2, 2x4x5xf32>
}
