//===- RangeOwners.h - Who used a range of memory last ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_RANGEOWNERS_H
#define LLM_LIB_SCHEDULING_CORE_RANGEOWNERS_H

#include <cstdint>
#include <iterator>
#include <map>

namespace mlir::llm::scheduling {

/// A memory in which each byte has the owner that took it last, or none. A call
/// takes O(log n), over all calls.
template <typename Owner>
class RangeOwners {
public:
  /// Gives [from, to) to an owner. Calls `visit` with those that had some of
  /// it.
  template <typename Visit>
  void take(int64_t from, int64_t to, const Owner &owner, Visit visit) {
    if (from >= to)
      return;
    cutAt(from);
    cutAt(to);
    auto first = ranges.lower_bound(from), last = ranges.lower_bound(to);
    for (auto range = first; range != last; ++range)
      visit(range->second.owner);
    ranges.erase(first, last);
    ranges[from] = {to, owner};
  }

private:
  struct Range {
    int64_t to = 0;
    Owner owner = {};
  };

  /// Splits a range that lies on both sides of an address.
  void cutAt(int64_t address) {
    auto next = ranges.lower_bound(address);
    if (next == ranges.begin())
      return;
    Range &range = std::prev(next)->second;
    if (range.to <= address)
      return;
    ranges[address] = range;
    range.to = address;
  }

  std::map<int64_t, Range> ranges; ///< by where they begin
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_RANGEOWNERS_H
