//===- Schedule.cpp - Give every op an engine, a start and an end ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"
#include "llm/Analysis/ProgramBounds.h"
#include "llm/Analysis/ScheduleProblem.h"
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

using scheduling::Problem;
using scheduling::Solution;
using Solver = std::optional<Solution> (*)(const Problem &);

namespace {
struct ScheduleOptions {
  Solver solver = nullptr;
  bool cutsOps = true;
  bool prefetches = true;
};

/// Schedules one function: stretch by stretch, loops as barriers.
class FunctionScheduler {
public:
  FunctionScheduler(const Program &program, const Target &target,
                    ScheduleOptions options)
      : program(program), target(target), options(options) {}

  LogicalResult run(StringRef policy);

private:
  /// Places items one after the other from `start` on; the end, or failure.
  FailureOr<int64_t> placeItems(ArrayRef<ProgramItem> items, int64_t start);
  FailureOr<int64_t> placeLoop(const ProgramItem &item, int64_t start);
  FailureOr<int64_t> placeStretch(ArrayRef<unsigned> stretch, int64_t start);
  void restrict(Problem &problem) const;
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
};
} // namespace

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

FailureOr<int64_t> FunctionScheduler::placeStretch(ArrayRef<unsigned> stretch,
                                                   int64_t start) {
  FailureOr<SplitProblem> split = makeSplitProblem(program, stretch, target);
  if (failed(split))
    return failure();
  Problem &problem = split->problem;
  restrict(problem);
  std::optional<Solution> solution = options.solver(problem);
  std::optional<int64_t> end =
      solution ? checkedAdd(start, solution->makespan) : std::nullopt;
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
  FailureOr<int64_t> period = placeItems(item.body, 0);
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
  function->setAttr(LlmDialect::scheduleAttrName,
                    ScheduleAttr::get(context, StringAttr::get(context, policy),
                                      *makespan, bounds->lowerBoundCycles,
                                      getAmounts(context, byName),
                                      bounds->rooflineCycles, loops));
  remark::passed(function.getLoc(), remark::RemarkOpts::name("schedule")
                                        .category("llm-schedule")
                                        .function(function.getName()))
      << remark::reason("'{0}' takes {1} cycles with policy {2}; no schedule "
                        "is shorter than "
                        "{3}",
                        function.getName(), *makespan, policy,
                        bounds->lowerBoundCycles)
      << remark::metric("makespan_cycles", *makespan)
      << remark::metric("lower_bound_cycles", bounds->lowerBoundCycles);
  return success();
}

namespace {
struct LlmSchedulePass
    : WorkloadPass<llm::impl::LlmSchedulePassBase<LlmSchedulePass>> {
  using WorkloadPass::WorkloadPass;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Solver solver = policy == "list"       ? scheduling::scheduleList
                    : policy == "earliest" ? scheduling::scheduleEarliest
                                           : nullptr;
    if (!solver) {
      emitPassError(*this, module)
          << "option 'policy' must be 'list' or 'earliest', got '"
          << policy.getValue() << "'";
      return signalPassFailure();
    }
    if (granularity != "tile" && granularity != "op") {
      emitPassError(*this, module)
          << "option 'granularity' must be 'tile' or 'op', got '"
          << granularity.getValue() << "'";
      return signalPassFailure();
    }
    ScheduleOptions options{solver, granularity == "tile", prefetch};
    FailureOr<Target> target = getOrWriteTarget(module);
    if (failed(target) ||
        failed(applyEnginesOption(*this, module, engines, *target)))
      return signalPassFailure();
    if (failed(forEachProgram(module, [&](const Program &program) {
          if (failed(checkCosts(program, *target)))
            return failure();
          return FunctionScheduler(program, *target, options).run(policy);
        })))
      signalPassFailure();
  }
};
} // namespace
