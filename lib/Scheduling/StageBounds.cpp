//===- StageBounds.cpp - Bounds between tasks that all others wait for ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundFinder.h"
#include "Parts.h"
#include "Stages.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

std::optional<int64_t> BoundFinder::stage(size_t first, size_t last) const {
  // The longest way within the stage: what is ahead of all of it is one way.
  int64_t bound = 0, begin = maxCount;
  for (size_t at = first; at < last; ++at)
    begin = std::min(begin, ahead[order[at]]);
  for (size_t at = first; at < last; ++at)
    bound = std::max(bound,
                     ahead[order[at]] + limits[order[at]].spanCycles - begin);
  for (const GroupSet &groups : groupSets) {
    int64_t sum = 0;
    for (size_t at = first; at < last; ++at)
      if (isConfined(order[at], groups)) {
        std::optional<int64_t> more =
            checkedAdd(sum, limits[order[at]].engineCycles);
        if (!more)
          return std::nullopt;
        sum = *more;
      }
    bound = std::max(bound, *ceilMulDiv(sum, 1, 1, enginesOf(groups)));
  }
  for (size_t m = 0; m < problem->resources.size(); ++m) {
    int64_t sum = 0;
    for (size_t at = first; at < last; ++at) {
      std::optional<int64_t> more =
          checkedAdd(sum, limits[order[at]].streams[m].ownBytes);
      if (!more)
        return std::nullopt;
      sum = *more;
    }
    std::optional<int64_t> cycles = cyclesOf(sum, m);
    if (!cycles)
      return std::nullopt;
    bound = std::max(bound, *cycles);
  }
  return bound;
}

std::optional<int64_t> BoundFinder::fetchableBytes(size_t resource) const {
  if (!hasMemoryEngine(*problem))
    return 0;
  int64_t room = 0;
  for (const EngineGroup &engine : problem->engines) {
    std::optional<int64_t> own = checkedMul(engine.count, engine.privateBytes);
    std::optional<int64_t> sum = own ? checkedAdd(room, *own) : std::nullopt;
    if (!sum)
      return std::nullopt;
    room = *sum;
  }
  // A slice may stand for more bytes than it takes, where they are streamed
  // more than once: as if all of the room held the source that does most.
  int64_t most = 0;
  for (const Task &task : problem->tasks)
    for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice)
      for (const Part &part : task.partsOf(choice))
        for (const Source &source : part.sources) {
          if (source.bytes[resource] == 0)
            continue;
          std::optional<int64_t> held =
              source.sliceBytes == 0 ? std::nullopt
                                     : ceilMulDiv(room, source.bytes[resource],
                                                  1, source.sliceBytes);
          if (!held)
            return std::nullopt;
          most = std::max(most, *held);
        }
  return most;
}

std::optional<int64_t> BoundFinder::row(size_t first, size_t last) const {
  int64_t longest = 0;
  for (size_t m = 0; m < problem->resources.size(); ++m) {
    std::optional<int64_t> held = fetchable[m];
    if (!held)
      continue;
    int64_t bytes = 0;
    for (size_t at = first; at < last; ++at)
      bytes = checkedAdd(bytes, limits[order[at]].streams[m].bytes)
                  .value_or(maxCount);
    std::optional<int64_t> cycles =
        cyclesOf(std::max<int64_t>(0, bytes - *held), m);
    if (!cycles)
      return std::nullopt;
    longest = std::max(longest, *cycles);
    if (!hasMemoryEngine(*problem))
      continue;
    for (const GroupSet &groups : groupSets) {
      std::optional<int64_t> streamed = streams(groups, m, first, last, *held);
      if (!streamed)
        return std::nullopt;
      longest = std::max(longest, *streamed);
    }
  }
  return longest;
}

std::optional<int64_t> BoundFinder::stages() const {
  const std::vector<size_t> borders = findBorders(*problem, order);
  size_t count = borders.size() - 1;
  // Large problems look at short rows only: a look takes as long as the row.
  constexpr size_t mostRows = 20'000, effort = 4'000'000;
  size_t longestRow = count == 0 ? 0 : std::min(count, mostRows / count);
  while (longestRow > 1 && longestRow * longestRow * order.size() > 2 * effort)
    longestRow /= 2;
  // The least cycles at which so many stages have ended.
  std::vector<int64_t> ended = {0};
  for (size_t last = 1; last <= count; ++last) {
    int64_t bound = 0;
    for (size_t length = 1; length <= std::max<size_t>(1, longestRow);
         ++length) {
      if (length > last)
        break;
      size_t begin = borders[last - length];
      std::optional<int64_t> cycles =
          length == 1 ? stage(begin, borders[last]) : 0;
      std::optional<int64_t> together =
          longestRow > 0 ? row(begin, borders[last]) : 0;
      std::optional<int64_t> sum =
          cycles && together
              ? checkedAdd(ended[last - length], std::max(*cycles, *together))
              : std::nullopt;
      if (!sum)
        return std::nullopt;
      bound = std::max(bound, *sum);
    }
    ended.push_back(bound);
  }
  return ended.back();
}

} // namespace mlir::llm::scheduling
