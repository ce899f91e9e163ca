//===- Stages.cpp - Which layers are in which stage of a pipeline ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Sharding/Sharding.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// What stays together: the ops of a layer, or one iteration of a loop.
struct Step {
  SmallVector<Operation *, 1> ops; ///< or the loop
  double seconds = 0;
};

/// The steps of a function, in its order.
class StepFinder {
public:
  StepFinder(FunctionOpInterface function,
             function_ref<FailureOr<double>(Operation *)> secondsOf)
      : function(function), secondsOf(secondsOf) {}

  FailureOr<std::vector<Step>> run();

private:
  LogicalResult addOp(Operation *op);
  LogicalResult addLoop(LoopLikeOpInterface loop);
  FailureOr<double> secondsOfBody(LoopLikeOpInterface loop);

  FunctionOpInterface function;
  function_ref<FailureOr<double>(Operation *)> secondsOf;
  std::vector<Step> steps;
  StringRef layer; ///< of the last step, if that is part of one
};
} // namespace

/// Returns the beginning of a name that says which layer the op is of, such as
/// "model.layers.3"; empty if it is of none.
static StringRef layerOf(StringRef name) {
  for (size_t begin = 0; begin < name.size();) {
    size_t end = std::min(name.find('.', begin), name.size());
    StringRef part = name.slice(begin, end);
    if (!part.empty() && llvm::all_of(part, llvm::isDigit))
      return name.take_front(end);
    begin = end + 1;
  }
  return "";
}

LogicalResult StepFinder::addOp(Operation *op) {
  FailureOr<double> seconds = secondsOf(op);
  if (failed(seconds))
    return failure();
  StringRef own = layerOf(cast<WorkloadOpInterface>(op).getWorkloadName());
  if (own.empty() || own != layer)
    steps.emplace_back();
  layer = own;
  steps.back().ops.push_back(op);
  steps.back().seconds += *seconds;
  return success();
}

FailureOr<double> StepFinder::secondsOfBody(LoopLikeOpInterface loop) {
  double sum = 0;
  for (Region *region : loop.getLoopRegions())
    for (Operation &op : region->getOps()) {
      FailureOr<double> own = 0.0;
      double times = 1;
      if (auto inner = dyn_cast<LoopLikeOpInterface>(op)) {
        own = secondsOfBody(inner);
        if (std::optional<APInt> trips = inner.getStaticTripCount())
          times = trips->roundToDouble();
      } else if (isa<WorkloadOpInterface>(op)) {
        own = secondsOf(&op);
      }
      if (failed(own))
        return failure();
      sum += times * *own;
    }
  return sum;
}

LogicalResult StepFinder::addLoop(LoopLikeOpInterface loop) {
  constexpr uint64_t mostTrips = 1 << 20;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->ugt(mostTrips))
    return loop->emitOpError()
           << "needs a constant trip count of at most " << mostTrips
           << " to lie in stages of a pipeline";
  FailureOr<double> seconds = secondsOfBody(loop);
  if (failed(seconds))
    return failure();
  layer = "";
  steps.insert(steps.end(), trips->getZExtValue(), Step{{loop}, *seconds});
  return success();
}

FailureOr<std::vector<Step>> StepFinder::run() {
  for (Operation &op : function.getFunctionBody().getOps()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (loop && !isa<WorkloadOpInterface>(op)) {
      if (failed(addLoop(loop)))
        return failure();
    } else if (isa<WorkloadOpInterface>(op) && failed(addOp(&op))) {
      return failure();
    }
  }
  return std::move(steps);
}

/// Returns how many stages of at most `limit` each the steps from each one on
/// need, filled from the front; for the end of all, 0.
static std::vector<int64_t> countNeeded(ArrayRef<Step> steps, double limit) {
  std::vector<int64_t> needed(steps.size() + 1, 0);
  double sum = 0;
  size_t end = steps.size(); ///< of the stage that begins with the step
  for (size_t begin = steps.size(); begin-- > 0;) {
    sum += steps[begin].seconds;
    while (sum > limit && end > begin + 1)
      sum -= steps[--end].seconds;
    needed[begin] = 1 + needed[end];
  }
  return needed;
}

/// Returns the least length of the longest stage, as near as doubles tell.
static double findLimit(ArrayRef<Step> steps, int64_t stages) {
  double least = 0, most = 0;
  for (const Step &step : steps) {
    least = std::max(least, step.seconds);
    most += step.seconds;
  }
  constexpr unsigned halvings = 60;
  for (unsigned i = 0; i < halvings; ++i) {
    double middle = least + (most - least) / 2;
    (countNeeded(steps, middle).front() <= stages ? most : least) = middle;
  }
  // Sums of doubles depend on their order.
  constexpr double slack = 1 + 1e-12;
  return most * slack;
}

/// Returns the stage of each step. The longest stage is as short as it can be,
/// and the others are about equal. Each has one step at least.
static SmallVector<int64_t> chooseStages(ArrayRef<Step> steps, int64_t stages) {
  double limit = findLimit(steps, stages), own = 0, rest = 0;
  std::vector<int64_t> needed = countNeeded(steps, limit);
  for (const Step &step : steps)
    rest += step.seconds;
  SmallVector<int64_t> chosen;
  int64_t stage = 0, ownSteps = 0;
  for (auto [index, step] : llvm::enumerate(steps)) {
    int64_t behind = stages - 1 - stage; ///< stages after this one
    bool isFull = own + step.seconds > limit ||
                  own + step.seconds / 2 > (own + rest) / double(behind + 1);
    bool mustLeave = static_cast<int64_t>(steps.size() - index) == behind;
    if (ownSteps > 0 && behind > 0 &&
        (mustLeave || (isFull && needed[index] <= behind))) {
      ++stage;
      own = 0;
      ownSteps = 0;
    }
    ++ownSteps;
    own += step.seconds;
    rest -= step.seconds;
    chosen.push_back(stage);
  }
  return chosen;
}

static void writeStages(ArrayRef<Step> steps, ArrayRef<int64_t> chosen) {
  DenseMap<Operation *, SmallVector<int64_t>> iterations;
  for (auto [step, stage] : llvm::zip_equal(steps, chosen))
    for (Operation *op : step.ops) {
      Builder builder(op->getContext());
      if (isa<WorkloadOpInterface>(op)) {
        op->setAttr(LlmDialect::stageAttrName,
                    builder.getI64IntegerAttr(stage));
        continue;
      }
      SmallVector<int64_t> &counts = iterations[op];
      counts.resize(stage + 1);
      ++counts.back();
    }
  for (auto &[loop, counts] : iterations)
    loop->setAttr(LlmDialect::stageAttrName,
                  DenseI64ArrayAttr::get(loop->getContext(), counts));
}

LogicalResult mlir::llm::assignStages(
    FunctionOpInterface function, int64_t stages,
    function_ref<FailureOr<double>(Operation *)> secondsOf) {
  for (Operation &op : function.getFunctionBody().getOps())
    if (op.hasAttr(LlmDialect::stageAttrName))
      return success();
  FailureOr<std::vector<Step>> steps = StepFinder(function, secondsOf).run();
  if (failed(steps))
    return failure();
  if (steps->size() < static_cast<size_t>(stages))
    return emitError(function.getLoc())
           << "function '" << function.getName() << "' has " << steps->size()
           << " layers and ops beside them, too few for " << stages
           << " stages";
  writeStages(*steps, chooseStages(*steps, stages));
  return success();
}
