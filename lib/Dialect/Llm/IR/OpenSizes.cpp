//===- OpenSizes.cpp - Sizes that are open, and become numbers ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"
#include "llm/Dialect/Llm/IR/ExpertRows.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult SizeOp::verify() {
  if (!getName().empty()) // size-C1
    return success();
  return emitOpError() << "needs a name";
}

LogicalResult SizedOp::verify() {
  int64_t open = tensorType(getX()).getNumDynamicDims();
  if (open == static_cast<int64_t>(getSizes().size())) // sized-C1
    return success();
  return emitOpError() << "has " << getSizes().size() << " sizes for " << open
                       << " open dimensions of " << getX().getType();
}

SmallVector<Value> SizedOp::getForwardedValues() { return {getX()}; }

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Replaces open numbers by constants that they have become. `values` keeps the
/// others.
static SmallVector<int64_t> closeSizes(ArrayRef<int64_t> sizes,
                                       MutableOperandRange values) {
  SmallVector<int64_t> numbers(sizes);
  SmallVector<Value> open;
  size_t next = 0;
  for (int64_t &number : numbers) {
    if (!ShapedType::isDynamic(number))
      continue;
    Value value = values[next++].get();
    number = getConstantIntValue(value).value_or(ShapedType::kDynamic);
    if (ShapedType::isDynamic(number))
      open.push_back(value);
  }
  values.assign(open);
  return numbers;
}

FailureOr<bool> RopeOp::bindOpenSizes(RewriterBase &) {
  setBegin(closeSizes(getBegin(), getDynamicBeginMutable()));
  return false;
}

FailureOr<bool> PositionScaleOp::bindOpenSizes(RewriterBase &) {
  setBegin(closeSizes(getBegin(), getDynamicBeginMutable()));
  return false;
}

FailureOr<bool> KvWriteOp::bindOpenSizes(RewriterBase &) {
  setBegin(closeSizes(getBegin(), getDynamicBeginMutable()));
  return false;
}

FailureOr<bool> KvReadOp::bindOpenSizes(RewriterBase &) {
  setBegin(closeSizes(getBegin(), getDynamicBeginMutable()));
  setEnd(closeSizes(getEnd(), getDynamicEndMutable()));
  return false;
}

FailureOr<bool> KvCacheOp::bindOpenSizes(RewriterBase &) {
  KvCacheType type = getType();
  SmallVector<int64_t> sizes =
      closeSizes({type.getBatch(), type.getCapacity()}, getSizesMutable());
  KvCacheType bound = KvCacheType::getChecked(
      [&] { return emitOpError(); }, getContext(), sizes[0], type.getKvHeads(),
      type.getHeadDim(), sizes[1], type.getElementType(), type.getPageSize(),
      type.getIsLatent());
  if (!bound)
    return failure();
  getResult().setType(bound);
  return false;
}

FailureOr<bool> StateOp::bindOpenSizes(RewriterBase &) {
  StateType type = getType();
  SmallVector<int64_t> sizes = closeSizes({type.getBatch()}, getSizesMutable());
  StateType bound =
      StateType::getChecked([&] { return emitOpError(); }, getContext(),
                            sizes[0], type.getShape(), type.getElementType());
  if (!bound)
    return failure();
  getResult().setType(bound);
  return false;
}

/// Counts the rows of each expert once the number of all rows is known.
FailureOr<bool> GroupedMatmulOp::bindOpenSizes(RewriterBase &) {
  std::optional<Routing> routing = getRouting();
  int64_t rows = tensorType(getLhs()).getDimSize(0), topK = getTopK(),
          experts = tensorType(getRhs()).getDimSize(0);
  if (!routing || ShapedType::isDynamic(rows) || ShapedType::isDynamic(experts))
    return false;
  if (topK < 1 || topK > experts || rows % topK)
    return emitOpError() << "top_k must be in [1, experts] and divide the "
                         << rows << " rows, got " << topK << " of " << experts;
  setRowsPerExpert(countExpertRows(*routing, experts, topK, rows / topK));
  removeRoutingAttr();
  return false;
}

/// Gives an argument of a function the sizes that the op tells.
FailureOr<bool> SizedOp::bindOpenSizes(RewriterBase &rewriter) {
  auto argument = dyn_cast<BlockArgument>(getX());
  if (!argument ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return emitOpError() << "gives sizes to arguments of a function only";
  RankedTensorType type = tensorType(argument);
  SmallVector<int64_t> shape = closeSizes(type.getShape(), getSizesMutable());
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitOpError() << "would give a dimension the size " << size;
  argument.setType(
      RankedTensorType::get(shape, type.getElementType(), type.getEncoding()));
  getResult().setType(tensorType(argument));
  if (!getSizes().empty())
    return false;
  rewriter.replaceOp(*this, argument);
  return true;
}
