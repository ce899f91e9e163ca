//===- StageBounds.cpp - Bounds between tasks that all others wait for ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundFinder.h"
#include "Core/Stages.h"
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

int64_t BoundFinder::bytesOf(const Row &row, size_t resource) {
  int64_t bytes = 0;
  for (const TaskLimits *task : row)
    bytes = std::min(bytes + task->streams[resource].bytes, maxCount);
  return bytes;
}

BoundFinder::Ways BoundFinder::waysOf(size_t first, const Row &row) const {
  Ways ways{std::vector<int64_t>(row.size(), 0),
            std::vector<int64_t>(row.size(), 0), 0};
  auto forEachEdge = [&](size_t i, auto visit) {
    for (unsigned task : problem->tasks[order[first + i]].predecessors)
      if (position[task] >= first)
        visit(position[task] - first);
  };
  // No schedule has a way that does not fit into 64 bits.
  auto with = [](int64_t way, const TaskLimits *task) {
    return std::min(way + task->spanCycles, maxCount);
  };
  for (size_t i = 0; i < row.size(); ++i) {
    forEachEdge(i, [&](size_t before) {
      ways.heads[i] =
          std::max(ways.heads[i], with(ways.heads[before], row[before]));
    });
    ways.longest = std::max(ways.longest, with(ways.heads[i], row[i]));
  }
  for (size_t i = row.size(); i-- > 0;)
    forEachEdge(i, [&](size_t before) {
      ways.tails[before] =
          std::max(ways.tails[before], with(ways.tails[i], row[i]));
    });
  return ways;
}

namespace {
/// What one task takes of something that tasks share, with the longest ways to
/// and from the task.
struct Share {
  int64_t head, tail, amount;
};
} // namespace

/// Returns a bound by amounts that share something. Those of tasks that start
/// late pass after the least of their heads and before the least of their
/// tails, and so do those of tasks that end early. With very many tasks, only
/// the sum of all amounts is looked at. Returns nothing on overflow.
template <typename CyclesOf>
static std::optional<int64_t> sharedCycles(std::vector<Share> &shares,
                                           const CyclesOf &cyclesOf) {
  bool isClose = shares.size() <= mostTasksLookedAtClosely;
  int64_t bound = 0;
  for (int64_t Share::*way : {&Share::head, &Share::tail}) {
    if (isClose)
      std::sort(
          shares.begin(), shares.end(),
          [&](const Share &a, const Share &b) { return a.*way > b.*way; });
    Share all{maxCount, maxCount, 0};
    for (const Share &share : shares) {
      std::optional<int64_t> sum = checkedAdd(all.amount, share.amount);
      if (!sum)
        return std::nullopt;
      all = {std::min(all.head, share.head), std::min(all.tail, share.tail),
             *sum};
      if (!isClose && &share != &shares.back())
        continue;
      std::optional<int64_t> cycles = cyclesOf(all.amount);
      if (!cycles)
        return std::nullopt;
      bound = std::max(bound, all.head + *cycles + all.tail);
    }
  }
  return std::min(bound, maxCount);
}

std::optional<int64_t> BoundFinder::alone(size_t first, const Row &row) const {
  Ways ways = waysOf(first, row);
  int64_t bound = ways.longest;
  std::vector<Share> shares;
  shares.reserve(row.size());
  auto add = [&](size_t i, int64_t amount) {
    if (amount > 0)
      shares.push_back({ways.heads[i], ways.tails[i], amount});
  };
  for (const Groups &groups : groupsOfAll) {
    shares.clear();
    for (size_t i = 0; i < row.size(); ++i)
      if (groups.areTakenBy(*row[i]))
        add(i, row[i]->engineCycles);
    std::optional<int64_t> cycles = sharedCycles(shares, [&](int64_t sum) {
      return ceilMulDiv(sum, 1, 1, groups.engines);
    });
    if (!cycles)
      return std::nullopt;
    bound = std::max(bound, *cycles);
  }
  for (size_t m = 0; m < problem->resources.size(); ++m) {
    shares.clear();
    for (size_t i = 0; i < row.size(); ++i)
      add(i, row[i]->streams[m].ownBytes);
    std::optional<int64_t> cycles =
        sharedCycles(shares, [&](int64_t sum) { return cyclesOf(sum, m); });
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
    std::optional<int64_t> cycles =
        cyclesOf(std::max<int64_t>(0, bytesOf(row, m) - before->bytes), m);
    if (!cycles)
      return std::nullopt;
    longest = std::max(longest, *cycles);
  }
  std::vector<FetchCurve::Piece> pieces;
  for (const Groups &groups : groupsOfAll) {
    const Row confined = confinedTo(groups, row);
    for (size_t limit = 0; limit < fetchLimits.size(); ++limit) {
      std::optional<size_t> resource = fetchLimits[limit].resource();
      std::optional<HeldAhead> before =
          heldBefore(resource ? heldBytes[*resource] : heldRoom);
      if (!before)
        continue;
      std::optional<int64_t> cycles =
          fetched(limit, confined, groups.engines, *before, pieces);
      if (!cycles)
        return std::nullopt;
      longest = std::max(longest, *cycles);
    }
  }
  return longest;
}

void BoundFinder::beginRows(std::vector<Carried> &carried) const {
  constexpr int64_t many = int64_t(1) << 40;
  for (size_t m = 0; m < carried.size(); ++m) {
    double cyclesPerByte = double(cyclesOf(many, m).value_or(0)) / double(many);
    Carried &longest = carried[m];
    double behind =
        double(longest.bytes) * cyclesPerByte - double(longest.cycles);
    if (heldBytes[m] && -double(heldBytes[m]->bytes) * cyclesPerByte > behind)
      longest = {-heldBytes[m]->bytes, 0};
  }
}

void BoundFinder::pass(const Row &row, int64_t cycles,
                       std::vector<Carried> &carried) const {
  for (size_t m = 0; m < carried.size(); ++m) {
    carried[m].cycles += cycles;
    carried[m].bytes = std::min(carried[m].bytes + bytesOf(row, m), maxCount);
  }
}

std::optional<int64_t>
BoundFinder::endOfRows(const std::vector<size_t> &borders,
                       const std::vector<int64_t> &ended,
                       size_t longestRow) const {
  size_t last = ended.size();
  int64_t end = 0;
  for (size_t length = 2; length <= std::min(longestRow, last); ++length) {
    size_t begin = borders[last - length];
    std::optional<int64_t> cycles =
        passing(rowOf(begin, borders[last]), begin == 0);
    std::optional<int64_t> sum =
        cycles ? checkedAdd(ended[last - length], *cycles) : std::nullopt;
    if (!sum)
      return std::nullopt;
    end = std::max(end, *sum);
  }
  return end;
}

std::optional<int64_t> BoundFinder::stages() const {
  const std::vector<size_t> borders = findBorders(*problem, order);
  size_t count = borders.size() - 1;
  // A single stage that is not looked at closely is longer than its longest way
  // only by what the bounds of all work and all bytes say anyway.
  if (count <= 1 && order.size() > mostTasksLookedAtClosely)
    return criticalPath();
  // For large problems only short rows are looked at, because a look takes as
  // long as the row.
  constexpr size_t mostRows = 20'000, effort = 4'000'000;
  size_t longestRow = count == 0 ? 0 : std::min(count, mostRows / count);
  while (longestRow > 1 && longestRow * longestRow * order.size() > 2 * effort)
    longestRow /= 2;
  std::optional<std::vector<int64_t>> cuts = leastOfStages(borders);
  if (!cuts)
    return std::nullopt;
  std::vector<Carried> carried(problem->resources.size());
  size_t looksLeft = mostLooks;
  // Entry i has the least cycles at which i stages have ended.
  std::vector<int64_t> ended = {0};
  for (size_t last = 1; last <= count; ++last) {
    std::optional<int64_t> end = endOfRows(borders, ended, longestRow);
    std::optional<int64_t> own = checkedAdd(ended.back(), (*cuts)[last - 1]);
    if (!end || !own)
      return std::nullopt;
    int64_t bound = std::max(*end, *own);
    // How the stage is cut matters to what it streams behind other stages.
    if (last > 1 && looksLeft > 0 && !choices.empty()) {
      beginRows(carried);
      std::optional<int64_t> cut =
          leastOfCuts(borders[last - 1], borders[last], bound - ended.back(),
                      carried, looksLeft);
      if (!cut)
        return std::nullopt;
      bound = std::max(bound, ended.back() + *cut);
    }
    pass(rowOf(borders[last - 1], borders[last]), bound - ended.back(),
         carried);
    ended.push_back(bound);
  }
  return ended.back();
}

bool BoundFinder::dropLooseEnds() {
  if (order.empty())
    return false;
  std::vector<bool> isKept(limits.size(), false);
  isKept[*std::max_element(order.begin(), order.end(),
                           [&](unsigned a, unsigned b) {
                             return ahead[a] + limits[a].spanCycles <
                                    ahead[b] + limits[b].spanCycles;
                           })] = true;
  for (size_t at = order.size(); at-- > 0;)
    if (isKept[order[at]])
      for (unsigned predecessor : problem->tasks[order[at]].predecessors)
        isKept[predecessor] = true;
  auto end = std::remove_if(order.begin(), order.end(),
                            [&](unsigned task) { return !isKept[task]; });
  if (end == order.end())
    return false;
  order.erase(end, order.end());
  for (size_t at = 0; at < order.size(); ++at)
    position[order[at]] = at;
  return true;
}

} // namespace mlir::llm::scheduling
