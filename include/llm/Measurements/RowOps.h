//===- RowOps.h - The op that a measured row is of --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_ROWOPS_H
#define LLM_MEASUREMENTS_ROWOPS_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Measurements/MeasuredTable.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm {

/// Makes the ops of measured rows. The ops live as long as this object.
class RowOps {
public:
  explicit RowOps(MLIRContext *context);

  /// Returns the op, of the type in which the row was measured:
  ///
  ///     gemm                                  llm.matmul
  ///     gemm_dynquant, gemm_FORMAT_dynquant   llm.matmul and llm.quantize
  ///     attention_prefill, attention_decode   llm.gqa_attn
  ///     rmsnorm                               llm.rmsnorm
  ///     rope        one op for all heads      llm.rope
  ///     silu_mul, residual_add, gelu          llm.swiglu, llm.add,
  ///                                           llm.activation gelu
  ///     softmax                               llm.softmax
  ///
  /// Other kinds are those of programs (RowPrograms.h), whose ops that take
  /// time are returned in order.
  ///
  /// If attention was measured with the write of keys, `llm.kv_write` follows
  /// it. A product that is measured with the quantization of its activations is
  /// followed by that op. The result is empty if there is no op of this kind.
  /// These are errors at the row: a size that is missing or not positive, heads
  /// that are not a multiple of the kv heads, an unknown dtype, and a program
  /// that is not valid with the row's sizes.
  FailureOr<SmallVector<WorkloadOpInterface, 2>> build(const MeasuredRow &row,
                                                       Reasons reasons);

  /// Whether rows of this kind are of one op that is built here, or of one with
  /// another beside it, and not of a program.
  static bool isOneOp(StringRef kind);
  /// Returns all kinds.
  static std::vector<StringRef> kinds();

private:
  FailureOr<SmallVector<WorkloadOpInterface, 2>>
  buildProgram(const MeasuredRow &row, Reasons reasons);
  /// Returns the ops of a program with what the row's columns have.
  FailureOr<SmallVector<WorkloadOpInterface, 2>>
  parseProgram(const RowProgram &program, const MeasuredRow &row,
               Reasons reasons);
  /// Adds what the row's library runs beside the ops.
  FailureOr<SmallVector<WorkloadOpInterface, 2>>
  addProgramsBeside(const MeasuredRow &row,
                    SmallVector<WorkloadOpInterface, 2> ops, Reasons reasons);
  Value value(Type elementType, ArrayRef<int64_t> shape);

  MLIRContext *context;
  OwningOpRef<ModuleOp> module;
  std::vector<OwningOpRef<ModuleOp>> programs;
};

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_ROWOPS_H
