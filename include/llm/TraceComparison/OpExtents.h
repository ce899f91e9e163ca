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

/// The sizes of an op of any kind, by its workload, for traces that say what
/// their ops read. Frameworks reshape, transpose and repeat tensors, so that
/// nothing but numbers of elements can be compared.
class OpExtents {
public:
  OpExtents() = default;
  explicit OpExtents(WorkloadOpInterface op);

  /// Whether each of the operands has as many elements as a tensor of the op,
  /// or as some of its loops together have iterations. Of a whole op they must
  /// be along all of its loops; a part of it may be along some.
  bool explain(const TracedOperands &operands, bool isWhole) const;
  /// The same of the largest operand alone, of whatever part; also where
  /// nothing is known of the op.
  bool explainLargest(const TracedOperands &operands) const;

private:
  /// The loops that so many elements lie along, as bits; nothing where it is
  /// no number of the op.
  std::optional<unsigned> findLoops(int64_t elements) const;

  struct Tensor {
    int64_t elements;
    unsigned loops; ///< as bits
  };
  llvm::SmallVector<int64_t, 6> loops; ///< extents above 1
  llvm::SmallVector<Tensor, 4> tensors;
};

} // namespace mlir::llm

#endif // LLM_TRACECOMPARISON_OPEXTENTS_H
