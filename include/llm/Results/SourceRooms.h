//===- SourceRooms.h - Room for what parts fetch ahead ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_SOURCEROOMS_H
#define LLM_RESULTS_SOURCEROOMS_H

#include "llm/Planning/ScheduleProblem.h"

namespace mlir::llm {

struct SourceRooms {
  /// For each record of the cost: the rooms of what may be fetched ahead for
  /// its parts. Equal parts have equal slices, so that those of the first part
  /// stand for all. It is empty if the cost does not belong to the parts of the
  /// tile (a stale cost).
  std::vector<SmallVector<SourceRoom, 4>> ofRecords;
  bool lastPartCombines = false; ///< the last part joins the other results
  scheduling::Chains chains;     ///< the order of the parts

  /// Fails if the tile does not fit the op.
  static FailureOr<SourceRooms> find(WorkloadOpInterface op,
                                     const Target &target, CostAttr cost,
                                     Reasons reasons = {});
};

} // namespace mlir::llm

#endif // LLM_RESULTS_SOURCEROOMS_H
