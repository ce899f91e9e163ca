//===- ComposedCounts.cpp - Counts of ops that run as one -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/Composition.h"

using namespace mlir;
using namespace mlir::llm;

/// Returns the iterations of the op's own loops in a box of the whole. Those of
/// a loop in pieces may be no interval. Then an interval of as many stands for
/// them, which counts the same, because only the outermost piece of a masked
/// loop is ever cut.
static SmallVector<Interval, 6> boxOf(const Workload &whole,
                                      const ComposedPart &part, Box box) {
  SmallVector<Interval, 6> own;
  for (auto [loop, digits] :
       llvm::zip_equal(part.workload.loops, part.digits)) {
    int64_t begin = 0, size = 1;
    for (unsigned digit : digits) {
      begin = begin * whole.composition->extents[digit] + box[digit].begin;
      size *= box[digit].size();
    }
    begin = std::min(begin, loop.extent - size);
    own.push_back({begin, begin + size});
  }
  return own;
}

Workload mlir::llm::workloadInside(const Workload &whole,
                                   const ComposedPart &part) {
  return part.workload.within(boxOf(whole, part, whole.fullBox()));
}

Count mlir::llm::countComposedPoints(const Workload &workload, unsigned stage,
                                     Box box) {
  auto [index, ofPart] = workload.composition->stages[stage];
  const ComposedPart &part = workload.composition->parts[index];
  WorkloadOpInterface op = part.op;
  return op.countPoints(part.workload, ofPart, boxOf(workload, part, box));
}

Count mlir::llm::countComposedElements(const Workload &workload,
                                       unsigned buffer, Box box) {
  auto [index, ofPart] = workload.composition->buffers[buffer];
  const ComposedPart &part = workload.composition->parts[index];
  WorkloadOpInterface op = part.op;
  return op.countElements(part.workload, ofPart, boxOf(workload, part, box));
}
