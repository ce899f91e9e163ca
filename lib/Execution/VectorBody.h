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

/// So many neighbours along a loop at once, in a vector.
struct Lanes {
  unsigned loop;
  int64_t count;
  /// 2: each lane of the sum adds up two neighbours (`addsProductsOfBf16`).
  int64_t termsPerLane = 1;

  int64_t terms() const { return count * termsPerLane; }
};

/// What the body of an op on buffers, with one result, makes of its operands at
/// points of its loops: of one, or of neighbours that are the lanes of a
/// vector.
class VectorBody {
public:
  VectorBody(linalg::GenericOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter) {}

  /// Neighbours along the loop lie beside each other in memory, and the body
  /// does with several what it does with one.
  static bool canVectorize(linalg::GenericOp op, unsigned loop);
  /// The body adds products of two operands in bf16 to a sum in f32, which
  /// AVX512-BF16 has an instruction for.
  static bool addsProductsOfBf16(linalg::GenericOp op, unsigned loop);

  /// The result so far at `indices`, one of each loop.
  Value loadResult(ArrayRef<Value> indices, std::optional<Lanes> lanes);
  void storeResult(Value value, ArrayRef<Value> indices);
  /// Asks the memory for what an operand has at `indices`.
  void prefetch(OpOperand &operand, ArrayRef<Value> indices);
  /// What the body makes of `sum`, at `indices` and the neighbours.
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
