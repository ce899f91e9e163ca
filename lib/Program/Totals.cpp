//===- Totals.cpp - What a whole program computes and keeps ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Program/Totals.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;

/// The work of all stages whose kinds `isCounted` picks.
static Count
sumWork(WorkloadOpInterface op, const Workload &workload,
        llvm::function_ref<bool(const Stage &, WorkKind)> isCounted) {
  int64_t total = 0;
  SmallVector<Interval, 6> box = workload.fullBox();
  for (auto [index, stage] : llvm::enumerate(workload.stages))
    for (auto [kind, perPoint] : stage.workPerPoint)
      if (isCounted(stage, kind) &&
          failed(accumulate(total, op.countPoints(workload, index, box),
                            perPoint)))
        return failure();
  return total;
}

Count mlir::llm::countWork(WorkloadOpInterface op, const Workload &workload,
                           WorkKind kind) {
  return sumWork(op, workload,
                 [&](const Stage &, WorkKind own) { return own == kind; });
}

Count mlir::llm::countPipeWork(WorkloadOpInterface op, const Workload &workload,
                               WorkKind pipe) {
  return sumWork(op, workload, [&](const Stage &stage, WorkKind own) {
    return stage.pipeOf(own) == pipe;
  });
}

namespace {
/// Compares sources. Those that show the same weight or the same rows are
/// equal, which are those with the same name and indices.
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
          slicesPerToken = 1; ///< slices that a token takes (experts)
};
using WeightUses = llvm::DenseMap<Operation *, WeightUse, SameSource>;
} // namespace

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

/// Whether the source is a whole cache. Other sources show rows of it.
static bool showsWholeObject(SourceOpInterface source) {
  return !llvm::all_of(source->getResultTypes(), isTensor);
}

/// Finds the loops whose iteration `index` depends on, through arithmetic.
static void findIndexLoops(Value index,
                           llvm::SmallPtrSetImpl<Operation *> &loops) {
  llvm::SmallSetVector<Value, 4> worklist;
  worklist.insert(index);
  for (size_t next = 0; next < worklist.size(); ++next) {
    Value value = worklist[next];
    if (!value.getType().isIntOrIndex())
      continue;
    if (Operation *op = value.getDefiningOp())
      worklist.insert_range(op->getOperands());
    else
      loops.insert(value.getParentBlock()->getParentOp());
  }
}

/// Counts the weights or caches that a source shows. There is one for each
/// iteration of the loops that its indices count, however many other loops are
/// around it.
static int64_t countObjects(SourceOpInterface source) {
  llvm::SmallPtrSet<Operation *, 2> loops;
  for (Value index : source->getOperands())
    if (index.getType().isIndex())
      findIndexLoops(index, loops);
  int64_t objects = 1;
  for (Operation *around : loops)
    if (auto loop = dyn_cast<LoopLikeOpInterface>(around))
      objects *= loop.getStaticTripCount()->getZExtValue();
  return objects; // at most its runs, which were counted
}

static LogicalResult emitOverflow(Operation *op) {
  return op->emitOpError()
         << "has a share of the program's totals that is above 2^61 - 1, or a "
            "type whose bytes are not known";
}

/// Counts the states that are there in the end, among those that `runs` writes
/// give. There are none if another write replaces the state, and one for all
/// trips of a loop that carries it on.
static int64_t countFinalStates(Value state, int64_t runs) {
  for (OpOperand &use : state.getUses())
    if (isa<CacheUpdateOpInterface>(use.getOwner()))
      return 0;
  for (OpOperand &use : state.getUses()) {
    Operation *around = use.getOwner()->getParentOp();
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      continue;
    // A kernel of several ops gives the state as its result.
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

static LogicalResult addState(StateType state, int64_t count, Totals &totals) {
  if (!state.hasStaticShape())
    return success();
  return success(
      succeeded(accumulate(totals.stateBytes, storageBytes(state), count)) &&
      succeeded(accumulate(totals.stateElements,
                           state.asTensor().getNumElements(), count)));
}

/// Adds states of every step, which are there beside the state that is read.
static LogicalResult addKeptStates(StateUpdateOpInterface update, int64_t count,
                                   Totals &totals) {
  auto next = dyn_cast<StateType>(update.getNewState().getType());
  return next && next != update.getOldState().getType()
             ? addState(next, count, totals)
             : success();
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
  // The update may be an op in a kernel.
  WalkResult updates = op->walk([&](CacheUpdateOpInterface update) {
    return WalkResult(addUpdate(update, count, totals));
  });
  if (auto update = dyn_cast<StateUpdateOpInterface>(op.getOperation());
      update && failed(addKeptStates(update, count, totals)))
    return emitOverflow(op);
  return updates.wasInterrupted() ? emitOverflow(op) : success();
}

/// Adds the room of whole caches. (Their rows count when they are read.) A
/// cache whose size is still open is used by no op that takes time.
static LogicalResult addCaches(ValueRange values, int64_t count,
                               Totals &totals) {
  for (Value value : values) {
    if (auto state = dyn_cast<StateType>(value.getType());
        state && failed(addState(state, count, totals)))
      return failure();
    if (auto cache = dyn_cast<KvCacheType>(value.getType());
        cache && cache.hasStaticShape() &&
        failed(accumulate(totals.cacheBytes, storageBytes(cache), count)))
      return failure();
  }
  return success();
}

/// Rows of a cache that the program reads, and does not write.
static LogicalResult addUnwritten(SourceOpInterface read, int64_t count,
                                  Totals &totals) {
  auto cache = read->getOperand(0).getDefiningOp<SourceOpInterface>();
  Count shown = read.countShownBytes();
  for (Value rows : read->getResults()) {
    Count room = storageBytes(rows.getType());
    if (!cache || failed(shown) || failed(room))
      continue;
    // Some sequences have fewer rows than the tensor.
    Count ofAll =
        times(cast<RankedTensorType>(rows.getType()).getNumElements(), *shown);
    auto vectors = static_cast<int64_t>(read->getNumResults());
    if (failed(ofAll) ||
        failed(accumulate(totals.kvElements, *ofAll / vectors / *room, count)))
      return failure();
  }
  return success();
}

static LogicalResult addSource(SourceOpInterface source, int64_t count,
                               const WeightUse &use, Totals &totals) {
  if (showsWholeObject(source))
    return addCaches(source->getResults(), count, totals);
  if (source.getSourceKind() == SourceKind::Cache)
    return success(succeeded(accumulate(totals.kvReadBytes,
                                        source.countShownBytes(), count)) &&
                   succeeded(addUnwritten(source, count, totals)));
  for (Value result : source->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    Count bytes = storageBytes(type);
    // A table of whole numbers, such as that of experts by token, has no
    // parameters.
    Count elements = failed(bytes) ? Count(failure())
                     : type.getElementType().isSignlessInteger()
                         ? Count(int64_t(0))
                         : Count(type.getNumElements());
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

/// Counts the pieces that `llm.piece` makes of a source.
static int64_t countPieces(SourceOpInterface source, GridAttr grid) {
  auto piece = source->getAttrOfType<ShardAttr>(LlmDialect::pieceAttrName);
  int64_t pieces = 1;
  if (piece)
    for (NamedAttribute cut : piece.getLoops())
      pieces *= grid.countChips(cast<ArrayAttr>(cut.getValue()));
  return pieces;
}

/// Returns how many chips share a function. Others of the grid run other stages
/// of a pipeline.
static int64_t countSharingChips(FunctionOpInterface function, GridAttr grid) {
  auto stage = function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
  return grid.countChips() / (stage ? stage.countPlaces() : 1);
}

/// Notes what a chip holds beyond an equal share of an object that is there
/// `count` times.
static void addNotCut(SourceOpInterface source, int64_t count, int64_t chips,
                      GridAttr grid, Totals &totals) {
  Count bytes = storageBytesOf(source->getResults());
  int64_t pieces = countPieces(source, grid);
  auto held = succeeded(bytes) ? checkedMul(*bytes, count) : std::nullopt;
  if (held && pieces < chips)
    totals.notCut.push_back(
        {source, int64_t(double(*held) * (1 - double(pieces) / chips))});
}

/// Notes the zeros of a weight that is there `count` times.
static void addPadding(SourceOpInterface source, int64_t count, GridAttr grid,
                       Totals &totals) {
  auto unpadded =
      source->getAttrOfType<DenseI64ArrayAttr>(LlmDialect::unpaddedAttrName);
  Count bytes = storageBytesOf(source->getResults());
  if (!unpadded || failed(bytes))
    return;
  double share = 1; // of elements that are there
  for (auto [own, padded] : llvm::zip_equal(
           unpadded.asArrayRef(),
           cast<RankedTensorType>(source->getResult(0).getType()).getShape()))
    share *= double(own) / double(padded);
  share /= double(countPieces(source, grid));
  totals.padded.push_back(
      {source, double(*bytes) * double(count) * (1 - share)});
}

FailureOr<Totals> mlir::llm::computeTotals(const Program &program) {
  Totals totals;
  WeightUses uses;
  llvm::DenseSet<Operation *, SameSource> counted;
  GridAttr grid = GridAttr::ofModule(program.function());
  for (const ProgramOp &op : program.ops())
    if (failed(addOp(op.op, op.count, totals, uses)))
      return failure();
  for (auto [source, count] : program.sources()) {
    bool isObject = source.getSourceKind() == SourceKind::Weight ||
                    showsWholeObject(source);
    if (isObject && !counted.insert(source).second)
      continue;
    int64_t shown = isObject ? countObjects(source) : count;
    if (isObject && grid)
      addNotCut(source, shown, countSharingChips(program.function(), grid),
                grid, totals);
    if (isObject && grid)
      addPadding(source, shown, grid, totals);
    if (failed(addSource(source, shown, uses.lookup(source), totals)))
      return emitOverflow(source);
  }
  FunctionOpInterface function = program.function();
  if (failed(addCaches(function.getArguments(), 1, totals)))
    return emitFunctionError(function)
           << "has caches that take more than 2^61 - 1 bytes";
  return totals;
}
