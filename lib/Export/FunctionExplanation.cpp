//===- FunctionExplanation.cpp - What holds a function back ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExplanation.h"
#include "llm/Analysis/ScheduleProblem.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;
using scheduling::GroupExplanation;

namespace {
/// Follows the program as the schedule's verifier does.
class Explainer {
public:
  Explainer(const Timeline &timeline, const Target &target)
      : timeline(timeline), program(timeline.program()), target(target) {
    result.ops.resize(program.ops().size());
    result.engines.resize(target.engines.size());
  }
  std::optional<FunctionExplanation> run();

private:
  /// Items that start at `start` and run `runs` times; their end.
  FailureOr<int64_t> visitItems(ArrayRef<ProgramItem> items, int64_t start,
                                int64_t runs);
  FailureOr<int64_t> visitLoop(const ProgramItem &item, int64_t start,
                               int64_t runs);
  FailureOr<int64_t> visitStretch(ArrayRef<unsigned> ops, int64_t start,
                                  int64_t runs);
  LogicalResult addEngines(ArrayRef<GroupExplanation> engines, int64_t runs);

  const Timeline &timeline;
  const Program &program;
  const Target &target;
  size_t nextLoop = 0;
  FunctionExplanation result;
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

LogicalResult Explainer::addEngines(ArrayRef<GroupExplanation> engines,
                                    int64_t runs) {
  for (auto [sum, engine] : llvm::zip_equal(result.engines, engines)) {
    if (failed(accumulate(sum.busyCycles, engine.busyCycles, runs)))
      return failure();
    for (auto [total, cycles] :
         llvm::zip_equal(sum.idleCycles, engine.idleCycles))
      if (failed(accumulate(total, cycles, runs)))
        return failure();
  }
  return success();
}

FailureOr<int64_t> Explainer::visitStretch(ArrayRef<unsigned> ops,
                                           int64_t start, int64_t runs) {
  FailureOr<scheduling::Problem> problem = makeProblem(program, ops, target);
  if (failed(problem))
    return failure();
  FailureOr<scheduling::Solution> solution =
      readSolution(program, ops, *problem, start);
  if (failed(solution) || !scheduling::verify(*problem, *solution, 1).empty())
    return failure();
  std::optional<scheduling::Explanation> explanation =
      scheduling::explain(*problem, *solution);
  if (!explanation || failed(addEngines(explanation->engines, runs)))
    return failure();
  for (auto [task, index] : llvm::enumerate(ops))
    result.ops[index] = explanation->tasks[task];
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
    FailureOr<int64_t> end = item.isLoop()
                                 ? visitLoop(item, start, runs)
                                 : visitStretch(item.ops, start, runs);
    if (failed(end))
      return failure();
    start = *end;
  }
  return start;
}

std::optional<FunctionExplanation> Explainer::run() {
  if (failed(checkCosts(program, target)) ||
      failed(visitItems(program.items(), 0, 1)))
    return std::nullopt;
  return std::move(result);
}

std::optional<FunctionExplanation>
FunctionExplanation::create(const Timeline &timeline, const Target &target) {
  // What is wrong is for --llm-verify-schedule to say.
  func::FuncOp function = timeline.program().function();
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  return Explainer(timeline, target).run();
}
