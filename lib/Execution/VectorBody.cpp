//===- VectorBody.cpp - Bodies of linalg ops, of vectors ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorBody.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// What vectors can do
//===----------------------------------------------------------------------===//

static bool knows(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
}

/// Whether neighbours along the loop lie beside each other.
static bool isDense(linalg::GenericOp op, OpOperand &operand, unsigned loop) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !type.isLastDimUnitStride())
    return false;
  ArrayRef<AffineExpr> along = op.getMatchingIndexingMap(&operand).getResults();
  return along.back() == getAffineDimExpr(loop, op.getContext()) &&
         llvm::none_of(along.drop_back(), [&](AffineExpr other) {
           return other.isFunctionOfDim(loop);
         });
}

/// Whether vectors can have elements of the type. No CPU reads floats of less
/// than 16 bits: each is looked up.
static bool isVectorType(Type type) {
  return type.isIntOrFloat() &&
         type.getIntOrFloatBitWidth() >= (isa<FloatType>(type) ? 16 : 8);
}

bool VectorBody::canVectorize(linalg::GenericOp op, unsigned loop) {
  Block *body = op.getBody();
  // Each lane has a sum of its own.
  llvm::DenseSet<Value> vectors = {body->getArguments().back()};
  for (OpOperand &operand : op->getOpOperands()) {
    if (!knows(op, operand, loop))
      continue;
    BlockArgument argument = body->getArgument(operand.getOperandNumber());
    if (!isDense(op, operand, loop) || !isVectorType(argument.getType()))
      return false;
    vectors.insert(argument);
  }
  for (Operation &inside : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside);
        index && index.getDim() == loop)
      return false;
    if (llvm::none_of(inside.getOperands(),
                      [&](Value value) { return vectors.contains(value); }))
      continue;
    if (!OpTrait::hasElementwiseMappableTraits(&inside))
      return false;
    vectors.insert_range(inside.getResults());
  }
  return true;
}

/// Returns the bf16 block argument that has the same number as this f32; null
/// if there is none.
static BlockArgument findBf16(Value value) {
  auto extended = value.getDefiningOp<arith::ExtFOp>();
  auto argument =
      extended ? dyn_cast<BlockArgument>(extended.getIn()) : BlockArgument();
  return argument && argument.getType().isBF16() && value.getType().isF32()
             ? argument
             : BlockArgument();
}

bool VectorBody::addsProductsOfBf16(linalg::GenericOp op, unsigned loop) {
  Block *body = op.getBody();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || op.getNumDpsInputs() != 2)
    return false;
  bool isFirst = sum.getLhs() == body->getArguments().back();
  if (!isFirst && sum.getRhs() != body->getArguments().back())
    return false;
  auto product =
      (isFirst ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  BlockArgument lhs = findBf16(product.getLhs()),
                rhs = findBf16(product.getRhs());
  return lhs && rhs && lhs != rhs &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return knows(op, *input, loop);
         });
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

SmallVector<Value> VectorBody::mapIndices(OpOperand &operand,
                                          ArrayRef<Value> indices) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> mapped;
  for (AffineExpr expression : map.getResults())
    mapped.push_back(affine::makeComposedAffineApply(
        rewriter, op.getLoc(), AffineMap::get(map.getNumDims(), 0, expression),
        getAsOpFoldResult(indices)));
  return mapped;
}

Value VectorBody::load(OpOperand &operand, ArrayRef<Value> indices,
                       std::optional<Lanes> lanes) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return operand.get();
  SmallVector<Value> at = mapIndices(operand, indices);
  if (!lanes || !knows(op, operand, lanes->loop))
    return memref::LoadOp::create(rewriter, op.getLoc(), operand.get(), at);
  return vector::LoadOp::create(
      rewriter, op.getLoc(),
      VectorType::get(lanes->terms(), type.getElementType()), operand.get(),
      at);
}

Value VectorBody::loadResult(ArrayRef<Value> indices,
                             std::optional<Lanes> lanes) {
  return load(*op.getDpsInitOperand(0), indices, lanes);
}

void VectorBody::storeResult(Value value, ArrayRef<Value> indices) {
  OpOperand &out = *op.getDpsInitOperand(0);
  SmallVector<Value> at = mapIndices(out, indices);
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(rewriter, op.getLoc(), value, out.get(), at);
  else
    memref::StoreOp::create(rewriter, op.getLoc(), value, out.get(), at);
}

void VectorBody::prefetch(OpOperand &operand, ArrayRef<Value> indices) {
  constexpr unsigned allCaches = 3;
  memref::PrefetchOp::create(rewriter, op.getLoc(), operand.get(),
                             mapIndices(operand, indices), /*isWrite=*/false,
                             allCaches, /*isDataCache=*/true);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Repeats an op of the body. It is an op of vectors if one of its operands is
/// a vector. The other operands are then alike in all lanes.
void VectorBody::repeat(Operation &inside, IRMapping &mapping,
                        std::optional<Lanes> lanes) {
  Operation *copy = rewriter.clone(inside, mapping);
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  if (!lanes || llvm::none_of(copy->getOperands(), isVector))
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(copy);
  for (OpOperand &operand : copy->getOpOperands()) {
    bool isCondition =
        isa<arith::SelectOp>(copy) && operand.getOperandNumber() == 0;
    if (isVector(operand.get()) || isCondition)
      continue;
    auto type = VectorType::get(lanes->count, operand.get().getType());
    operand.set(vector::BroadcastOp::create(rewriter, op.getLoc(), type,
                                            operand.get()));
  }
  for (Value result : copy->getResults())
    result.setType(VectorType::get(lanes->count, result.getType()));
}

Value VectorBody::addPairs(ArrayRef<Value> indices, Value sum, Lanes lanes) {
  Value lhs = load(*op.getDpsInputOperand(0), indices, lanes);
  Value rhs = load(*op.getDpsInputOperand(1), indices, lanes);
  return x86vector::DotBF16Op::create(rewriter, op.getLoc(), sum.getType(), sum,
                                      lhs, rhs);
}

Value VectorBody::compute(ArrayRef<Value> indices, Value sum,
                          std::optional<Lanes> lanes) {
  if (lanes && lanes->termsPerLane == 2)
    return addPairs(indices, sum, *lanes);
  Block *body = op.getBody();
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    mapping.map(body->getArgument(input->getOperandNumber()),
                load(*input, indices, lanes));
  mapping.map(body->getArguments().back(), sum);
  for (Operation &inside : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside))
      mapping.map(index.getResult(), indices[index.getDim()]);
    else
      repeat(inside, mapping, lanes);
  }
  return mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
}
