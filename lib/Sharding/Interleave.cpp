//===- Interleave.cpp - Parts of a batch side by side on one chip ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The axis of parts is one of the grid until here, so that everything was cut
// over it as over chips. What differs along it gets a copy for each part, and
// what would be exchanged along it is put together or taken apart by views.
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Cut.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Workload/ValuesRead.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
class PartUnroller {
public:
  PartUnroller(GridAttr grid, StringAttr axis)
      : grid(grid), axis(axis), count(*grid.sizeOf(axis)),
        builder(axis.getContext()) {}

  LogicalResult unrollBlock(Block &block);

private:
  LogicalResult unrollOp(Operation *op);
  LogicalResult unrollLoop(scf::ForOp loop);
  void unrollTerminator(Operation *end);
  void takeApart(TakePieceOp op);
  void putTogether(AllGatherOp op);
  void copyOp(Operation *op);
  void copySource(Operation *op, ShardAttr piece);
  Operation *clone(Operation *op, int64_t part);

  bool varies(Value value) const { return copies.contains(value); }
  bool varies(Operation *op) const {
    return llvm::any_of(valuesReadBy(op),
                        [&](Value value) { return varies(value); });
  }
  /// The operands of an op that may have more now.
  SmallVector<Value> expand(ValueRange values) const;
  /// The axes outside and inside of that of the parts.
  struct AroundParts {
    ArrayAttr outer, inner;
  };
  AroundParts splitAxes(ArrayAttr axes) const;
  bool isOverParts(ArrayAttr axes) const {
    return llvm::is_contained(axes, axis);
  }

  GridAttr grid;
  StringAttr axis;
  int64_t count;
  OpBuilder builder;
  DenseMap<Value, SmallVector<Value>> copies; ///< of what varies, by part
  SmallVector<Operation *> replaced;          ///< in the block
};
} // namespace

SmallVector<Value> PartUnroller::expand(ValueRange values) const {
  SmallVector<Value> expanded;
  for (Value value : values)
    if (auto own = copies.find(value); own != copies.end())
      llvm::append_range(expanded, own->second);
    else
      expanded.push_back(value);
  return expanded;
}

/// Returns the name that a part has, if the whole has one.
static StringAttr nameOfPart(StringAttr whole, int64_t part) {
  return whole ? StringAttr::get(whole.getContext(),
                                 whole.getValue() + "_batch" + Twine(part))
               : whole;
}

/// Gives the copy a name of its own: names of ops and of caches are unique.
Operation *PartUnroller::clone(Operation *op, int64_t part) {
  IRMapping map;
  for (Value value : valuesReadBy(op))
    if (auto own = copies.find(value); own != copies.end())
      map.map(value, own->second[part]);
  Operation *copy = builder.clone(*op, map);
  auto name = copy->getAttrOfType<StringAttr>("name");
  if (name && isa<WorkloadOpInterface, SourceOpInterface>(copy))
    copy->setAttr("name", nameOfPart(name, part));
  for (auto [result, own] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    copies[result].push_back(own);
  return copy;
}

void PartUnroller::copyOp(Operation *op) {
  for (int64_t part = 0; part < count; ++part)
    clone(op, part);
  replaced.push_back(op);
}

/// A part of a batch has caches of its own.
void PartUnroller::copySource(Operation *op, ShardAttr piece) {
  NamedAttrList entries;
  for (NamedAttribute entry : piece.getLoops()) {
    Axes axes = fromShardEntry(entry.getValue(), grid);
    llvm::erase(axes.names, axis);
    if (!axes.empty())
      entries.set(entry.getName(), toShardEntry(op->getContext(), axes));
  }
  for (int64_t part = 0; part < count; ++part) {
    Operation *copy = clone(op, part);
    if (entries.empty())
      copy->removeAttr(LlmDialect::pieceAttrName);
    else
      copy->setAttr(LlmDialect::pieceAttrName,
                    ShardAttr::get(op->getContext(),
                                   entries.getDictionary(op->getContext())));
  }
  replaced.push_back(op);
}

PartUnroller::AroundParts PartUnroller::splitAxes(ArrayAttr axes) const {
  const auto *own = llvm::find(axes, axis);
  MLIRContext *context = axis.getContext();
  return {ArrayAttr::get(context, ArrayRef(axes.begin(), own)),
          ArrayAttr::get(context, ArrayRef(std::next(own), axes.end()))};
}

/// The pieces of chips on outer axes lie around those of the parts, and those
/// of chips on inner axes lie in them.
void PartUnroller::takeApart(TakePieceOp op) {
  auto type = cast<RankedTensorType>(op.getOut().getType());
  auto dim = static_cast<int64_t>(op.getDim());
  AroundParts axes = splitAxes(op.getAxes());
  RankedTensorType ofPart = growAlong(type, dim, grid.countChips(axes.inner));
  Value own = op.getX();
  if (!axes.outer.empty())
    own = TakePieceOp::create(builder, op.getLoc(),
                              growAlong(ofPart, dim, count), own, axes.outer,
                              op.getDim());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      strides(type.getRank(), builder.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(op.getContext(), ofPart.getShape());
  for (int64_t part = 0; part < count; ++part) {
    offsets[dim] = builder.getIndexAttr(part * ofPart.getDimSize(dim));
    Value piece = tensor::ExtractSliceOp::create(builder, op.getLoc(), ofPart,
                                                 own, offsets, sizes, strides);
    if (!axes.inner.empty())
      piece = TakePieceOp::create(builder, op.getLoc(), type, piece, axes.inner,
                                  op.getDim());
    copies[op.getOut()].push_back(piece);
  }
  replaced.push_back(op);
}

void PartUnroller::putTogether(AllGatherOp op) {
  AroundParts axes = splitAxes(op.getAxes());
  SmallVector<Value> parts = expand(op.getX());
  if (!axes.inner.empty())
    for (auto [part, piece] : llvm::enumerate(parts)) {
      auto type = growAlong(cast<RankedTensorType>(piece.getType()),
                            op.getDim(), grid.countChips(axes.inner));
      piece = AllGatherOp::create(builder, op.getLoc(), type,
                                  nameOfPart(op.getNameAttr(), part), piece,
                                  axes.inner, op.getDim());
    }
  Value whole =
      tensor::ConcatOp::create(builder, op.getLoc(), op.getDim(), parts);
  if (!axes.outer.empty())
    whole = AllGatherOp::create(builder, op.getLoc(), op.getOut().getType(),
                                op.getNameAttr(), whole, axes.outer,
                                op.getDim());
  op.getOut().replaceAllUsesWith(whole);
  replaced.push_back(op);
}

LogicalResult PartUnroller::unrollLoop(scf::ForOp loop) {
  auto made = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(),
                                 expand(loop.getInitArgs()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block &from = *loop.getBody(), &to = *made.getBody();
  if (to.mightHaveTerminator())
    to.getTerminator()->erase();
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  unsigned next = 0;
  for (auto [init, argument, result] : llvm::zip_equal(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    unsigned own = varies(init) ? static_cast<unsigned>(count) : 1;
    auto arguments = made.getRegionIterArgs().slice(next, own);
    auto results = made.getResults().slice(next, own);
    next += own;
    if (varies(init)) {
      copies[argument] = SmallVector<Value>(arguments);
      copies[result] = SmallVector<Value>(results);
      continue;
    }
    argument.replaceAllUsesWith(arguments.front());
    result.replaceAllUsesWith(results.front());
  }
  to.getOperations().splice(to.end(), from.getOperations());
  SmallVector<Operation *> around = std::move(replaced);
  replaced.clear();
  LogicalResult unrolled = unrollBlock(to);
  replaced = std::move(around);
  // An op has a terminator as long as it is there.
  builder.setInsertionPointToEnd(&from);
  scf::YieldOp::create(builder, loop.getLoc(), loop.getInitArgs());
  replaced.push_back(loop);
  return unrolled;
}

void PartUnroller::unrollTerminator(Operation *end) {
  end->setOperands(expand(end->getOperands()));
}

LogicalResult PartUnroller::unrollOp(Operation *op) {
  builder.setInsertionPoint(op);
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    unrollTerminator(op);
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return unrollLoop(loop);
  auto piece = op->getAttrOfType<ShardAttr>(LlmDialect::pieceAttrName);
  bool isOfParts = piece && llvm::any_of(piece.getLoops(), [&](auto entry) {
                     return llvm::is_contained(
                         fromShardEntry(entry.getValue(), grid).names, axis);
                   });
  if (isOfParts) {
    copySource(op, piece);
    return success();
  }
  auto axes = op->getAttrOfType<ArrayAttr>("axes");
  if (!axes || !isOverParts(axes)) {
    if (varies(op))
      copyOp(op);
    return success();
  }
  if (auto own = dyn_cast<TakePieceOp>(op))
    takeApart(own);
  else if (auto gather = dyn_cast<AllGatherOp>(op))
    putTogether(gather);
  else
    return op->emitOpError() << "exchanges something among parts of a batch "
                                "(interleave), which are on one chip";
  return success();
}

LogicalResult PartUnroller::unrollBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(unrollOp(&op)))
      return failure();
  for (Operation *op : llvm::reverse(replaced)) {
    // A new value may lie where an old one lay.
    for (Value result : op->getResults())
      copies.erase(result);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (Value argument : loop.getRegionIterArgs())
        copies.erase(argument);
    op->erase();
  }
  replaced.clear();
  return success();
}

LogicalResult mlir::llm::unrollParts(FunctionOpInterface function,
                                     GridAttr grid) {
  StringAttr axis = AxisRoles::get(grid).parts;
  if (!axis)
    return success();
  return PartUnroller(grid, axis)
      .unrollBlock(function.getFunctionBody().front());
}

GridAttr mlir::llm::withoutParts(GridAttr grid) {
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> sizes;
  StringAttr parts = AxisRoles::get(grid).parts;
  for (auto [axis, size] : llvm::zip_equal(grid.getAxes(), grid.getSizes()))
    if (axis != parts) {
      axes.push_back(axis);
      sizes.push_back(size);
    }
  return GridAttr::get(grid.getContext(), axes, sizes);
}
