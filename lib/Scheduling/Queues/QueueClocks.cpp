//===- QueueClocks.cpp - What an entry of a queue comes after -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueueClocks.h"

#include <algorithm>

namespace mlir::llm::scheduling {

void QueueClocks::add(unsigned queue, const QueueClock &clock, bool hasWaits) {
  QueueClock &own = current[queue];
  if (hasWaits) {
    changes[queue].positions.push_back(own[queue]);
    changes[queue].clocks.insert(changes[queue].clocks.end(), clock.begin(),
                                 clock.end());
    own = clock;
  }
  ++own[queue];
}

void QueueClocks::merge(const QueuePrefix &prefix, QueueClock &clock) const {
  clock[prefix.queue] = std::max(clock[prefix.queue], prefix.count);
  // The last change within the prefix has what the prefix makes certain of
  // other queues.
  const Changes &known = changes[prefix.queue];
  size_t before = std::lower_bound(known.positions.begin(),
                                   known.positions.end(), prefix.count) -
                  known.positions.begin();
  if (before == 0)
    return;
  auto from = known.clocks.begin() + (before - 1) * clock.size();
  for (uint32_t &count : clock)
    count = std::max(count, *from++);
}

void QueueClocks::merge(const QueueClock &other, QueueClock &clock) {
  for (size_t queue = 0; queue < clock.size(); ++queue)
    clock[queue] = std::max(clock[queue], other[queue]);
}

} // namespace mlir::llm::scheduling
