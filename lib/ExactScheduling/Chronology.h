//===- Chronology.h - Branching that fills time from the left ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXACTSCHEDULING_CHRONOLOGY_H
#define LLM_LIB_EXACTSCHEDULING_CHRONOLOGY_H

namespace mlir::llm::scheduling::exact {

class Model;

/// Decides activities in the order of their starts: each starts at time 0 or
/// when something ends, and not where it could start earlier.
///
/// Why that loses no makespan: of a valid schedule, take for every two holders
/// of something shared (an engine, lanes, private memory from the start of a
/// fetch to the end of its part) that do not overlap which one is first. The
/// earliest starts that keep these orders, the dependences (of parts, and of
/// fetches on what writes or selects their sources) and all ways are sums of
/// lengths. They are valid, too: holders that overlap there in pairs did so
/// before, and intervals that overlap in pairs have a time in common, at which
/// they fitted. So a shortest schedule, and of these one with the least sum of
/// starts, has no activity that could start earlier, and each starts at 0 or
/// where another one ends.
void branchInTime(Model &model);

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_CHRONOLOGY_H
