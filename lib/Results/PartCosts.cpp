//===- PartCosts.cpp - The cost of one part of an op ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/PartCosts.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

PartCosts::PartCosts(CostAttr cost) : cost(cost) {
  if (!cost)
    return;
  int64_t end = 0;
  for (PartCostAttr part : cost.getParts())
    ends.push_back(end += part.getCount());
}

size_t PartCosts::recordOf(int64_t part) const {
  return llvm::upper_bound(ArrayRef(ends).drop_back(), part) - ends.data();
}

MemoryBytes mlir::llm::bytesOf(PartCostAttr part, StringRef buffer) {
  MemoryBytes bytes;
  for (NamedAttribute memory : part.getTraffic())
    if (int64_t streamed = part.getBytes(memory.getName(), buffer))
      bytes[memory.getName()] = streamed;
  return bytes;
}

MemoryBytes mlir::llm::fetchedBytes(PartCostAttr part, SlotRunAttr run) {
  MemoryBytes bytes;
  for (PrefetchAttr fetch : run.getPrefetches())
    addBytes(bytes, bytesOf(part, fetch.getBuffer()));
  return bytes;
}

void mlir::llm::addBytes(MemoryBytes &sum, const MemoryBytes &bytes) {
  for (auto [memory, streamed] : bytes)
    sum[memory] = checkedAdd(sum[memory], streamed).value_or(sum[memory]);
}
