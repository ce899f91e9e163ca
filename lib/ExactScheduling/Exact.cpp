//===- Exact.cpp - Schedules that are proven optimal ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/ExactScheduling/Exact.h"
#include "EnergeticReasoning.h"
#include "Model.h"
#include "Readout.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"

#include <gecode/search.hh>

#include <algorithm>
#include <memory>

namespace mlir::llm::scheduling {

using namespace exact;

namespace {

/// Ends the search at the first of its limits, or when it is told to.
class Limit : public Gecode::Search::Stop {
public:
  Limit(const ExactOptions &options, const ExactResult &best)
      : options(options), best(best) {
    timer.start();
  }
  bool stop(const Gecode::Search::Statistics &statistics,
            const Gecode::Search::Options &) override {
    nodes = statistics.node;
    return isOver() || (options.nodes > 0 && nodes >= options.nodes);
  }
  /// Whether to stop, whatever the number of nodes.
  bool isOver() {
    interrupted =
        interrupted ||
        (options.report && !options.report({nodes, best.solution.makespan,
                                            best.lowerBoundCycles}));
    return interrupted ||
           (options.seconds > 0 && timer.stop() > 1000 * options.seconds);
  }
  std::string why() const {
    return (interrupted ? "the search was interrupted after "
                        : "the search ended at its limit after ") +
           std::to_string(nodes) + " nodes";
  }

private:
  const ExactOptions &options;
  const ExactResult &best;
  Gecode::Support::Timer timer;
  int64_t nodes = 0;
  bool interrupted = false;
};

} // namespace

static void setOptimal(ExactResult &result) {
  result.status = ExactStatus::Optimal;
  result.lowerBoundCycles = result.solution.makespan;
}

/// Whether propagation alone finds that no schedule takes at most `cycles`.
static bool isRefuted(const Instance &instance, const EnergyPools &pools,
                      int64_t cycles) {
  return Model(instance, pools, cycles).status() == Gecode::SS_FAILED;
}

/// Raises the lower bound by destructive improvement (Klein and Scholl, 1999).
/// Between the bound and the schedule that is known, bisection finds the first
/// number of cycles that is not refuted.
static void raiseBound(const Instance &instance, const EnergyPools &pools,
                       Limit &limit, ExactResult &result) {
  int64_t &low = result.lowerBoundCycles;
  int64_t high = result.solution.makespan;
  while (low < high && !limit.isOver()) {
    int64_t middle = low + (high - low) / 2;
    if (isRefuted(instance, pools, middle))
      low = middle + 1;
    else
      high = middle;
  }
}

/// Searches for schedules shorter than that of the result.
static void search(const Instance &instance, const ExactOptions &limits,
                   ExactResult &result) {
  EnergyPools pools = makePools(instance);
  Limit limit(limits, result);
  if (limits.usesListAndBounds)
    raiseBound(instance, pools, limit, result);
  if (result.solution.makespan == result.lowerBoundCycles)
    return setOptimal(result);
  auto root =
      std::make_unique<Model>(instance, pools, result.solution.makespan - 1);
  Gecode::Search::Options options;
  options.threads = 1;
  options.stop = &limit;
  Gecode::BAB<Model> engine(root.get(), options);
  while (auto better = std::unique_ptr<Model>(engine.next())) {
    result.solution = readOut(*better);
    if (result.solution.makespan == result.lowerBoundCycles)
      break;
  }
  result.nodes = engine.statistics().node;
  if (engine.stopped())
    result.reason = limit.why();
  else
    setOptimal(result);
}

/// Makes the result, which has a valid schedule, as good as it can.
static void improve(const Problem &problem, const ExactOptions &options,
                    ExactResult &result) {
  if (result.solution.makespan == result.lowerBoundCycles)
    return setOptimal(result);
  auto instance = makeInstance(problem, result.solution.makespan - 1);
  if (auto *why = std::get_if<std::string>(&instance))
    result = {
        ExactStatus::Unknown, {}, result.lowerBoundCycles, std::move(*why), 0};
  else if (std::get<Instance>(instance).isHopeless())
    setOptimal(result);
  else
    search(std::get<Instance>(instance), options, result);
}

ExactResult scheduleExact(const Problem &problem, const ExactOptions &options) {
  ExactResult result;
  std::vector<std::string> unsound = problem.check();
  if (!unsound.empty()) {
    result.status = ExactStatus::Infeasible;
    result.reason = std::move(unsound.front());
    return result;
  }
  std::optional<Solution> start =
      options.usesListAndBounds ? scheduleList(problem, options.reportStart)
                                : scheduleEarliest(problem);
  std::optional<std::vector<Bound>> bounds =
      lowerBounds(problem, Cuts::Offered);
  if (!start || !bounds) {
    result.reason = "its cycles are more than can be counted";
    return result;
  }
  if (options.usesListAndBounds)
    result.lowerBoundCycles = largestBound(*bounds);
  result.solution = std::move(*start);
  result.status = ExactStatus::Feasible;
  try {
    improve(problem, options, result);
  } catch (const std::exception &error) {
    // Gecode throws this if it refuses numbers, or if there is no memory.
    result.reason = std::string("the solver gave up: ") + error.what();
  }
  return result;
}

} // namespace mlir::llm::scheduling
