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

#include "LoopCuts.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Sharding/Summands.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
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
  Partitioner(FunctionOpInterface function, GridAttr grid)
      : function(function), grid(grid), rewriter(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult planOp(Operation *op);
  OpPlan planView(Operation *op) const;
  void putOffSums(Operation *op, OpPlan &plan);
  /// The cut of a value that is not free.
  Cut cutOf(Value value) const {
    auto found = cuts.find(value);
    return found == cuts.end() ? Cut::whole(sizesOf(value.getType()).size())
                               : found->second;
  }

  LogicalResult rewriteOp(Operation *op);
  /// Gives the operands of the op the cuts that it needs.
  LogicalResult convertOperands(Operation *op, ArrayRef<Cut> needed);
  FailureOr<Value> convert(Operation *op, Value value, const Cut &needed);
  FailureOr<Value> takePiece(Operation *op, Value value, const Cut &cut);
  Value sumUp(Value value);
  Value gatherAlong(Value value, size_t dim);
  Value sliceAlong(Value value, size_t dim, int64_t begin, int64_t size);
  Value sortSegments(Value value, size_t dim, const Axes &axes);
  Value takeOwn(Operation *op, Value value, size_t dim, const Axes &axes);
  template <typename Op, typename... Args>
  Value exchange(Value value, StringRef suffix, Cut cut, Args &&...args);
  void eraseUnused();

  FunctionOpInterface function;
  GridAttr grid;
  IRRewriter rewriter;
  DenseMap<Value, Cut> cuts;
  DenseMap<Operation *, OpPlan> plans;
  /// Pieces of free values, sums and gathered values, by what they are made of.
  ByCut<Value> pieces;
  DenseMap<Value, Value> sums;
  DenseMap<std::pair<Value, unsigned>, Value> gathered;
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
    if (op->getNumOperands() > 1)
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
void Partitioner::putOffSums(Operation *op, OpPlan &plan) {
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
  llvm::append_range(plan.cuts.results.front().partial, partial);
}

LogicalResult Partitioner::planOp(Operation *op) {
  if (op->getNumResults() > 0 && isFree(op->getResult(0)))
    return success(); // each use takes its piece
  OpPlan plan;
  if (isViewOfPieces(op)) {
    plan = planView(op);
  } else if (auto work = dyn_cast<WorkloadOpInterface>(op)) {
    FailureOr<Workload> workload =
        work.getWorkload([&] { return op->emitOpError(); });
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
    putOffSums(op, plan);
  } else {
    plan.cuts = OpCuts::whole(op);
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

/// The names of dimensions in `llm.piece`.
static std::string nameOfDim(Type type, size_t dim) {
  if (isa<KvCacheType>(type)) {
    constexpr StringLiteral names[] = {"batch", "capacity", "kv_heads",
                                       "head_dim"};
    return names[dim].str();
  }
  return "d" + std::to_string(dim);
}

static ShardAttr pieceAttribute(MLIRContext *context, Type type,
                                const Cut &cut) {
  NamedAttrList entries;
  for (auto [dim, axes] : llvm::enumerate(cut.dims))
    if (!axes.empty())
      entries.set(nameOfDim(type, dim), toShardEntry(context, axes));
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
                   pieceAttribute(op->getContext(), value.getType(), cut));
    clone->getResult(0).setType(pieceOf(value.getType(), cut, grid));
  }
  Value piece = clone->getResult(cast<OpResult>(value).getResultNumber());
  for (auto [own, of] :
       llvm::zip_equal(clone->getResults(), source->getResults()))
    pieces.note(of, cut, own);
  return piece;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// The name of the op whose result a value shows; empty if it has none.
static std::string nameOfProducer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto work = dyn_cast<WorkloadOpInterface>(op))
      return work.getWorkloadName().str();
    if (op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return {};
}

template <typename Op, typename... Args>
Value Partitioner::exchange(Value value, StringRef suffix, Cut cut,
                            Args &&...args) {
  Operation *producer = value.getDefiningOp();
  rewriter.setInsertionPointAfter(producer);
  std::string name = nameOfProducer(value);
  StringAttr attribute =
      name.empty() ? StringAttr()
                   : rewriter.getStringAttr(name + "." + suffix.str());
  auto op =
      Op::create(rewriter, producer->getLoc(), std::forward<Args>(args)...);
  if (attribute)
    op.setNameAttr(attribute);
  cuts[op.getOut()] = std::move(cut);
  return op.getOut();
}

Value Partitioner::sumUp(Value value) {
  auto [sum, isNew] = sums.try_emplace(value);
  if (!isNew)
    return sum->second;
  Cut cut = cutOf(value);
  ArrayAttr axes = toAttribute(value.getContext(), cut.partial);
  cut.partial.clear();
  Value out = exchange<AllReduceOp>(value, "all_reduce", cut, value.getType(),
                                    StringAttr(), Join::Sum, value, axes);
  return sums[value] = out;
}

Value Partitioner::gatherAlong(Value value, size_t dim) {
  auto [whole, isNew] = gathered.try_emplace({value, unsigned(dim)});
  if (!isNew)
    return whole->second;
  Cut cut = cutOf(value);
  Axes axes = std::exchange(cut.dims[dim], Axes());
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= countChips(axes, grid);
  Value out = exchange<AllGatherOp>(
      value, "all_gather", cut, type.clone(shape), StringAttr(), value,
      toAttribute(value.getContext(), axes.names), int64_t(dim));
  if (!axes.segments.empty())
    out = sortSegments(out, dim, axes);
  return gathered[{value, unsigned(dim)}] = out;
}

Value Partitioner::sliceAlong(Value value, size_t dim, int64_t begin,
                              int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      strides(type.getRank(), rewriter.getIndexAttr(1)), sizes;
  for (int64_t own : type.getShape())
    sizes.push_back(rewriter.getIndexAttr(own));
  offsets[dim] = rewriter.getIndexAttr(begin);
  sizes[dim] = rewriter.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(rewriter, value.getLoc(), value,
                                        offsets, sizes, strides);
}

/// A gathered value has the piece of one chip behind that of another. Each
/// segment is put together from the pieces of it. That is a view.
Value Partitioner::sortSegments(Value value, size_t dim, const Axes &axes) {
  rewriter.setInsertionPointAfter(value.getDefiningOp());
  int64_t chips = countChips(axes, grid), begin = 0,
          ofChip =
              cast<RankedTensorType>(value.getType()).getDimSize(dim) / chips;
  SmallVector<Value> parts;
  for (int64_t segment : axes.segments) {
    int64_t size = segment / chips;
    for (int64_t chip = 0; chip < chips; ++chip)
      parts.push_back(sliceAlong(value, dim, chip * ofChip + begin, size));
    begin += size;
  }
  Value sorted = tensor::ConcatOp::create(rewriter, value.getLoc(), dim, parts);
  cuts[sorted] = cutOf(value);
  return sorted;
}

/// A chip takes its piece where it is needed: that takes no time.
Value Partitioner::takeOwn(Operation *op, Value value, size_t dim,
                           const Axes &axes) {
  rewriter.setInsertionPoint(op);
  Cut only = Cut::whole(cutOf(value).dims.size());
  only.dims[dim] = {axes.names};
  ArrayAttr names = toAttribute(value.getContext(), axes.names);
  SmallVector<Value> parts;
  int64_t begin = 0, size = sizesOf(value.getType())[dim];
  for (int64_t segment : segmentsOf(axes, size)) {
    Value whole =
        axes.segments.empty() ? value : sliceAlong(value, dim, begin, segment);
    parts.push_back(TakePieceOp::create(rewriter, op->getLoc(),
                                        pieceOf(whole.getType(), only, grid),
                                        whole, names, int64_t(dim)));
    begin += segment;
  }
  Value piece =
      parts.size() == 1
          ? parts.front()
          : tensor::ConcatOp::create(rewriter, op->getLoc(), dim, parts);
  Cut cut = cutOf(value);
  cut.dims[dim] = axes;
  cuts[piece] = cut;
  return piece;
}

FailureOr<Value> Partitioner::convert(Operation *op, Value value,
                                      const Cut &needed) {
  if (isFree(value))
    return takePiece(op, value, needed);
  if (cutOf(value).partial != needed.partial)
    value = sumUp(value);
  for (size_t dim = 0; dim < needed.dims.size(); ++dim) {
    Cut cut = cutOf(value);
    if (cut.dims[dim] == needed.dims[dim])
      continue;
    if (!isa<RankedTensorType>(value.getType()))
      return op->emitOpError()
             << "needs a cache or a state otherwise than it is cut before";
    if (!cut.dims[dim].empty())
      value = gatherAlong(value, dim);
    if (!needed.dims[dim].empty())
      value = takeOwn(op, value, dim, needed.dims[dim]);
  }
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
  op->removeAttr(LlmDialect::shardAttrName);
  if (isViewOfPieces(op)) {
    if (!plan.cuts.results.front().isWhole())
      shrinkView(op, plan.cuts.results.front(), grid);
    return success();
  }
  if (!isCut(plan.loops))
    return success();
  if (auto sliceable = dyn_cast<SliceableOpInterface>(op)) {
    IterationBox box;
    for (auto [loop, axes] : llvm::zip_equal(plan.workload.loops, plan.loops)) {
      box.offsets.push_back(rewriter.getIndexAttr(0));
      box.sizes.push_back(
          rewriter.getIndexAttr(loop.extent / countChips(axes, grid)));
    }
    rewriter.setInsertionPoint(op);
    sliceable.placeSlice(rewriter, plan.workload, box, op);
  }
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
  if (failed(forEachOp(function, [&](Operation *op) { return planOp(op); })) ||
      failed(forEachOp(function, [&](Operation *op) { return rewriteOp(op); })))
    return failure();
  eraseUnused();
  return success();
}

LogicalResult mlir::llm::partitionFunction(FunctionOpInterface function,
                                           GridAttr grid) {
  return Partitioner(function, grid).run();
}
