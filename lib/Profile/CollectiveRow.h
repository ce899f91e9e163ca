//===- CollectiveRow.h - The time of a measured collective ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_COLLECTIVEROW_H
#define LLM_LIB_PROFILE_COLLECTIVEROW_H

#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llm/Diagnostics/Reasons.h"
#include "llm/Profile/MeasuredTable.h"

namespace mlir::llm {

/// Predicts the time of a collective in microseconds. It is an error, at the
/// row, if there is no number of devices or bytes, or if no link of the target
/// joins so many.
FailureOr<double> collectiveTime(const MeasuredRow &row, CollectiveKind kind,
                                 const Target &target, Reasons reasons);

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_COLLECTIVEROW_H
