//===- FreeRanges.h - The unused ranges of a memory -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_FREERANGES_H
#define LLM_LIB_SCHEDULING_CORE_FREERANGES_H

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace mlir::llm::scheduling {

/// A memory without an end: holes between what is taken, and all behind it.
/// Each call takes O(log n) for n holes.
class FreeRanges {
public:
  /// Takes `bytes` > 0 from the smallest hole in which they end at or below
  /// `limit`. If several are equal, it is the lowest. If there is none, they
  /// lie behind all that is taken.
  int64_t take(int64_t bytes, int64_t limit);
  /// The lowest address at which `bytes` > 0 fit. If there are many holes, only
  /// the lowest ones are looked at.
  int64_t lowestFor(int64_t bytes) const;
  /// Takes them there, and returns the address.
  int64_t takeLowest(int64_t bytes);
  /// Gives back what was taken at `address`.
  void giveBack(int64_t address, int64_t bytes);
  /// The address from which on nothing is taken.
  int64_t top() const { return end; }

private:
  void takeFrom(int64_t address, int64_t bytes);
  void addHole(int64_t address, int64_t bytes);
  void dropHole(int64_t address, int64_t bytes);

  int64_t end = 0;
  std::map<int64_t, int64_t> bytesOfHole;       ///< by address
  std::set<std::pair<int64_t, int64_t>> bySize; ///< (bytes, address)
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_FREERANGES_H
