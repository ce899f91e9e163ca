//===- ViewsOfBlocks.cpp - Views of block-scaled tensors ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewsOfBlocks.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

bool isBlockScaled(Value value) {
  return isa<BlockScaledType>(getElementTypeOrSelf(value.getType()));
}

class NumbersOfBlocks {
public:
  /// Visits ops in preorder, so that what an op reads has been visited.
  LogicalResult visit(Operation *op) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      return followInits(loop), success();
    if (isa<func::ReturnOp, scf::YieldOp, YieldOp>(op))
      return leave(op, op->getParentOp());
    bool isView = isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
                      tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op);
    // Loops write these piece by piece.
    bool isWritten = isa<tensor::EmptyOp, tensor::InsertSliceOp,
                         tensor::ParallelInsertSliceOp>(op);
    // Rows of experts have the type of the tensor that they are taken from.
    auto dispatch = dyn_cast<MoeDispatchOp>(op);
    bool followsOperand = dispatch && !isBlockScaled(dispatch.getX());
    if (!isView && !isWritten && !followsOperand)
      return success();
    for (OpOperand &operand : op->getOpOperands())
      if (isBlockScaled(operand.get()))
        operand.set(getNumbers(operand.get()));
    for (Value result : op->getResults())
      if (isBlockScaled(result))
        result.setType(typeOfNumbers(result));
    return success();
  }

private:
  /// Gives a loop's values the types that they begin with.
  static void followInits(LoopLikeOpInterface loop) {
    for (auto [init, argument, result] : llvm::zip(
             loop.getInits(), loop.getRegionIterArgs(), loop->getResults())) {
      if (!isBlockScaled(argument) || isBlockScaled(init))
        continue;
      argument.setType(init.getType());
      result.setType(init.getType());
    }
  }

  /// Gives results of `parent` the types of the values at the end of its
  /// region.
  LogicalResult leave(Operation *end, Operation *parent) {
    if (auto function = dyn_cast<func::FuncOp>(parent)) {
      for (auto [value, type] :
           llvm::zip(end->getOperands(), function.getResultTypes()))
        if (value.getType() != type)
          return end->emitOpError()
                 << "gives a view of a block-scaled tensor, or one that is "
                    "written piece by piece, of which there are numbers and no "
                    "scales: expected what an op gives";
      return success();
    }
    for (auto [operand, result] :
         llvm::zip(end->getOpOperands(), parent->getResults())) {
      if (isBlockScaled(operand.get()) && !isBlockScaled(result))
        operand.set(getNumbers(operand.get()));
      result.setType(operand.get().getType());
    }
    return success();
  }

  static RankedTensorType typeOfNumbers(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.clone(Float32Type::get(type.getContext()));
  }

  Value getNumbers(Value value) {
    Value &numbers = known[value];
    if (numbers)
      return numbers;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto type = typeOfNumbers(value);
    auto op = QuantizeOp::create(builder, value.getLoc(), type,
                                 /*name=*/StringAttr(), value,
                                 /*scale=*/Value(), /*isStatic=*/UnitAttr(),
                                 TypeAttr::get(type.getElementType()));
    return numbers = op.getOut();
  }

  llvm::DenseMap<Value, Value> known;
};

} // namespace

LogicalResult llm::showNumbersOfBlocks(func::FuncOp function) {
  NumbersOfBlocks numbers;
  WalkResult walked = function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult { return numbers.visit(op); });
  return failure(walked.wasInterrupted());
}
