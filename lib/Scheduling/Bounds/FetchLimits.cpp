//===- FetchLimits.cpp - What limits fetching ahead -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FetchLimits.h"
#include "Core/Lanes.h"
#include "Core/Parts.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

static double fetchedBytesPerCycle(const Problem &problem, size_t resource) {
  double ports = 0;
  for (const EngineGroup &engine : problem.engines)
    if (engine.kinds.contains(EngineKind::Memory))
      ports +=
          double(engine.count) * portBytesPerCycle(problem, engine, resource);
  return std::min(ports, double(problem.resources[resource].bytesPerSecond) /
                             double(problem.clockHz));
}

std::optional<int64_t> fetchCycles(const Problem &problem,
                                   const Source &source) {
  std::optional<int64_t> least;
  for (const EngineGroup &engine : problem.engines) {
    if (!engine.kinds.contains(EngineKind::Memory))
      continue;
    std::optional<int64_t> cycles =
        lengthWithLanes(problem, source.bytes, /*fixedCycles=*/0,
                        /*computeCycles=*/0, engine.portLanes, &engine);
    if (cycles && (!least || *cycles < *least))
      least = cycles;
  }
  return least;
}

FetchLimit FetchLimit::ofBytes(const Problem &problem, size_t resource,
                               double roomShare) {
  FetchLimit limit(problem);
  limit.of = resource;
  limit.roomShare = roomShare;
  limit.bytesPerCycle = fetchedBytesPerCycle(problem, resource);
  return limit;
}

FetchLimit FetchLimit::ofRoom(const Problem &problem, int64_t shares) {
  FetchLimit limit(problem);
  limit.shares = shares;
  return limit;
}

double FetchLimit::shareOf(int64_t bytes, const EngineGroup &engine) const {
  if (bytes == 0)
    return 0;
  // More does not fit, except in a part that takes no time, which holds
  // nothing.
  if (bytes >= engine.privateBytes)
    return 1;
  if (shares == 0)
    return double(bytes) / double(engine.privateBytes);
  int64_t larger =
      ceilMulDiv(bytes, shares + 1, 1, engine.privateBytes).value_or(1) - 1;
  return double(larger) / double(shares);
}

double FetchLimit::amountOf(const PartRun &run) const {
  double moved = 0, slices = 0, holding = 0;
  for (size_t i = 0; i < run.part->sources.size(); ++i) {
    if (!(run.fetched >> i & 1))
      continue;
    const Source &source = run.part->sources[i];
    if (of) {
      moved += double(source.bytes[*of]);
      slices += double(std::min(source.bytes[*of], source.sliceBytes));
    } else {
      holding += shareOf(source.sliceBytes, *run.engine) *
                 double(fetchCycles(*problem, source).value_or(0));
    }
  }
  // A run that takes no time holds nothing, and its slices may come and go
  // while another part runs.
  if (run.cycles == 0)
    return of ? (1 - roomShare) * moved : holding;
  if (!of)
    return holding + shareOf(run.needBytes, *run.engine) * double(run.cycles);
  // Memory engines could move these bytes while the part runs, but there is no
  // room for them.
  double unused =
      std::max(0.0, bytesPerCycle * double(run.cycles) -
                        double(run.engine->privateBytes - run.needBytes));
  return (1 - roomShare) * moved + roomShare * (slices + unused);
}

double FetchLimit::perCycle(double engines) const {
  // This counts as if slices were fetched for each engine all the time.
  return of ? bytesPerCycle * (1 - roomShare + roomShare * engines) : engines;
}

double FetchLimit::heldAhead(const HeldAhead &held, double engines) const {
  if (of)
    return (1 - roomShare) * double(held.bytes) +
           roomShare * double(held.sliceBytes);
  return double(held.fetchCycles) * engines;
}

std::vector<FetchLimit> findFetchLimits(const Problem &problem) {
  std::vector<FetchLimit> limits;
  if (!hasMemoryEngine(problem))
    return limits;
  auto addBytes = [&](double roomShare) {
    for (size_t m = 0; m < problem.resources.size(); ++m)
      limits.push_back(FetchLimit::ofBytes(problem, m, roomShare));
  };
  addBytes(0);
  if (problem.tasks.size() > mostTasksLookedAtClosely)
    return limits;
  for (double roomShare : {1.0 / 6, 1.0})
    addBytes(roomShare);
  for (int64_t shares : {0, 1, 2, 3, 4})
    limits.push_back(FetchLimit::ofRoom(problem, shares));
  return limits;
}

std::optional<HeldAhead> mostHeldAhead(const Problem &problem,
                                       std::optional<size_t> resource,
                                       Cuts cuts) {
  HeldAhead held;
  if (!hasMemoryEngine(problem))
    return held;
  int64_t largest = 0;
  for (const EngineGroup &engine : problem.engines) {
    std::optional<int64_t> own = checkedMul(engine.count, engine.privateBytes);
    std::optional<int64_t> sum =
        own ? checkedAdd(held.sliceBytes, *own) : std::nullopt;
    if (!sum)
      return std::nullopt;
    held.sliceBytes = *sum;
    largest = std::max(largest, engine.privateBytes);
  }
  // A slice may stand for more bytes than it takes, if they are streamed more
  // than once. This counts as if all of the room held the source that does so
  // most.
  auto add = [&](const Source &source) {
    if (!resource && source.sliceBytes <= largest)
      held.fetchCycles =
          std::max(held.fetchCycles, fetchCycles(problem, source).value_or(0));
    if (!resource || source.bytes[*resource] == 0)
      return true;
    std::optional<int64_t> bytes =
        source.sliceBytes == 0
            ? std::nullopt
            : ceilMulDiv(held.sliceBytes, source.bytes[*resource], 1,
                         source.sliceBytes);
    held.bytes = std::max(held.bytes, bytes.value_or(0));
    return bytes.has_value();
  };
  for (const Task &task : problem.tasks) {
    // With any cut, each element counts once, as in its slice.
    if (cuts == Cuts::All && !task.least.empty()) {
      held.bytes = std::max(held.bytes, held.sliceBytes);
      continue;
    }
    for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice)
      for (const Part &part : task.partsOf(choice))
        for (const Source &source : part.sources)
          if (!add(source))
            return std::nullopt;
  }
  return held;
}

} // namespace mlir::llm::scheduling
