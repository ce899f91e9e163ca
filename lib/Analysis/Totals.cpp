//===- Totals.cpp - What a whole program computes and keeps ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Analysis/Totals.h"
#include "llm/Interfaces/Counts.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

Count mlir::llm::countWork(WorkloadOpInterface op, const Workload &workload,
                           WorkKind kind) {
  int64_t total = 0;
  SmallVector<Interval, 6> box = workload.fullBox();
  for (auto [index, stage] : llvm::enumerate(workload.stages))
    for (auto [stageKind, perPoint] : stage.workPerPoint)
      if (stageKind == kind &&
          failed(accumulate(total, op.countPoints(workload, index, box),
                            perPoint)))
        return failure();
  return total;
}

namespace {
/// Sources that show the same weight or the same rows are equal: those with the
/// same name and indices.
struct SameSource : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *source) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(source), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};

/// How the program uses a weight.
struct WeightUse {
  bool isContracted = false;
  int64_t slices = 1,
          slicesPerToken = 1; ///< of experts, how many a token takes
};
using WeightUses = llvm::DenseMap<Operation *, WeightUse, SameSource>;
} // namespace

static LogicalResult emitOverflow(Operation *op) {
  return op->emitOpError()
         << "has a share of the program's totals that is above 2^61 - 1, or a "
            "type whose bytes are not known";
}

/// How many of the states that `runs` writes give are there in the end: none
/// where another write replaces the state, and one for all trips of a loop that
/// carries it on.
static int64_t countFinalStates(Value state, int64_t runs) {
  for (OpOperand &use : state.getUses())
    if (isa<CacheUpdateOpInterface>(use.getOwner()))
      return 0;
  for (OpOperand &use : state.getUses()) {
    Operation *around = use.getOwner()->getParentOp();
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      continue;
    // Handed on by a kernel of several ops.
    if (isa<WorkloadOpInterface>(around))
      return countFinalStates(around->getResult(use.getOperandNumber()), runs);
    auto loop = dyn_cast<LoopLikeOpInterface>(around);
    if (!loop)
      continue;
    std::optional<ResultRange> results = loop.getLoopResults();
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (results && trips && use.getOperandNumber() < results->size())
      return countFinalStates((*results)[use.getOperandNumber()],
                              runs / trips->getZExtValue());
  }
  return runs;
}

static LogicalResult addUpdate(CacheUpdateOpInterface update, int64_t count,
                               Totals &totals) {
  if (failed(
          accumulate(totals.kvWriteBytes, update.countWrittenBytes(), count)) ||
      failed(accumulate(totals.kvElements, update.countValidElements(),
                        countFinalStates(update->getResult(0), count))))
    return failure();
  return success();
}

static LogicalResult addOp(WorkloadOpInterface op, int64_t count,
                           Totals &totals, WeightUses &uses) {
  FailureOr<Workload> workload =
      op.getWorkload([&] { return op->emitOpError(); });
  if (failed(workload))
    return failure();
  if (failed(accumulate(totals.macs, countWork(op, *workload, WorkKind::Mac),
                        count)))
    return emitOverflow(op);
  for (const Buffer &buffer : workload->buffers)
    for (SourceOpInterface source : findSources(buffer.value).sources) {
      WeightUse &use = uses[source];
      use.isContracted |= workload->isContracted(buffer);
      if (buffer.slices > 0) {
        use.slices = buffer.slices;
        use.slicesPerToken = buffer.slicesPerToken;
      }
    }
  // It may be one of the ops in a kernel.
  WalkResult updates = op->walk([&](CacheUpdateOpInterface update) {
    return WalkResult(addUpdate(update, count, totals));
  });
  return updates.wasInterrupted() ? emitOverflow(op) : success();
}

static LogicalResult addSource(SourceOpInterface source, int64_t count,
                               const WeightUse &use, Totals &totals) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(source->getResultTypes(), isTensor))
    return success(); // a whole cache: its rows count when they are read
  if (source.getSourceKind() == SourceKind::Cache)
    return accumulate(totals.kvReadBytes, source.countShownBytes(), count);
  for (Value result : source->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    Count bytes = storageBytes(type);
    Count elements =
        failed(bytes) ? Count(failure()) : Count(type.getNumElements());
    Count active = succeeded(elements)
                       ? Count(*elements / use.slices * use.slicesPerToken)
                       : Count(failure());
    if (failed(accumulate(totals.weightBytes, bytes, count)) ||
        failed(accumulate(totals.parameters, elements, count)) ||
        failed(accumulate(totals.activeParameters, active, count)) ||
        (use.isContracted &&
         failed(accumulate(totals.matmulWeightElements, elements, count))))
      return failure();
  }
  return success();
}

FailureOr<Totals> mlir::llm::computeTotals(const Program &program) {
  Totals totals;
  WeightUses uses;
  llvm::DenseSet<Operation *, SameSource> counted;
  for (const ProgramOp &op : program.ops())
    if (failed(addOp(op.op, op.count, totals, uses)))
      return failure();
  for (auto [source, count] : program.sources()) {
    bool isWeight = source.getSourceKind() == SourceKind::Weight;
    if (isWeight && !counted.insert(source).second)
      continue;
    // Without an index it is one weight, however often the program meets it.
    int64_t weights = isWeight && source->getNumOperands() == 0 ? 1 : count;
    if (failed(addSource(source, weights, uses.lookup(source), totals)))
      return emitOverflow(source);
  }
  return totals;
}
