// Programs that cannot be tiled: a located error each, never a crash.
// RUN: llm-opt %s --llm-tile -split-input-file -verify-diagnostics
// RUN: llm-opt %s --llm-tile=strategy=theoretical -split-input-file -verify-diagnostics

// A dynamic shape: the error says that static ones are needed.
func.func @dynamic(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{needs static shapes to count its work, got 'tensor<?x4xbf16>'}}
  %0 = llm.add "a" %x, %x : tensor<?x4xbf16>, tensor<?x4xbf16>
  return
}

// -----

// An empty tensor.
func.func @empty(%x: tensor<0x4xbf16>) {
  // expected-error@+1 {{an empty tensor has no work: 'tensor<0x4xbf16>'}}
  %0 = llm.add "a" %x, %x : tensor<0x4xbf16>, tensor<0x4xbf16>
  return
}

// -----

// An op of another dialect without a workload: the error names it and says what to do.
func.func @foreign(%x: tensor<4xf32>) {
  // expected-error@+1 {{'math.exp' op has no workload: the compiler cannot tell how long it takes}}
  %0 = math.exp %x : tensor<4xf32>
  return
}

// -----

// The same inside a loop; the index arithmetic beside it is the host's and takes no time.
func.func @foreign_in_loop(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = arith.addi %i, %c1 : index
    // expected-error@+1 {{'math.exp' op has no workload}}
    %1 = math.exp %x : tensor<4xf32>
  }
  return
}

// -----

// A call, whose time nobody counts.
func.func private @other()
func.func @call() {
  // expected-error@+1 {{'func.call' op has no workload}}
  func.call @other() : () -> ()
  return
}

// -----

// A condition: which side runs is not known.
func.func @condition(%c: i1) {
  // expected-error@+1 {{'scf.if' op has no workload}}
  scf.if %c {
  }
  return
}

// -----

// Branches between blocks.
// expected-error@+1 {{has branches between blocks}}
func.func @branches(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}

// -----

// A trip count that is no constant.
func.func @trips(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{needs a constant trip count of at least 1}}
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}

// -----

// A loop that never runs.
func.func @never() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{needs a constant trip count of at least 1}}
  scf.for %i = %c1 to %c0 step %c1 {
  }
  return
}

// -----

// A step of 0, and one below.
func.func @step() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{needs a constant trip count of at least 1}}
  scf.for %i = %c0 to %c4 step %c0 {
  }
  return
}

// -----

func.func @backwards() {
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  %m1 = arith.constant -1 : i64
  // expected-error@+1 {{needs a constant trip count of at least 1}}
  scf.for %i = %c0 to %c4 step %m1 : i64 {
  }
  return
}

// -----

// Loops of other kinds.
func.func @while(%c: i1) {
  // expected-error@+1 {{needs a constant trip count of at least 1}}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}

// -----

func.func @forall(%x: tensor<4x4xbf16>) {
  // expected-error@+1 {{needs a constant trip count of at least 1}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %x) -> tensor<4x4xbf16> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[0, 0] [4, 4] [1, 1]
        : tensor<4x4xbf16> into tensor<4x4xbf16>
    }
  }
  return
}

// -----

// Trip counts whose product 64 bits do not hold: 2^40 x 2^40.
func.func @many(%x: tensor<4xbf16>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 1099511627776 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    // expected-error@+1 {{runs its body more than 2^61 times}}
    scf.for %j = %c0 to %n step %c1 : i64 {
      %0 = llm.add "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>
    }
  }
  return
}

// -----

// A trip count of 2^63 - 1 is constant, but too large to count.
func.func @endless(%x: tensor<4xbf16>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 9223372036854775807 : i64
  // expected-error@+1 {{runs its body more than 2^61 times}}
  scf.for %i = %c0 to %n step %c1 : i64 {
    %0 = llm.add "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>
  }
  return
}

// -----

// An op in no function: nothing would tile it, and nothing would say so.
%x = tensor.empty() : tensor<4xbf16>
// expected-error@+1 {{'llm.add' op takes time and is in no function: only those are tiled and scheduled; put it into one}}
%0 = llm.add "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>

// -----

// A circle of values, which MLIR allows in a module.
module {
  // expected-error@+1 {{'llm.add' op takes time and is in no function}}
  %0 = llm.add "a" %1, %1 : tensor<4xbf16>, tensor<4xbf16>
  %1 = llm.add "b" %0, %0 : tensor<4xbf16>, tensor<4xbf16>
}

// -----

// A function in a module in the module is a function like others.
module {
  module {
    func.func @inner(%x: tensor<?xbf16>) {
      // expected-error@+1 {{needs static shapes}}
      %0 = llm.add "a" %x, %x : tensor<?xbf16>, tensor<?xbf16>
      return
    }
  }
}

// -----

// Types that take part in no count: the parser or the verifier names those that do.
func.func @unranked(%x: tensor<*xbf16>) {
  // expected-error@+1 {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xbf16>'}}
  %0 = llm.add "a" %x, %x : tensor<*xbf16>, tensor<*xbf16>
  return
}

// -----

func.func @memref(%x: memref<4xbf16>) {
  // expected-error@+1 {{invalid kind of type specified: expected builtin.tensor, but found 'memref<4xbf16>'}}
  %0 = llm.add "a" %x, %x : memref<4xbf16>, memref<4xbf16>
  return
}

// -----

func.func @index(%x: tensor<4xindex>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of floating-point or signless integer values, but got 'tensor<4xindex>'}}
  %0 = llm.add "a" %x, %x : tensor<4xindex>, tensor<4xindex>
  return
}

// -----

func.func @complex(%x: tensor<4x4xcomplex<f32>>) {
  // expected-error@+1 {{operand #0 must be rank-2 tensor of float, integer or block-scaled values, but got 'tensor<4x4xcomplex<f32>>'}}
  %0 = llm.matmul "m" %x, %x : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>
  return
}

// -----

func.func @signed(%x: tensor<4xsi8>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of floating-point or signless integer values, but got 'tensor<4xsi8>'}}
  %0 = llm.add "a" %x, %x : tensor<4xsi8>, tensor<4xsi8>
  return
}

// -----

// Numbers wider than any that the target has a rate for.
func.func @wide(%x: tensor<4x4xi16777215>) {
  // expected-error@+1 {{contracts 'i16777215', for which engine 'core' of target 'npu' gives no rate}}
  %0 = llm.matmul "m" %x, %x : tensor<4x4xi16777215>, tensor<4x4xi16777215>
  return
}

// -----

// Two ops of one name, in one function; the note shows the other.
func.func @twins(%x: tensor<4xbf16>) {
  // expected-note@+1 {{the other op is here}}
  %0 = llm.add "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>
  // expected-error@+1 {{has the name "a" of another op; names must be unique in a function}}
  %1 = llm.mul "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>
  return
}

// -----

// Work that 64 bits do not hold: 2^93 macs.
func.func @work(%x: tensor<2147483648x2147483648xi8>) {
  // expected-error@+1 {{2^61 - 1}}
  %0 = llm.matmul "m" %x, %x : tensor<2147483648x2147483648xi8>, tensor<2147483648x2147483648xi8>
  return
}

// -----

// Bytes that 64 bits do not hold: 2^60 values of 8 bytes.
func.func @bytes(%x: tensor<1152921504606846976xf64>) {
  // expected-error@+1 {{2^61 - 1}}
  %0 = llm.add "a" %x, %x : tensor<1152921504606846976xf64>, tensor<1152921504606846976xf64>
  return
}

// -----

// A cache of 2^240 elements, of which 2^180 are written.
func.func @cache(%x: tensor<1152921504606846976x1x1152921504606846976x1152921504606846976xbf16>) {
  %c = llm.kv_cache "c" : <batch = 1152921504606846976, kv_heads = 1152921504606846976, head_dim = 1152921504606846976, capacity = 1152921504606846976, bf16>
  // expected-error@+1 {{has work, bytes or cycles above 2^61 - 1}}
  %0 = llm.kv_write "w" %c, %x, %x at 0 : <batch = 1152921504606846976, kv_heads = 1152921504606846976, head_dim = 1152921504606846976, capacity = 1152921504606846976, bf16>, tensor<1152921504606846976x1x1152921504606846976x1152921504606846976xbf16>, tensor<1152921504606846976x1x1152921504606846976x1152921504606846976xbf16>
  return
}

// -----

// A type that the engine has no rate for, nor a wider one.
func.func @type(%x: tensor<4x4xf64>) {
  // expected-error@+1 {{contracts 'f64', for which engine 'core' of target 'npu' gives no rate (engines.core.macs_per_cycle_per_unit), nor one for a wider type}}
  %0 = llm.matmul "m" %x, %x : tensor<4x4xf64>, tensor<4x4xf64>
  return
}

// -----

// A rank that is too high to name its loops.
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1xbf16>) {
  // expected-error@+1 {{has rank 9; at most 8 is supported}}
  %0 = llm.add "a" %x, %x : tensor<1x1x1x1x1x1x1x1x1xbf16>, tensor<1x1x1x1x1x1x1x1x1xbf16>
  return
}

// -----

// Other functions are tiled before the one that is wrong is met; the failure stays one.
func.func @fine(%x: tensor<4xbf16>) {
  %0 = llm.add "a" %x, %x : tensor<4xbf16>, tensor<4xbf16>
  return
}
func.func @wrong(%x: tensor<?xbf16>) {
  // expected-error@+1 {{needs static shapes}}
  %0 = llm.add "a" %x, %x : tensor<?xbf16>, tensor<?xbf16>
  return
}
