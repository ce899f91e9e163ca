//===- Lanes.h - Lengths and lanes of any stream ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_LANES_H
#define LLM_LIB_SCHEDULING_CORE_LANES_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// All lanes of every resource.
std::vector<int64_t> allLanes(const Problem &problem);

/// Whether `wanted` is within `available`, resource by resource.
bool fits(const int64_t *wanted, const std::vector<int64_t> &available);

/// The fewest lanes of a resource with which `bytes` pass within `cycles` > 0.
std::optional<int64_t> fewestLanes(const Problem &problem, size_t resource,
                                   int64_t bytes, int64_t cycles);

/// What the port of an engine of the group passes, in bytes per cycle.
double portBytesPerCycle(const Problem &problem, const EngineGroup &engine,
                         size_t resource);

/// The public chooseLanes() for a part that streams only these of its bytes,
/// because others were fetched. Puts the lanes of each resource at `lanes`, and
/// returns the length.
std::optional<int64_t> chooseLanes(const Problem &problem, const Part &part,
                                   const std::vector<int64_t> &bytes,
                                   const EngineGroup &engine,
                                   const std::vector<int64_t> &available,
                                   int64_t *lanes);

/// The length that chooseLanes() reaches, for callers that ask before they
/// choose.
std::optional<int64_t> shortestLength(const Problem &problem,
                                      const std::vector<int64_t> &bytes,
                                      int64_t fixedCycles,
                                      int64_t computeCycles,
                                      const EngineGroup &engine,
                                      const std::vector<int64_t> &available);

/// Like the public chooseLanes(), for a fetch, which is no part.
std::optional<LaneChoice>
chooseLanes(const Problem &problem, const std::vector<int64_t> &bytes,
            int64_t fixedCycles, int64_t computeCycles,
            const EngineGroup &engine, const std::vector<int64_t> &available);

/// The shortest length of a part that streams only these of its bytes.
std::optional<int64_t> shortestLength(const Problem &problem, const Part &part,
                                      const std::vector<int64_t> &bytes,
                                      const EngineGroup &engine,
                                      const std::vector<int64_t> &available);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_LANES_H
