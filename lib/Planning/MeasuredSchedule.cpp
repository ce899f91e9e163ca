//===- MeasuredSchedule.cpp - What ran, as a schedule ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/MeasuredSchedule.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Planning/PlaceItems.h"
#include "llm/Planning/ProgramBounds.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

static constexpr StringLiteral takes = "was measured to take";

namespace {
class MeasuredScheduler {
public:
  MeasuredScheduler(const Program &program, const Target &target,
                    ArrayRef<double> nanosecondsOf, unsigned threads)
      : program(program), target(target), nanosecondsOf(nanosecondsOf),
        threads(threads) {}

  LogicalResult run(StringRef maker);

private:
  FailureOr<int64_t> placeStretch(ArrayRef<unsigned> stretch, int64_t start);
  FailureOr<int64_t> placeOp(const scheduling::Problem &problem, unsigned task,
                             unsigned op, int64_t start);
  InFlightDiagnostic emitOverflow() {
    return emitTooManyCycles(program, takes);
  }

  const Program &program;
  const Target &target;
  ArrayRef<double> nanosecondsOf;
  unsigned threads;
};

/// Parts of an op on the engines of its group, in rows. The parts of a row run
/// at once.
struct Rows {
  Rows(const scheduling::Task &task, int64_t engines)
      : count(scheduling::countParts(task.parts)),
        isLastAlone(task.lastCombines && count > 1),
        columns(task.chains.areThere() ? 1 : engines),
        rows(llvm::divideCeil(count - isLastAlone, columns) + isLastAlone) {}

  int64_t rowOf(int64_t part) const {
    return isLastAlone && part == count - 1 ? rows - 1 : part / columns;
  }
  int64_t engineOf(int64_t part) const {
    return isLastAlone && part == count - 1 ? 0 : part % columns;
  }

  int64_t count;
  bool isLastAlone; ///< the last part joins the others' results
  int64_t columns, rows;
};
} // namespace

/// Returns the lanes that move the bytes of a slot if they are held all along
/// it.
static std::vector<int64_t> averageLanes(const scheduling::Problem &problem,
                                         const scheduling::Part &part,
                                         int64_t cycles) {
  std::vector<int64_t> lanes;
  for (auto [resource, bytes] :
       llvm::zip_equal(problem.resources, part.bytes)) {
    double perCycle = double(resource.bytesPerSecond) / double(problem.clockHz);
    double share =
        double(bytes) / (perCycle * double(std::max<int64_t>(cycles, 1)));
    lanes.push_back(std::min<int64_t>(
        resource.lanes,
        static_cast<int64_t>(std::ceil(share * double(resource.lanes)))));
  }
  return lanes;
}

FailureOr<int64_t>
MeasuredScheduler::placeOp(const scheduling::Problem &problem, unsigned task,
                           unsigned op, int64_t start) {
  const scheduling::Task &own = problem.tasks[task];
  double cycles = std::round(nanosecondsOf[op] * 1e-9 * double(target.clockHz));
  if (!(cycles >= 0 && cycles < double(maxCount)))
    return emitOverflow();
  auto length = static_cast<int64_t>(cycles);
  unsigned group = own.group.value_or(0);
  Rows rows(own, std::min<int64_t>(threads, problem.engines[group].count));
  auto startOf = [&](int64_t row) {
    return start +
           static_cast<int64_t>(cycles * double(row) / double(rows.rows));
  };
  std::optional<int64_t> end = checkedAdd(start, length);
  if (!end)
    return emitOverflow();
  // Parts of a row have equal times, because only the op was measured.
  std::vector<scheduling::Slot> slots;
  for (const scheduling::Part &part : own.parts)
    for (int64_t i = 0; i < part.count; ++i) {
      scheduling::Slot slot;
      auto number = static_cast<int64_t>(slots.size());
      slot.task = task;
      slot.part = number;
      int64_t row = rows.rowOf(number);
      slot.engine = {group, static_cast<unsigned>(rows.engineOf(number))};
      slot.start = startOf(row);
      slot.end = row + 1 == rows.rows ? *end : startOf(row + 1);
      slot.lanes = averageLanes(problem, part, slot.end - slot.start);
      for (unsigned other : own.with)
        slot.with.push_back({other, 0});
      slots.push_back(std::move(slot));
    }
  SmallVector<const scheduling::Slot *> pointers;
  for (const scheduling::Slot &slot : slots)
    pointers.push_back(&slot);
  Operation *operation = program.ops()[op].op;
  operation->setAttr(
      LlmDialect::slotsAttrName,
      makeSlots(operation->getContext(), problem, pointers, /*offset=*/0));
  return *end;
}

FailureOr<int64_t> MeasuredScheduler::placeStretch(ArrayRef<unsigned> stretch,
                                                   int64_t start) {
  FailureOr<scheduling::Problem> problem =
      makeProblem(program, stretch, target);
  if (failed(problem))
    return failure();
  for (auto [task, op] : llvm::enumerate(stretch)) {
    FailureOr<int64_t> end = placeOp(*problem, task, op, start);
    if (failed(end))
      return failure();
    start = *end;
  }
  return start;
}

LogicalResult MeasuredScheduler::run(StringRef maker) {
  FailureOr<ProgramBounds> bounds = computeBounds(program, target);
  if (failed(bounds))
    return failure();
  FailureOr<PlacedItems> placed = placeItems(
      program, takes, [&](ArrayRef<unsigned> stretch, int64_t start, int64_t) {
        return placeStretch(stretch, start);
      });
  if (failed(placed))
    return failure();
  FunctionOpInterface function = program.function();
  MLIRContext *context = function.getContext();
  SmallVector<std::pair<StringRef, int64_t>> byName(bounds->byName.begin(),
                                                    bounds->byName.end());
  auto policy = StringAttr::get(context, ScheduleAttr::getMeasuredPolicy() +
                                             ", " + maker);
  function->setAttr(
      LlmDialect::scheduleAttrName,
      ScheduleAttr::get(
          context, policy, placed->endCycle, bounds->lowerBoundCycles,
          getAmounts(context, byName), bounds->rooflineCycles,
          /*options=*/StringAttr(), /*provenCycles=*/0, placed->loops));
  return success();
}

LogicalResult mlir::llm::writeMeasuredSchedule(const Program &program,
                                               const Target &target,
                                               ArrayRef<double> nanosecondsOf,
                                               unsigned threads,
                                               StringRef maker) {
  return MeasuredScheduler(program, target, nanosecondsOf, threads).run(maker);
}
