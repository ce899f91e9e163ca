//===- Stages.cpp - What all before and all behind wait for ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include <algorithm>

namespace mlir::llm::scheduling {

/// For each position in the order: whether everything before leads to the task
/// there, and everything behind comes from it. That is so if no task before has
/// all its successors behind it (following successors then ends at the task),
/// and the same in the other direction.
static std::vector<bool> findSeparators(const Problem &problem,
                                        const std::vector<unsigned> &order) {
  size_t count = order.size();
  std::vector<size_t> position(problem.tasks.size());
  for (size_t at = 0; at < count; ++at)
    position[order[at]] = at;
  std::vector<size_t> firstSuccessor(count, count), lastPredecessor(count, 0);
  std::vector<bool> hasPredecessor(count, false);
  for (size_t at = 0; at < count; ++at)
    for (unsigned predecessor : problem.tasks[order[at]].predecessors) {
      size_t from = position[predecessor];
      firstSuccessor[from] = std::min(firstSuccessor[from], at);
      lastPredecessor[at] = std::max(lastPredecessor[at], from);
      hasPredecessor[at] = true;
    }
  std::vector<bool> separates(count, true);
  size_t latest = 0; // the last of the first successors of tasks before
  for (size_t at = 0; at < count; ++at) {
    separates[at] = latest <= at;
    latest = std::max(latest, firstSuccessor[at]);
  }
  // The first of the last predecessors of tasks behind; -1 if one has none.
  int64_t earliest = int64_t(count);
  for (size_t at = count; at-- > 0;) {
    separates[at] = separates[at] && earliest >= int64_t(at);
    earliest = std::min(earliest,
                        hasPredecessor[at] ? int64_t(lastPredecessor[at]) : -1);
  }
  return separates;
}

std::vector<size_t> findBorders(const Problem &problem,
                                const std::vector<unsigned> &order) {
  std::vector<bool> separates = findSeparators(problem, order);
  std::vector<size_t> borders = {0};
  for (size_t at = 0; at < order.size(); ++at) {
    if (separates[at] && borders.back() != at)
      borders.push_back(at);
    if (separates[at] || at + 1 == order.size())
      borders.push_back(at + 1);
  }
  return borders;
}

} // namespace mlir::llm::scheduling
