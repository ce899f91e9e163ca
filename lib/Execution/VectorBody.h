//===- VectorBody.h - Bodies of linalg ops, of vectors ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_VECTORBODY_H
#define LLM_LIB_EXECUTION_VECTORBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace mlir::llm {

/// Neighbours along a loop that are computed at once, in a vector.
struct Lanes {
  unsigned loop;
  int64_t count;
  /// If it is 2, each lane of the sum adds up two neighbours
  /// (`addsProductsOfBf16`).
  int64_t termsPerLane = 1;

  int64_t terms() const { return count * termsPerLane; }
};

/// Computes the body of an op on buffers, which has one result, at points of
/// its loops. These are one point, or neighbours that are the lanes of a
/// vector.
class VectorBody {
public:
  VectorBody(linalg::GenericOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter) {}

  /// Whether neighbours along the loop lie beside each other in memory, and the
  /// body does the same with several as with one.
  static bool canVectorize(linalg::GenericOp op, unsigned loop);
  /// Whether the body adds products of two operands in bf16 to a sum in f32,
  /// for which AVX512-BF16 has an instruction.
  static bool addsProductsOfBf16(linalg::GenericOp op, unsigned loop);

  /// Loads the result so far at `indices`, one for each loop.
  Value loadResult(ArrayRef<Value> indices, std::optional<Lanes> lanes);
  void storeResult(Value value, ArrayRef<Value> indices);
  /// Asks the memory for what an operand has at `indices`.
  void prefetch(OpOperand &operand, ArrayRef<Value> indices);
  /// Computes what the body makes of `sum`, at `indices` and the neighbours.
  Value compute(ArrayRef<Value> indices, Value sum, std::optional<Lanes> lanes);

private:
  SmallVector<Value> mapIndices(OpOperand &operand, ArrayRef<Value> indices);
  Value load(OpOperand &operand, ArrayRef<Value> indices,
             std::optional<Lanes> lanes);
  Value addPairs(ArrayRef<Value> indices, Value sum, Lanes lanes);
  void repeat(Operation &inside, IRMapping &mapping,
              std::optional<Lanes> lanes);

  linalg::GenericOp op;
  RewriterBase &rewriter;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_VECTORBODY_H
