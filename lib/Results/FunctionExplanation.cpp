//===- FunctionExplanation.cpp - What holds a function back ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/FunctionExplanation.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;
using scheduling::GroupExplanation;

namespace {
/// Follows the program as the schedule's verifier does.
class Explainer {
public:
  Explainer(const Timeline &timeline, const Target &target, bool wantsStretches)
      : timeline(timeline), program(timeline.program()), target(target),
        wantsStretches(wantsStretches),
        problems(program, target, Reasons::into(reason)) {
    result.ops.resize(program.ops().size());
    result.steps.resize(program.ops().size());
    result.engines.resize(target.engines.size());
    result.laterWork = LaterWork(program, target);
  }
  /// Returns nothing if there is no valid schedule.
  std::optional<FunctionExplanation> run();
  /// Says why there is no result: the rule that the schedule breaks, or what is
  /// wrong with its costs. (Timeline and checkTarget() have warned of stale
  /// ones and of summaries.)
  void warnOfFailure(Warnings &warnings) const;

private:
  /// Visits items that start at `start` and run `runs` times. Returns their
  /// end.
  FailureOr<int64_t> visitItems(ArrayRef<ProgramItem> items, int64_t start,
                                int64_t runs);
  FailureOr<int64_t> visitLoop(const ProgramItem &item, int64_t start,
                               int64_t runs);
  FailureOr<int64_t> visitStretch(const ProgramItem &stretch, int64_t start,
                                  int64_t runs);
  void explainStretch(const ProgramItem &stretch, int64_t start,
                      const scheduling::Problem &problem,
                      const scheduling::Solution &solution,
                      const scheduling::Explanation &explanation,
                      ArrayRef<scheduling::PathStep> steps);
  LogicalResult addEngines(const ProgramItem &stretch,
                           ArrayRef<GroupExplanation> engines, int64_t runs);

  const Timeline &timeline;
  const Program &program;
  const Target &target;
  bool wantsStretches;
  size_t nextLoop = 0;
  FunctionExplanation result;
  /// The first violation in a stretch. `brokenOp` is the op that breaks the
  /// rule.
  std::optional<scheduling::Violation> broken;
  std::string reason; ///< of a failure without a broken rule
  unsigned brokenOp = 0;
  ProblemMaker problems;
};
} // namespace

/// sum += cycles * runs
static LogicalResult accumulate(int64_t &sum, int64_t cycles, int64_t runs) {
  std::optional<int64_t> product = checkedMul(cycles, runs);
  std::optional<int64_t> total =
      product ? checkedAdd(sum, *product) : std::nullopt;
  sum = total.value_or(0);
  return success(total.has_value());
}

/// Adds the engines of a stretch. Engines without work in it wait for its end,
/// if there is work for them behind it.
LogicalResult Explainer::addEngines(const ProgramItem &stretch,
                                    ArrayRef<GroupExplanation> engines,
                                    int64_t runs) {
  for (auto [group, engine] : llvm::enumerate(engines)) {
    GroupExplanation &sum = result.engines[group];
    auto add = [&](scheduling::Cause total, scheduling::Cause cause,
                   int64_t times) {
      return accumulate(sum.idleCycles[static_cast<size_t>(total)],
                        engine.idleCycles[static_cast<size_t>(cause)], times);
    };
    if (failed(accumulate(sum.busyCycles, engine.busyCycles, runs)))
      return failure();
    int64_t last = result.laterWork.countLastRuns(stretch, group);
    for (scheduling::Cause cause : scheduling::allCauses)
      if (failed(add(cause, cause,
                     cause == scheduling::Cause::NoWork ? last : runs)))
        return failure();
    if (failed(add(scheduling::Cause::LayerBoundary, scheduling::Cause::NoWork,
                   runs - last)))
      return failure();
  }
  return success();
}

static std::vector<PathSpan> joinSteps(ArrayRef<scheduling::PathStep> steps,
                                       ArrayRef<unsigned> ops, int64_t start,
                                       const scheduling::Problem &problem,
                                       const scheduling::Solution &solution) {
  std::vector<PathSpan> path;
  for (const scheduling::PathStep &step : steps) {
    const scheduling::Slot &slot = solution.slots[step.slot];
    PathSpan span;
    span.op = ops[slot.task];
    span.startCycle = start + slot.start;
    span.endCycle = start + slot.end;
    span.cause = step.cause;
    if (step.fetch) {
      const scheduling::PrefetchSlot &fetch = slot.prefetches[*step.fetch];
      // All parts read the same buffers, except the joining one, which fetches
      // none.
      span.buffer =
          problem.tasks[slot.task].parts.front().sources[fetch.source].name;
      span.startCycle = start + fetch.start;
      span.endCycle = start + fetch.end;
    }
    if (!path.empty() && path.back().op == span.op &&
        path.back().buffer == span.buffer &&
        path.back().endCycle == span.startCycle) {
      path.back().endCycle = span.endCycle;
      ++path.back().steps;
      continue;
    }
    path.push_back(span);
  }
  return path;
}

void Explainer::explainStretch(const ProgramItem &stretch, int64_t start,
                               const scheduling::Problem &problem,
                               const scheduling::Solution &solution,
                               const scheduling::Explanation &explanation,
                               ArrayRef<scheduling::PathStep> steps) {
  StretchExplanation &detail = result.stretches[&stretch];
  detail.gaps = findIdleGaps(problem, solution, explanation);
  for (scheduling::IdleGap &gap : detail.gaps) {
    gap.startCycle += start;
    gap.endCycle += start;
  }
  detail.path = joinSteps(steps, stretch.ops, start, problem, solution);
}

FailureOr<int64_t> Explainer::visitStretch(const ProgramItem &stretch,
                                           int64_t start, int64_t runs) {
  ArrayRef<unsigned> ops = stretch.ops;
  FailureOr<scheduling::Problem> problem = problems.makeAsTiled(ops, target);
  if (failed(problem))
    return failure();
  FailureOr<scheduling::Solution> solution =
      readSolution(program, ops, *problem, start, Reasons::into(reason));
  if (failed(solution))
    return failure();
  auto violations = scheduling::verify(*problem, *solution, 1);
  if (!violations.empty()) {
    broken = std::move(violations.front());
    brokenOp = ops[broken->task];
    return failure();
  }
  std::optional<scheduling::Explanation> explanation =
      scheduling::explain(*problem, *solution);
  if (!explanation || failed(addEngines(stretch, explanation->engines, runs)))
    return failure();
  for (auto [task, index] : llvm::enumerate(ops))
    result.ops[index] = explanation->tasks[task];
  std::vector<scheduling::PathStep> steps =
      findCriticalPath(*problem, *solution);
  for (const scheduling::PathStep &step : steps) {
    const scheduling::Slot &slot = solution->slots[step.slot];
    result.steps[ops[slot.task]][{slot.part, step.fetch}] = step.cause;
  }
  if (wantsStretches)
    explainStretch(stretch, start, *problem, *solution, *explanation, steps);
  return start + solution->makespan;
}

FailureOr<int64_t> Explainer::visitLoop(const ProgramItem &item, int64_t start,
                                        int64_t runs) {
  LoopPeriodAttr record = timeline.schedule().getLoops()[nextLoop++];
  std::optional<int64_t> bodyRuns = checkedMul(runs, item.trips);
  if (!bodyRuns)
    return failure();
  FailureOr<int64_t> period = visitItems(item.body, 0, *bodyRuns);
  if (failed(period) || record.getStartCycle() != start ||
      record.getPeriodCycles() != *period)
    return failure();
  // Timeline::create has checked that this fits.
  return start + *period * item.trips;
}

FailureOr<int64_t> Explainer::visitItems(ArrayRef<ProgramItem> items,
                                         int64_t start, int64_t runs) {
  for (const ProgramItem &item : items) {
    FailureOr<int64_t> end = item.isLoop() ? visitLoop(item, start, runs)
                                           : visitStretch(item, start, runs);
    if (failed(end))
      return failure();
    start = *end;
  }
  return start;
}

std::optional<FunctionExplanation> Explainer::run() {
  if (failed(checkCosts(program, target, Reasons::into(reason))) ||
      failed(visitItems(program.items(), 0, 1)))
    return std::nullopt;
  return std::move(result);
}

void Explainer::warnOfFailure(Warnings &warnings) const {
  constexpr StringLiteral consequence =
      ". What is exported is the schedule as it is, without what holds it "
      "back (slack, idle time, critical path); run --llm-schedule again, "
      "or --llm-verify-schedule to see all that is wrong";
  if (!broken) {
    if (!reason.empty() && warnings.empty())
      warnings.warn(timeline.program().function().getLoc(),
                    reason + consequence);
    return;
  }
  const ProgramOp &op = program.ops()[brokenOp];
  warnings.warn(op.op->getLoc(), "the schedule breaks rule " +
                                     Twine(broken->rule) + " at '" + op.name +
                                     "': " + broken->message + consequence);
}

std::optional<FunctionExplanation>
FunctionExplanation::create(const Timeline &timeline, const Target &target,
                            Warnings &warnings, bool wantsStretches) {
  if (timeline.schedule().isMeasured())
    return std::nullopt; // measured slots have no causes
  Explainer explainer(timeline, target, wantsStretches);
  std::optional<FunctionExplanation> explanation = explainer.run();
  if (!explanation)
    explainer.warnOfFailure(warnings);
  return explanation;
}
