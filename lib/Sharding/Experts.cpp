//===- Experts.cpp - Experts that lie on different chips ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Experts.h"
#include "LoopCuts.h"
#include "OpenSizes.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// The rows of one chip
//===----------------------------------------------------------------------===//

/// The rows of the experts of the chip that has most. Its experts are those of
/// one rank, r, r + chips, r + 2 chips, ..
static SmallVector<int64_t> rowsOfHeaviest(ArrayRef<int64_t> rows,
                                           int64_t chips) {
  SmallVector<int64_t> heaviest;
  int64_t most = -1;
  for (int64_t rank = 0; rank < chips; ++rank) {
    SmallVector<int64_t> own;
    for (size_t expert = rank; expert < rows.size(); expert += chips)
      own.push_back(rows[expert]);
    int64_t sum = std::accumulate(own.begin(), own.end(), int64_t(0));
    if (sum > most) {
      most = sum;
      heaviest = std::move(own);
    }
  }
  return heaviest;
}

SmallVector<int64_t> mlir::llm::rowsAtMost(int64_t experts,
                                           RankedTensorType choices) {
  int64_t rows =
      choices.getDimSize(0) * std::min(experts, choices.getDimSize(1));
  SmallVector<int64_t> own;
  for (int64_t expert = 0; expert < experts; ++expert)
    own.push_back(rows / experts + (expert < rows % experts));
  return own;
}

/// Gives an op the types that follow from rows of one chip.
static LogicalResult updateTypes(Operation *op, int64_t rows) {
  if (!isViewOfPieces(op))
    return inferResults(op);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<int64_t> sizes(slice.getStaticSizes());
    sizes[0] = rows;
    slice.setStaticSizes(sizes);
  }
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = rows;
    result.setType(type.clone(shape));
  }
  return success();
}

LogicalResult mlir::llm::setRows(const ExpertRegion &region, ArrayAttr axes,
                                 ArrayRef<int64_t> rowsOfExperts) {
  int64_t rows =
      std::accumulate(rowsOfExperts.begin(), rowsOfExperts.end(), int64_t(0));
  for (Operation *op : region.ops) {
    if (auto own = dyn_cast<ExpertsOpInterface>(op))
      own.takeOwn(axes, rows, rowsOfExperts);
    if (failed(updateTypes(op, rows)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The program of one chip
//===----------------------------------------------------------------------===//

namespace {
class ExpertPartitioner {
public:
  ExpertPartitioner(GridAttr grid, ExpertRoom room, TakePiece takePiece)
      : grid(grid), room(room), takePiece(takePiece) {}

  LogicalResult run(ExpertsOpInterface begin);

private:
  LogicalResult takePieces(ExpertsOpInterface op);

  GridAttr grid;
  ExpertRoom room;
  TakePiece takePiece;
  Axes axes; ///< of the region at hand
};
} // namespace

static Attribute entryOf(Operation *op) {
  auto shard = op->getAttrOfType<ShardAttr>(LlmDialect::shardAttrName);
  return shard ? shard.getLoops().get(expertsEntry) : Attribute();
}

static void removeEntry(Operation *op) {
  auto shard = op->getAttrOfType<ShardAttr>(LlmDialect::shardAttrName);
  NamedAttrList entries(shard.getLoops());
  entries.erase(expertsEntry);
  if (entries.empty())
    op->removeAttr(LlmDialect::shardAttrName);
  else
    op->setAttr(LlmDialect::shardAttrName,
                ShardAttr::get(op->getContext(),
                               entries.getDictionary(op->getContext())));
}

/// All ops of a region have the entry of the first one.
static LogicalResult checkEntries(const ExpertRegion &region) {
  Operation *begin = region.begin;
  for (Operation *op : region.experts)
    if (entryOf(op) != entryOf(begin)) { // cut-C4
      InFlightDiagnostic error = op->emitOpError()
                                 << "shares its experts among other chips than "
                                    "the op that makes its rows";
      error.attachNote(begin->getLoc()) << "which is here";
      return error;
    }
  return success();
}

/// Takes the pieces of the chip's own experts of what an op has for each.
LogicalResult ExpertPartitioner::takePieces(ExpertsOpInterface op) {
  for (unsigned number : op.getOperandsByExpert()) {
    Value value = op->getOperand(number);
    auto *source = value.getDefiningOp();
    if (!source || !isa<SourceOpInterface>(source)) // cut-C4
      return op->emitOpError()
             << "cannot have its experts cut over axis '"
             << axes.names.front().getValue()
             << "': what it has for each of them is no weight";
    Cut cut = Cut::whole(sizesOf(value.getType()).size());
    cut.dims.front() = axes;
    FailureOr<Value> piece = takePiece(op, value, cut);
    if (failed(piece))
      return failure();
    op->setOperand(number, *piece);
  }
  return success();
}

LogicalResult ExpertPartitioner::run(ExpertsOpInterface begin) {
  axes = fromShardEntry(entryOf(begin), grid);
  int64_t chips = countChips(axes, grid);
  if (chips == 1)
    return success();
  FailureOr<ExpertRegion> region = findExpertRegion(begin, axes, grid);
  if (failed(region) || failed(checkEntries(*region)) ||
      failed(checkExpertsDivide(*region, axes, grid)))
    return failure();
  for (Operation *op : region->experts)
    removeEntry(op);
  int64_t experts = region->rows.size();
  if (experts > chips) // one of each `chips` neighbours
    axes.segments.assign(experts / chips, chips);
  SmallVector<int64_t> rows =
      room == ExpertRoom::All
          ? rowsAtMost(experts / chips,
                       cast<RankedTensorType>(begin.getChoice().getType()))
          : rowsOfHeaviest(region->rows, chips);
  for (ExpertsOpInterface op : region->experts)
    if (failed(takePieces(op)))
      return failure();
  return setRows(*region, toAttribute(begin->getContext(), axes.names), rows);
}

LogicalResult mlir::llm::partitionExperts(FunctionOpInterface function,
                                          GridAttr grid, ExpertRoom room,
                                          TakePiece takePiece) {
  ExpertPartitioner partitioner(grid, room, takePiece);
  SmallVector<ExpertsOpInterface> begins, others;
  WalkResult walk = function.walk([&](ExpertsOpInterface op) -> WalkResult {
    if (!entryOf(op))
      return success();
    (beginsExperts(op) ? begins : others).push_back(op);
    FailureOr<Workload> workload = workloadForCuts(op);
    return failure(failed(workload) || failed(readShard(op, *workload, grid)));
  });
  if (walk.wasInterrupted())
    return failure();
  for (ExpertsOpInterface begin : begins)
    if (failed(partitioner.run(begin)))
      return failure();
  for (ExpertsOpInterface op :
       llvm::concat<ExpertsOpInterface>(begins, others)) {
    if (!entryOf(op))
      continue;
    if (countChips(fromShardEntry(entryOf(op), grid), grid) == 1)
      removeEntry(op);
    else // cut-C4
      return op->emitOpError() << "shares its experts among chips, and the op "
                                  "that makes its rows does not";
  }
  return success();
}
