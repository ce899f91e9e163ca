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

/// Microseconds. Errors, at the row: no number of devices or bytes, a target
/// without a link that joins so many.
FailureOr<double> collectiveTime(const MeasuredRow &row, CollectiveKind kind,
                                 const Target &target, Reasons reasons);

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_COLLECTIVEROW_H
