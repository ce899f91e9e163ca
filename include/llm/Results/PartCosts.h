//===- PartCosts.h - The cost of one part of an op --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_PARTCOSTS_H
#define LLM_RESULTS_PARTCOSTS_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"

#include <map>

namespace mlir::llm {

/// The records of an op's cost, in the order of its parts.
class PartCosts {
public:
  /// `cost` may be null. Then nothing is known.
  explicit PartCosts(CostAttr cost = {});
  bool areKnown() const { return !ends.empty(); }
  size_t recordOf(int64_t part) const;
  /// Returns the first part after those of a record.
  int64_t endOf(size_t record) const { return ends[record]; }
  size_t count() const { return ends.size(); }
  PartCostAttr operator[](size_t record) const {
    return cost.getParts()[record];
  }

private:
  CostAttr cost;
  std::vector<int64_t> ends;
};

/// Bytes by the name of the memory.
using MemoryBytes = std::map<StringRef, int64_t>;

/// Returns the bytes of a buffer that a part of this cost streams.
MemoryBytes bytesOf(PartCostAttr part, StringRef buffer);
/// Returns the bytes that are fetched for each part of a run of slots.
MemoryBytes fetchedBytes(PartCostAttr part, SlotRunAttr run);
/// Adds bytes. A sum that would be above 2^61 stays as it was.
void addBytes(MemoryBytes &sum, const MemoryBytes &bytes);

} // namespace mlir::llm

#endif // LLM_RESULTS_PARTCOSTS_H
