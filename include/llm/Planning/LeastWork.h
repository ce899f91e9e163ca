//===- LeastWork.h - What no way to cut an op is below ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_LEASTWORK_H
#define LLM_PLANNING_LEASTWORK_H

#include "llm/Cost/CostModel.h"
#include "llm/Scheduling/Problem.h"

namespace mlir::llm {

/// Returns the least work of the op, whatever its tile and however it is cut:
/// its arithmetic once at the rates of its engine, and each element of each
/// buffer once. `sources` are the buffers that may be fetched ahead. `memories`
/// are those that engines share, in the order of `bytes`.
///
/// The entries differ in the size of the largest part: the whole op, half of
/// it, a third, a quarter, a sixth and so on, down to what its engines can
/// share. The smaller the parts, the more of them read the same elements, or
/// write sums that are not complete. (If a mask decides what is read, there is
/// only one entry.)
///
/// With strategy `theoretical`, results are left out, because such tiles do not
/// count them in their traffic.
FailureOr<std::vector<scheduling::LeastWork>>
leastWork(const OpOnTarget &context, TileStrategy strategy,
          ArrayRef<const Memory *> memories);

} // namespace mlir::llm

#endif // LLM_PLANNING_LEASTWORK_H
