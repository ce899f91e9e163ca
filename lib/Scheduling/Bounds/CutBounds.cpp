//===- CutBounds.cpp - Bounds at the best way to cut each task ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least of each number over all ways to cut a task is less than any one way
// has, because few large parts stream little and many small ones can be fetched
// ahead.
//
//===----------------------------------------------------------------------===//

#include "BoundFinder.h"
#include "Core/Stages.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace mlir::llm::scheduling {

bool BoundFinder::PartlyCut::operator<(const PartlyCut &other) const {
  return std::tie(cycles, other.decided, number) >
         std::tie(other.cycles, decided, other.number);
}

/// Tasks that take longest come first, because their cuts decide.
std::vector<size_t> BoundFinder::findCuttable(size_t first, size_t last) const {
  std::vector<size_t> found;
  for (size_t at = first; at < last && !choices.empty(); ++at)
    if (!choices[order[at]].empty())
      found.push_back(at);
  std::stable_sort(found.begin(), found.end(), [&](size_t a, size_t b) {
    return limits[order[a]].streamedCycles > limits[order[b]].streamedCycles;
  });
  return found;
}

std::optional<int64_t>
BoundFinder::stage(size_t first, const Row &row,
                   const std::vector<Carried> &carried) const {
  std::optional<int64_t> own = alone(first, row);
  std::optional<int64_t> together = passing(row, first == 0);
  if (!own || !together)
    return std::nullopt;
  int64_t bound = std::max(*own, *together);
  for (size_t m = 0; m < carried.size(); ++m) {
    int64_t bytes = std::min(carried[m].bytes + bytesOf(row, m), maxCount);
    if (std::optional<int64_t> cycles =
            cyclesOf(std::max<int64_t>(0, bytes), m))
      bound = std::max(bound, *cycles - carried[m].cycles);
  }
  return bound;
}

/// Does branch and bound, with the best first. After so many looks, tasks that
/// are left may be cut in any way, and one way is found by only going down.
std::optional<int64_t>
BoundFinder::leastOfCuts(size_t first, size_t last, int64_t bound,
                         const std::vector<Carried> &carried,
                         size_t &looksLeft) const {
  int64_t found = bound;
  // A look takes as long as the stage is.
  constexpr size_t mostLooksHere = 500, mostTasks = 64;
  if (looksLeft == 0 || last - first > mostTasks)
    return found;
  size_t most = std::min(mostLooksHere, looksLeft), looks = 0;
  const std::vector<size_t> cuttable = findCuttable(first, last);
  std::priority_queue<PartlyCut> open;
  open.push({bound, 0, 0, rowOf(first, last)});
  while (true) {
    PartlyCut best = open.top();
    open.pop();
    if (looks <= most)
      found = best.cycles;
    else
      open = {};
    if (best.decided == cuttable.size()) {
      looksLeft -= std::min(looks, looksLeft);
      return found;
    }
    size_t at = cuttable[best.decided++];
    for (const TaskLimits &choice : choices[order[at]]) {
      best.row[at - first] = &choice;
      std::optional<int64_t> cycles = stage(first, best.row, carried);
      if (!cycles)
        return std::nullopt;
      open.push(
          {std::max(*cycles, best.cycles), ++looks, best.decided, best.row});
    }
  }
}

bool BoundFinder::areEqual(size_t first, size_t other, size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    unsigned a = order[first + i], b = order[other + i];
    if (!(limits[a] == limits[b]) ||
        (!choices.empty() && !(choices[a] == choices[b])))
      return false;
  }
  return true;
}

std::optional<std::vector<int64_t>>
BoundFinder::leastOfStages(const std::vector<size_t> &borders) const {
  std::vector<int64_t> cuts;
  size_t looksLeft = mostLooks;
  // Layers repeat. Each entry has the number of tasks, the bound and the number
  // of a stage before the last one.
  std::multimap<std::pair<size_t, int64_t>, size_t> known;
  for (size_t number = 0; number + 1 < borders.size(); ++number) {
    size_t first = borders[number], count = borders[number + 1] - first;
    std::optional<int64_t> bound =
        stage(first, rowOf(first, first + count), {});
    if (!bound)
      return std::nullopt;
    auto [from, to] = known.equal_range({count, *bound});
    auto same = std::find_if(from, to, [&](const auto &other) {
      return areEqual(first, borders[other.second], count);
    });
    std::optional<int64_t> cut =
        same != to ? cuts[same->second]
                   : leastOfCuts(first, first + count, *bound, {}, looksLeft);
    if (!cut)
      return std::nullopt;
    // The first stage has nothing fetched before it, so it is not like the
    // others.
    if (same == to && first > 0)
      known.insert({{count, *bound}, number});
    cuts.push_back(*cut);
  }
  return cuts;
}

} // namespace mlir::llm::scheduling
