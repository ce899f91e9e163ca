//===- Sweep.h - Where more is held than there is ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_SWEEP_H
#define LLM_LIB_SCHEDULING_CORE_SWEEP_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace mlir::llm::scheduling {

/// Adds up what is held of many pools over time, and finds where that is too
/// much. Takes O(n log n) for n holdings. No sum wraps.
class Sweep {
public:
  /// What holdings share: the lanes of a resource, the memory of an engine.
  using Pool = std::pair<unsigned, int64_t>;

  /// `owner` holds `amount` >= 0 of the pool in [start, end), start <= end.
  void hold(Pool pool, int64_t start, int64_t end, int64_t amount,
            size_t owner);

  /// A moment from which on more is held than there is. `held` stops at
  /// INT64_MAX.
  struct Excess {
    Pool pool;
    int64_t time;
    int64_t held;
    size_t owner; ///< one that starts to hold at that moment
  };
  /// Reports the beginning of each excess, by pool and time.
  void findExcesses(const std::function<int64_t(Pool)> &capacity,
                    const std::function<void(const Excess &)> &report);

private:
  struct Change {
    Pool pool;
    int64_t time;
    int64_t amount; ///< negative: given back
    size_t owner;
    bool operator<(const Change &other) const;
  };
  std::vector<Change> changes;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_SWEEP_H
