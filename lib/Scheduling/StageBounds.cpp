//===- StageBounds.cpp - Bounds between tasks that all others wait for ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundFinder.h"
#include "Graph.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

/// By position in the order: everything before leads to the task there, and
/// everything behind comes from it. That is so when no task before has all its
/// successors behind it (whoever follows successors ends there), and the same
/// in the other direction.
std::vector<bool> BoundFinder::findSeparators() const {
  size_t count = order.size();
  std::vector<size_t> position(count);
  for (size_t at = 0; at < count; ++at)
    position[order[at]] = at;
  std::vector<size_t> firstSuccessor(count, count), lastPredecessor(count, 0);
  std::vector<bool> hasPredecessor(count, false);
  for (size_t at = 0; at < count; ++at)
    for (unsigned predecessor : problem->tasks[order[at]].predecessors) {
      size_t from = position[predecessor];
      firstSuccessor[from] = std::min(firstSuccessor[from], at);
      lastPredecessor[at] = std::max(lastPredecessor[at], from);
      hasPredecessor[at] = true;
    }
  std::vector<bool> separates(count, true);
  size_t latest = 0; // first successor of any task before
  for (size_t at = 0; at < count; ++at) {
    separates[at] = latest <= at;
    latest = std::max(latest, firstSuccessor[at]);
  }
  // The last predecessor of any task behind; -1: one has none.
  int64_t earliest = int64_t(count);
  for (size_t at = count; at-- > 0;) {
    separates[at] = separates[at] && earliest >= int64_t(at);
    earliest = std::min(earliest,
                        hasPredecessor[at] ? int64_t(lastPredecessor[at]) : -1);
  }
  return separates;
}

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
          checkedAdd(sum, limits[order[at]].ownBytes[m]);
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

std::optional<int64_t> BoundFinder::behindBorder(size_t position,
                                                 int64_t before,
                                                 size_t resource, int64_t bytes,
                                                 int64_t held) const {
  std::optional<int64_t> longest =
      cyclesOf(std::max<int64_t>(0, bytes - held), resource);
  if (!longest)
    return std::nullopt;
  if (hasMemoryEngine(*problem))
    for (const GroupSet &groups : groupSets) {
      std::optional<int64_t> cycles = streams(groups, resource, position, held);
      if (!cycles)
        return std::nullopt;
      longest = std::max(*longest, *cycles);
    }
  return checkedAdd(before, *longest);
}

std::optional<int64_t> BoundFinder::stages() const {
  std::vector<bool> separates = findSeparators();
  // Where stages end: behind each separator, and ahead of it.
  std::vector<size_t> ends;
  for (size_t at = 0; at < order.size(); ++at) {
    if (separates[at] && at > 0 && (ends.empty() || ends.back() != at))
      ends.push_back(at);
    if (separates[at] || at + 1 == order.size())
      ends.push_back(at + 1);
  }
  std::vector<int64_t> lengths, before = {0};
  size_t first = 0;
  for (size_t end : ends) {
    std::optional<int64_t> length = stage(first, end);
    std::optional<int64_t> sum =
        length ? checkedAdd(before.back(), *length) : std::nullopt;
    if (!sum)
      return std::nullopt;
    lengths.push_back(*length);
    before.push_back(*sum);
    first = end;
  }
  int64_t bound = before.back();
  // Large problems look at fewer borders: each look takes as long as there are
  // tasks.
  constexpr size_t effort = 4'000'000;
  size_t step = 1 + ends.size() * order.size() / effort;
  for (size_t m = 0; m < problem->resources.size(); ++m) {
    std::optional<int64_t> held = fetchableBytes(m);
    if (!held)
      continue;
    int64_t bytes = 0;
    size_t at = order.size();
    for (size_t stage = ends.size(); stage-- > 0;) {
      size_t begin = stage == 0 ? 0 : ends[stage - 1];
      for (; at > begin; --at)
        bytes = checkedAdd(bytes, limits[order[at - 1]].bytes[m])
                    .value_or(maxCount);
      if (stage % step != 0)
        continue;
      std::optional<int64_t> all =
          behindBorder(begin, before[stage], m, bytes, *held);
      if (!all)
        return std::nullopt;
      bound = std::max(bound, *all);
    }
  }
  return bound;
}

} // namespace mlir::llm::scheduling
