//===- ExpertRegion.cpp - What works on the rows of experts ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Experts.h"
#include "LoopCuts.h"
#include "OpenSizes.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

bool mlir::llm::beginsExperts(Operation *op) {
  auto experts = dyn_cast<ExpertsOpInterface>(op);
  return experts && experts.makesRows() && !experts.getRowsOperand();
}

/// Begins to say why chips cannot share the experts.
static InFlightDiagnostic refuseExperts(Operation *begin, const Axes &axes) {
  return begin->emitOpError() // cut-C4
         << "cannot have its experts cut over axis '"
         << axes.names.front().getValue() << "': ";
}

namespace {
/// Follows rows from op to op.
class RegionFinder {
public:
  RegionFinder(ExpertsOpInterface begin, const Axes &axes, GridAttr grid)
      : axes(axes), grid(grid) {
    region.begin = begin;
  }

  FailureOr<ExpertRegion> run();

private:
  /// Says why an op that reads rows needs those of all experts. Empty if it
  /// does not.
  std::string add(Operation *op);
  std::string addExperts(ExpertsOpInterface op);
  bool showsRows(Operation *view) const;
  bool worksByRow(Operation *op) const;
  bool isRows(Value value) const { return rows.contains(value); }

  InFlightDiagnostic refuse() const {
    return refuseExperts(region.begin, axes);
  }

  const Axes &axes;
  GridAttr grid;
  ExpertRegion region;
  DenseSet<Value> rows;
};
} // namespace

/// Whether the slice has all of the first dimension.
static bool hasAllRows(tensor::ExtractSliceOp slice) {
  return slice.getStaticOffset(0) == 0 && slice.getStaticStride(0) == 1 &&
         slice.getStaticSize(0) == slice.getSourceType().getDimSize(0) &&
         !slice.getDroppedDims()[0];
}

bool RegionFinder::showsRows(Operation *view) const {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return hasAllRows(slice);
  if (auto op = dyn_cast<tensor::ConcatOp>(view))
    return op.getDim() != 0 &&
           llvm::all_of(op->getOperands(), [&](Value v) { return isRows(v); });
  return isa<tensor::CastOp>(view);
}

/// Whether each row of the results is made of one row of each operand that has
/// rows, by a loop over rows that nothing else has.
bool RegionFinder::worksByRow(Operation *op) const {
  FailureOr<Workload> workload = workloadForCuts(op);
  if (failed(workload) || !isa<InferTypeOpInterface>(op))
    return false;
  auto isMade = [&](Value value) {
    return isRows(value) || llvm::is_contained(op->getResults(), value);
  };
  std::optional<unsigned> loop;
  for (const Buffer &buffer : workload->buffers)
    if (isRows(buffer.value) && buffer.map.getNumResults() > 0)
      if (auto dim = dyn_cast<AffineDimExpr>(buffer.map.getResult(0)))
        loop = dim.getPosition();
  if (!loop || !workload->loops[*loop].isTileable() ||
      workload->loops[*loop].kind != utils::IteratorType::parallel)
    return false;
  AffineExpr row = getAffineDimExpr(*loop, op->getContext());
  return llvm::all_of(workload->buffers, [&](const Buffer &buffer) {
    if (buffer.role == Buffer::Role::Temporary)
      return true;
    if (!isMade(buffer.value))
      return !buffer.map.isFunctionOfDim(*loop);
    ArrayRef<AffineExpr> indices = buffer.map.getResults();
    return indices.size() == sizesOf(buffer.value.getType()).size() &&
           indices.front() == row &&
           llvm::none_of(indices.drop_front(), [&](AffineExpr index) {
             return index.isFunctionOfDim(*loop);
           });
  });
}

std::string RegionFinder::addExperts(ExpertsOpInterface op) {
  std::optional<unsigned> own = op.getRowsOperand();
  for (OpOperand &operand : op->getOpOperands())
    if (isRows(operand.get()) && operand.getOperandNumber() != own)
      return "reads rows otherwise than by expert";
  ArrayRef<int64_t> counted = op.getRowsOfExperts();
  if (!counted.empty() && !region.rows.empty() && counted != region.rows)
    return "counts other rows for its experts than the op in front of it";
  if (!counted.empty())
    region.rows = counted;
  region.experts.push_back(op);
  if (op.makesRows())
    rows.insert(op->getResult(0));
  return {};
}

std::string RegionFinder::add(Operation *op) {
  region.ops.push_back(op);
  if (auto experts = dyn_cast<ExpertsOpInterface>(op))
    return addExperts(experts);
  if (isViewOfPieces(op) ? !showsRows(op) : !worksByRow(op))
    return "needs rows of all experts on one chip";
  rows.insert_range(op->getResults());
  return {};
}

FailureOr<ExpertRegion> RegionFinder::run() {
  Operation *begin = region.begin;
  if (hasOpenSize(begin->getResult(0).getType()))
    return refuse() << "how many rows each chip gets must be known, and the "
                       "number of tokens is open; bind it "
                       "(--llm-bind-shapes), or cut columns of experts (tp)";
  region.experts.push_back(region.begin);
  region.ops.push_back(begin);
  rows.insert(begin->getResult(0));
  for (Operation *op = begin->getNextNode(); op; op = op->getNextNode()) {
    auto readsRows = [&](Operation *inner) {
      return llvm::any_of(inner->getOperands(),
                          [&](Value value) { return isRows(value); });
    };
    bool isInside =
        op->walk([&](Operation *inner) {
            return WalkResult(failure(inner != op && readsRows(inner)));
          }).wasInterrupted();
    if (!isInside && !readsRows(op))
      continue;
    std::string why =
        isInside ? "needs rows of all experts on one chip" : add(op);
    if (!why.empty()) {
      InFlightDiagnostic error = refuse()
                                 << "'" << op->getName() << "' " << why;
      error.attachNote(op->getLoc()) << "which is here";
      return error;
    }
  }
  if (region.rows.empty())
    return refuse() << "nothing behind it counts the rows of each expert";
  return region;
}

FailureOr<ExpertRegion> mlir::llm::findExpertRegion(ExpertsOpInterface begin,
                                                    const Axes &axes,
                                                    GridAttr grid) {
  return RegionFinder(begin, axes, grid).run();
}

LogicalResult mlir::llm::checkExpertsDivide(const ExpertRegion &region,
                                            const Axes &axes, GridAttr grid) {
  int64_t count = region.rows.size(), chips = countChips(axes, grid);
  if (count % chips == 0)
    return success();
  Operation *begin = region.begin;
  return refuseExperts(begin, axes)
         << chips << " chips do not divide the " << count << " experts";
}

FailureOr<ExpertRegion> mlir::llm::findRegionOfChip(ExpertsOpInterface begin,
                                                    GridAttr grid) {
  Axes axes;
  llvm::append_range(axes.names, begin.getOwnAxes().getAsRange<StringAttr>());
  return RegionFinder(begin, axes, grid).run();
}
