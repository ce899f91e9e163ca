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

/// Says whether an op whose tile and cost are not by hand can only be cut in
/// its own way. That is so if its engine has units that share ops as tiles, is
/// the only one of its group, and nothing is fetched ahead: parts would only
/// follow each other then. (The tiles of units are those of the kernels that
/// exist.)
bool hasOneWay(const OpOnTarget &context);

/// What the op takes at least, whatever its tile and however it is cut: its
/// arithmetic once at the rates of its engine, and each element of each buffer
/// once. `sources` are the buffers that may be fetched ahead. `memories` are
/// those that engines share, in the order of `bytes`.
///
/// There is one entry for each range of how small the largest part is: the
/// whole op, half, a third, a quarter, a sixth, ... of it, up to what its
/// engines can share. The smaller parts are, the more of them read the same
/// elements, or write sums that are not complete. (If a mask decides what is
/// read, there is one entry for all.)
///
/// A `theoretical` tile leaves results out of its traffic, and so does this.
FailureOr<std::vector<scheduling::LeastWork>>
leastWork(const OpOnTarget &context, TileStrategy strategy,
          ArrayRef<const Memory *> memories);

} // namespace mlir::llm

#endif // LLM_PLANNING_LEASTWORK_H
