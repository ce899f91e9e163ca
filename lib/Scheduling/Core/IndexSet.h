//===- IndexSet.h - A set of numbers below a limit --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_INDEXSET_H
#define LLM_LIB_SCHEDULING_CORE_INDEXSET_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::llm::scheduling {

/// A bit for each number, and above that a bit for each word that is not zero,
/// and so on up to one word. Each call takes O(log n / log 64), within a few
/// cache lines. A tree of a million nodes would miss the cache at each step.
class IndexSet {
public:
  static constexpr size_t none = SIZE_MAX;

  /// Holds numbers below `limit`.
  explicit IndexSet(size_t limit) {
    do {
      limit = limit / 64 + 1; // at least one word
      levels.emplace_back(limit, 0);
    } while (limit > 1);
  }

  void insert(size_t index) {
    for (std::vector<uint64_t> &words : levels) {
      words[index / 64] |= bit(index);
      index /= 64;
    }
  }

  void erase(size_t index) {
    for (std::vector<uint64_t> &words : levels) {
      words[index / 64] &= ~bit(index);
      if (words[index / 64] != 0)
        return;
      index /= 64;
    }
  }

  bool contains(size_t index) const {
    return levels.front()[index / 64] & bit(index);
  }
  bool empty() const { return levels.back().front() == 0; }

  /// The least one at or above `from`, or `none`.
  size_t next(size_t from) const {
    for (size_t level = 0; level < levels.size(); ++level) {
      const std::vector<uint64_t> &words = levels[level];
      if (from / 64 >= words.size())
        return none;
      if (uint64_t rest = words[from / 64] & ~uint64_t(0) << from % 64)
        return descend(level, from / 64 * 64 + __builtin_ctzll(rest));
      from = from / 64 + 1;
    }
    return none;
  }

private:
  static uint64_t bit(size_t index) { return uint64_t(1) << index % 64; }

  /// Returns the least number that a bit of a level stands for.
  size_t descend(size_t level, size_t index) const {
    while (level-- > 0)
      index = index * 64 + __builtin_ctzll(levels[level][index]);
    return index;
  }

  std::vector<std::vector<uint64_t>> levels; ///< level 0 has the numbers
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_INDEXSET_H
