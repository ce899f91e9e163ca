//===- Sweep.cpp - Where more is held than there is -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"

#include <algorithm>
#include <tuple>

namespace mlir::llm::scheduling {

__extension__ using Wide = __int128;

bool Sweep::Change::operator<(const Change &other) const {
  // What is given back at a moment can be held by another from that moment on.
  return std::tie(pool, time, amount, owner) <
         std::tie(other.pool, other.time, other.amount, other.owner);
}

void Sweep::hold(Pool pool, int64_t start, int64_t end, int64_t amount,
                 size_t owner) {
  if (start == end || amount == 0)
    return;
  changes.push_back({pool, start, amount, owner});
  changes.push_back({pool, end, -amount, owner});
}

void Sweep::findExcesses(const std::function<int64_t(Pool)> &capacity,
                         const std::function<void(const Excess &)> &report) {
  std::sort(changes.begin(), changes.end());
  Wide held = 0;
  bool exceeded = false;
  for (size_t i = 0; i < changes.size(); ++i) {
    // At the last change of a pool all is given back, so the sum starts at 0
    // again.
    const Change &change = changes[i];
    held += change.amount;
    bool more = i + 1 < changes.size() && changes[i + 1].pool == change.pool &&
                changes[i + 1].time == change.time;
    if (more)
      continue;
    bool tooMuch = held > capacity(change.pool);
    if (tooMuch && !exceeded)
      report({change.pool, change.time,
              static_cast<int64_t>(std::min<Wide>(held, INT64_MAX)),
              change.owner});
    exceeded = tooMuch;
  }
}

} // namespace mlir::llm::scheduling
