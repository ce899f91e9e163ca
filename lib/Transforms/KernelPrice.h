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

/// Adds two times, or two amounts of bytes, up to a bound. No cost is above the
/// bound, so larger sums need not be told apart.
inline int64_t addBounded(int64_t a, int64_t b) {
  return std::min(a + b, int64_t(1) << 61);
}

/// The time of an engine for an op, and the bytes through the memory that all
/// engines share.
struct Price {
  int64_t cycles = 0, bytes = 0;
  /// Whether it has fewer bytes, and takes no more cycles.
  bool isBelow(const Price &other) const {
    return bytes < other.bytes && cycles <= other.cycles;
  }
  Price operator+(const Price &other) const {
    return {addBounded(cycles, other.cycles), addBounded(bytes, other.bytes)};
  }
};

/// Computes prices with the best tile. Equal ops are searched once.
class Prices {
public:
  explicit Prices(const Target &target) : target(target) {}
  /// Whether two ops can run at the same time.
  bool hasSeveralEngines() const;
  /// Fails if the op has no workload or no tile.
  FailureOr<Price> get(WorkloadOpInterface op, Reasons reasons);

private:
  const Target &target;
  DenseMap<StringAttr, Price> known;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_KERNELPRICE_H
