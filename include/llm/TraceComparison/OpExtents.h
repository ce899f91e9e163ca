//===- OpExtents.h - How large an op of a program is ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACECOMPARISON_OPEXTENTS_H
#define LLM_TRACECOMPARISON_OPEXTENTS_H

#include "llm/TraceImport/TracedOperands.h"
#include "llm/Workload/Workload.h"

namespace mlir::llm {

/// The sizes of an op of any kind, from its workload, for traces that have the
/// operands of their ops. Frameworks reshape, transpose and repeat tensors, so
/// that only numbers of elements can be compared.
class OpExtents {
public:
  OpExtents() = default;
  explicit OpExtents(WorkloadOpInterface op);

  /// Says whether each of the operands has as many elements as a tensor of the
  /// op, or as some of its loops together have iterations. If it is the whole
  /// op, the operands together must be along all of its loops. Operands of a
  /// part may be along only some. A cache may have any number of whole rows,
  /// because tools show all its room.
  bool explain(const TracedOperands &operands, bool isWhole) const;
  /// Does the same for only the largest operand, of the op or a part. Also
  /// returns true if nothing is known about the op.
  bool explainLargest(const TracedOperands &operands) const;

private:
  /// Returns as bits the loops along which so many elements may lie. Returns
  /// nothing if no loops of the op have that number of iterations.
  std::optional<unsigned> findLoops(int64_t elements) const;

  struct Tensor {
    int64_t elements;
    unsigned loops; ///< as bits
  };
  llvm::SmallVector<int64_t, 6> loops; ///< the extents that are above 1
  llvm::SmallVector<Tensor, 4> tensors;
  int64_t cacheRow = 0; ///< elements of a key; 0 without a cache
};

} // namespace mlir::llm

#endif // LLM_TRACECOMPARISON_OPEXTENTS_H
