//===- Lanes.cpp - Lengths of slots and the lanes they hold ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

std::vector<int64_t> allLanes(const Problem &problem) {
  std::vector<int64_t> lanes;
  lanes.reserve(problem.resources.size());
  for (const Resource &resource : problem.resources)
    lanes.push_back(resource.lanes);
  return lanes;
}

bool fits(const int64_t *wanted, const std::vector<int64_t> &available) {
  for (size_t m = 0; m < available.size(); ++m)
    if (wanted[m] > available[m])
      return false;
  return true;
}

std::optional<int64_t> fewestLanes(const Problem &problem, size_t resource,
                                   int64_t bytes, int64_t cycles) {
  // The lanes and the cycles of a stream trade places in one formula.
  const Resource &from = problem.resources[resource];
  return streamCycles(bytes, from.lanes, problem.clockHz, cycles,
                      from.bytesPerSecond);
}

/// Returns the cycles in which the bytes pass some lanes of a resource. All
/// lanes of a port carry what the port passes, which may be less.
static std::optional<int64_t> cyclesThrough(const Problem &problem,
                                            size_t resource, int64_t bytes,
                                            int64_t lanes,
                                            const EngineGroup *engine) {
  if (engine && !engine->portBytesPerSecond.empty() &&
      lanes >= engine->portLanes[resource])
    return ceilMulDiv(bytes, problem.clockHz, 1,
                      engine->portBytesPerSecond[resource]);
  const Resource &from = problem.resources[resource];
  return streamCycles(bytes, from.lanes, problem.clockHz, lanes,
                      from.bytesPerSecond);
}

double portBytesPerCycle(const Problem &problem, const EngineGroup &engine,
                         size_t resource) {
  double clock = double(problem.clockHz);
  if (!engine.portBytesPerSecond.empty())
    return double(engine.portBytesPerSecond[resource]) / clock;
  const Resource &from = problem.resources[resource];
  return double(from.bytesPerSecond) / clock *
         double(engine.portLanes[resource]) / double(from.lanes);
}

/// `lanesOf` gives the lanes of each resource.
template <typename LanesOf>
static std::optional<int64_t>
lengthWith(const Problem &problem, const std::vector<int64_t> &bytes,
           int64_t fixedCycles, int64_t computeCycles,
           const EngineGroup *engine, LanesOf lanesOf) {
  if (bytes.size() != problem.resources.size())
    return std::nullopt;
  int64_t overlapped = computeCycles;
  for (size_t m = 0; m < bytes.size(); ++m) {
    if (bytes[m] == 0)
      continue;
    std::optional<int64_t> cycles =
        cyclesThrough(problem, m, bytes[m], lanesOf(m), engine);
    if (!cycles)
      return std::nullopt;
    overlapped = std::max(overlapped, *cycles);
  }
  return checkedAdd(fixedCycles, overlapped);
}

std::optional<int64_t>
lengthWithLanes(const Problem &problem, const std::vector<int64_t> &bytes,
                int64_t fixedCycles, int64_t computeCycles,
                const std::vector<int64_t> &lanes, const EngineGroup *engine) {
  if (lanes.size() != bytes.size())
    return std::nullopt;
  return lengthWith(problem, bytes, fixedCycles, computeCycles, engine,
                    [&](size_t m) { return lanes[m]; });
}

std::optional<int64_t> shortestLength(const Problem &problem,
                                      const std::vector<int64_t> &bytes,
                                      int64_t fixedCycles,
                                      int64_t computeCycles,
                                      const EngineGroup &engine,
                                      const std::vector<int64_t> &available) {
  if (engine.portLanes.size() != available.size() ||
      available.size() != bytes.size())
    return std::nullopt;
  return lengthWith(
      problem, bytes, fixedCycles, computeCycles, &engine,
      [&](size_t m) { return std::min(available[m], engine.portLanes[m]); });
}

/// Puts the lanes of each resource at `lanes`, and returns the length.
static std::optional<int64_t>
findLanes(const Problem &problem, const std::vector<int64_t> &bytes,
          int64_t fixedCycles, int64_t computeCycles, const EngineGroup &engine,
          const std::vector<int64_t> &available, int64_t *lanes) {
  std::optional<int64_t> length = shortestLength(
      problem, bytes, fixedCycles, computeCycles, engine, available);
  if (!length)
    return std::nullopt;
  for (size_t m = 0; m < bytes.size(); ++m) {
    std::optional<int64_t> fewest = 0;
    // If there are bytes to stream, what overlaps takes a cycle or more.
    if (bytes[m] > 0)
      fewest = fewestLanes(problem, m, bytes[m], *length - fixedCycles);
    if (!fewest)
      return std::nullopt;
    lanes[m] = *fewest;
  }
  return length;
}

std::optional<LaneChoice>
chooseLanes(const Problem &problem, const std::vector<int64_t> &bytes,
            int64_t fixedCycles, int64_t computeCycles,
            const EngineGroup &engine, const std::vector<int64_t> &available) {
  LaneChoice choice{0, std::vector<int64_t>(bytes.size())};
  std::optional<int64_t> length =
      findLanes(problem, bytes, fixedCycles, computeCycles, engine, available,
                choice.lanes.data());
  if (!length)
    return std::nullopt;
  choice.length = *length;
  return choice;
}

static std::optional<int64_t> fixedCyclesOf(const Part &part) {
  return checkedAdd(part.overheadCycles, part.serialCycles);
}

std::optional<int64_t> shortestLength(const Problem &problem, const Part &part,
                                      const std::vector<int64_t> &bytes,
                                      const EngineGroup &engine,
                                      const std::vector<int64_t> &available) {
  std::optional<int64_t> fixed = fixedCyclesOf(part);
  return fixed ? shortestLength(problem, bytes, *fixed, part.computeCycles,
                                engine, available)
               : std::nullopt;
}

std::optional<int64_t> chooseLanes(const Problem &problem, const Part &part,
                                   const std::vector<int64_t> &bytes,
                                   const EngineGroup &engine,
                                   const std::vector<int64_t> &available,
                                   int64_t *lanes) {
  if (bytes.size() != problem.resources.size())
    return std::nullopt;
  std::optional<int64_t> fixed = fixedCyclesOf(part);
  return fixed ? findLanes(problem, bytes, *fixed, part.computeCycles, engine,
                           available, lanes)
               : std::nullopt;
}

std::optional<LaneChoice> chooseLanes(const Problem &problem, const Part &part,
                                      const EngineGroup &engine,
                                      const std::vector<int64_t> &available) {
  std::optional<int64_t> fixed = fixedCyclesOf(part);
  return fixed ? chooseLanes(problem, part.bytes, *fixed, part.computeCycles,
                             engine, available)
               : std::nullopt;
}

} // namespace mlir::llm::scheduling
