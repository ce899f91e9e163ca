//===- SliceRows.cpp - Rows that take the same slice of a buffer ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/SliceRows.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

std::vector<int64_t> mlir::llm::findSliceRows(const OpOnTarget &context,
                                              unsigned buffer, unsigned loop,
                                              int64_t tileSize) {
  const Workload &workload = context.workload;
  WorkloadOpInterface op = context.op;
  SmallVector<Interval, 6> box = workload.fullBox();
  Count ofSlice = countElementsOfProduct(workload, buffer, box);
  auto isOneSlice = [&](int64_t begin, int64_t end) {
    box[loop] = {begin, end};
    Count elements = op.countElements(workload, buffer, box);
    return succeeded(elements) && *elements <= *ofSlice;
  };
  std::vector<int64_t> rows;
  Interval all = box[loop];
  for (int64_t begin = all.begin; begin < all.end;) {
    int64_t tile = (begin - all.begin) / tileSize;
    int64_t most = std::min(all.end, all.begin + (tile + 1) * tileSize);
    int64_t end = begin + 1, tooFar = most + 1;
    while (succeeded(ofSlice) && tooFar - end > 1) {
      int64_t middle = end + (tooFar - end) / 2;
      (isOneSlice(begin, middle) ? end : tooFar) = middle;
    }
    rows.push_back(end - begin);
    begin = end;
  }
  return rows;
}
