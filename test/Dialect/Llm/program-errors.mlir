// RUN: llm-opt %s -split-input-file -verify-diagnostics --llm-tile

// What is valid IR and yet no program: the passes say so.

// An op that nothing is known about.
func.func @unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{'arith.addf' op has no workload: the compiler cannot tell how long it takes}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return
}

// -----

// A call: functions are not followed.
func.func private @callee()
func.func @call() {
  // expected-error @+1 {{'func.call' op has no workload}}
  func.call @callee() : () -> ()
  return
}

// -----

// Branches between blocks.
// expected-error @+1 {{has branches between blocks; a program is one block with loops of constant trip count}}
func.func @branches() {
  cf.br ^end
^end:
  return
}

// -----

// A loop whose trip count is an argument.
func.func @trips(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{loop 'scf.for' needs a constant trip count of at least 1}}
  scf.for %i = %zero to %n step %one {
  }
  return
}

// -----

// A loop that never runs.
func.func @no_trips() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @+1 {{loop 'scf.for' needs a constant trip count of at least 1}}
  scf.for %i = %one to %zero step %one {
  }
  return
}

// -----

// Two ops of one name.
func.func @names(%x: tensor<4xf32>) {
  // expected-note @+1 {{the other op is here}}
  %0 = llm.add "sum" %x, %x : tensor<4xf32>, tensor<4xf32>
  // expected-error @+1 {{'llm.mul' op has the name "sum" of another op; names must be unique in a function}}
  %1 = llm.mul "sum" %x, %x : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// A name that counts through other layers than its loop has iterations.
func.func @layers(%x: tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    // expected-error @+1 {{'llm.add' op has the name "layers.{3..5}.sum" for 3 iterations, but its loop has 4}}
    %0 = llm.add "layers.{3..5}.sum" %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// Such a name outside of a loop.
func.func @layers_without_loop(%x: tensor<4xf32>) {
  // expected-error @+1 {{'llm.add' op has the name "layers.{0,2..6}.sum" for 4 iterations, but its loop has 1}}
  %0 = llm.add "layers.{0,2..6}.sum" %x, %x : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// Work over a size that is not known.
func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{'llm.add' op needs static shapes to count its work, got 'tensor<?xf32>'}}
  %0 = llm.add %x, %x : tensor<?xf32>, tensor<?xf32>
  return
}

// -----

// Work over nothing.
func.func @empty(%x: tensor<0x4xf32>) {
  // expected-error @+1 {{'llm.add' op an empty tensor has no work: 'tensor<0x4xf32>'}}
  %0 = llm.add %x, %x : tensor<0x4xf32>, tensor<0x4xf32>
  return
}

// -----

// More dimensions than loops have names.
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x4xf32>) {
  // expected-error @+1 {{'llm.add' op has rank 9; at most 8 is supported}}
  %0 = llm.add %x, %x : tensor<1x1x1x1x1x1x1x1x4xf32>, tensor<1x1x1x1x1x1x1x1x4xf32>
  return
}

// -----

// 2^60 elements of 4 bytes are more bytes than the compiler counts.
func.func @overflow(%x: tensor<1152921504606846976xf32>) {
  // expected-error @+1 {{2^61 - 1}}
  %0 = llm.add %x, %x : tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>
  return
}
