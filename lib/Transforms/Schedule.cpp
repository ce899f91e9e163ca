//===- Schedule.cpp - Give every op an engine, a start and an end ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Improvement.h"
#include "ModuleTarget.h"
#include "llm/Analysis/ProgramBounds.h"
#include "llm/Analysis/ScheduleProblem.h"
#include "llm/ExactScheduling/Exact.h"
#include "llm/Interfaces/ExternalModels.h"
#include "llm/Scheduling/Solvers.h"
#include "llm/Support/Units.h"
#include "llm/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMSCHEDULEPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

using scheduling::ExactOptions;
using scheduling::ExactResult;
using scheduling::ExactStatus;
using scheduling::Problem;
using scheduling::Solution;
using scheduling::TryReport;
using Solver = std::optional<Solution> (*)(const Problem &, const TryReport &);

namespace {
struct ScheduleOptions {
  Solver solver = nullptr; ///< null: the exact one
  ExactOptions exact;
  bool cutsOps = true;
  bool cutsReductions = true;
  bool prefetches = true;
  std::optional<ImproveLimit> improve;
  uint32_t seed = 1;
};

/// Schedules one function: stretch by stretch, loops as barriers.
class FunctionScheduler {
public:
  FunctionScheduler(const Program &program, const Target &target,
                    ScheduleOptions options)
      : program(program), target(target), options(options) {
    if (options.improve)
      improvement.emplace(func::FuncOp(program.function()).getName(),
                          program.ops().size(), *options.improve, options.seed);
  }

  LogicalResult run(StringRef policy);

private:
  /// Places items one after the other from `start` on; the end, or failure.
  FailureOr<int64_t> placeItems(ArrayRef<ProgramItem> items, int64_t start);
  FailureOr<int64_t> placeLoop(const ProgramItem &item, int64_t start);
  FailureOr<int64_t> placeStretch(ArrayRef<unsigned> stretch, int64_t start);
  void restrict(Problem &problem) const;
  FailureOr<Solution> solve(const Problem &problem);
  FailureOr<Solution> solveExactly(const Problem &problem);
  /// Who made the schedule and, where that is known, how good it is.
  std::string nameOfPolicy(StringRef policy, int64_t makespan,
                           int64_t lowerBoundCycles) const;
  void emitRemarks(StringRef maker, int64_t makespan, int64_t lowerBoundCycles);
  InFlightDiagnostic emitOverflow() {
    return emitFunctionError(program.function())
           << "has a schedule that takes more than 2^61 - 1 cycles";
  }

  const Program &program;
  const Target &target;
  ScheduleOptions options;
  struct Placed {
    Operation *op;
    CostedTile cut;
    SlotsAttr slots;
  };
  SmallVector<Placed> placed;
  SmallVector<LoopPeriodAttr> loops;
  /// Why the exact solver has not proven the schedule of some stretch, and
  /// cycles that it has proven all to take at least.
  std::string unproven;
  int64_t provenCycles = 0;
  int64_t tripsAround = 1; ///< of the loops around the stretch that is placed
  std::optional<Improvement> improvement;
  /// What is shown of a long search, where standard error is a terminal.
  static constexpr double patienceSeconds = 1;
  ProgressLine progress{patienceSeconds};
  size_t seen = 0; ///< ops of the stretches so far
  int64_t tries = 0;
};
} // namespace

/// In one go.
static std::optional<Solution> scheduleEarliest(const Problem &problem,
                                                const TryReport &) {
  return scheduling::scheduleEarliest(problem);
}

/// Takes from the problem what the solver may not use.
void FunctionScheduler::restrict(Problem &problem) const {
  for (scheduling::Task &task : problem.tasks) {
    if (!options.cutsOps)
      task.alternatives.clear();
    if (options.prefetches)
      continue;
    auto dropSources = [](std::vector<scheduling::Part> &parts) {
      for (scheduling::Part &part : parts)
        part.sources.clear();
    };
    dropSources(task.parts);
    for (scheduling::Split &alternative : task.alternatives)
      dropSources(alternative.parts);
  }
}

FailureOr<Solution> FunctionScheduler::solveExactly(const Problem &problem) {
  ExactResult result = scheduling::scheduleExact(problem, options.exact);
  if (!result.hasSolution())
    return emitFunctionError(program.function())
           << "cannot be scheduled with policy=exact: " << result.reason
           << "; use policy=list";
  if (result.status != ExactStatus::Optimal)
    unproven = std::move(result.reason);
  // Not above the makespan of all, so that they fit.
  provenCycles += result.lowerBoundCycles * tripsAround;
  return std::move(result.solution);
}

FailureOr<Solution> FunctionScheduler::solve(const Problem &problem) {
  if (!options.solver)
    return solveExactly(problem);
  seen += problem.tasks.size();
  func::FuncOp function = program.function();
  std::optional<Solution> solution =
      improvement ? improvement->solve(problem) : options.solver(problem, [&] {
        showTries(progress, function.getName(), seen, program.ops().size(),
                  ++tries);
      });
  progress.takeBack(); // before any message
  if (!solution)
    return emitOverflow();
  return std::move(*solution);
}

std::string FunctionScheduler::nameOfPolicy(StringRef policy, int64_t makespan,
                                            int64_t lowerBoundCycles) const {
  if (improvement)
    return policy.str() + ", improved " + options.improve->describe() +
           (improvement->wasInterrupted() ? ", interrupted" : "");
  if (options.solver)
    return policy.str();
  return policy.str() + ", " +
         (unproven.empty()
              ? "optimal"
              : scheduling::describeGap(
                    makespan, std::max(lowerBoundCycles, provenCycles)));
}

FailureOr<int64_t> FunctionScheduler::placeStretch(ArrayRef<unsigned> stretch,
                                                   int64_t start) {
  FailureOr<SplitProblem> split =
      makeSplitProblem(program, stretch, target, options.cutsReductions);
  if (failed(split))
    return failure();
  Problem &problem = split->problem;
  restrict(problem);
  FailureOr<Solution> solution = solve(problem);
  if (failed(solution))
    return failure();
  std::optional<int64_t> end = checkedAdd(start, solution->makespan);
  if (!end)
    return emitOverflow();
  // A schedule that breaks a rule must never leave this pass.
  auto violations = scheduling::verify(problem, *solution);
  if (!violations.empty())
    return program.ops()[stretch[violations.front().task]].op->emitOpError()
           << "the scheduler broke rule " << violations.front().rule << ": "
           << violations.front().message;
  Problem resolved = scheduling::resolve(problem, *solution);
  SmallVector<SmallVector<const scheduling::Slot *, 1>> slotsOf(stretch.size());
  for (const scheduling::Slot &slot : solution->slots)
    slotsOf[slot.task].push_back(&slot);
  for (auto [task, index] : llvm::enumerate(stretch)) {
    Operation *op = program.ops()[index].op;
    placed.push_back(
        {op, split->choices[task][solution->choiceOf(task)],
         makeSlots(op->getContext(), resolved, slotsOf[task], start)});
  }
  return *end;
}

FailureOr<int64_t> FunctionScheduler::placeLoop(const ProgramItem &item,
                                                int64_t start) {
  size_t position = loops.size();
  loops.emplace_back(); // loops are listed in program order, outer before inner
  std::optional<int64_t> trips = checkedMul(tripsAround, item.trips);
  if (!trips)
    return emitOverflow();
  std::swap(tripsAround, *trips);
  FailureOr<int64_t> period = placeItems(item.body, 0);
  tripsAround = *trips;
  if (failed(period))
    return failure();
  std::optional<int64_t> length = checkedMul(*period, item.trips);
  std::optional<int64_t> end =
      length ? checkedAdd(start, *length) : std::nullopt;
  if (!end)
    return emitOverflow();
  loops[position] =
      LoopPeriodAttr::get(item.loop->getContext(), start, *period, item.trips);
  return *end;
}

FailureOr<int64_t> FunctionScheduler::placeItems(ArrayRef<ProgramItem> items,
                                                 int64_t start) {
  for (const ProgramItem &item : items) {
    FailureOr<int64_t> end =
        item.isLoop() ? placeLoop(item, start) : placeStretch(item.ops, start);
    if (failed(end))
      return failure();
    start = *end;
  }
  return start;
}

void FunctionScheduler::emitRemarks(StringRef maker, int64_t makespan,
                                    int64_t lowerBoundCycles) {
  func::FuncOp function = program.function();
  remark::passed(function.getLoc(), remark::RemarkOpts::name("schedule")
                                        .category("llm-schedule")
                                        .function(function.getName()))
      << remark::reason("'{0}' takes {1} cycles with policy {2}; no schedule "
                        "is shorter than "
                        "{3}",
                        function.getName(), makespan, maker, lowerBoundCycles)
      << remark::metric("makespan_cycles", makespan)
      << remark::metric("lower_bound_cycles", lowerBoundCycles);
  if (!unproven.empty())
    remark::missed(function.getLoc(), remark::RemarkOpts::name("proof")
                                          .category("llm-schedule")
                                          .function(function.getName()))
        << remark::reason("'{0}' may have a shorter schedule: {1}",
                          function.getName(), unproven);
  if (improvement &&
      (!options.improve->isReproducible() || improvement->wasInterrupted()))
    remark::analysis(function.getLoc(),
                     remark::RemarkOpts::name("not-reproducible")
                         .category("llm-schedule")
                         .function(function.getName()))
        << remark::reason("'{0}' was improved until a point in time: another "
                          "run may give another schedule",
                          function.getName());
}

LogicalResult FunctionScheduler::run(StringRef policy) {
  FailureOr<int64_t> makespan = placeItems(program.items(), 0);
  if (failed(makespan))
    return failure();
  FailureOr<ProgramBounds> bounds = computeBounds(program, target);
  if (failed(bounds))
    return failure();
  for (const Placed &each : placed) {
    each.op->setAttr(LlmDialect::tileAttrName, each.cut.tile);
    each.op->setAttr(LlmDialect::costAttrName, each.cut.cost);
    each.op->setAttr(LlmDialect::slotsAttrName, each.slots);
  }
  func::FuncOp function = program.function();
  MLIRContext *context = function.getContext();
  SmallVector<std::pair<StringRef, int64_t>> byName(bounds->byName.begin(),
                                                    bounds->byName.end());
  std::string maker = nameOfPolicy(policy, *makespan, bounds->lowerBoundCycles);
  function->setAttr(LlmDialect::scheduleAttrName,
                    ScheduleAttr::get(context, StringAttr::get(context, maker),
                                      *makespan, bounds->lowerBoundCycles,
                                      getAmounts(context, byName),
                                      bounds->rooflineCycles, loops));
  emitRemarks(maker, *makespan, bounds->lowerBoundCycles);
  return success();
}

namespace {
struct LlmSchedulePass
    : WorkloadPass<llm::impl::LlmSchedulePassBase<LlmSchedulePass>> {
  using WorkloadPass::WorkloadPass;

  LogicalResult parseImprove(std::optional<ImproveLimit> &limit) {
    if (improve.empty())
      return success();
    limit = ImproveLimit::parse(improve);
    if (!limit)
      return emitPassError(*this, getOperation())
             << "option 'improve' must be a number of evaluations or of "
                "seconds above 0, such as '1000' or '10s', got '"
             << improve.getValue() << "'";
    if (policy != "list")
      return emitPassError(*this, getOperation())
             << "option 'improve' starts from policy=list, got policy="
             << policy.getValue();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Solver solver = policy == "list"       ? scheduling::scheduleList
                    : policy == "earliest" ? scheduleEarliest
                                           : nullptr;
    if (!solver && policy != "exact") {
      emitPassError(*this, module)
          << "option 'policy' must be 'list', 'earliest' or 'exact', got '"
          << policy.getValue() << "'";
      return signalPassFailure();
    }
    if (exactNodes < 0 || !(exactSeconds >= 0)) {
      emitPassError(*this, module) << "options 'exact-nodes' and "
                                      "'exact-seconds' must be 0 (no limit) or "
                                      "more, got "
                                   << exactNodes.getValue() << " and "
                                   << std::to_string(exactSeconds.getValue());
      return signalPassFailure();
    }
    if (granularity != "tile" && granularity != "op") {
      emitPassError(*this, module)
          << "option 'granularity' must be 'tile' or 'op', got '"
          << granularity.getValue() << "'";
      return signalPassFailure();
    }
    std::optional<ImproveLimit> limit;
    if (failed(parseImprove(limit)))
      return signalPassFailure();
    ScheduleOptions options{solver,
                            {exactNodes, exactSeconds},
                            granularity == "tile",
                            splitReductions,
                            prefetch,
                            limit,
                            seed};
    FailureOr<Target> target = getOrWriteTarget(module);
    if (failed(target) ||
        failed(applyEnginesOption(*this, module, engines, *target)))
      return signalPassFailure();
    std::optional<InterruptNote> note;
    if (limit)
      note.emplace();
    if (failed(forEachProgram(module, [&](const Program &program) {
          if (failed(checkCosts(program, *target)))
            return failure();
          return FunctionScheduler(program, *target, options).run(policy);
        })))
      signalPassFailure();
  }
};
} // namespace
