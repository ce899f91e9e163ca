//===- MeasuredSchedule.h - What ran, as a schedule -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_MEASUREDSCHEDULE_H
#define LLM_PLANNING_MEASUREDSCHEDULE_H

#include "llm/Program/Program.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// Writes a schedule in which each op of the program takes as long as it was
/// measured to take. `nanosecondsOf` has one run of each op, and the average
/// for ops in a loop. Ops follow each other in the order of the program, each
/// on the first engines of the group that its cost names. Its parts run on
/// `threads` of these engines, each for the same time. Slots hold as many lanes
/// as their bytes need on average. `maker` says who measured: the policy of the
/// schedule is "measured, " and this text.
///
/// Every op needs a fresh cost. Fails on overflow.
LogicalResult writeMeasuredSchedule(const Program &program,
                                    const Target &target,
                                    ArrayRef<double> nanosecondsOf,
                                    unsigned threads, StringRef maker);

} // namespace mlir::llm

#endif // LLM_PLANNING_MEASUREDSCHEDULE_H
