// RUN: split-file %s %t

// A name that the program does not have.
// RUN: not llm-opt %t/named.mlir --llm-bind-shapes=sizes=bach=4 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --llm-bind-shapes: no size is called 'bach'; did you mean 'batch'? (open sizes: batch)
// Where all sizes have a value, nothing can depend on it.
// RUN: llm-opt %t/closed.mlir --llm-bind-shapes=sizes=batch=4 2>&1 | FileCheck %s --check-prefix=CLOSED
// CLOSED: warning: --llm-bind-shapes: no size is called 'batch' (open sizes: none); the sizes of this program are fixed, and stay as they are (llm-translate leaves one open with "--batch=?")
// RUN: llm-opt %t/named.mlir --llm-bind-shapes=sizes=batch=4,kv_len=8 2>&1 | FileCheck %s --check-prefix=ALL-BOUND
// ALL-BOUND: warning: --llm-bind-shapes: no size is called 'kv_len' (open sizes: batch)

// A size of the program's attribute that canonicalization has removed is one of the program.
// RUN: llm-opt %t/unused.mlir --canonicalize --llm-bind-shapes=sizes=batch=4,kv_len=8 2>&1 | FileCheck %s --check-prefix=UNUSED --implicit-check-not=warning
// UNUSED: llm.program = #llm.program<"llama", decode, batch = 4, seq = 1, kv_len = 8, layers = 1 of 16>
// UNUSED: tensor<4x8xbf16>

// Values that are none.
// RUN: not llm-opt %t/named.mlir --llm-bind-shapes=sizes=batch=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: --llm-bind-shapes: 'batch=0' must be a name and a whole number in [1, 2^31], as in 'batch=8'
// RUN: not llm-opt %t/named.mlir --llm-bind-shapes=sizes=batch 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: --llm-bind-shapes: 'batch' must be a name and a whole number in [1, 2^31], as in 'batch=8'
// RUN: not llm-opt %t/named.mlir --llm-bind-shapes=sizes=batch=4611686018427387904 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: --llm-bind-shapes: 'batch=4611686018427387904' must be
// RUN: not llm-opt %t/named.mlir --llm-bind-shapes=sizes=batch=4,batch=5 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: --llm-bind-shapes: 'batch' has two values

// A size that does not fit what is known: a window of 8 rows in a cache of 4.
// RUN: not llm-opt %t/rows.mlir --llm-bind-shapes=sizes=kv_len=4 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: rows.mlir:4:{{[0-9]+}}: error: 'llm.kv_read' op rows 0 to 8 must be a non-empty range within the capacity 4

// A loop that would carry another shape than it begins with.
// RUN: not llm-opt %t/loop.mlir --llm-bind-shapes=sizes=batch=4 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error: 'scf.for' op carries {{.?}}tensor<4x8xbf16>{{.?}}, but yields {{.?}}tensor<?x8xbf16>{{.?}} with these sizes

// Loops that carry values in another way.
// RUN: not llm-opt %t/while.mlir --llm-bind-shapes=sizes=batch=4 2>&1 | FileCheck %s --check-prefix=WHILE
// WHILE: error: 'scf.while' op carries values in a way that sizes cannot be bound in; use scf.for
// RUN: not llm-opt %t/forall.mlir --llm-bind-shapes=sizes=batch=4 2>&1 | FileCheck %s --check-prefix=FORALL
// FORALL: error: 'scf.forall' op carries values in a way that sizes cannot be bound in; use scf.for

// Sizes of what is no argument.
// RUN: not llm-opt %t/inner.mlir --llm-bind-shapes=sizes=batch=4 2>&1 | FileCheck %s --check-prefix=INNER
// INNER: error: 'llm.sized' op gives sizes to arguments of a function only

// A dimension that would be less than nothing.
// RUN: not llm-opt %t/negative.mlir --llm-bind-shapes=sizes=batch=4 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: 'llm.sized' op would give a dimension the size -1

// Fewer keys than new tokens.
// RUN: not llm-opt %t/program.mlir --llm-bind-shapes=sizes=kv_len=4 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: error: function 'program' llm.program: kv_len 4 includes the 8 new tokens

// Nothing has a cost before.
// RUN: not llm-opt %t/named.mlir --llm-tile 2>&1 | FileCheck %s --check-prefix=COST
// COST: error: 'llm.add' op needs static shapes to count its work, got {{.?}}tensor<?x8xbf16>{{.?}}; sizes that are open are bound by llm-bind-shapes

// Without names there is nothing to do.
// RUN: llm-opt %t/closed.mlir --llm-bind-shapes | FileCheck %s --check-prefix=NOTHING
// NOTHING: func.func @closed

//--- named.mlir
func.func @named(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %batch = llm.size "batch"
  %s = llm.sized %x[%batch] : tensor<?x8xbf16>
  %y = llm.add %s, %s : tensor<?x8xbf16>, tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}
//--- closed.mlir
func.func @closed(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  return %x : tensor<4x8xbf16>
}
//--- rows.mlir
func.func @rows() -> tensor<1x8x1x2xbf16> {
  %kv_len = llm.size "kv_len"
  %c = llm.kv_cache "cache" sizes(%kv_len) : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 2, capacity = ?, bf16>
  %k, %v = llm.kv_read %c rows 0 to 8 : !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 2, capacity = ?, bf16>
  return %k : tensor<1x8x1x2xbf16>
}
//--- loop.mlir
func.func @loop(%x: tensor<?x8xbf16>, %other: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %batch = llm.size "batch"
  %s = llm.sized %x[%batch] : tensor<?x8xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %s) -> (tensor<?x8xbf16>) {
    scf.yield %other : tensor<?x8xbf16>
  }
  return %y : tensor<?x8xbf16>
}
//--- inner.mlir
func.func @inner(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %batch = llm.size "batch"
  %y = llm.add %x, %x : tensor<?x8xbf16>, tensor<?x8xbf16>
  %s = llm.sized %y[%batch] : tensor<?x8xbf16>
  return %s : tensor<?x8xbf16>
}
//--- program.mlir
func.func @program(%x: tensor<8x8xbf16>) -> tensor<8x8xbf16> attributes {
    llm.program = #llm.program<"hand", prefill, batch = 1, seq = 8, kv_len = ?, layers = 1 of 1>} {
  %kv_len = llm.size "kv_len"
  return %x : tensor<8x8xbf16>
}
//--- while.mlir
func.func @f(%x: tensor<?x4xf32>, %c: i1) -> tensor<?x4xf32> {
  %batch = llm.size "batch"
  %s = llm.sized %x[%batch] : tensor<?x4xf32>
  %r = scf.while (%a = %s) : (tensor<?x4xf32>) -> tensor<?x4xf32> {
    scf.condition(%c) %a : tensor<?x4xf32>
  } do {
  ^bb0(%b: tensor<?x4xf32>):
    scf.yield %b : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
//--- forall.mlir
func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %batch = llm.size "batch"
  %s = llm.sized %x[%batch] : tensor<?x4xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %s) -> (tensor<?x4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, 0] [%batch, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
    }
  }
  return %r : tensor<?x4xf32>
}
//--- negative.mlir
func.func @negative(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %batch = llm.size "batch"
  %c5 = arith.constant 5 : index
  %less = arith.subi %batch, %c5 : index
  %s = llm.sized %x[%less] : tensor<?x8xbf16>
  return %s : tensor<?x8xbf16>
}

//--- unused.mlir
func.func @f(%arg: tensor<?x8xbf16>) -> tensor<?x8xbf16> attributes {llm.program = #llm.program<"llama", decode, batch = ?, seq = 1, kv_len = ?, layers = 1 of 16>} {
  %batch = llm.size "batch"
  %kv_len = llm.size "kv_len"
  %x = llm.sized %arg [%batch] : tensor<?x8xbf16>
  %y = llm.add %x, %x : tensor<?x8xbf16>, tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}
