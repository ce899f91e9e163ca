//===- CollectiveRow.h - The time of a measured exchange --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_COLLECTIVEROW_H
#define LLM_MEASUREMENTS_COLLECTIVEROW_H

#include "llm/Diagnostics/Reasons.h"
#include "llm/Measurements/MeasuredTable.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// Says whether a row of this kind is of what devices exchange.
bool isExchangeRow(StringRef opKind);

/// Predicts the time of such a row in microseconds. It is an error, at the row,
/// if it lacks sizes, or if no link of the target joins so many devices.
FailureOr<double> exchangeTime(const MeasuredRow &row, const Target &target,
                               Reasons reasons);

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_COLLECTIVEROW_H
