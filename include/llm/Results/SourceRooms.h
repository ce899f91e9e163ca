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
  /// What may be fetched ahead for the parts of each record of the cost. Equal
  /// parts have equal slices, so that the slice of the first stands for all. It
  /// is empty if the cost is not for the parts of the tile (a stale cost).
  std::vector<SmallVector<SourceRoom, 4>> ofRecords;
  bool lastPartCombines = false; ///< joins the results of the others
  scheduling::Chains chains;     ///< of the parts

  /// Fails if the tile does not fit the op.
  static FailureOr<SourceRooms> find(WorkloadOpInterface op,
                                     const Target &target, CostAttr cost,
                                     Reasons reasons = {});
};

} // namespace mlir::llm

#endif // LLM_RESULTS_SOURCEROOMS_H
