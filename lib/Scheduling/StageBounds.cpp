//===- StageBounds.cpp - Bounds between tasks that all others wait for ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundFinder.h"
#include "Stages.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

BoundFinder::Row BoundFinder::rowOf(size_t first, size_t last) const {
  Row row;
  row.reserve(last - first);
  for (size_t at = first; at < last; ++at)
    row.push_back(&limits[order[at]]);
  return row;
}

int64_t BoundFinder::longestWay(size_t first, size_t last) const {
  // What is ahead of all of it is one way.
  int64_t longest = 0, begin = maxCount;
  for (size_t at = first; at < last; ++at)
    begin = std::min(begin, ahead[order[at]]);
  for (size_t at = first; at < last; ++at)
    longest = std::max(longest,
                       ahead[order[at]] + limits[order[at]].spanCycles - begin);
  return longest;
}

std::optional<int64_t> BoundFinder::alone(const Row &row) const {
  int64_t bound = 0;
  for (const TaskLimits *task : row)
    bound = std::max(bound, task->spanCycles);
  for (const GroupSet &groups : groupSets) {
    int64_t sum = 0;
    for (const TaskLimits *task : row)
      if (isConfined(*task, groups)) {
        std::optional<int64_t> more = checkedAdd(sum, task->engineCycles);
        if (!more)
          return std::nullopt;
        sum = *more;
      }
    bound = std::max(bound, *ceilMulDiv(sum, 1, 1, enginesOf(groups)));
  }
  for (size_t m = 0; m < problem->resources.size(); ++m) {
    int64_t sum = 0;
    for (const TaskLimits *task : row) {
      std::optional<int64_t> more = checkedAdd(sum, task->streams[m].ownBytes);
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

std::optional<int64_t> BoundFinder::passing(const Row &row,
                                            bool isFirst) const {
  // Nothing is fetched before the first row.
  auto heldBefore = [&](const std::optional<HeldAhead> &most) {
    return isFirst ? HeldAhead() : most;
  };
  int64_t longest = 0;
  for (size_t m = 0; m < problem->resources.size(); ++m) {
    std::optional<HeldAhead> before = heldBefore(heldBytes[m]);
    if (!before)
      continue;
    int64_t bytes = 0;
    for (const TaskLimits *task : row)
      bytes = checkedAdd(bytes, task->streams[m].bytes).value_or(maxCount);
    std::optional<int64_t> cycles =
        cyclesOf(std::max<int64_t>(0, bytes - before->bytes), m);
    if (!cycles)
      return std::nullopt;
    longest = std::max(longest, *cycles);
  }
  for (size_t limit = 0; limit < fetchLimits.size(); ++limit) {
    std::optional<size_t> resource = fetchLimits[limit].resource();
    std::optional<HeldAhead> before =
        heldBefore(resource ? heldBytes[*resource] : heldRoom);
    if (!before)
      continue;
    for (const GroupSet &groups : groupSets) {
      std::optional<int64_t> cycles = fetched(limit, groups, row, *before);
      if (!cycles)
        return std::nullopt;
      longest = std::max(longest, *cycles);
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
  std::optional<std::vector<BestCut>> cuts = bestCuts(borders);
  if (!cuts)
    return std::nullopt;
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
          length == 1 ? std::max(longestWay(begin, borders[last]),
                                 (*cuts)[last - 1].cycles)
                      : passing(rowOf(begin, borders[last]), begin == 0);
      std::optional<int64_t> sum =
          cycles ? checkedAdd(ended[last - length], *cycles) : std::nullopt;
      if (!sum)
        return std::nullopt;
      bound = std::max(bound, *sum);
    }
    ended.push_back(bound);
  }
  return ended.back();
}

} // namespace mlir::llm::scheduling
