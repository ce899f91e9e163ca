//===- Exact.cpp - Schedules that are proven optimal ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/ExactScheduling/Exact.h"
#include "Energy.h"
#include "Model.h"
#include "Readout.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"

#include <gecode/search.hh>

#include <algorithm>
#include <cmath>

namespace mlir::llm::scheduling {

using namespace exact;

namespace {

/// Ends the search at the first of its limits.
class Limit : public Gecode::Search::Stop {
public:
  explicit Limit(const ExactOptions &limits) : limits(limits) { timer.start(); }
  bool stop(const Gecode::Search::Statistics &statistics,
            const Gecode::Search::Options &) override {
    return (limits.nodes > 0 &&
            statistics.node >= static_cast<uint64_t>(limits.nodes)) ||
           (limits.seconds > 0 && timer.stop() > 1000 * limits.seconds);
  }

private:
  const ExactOptions &limits;
  Gecode::Support::Timer timer;
};

} // namespace

/// Searches for schedules shorter than that of the result.
static void search(const Problem &problem, const ExactOptions &limits,
                   ExactResult &result) {
  auto instance = makeInstance(problem, result.solution.makespan - 1);
  if (auto *why = std::get_if<std::string>(&instance)) {
    result.reason = std::move(*why);
    return;
  }
  const Instance &of = std::get<Instance>(instance);
  EnergyPools pools = makePools(of);
  Model *root = new Model(of, pools, result.solution.makespan - 1);
  Limit limit(limits);
  Gecode::Search::Options options;
  options.threads = 1;
  options.stop = &limit;
  Gecode::BAB<Model> engine(root, options);
  delete root;
  while (Model *better = engine.next()) {
    result.solution = readOut(*better);
    delete better;
    if (result.solution.makespan <= result.lowerBoundCycles)
      break;
  }
  result.nodes = engine.statistics().node;
  if (engine.stopped()) {
    result.reason = "the search ended at its limit after " +
                    std::to_string(result.nodes) + " nodes";
    return;
  }
  result.status = ExactStatus::Optimal;
  result.lowerBoundCycles = result.solution.makespan;
}

ExactResult scheduleExact(const Problem &problem, const ExactOptions &options) {
  ExactResult result;
  std::vector<std::string> unsound = problem.check();
  if (!unsound.empty()) {
    result.status = ExactStatus::Infeasible;
    result.reason = std::move(unsound.front());
    return result;
  }
  std::optional<Solution> start = options.startsFromList
                                      ? scheduleList(problem)
                                      : scheduleEarliest(problem);
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  if (!start || !bounds) {
    result.reason = "its cycles are more than can be counted";
    return result;
  }
  result.status = ExactStatus::Feasible;
  result.solution = std::move(*start);
  for (const Bound &bound : *bounds)
    result.lowerBoundCycles = std::max(result.lowerBoundCycles, bound.cycles);
  if (result.solution.makespan == result.lowerBoundCycles) {
    result.status = ExactStatus::Optimal;
    return result;
  }
  try {
    search(problem, options, result);
  } catch (const std::exception &error) {
    // Numbers that Gecode refuses, or no memory.
    result.reason = std::string("the solver gave up: ") + error.what();
  }
  return result;
}

std::string describe(const ExactResult &result) {
  switch (result.status) {
  case ExactStatus::Optimal:
    return "optimal";
  case ExactStatus::Feasible: {
    double bound = std::max<int64_t>(result.lowerBoundCycles, 1);
    double percent =
        100 * (result.solution.makespan - result.lowerBoundCycles) / bound;
    int64_t tenths = std::ceil(10 * percent);
    return "feasible, gap " + std::to_string(tenths / 10) + "." +
           std::to_string(tenths % 10) + " %";
  }
  case ExactStatus::Infeasible:
    return "infeasible because " + result.reason;
  case ExactStatus::Unknown:
    return "no schedule found because " + result.reason;
  }
  return {};
}

} // namespace mlir::llm::scheduling
