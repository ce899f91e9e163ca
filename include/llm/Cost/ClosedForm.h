//===- ClosedForm.h - The tile of hand-made cost sheets ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_CLOSEDFORM_H
#define LLM_COST_CLOSEDFORM_H

#include "llm/Cost/CostModel.h"

namespace mlir::llm {

/// An m x k x n matrix product, with tile edges that are real numbers.
///
/// With a cache of C bytes and b bytes per value, edge = sqrt(C / (3 b)): three
/// square tiles fill the cache. If the smallest dimension d0 is below this
/// edge, d0 is kept whole and the others get x with x^2 + 2 d0 x = C / b. If
/// the middle dimension d1 is below x, both are kept whole and the largest gets
/// (C - d0 d1 b) / (b (d0 + d1)). No edge exceeds its dimension. Traffic = (tm
/// tk + tk tn) b macs / (tm tk tn): both operands are read once per tile of the
/// result. The result itself is not counted.
struct ClosedForm {
  unsigned m, k, n;  ///< loops of the workload
  unsigned lhs, rhs; ///< buffers of the workload
  double tileM, tileK, tileN;
  double lhsBytes, rhsBytes; ///< how many bytes of each operand move

  /// Returns nothing if the op is not such a product, or the engine has no
  /// private memory.
  static std::optional<ClosedForm> get(const OpOnTarget &context);
  /// Returns the edges, rounded down to whole iterations.
  TileAttr getTile(const OpOnTarget &context) const;
};

} // namespace mlir::llm

#endif // LLM_COST_CLOSEDFORM_H
