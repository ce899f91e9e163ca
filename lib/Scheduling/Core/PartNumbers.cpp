//===- PartNumbers.cpp - Which part a number means ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartNumbers.h"

#include <algorithm>

namespace mlir::llm::scheduling {

int64_t countParts(const std::vector<Part> &parts) {
  int64_t count = 0;
  for (const Part &part : parts)
    count += part.count;
  return count;
}

int64_t workingSetWith(const Part &part,
                       const std::vector<PrefetchSlot> &fetches) {
  int64_t bytes = part.workingSetBytes;
  for (const PrefetchSlot &fetch : fetches)
    if (fetch.source < part.sources.size())
      bytes =
          std::max<int64_t>(bytes - part.sources[fetch.source].stagingBytes, 0);
  return bytes;
}

PartNumbers::PartNumbers(const Problem &problem) : problem(problem) {
  first.reserve(problem.tasks.size() + 1);
  first.push_back(0);
  before.push_back(0);
  for (const Task &task : problem.tasks) {
    for (const Part &part : task.parts)
      before.push_back(before.back() + part.count);
    first.push_back(before.size() - 1);
  }
}

const Part &PartNumbers::part(unsigned task, int64_t part) const {
  const std::vector<Part> &parts = problem.tasks[task].parts;
  if (parts.size() == 1)
    return parts.front();
  auto begin = before.begin() + first[task],
       end = before.begin() + first[task + 1];
  // The part is in the last entry that has no more parts before it.
  auto entry = std::upper_bound(begin, end, before[first[task]] + part) - 1;
  return parts[entry - begin];
}

} // namespace mlir::llm::scheduling
