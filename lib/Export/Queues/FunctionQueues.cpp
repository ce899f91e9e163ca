//===- FunctionQueues.cpp - The queues of a function's schedule -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionQueues.h"
#include "llm/Results/Staleness.h"
#include "llm/Support/Units.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Follows the program as the schedule's verifier does.
class QueueBuilder {
public:
  QueueBuilder(FunctionQueues &function, const Target &target)
      : function(function), program(*function.program), target(target) {}
  LogicalResult run();

private:
  /// Visits items that start at cycle `start`; returns the cycle where they
  /// end.
  FailureOr<int64_t> visitItems(ArrayRef<ProgramItem> items, int64_t start);
  FailureOr<int64_t> visitLoop(const ProgramItem &item, int64_t start);
  FailureOr<int64_t> visitStretch(ArrayRef<unsigned> ops, int64_t start);
  LogicalResult readOps(StretchQueues &stretch, ArrayRef<unsigned> ops);
  LogicalResult checkRules(const StretchQueues &stretch) const;
  void remarkShortages(const StretchQueues &stretch) const;

  FunctionQueues &function;
  const Program &program;
  const Target &target;
  size_t nextLoop = 0;
};
} // namespace

static FailureOr<QueuedOp> readOp(const ProgramOp &entry, unsigned index,
                                  const Target &target) {
  FailureOr<OpOnTarget> context = OpOnTarget::get(entry.op, target);
  if (failed(context))
    return failure();
  Operation *op = entry.op;
  DictionaryAttr cuts =
      op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName).getSplit();
  FailureOr<Split> split = Split::get(*context, cuts);
  if (failed(split))
    return failure();
  QueuedOp queued{index, std::move(*split), {}, {}};
  for (auto [number, loop] : llvm::enumerate(context->workload.loops)) {
    queued.loops.push_back(loop);
    if (cuts && cuts.contains(loop.name))
      queued.cutLoops.push_back(number);
  }
  return queued;
}

LogicalResult QueueBuilder::readOps(StretchQueues &stretch,
                                    ArrayRef<unsigned> ops) {
  FailureOr<scheduling::Problem> problem = makeProblem(program, ops, target);
  if (failed(problem))
    return failure();
  FailureOr<scheduling::Solution> solution =
      readSolution(program, ops, *problem, stretch.startCycle);
  if (failed(solution))
    return failure();
  stretch.problem = std::move(*problem);
  stretch.solution = std::move(*solution);
  for (unsigned index : ops) {
    FailureOr<QueuedOp> op = readOp(program.ops()[index], index, target);
    if (failed(op))
      return failure();
    stretch.ops.push_back(std::move(*op));
  }
  return success();
}

LogicalResult QueueBuilder::checkRules(const StretchQueues &stretch) const {
  for (const scheduling::Violation &violation :
       scheduling::verify(stretch.problem, stretch.solution, 1)) {
    Operation *op = program.ops()[stretch.ops[violation.task].index].op;
    return op->emitOpError()
           << "breaks rule " << violation.rule << " (" << violation.message
           << "), so that queues would block or overwrite what is in use: "
              "run --llm-schedule again, or --llm-verify-schedule to see all "
              "that is wrong";
  }
  return success();
}

void QueueBuilder::remarkShortages(const StretchQueues &stretch) const {
  for (const scheduling::AddressShortage &shortage :
       stretch.addresses.shortages)
    remark::missed(program.function().getLoc(),
                   remark::RemarkOpts::name("addresses")
                       .category("llm-export-queues")
                       .function(symbolOf(program.function())))
        << remark::reason("the private memory of {0}[{1}] holds all that lives "
                          "at a time, but not each piece in one range: {2} "
                          "bytes are missing, its entries have no addresses",
                          stretch.problem.engines[shortage.engine.group].name,
                          shortage.engine.index, shortage.missingBytes)
        << remark::metric("missing_bytes", shortage.missingBytes);
}

FailureOr<int64_t> QueueBuilder::visitStretch(ArrayRef<unsigned> ops,
                                              int64_t start) {
  StretchQueues stretch;
  stretch.startCycle = start;
  if (failed(readOps(stretch, ops)) || failed(checkRules(stretch)))
    return failure();
  stretch.endCycle = start + stretch.solution.makespan;
  stretch.addresses =
      scheduling::allocateAddresses(stretch.problem, stretch.solution);
  stretch.queues = scheduling::makeQueues(stretch.problem, stretch.solution,
                                          stretch.addresses);
  remarkShortages(stretch);
  function.stretches.push_back(std::move(stretch));
  return function.stretches.back().endCycle;
}

FailureOr<int64_t> QueueBuilder::visitLoop(const ProgramItem &item,
                                           int64_t start) {
  LoopPeriodAttr record = function.timeline.schedule().getLoops()[nextLoop++];
  FailureOr<int64_t> period = visitItems(item.body, 0);
  if (failed(period))
    return failure();
  if (record.getStartCycle() != start || record.getPeriodCycles() != *period) {
    LoopLikeOpInterface loop = item.loop;
    return loop->emitOpError()
           << "starts at cycle " << start << " and takes " << *period
           << " an iteration by the slots, but by the schedule it starts at "
           << record.getStartCycle() << " and takes "
           << record.getPeriodCycles() << ": run --llm-schedule again";
  }
  // Timeline::create has checked that this fits.
  return start + *period * item.trips;
}

FailureOr<int64_t> QueueBuilder::visitItems(ArrayRef<ProgramItem> items,
                                            int64_t start) {
  for (const ProgramItem &item : items) {
    FailureOr<int64_t> end =
        item.isLoop() ? visitLoop(item, start) : visitStretch(item.ops, start);
    if (failed(end))
      return failure();
    start = *end;
  }
  return start;
}

LogicalResult QueueBuilder::run() {
  return failure(failed(visitItems(program.items(), 0)));
}

FailureOr<FunctionQueues> FunctionQueues::create(FunctionOpInterface function,
                                                 const Target &target) {
  FunctionQueues queues;
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program))
    return failure();
  queues.program = std::make_unique<Program>(std::move(*program));
  Warnings warnings;
  FailureOr<Timeline> timeline = Timeline::create(*queues.program, warnings);
  if (failed(timeline) || failed(checkCosts(*queues.program, target)))
    return failure();
  queues.timeline = std::move(*timeline);
  if (failed(QueueBuilder(queues, target).run()))
    return failure();
  return queues;
}
