//===- StateInputs.cpp - Inputs of a state and of new tokens --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateInputs.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value llm::joinInputs(LinalgLowering &lowering, Value state, Value tokens) {
  OpBuilder &builder = lowering.getBuilder();
  Location loc = lowering.getLoc();
  Type type = lowering.getComputeType();
  SmallVector<OpFoldResult> before = lowering.getSizes(state),
                            own = lowering.getSizes(tokens), sizes = own;
  sizes[1] = lowering.add(before[1], own[1]);
  Value joined = lowering.empty(sizes, type);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(3, zero), strides(3, one);
  for (auto [part, partSizes] : {std::pair{state, before}, {tokens, own}}) {
    joined = tensor::InsertSliceOp::create(
        builder, loc,
        lowering.convert(lowering.asArray(part), type).getValues(), joined,
        offsets, partSizes, strides);
    offsets[1] = before[1];
  }
  return joined;
}
