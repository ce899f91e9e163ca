//===- VerifySchedule.cpp - Check a schedule against rules S1 to S14 ------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPass.h"
#include "SearchLine.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Planning/Capacity.h"
#include "llm/Planning/PipelineSchedule.h"
#include "llm/Planning/ProgramBounds.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Support/Units.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/DLTI/DLTI.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMVERIFYSCHEDULEPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

using scheduling::Problem;
using scheduling::Slot;
using scheduling::Solution;

namespace {
class ScheduleVerifier {
public:
  ScheduleVerifier(const Program &program, const Target &target,
                   ScheduleAttr schedule)
      : program(program), target(target), schedule(schedule),
        line(schedule.getContext(), "schedule of", symbolOf(program.function()),
             program.ops().size()) {}

  LogicalResult run();

private:
  /// Checks items that start at `start` or later. Returns their end.
  FailureOr<int64_t> verifyItems(ArrayRef<ProgramItem> items, int64_t start);
  FailureOr<int64_t> verifyLoop(const ProgramItem &item, int64_t start);
  FailureOr<int64_t> verifyStretch(ArrayRef<unsigned> stretch, int64_t start);
  LogicalResult verifyProven();
  LogicalResult verifySummary(int64_t makespan);
  LogicalResult expect(StringRef what, int64_t found, int64_t derived);

  const Program &program;
  const Target &target;
  ScheduleAttr schedule;
  size_t nextLoop = 0;
  OpLine line;
};
} // namespace

FailureOr<int64_t> ScheduleVerifier::verifyStretch(ArrayRef<unsigned> stretch,
                                                   int64_t start) {
  line.enter(stretch.size());
  FailureOr<Problem> problem = makeProblem(program, stretch, target);
  if (failed(problem))
    return failure();
  FailureOr<Solution> solution =
      readSolution(program, stretch, *problem, start);
  if (failed(solution))
    return failure();
  auto opOf = [&](unsigned task) { return program.ops()[stretch[task]].op; };
  for (const Slot &slot : solution->slots)
    if (slot.start < 0)
      return opOf(slot.task)->emitOpError()
             << "S5: starts at cycle " << slot.start + start
             << ", before what is ahead of it ends at " << start
             << " (a loop boundary is a barrier)";
  bool isSound = true;
  // Violations of rules that the schedule need not obey must not hide others.
  size_t limit = schedule.isMeasured() ? SIZE_MAX : 16;
  for (const scheduling::Violation &violation :
       scheduling::verify(*problem, *solution, limit)) {
    if (!schedule.obeys(violation.rule))
      continue;
    WorkloadOpInterface op = opOf(violation.task);
    InFlightDiagnostic diagnostic = op->emitOpError() << violation.rule << ": "
                                                      << violation.message;
    if (start > 0)
      diagnostic.attachNote()
          << "cycles count from cycle " << start << ", the loop boundary ahead";
    isSound = false;
  }
  if (!isSound)
    return failure();
  return start + solution->makespan;
}

FailureOr<int64_t> ScheduleVerifier::verifyLoop(const ProgramItem &item,
                                                int64_t start) {
  LoopLikeOpInterface loop = item.loop;
  if (nextLoop == schedule.getLoops().size())
    return emitError(loop.getLoc())
           << "S9: the function's llm.schedule has no record for it";
  LoopPeriodAttr record = schedule.getLoops()[nextLoop++];
  FailureOr<int64_t> period = verifyItems(item.body, 0);
  if (failed(period))
    return failure();
  if (record.getTrips() != item.trips || record.getPeriodCycles() != *period ||
      record.getStartCycle() != start)
    return emitError(loop.getLoc())
           << "S9: the function's llm.schedule says start_cycle = "
           << record.getStartCycle()
           << ", period_cycles = " << record.getPeriodCycles()
           << ", trips = " << record.getTrips() << "; derived are " << start
           << ", " << *period << " and " << item.trips;
  std::optional<int64_t> length = checkedMul(*period, item.trips);
  std::optional<int64_t> end =
      length ? checkedAdd(start, *length) : std::nullopt;
  if (!end)
    return emitError(loop.getLoc()) << "it ends after cycle 2^61 - 1";
  return *end;
}

FailureOr<int64_t> ScheduleVerifier::verifyItems(ArrayRef<ProgramItem> items,
                                                 int64_t start) {
  for (const ProgramItem &item : items) {
    FailureOr<int64_t> end = item.isLoop() ? verifyLoop(item, start)
                                           : verifyStretch(item.ops, start);
    if (failed(end))
      return failure();
    start = *end;
  }
  return start;
}

LogicalResult ScheduleVerifier::expect(StringRef what, int64_t found,
                                       int64_t derived) {
  if (found == derived)
    return success();
  return emitFunctionError(program.function())
         << "S9: llm.schedule says " << what << " = " << found
         << ", derived is " << derived;
}

/// Checks the proven bound. It is not derived again, but it must lie between
/// the lower bound and the makespan.
LogicalResult ScheduleVerifier::verifyProven() {
  int64_t proven = schedule.getProvenCycles();
  if (proven == 0 || (proven >= schedule.getLowerBoundCycles() &&
                      proven <= schedule.getMakespanCycles()))
    return success();
  return emitFunctionError(program.function())
         << "S9: llm.schedule says proven_cycles = " << proven
         << ", expected at least the lower bound of "
         << schedule.getLowerBoundCycles() << " and at most the makespan of "
         << schedule.getMakespanCycles()
         << "; leave it out of a schedule by hand";
}

LogicalResult ScheduleVerifier::verifySummary(int64_t makespan) {
  FailureOr<ProgramBounds> bounds = computeBounds(program, target);
  if (failed(bounds) ||
      failed(
          expect("makespan_cycles", schedule.getMakespanCycles(), makespan)) ||
      failed(expect("lower_bound_cycles", schedule.getLowerBoundCycles(),
                    bounds->lowerBoundCycles)) ||
      failed(expect("roofline_cycles", schedule.getRooflineCycles(),
                    bounds->rooflineCycles)) ||
      failed(verifyProven()) ||
      failed(expect("the number of loops", schedule.getLoops().size(),
                    nextLoop)) ||
      failed(expect("the number of bounds", schedule.getBounds().size(),
                    bounds->byName.size())))
    return failure();
  // A schedule that obeys the rules is no shorter than the bound, unless a cost
  // is wrong.
  if (makespan < bounds->lowerBoundCycles && schedule.isMeasured())
    return emitFunctionError(program.function())
           << "S9: was measured to take " << makespan
           << " cycles, less than its lower bound of "
           << bounds->lowerBoundCycles
           << ": the machine is faster than the figures of target '"
           << target.name << "' say";
  if (makespan < bounds->lowerBoundCycles)
    return emitFunctionError(program.function())
           << "S9: its makespan of " << makespan
           << " cycles is below its lower bound of " << bounds->lowerBoundCycles
           << ": no schedule of these ops is that short; please report this "
              "program";
  for (auto &[name, cycles] : bounds->byName) {
    if (!schedule.getBounds().contains(name))
      return emitFunctionError(program.function())
             << "S9: llm.schedule has no bound " << name << ", derived is "
             << cycles;
    if (failed(expect("bound " + name, getAmount(schedule.getBounds(), name),
                      cycles)))
      return failure();
  }
  return success();
}

LogicalResult ScheduleVerifier::run() {
  FailureOr<int64_t> makespan = verifyItems(program.items(), 0);
  return failed(makespan) ? failure() : verifySummary(*makespan);
}

static LogicalResult verify(const Program &program, const Target &target) {
  if (failed(checkCosts(program, target)))
    return failure();
  FunctionOpInterface function = program.function();
  auto schedule =
      function->getAttrOfType<ScheduleAttr>(LlmDialect::scheduleAttrName);
  if (!schedule)
    return emitFunctionError(function)
           << "has no schedule; run --llm-schedule first";
  return ScheduleVerifier(program, target, schedule).run();
}

namespace {
struct LlmVerifySchedulePass
    : ProgramPass<llm::impl::LlmVerifySchedulePassBase<LlmVerifySchedulePass>> {
  using ProgramPass::ProgramPass;

  ::llvm::cl::Option *getAnyOption() override { return &capacity; }

  void runOnOperation() override {
    if (functionsWithBody(getOperation()).empty())
      return;
    FailureOr<Target> target = requireTarget(*this, getOperation());
    if (failed(target))
      return signalPassFailure();
    if (failed(forEachProgram(getOperation(), [&](const Program &program) {
          if (failed(verify(program, *target)))
            return failure();
          return capacity ? checkCapacity(program, *target) : success();
        })))
      return signalPassFailure();
    auto module = dyn_cast<ModuleOp>(getOperation());
    if (module && failed(verifyPipeline(module, *target)))
      signalPassFailure();
  }
};
} // namespace
