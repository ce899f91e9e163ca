//===- RecordSolution.h - A schedule as a recording -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULINGTEXT_RECORDSOLUTION_H
#define LLM_SCHEDULINGTEXT_RECORDSOLUTION_H

#include "llm/Scheduling/Problem.h"
#include "llm/Trace/Recording.h"

namespace mlir::llm {

/// Records a track for each engine, with its slots and fetches, and with the
/// slots of other engines that also hold it. There are also counters of the
/// lanes of each resource that are held, and arrows from tasks to those that
/// wait for them, and from fetches to their parts. The slots may break any
/// rule, but their tasks, groups and sources must exist (`readSolution`).
/// Returns nothing if a time is above 2^61 nanoseconds, or a sum of lanes does
/// not fit into 64 bits.
std::optional<Recording> recordSolution(const scheduling::Problem &problem,
                                        const scheduling::Solution &solution);

} // namespace mlir::llm

#endif // LLM_SCHEDULINGTEXT_RECORDSOLUTION_H
