//===- QueueClocks.h - What an entry of a queue comes after -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_QUEUES_QUEUECLOCKS_H
#define LLM_LIB_SCHEDULING_QUEUES_QUEUECLOCKS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::llm::scheduling {

/// The first `count` entries of a queue.
struct QueuePrefix {
  unsigned queue = 0;
  uint32_t count = 0;
};

/// Vector clocks (Fidge; Mattern, 1988): for each queue, how many of its first
/// entries have ended for certain.
using QueueClock = std::vector<uint32_t>;

/// The clocks of all entries that were added so far. A clock is kept only where
/// a queue learns about another one, since in between only its own count grows.
class QueueClocks {
public:
  explicit QueueClocks(size_t queues) : current(queues), changes(queues) {
    for (QueueClock &clock : current)
      clock.resize(queues, 0);
  }

  /// Returns what is certain when the next entry of a queue starts, before its
  /// waits count.
  const QueueClock &ofNext(unsigned queue) const { return current[queue]; }
  /// Adds the next entry of a queue. `clock` is what is certain once its waits
  /// are met; it is no less than `ofNext`.
  void add(unsigned queue, const QueueClock &clock, bool hasWaits);

  /// Adds to `clock` what the end of a prefix makes certain.
  void merge(const QueuePrefix &prefix, QueueClock &clock) const;
  static void merge(const QueueClock &other, QueueClock &clock);

private:
  struct Changes {
    std::vector<uint32_t> positions; ///< of entries with waits
    std::vector<uint32_t> clocks;    ///< of these, one behind the other
  };
  std::vector<QueueClock> current;
  std::vector<Changes> changes;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_QUEUES_QUEUECLOCKS_H
