//===- KernelPrice.h - What ops take, alone and as one ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_KERNELPRICE_H
#define LLM_LIB_TRANSFORMS_KERNELPRICE_H

#include "llm/Cost/CostModel.h"

namespace mlir::llm {

/// The sum of two times, or of two amounts of bytes: no cost is above this
/// bound, and what is has no price worth comparing.
inline int64_t addBounded(int64_t a, int64_t b) {
  return std::min(a + b, int64_t(1) << 61);
}

/// What an engine and the memory that all engines share do for an op.
struct Price {
  int64_t cycles = 0, bytes = 0;
  /// Fewer bytes, which all engines share, in no more time of one of them.
  bool isBelow(const Price &other) const {
    return bytes < other.bytes && cycles <= other.cycles;
  }
  Price operator+(const Price &other) const {
    return {addBounded(cycles, other.cycles), addBounded(bytes, other.bytes)};
  }
};

/// Prices with the best tile; equal ops are searched once.
class Prices {
public:
  explicit Prices(const Target &target) : target(target) {}
  /// Whether two ops can run at one time.
  bool hasSeveralEngines() const;
  /// Fails where the op has no workload or no tile.
  FailureOr<Price> get(WorkloadOpInterface op, Reasons reasons);

private:
  const Target &target;
  DenseMap<StringAttr, Price> known;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_KERNELPRICE_H
