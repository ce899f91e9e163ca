//===- ViewsOfBlocks.cpp - Views of block-scaled tensors ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewsOfBlocks.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

bool isBlockScaled(Value value) {
  return isa<BlockScaledType>(getElementTypeOrSelf(value.getType()));
}

class NumbersOfBlocks {
public:
  void visit(Operation *op) {
    bool isView = isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
                      tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op);
    // Rows of experts have the type of what they are taken from.
    auto dispatch = dyn_cast<MoeDispatchOp>(op);
    bool followsOperand = dispatch && !isBlockScaled(dispatch.getX());
    if (!isView && !followsOperand)
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (isBlockScaled(operand.get()))
        operand.set(getNumbers(operand.get()));
    for (Value result : op->getResults())
      if (isBlockScaled(result))
        result.setType(typeOfNumbers(result));
  }

private:
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
    auto op = QuantizeOp::create(
        builder, value.getLoc(), type, /*name=*/StringAttr(), value,
        /*isStatic=*/UnitAttr(), TypeAttr::get(type.getElementType()));
    return numbers = op.getOut();
  }

  llvm::DenseMap<Value, Value> known;
};

} // namespace

void llm::showNumbersOfBlocks(func::FuncOp function) {
  NumbersOfBlocks numbers;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { numbers.visit(op); });
}
