//===- SchedulingText.h - Problems and solutions as JSON --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scheduling problems in a form that people can write, for solvers and their
// tests:
//
//   {"clock_hz": 1e9,
//    "resources": {"dram": {"bytes_per_second": 1e9, "lanes": 1024}},
//    "engines": {"npu": {"kinds": ["matrix"], "count": 2}},
//    "tasks": {"a": {"kinds": ["matrix"], "parts": [{"compute_cycles": 10}]},
//              "b": {"kinds": ["matrix"], "after": ["a"],
//                    "parts": [{"compute_cycles": 5, "count": 2}]}}}
//
// docs/scheduling-problems.md lists all members. A number that is left out is
// 0, but a count is 1 and lanes are 1024. A port that is left out passes the
// full rate of its resource.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULINGTEXT_SCHEDULINGTEXT_H
#define LLM_SCHEDULINGTEXT_SCHEDULINGTEXT_H

#include "llm/Files/LocatedJson.h"
#include "llm/Scheduling/Bounds.h"

namespace mlir::llm {

/// Reads a problem. An error is located at the wrong value. If the problem is
/// not sound (`Problem::check`), there is an error at its beginning for each
/// reason.
FailureOr<scheduling::Problem> readProblem(const LocatedJson &json);

/// Reads a solution of that problem. It need not be valid; `verify` checks
/// that.
FailureOr<scheduling::Solution>
readSolution(const LocatedJson &json, const scheduling::Problem &problem);

/// Writes a problem in the form that `readProblem` reads.
void writeProblem(raw_ostream &os, const scheduling::Problem &problem);

/// Writes a solution in the form that `readSolution` reads, and the bounds.
/// Each slot has a line, with its task and part.
void writeSolution(raw_ostream &os, const scheduling::Problem &problem,
                   const scheduling::Solution &solution,
                   const std::vector<scheduling::Bound> &bounds);

} // namespace mlir::llm

#endif // LLM_SCHEDULINGTEXT_SCHEDULINGTEXT_H
