//===- Partition.cpp - The program of one chip ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First, while all types are those of the whole program, each value is given
// the cut that it has, and each operand the cut that its op needs. Then, op by
// op, values become pieces, and collectives stand where the two differ.
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"
#include "Experts.h"
#include "Keys.h"
#include "LoopCuts.h"
#include "OpenSizes.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Sharding/Summands.h"
#include "llm/Workload/Slices.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// What becomes of one op.
struct OpPlan {
  Workload workload; ///< of the whole op; without loops of one that is no work
  LoopCuts loops;
  OpCuts cuts;
};

class Partitioner {
public:
  Partitioner(FunctionOpInterface function, GridAttr grid, ExpertRoom room)
      : function(function), grid(grid), room(room),
        rewriter(function.getContext()), roles(AxisRoles::get(grid)),
        exchanges(grid, rewriter, cuts) {}

  LogicalResult run();

private:
  LogicalResult planOp(Operation *op);
  void planLoop(LoopLikeOpInterface loop);
  void planCarried(Operation *op, OpPlan &plan) const;
  OpPlan planView(Operation *op) const;
  void putOffSums(Operation *op, OpPlan &plan) const;
  void addExpertSums(Operation *op, OpPlan &plan) const;
  /// The cut of a value that is not free.
  Cut cutOf(Value value) const { return llm::cutOf(cuts, value); }

  LogicalResult rewriteOp(Operation *op);
  void placeLoops(Operation *op, const OpPlan &plan);
  /// Replaces an op whose results over parts of a loop are joined.
  LogicalResult joinParts(JoinableOpInterface op, const OpPlan &plan,
                          Type expected);
  /// Gives the operands of the op the cuts that it needs.
  LogicalResult convertOperands(Operation *op, ArrayRef<Cut> needed);
  FailureOr<Value> convert(Operation *op, Value value, const Cut &needed);
  FailureOr<Value> takePiece(Operation *op, Value value, const Cut &cut);
  void eraseUnused();

  FunctionOpInterface function;
  GridAttr grid;
  ExpertRoom room;
  IRRewriter rewriter;
  AxisRoles roles;
  DenseMap<Value, Cut> batchCuts; ///< of arguments of the function
  DenseMap<Value, Cut> cuts;
  DenseMap<Operation *, OpPlan> plans;
  ByCut<Value> pieces; ///< of free values
  Exchanges exchanges;
};
} // namespace

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// A view shows pieces if some operand is cut so that it can. Of operands that
/// are whole, a chip then takes its piece.
OpPlan Partitioner::planView(Operation *op) const {
  std::optional<Cut> cut, shown;
  for (Value operand : op->getOperands()) {
    if (shown || sizesOf(operand.getType()).empty())
      continue;
    Cut own = cutOf(operand);
    // A view of one summand is a summand of what the view shows.
    if (llvm::count_if(op->getOperandTypes(), [](Type type) {
          return !sizesOf(type).empty();
        }) > 1)
      own.partial.clear();
    if (own.isWhole())
      continue;
    cut = own;
    shown = cutThroughView(op, own, grid);
  }
  OpPlan plan;
  plan.cuts = OpCuts::whole(op);
  if (!shown)
    return plan;
  for (Cut &operand : plan.cuts.operands)
    if (!operand.dims.empty())
      operand = *cut;
  for (Cut &result : plan.cuts.results)
    result = *shown;
  return plan;
}

/// Sums are put off behind an op that makes summands of summands.
void Partitioner::putOffSums(Operation *op, OpPlan &plan) const {
  auto linear = dyn_cast<SummandOpInterface>(op);
  if (!linear || op->getNumResults() != 1)
    return;
  SmallVector<unsigned, 2> operands = linear.getSummandOperands();
  auto partial = cutOf(op->getOperand(operands.front())).partial;
  for (unsigned operand : operands)
    if (isFree(op->getOperand(operand)) ||
        cutOf(op->getOperand(operand)).partial != partial)
      return;
  for (unsigned operand : operands)
    plan.cuts.operands[operand].partial = partial;
  SmallVector<StringAttr, 2> &sums = plan.cuts.results.front().partial;
  llvm::append_range(sums, partial);
  sortAxes(sums, grid);
}

/// What a chip makes of the rows of its own experts is a summand.
void Partitioner::addExpertSums(Operation *op, OpPlan &plan) const {
  auto experts = dyn_cast<ExpertsOpInterface>(op);
  ArrayAttr own = experts ? experts.getOwnAxes() : ArrayAttr();
  if (!own || experts.makesRows())
    return;
  SmallVector<StringAttr, 2> &sums = plan.cuts.results.front().partial;
  llvm::append_range(sums, own.getAsRange<StringAttr>());
  sortAxes(sums, grid);
}

/// What a loop carries stays with the chips that share sequences, or rows of
/// tokens, and is whole otherwise.
void Partitioner::planLoop(LoopLikeOpInterface loop) {
  std::optional<ResultRange> results = loop.getLoopResults();
  if (!results)
    return;
  for (auto [init, argument, result] :
       llvm::zip_equal(loop.getInits(), loop.getRegionIterArgs(), *results)) {
    auto given = batchCuts.find(init);
    Cut cut = given == batchCuts.end() ? cutOf(init) : given->second;
    cut.partial.clear();
    Cut bySequences = restrictTo(cut, roles.batch);
    auto rows = rowsOfCarried(function, init, bySequences, grid, roles.rows);
    cuts[argument] = cuts[result] = rows ? *rows : bySequences;
  }
}

/// Of a loop, and of what ends its body.
void Partitioner::planCarried(Operation *op, OpPlan &plan) const {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (loop && loop.getLoopResults()) {
    for (auto [init, argument] :
         llvm::zip_equal(loop.getInitsMutable(), loop.getRegionIterArgs()))
      plan.cuts.operands[init.getOperandNumber()] = cutOf(argument);
    for (auto [result, argument] :
         llvm::zip_equal(op->getResults(), loop.getRegionIterArgs()))
      plan.cuts.results[result.getResultNumber()] = cutOf(argument);
  }
  auto around = dyn_cast_or_null<LoopLikeOpInterface>(op->getParentOp());
  if (around && op->hasTrait<OpTrait::IsTerminator>() &&
      around.getYieldedValuesMutable())
    for (auto [yielded, argument] : llvm::zip_equal(
             *around.getYieldedValuesMutable(), around.getRegionIterArgs()))
      plan.cuts.operands[yielded.getOperandNumber()] = cutOf(argument);
}

LogicalResult Partitioner::planOp(Operation *op) {
  if (op->getNumResults() > 0 && isFree(op->getResult(0)))
    return success(); // each use takes its piece
  OpPlan plan;
  if (isViewOfPieces(op)) {
    plan = planView(op);
  } else if (auto work = dyn_cast<WorkloadOpInterface>(op)) {
    FailureOr<Workload> workload =
        workloadForCuts(work, [&] { return op->emitOpError(); });
    if (failed(workload))
      return failure();
    plan.workload = std::move(*workload);
    FailureOr<LoopCuts> loops = readShard(op, plan.workload, grid);
    if (failed(loops))
      return failure();
    plan.loops = std::move(*loops);
    std::string reason;
    std::optional<OpCuts> own =
        cutsOf(op, plan.workload, plan.loops, grid, reason);
    if (!own) // cut-C3
      return op->emitOpError() << "cannot be cut over chips: it " << reason;
    plan.cuts = std::move(*own);
    addExpertSums(op, plan);
    putOffSums(op, plan);
  } else {
    plan.cuts = OpCuts::whole(op);
    planCarried(op, plan);
    for (auto [operand, cut] :
         llvm::zip_equal(op->getOperands(), plan.cuts.operands))
      if (!isFree(operand) && asksForWholeDim(op, cutOf(operand)))
        cut = cutOf(operand);
  }
  for (auto [result, cut] :
       llvm::zip_equal(op->getResults(), plan.cuts.results))
    cuts[result] = cut;
  plans[op] = std::move(plan);
  return success();
}

//===----------------------------------------------------------------------===//
// Pieces of weights and caches
//===----------------------------------------------------------------------===//

/// A source that is a piece already, of some of the experts, is cut further.
static ShardAttr pieceAttribute(Operation *source, Type type, const Cut &cut) {
  MLIRContext *context = source->getContext();
  auto before = source->getAttrOfType<ShardAttr>(LlmDialect::pieceAttrName);
  NamedAttrList entries(before ? before.getLoops() : DictionaryAttr());
  for (auto [dim, axes] : llvm::enumerate(cut.dims))
    if (!axes.empty())
      entries.set(nameOfPieceDim(type, dim), toShardEntry(context, axes));
  if (!cut.partial.empty())
    entries.set("summand", toAttribute(context, cut.partial));
  return ShardAttr::get(context, entries.getDictionary(context));
}

FailureOr<Value> Partitioner::takePiece(Operation *op, Value value,
                                        const Cut &cut) {
  if (cut.isWhole())
    return value;
  if (const Value *piece = pieces.find(value, cut))
    return *piece;
  Operation *source = value.getDefiningOp();
  IRMapping map;
  if (isViewOfPieces(source)) {
    std::optional<Cut> behind = cutBehindView(source, cut, grid);
    if (!behind)
      return op->emitOpError()
             << "needs a piece of what a view of a weight or cache shows, "
                "which is no piece of that weight or cache";
    behind->partial = cut.partial;
    for (Value operand : source->getOperands()) {
      if (sizesOf(operand.getType()).empty())
        continue;
      FailureOr<Value> piece = takePiece(op, operand, *behind);
      if (failed(piece))
        return failure();
      map.map(operand, *piece);
    }
  }
  rewriter.setInsertionPointAfter(source);
  Operation *clone = rewriter.clone(*source, map);
  if (isViewOfPieces(source)) {
    shrinkView(clone, cut, grid);
  } else {
    clone->setAttr(LlmDialect::pieceAttrName,
                   pieceAttribute(source, value.getType(), cut));
    clone->getResult(0).setType(pieceOf(value.getType(), cut, grid));
  }
  Value piece = clone->getResult(cast<OpResult>(value).getResultNumber());
  for (auto [own, of] :
       llvm::zip_equal(clone->getResults(), source->getResults()))
    pieces.note(of, cut, own);
  return piece;
}

//===----------------------------------------------------------------------===//
// What ops need
//===----------------------------------------------------------------------===//

FailureOr<Value> Partitioner::convert(Operation *op, Value value,
                                      const Cut &needed) {
  if (isFree(value))
    return takePiece(op, value, needed);
  if (needed.partial.empty())
    value = exchanges.sumUpPieces(value, needed);
  if (cutOf(value).partial != needed.partial)
    value = exchanges.sumUp(value);
  if (cutOf(value).dims != needed.dims &&
      !isa<RankedTensorType>(value.getType()))
    return op->emitOpError()
           << "needs a cache or a state otherwise than it is cut before";
  // What chips have of other rows or columns is there before they take theirs.
  value = exchanges.moveCuts(value, needed);
  for (size_t dim = 0; dim < needed.dims.size(); ++dim)
    if (Axes own = cutOf(value).dims[dim]; own != needed.dims[dim]) {
      size_t kept = countKeptAxes(own, needed.dims[dim]);
      if (kept < own.names.size())
        value = exchanges.gatherAlong(value, dim, kept);
    }
  for (size_t dim = 0; dim < needed.dims.size(); ++dim)
    if (cutOf(value).dims[dim] != needed.dims[dim])
      value = exchanges.takeOwn(op, value, dim, needed.dims[dim]);
  return value;
}

//===----------------------------------------------------------------------===//
// The program of one chip
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::convertOperands(Operation *op,
                                           ArrayRef<Cut> needed) {
  for (auto [operand, cut] : llvm::zip_equal(op->getOpOperands(), needed)) {
    if (cut.dims.empty())
      continue; // no tensor, or a scalar
    FailureOr<Value> value = convert(op, operand.get(), cut);
    if (failed(value))
      return failure();
    operand.set(*value);
  }
  return success();
}

void Partitioner::placeLoops(Operation *op, const OpPlan &plan) {
  auto sliceable = dyn_cast<SliceableOpInterface>(op);
  if (!sliceable || !isCut(plan.loops))
    return;
  IterationBox box;
  for (auto [loop, axes] : llvm::zip_equal(plan.workload.loops, plan.loops)) {
    box.offsets.push_back(rewriter.getIndexAttr(0));
    box.sizes.push_back(
        rewriter.getIndexAttr(loop.extent / countChips(axes, grid)));
  }
  rewriter.setInsertionPoint(op);
  sliceable.placeSlice(rewriter, plan.workload, box, op);
}

LogicalResult Partitioner::joinParts(JoinableOpInterface op,
                                     const OpPlan &plan, Type expected) {
  Axes axes{plan.loops[*plan.workload.findLoop(op.getJoinedLoop())].names};
  auto inFront = [&](Value value) {
    rewriter.setInsertionPoint(op);
    return value;
  };
  rewriter.setInsertionPoint(op);
  Value joined = op.joinParts(
      rewriter, countChips(axes, grid),
      [&](Value part) {
        return inFront(
            exchanges.swapParts(part, axes.names, op.getJoinedDim()));
      },
      [&](Value operand) {
        return inFront(exchanges.takeOwn(op, operand, /*dim=*/0, axes));
      });
  if (joined.getType() != expected)
    return op->emitOpError() << "is joined to " << joined.getType()
                             << ", and not to the " << expected
                             << " that one chip should have";
  Value whole = op->getResult(0);
  cuts[joined] = plan.cuts.results.front();
  cuts.erase(whole);
  whole.replaceAllUsesWith(joined);
  plans.erase(op);
  rewriter.eraseOp(op);
  return success();
}

/// Whether the op is cut along a loop over which its results are joined.
static bool hasParts(JoinableOpInterface op, const OpPlan &plan) {
  return op && llvm::any_of(llvm::zip_equal(plan.workload.loops, plan.loops),
                            [&](auto each) {
                              auto &[loop, axes] = each;
                              return loop.name == op.getJoinedLoop() &&
                                     !axes.empty();
                            });
}

LogicalResult Partitioner::rewriteOp(Operation *op) {
  auto found = plans.find(op);
  if (found == plans.end())
    return success();
  const OpPlan &plan = found->second;
  SmallVector<Type> expected;
  for (auto [result, cut] :
       llvm::zip_equal(op->getResults(), plan.cuts.results))
    expected.push_back(cut.dims.empty() ? result.getType()
                                        : pieceOf(result.getType(), cut, grid));
  if (failed(convertOperands(op, plan.cuts.operands)))
    return failure();
  Axes positions = axesOfPositions(op, grid);
  if (!positions.empty())
    cast<KvWriteOp>(op).setOwnAttr(
        toAttribute(op->getContext(), positions.names));
  op->removeAttr(LlmDialect::shardAttrName);
  if (isViewOfPieces(op)) {
    if (!plan.cuts.results.front().isWhole())
      shrinkView(op, plan.cuts.results.front(), grid);
    return success();
  }
  if (isa<LoopLikeOpInterface>(op))
    for (auto [result, type] : llvm::zip_equal(op->getResults(), expected))
      result.setType(type);
  if (!isCut(plan.loops) && positions.empty())
    return success();
  placeLoops(op, plan);
  if (auto joinable = dyn_cast<JoinableOpInterface>(op);
      hasParts(joinable, plan))
    return joinParts(joinable, plan, expected.front());
  if (failed(inferResults(op)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), expected))
    if (result.getType() != type)
      return op->emitOpError()
             << "makes " << result.getType() << " of its pieces, and not the "
             << type << " that one chip should have; leave it whole";
  return success();
}

/// Erases weights and caches of which all uses took pieces.
void Partitioner::eraseUnused() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isViewOfPieces(op) || isa<SourceOpInterface>(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

LogicalResult Partitioner::run() {
  auto takeOfExperts = [&](Operation *op, Value value, const Cut &cut) {
    return takePiece(op, value, cut);
  };
  auto takePieces = [&](LoopLikeOpInterface loop) {
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (auto cut = cuts.find(argument); cut != cuts.end())
        if (!cut->second.isWhole())
          argument.setType(pieceOf(argument.getType(), cut->second, grid));
  };
  FailureOr<DenseMap<Value, Cut>> ofArguments =
      findBatchCuts(function, grid, roles.batch);
  if (failed(ofArguments) ||
      failed(partitionExperts(function, grid, room, takeOfExperts)))
    return failure();
  batchCuts = std::move(*ofArguments);
  readWhatIsWritten(function, grid);
  if (failed(forEachOp(
          function, [&](Operation *op) { return planOp(op); },
          [&](LoopLikeOpInterface loop) { planLoop(loop); })) ||
      failed(forEachOp(
          function, [&](Operation *op) { return rewriteOp(op); }, takePieces)))
    return failure();
  eraseUnused();
  return success();
}

LogicalResult mlir::llm::partitionFunction(FunctionOpInterface function,
                                           GridAttr grid, ExpertRoom room) {
  return Partitioner(function, grid, room).run();
}
