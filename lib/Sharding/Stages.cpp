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

/// Whether the steps fit into so many stages of at most `limit` each.
static bool fit(ArrayRef<Step> steps, int64_t stages, double limit) {
  double sum = 0;
  for (const Step &step : steps) {
    if (sum + step.seconds > limit) {
      --stages;
      sum = 0;
    }
    sum += step.seconds;
    if (sum > limit)
      return false;
  }
  return stages >= 1;
}

/// Returns the least length of the longest stage, as near as doubles tell.
static double findLimit(ArrayRef<Step> steps, int64_t stages) {
  double least = 0, most = 0;
  for (const Step &step : steps)
    most += step.seconds;
  constexpr unsigned halvings = 60;
  for (unsigned i = 0; i < halvings; ++i) {
    double middle = least + (most - least) / 2;
    (fit(steps, stages, middle) ? most : least) = middle;
  }
  return most;
}

/// Returns the stage of each step. Each stage has one step at least.
static SmallVector<int64_t> chooseStages(ArrayRef<Step> steps, int64_t stages) {
  double limit = findLimit(steps, stages), sum = 0;
  SmallVector<int64_t> chosen;
  int64_t stage = 0;
  for (auto [index, step] : llvm::enumerate(steps)) {
    int64_t left = static_cast<int64_t>(steps.size() - index);
    bool mustLeave = left == stages - 1 - stage;
    if (index > 0 && stage + 1 < stages &&
        (sum + step.seconds > limit || mustLeave)) {
      ++stage;
      sum = 0;
    }
    sum += step.seconds;
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
           << " stages (pp=" << stages << ")";
  writeStages(*steps, chooseStages(*steps, stages));
  return success();
}
